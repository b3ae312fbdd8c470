"""Several tables, one per task: a list of files, or the members of a zip."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.io.account import Case, list_names
from stcmtl.io.archives import open_zip, read_member
from stcmtl.io.guess import SURE, names_tasks
from stcmtl.io.limits import ReadError, fault
from stcmtl.io.sources import File, number_names
from stcmtl.io.tables import Asked, RawTasks, choose_columns, take_long

TASK = "\0task"  # no file has a column of this name
FILES = "files"  # the layout of one file per task
PACKED = re.compile(r"\.(zip|7z|rar|tar|tgz|xz|bz2)$", re.IGNORECASE)

BESIDE = re.compile(  # what people pack with their tables
    r"(^|/)(readme|licen[cs]e|changelog|citation|notice)[^/]*$|\.(md|rst|pdf|docx?|html?|png|jpe?g)$",
    re.IGNORECASE,
)


def list_members(file: File, case: Case) -> list[File]:
    """The files of a zip in the order people count, without what operating systems add."""
    with open_zip(file, case.limits) as archive:
        members = [info for info in archive.infolist() if is_data(info.filename)]
        beside = [info for info in members if BESIDE.search(info.filename)]
        if 0 < len(beside) < len(members):
            names = list_names([info.filename for info in beside])
            case.dropped[f"files beside the tables: {names}"] = len(beside)
            members = [info for info in members if info not in beside]
        nested = [info.filename for info in members if PACKED.search(info.filename)]
        if nested:
            raise fault(file.name, f"holds the archive {nested[0]!r}", "unpack that one first")
        if not members:
            raise fault(file.name, "holds no files", "pack the tables again")
        members.sort(key=lambda info: counting_order(info.filename))
        files = [
            File(info.filename, data=read_member(file.name, archive, info)) for info in members
        ]
    for member in files:
        if member.size == 0:
            raise fault(f"{member.name} in {file.name}", "is empty", "export it again")
    return files


def is_data(member: str) -> bool:
    parts = member.replace("\\", "/").split("/")
    return bool(parts[-1]) and not any(p.startswith((".", "__MACOSX")) for p in parts)


def counting_order(name: str) -> list[tuple[int, int, str]]:
    """2 before 10, whatever surrounds the numbers."""
    parts = re.findall(r"[0-9]{1,15}|[^0-9]+|[0-9]+", name)
    return [(0, int(p), "") if p.isdecimal() and len(p) < 16 else (1, 0, p) for p in parts]


def take_files(
    files: list[File], read_one: Callable[[File], pd.DataFrame], asked: Asked, case: Case
) -> RawTasks:
    """Tables of the same columns, stacked; a file's name is its task's.

    Where the caller names a task column, or one is called so, they are parts of one long table.
    """
    whole, first = stack_files(files, read_one, case)
    columns = choose_columns(first, asked, case)
    task = find_task(whole, asked.task)
    own = [] if task != TASK else [TASK]
    rows = take_long(whole, [*columns, *own], task, asked.target, case.of("The list of files"))
    if task != TASK:
        return replace(rows, layout="parts of one long table")
    found = {"target": rows.target, "layout": FILES}
    return replace(rows, layout="one file per task", understood=found)


def find_task(whole: pd.DataFrame, task: str | None) -> str:
    """The column as asked or by its name, else the one that says which file a row is from."""
    return task or next((c for c in whole.columns if names_tasks(c) in SURE), TASK)


def stack_files(
    files: list[File], read_one: Callable[[File], pd.DataFrame], case: Case
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All rows of all tables with a column ``TASK`` for their files, and the first table."""
    names = name_tasks_by_file(files)
    the_list = case.of("The list")
    the_list.check(tasks=len(files))
    frames: list[pd.DataFrame] = []
    n_rows = 0
    for file in files:
        frame = read_one(file)
        if len(frame) == 0:
            raise fault(file.name, "has a header but no rows", "leave it out")
        if frames:
            frame = order_columns(frame, file.name, frames[0], files[0].name)
        n_rows += len(frame)
        the_list.check_shape(n_rows, len(frame.columns))
        frames.append(frame)
    whole = pd.concat(frames, ignore_index=True)
    whole[TASK] = np.repeat(names, [len(frame) for frame in frames])
    return whole, frames[0]


def name_tasks_by_file(files: list[File]) -> NDArray[Any]:
    """A file's name as its task's, with its folder where files in several are called alike."""
    for names in ([file.stem for file in files], [file.name.rpartition(".")[0] for file in files]):
        if len(set(names)) == len(names):
            return np.array(number_names(names))
    twice = Counter(file.stem for file in files).most_common(1)[0][0]
    what = f"Two files are called {twice!r}"
    raise ReadError(what, remedy="a file's name is its task's; rename one")


def order_columns(
    frame: pd.DataFrame, name: str, first: pd.DataFrame, first_name: str
) -> pd.DataFrame:
    if list(frame.columns) == list(first.columns):
        return frame
    if odd := set(frame.columns) ^ set(first.columns):
        what = f"and {first_name} differ in the columns {list_names(sorted(odd))}"
        raise fault(name, what, "give all files the same columns")
    return frame[list(first.columns)]
