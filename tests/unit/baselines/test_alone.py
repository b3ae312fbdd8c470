"""SingleTaskLasso and SingleTaskRidge against scikit-learn, and their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LogisticRegression, Ridge

from stcmtl import simulate
from stcmtl.baselines import SingleTaskLasso, SingleTaskRidge
from stcmtl.data.taskset import task_codes
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from stcmtl.solver.single_task import initialise
from tests.unit.baselines.gradients import loss_gradients
from tests.unit.baselines.manners import (
    KINDS,
    data,
    expect_least_squares,
    expect_null_intercepts,
    expect_ridge,
    fitted,
)

BOTH = pytest.mark.parametrize("kind", KINDS)
METHODS = pytest.mark.parametrize("method", [SingleTaskLasso, SingleTaskRidge])


@METHODS
def test_penalty_zero_is_least_squares(method: Any) -> None:
    expect_least_squares(fitted(method, "regression", penalty=0.0))


@BOTH
@METHODS
def test_a_huge_penalty_leaves_the_null_model(method: Any, kind: str) -> None:
    model = fitted(method, kind, penalty=1e8)
    np.testing.assert_allclose(model.coef_, 0.0, atol=0.0 if method is SingleTaskLasso else 1e-6)
    expect_null_intercepts(model, kind)


@METHODS
def test_the_path_is_a_mean_over_tasks(method: Any) -> None:
    model = fitted(method, "regression")
    levels = [point.penalties["penalty"] for point in model.cv_path_]
    assert all(np.diff(levels) < 0)
    if method is SingleTaskRidge:
        np.testing.assert_allclose(np.divide(levels[1:], levels[:-1]), 0.5)
    assert model.cv_path_[0].loss > min(point.loss for point in model.cv_path_)
    assert fitted(method, "regression", penalty=0.1).cv_path_ == []


# LASSO


@pytest.mark.parametrize("penalty", [0.3, 0.05])
def test_regression_is_scikit_learn_s_lasso(penalty: float) -> None:
    model = fitted(SingleTaskLasso, "regression", penalty=penalty)
    for i, (_, X, y) in enumerate(data("regression")):
        other = Lasso(alpha=penalty / 2.0, tol=1e-10, max_iter=100_000).fit(X, y)
        np.testing.assert_allclose(model.coef_[i], other.coef_, atol=1e-3)
        np.testing.assert_allclose(model.intercept_[i], other.intercept_, atol=1e-3)
    np.testing.assert_array_equal(model.penalty_, penalty)


@pytest.mark.parametrize("penalty", [0.1, 0.02])
def test_labels_are_scikit_learn_s_l1_logistic_regression(penalty: float) -> None:
    model = fitted(SingleTaskLasso, "classification", penalty=penalty)
    for i, (_, X, y) in enumerate(data("classification")):
        C = 1.0 / (penalty * len(y))
        other = LogisticRegression(l1_ratio=1.0, C=C, solver="saga", tol=1e-8, max_iter=100_000)
        other.fit(X, y)
        np.testing.assert_allclose(model.coef_[i], other.coef_[0], atol=1e-3)
        np.testing.assert_allclose(model.intercept_[i], other.intercept_[0], atol=1e-3)


@BOTH
def test_cross_validated_fits_are_the_initial_ones(kind: str) -> None:
    train, model = data(kind), fitted(SingleTaskLasso, kind, cv=5)
    loss = SQUARED if kind == "regression" else LOGISTIC
    problem = Problem.build(train.X, train.y, task_codes(train.tasks)[1], loss, True)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    initial = initialise(problem, 5, seed, step=1)
    np.testing.assert_array_equal(model.coef_, initial.W.T)
    np.testing.assert_array_equal(model.penalty_, initial.lambdas)


def test_history_is_the_objective() -> None:
    model = fitted(SingleTaskLasso, "regression", penalty=0.1)
    total = 0.1 * np.abs(model.coef_).sum()
    for i, (_, X, y) in enumerate(data("regression")):
        total += np.mean((y - X @ model.coef_[i] - model.intercept_[i]) ** 2)
    assert model.history_[-1] == pytest.approx(total)


# Ridge


@pytest.mark.parametrize("penalty", [0.3, 0.01])
def test_regression_is_scikit_learn_s_ridge(penalty: float) -> None:
    model = fitted(SingleTaskRidge, "regression", penalty=penalty)
    expect_ridge(model, penalty)
    np.testing.assert_array_equal(model.penalty_, penalty)


@pytest.mark.parametrize("penalty", [0.1, 0.005])
def test_classification_is_scikit_learn_s_logistic_regression(penalty: float) -> None:
    model = fitted(SingleTaskRidge, "classification", penalty=penalty)
    for i, (_, X, y) in enumerate(data("classification")):
        other = LogisticRegression(C=0.5 / (penalty * len(y)), tol=1e-9, max_iter=10_000).fit(X, y)
        np.testing.assert_allclose(model.coef_[i], other.coef_[0], atol=1e-4)
        assert model.intercept_[i] == pytest.approx(other.intercept_[0], abs=1e-4)


def test_each_task_has_the_level_that_predicts_best() -> None:
    """Folds fitted one by one with scikit-learn find the same."""
    train, model = data("regression"), fitted(SingleTaskRidge, "regression", cv=3)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    codes = np.searchsorted(train.task_names, train.tasks)
    fold = Problem.build(train.X, train.y, codes, SQUARED, True).folds(3, seed)
    for i, (name, X, y) in enumerate(train):
        own = fold[np.sort(codes) == i]
        steps = model.penalty_[i] * 2.0 ** np.array([-2, -1, 0, 1, 2])
        losses = []
        for level in steps:
            squares = 0.0
            for c in range(3):
                kept = own != c
                other = Ridge(alpha=level * kept.sum()).fit(X[kept], y[kept])
                squares += np.sum((y[~kept] - other.predict(X[~kept])) ** 2)
            losses.append(squares)
        assert int(np.argmin(losses)) == 2, name


@BOTH
def test_the_fit_is_optimal(kind: str) -> None:
    model = fitted(SingleTaskRidge, kind)
    by_W, by_b, loss = loss_gradients(model, data(kind))
    np.testing.assert_allclose(by_W, -2.0 * model.penalty_ * model.coef_.T, atol=1e-5)
    np.testing.assert_allclose(by_b, 0.0, atol=1e-5)
    penalty = model.penalty_ @ (model.coef_**2).sum(axis=1)
    assert model.history_ == pytest.approx([loss + penalty])


@BOTH
def test_more_features_than_rows(kind: str) -> None:
    sim = simulate(
        n_tasks=4, n_features=90, n_clusters=2, n_train=60, n_test=1, task_type=kind, scale=2.0
    )
    train = sim.train
    model = SingleTaskRidge(random_state=0).fit(train.X, train.y, train.tasks)
    by_W, by_b, _ = loss_gradients(model, train)
    np.testing.assert_allclose(by_W, -2.0 * model.penalty_ * model.coef_.T, atol=1e-5)
    np.testing.assert_allclose(by_b, 0.0, atol=1e-5)
    assert np.abs(model.coef_).max() > 0.01
