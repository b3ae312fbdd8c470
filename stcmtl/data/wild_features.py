"""Values of features that are out of all proportion to the rest of their column: slips, maybe.

A slip stands alone. A column with long tails has ever larger values, none of which is far from the
next; and where all are positive, logarithms tell a few that are a thousand times the median from
what such a column is like. Columns in which half of the values are one (indicators, counts that
are mostly zero) or that have few different ones tell nothing of what is usual.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array

FAR = 20.0  # robust standard deviations from the median
FAR_IN_LOGS = 8.0  # the same of logarithms
ALONE = 20.0  # times as far from the median as any other value
ALONE_IN_LOGS = 3.0  # the same of logarithms
MOST = 3  # values of a column: of more, it is what the column is like
FEWEST_ROWS, FEWEST_VALUES = 12, 8  # different ones, to know what is usual
UNLIKELY = 8.0  # standard deviations: a column without a value so far out is not looked at
NORMAL = 1.4826  # standard deviations in a median absolute deviation


class Wild(NamedTuple):
    """A value, where it stands, and the ends of all others of its column."""

    row: int
    feature: int
    value: float
    low: float
    high: float


def find_wild(X: Array) -> list[Wild]:
    """Of rows x features, column by column."""
    n_rows = len(X)
    if n_rows < FEWEST_ROWS:
        return []
    middle, spread = X.mean(axis=0), X.std(axis=0)
    reach = np.maximum(X.max(axis=0) - middle, middle - X.min(axis=0))
    doubtful = reach > min(UNLIKELY, 0.5 * np.sqrt(n_rows)) * spread
    return [
        Wild(int(i), int(d), float(X[i, d]), *ends)
        for d in np.flatnonzero(doubtful & (spread > 0.0))
        for rows, ends in [wild_rows_of(X[:, d])]
        for i in rows
    ]


def wild_rows_of(x: Array) -> tuple[NDArray[np.intp], tuple[float, float]]:
    """Places of wild values in a column x (n,), and the ends of all others."""
    nothing = np.zeros(0, dtype=np.intp), (float(x.min()), float(x.max()))
    if len(np.unique(x)) < FEWEST_VALUES:
        return nothing
    far, sd = distances(x)
    order = np.argsort(far)
    ratios = far[order[-MOST:]] / np.maximum(far[order[-MOST - 1 : -1]], np.finfo(float).tiny)
    if not sd or not (alone := np.flatnonzero(ratios >= ALONE)).size:
        return nothing
    wild = order[len(order) - MOST + alone[0] :]
    if far[wild].min() < FAR * sd:
        return nothing
    if (x > 0.0).all():
        far, sd = distances(np.log(x))
        most = np.delete(far, wild).max()
        if far[wild].min() < max(FAR_IN_LOGS * sd, ALONE_IN_LOGS * most):
            return nothing
    others = np.delete(x, wild)
    return np.sort(wild), (float(others.min()), float(others.max()))


def distances(x: Array) -> tuple[Array, float]:
    """From the median, and a robust standard deviation."""
    far = np.abs(x - np.median(x))
    return far, NORMAL * float(np.median(far))
