"""RidgeToPooled against scikit-learn: the pooled fit, the deviations, how both are chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from stcmtl import TaskSet
from stcmtl.baselines import RidgeToPooled, SingleTaskRidge
from stcmtl.solver.problem import SQUARED, Problem
from tests.unit.baselines.gradients import loss_gradients
from tests.unit.baselines.manners import KINDS, T, data, fitted, quick

BOTH = pytest.mark.parametrize("kind", KINDS)
FIXED = {"pooled_penalty": 0.7, "penalty": 0.05}


def centred(train: TaskSet) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows with the means of their task taken off, and a weight of 1 / n_i each."""
    X, y, weight = train.X.copy(), train.y.copy(), np.empty(len(train.y))
    for name in train.task_names:
        rows = train.tasks == name
        X[rows] -= X[rows].mean(axis=0)
        y[rows] -= y[rows].mean()
        weight[rows] = 1.0 / rows.sum()
    return X, y, weight


def by_scikit_learn(train: TaskSet, pooled_penalty: float, penalty: float) -> NDArray[Any]:
    """Coefficients of the tasks, by ridge regressions of centred rows and of residuals."""
    X, y, weight = centred(train)
    common = Ridge(alpha=pooled_penalty, fit_intercept=False).fit(X, y, sample_weight=weight).coef_
    mean = len(train.y) / len(train)
    coef = []
    for name in train.task_names:
        rows = train.tasks == name
        ridge = Ridge(alpha=penalty * mean, fit_intercept=False)
        coef.append(common + ridge.fit(X[rows], y[rows] - X[rows] @ common).coef_)
    return np.array(coef)


def test_the_fit_is_two_ridge_regressions() -> None:
    train, model = data("regression"), fitted(RidgeToPooled, "regression", **FIXED)
    np.testing.assert_allclose(model.coef_, by_scikit_learn(train, **FIXED), atol=1e-8)
    X, y, weight = centred(train)
    common = Ridge(alpha=0.7, fit_intercept=False).fit(X, y, sample_weight=weight).coef_
    np.testing.assert_allclose(model.pooled_coef_, common, atol=1e-8)


@BOTH
def test_the_fit_is_optimal(kind: str) -> None:
    train, model = data(kind), fitted(RidgeToPooled, kind, **FIXED)
    by_W, by_b, loss = loss_gradients(model, train)
    deviations = model.coef_ - model.pooled_coef_
    levels = FIXED["penalty"] * train.n_rows.mean() / train.n_rows
    np.testing.assert_allclose(by_W, -2.0 * (levels[:, None] * deviations).T, atol=1e-6)
    np.testing.assert_allclose(by_b, 0.0, atol=1e-6)
    value = loss + levels @ (deviations**2).sum(axis=1)
    assert model.history_ == pytest.approx([value])


@BOTH
def test_the_pooled_fit_is_optimal(kind: str) -> None:
    train = data(kind)
    model = fitted(RidgeToPooled, kind, pooled_penalty=0.7, penalty=1e9)
    np.testing.assert_allclose(model.coef_, np.tile(model.pooled_coef_, (T, 1)), atol=1e-6)
    by_W, by_b, _ = loss_gradients(model, train)
    np.testing.assert_allclose(by_W.sum(axis=1), -1.4 * model.pooled_coef_, atol=1e-4)
    np.testing.assert_allclose(by_b, 0.0, atol=1e-6)


@BOTH
def test_without_a_pooled_fit_it_is_ridge_of_every_task(kind: str) -> None:
    train = data(kind)
    even = np.concatenate([np.flatnonzero(train.tasks == t)[:20] for t in train.task_names])
    rows = train.X[even], train.y[even], train.tasks[even]
    alone = quick(SingleTaskRidge, penalty=0.05).fit(*rows)
    model = quick(RidgeToPooled, pooled_penalty=1e12, penalty=0.05).fit(*rows)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, alone.intercept_, atol=1e-6)


def test_penalties_are_chosen_with_everything_fitted_anew_in_every_fold() -> None:
    train, model = data("regression"), fitted(RidgeToPooled, "regression", cv=3)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    codes = np.searchsorted(train.task_names, train.tasks)
    order = np.argsort(codes, kind="stable")
    fold = np.empty(len(codes), dtype=int)
    fold[order] = Problem.build(train.X, train.y, codes, SQUARED, True).folds(3, seed)
    for point in [p for p in model.cv_path_ if "penalty" in p.penalties][::4]:
        squares = []
        for c in range(3):
            kept = TaskSet(*(a[fold != c] for a in (train.X, train.y, train.tasks)))
            coef = by_scikit_learn(kept, **point.penalties)
            for i, name in enumerate(train.task_names):
                own, held = kept.tasks == name, (train.tasks == name) & (fold == c)
                shift = kept.y[own].mean() - kept.X[own].mean(axis=0) @ coef[i]
                squares += [*(train.y[held] - train.X[held] @ coef[i] - shift) ** 2]
        assert point.loss == pytest.approx(np.mean(squares), rel=1e-6)


@BOTH
def test_the_best_of_each_stage_is_taken(kind: str) -> None:
    model = fitted(RidgeToPooled, kind)
    first = [p for p in model.cv_path_ if "penalty" not in p.penalties]
    second = [p for p in model.cv_path_ if "penalty" in p.penalties]
    best = min(first, key=lambda p: p.loss).penalties["pooled_penalty"]
    assert model.pooled_penalty_ == best
    assert {p.penalties["pooled_penalty"] for p in second} == {best}
    assert model.penalty_ == min(second, key=lambda p: p.loss).penalties["penalty"]
    one = fitted(RidgeToPooled, kind, pooled_penalty=best)
    assert one.cv_path_ == second
    assert one.penalty_ == model.penalty_


def test_a_task_with_few_rows_stays_nearer_to_the_pooled_fit() -> None:
    train = data("regression")
    few = np.concatenate(
        [
            np.flatnonzero(train.tasks == t)[: 8 if i == 3 else 30]
            for i, t in enumerate(train.task_names)
        ]
    )
    every = fitted(RidgeToPooled, "regression", **FIXED)
    less = quick(RidgeToPooled, **FIXED).fit(train.X[few], train.y[few], train.tasks[few])
    apart = [np.linalg.norm(m.coef_[3] - m.pooled_coef_) for m in (every, less)]
    assert apart[1] < apart[0]
