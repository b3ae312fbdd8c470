"""Which rows are held out together: a number of folds, a splitter, or labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data import checks as check
from stcmtl.data.labels import one_per_row
from stcmtl.errors import InputError, Setting, bad_value
from stcmtl.estimators.base import Table


def resolve_folds(cv: Any, table: Table) -> tuple[int, NDArray[np.int64] | None]:
    """The number of folds, and the fold of every row if it is given."""
    if hasattr(cv, "get_n_splits") and not isinstance(cv, type):
        fold = split_tasks(cv, table)
    elif not isinstance(cv, (list, tuple)) and np.ndim(cv) == 0:
        return check_number(cv), None
    else:
        n_rows = table.codes.size if table.kept is None else table.kept.size
        labels = label_splits(cv, n_rows) if are_splits(cv) else one_per_row(cv, "cv")
        if table.kept is not None and labels.size == table.kept.size:
            labels = labels[table.kept]
        if labels.size != table.codes.size:
            raise InputError(
                f"has {labels.size} labels for {table.codes.size} rows",
                where=Setting("cv"),
                remedy="give the fold of every row",
            )
        if pd.isna(labels).any():
            raise InputError(
                "has missing labels", where=Setting("cv"), remedy="give the fold of every row"
            )
        fold = np.unique(labels, return_inverse=True)[1]
    check_folds(fold, table)
    return int(fold.max()) + 1, fold


def check_number(cv: Any) -> int:
    if not check.is_whole(cv):
        others = "a splitter such as KFold(5), the fold of every row, or a list of pairs of rows"
        raise bad_value("cv", cv, f"it must be a whole number of 2 or more, {others}")
    return check.check_integer(cv, "cv", 2)


def are_splits(cv: Any) -> bool:
    """Pairs of training and held-out rows, as scikit-learn's splitters make them."""
    pairs = isinstance(cv, Sequence) and len(cv) > 0
    return pairs and all(isinstance(pair, tuple) and len(pair) == 2 for pair in cv)


def label_splits(splits: Sequence[tuple[Any, Any]], n_rows: int) -> NDArray[np.int64]:
    """The fold in which each row is held out."""
    times, fold = np.zeros(n_rows, dtype=int), np.zeros(n_rows, dtype=int)
    for c, (_, held_out) in enumerate(splits):
        try:
            times[held_out] += 1
            fold[held_out] = c
        except (IndexError, ValueError):
            raise InputError(
                f"has a pair, number {c}, that does not tell which rows are held out",
                where=Setting("cv"),
                remedy=f"give pairs of row numbers from 0 to {n_rows - 1}, as splitters do",
            ) from None
    if (times != 1).any():
        row = int((times != 1).argmax())
        raise InputError(
            f"holds row {row} out {'never' if times[row] == 0 else f'{times[row]} times'}",
            where=Setting("cv"),
            remedy="hold every row out once",
        )
    return fold


def split_tasks(splitter: Any, table: Table) -> NDArray[np.int64]:
    """The splitter's folds of each task's rows, in their order."""
    fold = np.full(table.codes.size, -1)
    for i, name in enumerate(table.names):
        rows = np.flatnonzero(table.codes == i)
        where = f"the {rows.size} rows of task {check.label(name)}"
        try:
            parts = [part for _, part in splitter.split(table.X[rows], table.y[rows])]
            times = np.zeros(rows.size, dtype=int)
            for c, held_out in enumerate(parts):
                times[held_out] += 1
                fold[rows[held_out]] = c
        except Exception as error:  # whatever a splitter of somebody else's raises
            raise splitter_fault(splitter, where, error) from error
        if (times != 1).any():
            how = "a row is held out twice" if (times > 1).any() else "some rows are never held out"
            raise InputError(
                f"cannot split {where} ({how})",
                where=Setting("cv"),
                remedy="give a splitter that holds out every row once, such as KFold",
            )
    return fold


def splitter_fault(splitter: Any, where: str, error: Exception) -> InputError:
    """Of one that cannot split the rows of a task alone, because of their number, or because it
    needs groups or all rows.
    """
    labels = "as cv, pass the fold of every row, or pairs: list(splitter.split(X, y, groups))"
    name = type(splitter).__name__
    if isinstance(error, ValueError) and "group" not in str(error):
        reason = " ".join(str(error).split()).rstrip(".")
        what, remedy = f"cannot split {where} ({reason})", f"give one that can, or {labels}"
    elif "group" in str(error):
        what, remedy = f"is {name}, which cannot split {where} without groups", labels
    else:
        what, remedy = f"is {name}, which cannot split {where} on their own", labels
    return InputError(what, where=Setting("cv"), remedy=remedy)


def check_folds(fold: NDArray[np.int64], table: Table) -> None:
    """Every task has rows in two folds at least."""
    held = np.zeros((len(table.names), int(fold.max()) + 1), dtype=bool)
    held[table.codes, fold] = True
    for name in table.names[held.sum(axis=1) < 2]:
        raise InputError(
            f"has all rows of task {check.label(name)} in one fold",
            where=Setting("cv"),
            remedy="spread the rows of every task over two folds or more",
        )
