"""Two fits of the same tasks: clusters are matched before anything is said to have moved."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stcmtl.evaluation.two_fits import compare_fits, say_moves


def fit(V: Any, names: Any = None, pure: Any = None) -> SimpleNamespace:
    """A model that has memberships (T, K), all on the simplex."""
    V = np.asarray(V, dtype=float)
    T, K = V.shape
    found = V.max(axis=1, initial=0.0) >= 1.0
    return SimpleNamespace(
        memberships_=V, task_names_=np.array(names or [f"t{i}" for i in range(T)]),
        pure_=found if pure is None else np.asarray(pure), cluster_coef_=np.zeros((K, 2)),
        outliers_=np.zeros(T, dtype=bool), labels_=V.argmax(axis=1) if K else np.full(T, -1),
        shape_="simplex", own_="none", n_features_in_=2,
    )  # fmt: skip


ONE = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0.5, 0.5]]


def test_other_numbers_of_the_same_clusters_are_no_move() -> None:
    moves = compare_fits(fit(ONE), fit(np.roll(ONE, 1, axis=1)))
    np.testing.assert_array_equal(moves.before, moves.after)
    assert not moves.changed.any()
    assert say_moves(moves) == "All 6 tasks stay in their cluster, pure or mixed as before"


def test_what_moved_is_told() -> None:
    other = np.array(ONE, dtype=float)[:, [2, 0, 1]]
    other[2] = [1, 0, 0]  # from the second cluster, now the third, to the third, now the first
    other[4] = [0.8, 0.2, 0]  # stays, and is mixed now
    moves = compare_fits(fit(ONE), fit(other))
    table = moves.table.set_index("task")
    assert moves.changed.tolist() == [False, False, True, False, False, False]
    assert table.loc["t2", ["cluster before", "main cluster"]].tolist() == [
        "cluster 3",
        "cluster 1",
    ]
    assert table["moved"].tolist() == pytest.approx([0, 0, 1, 0, 0.2, 0])
    assert table.loc["t4", ["kind before", "kind"]].tolist() == ["pure", "mixed"]
    assert say_moves(moves) == "1 of 6 tasks changes its cluster, 1 more turns pure or mixed"


def test_a_cluster_that_is_gone_has_its_name() -> None:
    fewer = np.array(ONE, dtype=float)
    fewer = np.column_stack([fewer[:, 0], fewer[:, 1] + fewer[:, 2]])
    moves = compare_fits(fit(ONE), fit(fewer))
    assert moves.cluster_names[:2] == ["cluster 1", "cluster 2"]
    assert moves.cluster_names[2].endswith("before")
    assert moves.before.shape == moves.after.shape == (3, 6)
    assert not moves.after[2].any()
    more = compare_fits(fit(fewer), fit(ONE))
    assert more.cluster_names == ["cluster 1", "cluster 2", "cluster 3"]
    assert more.before.sum() == 6


def test_tasks_are_matched_by_name() -> None:
    later = fit(ONE[1:][::-1], names=["t5", "t4", "t3", "t2", "new"])
    moves = compare_fits(fit(ONE), later)
    assert moves.task_names.tolist() == ["t5", "t4", "t3", "t2"]
    assert moves.earlier.tolist() == [5, 4, 3, 2]
    assert moves.later.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(moves.before, moves.after)


def test_without_common_tasks_there_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="no tasks in common"):
        compare_fits(fit(ONE), fit(ONE, names=list("abcdef")))


def test_without_clusters_nobody_is_anywhere() -> None:
    moves = compare_fits(fit(np.zeros((3, 0))), fit(np.zeros((3, 0))))
    assert moves.table["main cluster"].tolist() == ["none"] * 3
