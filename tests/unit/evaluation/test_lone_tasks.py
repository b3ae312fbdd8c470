"""Tasks that stand alone in their cluster may be outliers, or K too large: they are told."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stcmtl.evaluation import summary
from stcmtl.evaluation.blocks import find_blocks, find_near_one, find_one_with, say_blocks
from stcmtl.evaluation.lone_tasks import find_lone, say_lone
from tests.unit.evaluation.test_blocks import tasks


def with_lone(n_lone: int, *, robust: bool = False, n_tasks: int = 12) -> Any:
    """Two clusters of as many tasks, one of which is mixed, and so many tasks with one each."""
    labels = np.arange(n_tasks) % 2
    labels[n_tasks - n_lone :] = 2 + np.arange(n_lone)
    V = np.eye(2 + n_lone)[labels]
    V[0, :2] = 0.7, 0.3
    return SimpleNamespace(
        memberships_=V, labels_=labels, pure_=V.max(axis=1) == 1.0, shape_="simplex",
        robust=robust, task_names_=np.array([f"t{i + 1:02d}" for i in range(n_tasks)]),
        cluster_coef_=np.ones((V.shape[1], 3)), outliers_=np.zeros(n_tasks, dtype=bool),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("n_lone", "robust", "sentence"),
    [
        (0, False, ""),
        (
            1,
            False,
            "t12 stands alone in its cluster: K may be too large, or it may be an outlier, and a "
            "robust fit can tell",
        ),
        (
            2,
            False,
            "t11 and t12 each stand alone in their cluster: K may be too large, or they may be "
            "outliers, and a robust fit can tell",
        ),
        (
            1,
            True,
            "t12 stands alone in its cluster: K may be too large, or it may be an outlier, though "
            "the robust fit kept it",
        ),
        (4, False, ""),  # a third of the tasks are no exception
    ],
)
def test_a_task_that_is_a_cluster_of_its_own_may_be_an_outlier(
    n_lone: int, robust: bool, sentence: str
) -> None:
    assert say_lone(with_lone(n_lone, robust=robust)) == sentence


def test_a_cluster_that_others_mix_is_none() -> None:
    model = with_lone(1)
    model.memberships_[3] = 0.0, 0.9, 0.1
    assert find_lone(model).size == 0
    model = with_lone(1)
    model.memberships_[11] = 0.48, 0.0, 0.52  # half of it is another cluster's
    assert find_lone(model).size == 0
    assert "of a single task" not in summary.headline(model.memberships_, model.pure_)
    model = with_lone(1)
    model.shape_ = "span"  # where no task needs to be pure
    assert find_lone(model).size == 0


def test_headline_and_doubts_say_so() -> None:
    model = with_lone(2)
    said = summary.headline(model.memberships_, model.pure_, outliers=model.outliers_)
    assert said == "4 clusters, 2 of them of a single task, 11 pure tasks, 1 mixed"
    assert summary.doubts_of(model) == [f"{say_lone(model)}."]
    model = with_lone(4)
    assert len(summary.doubts_of(model)) == 4
    each = np.eye(4)
    assert summary.headline(each, np.ones(4)) == "4 clusters, 4 pure tasks, 0 mixed"


def test_one_task_is_too_few_to_be_one_with_a_cluster() -> None:
    """Its coefficients lie half way to another cluster's, and are no chance of theirs."""
    W = tasks(np.random.default_rng(0), 0.2)
    odd = 0.6 * W[0] + W.std() * np.random.default_rng(1).normal(size=W.shape[1])
    W, labels = np.vstack([W, odd]), np.append(np.arange(18) // 6, 3)
    found = find_blocks(W, labels)
    assert {block.cluster for block in found} == {0, 1, 2}
    assert find_one_with(found) == {}
    model = SimpleNamespace(
        single_task_coef_=W, labels_=labels, pure_=np.ones(19, dtype=bool), shape_="simplex",
        cluster_coef_=np.ones((4, W.shape[1])),
    )  # fmt: skip
    said = say_blocks(model)
    assert said.startswith("3 blocks before the fit")
    assert said.endswith("; left out: 1 cluster with one pure task")
    model.labels_ = np.append(np.zeros(18, dtype=int), 1)
    assert say_blocks(model) == (
        "One block, and 1 cluster with one pure task: one is too few to compare with"
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_task_split_off_its_cluster_leaves_open_what_is_the_clusters_own(seed: int) -> None:
    """The last task is one of the third cluster, or has coefficients of its own."""
    rng = np.random.default_rng(seed)
    W, labels = tasks(rng, 0.5), np.append(np.arange(17) // 6, 3)
    model = SimpleNamespace(
        single_task_coef_=W, labels_=labels, pure_=np.ones(18, dtype=bool), shape_="simplex",
        cluster_coef_=np.ones((4, W.shape[1])),
    )  # fmt: skip
    assert find_near_one(model) == {2: 3}
    W[17] = 3.0 * rng.normal(size=W.shape[1])
    assert find_near_one(model) == {}
    model.labels_ = np.array([0, 0, 1, 1, 1, 1, 2])
    model.single_task_coef_, model.pure_ = W[[0, 1, 6, 7, 8, 9, 17]], np.ones(7, dtype=bool)
    assert find_near_one(model) == {0: 2}  # two tasks are as much like each other
