"""The U step: against brute force, against scikit-learn, and by its optimality conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LogisticRegression

from stcmtl.kernels.clusters import (
    block_curvature,
    cluster_path,
    descend_clusters,
    penalised_minimum,
    predict_clusters,
    set_concavity,
    shift_intercepts,
    strong_rule,
    sweep_clusters,
)
from stcmtl.kernels.losses import LOGISTIC, SQUARED
from stcmtl.problem import Problem
from tests.unit import twins
from tests.unit.problems import correlated_rows, random_memberships, random_problem
from tests.unit.twins import LOSSES, Array, Indices

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
    F, penalty = cluster_path(
        problem.X, problem.y, problem.weight if weight is None else weight, U,
        np.ascontiguousarray(V), b, problem.starts, np.ascontiguousarray(np.atleast_2d(levels)),
        inverse_a, problem.loss, problem.fit_intercept, tol,
    )  # fmt: skip
    return U, b, F, penalty


def slopes(problem: Problem, V: Array, f: Array, weight: Array | None = None) -> Array:
    weight = problem.weight if weight is None else weight
    e, _ = twins.pull_and_stiffness(problem.loss, problem.y, f, weight)
    return twins.cluster_slopes(problem.X, e, V, problem.starts)


class TestParts:
    @pytest.fixture
    def rows(self) -> tuple[Array, Array, Array, Indices]:
        """X with a zero column, a pull and stiffnesses with held-out rows, and five tasks."""
        X = correlated_rows(40, 7, seed=2)
        X[:, 4] = 0.0
        rng = np.random.default_rng(3)
        h = rng.uniform(0.1, 1.0, 40) * (np.arange(40) % 6 > 0)
        return X, 3.0 * h * rng.normal(size=40), h, np.array([0, 5, 15, 22, 33, 40])

    @pytest.mark.parametrize("V", [PURE, MIXED], ids=["pure", "mixed"])
    def test_block_curvature(self, rows: tuple[Array, Array, Array, Indices], V: Array) -> None:
        X, _, h, starts = rows
        out = np.full((7, K, K), np.nan)
        block_curvature(X, h, V, starts, out)
        np.testing.assert_allclose(out, twins.block_curvature(X, h, V, starts), atol=1e-13)

    @pytest.mark.parametrize(("loss", "stiffness"), [(SQUARED, 2.0), (LOGISTIC, 0.125)])
    def test_concavity_is_a_share_of_a_fixed_curvature(self, loss: int, stiffness: float) -> None:
        problem, V = random_problem(loss), random_memberships(K, T, 0)
        concavity = np.empty((D, K))
        set_concavity(problem.X, problem.weight, V, problem.starts, 0.5, loss, concavity)
        full = twins.block_curvature(problem.X, stiffness * problem.weight, V, problem.starts)
        np.testing.assert_allclose(concavity, 0.5 * np.einsum("dkk->dk", full))

    @pytest.mark.parametrize("z", [-3.0, -1.2, -0.6, -0.1, 0.0, 0.4, 0.51, 0.9, 1.01, 5.0])
    @pytest.mark.parametrize(
        ("curvature", "bend"), [(1.0, 0.0), (1.0, 0.5), (2.5, 2.0), (0.3, 0.1)]
    )
    def test_penalised_minimum_is_the_minimum(
        self, z: float, curvature: float, bend: float
    ) -> None:
        found = penalised_minimum(z, curvature, 0.5, bend)
        assert found == pytest.approx(twins.penalised_minimum(z, curvature, 0.5, bend), abs=1e-6)
        assert abs(z) > 0.5 or found == 0.0

    @pytest.mark.parametrize("z", [0.4, 0.7, 1.5])
    def test_a_bend_beyond_the_curvature_is_a_hard_threshold(self, z: float) -> None:
        found = penalised_minimum(z, 1.0, 0.5, 3.0)
        assert found in (0.0, z)
        assert found == pytest.approx(twins.penalised_minimum(z, 1.0, 0.5, 3.0), abs=1e-6)

    @pytest.mark.parametrize("V", [PURE, MIXED], ids=["pure", "mixed"])
    @pytest.mark.parametrize("inverse_a", [L1, MCP], ids=["l1", "mcp"])
    @pytest.mark.parametrize("left_out", [[], [1, 3]], ids=["all", "some"])
    def test_sweep_matches_its_twin(
        self,
        rows: tuple[Array, Array, Array, Indices],
        V: Array,
        inverse_a: float,
        left_out: list[int],
    ) -> None:
        X, e, h, starts = rows
        rng = np.random.default_rng(4)
        U = rng.normal(size=(7, K)) * (rng.uniform(size=(7, K)) < 0.4)
        U[[1, 4]] = 0.0
        before, levels = U.copy(), np.array([0.3, 0.8, 1.5])
        chosen, left = ~np.isin(np.arange(7), left_out), np.full((7, K), np.inf)
        curvature = twins.block_curvature(X, h, V, starts)
        concavity = inverse_a * np.einsum("dkk->dk", curvature)
        expected = twins.sweep_clusters(X, e, h, U, V, starts, levels, concavity, chosen)
        largest = sweep_clusters(X, e, h, curvature, concavity, U, V, starts, levels, chosen, left)
        np.testing.assert_allclose(U, expected[0], atol=1e-6)
        np.testing.assert_allclose(e, expected[1], atol=1e-6)
        assert largest == pytest.approx(expected[2], rel=1e-5)
        np.testing.assert_array_equal(U[left_out], before[left_out])
        assert np.isinf(left[left_out]).all()
        # no feature after the last can have changed its slopes
        np.testing.assert_allclose(left[-1], twins.cluster_slopes(X, e, V, starts)[-1], atol=1e-12)

    def test_descent_ends_at_the_optimum(self, rows: tuple[Array, Array, Array, Indices]) -> None:
        X, e, h, starts = rows
        pull, U, b, levels = e.copy(), np.zeros((7, K)), np.zeros(T), np.array([0.3, 0.8, 1.5])
        curvature = twins.block_curvature(X, h, MIXED, starts)
        nothing, left = np.zeros(7, dtype=np.bool_), np.full((7, K), np.nan)  # chosen at first
        descend_clusters(
            X, e, h, curvature, np.zeros((7, K)), U, MIXED, b, starts, levels, nothing, left,
            True, 1e-22,
        )  # fmt: skip
        remaining = pull - h * twins.predict_clusters(X, U, MIXED, b, starts)
        np.testing.assert_allclose(e, remaining, atol=1e-9)
        expected = twins.cluster_slopes(X, remaining, MIXED, starts)
        assert twins.optimality_gap(expected, U, levels) < 1e-8
        np.testing.assert_allclose(left, expected, atol=1e-8)
        np.testing.assert_allclose(np.add.reduceat(remaining, starts[:-1]), 0.0, atol=1e-9)
        assert 0 < np.count_nonzero(U) < U.size

    def test_strong_rule(self) -> None:
        """Features in use, or with a slope of at least 2 level - previous in some cluster."""
        U = np.array([[0.0, 0.0], [0.0, -1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
        slopes = np.array([[0.5, 0.21], [0.0, 0.0], [-0.61, 0.0], [0.59, 0.19], [np.inf, 0.0]])
        levels, previous = np.array([0.8, 0.4]), np.array([1.0, 0.6])  # thresholds 0.6 and 0.2
        chosen = strong_rule(U, slopes, levels, previous)
        assert chosen.tolist() == [True, True, True, False, True]

    def test_intercepts_of_all_tasks(self, rows: tuple[Array, Array, Array, Indices]) -> None:
        _, e, h, starts = rows
        h[starts[2] : starts[3]] = e[starts[2] : starts[3]] = 0.0  # a task held out altogether
        before, b = e.copy(), np.arange(5.0)
        shift_intercepts(e, h, starts, b)
        sums = np.add.reduceat(np.stack([before, h]), starts[:-1], axis=1)
        steps = np.divide(sums[0], sums[1], out=np.zeros(5), where=sums[1] > 0)
        np.testing.assert_allclose(b, np.arange(5.0) + steps, rtol=1e-12)
        np.testing.assert_allclose(e, before - h * steps[twins.task_of_row(starts)], atol=1e-13)

    def test_predictions(self, rows: tuple[Array, Array, Array, Indices]) -> None:
        X, _, _, starts = rows
        rng = np.random.default_rng(5)
        U, b, f = rng.normal(size=(7, K)), rng.normal(size=5), np.full(40, np.nan)
        U[2] = 0.0
        predict_clusters(X, U, MIXED, b, starts, f)
        np.testing.assert_allclose(f, twins.predict_clusters(X, U, MIXED, b, starts), rtol=1e-11)


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
    @pytest.mark.parametrize("seed", range(3))
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
    @pytest.mark.parametrize("seed", range(3))
    def test_intercepts_balance_every_task(self, loss: int, seed: int) -> None:
        problem, V = random_problem(loss, seed=seed), random_memberships(K, T, seed)
        _, _, F, _ = solve(problem, V, self.levels, MCP)
        e, _ = twins.pull_and_stiffness(loss, problem.y, F[-1], problem.weight)
        np.testing.assert_allclose(np.bincount(problem.task_of_row, e), 0.0, atol=1e-6)

    @EITHER_LOSS
    @pytest.mark.parametrize("seed", range(3))
    def test_mcp_is_stationary(self, loss: int, seed: int) -> None:
        problem, V = random_problem(loss, seed=seed), random_memberships(K, T, seed)
        U, _, F, penalty = solve(problem, V, self.levels, MCP)
        concavity = np.empty((D, K))
        set_concavity(problem.X, problem.weight, V, problem.starts, MCP, loss, concavity)
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

    @EITHER_LOSS
    def test_no_better_point_nearby(self, loss: int) -> None:
        problem = random_problem(loss)
        U, b, F, penalty = solve(problem, MIXED, self.levels)
        best = twins.total_loss(loss, problem.y, F[-1], problem.weight) + penalty
        rng = np.random.default_rng(8)
        for scale in (1e-3, 1e-2, 0.1, 1.0):
            for _ in range(10):
                moved = U + scale * rng.normal(size=U.shape) * (rng.uniform(size=U.shape) < 0.3)
                f = twins.predict_clusters(
                    problem.X, moved, MIXED, b + scale * rng.normal(size=T), problem.starts
                )
                value = twins.total_loss(loss, problem.y, f, problem.weight)
                assert value + (np.abs(moved) * self.levels).sum() > best - 1e-9


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
    def test_a_solution_stays_where_it_is(self, loss: int) -> None:
        problem = random_problem(loss)
        U, b, _, _ = solve(problem, MIXED, self.levels[-1])
        again = solve(problem, MIXED, self.levels[-1], start=(U, b))
        np.testing.assert_allclose(again[0], U, atol=1e-5)
        np.testing.assert_allclose(again[1], b, atol=1e-5)

    @EITHER_LOSS
    def test_all_zero_above_the_largest_slope(self, loss: int) -> None:
        problem = random_problem(loss)
        null = problem.weight * problem.null_pull
        largest = np.abs(twins.cluster_slopes(problem.X, null, MIXED, problem.starts)).max(axis=0)
        assert not solve(problem, MIXED, largest * (1 + 1e-6))[0].any()
        assert solve(problem, MIXED, largest * 0.99)[0].any(axis=0).all()

    @EITHER_LOSS
    @pytest.mark.parametrize("inverse_a", [L1, MCP], ids=["l1", "mcp"])
    def test_rows_of_weight_zero_have_no_influence(self, loss: int, inverse_a: float) -> None:
        problem = random_problem(loss)
        held_out = np.arange(problem.y.size) % 4 == 1
        weight = np.where(held_out, 0.0, problem.weight)
        U, b, _, _ = solve(problem, MIXED, self.levels, inverse_a, weight)
        rows = problem.X.copy(order="F")
        rows[held_out] += 100.0
        y = np.where(held_out, -problem.y, problem.y)
        other = replace(problem, X=rows, y=y)
        U_other, b_other, _, _ = solve(other, MIXED, self.levels, inverse_a, weight)
        np.testing.assert_allclose(U_other, U, atol=1e-6)
        np.testing.assert_allclose(b_other, b, atol=1e-6)
        assert np.count_nonzero(U) > 5

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
