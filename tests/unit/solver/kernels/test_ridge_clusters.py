"""Cluster coefficients under a ridge: against normal equations, and against scipy."""

import numpy as np
import pytest

from stcmtl.solver.centers import RIDGE, predictions
from stcmtl.solver.kernels.clusters import Clusters, cluster_path
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from tests.unit import twins
from tests.unit.problems import random_memberships, random_problem
from tests.unit.twins import LOSSES, Array

BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
LEVELS = np.array([[3.0, 1.0, 2.0], [0.3, 0.1, 0.2], [0.01, 0.02, 0.03]])
SIMPLEX = random_memberships(3, 5, seed=1)
SIGNED = np.random.default_rng(2).normal(size=(3, 5))


def design(problem: Problem, V: Array) -> Array:
    """(N, D K): the predictions are design @ U.ravel() + b."""
    rows = problem.X[:, :, None] * V.T[problem.task_of_row][:, None, :]
    return rows.reshape(len(rows), -1)


def path(problem: Problem, V: Array, levels: Array, tol: float) -> tuple[Array, Array, Array]:
    """The last U; predictions and penalty at every level."""
    at = Clusters(np.zeros((problem.n_features, len(V))), V, np.zeros(problem.n_tasks))
    U, B, penalty = cluster_path(problem.as_tasks(), at, levels, RIDGE, tol)
    F = np.stack([predictions(problem, u, V, b) for u, b in zip(U, B, strict=True)])
    return at.U, F, penalty


@BOTH
@pytest.mark.parametrize("V", [SIMPLEX, SIGNED], ids=["simplex", "signed"])
def test_squared_loss_is_the_normal_equations(V: Array, fit_intercept: bool) -> None:
    """Rows of a task are centred, so its intercept is 0."""
    problem = random_problem(SQUARED, fit_intercept)
    A = design(problem, V)
    gram, pull = 2.0 * (A.T * problem.weight) @ A, 2.0 * A.T @ (problem.weight * problem.y)
    U, F, penalty = path(problem, V, LEVELS, 1e-14)
    for step, levels in enumerate(LEVELS):
        ridge = np.tile(levels, problem.n_features)
        u = np.linalg.solve(gram + np.diag(ridge), pull)
        np.testing.assert_allclose(F[step], A @ u, atol=2e-5)
        assert penalty[step] == pytest.approx(0.5 * ridge @ u**2, rel=1e-4)
    np.testing.assert_allclose(U.ravel(), u, atol=2e-4)


@BOTH
def test_logistic_loss_against_a_general_minimiser(fit_intercept: bool) -> None:
    problem, levels = random_problem(LOGISTIC, fit_intercept), LEVELS[1:2]
    D, T = problem.n_features, problem.n_tasks
    A, task = design(problem, SIGNED), problem.task_of_row
    ridge = np.tile(levels[0], D)

    def predict(point: Array) -> Array:
        return A @ point[: 3 * D] + point[3 * D :][task]

    def value(point: Array) -> float:
        loss = twins.total_loss(LOGISTIC, problem.y, predict(point), problem.weight)
        return loss + 0.5 * float(ridge @ point[: 3 * D] ** 2)

    def gradient(point: Array) -> Array:
        e, _ = twins.pull_and_stiffness(LOGISTIC, problem.y, predict(point), problem.weight)
        return np.concatenate([ridge * point[: 3 * D] - A.T @ e, -np.bincount(task, e)])

    free = (None, None) if fit_intercept else (0.0, 0.0)
    bounds = [(None, None)] * (3 * D) + [free] * T
    expected, smallest = twins.minimise(value, gradient, np.zeros(3 * D + T), bounds)
    U, F, penalty = path(problem, SIGNED, levels, 1e-12)
    np.testing.assert_allclose(U.ravel(), expected[: 3 * D], atol=1e-4)
    np.testing.assert_allclose(F[0], predict(expected), atol=1e-4)
    assert problem.total_loss(F[0]) + penalty[0] == pytest.approx(smallest, rel=1e-8)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_coefficient_is_zero_and_an_empty_cluster_has_none(loss: int) -> None:
    V = np.vstack([SIMPLEX[:2], np.zeros(5)])
    U, _, _ = path(random_problem(loss), V, LEVELS[:1], 1e-8)
    assert U[:, :2].all()
    assert not U[:, 2].any()
