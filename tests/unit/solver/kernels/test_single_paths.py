"""Paths and cross-validation of one task, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.kernels.single import l1_cross_validation, l1_path, l1_sweeps
from tests.unit import twins
from tests.unit.problems import correlated_rows, targets
from tests.unit.solver.kernels.one_task import largest_slope, objective, one_task, sklearn_fit
from tests.unit.twins import LOSSES

BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)


class TestPath:
    @EITHER_LOSS
    @BOTH
    @pytest.mark.parametrize(("n", "D"), [(35, 70), (110, 15)], ids=["n<D", "n>D"])
    def test_against_scikit_learn(self, loss: int, n: int, D: int, fit_intercept: bool) -> None:
        X = correlated_rows(n, D, seed=10, correlation=0.9 if loss == SQUARED else 0.6)
        y = targets(X, loss, seed=11)
        centred = X - X.mean(axis=0) if fit_intercept else X
        highest = largest_slope(loss, centred, y, fit_intercept)
        levels = highest * np.array([0.9, 0.5, 0.2, 0.1])
        W, B = l1_path(one_task(X, y, loss, fit_intercept), levels, 1e-11)
        assert fit_intercept or not B.any()
        for w, b, level in zip(W, B, levels, strict=True):
            theirs = sklearn_fit(loss, X, y, level, fit_intercept)
            expected = objective(loss, X, y, *theirs, level)
            assert objective(loss, X, y, w, b, level) == pytest.approx(expected, rel=1e-6)
            assert w.any()

    @EITHER_LOSS
    @BOTH
    def test_optimality_conditions_along_the_path(self, loss: int, fit_intercept: bool) -> None:
        X = correlated_rows(60, 25, seed=12, correlation=0.8)
        y = targets(X, loss, seed=13)
        levels = largest_slope(loss, X, y, fit_intercept) * np.geomspace(1.0, 0.02, 10)
        W, B = l1_path(one_task(X, y, loss, fit_intercept), levels, 1e-13)
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
        W, _ = l1_path(
            one_task(X, y, loss, fit_intercept), highest * np.array([1.0 + 1e-9, 0.99]), 1e-10
        )
        assert np.count_nonzero(W, axis=1).tolist() == [0, 1]

    @EITHER_LOSS
    def test_zero_columns_get_nothing_and_change_nothing(self, loss: int) -> None:
        X = correlated_rows(50, 10, seed=18)
        y = targets(X, loss, seed=19)
        levels = largest_slope(loss, X, y, True) * np.array([0.5, 0.05])
        padded = np.zeros((50, 13), order="F")
        padded[:, [0, 1, 3, 4, 5, 7, 8, 9, 10, 12]] = X
        W, B = l1_path(one_task(X, y, loss, True), levels, 1e-12)
        P, B_padded = l1_path(one_task(padded, y, loss, True), levels, 1e-12)
        np.testing.assert_array_equal(P[:, [2, 6, 11]], 0.0)
        np.testing.assert_allclose(np.delete(P, [2, 6, 11], axis=1), W, atol=1e-8)
        np.testing.assert_allclose(B_padded, B, atol=1e-8)

    @EITHER_LOSS
    def test_duplicated_columns_share_one_effect(self, loss: int) -> None:
        X = correlated_rows(50, 8, seed=20)
        y = targets(X, loss, seed=21)
        levels = largest_slope(loss, X, y, True) * np.array([0.5, 0.05])
        twice = np.asfortranarray(np.hstack([X, X]))
        W, B = l1_path(one_task(X, y, loss, True), levels, 1e-13)
        W2, B2 = l1_path(one_task(twice, y, loss, True), levels, 1e-13)
        np.testing.assert_allclose(W2[:, :8] + W2[:, 8:], W, atol=1e-5)
        for w, b, w2, b2, level in zip(W, B, W2, B2, levels, strict=True):
            assert objective(loss, twice, y, w2, b2, level) == pytest.approx(
                objective(loss, X, y, w, b, level), rel=1e-9
            )

    def test_constant_targets_need_no_coefficients(self) -> None:
        X = correlated_rows(20, 30, seed=22)
        W, B = l1_path(one_task(X, np.full(20, 3.0), SQUARED, True), np.array([0.5, 0.0]), 1e-10)
        np.testing.assert_allclose(W, 0.0, atol=1e-12)
        np.testing.assert_allclose(B, 3.0, rtol=1e-12)

    def test_separable_labels_stay_finite(self) -> None:
        X = correlated_rows(30, 60, seed=23)
        y = np.sign(X[:, 0])
        level = 0.001
        W, B = l1_path(one_task(X, y, LOGISTIC, True), np.array([0.1, 0.01, level]), 1e-10)
        e, _ = twins.pull_and_stiffness(LOGISTIC, y, X @ W[2] + B[2], np.full(30, 1 / 30))
        assert twins.optimality_gap(X.T @ e, W[2], np.float64(level)) < 1e-2
        assert (np.sign(X @ W[2] + B[2]) == y).all()


class TestOffset:
    """Predictions that are there already."""

    @EITHER_LOSS
    @BOTH
    def test_optimality_conditions_beside_it(self, loss: int, fit_intercept: bool) -> None:
        X = correlated_rows(60, 25, seed=12, correlation=0.8)
        y, offset = targets(X, loss, seed=13), np.random.default_rng(14).normal(size=60)
        levels = largest_slope(loss, X, y, fit_intercept) * np.geomspace(1.0, 0.02, 6)
        W, B = l1_path(one_task(X, y, loss, fit_intercept, offset=offset), levels, 1e-13)
        for w, b, level in zip(W, B, levels, strict=True):
            e, _ = twins.pull_and_stiffness(loss, y, offset + X @ w + b, np.full(60, 1 / 60))
            assert twins.optimality_gap(X.T @ e, w, np.float64(level)) < 1e-4
            assert not fit_intercept or e.sum() == pytest.approx(0.0, abs=1e-6)

    @BOTH
    def test_under_the_squared_loss_residuals_are_explained(self, fit_intercept: bool) -> None:
        X = correlated_rows(40, 10, seed=15)
        y, offset = targets(X, SQUARED, seed=16), np.random.default_rng(17).normal(size=40)
        given = one_task(X, y, SQUARED, fit_intercept, offset=offset)
        (w,), (b,) = l1_path(given, np.array([0.2]), 1e-14)
        theirs = sklearn_fit(SQUARED, X, y - offset, 0.2, fit_intercept)
        np.testing.assert_allclose(w, theirs[0], atol=1e-5)
        assert b == pytest.approx(theirs[1], abs=1e-5)


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
        errors = l1_cross_validation(
            one_task(X, y, SQUARED, fit_intercept), fold, np.ones(n), levels, 1e-14, 25
        )
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
        errors = l1_cross_validation(
            one_task(X, y, LOGISTIC, False), fold, np.ones(len(y)), levels, 1e-10, 10
        )
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
        whole = l1_cross_validation(
            one_task(X, y, SQUARED, True), fold, np.ones(len(y)), levels, 1e-8, 40
        )
        short = l1_cross_validation(
            one_task(X, y, SQUARED, True), fold, np.ones(len(y)), levels, 1e-8, 5
        )
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
        l1_sweeps(one_task(X, y, SQUARED, fit_intercept), 0.1, w, b, n_sweeps)
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
        l1_sweeps(one_task(X, y, LOGISTIC, fit_intercept), 0.05, w, b, 3)
        np.testing.assert_allclose(w, expected, atol=1e-11)
        assert b[0] == pytest.approx(b_expected, abs=1e-11)

    @EITHER_LOSS
    def test_many_sweeps_end_where_the_path_does(self, loss: int) -> None:
        X = correlated_rows(40, 6, seed=34)
        y = targets(X, loss, seed=35)
        w, b = np.ones(6), np.zeros(1)
        l1_sweeps(one_task(X, y, loss, True), 0.05, w, b, 300)
        W, B = l1_path(one_task(X, y, loss, True), np.array([0.05]), 1e-14)
        np.testing.assert_allclose(w, W[0], atol=1e-6)
        assert b[0] == pytest.approx(B[0], abs=1e-6)
