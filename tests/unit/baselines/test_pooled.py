"""Pooled against scikit-learn, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LogisticRegression

from stcmtl.baselines import Pooled, SingleTaskLasso
from tests.unit.baselines.gradients import loss_gradients
from tests.unit.baselines.manners import KINDS, T, data, expect_null_intercepts, fitted

BOTH = pytest.mark.parametrize("kind", KINDS)


def row_weights(kind: str) -> np.ndarray:
    """1 / n_i."""
    train = data(kind)
    return 1.0 / np.array([np.sum(train.tasks == name) for name in train.tasks])


@pytest.mark.parametrize("penalty", [2.0, 0.2])
def test_one_intercept_is_a_lasso_of_all_rows(penalty: float) -> None:
    train = data("regression")
    model = fitted(Pooled, "regression", penalty=penalty, task_intercepts=False)
    other = Lasso(alpha=penalty / (2.0 * T), tol=1e-10)
    other.fit(train.X, train.y, sample_weight=row_weights("regression"))
    np.testing.assert_allclose(model.coef_, np.tile(other.coef_, (T, 1)), atol=1e-4)
    np.testing.assert_allclose(model.intercept_, other.intercept_, atol=1e-4)


@pytest.mark.parametrize("penalty", [2.0, 0.2])
def test_intercepts_of_tasks_are_a_lasso_of_centred_rows(penalty: float) -> None:
    train = data("regression")
    model = fitted(Pooled, "regression", penalty=penalty)
    X, y = train.X.copy(), train.y.copy()
    for name in train.task_names:
        rows = train.tasks == name
        X[rows] -= X[rows].mean(axis=0)
        y[rows] -= y[rows].mean()
    other = Lasso(alpha=penalty / (2.0 * T), tol=1e-10, fit_intercept=False)
    other.fit(X, y, sample_weight=row_weights("regression"))
    np.testing.assert_allclose(model.coef_, np.tile(other.coef_, (T, 1)), atol=1e-4)


def test_one_intercept_is_a_logistic_regression_of_all_rows() -> None:
    train = data("classification")
    model = fitted(Pooled, "classification", penalty=0.2, task_intercepts=False)
    other = LogisticRegression(l1_ratio=1.0, C=1.0 / 0.2, solver="saga", tol=1e-9, max_iter=100_000)
    other.fit(train.X, train.y, sample_weight=row_weights("classification"))
    np.testing.assert_allclose(model.coef_, np.tile(other.coef_, (T, 1)), atol=1e-3)
    np.testing.assert_allclose(model.intercept_, other.intercept_[0], atol=1e-3)


@BOTH
@pytest.mark.parametrize("share", [0.5, 0.05])
def test_the_fit_is_optimal(kind: str, share: float) -> None:
    penalty = share * {"regression": 8.0, "classification": 2.0}[kind]
    model = fitted(Pooled, kind, penalty=penalty)
    by_W, by_b, loss = loss_gradients(model, data(kind))
    slope, w = by_W.sum(axis=1), model.coef_[0]
    used = w != 0.0
    assert used.any()
    np.testing.assert_allclose(slope[used], -penalty * np.sign(w[used]), rtol=1e-3)
    assert np.abs(slope).max() <= penalty * (1.0 + 1e-3)
    np.testing.assert_allclose(by_b, 0.0, atol=1e-4)
    assert model.history_[-1] == pytest.approx(loss + penalty * np.abs(w).sum())


@BOTH
@pytest.mark.parametrize("task_intercepts", [True, False])
def test_the_path_begins_at_the_null_model(kind: str, task_intercepts: bool) -> None:
    model = fitted(Pooled, kind, task_intercepts=task_intercepts)
    first = model.cv_path_[0].penalties["penalty"]
    null = fitted(Pooled, kind, task_intercepts=task_intercepts, penalty=1.001 * first)
    assert not null.coef_.any()
    below = fitted(Pooled, kind, task_intercepts=task_intercepts, penalty=0.99 * first)
    assert np.count_nonzero(below.coef_[0]) == 1
    if task_intercepts:
        expect_null_intercepts(null, kind)
    else:
        assert np.unique(null.intercept_).size == 1


def test_penalty_zero_is_weighted_least_squares() -> None:
    train = data("regression")
    model = fitted(Pooled, "regression", penalty=0.0, task_intercepts=False)
    root = np.sqrt(row_weights("regression"))
    design = np.column_stack([train.X, np.ones(len(train.y))])
    w = np.linalg.lstsq(design * root[:, None], train.y * root, rcond=None)[0]
    np.testing.assert_allclose(np.append(model.coef_[3], model.intercept_[3]), w, atol=1e-4)


@BOTH
def test_no_intercept(kind: str) -> None:
    model = fitted(Pooled, kind, fit_intercept=False)
    assert not model.intercept_.any()
    other = fitted(Pooled, kind, fit_intercept=False, task_intercepts=False)
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-10)


@BOTH
def test_a_lone_task_is_its_own_lasso(kind: str) -> None:
    train = data(kind)
    rows = train.tasks == train.task_names[1]
    lone = train.X[rows], train.y[rows], train.tasks[rows]
    pooled = Pooled(penalty=0.05).fit(*lone)
    lasso = SingleTaskLasso(penalty=0.05).fit(*lone)
    np.testing.assert_allclose(pooled.coef_, lasso.coef_, atol=1e-4)
    np.testing.assert_allclose(pooled.intercept_, lasso.intercept_, atol=1e-4)


def test_a_flag_that_is_none_ends_in_a_sentence() -> None:
    train = data("regression")
    with pytest.raises(ValueError, match=r"^task_intercepts is 2: it must be True or False"):
        Pooled(task_intercepts=2).fit(train.X, train.y, train.tasks)
