"""Tasks that stand alone in their cluster: what an outlier becomes where a fit may add a cluster,
and what K too large makes of any task.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.phrases import listed

FEW = 0.25  # of the tasks: of more, single ones are no exception


def lone_clusters(V: Array) -> NDArray[np.bool_]:
    """Clusters (K,) in which one task alone has a share, and has no other, among others in which
    several have; ``V`` (T, K) are memberships.
    """
    n_sharing, is_pure = np.count_nonzero(V, axis=0), np.count_nonzero(V, axis=1) == 1
    alone = (n_sharing == 1) & V[is_pure].any(axis=0)
    return alone if (n_sharing > 1).any() else np.zeros_like(alone)


def find_lone(model: Any) -> NDArray[np.intp]:
    """Tasks that may be outliers: each stands alone in its cluster, and they are few."""
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
    stand, may = "each stand alone in their cluster", "they may be outliers"
    if tasks.size == 1:
        stand, may = "stands alone in its cluster", "it may be an outlier"
    them = "it" if tasks.size == 1 else "them"
    told = f"though the robust fit kept {them}" if model.robust else "and a robust fit can tell"
    return f"{who} {stand}: K may be too large, or {may}, {told}"
