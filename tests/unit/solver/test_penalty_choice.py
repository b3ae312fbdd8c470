"""The penalty's choice: where the path starts, what is held out, and which level is chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from joblib import Parallel

from stcmtl import STCMTLRegressor, select_n_clusters
from stcmtl.solver import penalty_choice
from stcmtl.solver.centers import L1, MCP, noise_scale, update_centers
from stcmtl.solver.fold_paths import descend_fold
from stcmtl.solver.penalty_choice import (
    ABOVE_ROUNDING,
    AHEAD,
    LABELS,
    LEVEL_RATIO,
    THOROUGH,
    Descent,
    ValidationCurve,
    choose_gamma,
    choose_penalty,
    is_worse,
    lowest_point,
    one_standard_error,
    open_folds,
    path_start,
    path_start_of,
    validation_curve,
)
from stcmtl.solver.problem import LOGISTIC, SQUARED, Precision, Problem
from tests.unit import twins
from tests.unit.plain import plain_model
from tests.unit.problems import correlated_rows, random_memberships, random_problem, simulated
from tests.unit.twins import LOSSES, Array, Indices

EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)
V3 = random_memberships(3, 5, seed=1)


def curve_of(
    problem: Problem,
    V: Array,
    fold: Indices,
    inverse_a: float,
    scale: Array | None = None,
    descent: Descent = THOROUGH,
) -> ValidationCurve:
    n_folds = int(fold.max()) + 1
    scales = [noise_scale(problem, V) if scale is None else scale] * n_folds
    with Parallel(n_jobs=1, prefer="threads") as parallel:
        folds = open_folds(problem, [V] * n_folds, fold, parallel)
        return validation_curve(problem, folds, scales, inverse_a, parallel, descent)


class TestHighestLevel:
    @EITHER_LOSS
    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("inverse_a", [L1, MCP], ids=["l1", "mcp"])
    def test_is_the_smallest_that_leaves_nothing(
        self, loss: int, fit_intercept: bool, inverse_a: float
    ) -> None:
        problem = random_problem(loss, fit_intercept)
        highest = path_start_of(problem, V3, noise_scale(problem, V3))[0]

        def count(level: float) -> int:
            levels = level * noise_scale(problem, V3)
            start = np.zeros((12, 3)), np.zeros(5)
            U, _, _ = update_centers(problem, V3, *start, levels, inverse_a, tol=1e-12)
            return int(np.count_nonzero(U))

        assert count(highest) == 0
        assert count(highest * 0.99) == 1

    def test_empty_clusters_do_not_matter(self) -> None:
        problem = random_problem(SQUARED)
        V = random_memberships(2, 5, seed=3)
        with_empty = np.vstack([V, np.zeros(5)])
        # an average over three clusters instead of two
        expected = path_start_of(problem, V, noise_scale(problem, V)) * np.sqrt(2 / 3)
        found = path_start_of(problem, with_empty, noise_scale(problem, with_empty))
        np.testing.assert_allclose(found, expected)

    def test_nothing_to_explain(self) -> None:
        problem = replace(random_problem(SQUARED), y=np.zeros(138))
        assert path_start_of(problem, V3, noise_scale(problem, V3)) == [0.0]


class TestJump:
    """Units of features must not decide what is looked at."""

    def test_one_unit_needs_no_jump(self) -> None:
        np.testing.assert_array_equal(
            path_start(np.array([1.0, 3.0, 2.0]), np.ones(3)), [3.0 * ABOVE_ROUNDING]
        )

    def test_a_large_unit_is_jumped_over(self) -> None:
        # the third feature is as strong as the first, and too weak to notice is the second
        slopes, spread = np.array([500.0, 0.1, 4.0]), np.array([100.0, 1.0, 1.0])
        np.testing.assert_array_equal(
            path_start(slopes, spread), ABOVE_ROUNDING * np.array([500.0, AHEAD * 4.0])
        )

    def test_a_strong_feature_of_a_large_unit_needs_none(self) -> None:
        slopes, spread = np.array([500.0, 4.0]), np.array([10.0, 1.0])
        np.testing.assert_array_equal(path_start(slopes, spread), [500.0 * ABOVE_ROUNDING])

    def test_nothing_to_explain(self) -> None:
        np.testing.assert_array_equal(path_start(np.zeros(3), np.zeros(3)), [0.0])

    @pytest.mark.parametrize("unit", [200.0, 5e4])
    @pytest.mark.parametrize("effect", [0.0, 1.0], ids=["noise", "signal"])
    def test_clusters_are_found_beside_a_column_in_another_unit(
        self, unit: float, effect: float
    ) -> None:
        rng = np.random.default_rng(0)
        tasks = np.repeat(np.arange(12), 40)
        X = rng.normal(size=(480, 6))
        sign = np.where(tasks < 6, 1.0, -1.0)
        y = sign * (X[:, 1:4] @ [1.5, -1.0, 0.5]) + effect * X[:, 0] + 0.3 * rng.normal(size=480)
        X[:, 0] *= unit
        path = select_n_clusters(X, y, tasks, range(1, 4), random_state=0)
        assert path.one_se == 2
        assert path.error[1] < 0.36
        model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y, tasks)
        assert model.pure_.all()
        np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 6))
        np.testing.assert_allclose(model.cluster_coef_[0, 1:4], [1.5, -1.0, 0.5], atol=0.1)


class TestValidation:
    @EITHER_LOSS
    @pytest.mark.parametrize("inverse_a", [L1, MCP], ids=["l1", "mcp"])
    def test_held_out_losses_are_those_of_a_refit(self, loss: int, inverse_a: float) -> None:
        problem = random_problem(loss)
        fold = problem.folds(3, seed=0)
        curve = curve_of(problem, V3, fold, inverse_a)
        assert curve.losses.shape == (curve.levels.size, problem.y.size)
        steps = max(7, curve.best + 1)
        objectives = np.zeros(steps)
        for c in range(3):
            held_out = fold == c
            sizes = np.bincount(problem.task_of_row[~held_out])
            kept = replace(
                problem,
                X=np.asfortranarray(problem.X[~held_out]),
                y=problem.y[~held_out],
                starts=np.concatenate([[0], np.cumsum(sizes)]),
            )
            U, b = np.zeros((12, 3)), np.zeros(5)
            for j, (level, losses) in enumerate(
                zip(curve.levels[:steps], curve.losses, strict=False)
            ):
                # the penalty is scaled by all rows, as it will be in the fit
                levels = level * noise_scale(problem, V3)
                U, b, penalty = update_centers(kept, V3, U, b, levels, inverse_a, tol=1e-5)
                f = twins.predict_clusters(problem.X, U, V3, b, problem.starts)
                expected = twins.row_losses(loss, problem.y, f)[held_out]
                if j < 7:
                    np.testing.assert_allclose(losses[held_out], expected, rtol=2e-3, atol=1e-3)
                fitted = twins.predict_clusters(kept.X, U, V3, b, kept.starts)
                objectives[j] += (kept.total_loss(fitted) + penalty) / 3
        reached = curve.objective(problem, fold)
        np.testing.assert_allclose(reached, objectives[curve.best], rtol=1e-3)

    @EITHER_LOSS
    def test_starts_at_the_top_and_ends_below_its_minimum(self, loss: int) -> None:
        problem = random_problem(loss)
        fold = problem.folds(3, seed=0)
        curve = curve_of(problem, V3, fold, L1)
        assert curve.levels[0] == pytest.approx(
            path_start_of(problem, V3, noise_scale(problem, V3))[0]
        )
        np.testing.assert_allclose(curve.levels[1:] / curve.levels[:-1], LEVEL_RATIO)
        assert curve.best == curve.losses.mean(axis=1).argmin()
        assert 0 < curve.best < curve.levels.size - 3

    def test_a_signal_without_noise_wants_the_lowest_levels(self) -> None:
        sim, problem = simulated(noise=0.0, n_tasks=6)
        curve = curve_of(problem, sim.truth.V, problem.folds(3, 0), L1)
        assert curve.levels[-1] <= 1e-3 * curve.levels[0]
        assert curve.losses[-1].mean() < 1e-3 * curve.losses[0].mean()

    def test_nothing_to_explain(self) -> None:
        problem = replace(random_problem(SQUARED), y=np.zeros(138))
        curve = curve_of(problem, V3, problem.folds(3, 0), MCP)
        np.testing.assert_array_equal(curve.levels, 0.0)
        np.testing.assert_array_equal(curve.losses, 0.0)
        assert choose_penalty(problem, V3, problem.folds(3, 0)).level == 0.0


class TestOneStandardError:
    def test_worse_by_more_than_its_error(self) -> None:
        reference = np.zeros(4)
        difference = np.array([1.0, 3.0, 1.0, 3.0])  # mean 2, error 1 / sqrt(4)
        assert is_worse(difference, reference)
        assert not is_worse(difference - 1.51, reference)
        assert is_worse(difference - 1.49, reference)
        assert not is_worse(-difference, reference)
        assert not is_worse(reference, reference)

    def test_differences_are_paired(self) -> None:
        noisy = 100.0 * np.random.default_rng(0).normal(size=50)
        assert is_worse(noisy + 0.01 + 0.001 * np.arange(50), noisy)

    def test_takes_the_first_level_that_is_not_worse(self) -> None:
        pattern = np.array([1.0, -1.0, 1.0, -1.0])  # error 1 / 2
        means = [5.0, 1.0, 0.6, 0.4, 0.0, 2.0]
        losses = np.array([m + pattern * (m != 0.0) for m in means])
        assert one_standard_error(losses) == 3

    def test_takes_the_best_where_all_before_it_are_worse(self) -> None:
        losses = np.repeat([[3.0], [2.0], [1.0], [4.0]], 6, axis=1)
        assert one_standard_error(losses) == 2

    def test_takes_the_first_of_equals(self) -> None:
        assert one_standard_error(np.ones((3, 5))) == 0


class TestChoice:
    def test_few_large_coefficients_want_the_mcp(self) -> None:
        sim, problem = simulated()
        fold = problem.folds(5, 0)
        chosen = choose_penalty(problem, sim.truth.V, fold)
        curve = curve_of(problem, sim.truth.V, fold, MCP)
        assert chosen.inverse_a == MCP
        assert chosen.level == curve.levels[one_standard_error(curve.losses)]
        assert chosen.level >= curve.levels[curve.best]

    def test_tasks_of_many_sizes_want_the_best_level(self) -> None:
        X = correlated_rows(300, 20, seed=5, correlation=0.0)
        y = X @ np.geomspace(2.0, 0.05, 20) + np.random.default_rng(1).normal(size=300)
        alike = Problem.build(X, y, np.repeat(np.arange(6), 50), SQUARED, True)
        problem = replace(alike, precision=Precision(np.ones(6), np.ones(6)))
        V, fold = np.ones((1, 6)), problem.folds(5, 0)
        curve = curve_of(problem, V, fold, MCP)
        assert choose_penalty(problem, V, fold).level == curve.levels[curve.best]
        assert choose_penalty(alike, V, fold).level > curve.levels[curve.best]

    def test_many_small_coefficients_want_the_l1_norm(self) -> None:
        X = correlated_rows(300, 60, seed=5, correlation=0.0)
        rng = np.random.default_rng(6)
        y = X @ rng.laplace(scale=0.1, size=60) + rng.normal(size=300)
        problem = Problem.build(X, y, np.repeat(np.arange(6), 50), SQUARED, True)
        fold, V = problem.folds(5, 0), np.ones((1, 6))
        chosen = choose_penalty(problem, V, fold)
        curve = curve_of(problem, V, fold, L1)
        assert chosen.inverse_a == L1
        assert chosen.level == curve.levels[curve.best]

    def test_gamma_is_the_best_level_of_the_l1_norm(self) -> None:
        sim, problem = simulated(LOGISTIC)
        fold = problem.folds(5, 0)
        V = sim.truth.V
        curve = curve_of(problem, V, fold, L1, np.ones(3))
        best = curve.levels[np.argmin(curve.losses.mean(axis=1))]
        assert choose_gamma(problem, sim.truth.V, fold) == best

    @pytest.mark.parametrize(("errors", "n_mcp"), [(1.0, 1), (1e9, 5)])
    def test_the_mcp_far_behind_in_one_fold_is_tried_in_no_other(
        self, errors: float, n_mcp: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        X = correlated_rows(900, 100, seed=5, correlation=0.0)
        rng = np.random.default_rng(6)
        y = np.sign(X @ rng.normal(scale=0.3, size=100) + rng.normal(size=900))
        problem = Problem.build(X, y, np.repeat(np.arange(6), 150), LOGISTIC, True)
        fold, V = problem.folds(5, 0), np.ones((1, 6))
        descents = {L1: 0, MCP: 0}

        def descend(problem: Problem, fold: Any, at: Any, levels: Array, *given: Any) -> Any:
            descents[given[0]] += not at.U.any()  # from the top
            return descend_fold(problem, fold, at, levels, *given)

        monkeypatch.setattr(penalty_choice, "descend_fold", descend)
        monkeypatch.setattr(penalty_choice, "FAR_BEHIND", errors)
        chosen = choose_penalty(problem, V, fold)
        assert descents == {L1: 5, MCP: n_mcp}  # the first fold's paths are gone once
        curve = curve_of(problem, V, fold, L1, descent=LABELS)
        assert (chosen.inverse_a, chosen.level) == (L1, curve.levels[curve.best])

    def test_threads_do_not_change_a_bit(self) -> None:
        sim, problem = simulated()
        fold = problem.folds(5, 0)
        one, two = (choose_penalty(problem, sim.truth.V, fold, n_jobs) for n_jobs in (1, 2))
        assert one == two


def test_the_lowest_point_of_a_parabola_is_found_between_levels() -> None:
    at = np.arange(6.0)
    assert 2 + lowest_point(3.0 * (at - 2.3) ** 2 + 1.0, 2) == pytest.approx(2.3)
    for best in (1, 4):  # the first and last that have neighbours
        assert best + lowest_point((at - best - 0.2) ** 2, best) == pytest.approx(best + 0.2)
    assert lowest_point(at, 0) == lowest_point(-at, 5) == 0.0  # nothing is known beyond the ends
    assert lowest_point(np.ones(6), 2) == 0.0


def test_how_much_a_ridge_has_to_be_to_matter() -> None:
    """The mean square of features that vary, times the mean weight of a pattern."""
    for loss, stiffness in ((SQUARED, 2.0), (LOGISTIC, 0.25)):
        problem = random_problem(loss, D=4)
        X = problem.X.copy()
        X[:, 0] = 0.0
        squares = (X[:, 1:] ** 2).mean()
        problem = replace(problem, X=np.asfortranarray(X))
        assert penalty_choice.mean_square(problem) == pytest.approx(squares)
        V = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])
        expected = stiffness * squares * (V**2).sum() / 2
        assert penalty_choice.mean_curvature(problem, V) == pytest.approx(expected)
