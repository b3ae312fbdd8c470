"""Several tables, one per task: a list of files, or the members of a zip."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.io.account import Case, list_names, quote, shorten
from stcmtl.io.limits import ReadError, fault
from stcmtl.io.names import SURE, find_role
from stcmtl.io.parsing import Table
from stcmtl.io.sources import find_stem, number_names
from stcmtl.io.tables import Asked, RawTasks, choose_columns, take_long

TASK = "\0task"  # no file has a column of this name
FILES = "files"  # the layout of one file per task


def take_files(tables: Sequence[Table], asked: Asked, case: Case) -> RawTasks:
    """Tables of the same columns, stacked; a file's name is its task's.

    Where the caller names a task column, or one is called so, they are parts of one long table.
    """
    whole = stack_tables(tables, case)
    columns = choose_columns(tables[0].frame, asked, case)
    task = find_task(whole, asked.task)
    own = [] if task != TASK else [TASK]
    asked = replace(asked, task=task)
    rows = take_long(whole, [*columns, *own], asked, case.of("The list of files"))
    if task != TASK:
        return replace(rows, layout="parts of one long table")
    found = {"target": rows.target, "layout": FILES}
    return replace(rows, layout="one file per task", understood=found)


def find_task(whole: pd.DataFrame, task: str | None) -> str:
    """The column as asked or by its name, else the one that says which file a row is from."""
    return task or next((c for c in whole.columns if find_role(c) in SURE), TASK)


def stack_tables(tables: Sequence[Table], case: Case) -> pd.DataFrame:
    """All rows of all tables, with a column ``TASK`` for the files that they are from."""
    names = name_tasks_by_file([table.name for table in tables])
    the_list = case.of("The list")
    the_list.check(tasks=len(tables))
    for table in tables:
        if len(table.frame) == 0:
            raise fault(table.name, "has a header but no rows", "leave it out")
    sizes = [len(table.frame) for table in tables]
    the_list.check_shape(sum(sizes), len(tables[0].frame.columns))
    frames = [order_columns(table, tables[0]) for table in tables]
    whole = pd.concat(frames, ignore_index=True)
    whole[TASK] = np.repeat(names, sizes)
    return whole


def name_tasks_by_file(files: list[str]) -> NDArray[Any]:
    """A file's name as its task's, with its folder where files in several are called alike."""
    stems = [find_stem(file) for file in files]
    for names in (stems, [file.rpartition(".")[0] for file in files]):
        if len(set(names)) == len(names):
            return np.array(number_names(names))
    twice = Counter(stems).most_common(1)[0][0]
    what = f"Two files are called {quote(twice)}"
    raise ReadError(what, remedy="a file's name is its task's; rename one")


def order_columns(table: Table, first: Table) -> pd.DataFrame:
    columns, wanted = list(table.frame.columns), list(first.frame.columns)
    if columns == wanted:
        return table.frame
    if odd := set(columns) ^ set(wanted):
        what = f"and {shorten(first.name)} differ in the columns {list_names(sorted(odd))}"
        raise fault(table.name, what, "give all files the same columns")
    return table.frame[wanted]
