"""The U step: against brute force, against scikit-learn, and by its optimality conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LogisticRegression

from stcmtl.solver.centers import predictions
from stcmtl.solver.kernels.clusters import Clusters, cluster_path, set_concavity
from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.problem import Problem
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.problems import correlated_rows, random_memberships, random_problem
from tests.unit.twins import LOSSES, Array

BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)
L1, MCP = 0.0, 0.5
D, K, T = 12, 3, 5
PURE = np.eye(K)[[0, 1, 2, 1, 0]].T.copy()
MIXED = random_memberships(K, T, seed=1)


def solve(
    problem: Problem,
    V: Array,
    levels: Array,
    inverse_a: float = L1,
    weight: Array | None = None,
    start: tuple[Array, Array] | None = None,
    tol: float = 1e-13,
) -> tuple[Array, Array, Array, float]:
    """(U, b, predictions at every step, penalty) of ``cluster_path``, from zero by default."""
    U, b = np.zeros((problem.n_features, len(V))), np.zeros(V.shape[1])
    if start is not None:
        U, b = start[0].copy(), start[1].copy()
    at, levels = (
        Clusters(U, np.ascontiguousarray(V), b),
        np.ascontiguousarray(np.atleast_2d(levels)),
    )
    path, B, penalty = cluster_path(problem.as_tasks(weight), at, levels, inverse_a, tol)
    F = np.stack([predictions(problem, u, V, shift) for u, shift in zip(path, B, strict=True)])
    return U, b, F, penalty


def slopes(problem: Problem, V: Array, f: Array, weight: Array | None = None) -> Array:
    weight = problem.weight if weight is None else weight
    e, _ = twins.pull_and_stiffness(problem.loss, problem.y, f, weight)
    return twins.cluster_slopes(problem.X, e, V, problem.starts)


class TestPureMemberships:
    """Then every cluster is a problem of its own, on the stacked rows of its tasks."""

    levels = np.array([0.15, 0.3, 0.08])

    @BOTH
    def test_squared_loss_is_a_lasso_for_every_cluster(self, fit_intercept: bool) -> None:
        problem = random_problem(SQUARED, fit_intercept)
        U, b, _, _ = solve(problem, PURE, self.levels)
        y = problem.y.copy()
        if fit_intercept:  # X is centred within tasks already
            y -= (np.bincount(problem.task_of_row, y) / problem.n_rows)[problem.task_of_row]
        for k in range(K):
            rows = PURE[k, problem.task_of_row] == 1.0
            weight = problem.weight[rows]
            lasso = Lasso(
                self.levels[k] / (2 * weight.sum()), fit_intercept=False, tol=1e-14, max_iter=10**5
            ).fit(problem.X[rows], y[rows], sample_weight=weight)
            np.testing.assert_allclose(U[:, k], lasso.coef_, atol=1e-5)
            assert 0 < np.count_nonzero(lasso.coef_) < D
        assert fit_intercept or not b.any()

    def test_logistic_loss_is_a_logistic_regression_for_every_cluster(self) -> None:
        problem = random_problem(LOGISTIC, fit_intercept=False)
        U, _, _, _ = solve(problem, PURE, self.levels)
        for k in range(K):
            rows = PURE[k, problem.task_of_row] == 1.0
            model = LogisticRegression(
                C=1.0 / self.levels[k], l1_ratio=1.0, fit_intercept=False, solver="liblinear",
                tol=1e-10, max_iter=10**5,
            ).fit(problem.X[rows], problem.y[rows], sample_weight=problem.weight[rows])  # fmt: skip
            np.testing.assert_allclose(U[:, k], model.coef_[0], atol=1e-3)
            ours, theirs = (
                problem.weight[rows]
                @ twins.row_losses(LOGISTIC, problem.y[rows], problem.X[rows] @ u)
                + self.levels[k] * np.abs(u).sum()
                for u in (U[:, k], model.coef_[0])
            )
            assert ours == pytest.approx(theirs, rel=1e-6)
            assert U[:, k].any()


class TestOptimality:
    levels = np.array([0.2, 0.35, 0.1])

    @EITHER_LOSS
    @BOTH
    @together("seed", range(3))
    def test_l1(self, loss: int, fit_intercept: bool, seed: int) -> None:
        problem, V = random_problem(loss, fit_intercept, seed=seed), random_memberships(K, T, seed)
        U, b, F, penalty = solve(problem, V, self.levels)
        f = twins.predict_clusters(problem.X, U, V, b, problem.starts)
        np.testing.assert_allclose(F[-1], f, atol=1e-10)
        assert twins.optimality_gap(slopes(problem, V, f), U, self.levels) < 1e-4
        assert penalty == pytest.approx((np.abs(U) * self.levels).sum(), rel=1e-12)
        assert 0 < np.count_nonzero(U) < U.size
        assert fit_intercept or not b.any()

    @EITHER_LOSS
    @together("seed", range(3))
    def test_intercepts_balance_every_task(self, loss: int, seed: int) -> None:
        problem, V = random_problem(loss, seed=seed), random_memberships(K, T, seed)
        _, _, F, _ = solve(problem, V, self.levels, MCP)
        e, _ = twins.pull_and_stiffness(loss, problem.y, F[-1], problem.weight)
        np.testing.assert_allclose(np.bincount(problem.task_of_row, e), 0.0, atol=1e-6)

    @EITHER_LOSS
    @together("seed", range(3))
    def test_mcp_is_stationary(self, loss: int, seed: int) -> None:
        problem, V = random_problem(loss, seed=seed), random_memberships(K, T, seed)
        U, _, F, penalty = solve(problem, V, self.levels, MCP)
        concavity = np.empty((D, K))
        set_concavity(problem.squares, problem.loss, V, MCP, concavity)
        gap = twins.optimality_gap(slopes(problem, V, F[-1]), U, self.levels, concavity)
        assert gap < 1e-4
        assert penalty == pytest.approx(twins.penalty_value(U, self.levels, concavity), rel=1e-9)
        reach = np.abs(U) * concavity > self.levels
        assert reach.any()  # coefficients that are not shrunk at all
        assert (U == 0.0).any()

    def test_large_coefficients_are_not_shrunk_by_the_mcp(self) -> None:
        """The oracle property: with clear signals it is least squares on the support."""
        X = correlated_rows(200, 6, seed=6, correlation=0.0)
        y = X[:, 0] * 5.0 - X[:, 3] * 4.0 + 0.1 * np.random.default_rng(7).normal(size=200)
        problem = Problem.build(X, y, np.repeat([0, 1], 100), SQUARED, False)
        U, _, _, _ = solve(problem, np.ones((1, 2)), np.array([0.5]), MCP)
        expected = np.linalg.lstsq(X[:, [0, 3]], y, rcond=None)[0]
        np.testing.assert_allclose(U[[0, 3], 0], expected, atol=1e-6)
        np.testing.assert_array_equal(U[[1, 2, 4, 5], 0], 0.0)


class TestPath:
    levels = np.geomspace(1.0, 0.05, 6)[:, None] * np.array([1.0, 1.5, 0.7])

    @EITHER_LOSS
    @BOTH
    def test_ends_where_a_cold_start_does(self, loss: int, fit_intercept: bool) -> None:
        problem = random_problem(loss, fit_intercept)
        U, b, F, _ = solve(problem, MIXED, self.levels)
        for step in range(6):
            U_cold, b_cold, F_cold, _ = solve(problem, MIXED, self.levels[step])
            np.testing.assert_allclose(F[step], F_cold[0], atol=2e-5)
        np.testing.assert_allclose(U, U_cold, atol=1e-5)
        np.testing.assert_allclose(b, b_cold, atol=1e-5)

    @EITHER_LOSS
    def test_all_zero_above_the_largest_slope(self, loss: int) -> None:
        problem = random_problem(loss)
        null = problem.weight * problem.null_pull
        largest = np.abs(twins.cluster_slopes(problem.X, null, MIXED, problem.starts)).max(axis=0)
        assert not solve(problem, MIXED, largest * (1 + 1e-6))[0].any()
        assert solve(problem, MIXED, largest * 0.99)[0].any(axis=0).all()

    @EITHER_LOSS
    def test_rows_of_weight_zero_might_as_well_not_be_there(self, loss: int) -> None:
        problem = random_problem(loss)
        kept = np.arange(problem.y.size) % 4 != 1
        U, b, F, _ = solve(problem, MIXED, self.levels, weight=np.where(kept, problem.weight, 0.0))
        sizes = np.bincount(problem.task_of_row[kept])
        smaller = replace(
            problem,
            X=np.asfortranarray(problem.X[kept]),
            y=problem.y[kept],
            starts=np.concatenate([[0], np.cumsum(sizes)]),
        )
        fewer = solve(smaller, MIXED, self.levels, weight=problem.weight[kept])
        np.testing.assert_allclose(U, fewer[0], atol=1e-6)
        np.testing.assert_allclose(b, fewer[1], atol=1e-6)
        np.testing.assert_allclose(F[:, kept], fewer[2], atol=1e-5)
        # and are predicted all the same
        f = twins.predict_clusters(problem.X, U, MIXED, b, problem.starts)
        np.testing.assert_allclose(F[-1], f, atol=1e-9)

    @EITHER_LOSS
    def test_zero_columns_stay_zero(self, loss: int) -> None:
        problem = random_problem(loss)
        problem.X[:, 3] = 0.0
        U, _, _, _ = solve(problem, MIXED, self.levels)
        np.testing.assert_array_equal(U[3], 0.0)
        assert np.isfinite(U).all()

    @EITHER_LOSS
    def test_an_empty_cluster_stays_zero_and_the_rest_does_not_mind(self, loss: int) -> None:
        problem = random_problem(loss)
        without = random_memberships(2, T, seed=9)
        V = np.vstack([without[0], np.zeros(T), without[1]])
        U, b, _, _ = solve(problem, V, self.levels)
        two = solve(problem, without, self.levels[:, [0, 2]])
        np.testing.assert_array_equal(U[:, 1], 0.0)
        np.testing.assert_allclose(U[:, [0, 2]], two[0], atol=1e-6)
        np.testing.assert_allclose(b, two[1], atol=1e-6)

    @EITHER_LOSS
    def test_identical_clusters_share_their_coefficients(self, loss: int) -> None:
        problem, level = random_problem(loss), 0.1
        one, _, _, penalty = solve(problem, np.ones((1, T)), np.array([level]))
        halves, _, _, same = solve(problem, np.full((2, T), 0.5), np.full(2, level / 2))
        np.testing.assert_allclose(halves.mean(axis=1), one[:, 0], atol=1e-5)
        assert same == pytest.approx(penalty, rel=1e-5)
