"""Rows of U under the l1 and the l1,inf norm: against brute force and by their optimality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from stcmtl.baselines.kernels.latent import (
    RowNorms,
    fill_blocks,
    fill_inverse,
    fit_row,
    fit_rows,
    latent_columns,
    open_latent,
    row_objective,
    row_penalty,
    shrink_row,
    solve_like,
)
from stcmtl.solver.kernels.clusters import Clusters
from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.problems import random_problem
from tests.unit.twins import LOSSES, Array

LEVELS = pytest.mark.parametrize(("l1", "linf"), [(0.3, 0.5), (0.0, 0.8), (0.4, 0.0), (0.1, 2.0)])
D, K, T = 12, 3, 5


def shrunk(z: Array, l1: float, linf: float) -> Array:
    u = np.empty(z.size)
    shrink_row(z, l1, linf, u)
    return u


def by_quadratic_programming(C: Array, z: Array, l1: float, linf: float) -> Array:
    """u = p - q with p, q >= 0, and a bound on all of them."""
    n = z.size
    G = np.block([[C, -C], [-C, C]])
    costs = np.append(np.concatenate([l1 - z, l1 + z]), linf)

    def objective(x: Array) -> tuple[float, Array]:
        value = 0.5 * x[:-1] @ G @ x[:-1] + costs @ x
        return float(value), costs + np.append(G @ x[:-1], 0.0)

    below = np.column_stack([-np.eye(n), -np.eye(n), np.ones(n)])
    found = minimize(
        objective, np.zeros(2 * n + 1), jac=True, method="SLSQP",
        bounds=[(0.0, None)] * (2 * n + 1),
        constraints={"type": "ineq", "fun": lambda x: below @ x, "jac": lambda x: below},
        options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    return found.x[:n] - found.x[n:-1]


@LEVELS
@together("size", [1, 2, 5])
def test_proximal_operator(l1: float, linf: float, size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(10):
        z = rng.normal(size=size)
        expected = by_quadratic_programming(np.eye(size), z, l1, linf)
        np.testing.assert_allclose(shrunk(z, l1, linf), expected, atol=1e-6)


def test_proximal_operator_of_each_norm_alone() -> None:
    z = np.array([3.0, -1.0, 2.5, 0.2])
    np.testing.assert_allclose(shrunk(z, 0.5, 0.0), [2.5, -0.5, 2.0, 0.0])
    # the cap cuts 1 off the largest two: (3 - 2.25) + (2.5 - 2.25)
    np.testing.assert_allclose(shrunk(z, 0.0, 1.0), [2.25, -1.0, 2.25, 0.2])
    np.testing.assert_array_equal(shrunk(z, 0.0, np.abs(z).sum()), 0.0)


def random_curvature(size: int, seed: int) -> Array:
    A = np.random.default_rng(seed).normal(size=(size, 2 * size + 5))
    return A @ A.T


@LEVELS
@together("size", [1, 2, 5])
def test_row_by_admm(l1: float, linf: float, size: int) -> None:
    rng = np.random.default_rng(size)
    for seed in range(5):
        C, z = random_curvature(size, seed), 2.0 * rng.normal(size=size)
        u = rng.normal(size=size)
        fit_row(C, z, l1, linf, u)
        expected = by_quadratic_programming(C, z, l1, linf)
        np.testing.assert_allclose(u, expected, rtol=1e-4, atol=1e-5)
        assert row_objective(C, z, l1, linf, u) == pytest.approx(
            0.5 * u @ C @ u - z @ u + l1 * np.abs(u).sum() + linf * np.abs(u).max(), abs=1e-12
        )


@LEVELS
@together("size", [1, 2, 5])
def test_row_by_what_is_zero_and_what_is_largest(l1: float, linf: float, size: int) -> None:
    """From the minimum it is found to the last digits; from other patterns, never wrongly."""
    rng, found = np.random.default_rng(size), 0
    for seed in range(20):
        C, z, u = random_curvature(size, seed), 5.0 * rng.normal(size=size), np.empty(size)
        best = by_quadratic_programming(C, z, l1, linf)
        best = np.where(np.abs(best) > 1e-6, best, 0.0)
        cap = np.abs(best).max()
        like = np.where(np.abs(best) > cap - 1e-6, np.sign(best) * cap, best)
        if like.any():
            assert solve_like(C, z, l1, linf, like, u)
            found += 1
            np.testing.assert_allclose(u, best, atol=1e-5)
            moved = u + z - C @ u
            np.testing.assert_allclose(shrunk(moved, l1, linf), u, atol=1e-12)
        if solve_like(C, z, l1, linf, rng.choice([-1.0, 0.5, 1.0], size=size), u):
            np.testing.assert_allclose(u, best, atol=1e-5)
    assert found > 5
    assert not solve_like(np.zeros((size, size)), np.ones(size), l1, linf, np.ones(size), u)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_end_where_their_proximal_operator_leaves_them(loss: int, fit_intercept: bool) -> None:
    problem = random_problem(loss, fit_intercept)
    V = np.random.default_rng(2).normal(size=(K, T))
    U, b, f, l1, linf = np.zeros((D, K)), np.zeros(T), np.zeros(problem.y.size), 0.1, 0.1
    tasks, values = problem.as_tasks(), []
    latent = open_latent(tasks, K)
    for _ in range(30):
        penalty = fit_rows(tasks, Clusters(U, V, b), latent, f, RowNorms(l1, linf), 1e-14, 300)
        values.append(problem.total_loss(f) + penalty)
    expected = l1 * np.abs(U).sum() + linf * np.abs(U).max(axis=1).sum()
    assert penalty == pytest.approx(expected)
    assert row_penalty(U, RowNorms(l1, linf)) == pytest.approx(expected)
    assert (np.diff(values) <= 1e-12).all()
    np.testing.assert_allclose(f, problem.predictions(U @ V, b), atol=1e-12)
    np.testing.assert_allclose(latent.Z, (problem.X @ U).T, atol=1e-12)
    e, _ = twins.pull_and_stiffness(loss, problem.y, f, problem.weight)
    slopes = twins.cluster_slopes(problem.X, e, V, problem.starts)
    for u, slope in zip(U, slopes, strict=True):
        np.testing.assert_allclose(shrunk(u + slope, l1, linf), u, atol=1e-5)
    assert 0 < np.count_nonzero(U) < U.size
    if fit_intercept:
        sums = np.add.reduceat(e, problem.starts[:-1])
        np.testing.assert_allclose(sums, 0.0, atol=1e-6)


def test_a_step_that_would_overshoot_is_cut() -> None:
    """Far out on the logistic loss the model is flat."""
    problem = random_problem(LOGISTIC)
    V = np.ones((1, T))
    U = np.full((D, 1), 3.0)
    b, f = np.zeros(T), problem.predictions(U @ V, np.zeros(T))
    norms, tasks = RowNorms(1e-3, 0.0), problem.as_tasks()
    latent = open_latent(tasks, 1)
    before = problem.total_loss(f) + row_penalty(U, norms)
    for _ in range(20):
        penalty = fit_rows(tasks, Clusters(U, V, b), latent, f, norms, 1e-12, 5)
        after = problem.total_loss(f) + penalty
        assert after <= before
        before = after
    np.testing.assert_allclose(f, problem.predictions(U @ V, b), atol=1e-9)
    np.testing.assert_allclose(latent.Z, (problem.X @ U).T, atol=1e-9)


def test_curvature_of_every_row() -> None:
    problem = random_problem(SQUARED)
    V = np.random.default_rng(3).normal(size=(K, T))
    V[0, 1] = 0.0
    squares, blocks = open_latent(problem.as_tasks(), K).squares, np.empty((D, K, K))
    h = 2.0 * problem.weight[:, None]
    expected = np.add.reduceat(h * problem.X**2, problem.starts[:-1]).T
    np.testing.assert_allclose(squares, expected, rtol=1e-12)
    fill_blocks(squares, V, blocks)
    np.testing.assert_allclose(blocks, np.einsum("dt,kt,mt->dkm", squares, V, V), atol=1e-12)


def test_inverse_of_a_small_matrix() -> None:
    C, inverse = random_curvature(4, 0), np.empty((4, 4))
    fill_inverse(C, 0.7, inverse)
    np.testing.assert_allclose(inverse, np.linalg.inv(C + 0.7 * np.eye(4)), atol=1e-14)


def test_latent_columns() -> None:
    problem = random_problem(SQUARED)
    U = np.random.default_rng(0).normal(size=(D, K))
    U[3] = 0.0
    Z = np.empty((K, problem.y.size))
    latent_columns(problem.X, U, Z)
    np.testing.assert_allclose(Z, (problem.X @ U).T, atol=1e-12)
