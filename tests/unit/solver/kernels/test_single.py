"""One task under an l1 penalty: against plain sweeps, and against scikit-learn's solutions."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.kernels.single import (
    Point,
    Task,
    descend_task,
    fill_curvature,
    fill_slopes,
    gram_of,
    newton_step,
    predict_task,
    shift_intercept,
    solve_level,
    start_task,
    sweep_task,
)
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.problems import correlated_rows, targets
from tests.unit.solver.kernels.one_task import largest_slope, objective, one_task
from tests.unit.twins import LOSSES, Array, Indices

BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)

# Compiled once for every number of sweeps the solver asks for: what they do with other
# numbers is tested on the plain functions, which call compiled ones in turn.
plain_descend, plain_newton = descend_task.py_func, newton_step.py_func


def model(
    X: Array, e: Array, h: Array, w: Array, b: Array | None = None, fit_intercept: bool = True
) -> tuple[Task, Point]:
    """The quadratic model of pull e and stiffness h around the point w, b."""
    n, D = X.shape
    b = np.zeros(1) if b is None else b
    task = one_task(X, np.zeros(n), SQUARED, fit_intercept)
    return task, Point(w, b, np.zeros(n), e, h, X.T**2 @ h, np.zeros(D))


class TestSweep:
    @pytest.fixture
    def state(self) -> tuple[Array, Array, Array, Array]:
        """X with a constant zero column, a pull, stiffnesses, and a w with zeros."""
        X = correlated_rows(30, 8, seed=1)
        X[:, 5] = 0.0
        rng = np.random.default_rng(2)
        h = rng.uniform(0.1, 1.0, 30)
        h[:4] = 0.0
        return X, h * rng.normal(size=30), h, np.where(np.arange(8) % 3, rng.normal(size=8), 0.0)

    @pytest.mark.parametrize("only_nonzero", [True, False])
    @pytest.mark.parametrize(
        "coordinates", [np.arange(8), np.array([6, 0, 2, 5])], ids=["all", "some"]
    )
    @together("level", [0.0, 0.5, 50.0])
    def test_matches_its_twin(
        self,
        state: tuple[Array, Array, Array, Array],
        level: float,
        coordinates: Indices,
        only_nonzero: bool,
    ) -> None:
        X, e, h, w = state
        expected = twins.sweep_task(X, e, h, w, level, coordinates, only_nonzero)
        largest = sweep_task(*model(X, e, h, w), level, coordinates, only_nonzero)
        np.testing.assert_allclose(w, expected[0], rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(e, expected[1], rtol=1e-10, atol=1e-13)
        assert largest == pytest.approx(expected[2], rel=1e-10)

    def test_gain_is_twice_the_fall_of_the_objective(
        self, state: tuple[Array, Array, Array, Array]
    ) -> None:
        X, e, h, w = state
        w[:] = 0.0
        y = np.divide(e, h, out=np.zeros(30), where=h > 0)

        def value(w: Array) -> float:
            return 0.5 * float(h @ (y - X @ w) ** 2) + 0.2 * float(np.abs(w).sum())

        start = value(w)
        gain = sweep_task(*model(X, e.copy(), h, w), 0.2, np.array([1]), False)
        assert start - value(w) == pytest.approx(0.5 * gain, rel=1e-10)

    def test_intercept_step_is_exact(self, state: tuple[Array, Array, Array, Array]) -> None:
        _, e, h, _ = state
        before = e.copy()
        step = shift_intercept(e, h)
        assert step == pytest.approx(before.sum() / h.sum(), rel=1e-12)
        np.testing.assert_allclose(e, before - step * h, atol=1e-14)
        assert e.sum() == pytest.approx(0.0, abs=1e-13)

    def test_intercept_of_held_out_rows_stays(self) -> None:
        assert shift_intercept(np.zeros(4), np.zeros(4)) == 0.0

    @BOTH
    def test_descent_ends_at_the_optimum(
        self, state: tuple[Array, Array, Array, Array], fit_intercept: bool
    ) -> None:
        X, e, h, w = state
        w[5] = 0.0
        start, pull, b = w.copy(), e.copy(), np.array([0.4])
        task, at = model(X, e, h, w, b, fit_intercept)
        plain_descend(task, at, 0.7, np.arange(8), 1e-20, 10_000)
        remaining = pull - h * (X @ (w - start) + b[0] - 0.4)
        np.testing.assert_allclose(e, remaining, atol=1e-10)
        assert twins.optimality_gap(X.T @ remaining, w, np.float64(0.7)) < 1e-8
        assert 0 < np.count_nonzero(w) < 8
        assert (b[0] == 0.4) is not fit_intercept
        assert not fit_intercept or remaining.sum() == pytest.approx(0.0, abs=1e-8)

    def test_descent_stops_after_the_sweeps_it_is_given(
        self, state: tuple[Array, Array, Array, Array]
    ) -> None:
        X, e, h, w = state
        once = twins.sweep_task(X, e, h, w, 0.1, np.arange(8), False)
        twice = twins.sweep_task(X, once[1], h, once[0], 0.1, np.arange(8), True)  # active set
        task, at = model(X, e, h, w, fit_intercept=False)
        plain_descend(task, at, 0.1, np.arange(8), 0.0, 2)
        np.testing.assert_allclose(w, twice[0], rtol=1e-10, atol=1e-13)


def test_sums_over_columns() -> None:
    X = correlated_rows(20, 6, seed=3)
    w, h, f = np.array([0.0, 1.0, -2.0, 0.0, 0.5, 0.0]), np.linspace(0.0, 1.0, 20), np.empty(20)
    task, at = model(X, h, h, w, np.array([0.3]))
    predict_task(task, w, at.b, f)
    np.testing.assert_allclose(f, X @ w + 0.3, rtol=1e-13)
    at.curvature[:] = -1.0
    fill_curvature(task, at, np.array([1, 4]))
    np.testing.assert_allclose(at.curvature[[1, 4]], (X.T**2 @ h)[[1, 4]], rtol=1e-13)
    np.testing.assert_array_equal(at.curvature[[0, 2, 3, 5]], -1.0)
    fill_slopes(task, at)
    np.testing.assert_allclose(at.slope, X.T @ h, rtol=1e-12, atol=1e-14)


class TestState:
    @EITHER_LOSS
    @BOTH
    def test_null_model(self, loss: int, fit_intercept: bool) -> None:
        X = correlated_rows(40, 5, seed=4)
        y = targets(X, loss, seed=5)
        weight = np.where(np.arange(40) < 30, 1 / 30, 0.0)
        state, null = start_task(one_task(X, y, loss, fit_intercept, weight))
        mean = y[:30].mean() if fit_intercept else 0.0
        level = mean if loss == SQUARED else np.log((1 + mean) / (1 - mean))
        e, h = twins.pull_and_stiffness(loss, y, np.full(40, level), weight)
        assert state.b[0] == pytest.approx(level, rel=1e-12, abs=1e-15)
        assert null == pytest.approx(
            twins.row_losses(loss, y[:30], np.full(30, level)).mean(), rel=1e-12
        )
        np.testing.assert_array_equal(state.w, 0.0)
        np.testing.assert_allclose(state.f, level, rtol=1e-12)
        np.testing.assert_allclose(state.e, e, atol=1e-14)
        np.testing.assert_allclose(state.h, h, rtol=1e-11)
        np.testing.assert_allclose(state.slope, X.T @ e, atol=1e-13)
        np.testing.assert_allclose(state.curvature, X.T**2 @ h, rtol=1e-11)

    @EITHER_LOSS
    def test_newton_step_moves_everything_together(self, loss: int) -> None:
        X = correlated_rows(40, 5, seed=4)
        y = targets(X, loss, seed=5)
        task = one_task(X, y, loss)
        s, _ = start_task(task)
        before = objective(loss, X, y, s.w, s.b[0], 0.05)
        fall = plain_newton(task, s, 0.05, np.array([0, 2, 3]), 1e-12, 500)
        after = objective(loss, X, y, s.w, s.b[0], 0.05)
        np.testing.assert_allclose(s.f, X @ s.w + s.b[0], atol=1e-12)
        np.testing.assert_array_equal(s.w[[1, 4]], 0.0)
        assert after < before - 0.01
        assert fall == pytest.approx(before - after if loss == LOGISTIC else 0.0, abs=1e-12)

    @EITHER_LOSS
    @BOTH
    def test_features_left_out_wrongly_are_taken_back(self, loss: int, fit_intercept: bool) -> None:
        """A previous level of 0 makes the strong rule drop slopes below twice the level."""
        X = correlated_rows(50, 10, seed=6)
        y, weight = targets(X, loss, seed=7), np.full(50, 1 / 50)
        level = 0.6 * largest_slope(loss, X, y, fit_intercept)
        task = one_task(X, y, loss, fit_intercept)
        s, _ = start_task(task)
        assert np.abs(s.slope).max() < 2.0 * level
        solve_level(task, s, gram_of(task), level, 0.0, 1e-12)
        e, _ = twins.pull_and_stiffness(loss, y, X @ s.w + s.b[0], weight)
        assert s.w.any()
        assert twins.optimality_gap(X.T @ e, s.w, np.float64(level)) < 1e-5
        np.testing.assert_allclose(s.slope, X.T @ e, atol=1e-9)
