"""What resamples say, in a table and in words."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stcmtl.evaluation.trust import say_doubts, say_trust, trust_table


def make(kept: Any, pure_in: Any, pure: Any) -> tuple[Any, Any]:
    """Tasks of two clusters in turn, of which the last is an outlier."""
    T = len(kept)
    labels = np.arange(T) % 2
    labels[-1] = -1
    V = np.where(labels[:, None] >= 0, np.eye(2)[labels] * 0.6 + 0.2, 0.0)
    model = SimpleNamespace(
        labels_=labels, memberships_=V, pure_=np.array(pure, dtype=bool), shape_="simplex",
        task_names_=np.array([f"t{i}" for i in range(T)]),
        cluster_coef_=np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]),
    )  # fmt: skip
    found = SimpleNamespace(
        kept=np.array(kept, dtype=float), pure=np.array(pure_in, dtype=float),
        lower=V - 0.1, upper=V + 0.1, selected=np.array([[1.0, 0.2, 0.4], [0.0, 0.95, 0.0]]),
    )  # fmt: skip
    return model, found


def test_the_table_has_the_main_cluster_s_share_and_its_interval() -> None:
    table = trust_table(*make([1, 0.5, 1, 0], [1, 0, 1, 0], [1, 0, 1, 0]))
    assert table["main cluster"].tolist() == ["cluster 1", "cluster 2", "cluster 1", "none"]
    np.testing.assert_allclose(table["share"], [0.8, 0.8, 0.8, np.nan])
    np.testing.assert_allclose(table["from"], [0.7, 0.7, 0.7, np.nan])
    np.testing.assert_allclose(table["to"], [0.9, 0.9, 0.9, np.nan])
    assert table["stays in"].tolist()[:3] == [1, 0.5, 1]


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([1, 0.9, 1, 0], "Resamples agree: no task leaves its cluster in more than 10% of them"),
        ([1, 0.6, 1, 0], "Resamples agree on most tasks: 1 of 3 tasks may belong elsewhere"),
        ([0.5, 0.6, 1, 0], "Resamples disagree: 2 of 3 tasks may belong elsewhere"),
    ],
)
def test_the_headline_counts_tasks_that_move(kept: Any, said: str) -> None:
    assert say_trust(*make(kept, [1, 1, 1, 0], [1, 1, 1, 0])) == said


def test_doubts_are_named() -> None:
    said = say_doubts(*make([1, 0.6, 0.5, 0], [0.2, 1, 1, 0], [1, 0, 1, 0]))
    assert said == [
        "Keep their cluster least often: t2 (50%) and t1 (60%).",
        "1 task called pure is mixed in most resamples.",
        "1 task called mixed is pure in most resamples.",
        "1 of 3 chosen coefficients is zero in most resamples.",
    ]


def test_without_clusters_nothing_moves() -> None:
    model, found = make([0, 0], [0, 0], [0, 0])
    model.cluster_coef_ = np.zeros((0, 3))
    assert say_trust(model, found) == "Without clusters there is nothing that could move"
