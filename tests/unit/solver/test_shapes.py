"""The refinement on the cone and in the span: the convention of scale, starts, prices, rounds."""

from functools import cache

import numpy as np
import pytest

from stcmtl.solver.algorithm1 import solve
from stcmtl.solver.centers import L1, MCP, Penalty, penalty_scale
from stcmtl.solver.centers import RIDGE as RIDGE_ON_U
from stcmtl.solver.kernels.clusters import Clusters, cluster_path
from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.memberships import (
    SHAPES,
    support_penalty,
    support_shares,
    update_memberships,
    usual_squares,
)
from stcmtl.solver.penalty_choice import (
    LEVEL_RATIO,
    LOWEST_LEVEL,
    choose_penalty,
    descend_levels,
    path_start_of,
)
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Initial, Settings
from stcmtl.solver.refinement import (
    MAX_ROUNDS,
    choose_start,
    fix_scale,
    refit,
    rotated_loadings,
    soup_of_directions,
    varimax,
)
from stcmtl.solver.single_task import initialise
from tests.unit import twins
from tests.unit.problems import random_problem, simulated
from tests.unit.twins import LOSSES, Array

FREE = pytest.mark.parametrize("shape", ["cone", "span"])


def random_loadings(shape: str, K: int = 3, T: int = 20, seed: int = 0) -> Array:
    """With zeros; each cluster has tasks."""
    rng = np.random.default_rng(seed)
    V = rng.normal(size=(K, T)) * rng.uniform(0.2, 5.0, (K, 1))
    V = np.where(rng.uniform(size=(K, T)) < 0.4, 0.0, V)
    V[:, :K] += np.eye(K)
    return np.abs(V) if shape == "cone" else V


class TestScale:
    @FREE
    @pytest.mark.parametrize("seed", range(3))
    def test_the_same_product_and_tasks_of_strength_one_on_average(
        self, shape: str, seed: int
    ) -> None:
        V, U = random_loadings(shape, seed=seed), np.random.default_rng(9).normal(size=(6, 3))
        scaled_U, scaled_V = fix_scale(U, V)
        np.testing.assert_allclose(scaled_U @ scaled_V, U @ V, rtol=1e-9, atol=1e-12)
        strength = np.abs(scaled_V).sum(axis=0)
        assert strength[strength > 0].mean() == pytest.approx(1.0)
        squares = [np.mean(row[row != 0.0] ** 2) for row in scaled_V]
        np.testing.assert_allclose(squares, squares[0])
        assert (scaled_V.sum(axis=1) > 0).all()
        np.testing.assert_array_equal(scaled_V == 0.0, V == 0.0)

    def test_pure_tasks_of_each_cluster_are_alike(self) -> None:
        V = np.array([[2.0, 4.0, 0.0, 0.0], [0.0, 0.0, -0.1, -0.2]])
        _, scaled = fix_scale(np.ones((1, 2)), V)
        np.testing.assert_allclose(scaled, [[2 / 3, 4 / 3, 0, 0], [0, 0, 2 / 3, 4 / 3]], rtol=1e-9)

    def test_a_pattern_that_is_always_a_minor_part_stays_of_ordinary_size(self) -> None:
        V = np.vstack([np.linspace(1.0, 3.0, 9), np.full(9, 1e-6)])
        U, scaled = fix_scale(np.ones((1, 2)), V)
        assert np.abs(scaled).sum(axis=0).mean() == pytest.approx(1.0)
        assert np.abs(U).max() < 10.0

    def test_an_empty_cluster_and_a_task_of_none_do_no_harm(self) -> None:
        V = np.array([[2.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
        U, scaled = fix_scale(np.ones((1, 2)), V)
        np.testing.assert_allclose(scaled, [[2 / 3, 4 / 3, 0], [0, 0, 0]], rtol=1e-9)
        np.testing.assert_allclose(U[0, 0], 3.0)
        assert np.isfinite(U).all()

    def test_loadings_whose_squares_are_no_numbers(self) -> None:
        V = np.array([[2.0, 4.0, 0.0], [0.0, 0.0, 1e-200]])
        U, scaled = fix_scale(np.ones((1, 2)), V)
        np.testing.assert_allclose(U * scaled.T[[0, 2]].sum(axis=0), [[2.0, 1e-200]], rtol=1e-9)
        assert np.abs(scaled).sum(axis=0).mean() == pytest.approx(1.0)


class TestVarimax:
    def test_finds_the_axes_on_which_each_row_has_one_entry(self) -> None:
        rng = np.random.default_rng(0)
        pure = np.eye(4)[np.arange(40) % 4] * rng.uniform(1.0, 2.0, (40, 1))
        turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        found = pure @ turn @ varimax(pure @ turn)
        assert (np.sum(np.abs(found) > 1e-3, axis=1) == 1).all()

    def test_is_a_rotation(self) -> None:
        R = varimax(np.random.default_rng(0).normal(size=(30, 5)))
        np.testing.assert_allclose(R.T @ R, np.eye(5), atol=1e-12)

    def test_of_one_column_and_of_nothing(self) -> None:
        assert abs(varimax(np.ones((5, 1))).item()) == 1.0
        np.testing.assert_allclose(np.abs(varimax(np.zeros((5, 2)))), np.eye(2))


class TestStarts:
    def test_turned_singular_vectors_find_patterns_of_few_features_or_tasks_of_few_patterns(
        self,
    ) -> None:
        rng = np.random.default_rng(1)
        few, many = (
            np.kron(np.eye(3), rng.uniform(1.0, 2.0, (1, 8))),
            np.linalg.qr(rng.normal(size=(24, 3)))[0].T,
        )
        for W, place, true in ((few.T @ many, 0, many), (many.T @ few, 1, few)):
            V = rotated_loadings(W, 3)[place]
            np.testing.assert_allclose((V**2).mean(axis=1), 1.0)
            alike = np.abs(V @ true.T) / np.sqrt(24) / np.linalg.norm(true, axis=1)
            np.testing.assert_allclose(np.sort(alike, axis=1), [[0, 0, 1]] * 3, atol=1e-3)

    def test_there_may_be_fewer_than_clusters(self) -> None:
        for V in rotated_loadings(np.ones((2, 6)), 4):
            assert V.shape == (4, 6)
            assert np.isfinite(V).all()
            assert not V[2:].any()

    def test_directions_find_shares_and_lengths_strengths(self) -> None:
        rng = np.random.default_rng(2)
        centers = np.array([[3.0, 0, 0, 0], [0, 3.0, 0, 0]]).T
        strength = rng.uniform(0.5, 4.0, 20)
        cluster = np.arange(20) % 2
        W = centers[:, cluster] * strength + 0.01 * rng.normal(size=(4, 20))
        V = soup_of_directions(W, Settings(n_clusters=2))
        np.testing.assert_array_equal(V.argmax(axis=0) == V[:, 0].argmax(), cluster == 0)
        total = V.sum(axis=0)
        np.testing.assert_allclose(total / total.mean(), strength / strength.mean(), rtol=0.02)

    def test_tasks_without_coefficients_have_a_start_too(self) -> None:
        W = np.zeros((4, 9))
        assert np.isfinite(soup_of_directions(W, Settings(n_clusters=2))).all()
        W[0, :3] = 1.0
        assert np.isfinite(soup_of_directions(W, Settings(n_clusters=2))).all()


class TestPrices:
    def test_a_loading_costs_one_and_rare_sizes_more(self) -> None:
        shares = np.array([0.5, 0.3, 0.2])
        for shape in ("cone", "span"):
            expected = [0.0, *(np.arange(1, 4) - 2.0 * np.log(shares))]
            np.testing.assert_allclose(support_penalty(50, shares, SHAPES[shape]), expected)

    def test_shares_of_tasks_by_their_number_of_clusters(self) -> None:
        V = np.array([[0.0, -1.0, 2.0, 0.0], [0.0, 0.0, -3.0, 0.5]])
        np.testing.assert_allclose(support_shares(V), [3 / 6, 2 / 6])

    def test_usual_squares_are_of_loadings_that_are_there(self) -> None:
        V = np.array([[0.0, -1.0, 2.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
        np.testing.assert_allclose(usual_squares(V), [2.5, 9.0, 1e-12])

    @FREE
    @pytest.mark.parametrize("loss", LOSSES)
    def test_every_task_gets_the_best_support(self, shape: str, loss: int) -> None:
        """Under a normal prior of the loadings, as wide as those before."""
        sim, problem = simulated(loss, n_tasks=6, noise=0.3, scale=2.0)
        noise, shares = (0.09 if loss == SQUARED else 1.0), np.full(3, 1 / 3)
        start = random_loadings(shape, T=6)
        V, _ = update_memberships(
            problem, sim.truth.U, start, np.zeros(6), noise, shares, SHAPES[shape]
        )
        Z, scale = problem.X @ sim.truth.U, 1.0 / noise if loss == SQUARED else 2.0
        prior = np.array([np.square(row[row != 0.0]).mean() for row in start])
        for i in range(6):
            rows, n = problem.rows(i), problem.n_rows[i]
            scores = {}
            for support in twins.supports(3):
                # deviance + v^2 / prior, in units of the mean loss
                part, _, value = twins.fit_loadings(
                    Z[rows][:, support], problem.y[rows], problem.weight[rows], loss, True,
                    2.0 / (scale * n * prior[support]), shape == "cone",
                )  # fmt: skip
                size = np.count_nonzero(part)
                price = size - 2.0 * np.log(shares[size - 1]) if size else 0.0
                scores[scale * n * value + price] = (support, part)
            support, part = scores[min(scores)]
            expected = np.zeros(3)
            expected[support] = part
            np.testing.assert_allclose(V[:, i], expected, atol=2e-3)


@cache
def strengths(loss: int = SQUARED) -> tuple[Problem, Initial, Array]:
    """Tasks of two clusters, each with a strength or (every third) a sign of its own."""
    rng = np.random.default_rng(0)
    T, D, n = 16, 12, 60
    U = np.zeros((D, 2))
    U[:4, 0], U[4:8, 1] = (1.5, -1.0, 1.0, 0.8), (1.0, 1.2, -1.5, 0.7)
    V = (
        np.eye(2)[:, np.arange(T) % 2]
        * rng.uniform(0.4, 2.5, T)
        * np.where(np.arange(T) % 3, 1, -1)
    )
    X, codes = rng.normal(size=(T * n, D)), np.repeat(np.arange(T), n)
    f = np.einsum("nd,dn->n", X, (U @ V)[:, codes])
    y = f + 0.3 * rng.normal(size=T * n)
    if loss == LOGISTIC:
        y = np.where(rng.uniform(size=T * n) < 1.0 / (1.0 + np.exp(-2.0 * f)), 1.0, -1.0)
    problem = Problem.build(X, y, codes, loss, True)
    return problem, initialise(problem, 4, 0), U @ V


class TestRounds:
    @FREE
    @pytest.mark.parametrize("loss", LOSSES)
    def test_states_keep_to_the_shape_and_the_convention(self, shape: str, loss: int) -> None:
        problem, initial, _ = strengths(loss)
        settings = Settings(n_clusters=3, shape=shape, n_folds=3)
        rounds = [s for s in solve(problem, initial, settings) if s.stage == "refine"]
        assert 1 <= len(rounds) <= MAX_ROUNDS[shape]
        for state in rounds:
            assert (state.V.min() >= 0.0) == (shape == "cone")
            np.testing.assert_array_equal(state.W, state.U @ state.V)
            np.testing.assert_array_equal(state.pure, np.count_nonzero(state.V, axis=0) == 1)
            strength = np.abs(state.V).sum(axis=0)
            assert strength[strength > 0].mean() == pytest.approx(1.0)
            squares = [np.mean(row[row != 0.0] ** 2) for row in state.V if row.any()]
            np.testing.assert_allclose(squares, squares[0])

    def test_the_span_finds_strengths_and_signs(self) -> None:
        problem, initial, W = strengths()
        errors = {}
        for shape in SHAPES:
            *_, last = solve(problem, initial, Settings(n_clusters=2, shape=shape, n_folds=3))
            errors[shape] = np.sqrt(np.square(last.W - W).mean())
        assert errors["span"] < 0.05
        assert errors["cone"] > 3.0 * errors["span"]
        assert errors["simplex"] > 3.0 * errors["span"]

    @pytest.mark.parametrize("loss", LOSSES)
    def test_dense_patterns_have_a_ridge_and_no_zeros(self, loss: int) -> None:
        problem, initial, _ = strengths(loss)
        settings = Settings(n_clusters=2, shape="span", ridge=3.0, n_folds=3)
        *_, last = solve(problem, initial, settings)
        assert last.penalty == "ridge"
        assert (last.U != 0.0).all()

    def test_a_penalty_that_is_known_is_kept(self) -> None:
        problem, initial, _ = strengths()
        for name, inverse_a in (("l1", L1), ("mcp", MCP), ("ridge", RIDGE_ON_U)):
            settings = Settings(n_clusters=2, shape="span", penalty=(0.2, inverse_a), n_folds=3)
            *_, last = solve(problem, initial, settings)
            assert (last.gamma, last.penalty) == (0.2, name)

    def test_starts_are_of_the_shape(self) -> None:
        problem, initial, _ = strengths()
        V = np.full((2, 16), 0.5)
        for shape in SHAPES:
            found = choose_start(problem, initial, V, Settings(n_clusters=2, shape=shape)).V
            if shape == "simplex":
                np.testing.assert_allclose(found.sum(axis=0), 1.0)
            assert (found.min() < 0.0) == (shape == "span")


class TestRidgeOnU:
    @pytest.mark.parametrize("loss", LOSSES)
    def test_is_chosen_for_dense_patterns_at_the_level_that_predicts_best(self, loss: int) -> None:
        problem = random_problem(loss, sizes=(40, 40, 40))
        V, fold = np.ones((1, 3)), problem.folds(4, 0)
        chosen = choose_penalty(problem, V, fold, dense=True)
        assert chosen.name == "ridge"

        def held_out(level: float) -> float:
            total = 0.0
            for c in range(4):
                weight = problem.training_weight(fold == c)
                w = pooled_ridge(problem, weight, level)
                f = problem.X @ w[:-3] + w[-3:][problem.task_of_row]
                total += twins.row_losses(loss, problem.y, f)[fold == c].sum()
            return total

        at = held_out(chosen.level)
        assert at <= 1.002 * min(
            held_out(chosen.level * factor) for factor in (0.25, 0.5, 2.0, 4.0)
        )

    @pytest.mark.parametrize("level", [0.01, 1e-5])
    def test_every_level_on_the_way_is_gone_through(self, level: float) -> None:
        """As far down as curves go; with the MCP the way decides where one ends."""
        problem, V = random_problem(SQUARED), np.eye(2)[:, np.arange(5) % 2]
        scale = penalty_scale(problem, V, MCP)
        levels = path_start_of(problem, V, scale)[0] * LEVEL_RATIO ** np.arange(100)
        end = 1 + np.argmax(levels <= LOWEST_LEVEL * levels[0])
        levels = np.append(levels[:end][levels[:end] > level], level)
        at = Clusters(np.zeros((problem.n_features, 2)), V, np.zeros(5))
        tasks = problem.as_tasks(squares=problem.squares)
        cluster_path(tasks, at, levels[:, None] * scale, MCP, 1e-6)
        found = descend_levels(problem, V, Penalty(level, MCP))
        np.testing.assert_allclose(found, at.U, rtol=1e-10)

    @pytest.mark.parametrize("inverse_a", [L1, MCP, RIDGE_ON_U], ids=["l1", "mcp", "ridge"])
    def test_going_down_the_levels_ends_at_the_one_wanted(self, inverse_a: float) -> None:
        problem = random_problem(SQUARED)
        V = np.eye(2)[:, np.arange(5) % 2]
        level = 0.1
        U = descend_levels(problem, V, Penalty(level, inverse_a))
        scale = Penalty(1.0, inverse_a).levels(problem, V)
        residual = problem.y - twins.predict_clusters(problem.X, U, V, np.zeros(5), problem.starts)
        slopes = twins.cluster_slopes(problem.X, 2.0 * problem.weight * residual, V, problem.starts)
        if inverse_a == RIDGE_ON_U:
            np.testing.assert_allclose(slopes, level * U, atol=1e-2)
            return
        curvature = twins.block_curvature(problem.X, 2.0 * problem.weight, V, problem.starts)
        concavity = inverse_a * np.einsum("dkk->dk", curvature)
        assert twins.optimality_gap(slopes, U, level * scale, concavity) < 0.06


def pooled_ridge(problem: Problem, weight: Array, level: float) -> Array:
    """One w for all tasks, then their intercepts: sum of weight L + level / 2 |w|^2, by scipy."""
    D, task = problem.n_features, problem.task_of_row

    def value(point: Array) -> float:
        f = problem.X @ point[:D] + point[D:][task]
        loss = twins.total_loss(problem.loss, problem.y, f, weight)
        return loss + 0.5 * level * float(point[:D] @ point[:D])

    def gradient(point: Array) -> Array:
        f = problem.X @ point[:D] + point[D:][task]
        e, _ = twins.pull_and_stiffness(problem.loss, problem.y, f, weight)
        return np.concatenate([level * point[:D] - problem.X.T @ e, -np.bincount(task, e)])

    return twins.minimise(value, gradient, np.zeros(D + problem.n_tasks))[0]


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_free_loadings_are_pruned_only_where_many_are_zero(share: float) -> None:
    rng = np.random.default_rng(3)
    D, K, T, n = 6, 3, 40, 25
    U, true = rng.normal(size=(D, K)), rng.normal(size=(K, T))
    true[rng.uniform(size=(K, T)) < share] = 0.0
    X, codes = rng.normal(size=(T * n, D)), np.repeat(np.arange(T), n)
    y = np.einsum("nd,dn->n", X, (U @ true)[:, codes]) + rng.normal(size=T * n)
    problem = Problem.build(X, y, codes, SQUARED, True)
    found = refit(problem, U, true, np.zeros(T), np.full(K, 1 / K), "span")
    zeros = np.mean(found.V == 0.0)
    assert zeros == 0.0 if share == 0.0 else zeros > 0.3
    # what the next round's prior knows is what would be pruned
    assert (found.shares[:-1] > 1.0 / (T + K)).any()
