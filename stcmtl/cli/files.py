"""Files that a subcommand is given, and those that it writes.

What is to be written is refused before the work where it cannot be, or must not be: an output never
takes the place of an input or of another output, whatever their paths look like; nor, without
``--force``, of a file that is there already. Only a folder of results may be written again, where
all that would be replaced in it comes from an earlier fit.
"""

import csv
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile, ZipFile

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.cli.console import Console, name_in_options
from stcmtl.cli.options import pick_arguments
from stcmtl.data.checks import label
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError
from stcmtl.estimators.semisoft import load
from stcmtl.io.account import list_names
from stcmtl.io.encode_like import Reading
from stcmtl.io.limits import Limits
from stcmtl.io.parsing import How
from stcmtl.io.read_like import read_tasks_like
from stcmtl.io.reading import read
from stcmtl.io.write import TABLE_ENDINGS, check_ending, name_tables

Result = TypeVar("Result")
STANDARD_INPUT = "-"
MODEL, ACCOUNT = "model.stcmtl", "account.txt"
# Tables of a fit, and how their columns begin.
TABLES = {
    "memberships": ["task", "cluster 1"],
    "coefficients": ["task", "intercept"],
    "cluster_coefficients": ["cluster"],
    "cluster_standard_errors": ["cluster"],
    "tasks": ["task", "cluster", "pure"],
}


def list_inputs(args: Namespace) -> list[str]:
    """All that the command line names to be read."""
    lists = [vars(args).get(name) or [] for name in ("files", "data", "test_file")]
    return [*([args.model] if "model" in args else []), *chain.from_iterable(lists)]


def call_reader(
    reader: Callable[..., Result], files: list[str], args: Namespace, *reading: Reading
) -> Result:
    """A reader called with what the command line gives of its arguments."""
    options = pick_arguments(args, reader)
    if "how" in signature(reader).parameters:
        marks = args.missing_marks and tuple(args.missing_marks)
        options["how"] = replace(How(**pick_arguments(args, How)), missing_marks=marks)
    if "target" in options:
        options["target"] = one_or_all(options["target"])
    if "limits" in options:
        options["limits"] = Limits(**dict(options["limits"]))
    if list_inputs(args).count(STANDARD_INPUT) > 1:
        raise InputError("Standard input can be read once", remedy="give - once only")
    return reader(one_or_all([take_source(name) for name in files]), *reading, **options)


def one_or_all(items: list[Any]) -> Any:
    return items[0] if len(items) == 1 else items


def take_source(name: str) -> Any:
    """A path, or what comes through a pipe with a name for it."""
    if name != STANDARD_INPUT:
        return name
    if sys.stdin is None:
        raise InputError("Standard input is closed", remedy="pipe a file into it")
    return "standard input", sys.stdin.buffer


def read_data(args: Namespace, console: Console) -> tuple[TaskSet, Reading, list[str]]:
    """The tasks of the files, how further files are to be read, and what was understood."""
    data, account = call_reader(read, args.files, args)
    lines = account.lines(name_in_options)
    console.say("\n".join(lines))
    return data, Reading.of(data, account), lines


def read_like(
    files: list[str],
    reading: Reading,
    task_names: NDArray[Any],
    args: Namespace,
    console: Console,
) -> TaskSet:
    """Further rows of tasks, features and labels that are known."""
    data, account = call_reader(read_tasks_like, files, args, reading)
    console.say("\n".join(account.lines(name_in_options)))
    codes = known_tasks(data.tasks, task_names)
    if (codes < 0).any():
        raise InputError(
            f"the fit has not seen {list_tasks(data.tasks[codes < 0])}; leave out such rows",
            where=f"{list_names(account.files)}:",
        )
    known = replace(data, task_columns=None)  # which go by the names of the file
    return replace(known, tasks=task_names[codes])


def known_tasks(tasks: NDArray[Any], names: NDArray[Any]) -> NDArray[np.int64]:
    """The position of every row's task among known ones, by how it reads; -1 for others."""
    position = {str(name): i for i, name in enumerate(names)}
    codes, found = pd.factorize(tasks)
    return np.array([position.get(str(name), -1) for name in found], dtype=np.int64)[codes]


def list_tasks(names: NDArray[Any]) -> str:
    return list_names(tuple(label(name) for name in pd.unique(names)))


# What may be written


def check_files(args: Namespace, endings: dict[str, tuple[str, ...]]) -> None:
    """The files that options name, each with the endings it may have."""
    given = {option: vars(args)[option[2:].replace("-", "_")] for option in endings}
    files = {option: name for option, name in given.items() if name is not None}
    seen: dict[object, str] = {}
    for option, name in files.items():
        if not name:
            raise InputError("is empty", where=option, remedy="name a file")
        check_ending(name, endings[option])
        check_place(Path(name))
        refuse_inputs(args, [Path(name)], f"give {option} another name")
        for other in {seen[key] for key in identify(name) & seen.keys()}:
            what, remedy = f"is named by {other} and by {option}", "give one of them another name"
            raise InputError(what, where=name, remedy=remedy)
        seen |= dict.fromkeys(identify(name), option)
    for option, name in files.items():
        if Path(name).exists() and not args.force:
            remedy = f"give {option} another name, or pass --force to replace it"
            raise InputError("exists already", where=name, remedy=remedy)


def check_results(args: Namespace) -> Path:
    """The folder of a fit."""
    folder = check_folder(args.out, "--out")
    names = (MODEL, *name_tables(TABLES, args.format), ACCOUNT)
    paths = [folder / name for name in names] if folder.exists() else []
    remedy = "give --out another folder"
    refuse_inputs(args, paths, remedy)
    for path in paths:
        check_place(path)
    has_model = is_model(folder / MODEL)
    for path in paths:
        if path.exists() and not (args.force or (has_model and is_result(path))):
            what = "exists and is not of an earlier fit"
            remedy = f"{remedy}, or pass --force to replace it"
            raise InputError(what, where=str(path), remedy=remedy)
    return folder


def check_folder(name: str, option: str) -> Path:
    """A folder that is there, or can be made."""
    if not name:
        raise InputError("is empty", where=option, remedy="name a folder")
    folder = Path(name)
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise InputError("cannot be a folder", where=name, remedy="a file is in its place")
    check_right(there, name)
    return folder


def check_place(path: Path) -> None:
    if path.is_dir():
        raise InputError("is a folder", where=str(path), remedy="give the name of a file")
    if not path.parent.is_dir():
        raise unwritable(str(path), f"there is no folder {path.parent}")
    for place in (path.parent, *([path] if path.exists() else [])):
        check_right(place, str(path))


def check_right(path: Path, name: str) -> None:
    if not os.access(path, os.W_OK):
        raise unwritable(name, "you have no right to write there")


def unwritable(name: str, reason: str) -> InputError:
    return InputError("cannot be written", where=name, remedy=reason)


# Inputs


def refuse_inputs(args: Namespace, paths: Sequence[Path], remedy: str) -> None:
    """Of a folder that is read, no file may be replaced and none may be added."""
    given = list_inputs(args)
    folders = [Path(name) for name in given if Path(name).is_dir()]
    inside = [str(p) for folder in folders for p in folder.iterdir() if not p.is_dir()]
    inputs = {key: name for name in (*inside, *given) for key in identify(name)}
    for path in paths:
        for name in {inputs[key] for key in identify(path) & inputs.keys()}:
            called = "standard input" if name == STANDARD_INPUT else f"the input {name}"
            what = "is an input" if name == str(path) else f"is {called}"
            raise InputError(what, where=str(path), remedy=remedy)
        for name in {inputs[key] for key in identify(path.parent) & inputs.keys()}:
            raise InputError(f"would be among the inputs in {name}", where=str(path), remedy=remedy)


def identify(name: str | Path) -> set[object]:
    """A file by its place and, through hard links, by what is on disk.

    Names that differ in case alone are one file on many machines: here they always count as one.
    """
    keys: set[object] = {os.path.realpath(name).casefold()}
    with suppress(OSError):
        found = os.fstat(0) if name == STANDARD_INPUT else Path(name).stat()
        keys.add((found.st_dev, found.st_ino))
    return keys


# What fit has written


def is_model(path: Path) -> bool:
    with suppress(InputError, OSError):
        load(path)
        return True
    return False


def is_result(path: Path) -> bool:
    """Whether a file beside a model is, as far as one can tell, of the same fit."""
    with suppress(OSError, ValueError, KeyError, csv.Error, BadZipFile, ImportError):
        if path.name == ACCOUNT:
            return "; fitted in " in path.read_text(encoding="utf-8")
        if path.suffix == ".xlsx":
            with ZipFile(path) as archive:
                sheets = archive.read("xl/workbook.xml").decode()
            return all(f'name="{name}"' in sheets for name in TABLES)
        if path.name != MODEL:
            known, columns = TABLES[path.stem], read_columns(path)
            return bool(columns) and columns[: len(known)] == known[: len(columns)]
        return True
    return False


def read_columns(path: Path) -> list[str]:
    if path.suffix == ".parquet":
        from pyarrow.parquet import read_schema  # which not everybody has

        return list(read_schema(path).names)
    with path.open(encoding="utf-8", newline="") as stream:
        return next(csv.reader([stream.readline(10_000)]))


def find_stale(folder: Path, written: Iterable[Path]) -> list[str]:
    """Tables of an earlier fit in another format."""
    names = chain.from_iterable(name_tables(TABLES, ending[1:]) for ending in TABLE_ENDINGS)
    paths = {folder / name for name in names} - set(written)
    return sorted(path.name for path in paths if path.exists() and is_result(path))
