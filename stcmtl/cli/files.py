"""Files that a subcommand is given."""

import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from itertools import chain
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
from stcmtl.io.parsing import How
from stcmtl.io.read_like import read_tasks_like
from stcmtl.io.reading import read

Result = TypeVar("Result")
STANDARD_INPUT = "-"


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
    return TaskSet(data.X, data.y, task_names[codes], data.feature_names, data.task_type)


def known_tasks(tasks: NDArray[Any], names: NDArray[Any]) -> NDArray[np.int64]:
    """The position of every row's task among known ones, by how it reads; -1 for others."""
    position = {str(name): i for i, name in enumerate(names)}
    codes, found = pd.factorize(tasks)
    return np.array([position.get(str(name), -1) for name in found], dtype=np.int64)[codes]


def list_tasks(names: NDArray[Any]) -> str:
    return list_names(tuple(label(name) for name in pd.unique(names)))
