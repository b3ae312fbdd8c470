"""Sweeps by the Gram matrix are those over the rows, to rounding."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.kernels.gram import minimise_by_gram, open_gram, use_features
from stcmtl.solver.kernels.losses import SQUARED
from stcmtl.solver.kernels.single import Point, Task, descend_task, l1_path, start_task
from tests.unit.problems import correlated_rows, targets
from tests.unit.solver.kernels.one_task import largest_slope, objective, one_task, sklearn_fit
from tests.unit.twins import Array

N, D = 40, 30
LEVEL = 0.1


def rows(fit_intercept: bool) -> Task:
    X = correlated_rows(N, D, seed=1) + 0.5
    weight = np.random.default_rng(2).uniform(0.5, 1.5, N) / N
    return one_task(X, targets(X, SQUARED, seed=3) + 2.0, SQUARED, fit_intercept, weight)


def by_gram(task: Task, working: Array, sweeps: int, room: int = D) -> Point:
    at, _ = start_task(task)
    gram = open_gram(room, N)._replace(place=np.full(D, -1))
    assert use_features(gram, task.columns, at.h, working)
    minimise_by_gram(gram, task, at, LEVEL, working, 1e-14, sweeps)
    return at


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("sweeps", [1, 2, 5, 1000])
def test_the_same_sweeps_in_the_same_order(fit_intercept: bool, sweeps: int) -> None:
    task, working = rows(fit_intercept), np.arange(1, D, 3)
    at, _ = start_task(task)
    descend_task(task, at, LEVEL, working, 1e-14, sweeps)
    found = by_gram(task, working, sweeps)
    assert np.count_nonzero(found.w) > 2
    for name in ("w", "b", "e"):
        np.testing.assert_allclose(getattr(found, name), getattr(at, name), rtol=0, atol=1e-13)


def test_products_are_of_any_two_in_use_by_stiffness() -> None:
    task = rows(True)
    at, _ = start_task(task)
    gram = open_gram(D, N)
    assert use_features(gram, task.columns, at.h, np.array([4, 2]))
    assert use_features(gram, task.columns, at.h, np.array([2, 7]))
    X = task.columns[[4, 2, 7]]
    assert gram.features[: gram.n_used[0]].tolist() == [4, 2, 7]
    assert gram.place[[4, 2, 7, 5]].tolist() == [0, 1, 2, -1]
    np.testing.assert_allclose(gram.products[:3, :3], X * at.h @ X.T, rtol=1e-13)
    np.testing.assert_allclose(gram.sums[:3], X @ at.h, rtol=1e-12)


def test_those_no_longer_wanted_make_room() -> None:
    task = rows(True)
    at, _ = start_task(task)
    gram = open_gram(4, N)._replace(place=np.full(D, -1))
    assert use_features(gram, task.columns, at.h, np.array([0, 1, 2]))
    assert use_features(gram, task.columns, at.h, np.array([2, 5, 9]))
    assert np.flatnonzero(gram.place >= 0).tolist() == [2, 5, 9]
    assert not use_features(gram, task.columns, at.h, np.arange(5))


def test_more_features_than_there_is_room_for_go_by_rows() -> None:
    """The first level is so low that strong rules leave nobody out; 90 have room."""
    X = np.random.default_rng(4).normal(size=(20, 200))
    y = X[:, :3].sum(axis=1)
    level = 0.3 * largest_slope(SQUARED, X, y, True)
    W, b = l1_path(one_task(X, y, SQUARED), np.array([level]), 1e-13)
    expected = objective(SQUARED, X, y, *sklearn_fit(SQUARED, X, y, level, True), level)
    assert objective(SQUARED, X, y, W[0], b[0], level) == pytest.approx(expected, rel=1e-6)
