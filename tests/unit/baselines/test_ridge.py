"""SingleTaskRidge against scikit-learn, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from stcmtl import simulate
from stcmtl.baselines import SingleTaskRidge
from stcmtl.solver.problem import SQUARED, Problem
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


def test_penalty_zero_is_least_squares() -> None:
    expect_least_squares(fitted(SingleTaskRidge, "regression", penalty=0.0))


@BOTH
def test_a_huge_penalty_leaves_the_null_model(kind: str) -> None:
    model = fitted(SingleTaskRidge, kind, penalty=1e8)
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-6)
    expect_null_intercepts(model, kind)


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


def test_the_path_is_a_mean_over_tasks() -> None:
    model = fitted(SingleTaskRidge, "regression")
    levels = [point.penalties["penalty"] for point in model.cv_path_]
    np.testing.assert_allclose(np.divide(levels[1:], levels[:-1]), 0.5)
    assert model.cv_path_[0].loss > min(point.loss for point in model.cv_path_)
    assert fitted(SingleTaskRidge, "regression", penalty=0.1).cv_path_ == []
