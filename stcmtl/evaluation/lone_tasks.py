"""Tasks that are a cluster of their own: what an outlier becomes where a fit may add a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.phrases import listed

FEW = 0.25  # of the tasks: of more, single ones are no exception


def lone_clusters(V: Array) -> NDArray[np.bool_]:
    """Clusters (K,) in which one task alone has a share, among others in which several have;
    ``V`` (T, K) are memberships.
    """
    n_sharing = np.count_nonzero(V, axis=0)
    alone = n_sharing == 1
    return alone if (n_sharing > 1).any() else np.zeros_like(alone)


def find_lone(model: Any) -> NDArray[np.intp]:
    """Tasks that may be outliers: each is a cluster of its own, and they are few."""
    V = model.memberships_
    if model.shape_ == "span" or V.shape[1] < 2:
        return np.zeros(0, dtype=np.intp)
    tasks = np.sort(V[:, lone_clusters(V)].argmax(axis=0))
    return tasks if tasks.size <= FEW * len(V) else tasks[:0]


def say_lone(model: Any) -> str:
    """Which tasks these are, without a full stop; empty where there are none."""
    tasks = find_lone(model)
    if not tasks.size:
        return ""
    who = listed(model.task_names_[tasks].tolist(), 5)
    are, may = "are each a cluster of their own", "they may be outliers"
    if tasks.size == 1:
        are, may = "is a cluster of its own", "it may be an outlier"
    them = "it" if tasks.size == 1 else "them"
    told = f"though the robust fit kept {them}" if model.robust else "and a robust fit can tell"
    return f"{who} {are}: {may}, {told}"
