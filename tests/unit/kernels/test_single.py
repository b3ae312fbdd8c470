"""One task under an l1 penalty: against plain sweeps, and against scikit-learn's solutions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LogisticRegression

from stcmtl.kernels.losses import LOGISTIC, SQUARED
from stcmtl.kernels.single import (
    all_slopes,
    column_curvature,
    descend_task,
    l1_cross_validation,
    l1_path,
    l1_sweeps,
    newton_step,
    predict_task,
    shift_intercept,
    solve_level,
    start_task,
    sweep_task,
)
from tests.unit import twins
from tests.unit.problems import correlated_rows, targets
from tests.unit.twins import LOSSES, Array, Indices

BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)

# Compiled once for every number of sweeps the solver asks for: what they do with other
# numbers is tested on the plain functions, which call compiled ones in turn.
plain_descend, plain_newton = descend_task.py_func, newton_step.py_func


def objective(loss: int, X: Array, y: Array, w: Array, b: float, level: float) -> float:
    """(1/n) L(y, X w + b) + level |w|_1."""
    return float(twins.row_losses(loss, y, X @ w + b).mean() + level * np.abs(w).sum())


def largest_slope(loss: int, X: Array, y: Array, fit_intercept: bool) -> float:
    """The smallest lambda at which w = 0; -dL/df is 2 (or 1/2 for labels) times y - mean."""
    pull = (2.0 if loss == SQUARED else 0.5) * (y - (y.mean() if fit_intercept else 0.0))
    return float(np.abs(X.T @ pull).max() / len(y))


def sklearn_fit(
    loss: int, X: Array, y: Array, level: float, fit_intercept: bool
) -> tuple[Array, float]:
    """scikit-learn's solution of the same problem."""
    if loss == SQUARED:
        lasso = Lasso(alpha=level / 2, fit_intercept=fit_intercept, tol=1e-13, max_iter=10**5)
        lasso.fit(X, y)
        return lasso.coef_, float(np.squeeze(lasso.intercept_))
    # liblinear is quick, but would penalise the intercept
    solver = LogisticRegression(
        l1_ratio=1.0, C=1.0 / (len(y) * level), fit_intercept=fit_intercept, tol=1e-8,
        solver="saga" if fit_intercept else "liblinear", max_iter=20000, random_state=0,
    )  # fmt: skip
    solver.fit(X, y)
    return solver.coef_[0], float(np.squeeze(solver.intercept_))


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


class TestPath:
    @BOTH
    @pytest.mark.parametrize(("n", "D"), [(30, 80), (120, 20)], ids=["n<D", "n>D"])
    @pytest.mark.parametrize("correlation", [0.0, 0.9])
    def test_squared_loss_against_lasso(
        self, n: int, D: int, correlation: float, fit_intercept: bool
    ) -> None:
        X = correlated_rows(n, D, seed=8, correlation=correlation) + 0.5
        y = targets(X, SQUARED, seed=9)
        levels = largest_slope(SQUARED, X, y, fit_intercept) * np.geomspace(0.95, 0.01, 8)
        if fit_intercept:
            levels = largest_slope(SQUARED, X - X.mean(0), y, True) * np.geomspace(0.95, 0.01, 8)
        W, B = l1_path(X, y, levels, SQUARED, fit_intercept, 1e-11)
        assert fit_intercept or not B.any()
        for w, b, level in zip(W, B, levels, strict=True):
            expected = objective(
                SQUARED, X, y, *sklearn_fit(SQUARED, X, y, level, fit_intercept), level
            )
            assert objective(SQUARED, X, y, w, b, level) == pytest.approx(expected, rel=1e-6)
            assert w.any()

    @BOTH
    @pytest.mark.parametrize(("n", "D"), [(40, 60), (100, 12)], ids=["n<D", "n>D"])
    def test_logistic_loss_against_scikit_learn(self, n: int, D: int, fit_intercept: bool) -> None:
        X = correlated_rows(n, D, seed=10)
        y = targets(X, LOGISTIC, seed=11)
        levels = largest_slope(LOGISTIC, X, y, fit_intercept) * np.array([0.9, 0.5, 0.2, 0.1])
        W, B = l1_path(X, y, levels, LOGISTIC, fit_intercept, 1e-10)
        assert fit_intercept or not B.any()
        for w, b, level in zip(W, B, levels, strict=True):
            expected = objective(
                LOGISTIC, X, y, *sklearn_fit(LOGISTIC, X, y, level, fit_intercept), level
            )
            assert objective(LOGISTIC, X, y, w, b, level) == pytest.approx(expected, rel=1e-6)
            assert w.any()

    @EITHER_LOSS
    @BOTH
    def test_optimality_conditions_along_the_path(self, loss: int, fit_intercept: bool) -> None:
        X = correlated_rows(60, 25, seed=12, correlation=0.8)
        y = targets(X, loss, seed=13)
        levels = largest_slope(loss, X, y, fit_intercept) * np.geomspace(1.0, 0.02, 10)
        W, B = l1_path(X, y, levels, loss, fit_intercept, 1e-13)
        for w, b, level in zip(W, B, levels, strict=True):
            e, _ = twins.pull_and_stiffness(loss, y, X @ w + b, np.full(60, 1 / 60))
            assert twins.optimality_gap(X.T @ e, w, np.float64(level)) < 1e-4
            assert not fit_intercept or abs(e.sum()) < 1e-6

    @EITHER_LOSS
    @BOTH
    def test_starts_at_zero_and_only_there(self, loss: int, fit_intercept: bool) -> None:
        X = correlated_rows(60, 25, seed=14)
        X -= X.mean(axis=0)
        y = targets(X, loss, seed=15)
        highest = largest_slope(loss, X, y, fit_intercept)
        W, _ = l1_path(X, y, highest * np.array([1.0 + 1e-9, 0.99]), loss, fit_intercept, 1e-10)
        assert np.count_nonzero(W, axis=1).tolist() == [0, 1]

    @EITHER_LOSS
    def test_a_path_is_a_sequence_of_problems(self, loss: int) -> None:
        X = correlated_rows(50, 20, seed=16)
        y = targets(X, loss, seed=17)
        levels = largest_slope(loss, X, y, True) * np.geomspace(0.8, 0.05, 6)
        W, B = l1_path(X, y, levels, loss, True, 1e-13)
        for w, b, level in zip(W, B, levels, strict=True):
            alone, b_alone = l1_path(X, y, np.array([level]), loss, True, 1e-13)
            np.testing.assert_allclose(w, alone[0], atol=1e-5)
            assert b == pytest.approx(b_alone[0], abs=1e-5)

    @EITHER_LOSS
    def test_zero_columns_get_nothing_and_change_nothing(self, loss: int) -> None:
        X = correlated_rows(50, 10, seed=18)
        y = targets(X, loss, seed=19)
        levels = largest_slope(loss, X, y, True) * np.array([0.5, 0.05])
        padded = np.zeros((50, 13), order="F")
        padded[:, [0, 1, 3, 4, 5, 7, 8, 9, 10, 12]] = X
        W, B = l1_path(X, y, levels, loss, True, 1e-12)
        P, B_padded = l1_path(padded, y, levels, loss, True, 1e-12)
        np.testing.assert_array_equal(P[:, [2, 6, 11]], 0.0)
        np.testing.assert_allclose(np.delete(P, [2, 6, 11], axis=1), W, atol=1e-8)
        np.testing.assert_allclose(B_padded, B, atol=1e-8)

    @EITHER_LOSS
    def test_duplicated_columns_share_one_effect(self, loss: int) -> None:
        X = correlated_rows(50, 8, seed=20)
        y = targets(X, loss, seed=21)
        levels = largest_slope(loss, X, y, True) * np.array([0.5, 0.05])
        twice = np.asfortranarray(np.hstack([X, X]))
        W, B = l1_path(X, y, levels, loss, True, 1e-13)
        W2, B2 = l1_path(twice, y, levels, loss, True, 1e-13)
        np.testing.assert_allclose(W2[:, :8] + W2[:, 8:], W, atol=1e-5)
        for w, b, w2, b2, level in zip(W, B, W2, B2, levels, strict=True):
            assert objective(loss, twice, y, w2, b2, level) == pytest.approx(
                objective(loss, X, y, w, b, level), rel=1e-9
            )

    def test_constant_targets_need_no_coefficients(self) -> None:
        X = correlated_rows(20, 30, seed=22)
        W, B = l1_path(X, np.full(20, 3.0), np.array([0.5, 0.0]), SQUARED, True, 1e-10)
        np.testing.assert_allclose(W, 0.0, atol=1e-12)
        np.testing.assert_allclose(B, 3.0, rtol=1e-12)

    def test_separable_labels_stay_finite(self) -> None:
        X = correlated_rows(30, 60, seed=23)
        y = np.sign(X[:, 0])
        level = 0.001
        W, B = l1_path(X, y, np.array([0.1, 0.01, level]), LOGISTIC, True, 1e-10)
        e, _ = twins.pull_and_stiffness(LOGISTIC, y, X @ W[2] + B[2], np.full(30, 1 / 30))
        assert twins.optimality_gap(X.T @ e, W[2], np.float64(level)) < 1e-2
        assert (np.sign(X @ W[2] + B[2]) == y).all()


class TestCrossValidation:
    @pytest.mark.parametrize(("n", "D"), [(30, 50), (83, 12)], ids=["n<D", "n>D"])
    @BOTH
    def test_squared_loss_against_a_loop_over_folds(
        self, n: int, D: int, fit_intercept: bool
    ) -> None:
        X = correlated_rows(n, D, seed=24)
        y = targets(X, SQUARED, seed=25)
        fold = np.random.default_rng(26).permutation(np.arange(n) % 4)
        levels = largest_slope(SQUARED, X, y, fit_intercept) * np.geomspace(1.0, 0.03, 25)
        errors = l1_cross_validation(X, y, fold, levels, SQUARED, fit_intercept, 1e-14, 25)
        expected = np.zeros(25)
        for c in range(4):
            held_out = fold == c
            for j, level in enumerate(levels):
                w, b = sklearn_fit(SQUARED, X[~held_out], y[~held_out], level, fit_intercept)
                expected[j] += ((y[held_out] - X[held_out] @ w - b) ** 2).sum() / n
        np.testing.assert_allclose(errors, expected, rtol=1e-4)
        assert errors.argmin() == expected.argmin()
        assert expected.argmin() > 0

    def test_logistic_loss_against_a_loop_over_folds(self) -> None:
        X = correlated_rows(60, 15, seed=27)
        y = targets(X, LOGISTIC, seed=28, offset=0.0)
        fold = np.random.default_rng(29).permutation(np.arange(60) % 3)
        levels = largest_slope(LOGISTIC, X, y, False) * np.geomspace(1.0, 0.02, 10)
        errors = l1_cross_validation(X, y, fold, levels, LOGISTIC, False, 1e-10, 10)
        expected = np.zeros(10)
        for c in range(3):
            held_out = fold == c
            for j, level in enumerate(levels):
                w, b = sklearn_fit(LOGISTIC, X[~held_out], y[~held_out], level, False)
                f = X[held_out] @ w + b
                expected[j] += twins.row_losses(LOGISTIC, y[held_out], f).sum() / 60
        np.testing.assert_allclose(errors, expected, rtol=1e-4)
        assert errors.argmin() == expected.argmin()

    def test_gives_up_when_patience_ends(self) -> None:
        X = correlated_rows(30, 50, seed=24)
        y = targets(X, SQUARED, seed=25)
        fold = np.arange(30) % 4
        levels = largest_slope(SQUARED, X, y, True) * np.geomspace(1.0, 0.01, 40)
        whole = l1_cross_validation(X, y, fold, levels, SQUARED, True, 1e-8, 40)
        short = l1_cross_validation(X, y, fold, levels, SQUARED, True, 1e-8, 5)
        end = whole.argmin() + 5
        assert np.isfinite(whole).all()
        np.testing.assert_array_equal(short[: end + 1], whole[: end + 1])
        assert np.isinf(short[end + 1 :]).all()
        assert end < 39


class TestSweeps:
    @BOTH
    @pytest.mark.parametrize("n_sweeps", [1, 3])
    def test_squared_loss_is_that_many_plain_sweeps(
        self, n_sweeps: int, fit_intercept: bool
    ) -> None:
        X = correlated_rows(25, 10, seed=30)
        y = targets(X, SQUARED, seed=31)
        w, b = np.where(np.arange(10) % 2, 0.0, 0.5), np.array([0.2])
        expected, b_expected, h = w.copy(), 0.2, np.full(25, 2 / 25)
        for _ in range(n_sweeps):
            e = h * (y - X @ expected - b_expected)
            expected, e, _ = twins.sweep_task(X, e, h, expected, 0.1, np.arange(10), False)
            b_expected += fit_intercept * e.sum() / h.sum()
        l1_sweeps(X, y, 0.1, w, b, SQUARED, fit_intercept, n_sweeps)
        np.testing.assert_allclose(w, expected, atol=1e-12)
        assert b[0] == pytest.approx(b_expected, abs=1e-12)

    @BOTH
    def test_logistic_loss_renews_its_model_before_every_sweep(self, fit_intercept: bool) -> None:
        X = correlated_rows(40, 6, seed=32)
        y = targets(X, LOGISTIC, seed=33)
        w, b = np.zeros(6), np.zeros(1)
        expected, b_expected = np.zeros(6), 0.0
        for _ in range(3):
            e, h = twins.pull_and_stiffness(
                LOGISTIC, y, X @ expected + b_expected, np.full(40, 1 / 40)
            )
            expected, e, _ = twins.sweep_task(X, e, h, expected, 0.05, np.arange(6), False)
            b_expected += fit_intercept * e.sum() / h.sum()
        l1_sweeps(X, y, 0.05, w, b, LOGISTIC, fit_intercept, 3)
        np.testing.assert_allclose(w, expected, atol=1e-11)
        assert b[0] == pytest.approx(b_expected, abs=1e-11)

    @EITHER_LOSS
    def test_many_sweeps_end_where_the_path_does(self, loss: int) -> None:
        X = correlated_rows(40, 6, seed=34)
        y = targets(X, loss, seed=35)
        w, b = np.ones(6), np.zeros(1)
        l1_sweeps(X, y, 0.05, w, b, loss, True, 300)
        W, B = l1_path(X, y, np.array([0.05]), loss, True, 1e-14)
        np.testing.assert_allclose(w, W[0], atol=1e-6)
        assert b[0] == pytest.approx(B[0], abs=1e-6)
