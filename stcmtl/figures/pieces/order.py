"""Orders in which tasks and features are drawn, and which of them when there are too many."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Index = NDArray[np.intp]


def main_clusters(V: ArrayLike) -> NDArray[np.intp]:
    """The cluster with a task's largest share, from 0; K for a task without any, an outlier."""
    V = np.asarray(V, dtype=float)
    return np.where(V.any(axis=0), V.argmax(axis=0), len(V))


def pure_or_given(V: ArrayLike, pure: ArrayLike | None) -> NDArray[np.bool_]:
    """The tasks called pure, or where nobody says so those that belong to one cluster alone."""
    V = np.asarray(V, dtype=float)
    return V.max(axis=0) >= 1.0 - 1e-9 if pure is None else np.asarray(pure, dtype=bool)


def tasks_by_cluster(
    V: ArrayLike, pure: ArrayLike | None = None, purity: ArrayLike | None = None
) -> Index:
    """Tasks by main cluster, pure ones first, then by falling purity; outliers last.

    Parameters
    ----------
    V : array of shape (K, T)
        Memberships; `model.memberships_.T` of a fitted model.
    pure : array of T flags, optional
        By default the tasks with a single cluster.
    purity : array of T scores, optional
        By default a task's largest share.
    """
    V = np.asarray(V, dtype=float)
    score = V.max(axis=0) if purity is None else np.asarray(purity, dtype=float)
    return np.lexsort((-score, ~pure_or_given(V, pure), main_clusters(V)))


def features_by_cluster(U: ArrayLike) -> Index:
    """Features by the cluster in which they weigh most, strongest first; unused ones last."""
    strength = np.abs(np.asarray(U, dtype=float))
    largest = strength.max(axis=1)
    cluster = np.where(largest > 0, strength.argmax(axis=1), strength.shape[1])
    return np.lexsort((-largest, cluster))


def features_by_selection(W: ArrayLike) -> Index:
    """Features by the number of tasks that use them, then by their largest coefficient."""
    W = np.asarray(W, dtype=float)
    return np.lexsort((-np.abs(W).max(axis=1), -np.count_nonzero(W, axis=1)))


def evenly(order: ArrayLike, most: int) -> Index:
    """At most so many of an order, evenly spaced along it, so that groups keep their shares."""
    order = np.asarray(order, dtype=np.intp)
    if len(order) <= most:
        return order
    return order[np.linspace(0, len(order) - 1, most).round().astype(int)]


def left_out(n_tasks: int, n_shown: int) -> list[str]:
    """What to say of tasks that `evenly` left out."""
    if n_shown == n_tasks:
        return []
    return [f"Shown: {n_shown} of {n_tasks:,} tasks, evenly spaced in this order."]


def runs(values: ArrayLike) -> list[tuple[int, int, int]]:
    """Stretches of equal values as (value, first place, place after the last)."""
    values = np.asarray(values)
    starts = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    return [(int(values[a]), int(a), int(b)) for a, b in pairwise([*starts, len(values)])]
