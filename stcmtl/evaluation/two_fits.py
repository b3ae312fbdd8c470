"""Two fits of the same tasks side by side: clusters matched, and what moved between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.errors import InputError
from stcmtl.evaluation.tables import cluster_names, task_kinds
from stcmtl.phrases import counted
from stcmtl.solver.alignment import match_clusters, pad_clusters

NONE = "none"


@dataclass(frozen=True, eq=False)
class Moves:
    """What two fits say of the tasks that both have, in the order of the later one.

    ``before`` and ``after`` are memberships (K, T) in one order of clusters, that of the later
    fit; where one has fewer clusters, empty ones fill the gap. ``earlier`` and ``later`` are the
    places of these tasks in either model. ``table`` has one row per task: main cluster and kind
    before and now, and the share of membership that moved.
    """

    task_names: NDArray[Any]
    cluster_names: list[str]
    before: Array
    after: Array
    earlier: NDArray[np.intp]
    later: NDArray[np.intp]
    table: pd.DataFrame

    @property
    def changed(self) -> NDArray[np.bool_]:
        """Tasks with another main cluster."""
        return (self.table["cluster before"] != self.table["main cluster"]).to_numpy()


def compare_fits(earlier: Any, later: Any) -> Moves:
    """Match the clusters of an earlier fit to those of a later one, by their common tasks."""
    places = pd.Index(earlier.task_names_).get_indexer(pd.Index(later.task_names_))
    after_rows = np.flatnonzero(places >= 0)
    before_rows = places[after_rows]
    if after_rows.size < 2:
        raise InputError("The two fits have no tasks in common", remedy="compare fits of one file")
    V0, V1 = earlier.memberships_[before_rows].T, later.memberships_[after_rows].T
    K = max(len(V0), len(V1))
    before, after = pad_clusters(V0, K), pad_clusters(V1, K)
    order = match_clusters(before, after) if K else np.arange(0)
    called = cluster_names(earlier) + [""] * (K - len(V0))
    extra = [f"{called[p]} before" for p in order[len(V1) :]]
    names, before = cluster_names(later) + extra, before[order]
    kinds = [
        task_kinds(model)[rows] for model, rows in ((earlier, before_rows), (later, after_rows))
    ]
    table = pd.DataFrame(
        {
            "task": later.task_names_[after_rows],
            "cluster before": name_main(before, names),
            "main cluster": name_main(after, names),
            "kind before": kinds[0],
            "kind": kinds[1],
            "moved": np.abs(after - before).sum(axis=0) / 2,
        }
    )
    return Moves(
        later.task_names_[after_rows], names, before, after, before_rows, after_rows, table
    )


def name_main(V: Array, names: list[str]) -> list[str]:
    if not len(V):
        return [NONE] * V.shape[1]
    main = np.where(V.any(axis=0), V.argmax(axis=0), len(names))
    return [[*names, NONE][k] for k in main]


def say_moves(moves: Moves) -> str:
    """The headline: how many tasks changed their cluster, or their kind alone."""
    T, n_changed = len(moves.table), int(moves.changed.sum())
    turned = moves.table["kind before"] != moves.table["kind"]
    n_turned = int((turned & ~moves.changed).sum())
    if not n_changed and not n_turned:
        return f"All {counted(T, 'task')} stay in their cluster, pure or mixed as before"
    turn = "turns" if n_turned == 1 else "turn"
    if not n_changed:
        return f"All {counted(T, 'task')} stay in their cluster; {n_turned:,} {turn} pure or mixed"
    change = "changes its" if n_changed == 1 else "change their"
    said = f"{n_changed:,} of {counted(T, 'task')} {change} cluster"
    return f"{said}, {n_turned:,} more {turn} pure or mixed" if n_turned else said
