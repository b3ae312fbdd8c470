"""The refinement: memberships refitted, U under the MCP, and where it starts from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stcmtl.solver import records as states
from stcmtl.solver import refinement
from stcmtl.solver.algorithm1 import solve
from stcmtl.solver.alignment import match_clusters
from stcmtl.solver.centers import RIDGE, Penalty, noise_scale
from stcmtl.solver.memberships import residual_variance, support_penalty, support_shares
from stcmtl.solver.penalty_choice import choose_penalty
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from stcmtl.solver.records import Initial, Settings, Stopwatch
from stcmtl.solver.refinement import (
    FEWEST_SPARE_TASKS,
    MAX_ROUNDS,
    Mixture,
    choose_start,
    intercept_information,
    pool_intercepts,
    rank_starts,
    refine,
    refine_briefly,
    run_rounds,
)
from stcmtl.solver.soup import direction_clusters
from tests.unit import twins
from tests.unit.problems import random_memberships, random_problem, simulated
from tests.unit.setups import PLAIN, REFINED, Setup, assert_same, set_up
from tests.unit.twins import LOSSES, Array

ONE = np.ones((1, 12))


class TestRefinement:
    def test_follows_the_paper_s_iterations(self, either: Setup) -> None:
        _, problem, initial = either
        plain, refined = (list(solve(problem, initial, s)) for s in (PLAIN, REFINED))
        for state, expected in zip(refined, plain, strict=False):
            assert_same(state, expected)
        rounds = refined[len(plain) :]
        assert 1 <= len(rounds) <= MAX_ROUNDS["simplex"]
        assert {s.stage for s in rounds} == {"refine"}
        assert [s.iteration for s in refined] == list(range(1, len(refined) + 1))
        assert set(rounds[0].seconds) == {"V", "gamma", "U"}

    def test_pure_tasks_are_exactly_on_their_vertices(self) -> None:
        sim, problem, initial = set_up(SQUARED, noise=0.2, n_tasks=24, n_train=80)
        *_, last = solve(problem, initial, REFINED)
        V = last.V[match_clusters(last.V, sim.truth.V)]
        pure = sim.truth.pure
        np.testing.assert_array_equal(V[:, pure], sim.truth.V[:, pure])
        np.testing.assert_array_equal(last.pure, pure)
        np.testing.assert_allclose(V[:, ~pure], sim.truth.V[:, ~pure], atol=0.1)
        assert (last.U == 0.0).mean() > 0.5

    def test_is_closer_to_the_truth(self, regression: Setup) -> None:
        sim, problem, initial = regression
        (*_, plain), (*_, refined) = (solve(problem, initial, s) for s in (PLAIN, REFINED))
        errors = [np.linalg.norm(s.U @ s.V - sim.truth.W) for s in (plain, refined)]
        assert errors[1] < 0.75 * errors[0]

    def test_a_task_of_dense_patterns_is_mixed_where_few_are_pure(self) -> None:
        """Deviances on a grid: two clusters where they save more than their price, which is one and
        what the shares of pure and mixed tasks make of it, not log n.
        """
        rng = np.random.default_rng(1)
        n, T = 40, 48
        share = np.where(np.arange(T) < 8, np.arange(T) % 2, rng.uniform(size=T))
        true, codes = np.stack([share, 1.0 - share]), np.repeat(np.arange(T), n)
        X = rng.normal(size=(T * n, 10))
        f = np.einsum("nd,dn->n", X, (rng.normal(size=(10, 2)) @ true)[:, codes])
        y = np.where(rng.uniform(size=f.size) < 1.0 / (1.0 + np.exp(-f)), 1.0, -1.0)
        problem = Problem.build(X, y, codes, LOGISTIC, fit_intercept=False)
        start = Mixture(np.zeros((10, 2)), true, np.zeros(T), np.array([0.2, 0.8]))
        rest = Settings(n_clusters=2), Stopwatch()
        *_, before, last = run_rounds(problem, start, Penalty(0.3, RIDGE), 0, *rest)
        grid = np.linspace(0.0, 1.0, 201)
        F = np.einsum("nk,kg->ng", X @ last.U, np.stack([grid, 1.0 - grid]))
        losses = np.logaddexp(0.0, -y[:, None] * F)
        deviance = 2.0 * np.stack([losses[codes == i].sum(axis=0) for i in range(T)])
        gain = deviance[:, [0, -1]].min(axis=1) - deviance.min(axis=1)
        pure, mixed = support_shares(before.V)
        price = 1.0 - 2.0 * np.log(mixed / pure)
        np.testing.assert_array_equal(last.pure, gain < price)
        assert np.sum((gain > price) & (gain < price - 1.0 + np.log(n))) > 2

    def test_states_are_consistent(self, either: Setup) -> None:
        _, problem, initial = either
        for state in solve(problem, initial, REFINED):
            assert state.V.min() >= 0.0
            np.testing.assert_allclose(state.V.sum(axis=0), 1.0)
            if state.stage == "refine":
                np.testing.assert_array_equal(state.W, state.U @ state.V)
                np.testing.assert_array_equal(state.pure, state.V.max(axis=0) == 1.0)
                np.testing.assert_array_equal(state.pure, np.count_nonzero(state.V, axis=0) == 1)

    def test_ends_when_memberships_stay(self, regression: Setup) -> None:
        _, problem, initial = regression
        rounds = [s for s in solve(problem, initial, REFINED) if s.stage == "refine"]
        assert len(rounds) < MAX_ROUNDS["simplex"]
        assert np.abs(rounds[-1].V - rounds[-2].V).max() < 1e-3

    def test_level_is_chosen_once_by_cross_validation(self, regression: Setup) -> None:
        _, problem, initial = regression
        *_, start = solve(problem, initial, PLAIN)
        _, V, _, _ = choose_start(problem, initial, start.V, REFINED)
        chosen = choose_penalty(problem, V, problem.folds(5, 0))
        gammas = {s.gamma for s in refine(problem, initial, start, REFINED)}
        assert gammas == {chosen.level}

    def test_a_fixed_gamma_holds(self, regression: Setup) -> None:
        _, problem, initial = regression
        states = list(solve(problem, initial, replace(REFINED, gamma=0.4)))
        assert {s.gamma for s in states} == {0.4}
        low, high = (
            np.count_nonzero(list(solve(problem, initial, replace(REFINED, gamma=g)))[-1].U)
            for g in (0.1, 1.0)
        )
        assert high < low

    @pytest.mark.parametrize("loss", LOSSES)
    @pytest.mark.parametrize("refine", [True, False])
    @pytest.mark.parametrize("K", [1, 6])
    def test_one_cluster_and_as_many_as_tasks(self, loss: int, refine: bool, K: int) -> None:
        _, problem, initial = set_up(loss, n_tasks=6, n_train=40, n_mixed=0)
        *_, last = solve(problem, initial, Settings(K, refine=refine))
        if K == 1:
            np.testing.assert_allclose(last.V, 1.0, rtol=1e-15)
            assert last.pure.all()
        null = problem.total_loss(np.zeros(problem.y.size))
        assert 0.0 < last.loss < null
        assert np.isfinite(last.objective)

    def test_as_many_clusters_as_tasks_can_keep_them_apart(self) -> None:
        """Without noise and almost without penalty every task is its own model."""
        sim, problem, initial = set_up(SQUARED, n_tasks=3, n_train=60, n_mixed=0, noise=0.0)
        *_, last = solve(problem, initial, Settings(3, gamma=1e-4))
        np.testing.assert_allclose(last.U @ last.V, sim.truth.W, atol=0.01)

    def test_seeds_and_threads(self, regression: Setup) -> None:
        _, problem, initial = regression
        one = list(solve(problem, initial, replace(REFINED, n_jobs=1)))
        two = list(solve(problem, initial, replace(REFINED, n_jobs=2)))
        assert len(one) == len(two)
        for a, b in zip(one, two, strict=True):
            assert_same(a, b)


class TestStart:
    def test_the_smaller_criterion_wins(
        self, regression: Setup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, problem, initial = regression
        *_, start = solve(problem, initial, PLAIN)
        directions = direction_clusters(initial.W, 3, 0)
        for soups, others in ((1.0, 2.0), (2.0, 1.0)):

            def scripted(
                problem: Problem,
                initial: Initial,
                V: Array,
                settings: Settings,
                a: float = soups,
                b: float = others,
            ) -> tuple[float, Mixture]:
                U = np.zeros((problem.n_features, 3))
                return (a if np.array_equal(V, start.V) else b), Mixture(U, V, V[0], V[0])

            monkeypatch.setattr(refinement, "refine_briefly", scripted)
            won = choose_start(problem, initial, start.V, PLAIN)[1]
            expected = start.V if soups < others else directions
            order = match_clusters(won, expected)
            np.testing.assert_array_equal(won[order], expected)

    @pytest.mark.parametrize("apart", [-1e-10, 1e-10])
    def test_rounding_has_no_say_between_starts_that_tie(
        self, regression: Setup, monkeypatch: pytest.MonkeyPatch, apart: float
    ) -> None:
        _, problem, initial = regression
        *_, start = solve(problem, initial, PLAIN)

        def tied(
            problem: Problem, initial: Initial, V: Array, settings: Settings
        ) -> tuple[float, Mixture]:
            is_soup = np.array_equal(V, start.V)
            U = np.full((problem.n_features, 3), 1.0 if is_soup else 2.0)
            return 1.0 + (0.0 if is_soup else apart), Mixture(U, V, V[0], V[0])

        monkeypatch.setattr(refinement, "refine_briefly", tied)
        best, others, behind = rank_starts(problem, initial, start.V, PLAIN)
        np.testing.assert_array_equal(best.V, start.V)
        assert [other.U[0, 0] for other in others] == [2.0]
        assert behind == pytest.approx(0.0, abs=1e-9)

    def test_directions_and_not_lengths_make_groups(self) -> None:
        rng = np.random.default_rng(1)
        centers = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]])
        W = (centers[np.arange(18) % 3] + 0.05 * rng.normal(size=(18, 3))).T
        W *= rng.uniform(0.01, 100.0, 18)
        V = direction_clusters(W, 3, seed=0)
        assert set(map(tuple, V.T)) == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}
        for i in range(18):
            np.testing.assert_array_equal(V[:, i], V[:, i % 3])

    def test_directions_of_tasks_without_coefficients(self) -> None:
        W = np.zeros((4, 9))
        W[0, :3] = 1.0
        V = direction_clusters(W, 2, seed=0)
        np.testing.assert_array_equal(V.sum(axis=0), 1.0)
        assert (V[:, :3] != V[:, 3:6]).all()

    def test_criterion_by_hand(self, either: Setup) -> None:
        """Minus twice the likelihood, prices of the supports, log N for a coefficient."""
        sim, problem, initial = either
        criterion, (U, V, b, shares) = refine_briefly(problem, initial, sim.truth.V, REFINED)
        np.testing.assert_allclose(shares, support_shares(V))
        N, n = problem.y.size, problem.n_rows[0]
        f = twins.predict_clusters(problem.X, U, V, b, problem.starts)
        losses = twins.row_losses(problem.loss, problem.y, f)
        deviance = 2.0 * losses.sum()
        if problem.loss == SQUARED:
            n_parameters = np.count_nonzero(U) + np.count_nonzero(V)
            noise = losses.sum() / (N - n_parameters)
            deviance = losses.sum() / noise + N * np.log(noise)
        prices = support_penalty(n, shares)[np.count_nonzero(V, axis=0)].sum()
        expected = deviance + prices + np.log(N) * np.count_nonzero(U)
        assert criterion == pytest.approx(expected, rel=1e-9)

    def test_the_truth_beats_wrong_memberships(self, either: Setup) -> None:
        sim, problem, initial = either
        wrong = np.roll(sim.truth.V, 3, axis=1)
        right, other = (
            refine_briefly(problem, initial, V, REFINED)[0] for V in (sim.truth.V, wrong)
        )
        assert right < other

    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_residual_variance_counts_free_parameters(self, fit_intercept: bool) -> None:
        _, problem = simulated(fit_intercept=fit_intercept)
        U, V = np.zeros((30, 3)), np.eye(3)[:, np.arange(18) % 3]
        U[:4, 1] = 0.5
        V[:, 0] = [0.2, 0.3, 0.5]  # two free memberships
        f = twins.predict_clusters(problem.X, U, V, np.zeros(18), problem.starts)
        squares = float(((problem.y - f) ** 2).sum())
        n_parameters = 4 + 2 + 18 * fit_intercept
        expected = squares / (problem.y.size - n_parameters)
        assert residual_variance(problem, U, V, np.zeros(18)) == pytest.approx(expected)


def classical(b: Array, information: Array) -> tuple[float, float]:
    """DerSimonian and Laird's mean and tau^2 for one group of studies."""
    w = information
    mean = float(w @ b / w.sum())
    excess = w @ (b - mean) ** 2 - (b.size - 1)
    return mean, max(0.0, float(excess / (w.sum() - w @ w / w.sum())))


class TestIntercepts:
    @pytest.mark.parametrize("seed", range(4))
    def test_one_cluster_is_the_classical_random_effects_model(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        information = rng.uniform(5.0, 50.0, 12)
        b = 3.0 + 0.3 * rng.normal(size=12) + rng.normal(size=12) / np.sqrt(information)
        mean, tau2 = classical(b, information)
        expected = mean + (b - mean) * tau2 / (tau2 + 1.0 / information)
        np.testing.assert_allclose(pool_intercepts(b, ONE, information), expected, rtol=1e-10)

    def test_less_spread_than_noise_means_one_intercept(self) -> None:
        information = np.linspace(1.0, 4.0, 12)
        b = 2.0 + 0.1 * np.cos(np.arange(12.0))
        expected = information @ b / information.sum()
        np.testing.assert_allclose(pool_intercepts(b, ONE, information), expected, rtol=1e-12)

    def test_mixed_memberships_against_matrix_algebra(self) -> None:
        rng = np.random.default_rng(2)
        V, information = random_memberships(3, 20, seed=3), rng.uniform(2.0, 30.0, 20)
        b = V.T @ np.array([1.0, 5.0, -2.0]) + rng.normal(size=20)
        P = np.diag(information)
        hat = V.T @ np.linalg.solve(V @ P @ V.T, V @ P)
        center = hat @ b
        # the expectation of Q under tau^2 is spare + tau^2 trace(P (I - hat))
        Q, spare = information @ (b - center) ** 2, 20 - 3
        tau2 = (Q - spare) / np.trace(P @ (np.eye(20) - hat))
        assert tau2 > 0.3
        expected = center + (b - center) * tau2 / (tau2 + 1.0 / information)
        np.testing.assert_allclose(pool_intercepts(b, V, information), expected, rtol=1e-9)

    @pytest.mark.parametrize("shift", [-50.0, 1e4])
    def test_shifts_go_through(self, shift: float) -> None:
        rng = np.random.default_rng(4)
        V, information = random_memberships(3, 20, seed=5), rng.uniform(2.0, 30.0, 20)
        b = rng.normal(size=20)
        pooled = pool_intercepts(b, V, information)
        np.testing.assert_allclose(
            pool_intercepts(b + shift, V, information), pooled + shift, atol=1e-8
        )

    def test_units_go_through(self) -> None:
        rng = np.random.default_rng(6)
        V, information, b = random_memberships(2, 15, seed=7), np.full(15, 3.0), rng.normal(size=15)
        scaled = pool_intercepts(1000.0 * b, V, information / 1000.0**2)
        np.testing.assert_allclose(scaled, 1000.0 * pool_intercepts(b, V, information), rtol=1e-9)

    def test_too_few_tasks_are_left_alone(self) -> None:
        for T in range(1, 8):
            b = np.arange(T, dtype=float)
            pooled = pool_intercepts(b, np.ones((1, T)), np.full(T, 0.01))
            if T - 1 < FEWEST_SPARE_TASKS:
                np.testing.assert_array_equal(pooled, b)
            else:
                np.testing.assert_allclose(pooled, b.mean())

    def test_as_many_clusters_as_tasks(self) -> None:
        b = np.arange(6.0)
        np.testing.assert_array_equal(pool_intercepts(b, np.eye(6), np.ones(6)), b)

    def test_an_empty_cluster_costs_nothing(self) -> None:
        information, b = np.full(12, 3.0), np.sin(np.arange(12.0)) * 2.0
        with_empty = np.vstack([ONE, np.zeros((1, 12))])
        np.testing.assert_allclose(
            pool_intercepts(b, with_empty, information), pool_intercepts(b, ONE, information)
        )

    def test_information_of_a_mean(self) -> None:
        problem = random_problem(SQUARED)
        found = intercept_information(problem, np.zeros(problem.y.size), 0.7)
        np.testing.assert_allclose(found, problem.n_rows / 0.7, rtol=1e-12)

    def test_information_of_log_odds(self) -> None:
        problem = random_problem(LOGISTIC)
        f = np.random.default_rng(8).normal(size=problem.y.size)
        p = 1.0 / (1.0 + np.exp(-f))
        expected = [(p * (1 - p))[problem.rows(i)].sum() for i in range(problem.n_tasks)]
        np.testing.assert_allclose(intercept_information(problem, f, 1.0), expected, rtol=1e-12)


def test_levels_follow_the_noise_of_each_cluster() -> None:
    """The last U of the refinement is stationary at level x noise scale."""
    rows = [120] * 5 + [50] * 5 + [25] * 5 + [50] * 3  # the third cluster is the noisiest
    _, problem, initial = set_up(SQUARED, n_train=rows)
    states = list(solve(problem, initial, REFINED))
    before, last = states[-2], states[-1]
    levels = last.gamma * noise_scale(problem, before.V)
    assert levels.max() > 1.5 * levels.min()
    # U was fitted to the memberships of the round before, with intercepts at their optimum
    residual = problem.y - twins.predict_clusters(
        problem.X, last.U, before.V, np.zeros(18), problem.starts
    )
    means = np.bincount(problem.task_of_row, residual) / problem.n_rows
    e = 2.0 * problem.weight * (residual - means[problem.task_of_row])
    slopes = twins.cluster_slopes(problem.X, e, before.V, problem.starts)
    curvature = twins.block_curvature(problem.X, 2.0 * problem.weight, before.V, problem.starts)
    concavity = 0.5 * np.einsum("dkk->dk", curvature)
    assert twins.optimality_gap(slopes, last.U, levels, concavity) < 0.05


def test_stopwatch_books_every_lap(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([10.0, 11.0, 14.0, 14.5])
    monkeypatch.setattr(states, "perf_counter", lambda: next(times))
    watch = Stopwatch()
    for step in ("U", "V", "U"):
        watch.lap(step)
    assert watch.seconds == {"U": 1.5, "V": 3.0}
