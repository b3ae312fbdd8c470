"""What is a task's own: against scikit-learn on residuals, against scipy for labels."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.linear_model import Lasso, Ridge

from stcmtl.solver.own_part import (
    GROUP,
    LASSO,
    N_LEVELS,
    RIDGE,
    OwnFits,
    OwnPenalty,
    dense_fits,
    fit_alone,
    fit_own,
)
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from tests.unit import twins
from tests.unit.problems import random_problem
from tests.unit.twins import LOSSES, Array

KINDS = (RIDGE, GROUP, LASSO)
SIZES = (8, 35, 20)  # fewer rows than features, and more
EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)
BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


@cache
def setting(loss: int, fit_intercept: bool = True) -> tuple[Problem, Array]:
    """Three tasks, and predictions that something else makes for them."""
    problem = random_problem(loss, fit_intercept, SIZES)
    shared = np.random.default_rng(3).normal(size=problem.n_features)
    return problem, 0.5 * problem.X @ shared


def objective(problem: Problem, i: int, f: Array, d: Array, b: float, penalty: OwnPenalty) -> float:
    """As written in the module, half the squared loss, four times the logistic one."""
    rows = problem.rows(i)
    fitted = f[rows] + problem.X[rows] @ d + b
    unit = 0.5 if problem.loss == SQUARED else 4.0
    fit = unit * twins.row_losses(problem.loss, problem.y[rows], fitted).sum()
    if penalty.kind == RIDGE:
        return float(fit + 0.5 * penalty.level * d @ d)
    # the slope of a row's loss is at most the residual, or twice the label's
    root = (1.0 if problem.loss == SQUARED else 2.0) * penalty.level * np.sqrt(problem.n_rows[i])
    size = np.linalg.norm(d) if penalty.kind == GROUP else np.abs(d).sum()
    return float(fit + root * size)


def minimum(problem: Problem, i: int, f: Array, penalty: OwnPenalty) -> tuple[Array, float]:
    """(d, smallest objective), from scipy: d is the difference of two parts that are not negative,
    and the unsquared norm is smoothed by next to nothing.
    """
    D, rows = problem.n_features, problem.rows(i)
    X, y = problem.X[rows], problem.y[rows]
    unit = 0.5 if problem.loss == SQUARED else 4.0
    root = (1.0 if problem.loss == SQUARED else 2.0) * penalty.level * np.sqrt(problem.n_rows[i])

    def own(point: Array) -> Array:
        return point[:D] - point[D : 2 * D]

    def value(point: Array) -> float:
        d = own(point)
        loss = unit * twins.row_losses(problem.loss, y, f[rows] + X @ d + point[-1]).sum()
        price = {
            RIDGE: 0.5 * penalty.level * d @ d,
            GROUP: root * np.sqrt(d @ d + 1e-12),
            LASSO: root * point[: 2 * D].sum(),
        }
        return float(loss + price[penalty.kind])

    def gradient(point: Array) -> Array:
        d = own(point)
        e, _ = twins.pull_and_stiffness(
            problem.loss, y, f[rows] + X @ d + point[-1], np.full(len(y), unit)
        )
        slope = -X.T @ e
        if penalty.kind == RIDGE:
            slope += penalty.level * d
        elif penalty.kind == GROUP:
            slope += root * d / np.sqrt(d @ d + 1e-12)
        price = root if penalty.kind == LASSO else 0.0
        return np.concatenate([slope + price, -slope + price, [-e.sum()]])

    free = (None, None) if problem.fit_intercept else (0.0, 0.0)
    bounds = [(0.0, None)] * (2 * D) + [free]
    point, smallest = twins.minimise(value, gradient, np.full(2 * D + 1, 0.01), bounds)
    return own(point), smallest


class TestSquaredLoss:
    @BOTH
    @pytest.mark.parametrize("level", [0.3, 20.0])
    def test_ridge_is_scikit_learns_on_the_residuals(
        self, fit_intercept: bool, level: float
    ) -> None:
        problem, f = setting(SQUARED, fit_intercept)
        W, b = fit_own(problem, f, OwnPenalty(RIDGE, level))
        for i in range(3):
            rows = problem.rows(i)
            twin = Ridge(level, fit_intercept=fit_intercept)
            twin.fit(problem.X[rows], (problem.y - f)[rows])
            np.testing.assert_allclose(W[:, i], twin.coef_, atol=1e-9)
            assert b[i] == pytest.approx(twin.intercept_, abs=1e-9)

    @BOTH
    @pytest.mark.parametrize("level", [0.05, 0.4])
    def test_lasso_is_scikit_learns_on_the_residuals(
        self, fit_intercept: bool, level: float
    ) -> None:
        problem, f = setting(SQUARED, fit_intercept)
        W, b = fit_own(problem, f, OwnPenalty(LASSO, level))
        for i in range(3):
            rows = problem.rows(i)
            alpha = level / np.sqrt(problem.n_rows[i])
            twin = Lasso(alpha, fit_intercept=fit_intercept, tol=1e-12, max_iter=10**6)
            twin.fit(problem.X[rows], (problem.y - f)[rows])
            given = problem, i, f
            found = objective(*given, W[:, i], b[i], OwnPenalty(LASSO, level))
            smallest = objective(*given, twin.coef_, twin.intercept_, OwnPenalty(LASSO, level))
            assert found == pytest.approx(smallest, rel=1e-3)
            np.testing.assert_allclose(W[:, i], twin.coef_, atol=0.06)

    @BOTH
    def test_group_against_a_general_minimiser(self, fit_intercept: bool) -> None:
        problem, f = setting(SQUARED, fit_intercept)
        penalty = OwnPenalty(GROUP, 0.8)
        W, b = fit_own(problem, f, penalty)
        for i in range(3):
            expected, smallest = minimum(problem, i, f, penalty)
            assert np.linalg.norm(expected) > 0.1
            np.testing.assert_allclose(W[:, i], expected, atol=2e-4)
            found = objective(problem, i, f, W[:, i], b[i], penalty)
            assert found == pytest.approx(smallest, rel=1e-7)

    def test_groups_are_exactly_zero_from_the_length_of_the_slope_on(self) -> None:
        problem, f = setting(SQUARED)
        for i in range(3):
            rows = problem.rows(i)
            X, residual = problem.X[rows], (problem.y - f)[rows]
            slope = X.T @ (residual - residual.mean())
            edge = np.linalg.norm(slope) / np.sqrt(problem.n_rows[i])
            for level, nothing in ((1.001 * edge, True), (0.999 * edge, False)):
                d = fit_own(problem, f, OwnPenalty(GROUP, level))[0][:, i]
                assert (not d.any()) is nothing


class TestLabels:
    @EVERY_KIND
    @BOTH
    def test_against_a_general_minimiser(self, kind: str, fit_intercept: bool) -> None:
        problem, f = setting(LOGISTIC, fit_intercept)
        penalty = OwnPenalty(kind, {RIDGE: 8.0, GROUP: 0.6, LASSO: 0.3}[kind])
        W, b = fit_own(problem, f, penalty)
        for i in range(3):
            expected, smallest = minimum(problem, i, f, penalty)
            found = objective(problem, i, f, W[:, i], b[i], penalty)
            assert found == pytest.approx(smallest, rel=1e-3)
            np.testing.assert_allclose(W[:, i], expected, atol=0.04)

    def test_groups_without_a_deviation_are_exactly_zero(self) -> None:
        problem, f = setting(LOGISTIC)
        W, b = fit_own(problem, f, OwnPenalty(GROUP, 50.0))
        assert not W.any()
        for i in range(3):  # the intercept alone is refitted
            rows = problem.rows(i)
            e, _ = twins.pull_and_stiffness(
                LOGISTIC, problem.y[rows], f[rows] + b[i], np.full(SIZES[i], 1.0 / SIZES[i])
            )
            assert e.sum() == pytest.approx(0.0, abs=2e-3)


@EITHER_LOSS
@EVERY_KIND
def test_rows_left_out_do_not_matter(loss: int, kind: str) -> None:
    problem, f = setting(loss)
    kept = np.arange(problem.y.size) % 4 > 0
    y, other = problem.y.copy(), f.copy()
    y[~kept], other[~kept] = -y[~kept], 7.0
    changed = replace(problem, y=y)
    levels = np.array([2.0, 0.2])
    one = OwnFits(problem, kept).path(kind, f, levels)
    two = OwnFits(changed, kept).path(kind, other, levels)
    np.testing.assert_array_equal(one.W, two.W)
    np.testing.assert_array_equal(one.b, two.b)


@EITHER_LOSS
@EVERY_KIND
def test_predictions_are_those_of_the_coefficients(loss: int, kind: str) -> None:
    problem, f = setting(loss)
    kept = np.random.default_rng(0).uniform(size=f.size) < 0.7
    fits, levels = OwnFits(problem, kept), np.array([2.0, 0.2])
    path = fits.path(kind, f, levels)
    _, W, b = path
    for step, predicted in enumerate(fits.predict_others(f, path)):
        own = twins.predict_clusters(problem.X, W[step], np.eye(3), b[step], problem.starts)
        np.testing.assert_allclose(predicted, (f + own)[~kept], atol=1e-12)


@EITHER_LOSS
@EVERY_KIND
def test_levels_fall_from_hardly_anything_to_hardly_a_penalty(loss: int, kind: str) -> None:
    problem = random_problem(loss, sizes=(60, 60))
    f, fits = np.zeros(problem.y.size), OwnFits(problem)
    levels = fits.levels(kind, f)
    assert levels.size == N_LEVELS
    assert (np.diff(levels) < 0).all()
    W = fits.path(kind, f, levels).W
    free = fits.path(RIDGE, f, np.array([1e-9 * levels[-1]])).W
    assert np.linalg.norm(W[0]) < 0.2 * np.linalg.norm(free)
    assert np.linalg.norm(W[-1]) > 0.5 * np.linalg.norm(free)


@EITHER_LOSS
@EVERY_KIND
def test_a_path_goes_on_where_another_has_ended(loss: int, kind: str) -> None:
    problem, f = setting(loss)
    fits = OwnFits(problem)
    levels = fits.levels(kind, f)
    whole, first = fits.path(kind, f, levels), fits.path(kind, f, levels[:6])
    second = fits.path(kind, f, levels[6:], first)
    np.testing.assert_allclose(np.concatenate([first.W, second.W]), whole.W, atol=1e-12)
    np.testing.assert_allclose(np.concatenate([first.b, second.b]), whole.b, atol=1e-12)


class TestAlone:
    @EITHER_LOSS
    def test_dense_fits_are_ridges_in_the_units_of_the_u_step(self, loss: int) -> None:
        """min of (1/n) L + lambda / 2 |w|^2."""
        problem, _ = setting(loss)
        start = dense_fits(problem, 6.0)
        for i in range(3):
            rows, n = problem.rows(i), problem.n_rows[i]
            f = problem.X[rows] @ start.W[:, i] + start.b[i]
            e, _ = twins.pull_and_stiffness(loss, problem.y[rows], f, np.full(n, 1.0 / n))
            slope = problem.X[rows].T @ e - start.lambdas[i] * start.W[:, i]
            np.testing.assert_allclose(slope, 0.0, atol=1e-9 if loss == SQUARED else 5e-3)
            assert e.sum() == pytest.approx(0.0, abs=1e-9 if loss == SQUARED else 5e-3)

    @EITHER_LOSS
    def test_no_clusters_and_every_task_on_its_own(self, loss: int) -> None:
        problem, _ = setting(loss)
        penalty = OwnPenalty(RIDGE, 3.0)
        state = fit_alone(problem, penalty)
        W, b = fit_own(problem, np.zeros(problem.y.size), penalty)
        np.testing.assert_array_equal(state.W, W)
        np.testing.assert_array_equal(state.b, b)
        assert (state.U.shape, state.V.shape) == ((12, 0), (0, 3))
        f = twins.predict_clusters(problem.X, W, np.eye(3), b, problem.starts)
        losses = twins.row_losses(loss, problem.y, f)
        expected = sum(losses[problem.rows(i)].mean() for i in range(3))
        assert state.loss == pytest.approx(expected, rel=1e-9)
        assert state.penalty == "ridge"
