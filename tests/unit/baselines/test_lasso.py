"""SingleTaskLasso against scikit-learn, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LogisticRegression

from stcmtl.baselines import SingleTaskLasso
from stcmtl.data.taskset import task_codes
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from stcmtl.solver.single_task import initialise
from tests.unit.baselines.manners import (
    KINDS,
    data,
    expect_least_squares,
    expect_null_intercepts,
    fitted,
)


@pytest.mark.parametrize("penalty", [0.3, 0.05])
def test_regression_is_scikit_learn_s_lasso(penalty: float) -> None:
    model = fitted(SingleTaskLasso, "regression", penalty=penalty)
    for i, (_, X, y) in enumerate(data("regression")):
        other = Lasso(alpha=penalty / 2.0, tol=1e-10, max_iter=100_000).fit(X, y)
        np.testing.assert_allclose(model.coef_[i], other.coef_, atol=1e-3)
        np.testing.assert_allclose(model.intercept_[i], other.intercept_, atol=1e-3)
    np.testing.assert_array_equal(model.penalty_, penalty)


@pytest.mark.parametrize("penalty", [0.1, 0.02])
def test_classification_is_scikit_learn_s_logistic_regression(penalty: float) -> None:
    model = fitted(SingleTaskLasso, "classification", penalty=penalty)
    for i, (_, X, y) in enumerate(data("classification")):
        C = 1.0 / (penalty * len(y))
        other = LogisticRegression(l1_ratio=1.0, C=C, solver="saga", tol=1e-8, max_iter=100_000)
        other.fit(X, y)
        np.testing.assert_allclose(model.coef_[i], other.coef_[0], atol=1e-3)
        np.testing.assert_allclose(model.intercept_[i], other.intercept_[0], atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_cross_validated_fits_are_the_initial_ones(kind: str) -> None:
    train, model = data(kind), fitted(SingleTaskLasso, kind, cv=5)
    loss = SQUARED if kind == "regression" else LOGISTIC
    problem = Problem.build(train.X, train.y, task_codes(train.tasks)[1], loss, True)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    initial = initialise(problem, 5, seed)
    np.testing.assert_array_equal(model.coef_, initial.W.T)
    np.testing.assert_array_equal(model.penalty_, initial.lambdas)


def test_penalty_zero_is_least_squares() -> None:
    expect_least_squares(fitted(SingleTaskLasso, "regression", penalty=0.0))


@pytest.mark.parametrize("kind", KINDS)
def test_a_huge_penalty_leaves_the_null_model(kind: str) -> None:
    model = fitted(SingleTaskLasso, kind, penalty=1e6)
    assert not model.coef_.any()
    expect_null_intercepts(model, kind)


def test_the_path_is_a_mean_over_tasks() -> None:
    model = fitted(SingleTaskLasso, "regression")
    levels = [point.penalties["penalty"] for point in model.cv_path_]
    assert all(np.diff(levels) < 0)
    lowest = min(point.loss for point in model.cv_path_)
    assert model.cv_path_[0].loss > lowest


def test_history_is_the_objective() -> None:
    model = fitted(SingleTaskLasso, "regression", penalty=0.1)
    total = 0.1 * np.abs(model.coef_).sum()
    for i, (_, X, y) in enumerate(data("regression")):
        total += np.mean((y - X @ model.coef_[i] - model.intercept_[i]) ** 2)
    assert model.history_[-1] == pytest.approx(total)
