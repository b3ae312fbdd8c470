"""Files that a subcommand is given, and files that it is to write."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.cli.console import Console, name_in_options
from stcmtl.cli.options import pick_arguments
from stcmtl.data.checks import label
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError
from stcmtl.io.account import list_names
from stcmtl.io.encode_like import Reading
from stcmtl.io.limits import Limits
from stcmtl.io.read_like import read_tasks_like
from stcmtl.io.reading import read
from stcmtl.io.write import TABLE_ENDINGS

Result = TypeVar("Result")
TASK_ENDINGS = (*TABLE_ENDINGS, ".npz")


def call_reader(
    reader: Callable[..., Result], files: list[str], args: Namespace, *reading: Reading
) -> Result:
    """A reader called with what the command line gives of its arguments."""
    options = pick_arguments(args, reader)
    if "target" in options:
        options["target"] = one_or_all(options["target"])
    if "limits" in options:
        options["limits"] = Limits(**dict(options["limits"]))
    return reader(one_or_all(files), *reading, **options)


def one_or_all(names: list[str]) -> str | list[str]:
    return names[0] if len(names) == 1 else names


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
    return TaskSet(data.X, data.y, task_names[codes], data.feature_names, data.task_type)


def known_tasks(tasks: NDArray[Any], names: NDArray[Any]) -> NDArray[np.int64]:
    """The position of every row's task among known ones, by how it reads; -1 for others."""
    position = {str(name): i for i, name in enumerate(names)}
    codes, found = pd.factorize(tasks)
    return np.array([position.get(str(name), -1) for name in found], dtype=np.int64)[codes]


def list_tasks(names: NDArray[Any]) -> str:
    return list_names(tuple(label(name) for name in pd.unique(names)))


# What is to be written is refused before the work where it cannot be


def check_file(name: str | None, endings: tuple[str, ...]) -> None:
    """Whether a file of this name can be written, as far as one can tell."""
    if name is None:
        return
    path = Path(name)
    if path.suffix.lower() not in endings:
        ending = repr(path.suffix) if path.suffix else "nothing"
        remedy = f"use {', '.join(endings)}"
        raise InputError(f"ends in {ending}", where=name or "--out", remedy=remedy)
    if path.is_dir():
        raise InputError("is a folder", where=name, remedy="give the name of a file")
    if not path.parent.is_dir():
        raise unwritable(name, f"there is no folder {path.parent}")
    check_writable(path if path.exists() else path.parent, name)


def make_folder(name: str, option: str = "--out") -> Path:
    """The folder, made where there is none."""
    if not name:
        raise InputError("is empty", where=option, remedy="name a folder")
    folder = Path(name)
    if any(path.exists() and not path.is_dir() for path in (folder, *folder.parents)):
        raise InputError("cannot be a folder", where=name, remedy="a file is in its place")
    folder.mkdir(parents=True, exist_ok=True)
    check_writable(folder, name)
    return folder


def check_writable(path: Path, name: str) -> None:
    if not os.access(path, os.W_OK):
        raise unwritable(name, "you have no right to write there")


def unwritable(name: str, reason: str) -> InputError:
    return InputError("cannot be written", where=name, remedy=reason)
