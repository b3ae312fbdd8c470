"""Own fits against mixtures on held-out rows, and which tasks stand out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.stats import t as student
from sklearn.linear_model import Lasso, LinearRegression

from stcmtl.solver.kernels.simplex import CONE, SIMPLEX
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from stcmtl.solver.records import Settings
from stcmtl.solver.single_task import initialise, lambda_path
from stcmtl.solver.unlike import (
    LEVELS_APART,
    MOST_PATTERNS,
    N_FOLDS,
    Served,
    compare,
    like_no_other,
    likelihood_ratio,
    noise_evidence,
    own_losses,
    predict_folds,
    stand_out,
)
from tests.unit import twins
from tests.unit.problems import Array, random_problem, simulated

CHECKED = Settings(n_clusters=3)


def served(gain: Array, loss: Array | None = None) -> Served:
    loss = np.ones(gain.size) if loss is None else loss
    return Served(gain, loss, 0.1 * loss)


def equal_tasks(T: int, n: int = 50) -> Problem:
    return random_problem(SQUARED, sizes=(n,) * T, D=2)


class TestOwnLosses:
    def test_are_those_of_scikit_learn_s_lasso(self) -> None:
        problem = random_problem(SQUARED, sizes=(40, 30))
        fold = problem.folds(N_FOLDS, 0)
        found = own_losses(problem, 0, None)
        for i in range(2):
            rows = problem.rows(i)
            X, y, part = problem.X[rows], problem.y[rows], fold[rows]
            errors = []
            for level in lambda_path(X, problem.null_pull[rows])[::LEVELS_APART]:
                squares = np.empty(y.size)
                for c in range(N_FOLDS):
                    lasso = Lasso(level / 2.0, tol=1e-8).fit(X[part != c], y[part != c])
                    squares[part == c] = (y[part == c] - lasso.predict(X[part == c])) ** 2
                errors.append(squares.mean())
            assert found[i] == pytest.approx(min(errors), rel=1e-3)


class TestMixtures:
    @pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
    def test_on_the_simplex_by_a_generic_optimiser(self, loss: int) -> None:
        problem = random_problem(loss)
        P = np.random.default_rng(1).normal(size=(problem.n_features, 3))
        rows = problem.rows(1)
        fold = problem.folds(4, 0)[rows]
        found = predict_folds(problem, 1, P, SIMPLEX, fold)
        Z, y = problem.X[rows] @ P, problem.y[rows]
        for c in range(4):
            kept = fold != c
            weight = np.full(kept.sum(), 1.0 / kept.sum())
            v, b, _ = twins.fit_memberships(Z[kept], y[kept], weight, loss, True)
            np.testing.assert_allclose(found[~kept], Z[~kept] @ v + b, atol=5e-3)

    def test_of_any_strength_are_nearly_nonnegative_least_squares(self) -> None:
        problem = random_problem(SQUARED, fit_intercept=False)
        P = np.random.default_rng(2).normal(size=(problem.n_features, 3))
        rows = problem.rows(0)
        fold = problem.folds(4, 0)[rows]
        Z, y = problem.X[rows] @ P, problem.y[rows]
        expected = np.empty(y.size)
        for c in range(4):
            expected[fold == c] = Z[fold == c] @ nnls(Z[fold != c], y[fold != c])[0]
        found = predict_folds(problem, 0, P, CONE, fold)
        assert np.abs(found - expected).max() < 0.05 * expected.std()

    def test_of_many_patterns_those_that_predict_best_are_mixed(self) -> None:
        problem = random_problem(SQUARED)
        rows = problem.rows(2)
        w = LinearRegression().fit(problem.X[rows], problem.y[rows]).coef_
        bad = np.random.default_rng(3).normal(size=(w.size, 3 * MOST_PATTERNS))
        fold = problem.folds(4, 0)[rows]
        among_many = predict_folds(problem, 2, np.column_stack([bad, w]), CONE, fold)
        assert np.corrcoef(among_many, problem.X[rows] @ w)[0, 1] > 0.9

    @pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
    def test_gains_by_hand(self, loss: int) -> None:
        problem = random_problem(loss)
        P = np.random.default_rng(4).normal(size=(problem.n_features, 2))
        own = np.linspace(0.2, 1.0, problem.n_tasks)
        found = compare(problem, lambda i: P, own, SIMPLEX, 0)
        fold = problem.folds(N_FOLDS, 0)
        mixed = np.empty(problem.n_tasks)
        for i in range(problem.n_tasks):
            rows = problem.rows(i)
            f = predict_folds(problem, i, P, SIMPLEX, fold[rows])
            mixed[i] = twins.row_losses(loss, problem.y[rows], f).mean()
        gain = mixed - own
        if loss == SQUARED:
            doubt = np.median(mixed)
            gain = np.log(np.sqrt(mixed + doubt)) - np.log(np.sqrt(own + doubt))
        np.testing.assert_allclose(found.gain, gain, rtol=1e-9)
        np.testing.assert_allclose(found.loss, mixed, rtol=1e-9)

    def test_without_patterns_nothing_is_gained(self) -> None:
        problem = random_problem(SQUARED)
        own = np.linspace(0.2, 1.0, problem.n_tasks)
        nothing = np.zeros((problem.n_features, 0))
        np.testing.assert_array_equal(compare(problem, lambda i: nothing, own, CONE, 0).gain, 0.0)


class TestStandingOut:
    def test_noise_counts_as_in_student_s_law(self) -> None:
        loss = np.exp(np.array([-0.5, 0.0, 0.0, 0.5, 4.0]))  # quartiles 0 and 0.5 of logarithms
        z = 4.0 / (0.5 / 1.349)
        expected = student.logpdf(0.0, 3) - student.logpdf(z, 3)
        assert noise_evidence(served(np.zeros(5), loss))[4] == pytest.approx(expected)
        assert (noise_evidence(served(np.zeros(5), loss))[:3] == 0.0).all()

    def test_by_hand(self) -> None:
        problem = equal_tasks(8)
        for gain, out in ((0.1, False), (0.26, False), (0.27, True)):  # (4.5 + log 8) / 25 = 0.263
            gains = np.array([gain, *[-0.2] * 7])
            assert stand_out(problem, served(gains), 4.5).tolist() == [out] + [False] * 7

    def test_noise_alone_makes_no_outlier(self) -> None:
        gain, loss = np.full(8, -0.01), np.array([1e6, *[1.0] * 7])
        assert not stand_out(equal_tasks(8), served(gain, loss), 0.0).any()

    def test_where_all_tasks_gain_none_stands_out(self) -> None:
        gain = np.linspace(0.9, 1.3, 8)
        assert (likelihood_ratio(equal_tasks(8), served(gain)) > 20).all()
        assert not stand_out(equal_tasks(8), served(gain), 4.5).any()

    def test_more_rows_than_others_have_do_not_count(self) -> None:
        problem = random_problem(SQUARED, sizes=(20, 20, 20, 20, 200), D=2)
        np.testing.assert_allclose(likelihood_ratio(problem, served(np.full(5, 0.1))), 1.0)


class TestBeforeTheFit:
    def test_outliers_are_set_aside_as_far_as_tasks_are_left(self) -> None:
        sim, problem = simulated(n_tasks=20, n_outliers=2)
        W, own = initialise(problem, 5, 0).W, own_losses(problem, 0, None)
        aside = like_no_other(problem, W, own, CHECKED, 3)
        assert aside[sim.truth.outliers].all()
        assert aside.sum() <= 22 // 4
        assert like_no_other(problem, W, own, CHECKED, 21).sum() == 1
        assert not like_no_other(problem, W, own, CHECKED, 22).any()
        never = Settings(n_clusters=3, outlier_factor=1e6)
        assert not like_no_other(problem, W, own, never, 3).any()
