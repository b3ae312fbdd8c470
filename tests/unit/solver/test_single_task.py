"""One task at a time: the lambdas and fits that scikit-learn would choose, and the W step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LassoCV
from sklearn.model_selection import PredefinedSplit

from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from stcmtl.solver.single_task import (
    fit_chunk,
    fit_task,
    initialise,
    lambda_path,
    update_coefficients,
)
from tests.unit import twins
from tests.unit.problems import correlated_rows, random_problem, simulated
from tests.unit.twins import LOSSES, Array

SIZES = (40, 60, 100)  # multiples of the folds, as LassoCV averages over folds and not rows


def task_slopes(problem: Problem, i: int, w: Array, b: float) -> Array:
    rows = problem.rows(i)
    X, y, n = problem.X[rows], problem.y[rows], problem.n_rows[i]
    e, _ = twins.pull_and_stiffness(problem.loss, y, X @ w + b, np.full(n, 1 / n))
    return X.T @ e


class TestLambdaPath:
    @pytest.mark.parametrize(("n", "D", "lowest"), [(20, 30, 0.01), (30, 20, 0.001)])
    def test_from_all_zero_down(self, n: int, D: int, lowest: float) -> None:
        X = correlated_rows(n, D, seed=0)
        y = X[:, 0] + np.random.default_rng(1).normal(size=n)
        levels = lambda_path(X, 2.0 * y)
        assert levels.size == 100
        assert levels[-1] / levels[0] == pytest.approx(lowest)
        np.testing.assert_allclose(levels[1:] / levels[:-1], lowest ** (1 / 99))

        def coefficients(level: float) -> Array:
            return Lasso(level / 2, fit_intercept=False, tol=1e-12).fit(X, y).coef_

        assert not coefficients(levels[0] * 1.0001).any()
        assert np.count_nonzero(coefficients(levels[0] * 0.999)) == 1

    def test_nothing_to_explain(self) -> None:
        np.testing.assert_array_equal(lambda_path(np.ones((5, 3)), np.zeros(5)), 0.0)


class TestInitialise:
    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("D", [12, 80], ids=["n>D", "n<D"])
    def test_lambdas_and_fits_are_as_good_as_those_of_lasso_cv(
        self, fit_intercept: bool, D: int
    ) -> None:
        problem = random_problem(SQUARED, fit_intercept, sizes=SIZES, D=D)
        initial = initialise(problem, n_folds=5, seed=3)
        fold = problem.folds(5, 3)
        for i, level in enumerate(initial.lambdas):
            rows = problem.rows(i)
            X, y = problem.X[rows], problem.y[rows]
            levels = lambda_path(X, problem.null_pull[rows])
            options = {"fit_intercept": fit_intercept, "max_iter": 10**5}
            cross_validation = LassoCV(
                alphas=levels / 2, cv=PredefinedSplit(fold[rows]), tol=1e-5, **options
            ).fit(X, y)
            errors = cross_validation.mse_path_.mean(axis=1)
            assert errors[level == levels] <= 1.03 * errors.min()
            assert abs(int(np.flatnonzero(level == levels)[0]) - errors.argmin()) <= 8
            model = Lasso(level / 2, tol=1e-12, **options).fit(X, y)
            np.testing.assert_allclose(initial.W[:, i], model.coef_, atol=5e-3)
            assert initial.b[i] == pytest.approx(np.squeeze(model.intercept_), abs=1e-3)

    @pytest.mark.parametrize("loss", LOSSES)
    def test_fits_are_optimal_at_their_lambdas(self, loss: int) -> None:
        problem = random_problem(loss)
        initial = initialise(problem, n_folds=5, seed=0)
        assert initial.W.shape == (12, 5)
        for i, level in enumerate(initial.lambdas):
            slopes = task_slopes(problem, i, initial.W[:, i], initial.b[i])
            assert twins.optimality_gap(slopes, initial.W[:, i], level) < 0.02
            assert initial.W[:, i].any()

    def test_of_labels_every_fourth_level_is_tried(self) -> None:
        problem = random_problem(LOGISTIC)
        every, fourth = initialise(problem, 4, 0, step=1), initialise(problem, 4, 0)
        for i, level in enumerate(fourth.lambdas):
            rows = problem.rows(i)
            assert level in lambda_path(problem.X[rows], problem.null_pull[rows])[::4]
        assert (fourth.losses <= 1.01 * every.losses).all()
        told, untold = (initialise(random_problem(SQUARED), 4, 0, step=step) for step in (1, None))
        np.testing.assert_array_equal(told.W, untold.W)

    def test_threads_do_not_change_a_bit(self) -> None:
        problem = random_problem(LOGISTIC)
        one, two = (initialise(problem, 4, 0, n_jobs) for n_jobs in (1, 2))
        np.testing.assert_array_equal(one.W, two.W)
        np.testing.assert_array_equal(one.b, two.b)
        np.testing.assert_array_equal(one.lambdas, two.lambdas)

    def test_a_task_is_fitted_as_if_it_were_alone(self) -> None:
        problem = random_problem(SQUARED)
        rows, fold = problem.rows(2), problem.folds(5, 0)
        alone = Problem.build(
            problem.X[rows], problem.y[rows], np.zeros(problem.n_rows[2], int), SQUARED, True
        )
        w, b, level, loss = fit_task(problem, 2, fold, 1)
        w_alone, b_alone, level_alone, loss_alone = fit_task(alone, 0, fold[rows], 1)
        assert level == pytest.approx(level_alone, rel=1e-9)
        np.testing.assert_allclose(w, w_alone, atol=1e-6)
        assert b == pytest.approx(b_alone, abs=1e-9)
        assert loss == pytest.approx(loss_alone, rel=1e-6)

    def test_a_chunk_is_its_tasks(self) -> None:
        """As they are sent to another process."""
        problem = random_problem(SQUARED)
        fold = problem.folds(5, 0)
        found = fit_chunk((problem, fold), 4)
        assert len(found) == problem.n_tasks == 5
        for i, (w, *others) in enumerate(found):
            expected, *rest = fit_task(problem, i, fold, 4)
            np.testing.assert_array_equal(w, expected)
            assert others == rest

    def test_shifted_targets_move_the_intercepts_only(self) -> None:
        problem = random_problem(SQUARED)
        shifted = replace(problem, y=problem.y + 1000.0)
        before, after = initialise(problem, 5, 0), initialise(shifted, 5, 0)
        np.testing.assert_allclose(after.lambdas, before.lambdas, rtol=1e-9)
        np.testing.assert_allclose(after.W, before.W, atol=1e-6)
        np.testing.assert_allclose(after.b, before.b + 1000.0, rtol=1e-12)

    def test_constant_targets_and_features(self) -> None:
        X = correlated_rows(40, 5, seed=2)
        X[:20, 3] = 7.0  # constant within the first task only
        y = np.concatenate([np.zeros(20), X[20:, 0] + X[20:, 3]])
        problem = Problem.build(X, y, np.repeat([0, 1], 20), SQUARED, True)
        initial = initialise(problem, 5, 0)
        np.testing.assert_array_equal(initial.W[:, 0], 0.0)
        assert initial.lambdas[0] == initial.b[0] == 0.0
        np.testing.assert_allclose(initial.W[:, 1], [1, 0, 0, 1, 0], atol=0.02)

    def test_finds_the_signal_of_simulated_tasks(self) -> None:
        sim, problem = simulated(noise=0.1)
        W = initialise(problem, 5, 0).W
        assert np.abs(W - sim.truth.W).max() < 0.15
        assert np.abs(W - sim.truth.W).mean() < 0.02


class TestUpdate:
    @pytest.mark.parametrize("loss", LOSSES)
    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("n_sweeps", [2, 3])
    def test_is_a_few_plain_sweeps_on_every_task(
        self, loss: int, fit_intercept: bool, n_sweeps: int
    ) -> None:
        problem = random_problem(loss, fit_intercept)
        rng = np.random.default_rng(4)
        W, b, lambdas = 0.3 * rng.normal(size=(12, 5)), np.zeros(5), np.linspace(0.05, 0.2, 5)
        given = W.copy(), b.copy()
        new_W, new_b = update_coefficients(problem, W, b, lambdas, n_sweeps)
        for i in range(5):
            rows, n = problem.rows(i), problem.n_rows[i]
            X, y, w, intercept = problem.X[rows], problem.y[rows], W[:, i], 0.0
            for _ in range(n_sweeps):
                e, h = twins.pull_and_stiffness(loss, y, X @ w + intercept, np.full(n, 1 / n))
                w, e, _ = twins.sweep_task(X, e, h, w, lambdas[i], np.arange(12), False)
                intercept += fit_intercept * e.sum() / h.sum()
            np.testing.assert_allclose(new_W[:, i], w, atol=1e-10)
            assert new_b[i] == pytest.approx(intercept, abs=1e-10)
        np.testing.assert_array_equal(W, given[0])
        np.testing.assert_array_equal(b, given[1])

    def test_three_sweeps_unless_told(self) -> None:
        problem = random_problem(SQUARED)
        start = np.full((12, 5), 0.1), np.zeros(5), np.full(5, 0.1)
        three = update_coefficients(problem, *start, 3)
        np.testing.assert_array_equal(update_coefficients(problem, *start)[0], three[0])
        assert (update_coefficients(problem, *start, 2)[0] != three[0]).any()

    @pytest.mark.parametrize("loss", LOSSES)
    def test_leaves_the_optimum_alone(self, loss: int) -> None:
        problem = random_problem(loss)
        initial = initialise(problem, 5, 0)
        W, b = update_coefficients(problem, initial.W, initial.b, initial.lambdas)
        np.testing.assert_allclose(W, initial.W, atol=1e-3)
        np.testing.assert_allclose(b, initial.b, atol=1e-3)
