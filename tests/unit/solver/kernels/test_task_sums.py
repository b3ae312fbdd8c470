"""The squared loss by sums alone: against rows, fold by fold, and against the descent on rows."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.kernels.clusters import Clusters, cluster_path
from stcmtl.solver.kernels.losses import SQUARED
from stcmtl.solver.normal_equations import (
    NormalEquations,
    Sums,
    sum_fold_normals,
    sum_normal,
)
from tests.unit.problems import random_memberships, random_problem
from tests.unit.twins import Array

D, K, T = 6, 3, 5
V = random_memberships(K, T, seed=1)
PROBLEM = random_problem(SQUARED, True, [7, 9, 8, 12, 10], D)
BOTH = pytest.mark.parametrize("fit_intercept", [True, False])


def design(X: Array, task: Array) -> Array:
    """Rows by entries of U: x_d v_k."""
    return np.einsum("nd,kn->ndk", X, V[:, task]).reshape(len(X), -1)


def test_sums_are_the_loss_of_rows() -> None:
    weight = np.linspace(0.5, 2.0, T)
    normal = NormalEquations.of(sum_normal(PROBLEM, V, weight))
    A, rows = design(PROBLEM.X, PROBLEM.task_of_row), weight[PROBLEM.task_of_row]
    np.testing.assert_allclose(normal.H.reshape(D * K, D * K), 2.0 * (A.T * rows) @ A, atol=1e-12)
    np.testing.assert_allclose(normal.g.ravel(), 2.0 * (A.T * rows) @ PROBLEM.y, atol=1e-12)
    U = np.random.default_rng(0).normal(size=(D, K))
    expected = rows @ (PROBLEM.y - A @ U.ravel()) ** 2
    assert normal.loss(U) == pytest.approx(expected, rel=1e-12)


@BOTH
def test_folds_are_around_the_means_of_the_rows_left(fit_intercept: bool) -> None:
    problem = random_problem(SQUARED, fit_intercept, [7, 9, 8, 12, 10], D)
    fold, task = problem.folds(3, seed=0), problem.task_of_row
    weights = np.random.default_rng(1).uniform(0.5, 2.0, size=(2, 3, T))
    sums = sum_fold_normals(problem, fold, V, weights)
    U = np.random.default_rng(0).normal(size=(D, K))
    residual = problem.y - design(problem.X, task) @ U.ravel()
    for c in range(3):
        held = fold == c
        b = np.zeros(T)
        if fit_intercept:
            b = np.array([residual[(task == i) & ~held].mean() for i in range(T)])
        for side, rows in enumerate((~held, held)):
            expected = weights[side, c][task[rows]] @ (residual - b[task])[rows] ** 2
            found = NormalEquations.of(Sums(*(part[side, c] for part in sums))).loss(U)
            assert found == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("inverse_a", [0.0, 0.5])
def test_descent_takes_the_steps_of_the_descent_on_rows(inverse_a: float) -> None:
    """Stopped early, so that other steps would end elsewhere."""
    levels = np.outer([0.8, 0.3, 0.1], [1.0, 1.5, 0.7])
    normal = NormalEquations.of(sum_normal(PROBLEM, V, 1.0 / PROBLEM.counts))
    path, penalties = normal.descend(np.zeros((D, K)), levels, inverse_a, 1e-3)
    at = Clusters(np.zeros((D, K)), V, np.zeros(T))
    *_, expected = cluster_path(PROBLEM.as_tasks(), at, levels, inverse_a, 1e-3)
    np.testing.assert_allclose(path[-1], at.U, atol=1e-12)
    np.testing.assert_allclose(penalties, expected, atol=1e-12)
    assert np.count_nonzero(path[0]) < np.count_nonzero(path[-1])
