"""``read``: any multi-task file to a TaskSet and an account of what was understood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.data.taskset import TASK_TYPES, Array, TaskSet
from stcmtl.errors import InputError, Setting
from stcmtl.io.account import Account, Case
from stcmtl.io.archives import gunzip
from stcmtl.io.arrays import Value
from stcmtl.io.features import MISSING, build_matrix
from stcmtl.io.layouts import take_arrays
from stcmtl.io.limits import Limits, ReadError, fault
from stcmtl.io.many import FILES, list_members, take_files
from stcmtl.io.sniffing import find_kind, note_extension
from stcmtl.io.sources import File, list_files
from stcmtl.io.tables import LAYOUTS, Asked, RawTasks, take_table
from stcmtl.io.targets import Target, find_target

DEFAULT_LIMITS = Limits()
# Readers by kind, imported when such a file comes: not everybody has all libraries.
TABLES = {"text": "text.read_text", "Parquet": "parquet.read_parquet", "Excel": "excel.read_excel"}
ARRAYS = {
    "npz": "archives.read_npz",
    "MAT v4": "matlab.read_mat4",
    "MAT": "matlab.read_mat5",
    "MAT v7.3": "mat73.read_mat73",
}


def read(
    source: Any,
    *,
    task: str | None = None,
    target: str | list[str] | None = None,
    layout: str | None = None,
    task_type: str | None = None,
    missing: str = "error",
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[TaskSet, Account]:
    """Read tasks from a file people have, and say what was understood.

    Parameters
    ----------
    source : a path, a list of paths (one file per task), or a pair of a name and bytes or a
        file object. CSV, TSV, Parquet, Excel, zip, .npz and .mat are told by their content.
    task, target : columns (or arrays) that hold the task and the target; guessed by default.
        A list of targets means one task each over the same features.
    layout : "long" or "wide"; guessed by default.
    task_type : "regression" or "classification"; by default two labels are a classification,
        and stay as they are.
    missing : "error" refuses empty cells among the features; "median" fills them with the
        column's median, or with its most frequent text.
    limits : how large the file may be.

    Raises
    ------
    ReadError
        One sentence that names the file, the column or the limit, and what to do.
    """
    target = list(target) if isinstance(target, tuple) else target
    asked = Asked(task, target, layout, task_type, missing)
    check_options(asked)
    return read_files(list_files(source, limits), asked, limits)


def read_files(files: list[File], asked: Asked, limits: Limits) -> tuple[TaskSet, Account]:
    case = open_case(files, limits)
    try:
        rows, kind = take_rows(files, asked, case)
        rows = drop_without_target(rows, case)
        case.check(tasks=len(pd.unique(rows.tasks)))
        found = find_target(rows, asked.task_type or rows.task_type, case)
        X, features = build_matrix(rows.features, rows.names, asked.missing, case)
        return finish(rows, found, X, features, kind, files, case)
    except MemoryError:
        what = "needs more memory than there is"
        raise case.fault(what, "read a smaller part of it") from None


def check_options(asked: Asked) -> None:
    options = {
        "layout": (asked.layout, (*LAYOUTS, None)),
        "task_type": (asked.task_type, (*TASK_TYPES, None)),
        "missing": (asked.missing, MISSING),
    }
    for name, (value, allowed) in options.items():
        if value not in allowed:
            remedy = f"use one of {', '.join(repr(choice) for choice in allowed)}"
            raise InputError(f"is {value!r}", where=Setting(name), remedy=remedy)


def open_case(files: list[File], limits: Limits) -> Case:
    name = files[0].name if len(files) == 1 else f"The list of {len(files):,} files"
    return Case(name, limits)


def take_rows(files: list[File], asked: Asked, case: Case) -> tuple[RawTasks, str]:
    """The rows, and the format they came in."""
    files, kinds, name = unpack(files, case)
    if len(files) > 1 or (asked.layout == FILES and asked.task is None):
        if asked.layout == "wide" or isinstance(asked.target, list):
            what = "Of several files each is a task, or a part of one long table"
            end = " and name one target, or read the files one by one"
            raise ReadError(what, remedy=("leave out ", Setting("layout"), end))
        return take_files(files, table_reader(files, kinds, case), asked, case), name
    case = case.of(files[0].name)
    if kinds[0] in ARRAYS:
        rows = take_arrays(read_arrays(files[0], kinds[0], case), asked, case)
        return replace(rows, understood={"task": asked.task, "target": asked.target}), name
    return take_table(read_table(files[0], kinds[0], case), asked, case), name


def unpack(files: list[File], case: Case) -> tuple[list[File], list[str], str]:
    """The files themselves, the kind of each, and a name for their format."""
    files = [unpack_gzip(file, case.limits) for file in files]
    packed = ""
    if len(files) == 1 and find_kind(files[0], case.limits) == "zip":
        packed = "a zip of "
        case.notes += note_extension(files[0], "zip")
        files = [unpack_gzip(file, case.limits) for file in list_members(files[0], case)]
    kinds = [find_kind(file, case.limits) for file in files]
    for file, kind in zip(files, kinds, strict=True):
        case.notes += note_extension(file, kind)
    text = "TSV" if files[0].extension in (".tsv", ".tab") else "CSV"
    return files, kinds, packed + (text if kinds[0] == "text" else kinds[0])


def unpack_gzip(file: File, limits: Limits) -> File:
    return gunzip(file, limits) if find_kind(file, limits) == "gzip" else file


def table_reader(files: list[File], kinds: list[str], case: Case) -> Callable[[File], pd.DataFrame]:
    """Reads one of several tables; what there is to say is said of the first."""
    kind_by_name = {file.name: kind for file, kind in zip(files, kinds, strict=True)}

    def read_one(file: File) -> pd.DataFrame:
        own = case if file is files[0] else case.aside(file.name)
        return read_table(file, kind_by_name[file.name], own)

    return read_one


def read_table(file: File, kind: str, case: Case) -> pd.DataFrame:
    if kind not in TABLES:
        what = f"is {kind}, one of several files"
        raise fault(file.name, what, "only tables can be one per task")
    frame: pd.DataFrame = import_reader(TABLES[kind], file, kind)(file, case.of(file.name))
    return frame


def read_arrays(file: File, kind: str, case: Case) -> dict[str, Value]:
    values: dict[str, Value] = import_reader(ARRAYS[kind], file, kind)(file, case.limits)
    return values


def import_reader(home: str, file: File, kind: str) -> Callable[..., Any]:
    module, _, function = home.partition(".")
    try:
        reader: Callable[..., Any] = getattr(import_module(f"stcmtl.io.{module}"), function)
    except ModuleNotFoundError as error:
        what = f"is {kind}, and {error.name}, which reads it, is not installed"
        raise fault(file.name, what, "install stcmtl[files]") from None
    return reader


def drop_without_target(rows: RawTasks, case: Case) -> RawTasks:
    absent = np.asarray(pd.isna(rows.y))
    n_absent = int(absent.sum())
    if n_absent == 0:
        return rows
    if n_absent == len(absent):
        raise case.fault(f"has nothing in the target {rows.target!r}", "fill it")
    case.dropped["rows without a target"] = n_absent
    gone = set(pd.unique(rows.tasks)) - set(pd.unique(rows.tasks[~absent]))
    if gone:
        case.dropped["tasks without any target"] = len(gone)
    kept = rows.features[rows.names][~absent].reset_index(drop=True)
    return replace(rows, features=kept, y=rows.y[~absent], tasks=rows.tasks[~absent])


def finish(
    rows: RawTasks,
    target: Target,
    X: Array,
    features: tuple[str, ...],
    kind: str,
    files: list[File],
    case: Case,
) -> tuple[TaskSet, Account]:
    """The tasks, and an account of all that was found."""
    tasks, understood = rows.tasks, rows.understood
    if target.rows is not None and target.tasks is not None:
        case.check_shape(len(target.rows), len(features))
        X, tasks = X[target.rows], target.tasks
        understood = {**understood, "each_label": True}
    data = TaskSet(X, target.y, tasks, features, target.task_type)
    case.check(tasks=len(data))
    account = Account(
        files=tuple(file.name for file in files),
        format=kind,
        layout=rows.layout,
        tasks=len(data),
        rows_per_task=dict(zip(data.task_names.tolist(), data.n_rows.tolist(), strict=True)),
        features=features,
        target_type=target.task_type,
        classes=target.classes,
        dropped=case.dropped,
        encoded=case.encoded,
        guessed=tuple(case.guessed),
        notes=tuple(case.notes),
        advice=tuple(case.advice),
        understood=understood,
    )
    return data, account
