"""Means and spreads of rows that count more or less than one another.

A row of weight 2 counts as if it were there twice. Without weights (None) all is as numpy has it,
to the last bit.
"""

from __future__ import annotations

from typing import Any, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.checks import list_labels
from stcmtl.data.taskset import Array
from stcmtl.errors import Worded

Kind = TypeVar("Kind", bound=np.generic)
MOST_NAMED = 5  # tasks


def count_of(values: Array, weight: Array | None) -> float:
    """Of rows; those of ``values`` are along its last axis."""
    return values.shape[-1] if weight is None else float(weight.sum())


def mean_of(values: Array, weight: Array | None, axis: int = -1) -> Any:
    if weight is None:
        return values.mean(axis=axis)
    return np.average(values, axis=axis, weights=weight)


def std_of(values: Array, weight: Array | None, axis: int = -1) -> Any:
    if weight is None:
        return values.std(axis=axis)
    apart = values - np.expand_dims(mean_of(values, weight, axis), axis)
    return np.sqrt(mean_of(apart**2, weight, axis))


def median_of(values: Array, weight: Array | None) -> float:
    """Halfway between the two in the middle, where the weight before and after is the same."""
    if weight is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    before = np.cumsum(weight[order]) / weight.sum()
    ends = [int(np.searchsorted(before, 0.5, side)) for side in ("left", "right")]
    return float(values[order[np.minimum(ends, values.size - 1)]].mean())


def medians_of_tasks(values: Array, codes: NDArray[np.int64], weight: Array | None) -> Array:
    """Of the values of each task's rows, whose tasks are numbered by ``codes`` from 0."""
    if weight is None:
        return np.asarray(pd.Series(values).groupby(codes).median())
    ends = np.cumsum(np.bincount(codes))
    parts = np.split(np.argsort(codes, kind="stable"), ends[:-1])
    return np.array([median_of(values[part], weight[part]) for part in parts])


def error_of(values: Array, weight: Array | None) -> float:
    """The standard error of the mean."""
    return float(std_of(values, weight) / np.sqrt(count_of(values, weight)))


class IdleTasksWarning(Worded, UserWarning):
    """Tasks of which no row counts have no part in a fit."""

    @classmethod
    def of(cls, names: NDArray[Any]) -> Self:
        many = len(names) > 1
        what = f"{'have' if many else 'has'} no row that counts"
        them = "they are" if many else "it is"
        remedy = f"{them} left out, as all weights there are 0"
        where = f"Task{'s' if many else ''} {list_labels(names, MOST_NAMED)}"
        return cls(what, where=where, remedy=remedy)


def find_idle_tasks(tasks: NDArray[Any], weight: Array | None) -> NDArray[Any]:
    """The names of tasks all of whose rows have a weight of 0."""
    if weight is None or weight.all():
        return tasks[:0]
    idle = ~pd.Index(tasks).isin(pd.Index(tasks[weight > 0.0]))
    return np.asarray(pd.unique(tasks[idle]))


def take(values: NDArray[Kind] | None, rows: Any) -> NDArray[Kind] | None:
    """Of what rows may have, such as weights or folds."""
    return None if values is None else values[rows]
