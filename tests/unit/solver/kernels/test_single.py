"""One task under an l1 penalty: against plain sweeps, and against scikit-learn's solutions."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.kernels.single import (
    all_slopes,
    column_curvature,
    descend_task,
    newton_step,
    predict_task,
    shift_intercept,
    solve_level,
    start_task,
    sweep_task,
)
from tests.unit import twins
from tests.unit.problems import correlated_rows, targets
from tests.unit.solver.kernels.one_task import largest_slope, objective
from tests.unit.twins import LOSSES, Array, Indices

BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)

# Compiled once for every number of sweeps the solver asks for: what they do with other
# numbers is tested on the plain functions, which call compiled ones in turn.
plain_descend, plain_newton = descend_task.py_func, newton_step.py_func


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
    @pytest.mark.parametrize("level", [0.0, 0.5, 50.0])
    def test_matches_its_twin(
        self,
        state: tuple[Array, Array, Array, Array],
        level: float,
        coordinates: Indices,
        only_nonzero: bool,
    ) -> None:
        X, e, h, w = state
        expected = twins.sweep_task(X, e, h, w, level, coordinates, only_nonzero)
        curvature = X.T**2 @ h
        largest = sweep_task(X, e, h, curvature, w, level, coordinates, only_nonzero)
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
        gain = sweep_task(X, e.copy(), h, X.T**2 @ h, w, 0.2, np.array([1]), False)
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
        plain_descend(X, e, h, X.T**2 @ h, w, b, 0.7, np.arange(8), fit_intercept, 1e-20, 10_000)
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
        plain_descend(X, e, h, X.T**2 @ h, w, np.zeros(1), 0.1, np.arange(8), False, 0.0, 2)
        np.testing.assert_allclose(w, twice[0], rtol=1e-10, atol=1e-13)


def test_sums_over_columns() -> None:
    X = correlated_rows(20, 6, seed=3)
    w, b = np.array([0.0, 1.0, -2.0, 0.0, 0.5, 0.0]), np.array([0.3])
    f, curvature, slope = np.empty(20), np.full(6, -1.0), np.empty(6)
    h = np.linspace(0.0, 1.0, 20)
    predict_task(X, w, b, f)
    np.testing.assert_allclose(f, X @ w + 0.3, rtol=1e-13)
    column_curvature(X, h, np.array([1, 4]), curvature)
    np.testing.assert_allclose(curvature[[1, 4]], (X.T**2 @ h)[[1, 4]], rtol=1e-13)
    np.testing.assert_array_equal(curvature[[0, 2, 3, 5]], -1.0)
    all_slopes(X, h, slope)
    np.testing.assert_allclose(slope, X.T @ h, rtol=1e-12, atol=1e-14)


class State:
    """The arrays that the kernels of a path hand on, filled by ``start_task``."""

    def __init__(self, X: Array, y: Array, weight: Array, loss: int, fit_intercept: bool) -> None:
        n, D = X.shape
        self.X, self.y, self.weight, self.loss, self.fit_intercept = (
            X,
            y,
            weight,
            loss,
            fit_intercept,
        )
        # start_task must not trust what it finds
        self.w, self.b, self.curvature, self.slope = np.ones(D), np.ones(1), np.ones(D), np.ones(D)
        self.f, self.e, self.h = np.ones(n), np.ones(n), np.ones(n)
        self.null = start_task(
            X, y, weight, self.w, self.b, self.f, self.e, self.h, self.curvature, self.slope,
            loss, fit_intercept,
        )  # fmt: skip


class TestState:
    @EITHER_LOSS
    @BOTH
    def test_null_model(self, loss: int, fit_intercept: bool) -> None:
        X = correlated_rows(40, 5, seed=4)
        y = targets(X, loss, seed=5)
        weight = np.where(np.arange(40) < 30, 1 / 30, 0.0)
        state = State(X, y, weight, loss, fit_intercept)
        mean = y[:30].mean() if fit_intercept else 0.0
        level = mean if loss == SQUARED else np.log((1 + mean) / (1 - mean))
        e, h = twins.pull_and_stiffness(loss, y, np.full(40, level), weight)
        assert state.b[0] == pytest.approx(level, rel=1e-12, abs=1e-15)
        assert state.null == pytest.approx(
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
        y, weight = targets(X, loss, seed=5), np.full(40, 1 / 40)
        s = State(X, y, weight, loss, True)
        before = objective(loss, X, y, s.w, s.b[0], 0.05)
        fall = plain_newton(
            X, y, weight, 0.05, s.w, s.b, s.f, s.e, s.h, s.curvature, np.array([0, 2, 3]),
            loss, True, 1e-12, 500,
        )  # fmt: skip
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
        s = State(X, y, weight, loss, fit_intercept)
        assert np.abs(s.slope).max() < 2.0 * level
        solve_level(
            X, y, weight, level, 0.0, s.w, s.b, s.f, s.e, s.h, s.curvature, s.slope,
            loss, fit_intercept, 1e-12,
        )  # fmt: skip
        e, _ = twins.pull_and_stiffness(loss, y, X @ s.w + s.b[0], weight)
        assert s.w.any()
        assert twins.optimality_gap(X.T @ e, s.w, np.float64(level)) < 1e-5
        np.testing.assert_allclose(s.slope, X.T @ e, atol=1e-9)
