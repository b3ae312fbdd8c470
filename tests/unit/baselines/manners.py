"""Small data and options with which every baseline fits in a moment."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from stcmtl import TaskSet, baselines, simulate

KINDS = ("regression", "classification")
T, D, K = 7, 15, 2


@cache
def data(kind: str) -> TaskSet:
    """Tasks of unequal size: the first has lost rows."""
    options: dict[str, Any] = {"n_tasks": T, "n_features": D, "n_clusters": K, "n_train": 30}
    full = simulate(**options, task_type=kind).train
    kept = [r for r in range(len(full.y)) if full.tasks[r] != full.task_names[0] or r % 3]
    return TaskSet(full.X[kept], full.y[kept], full.tasks[kept], task_type=kind)


@cache
def fitted(method: type[baselines.Baseline], kind: str, **options: Any) -> Any:
    """The same fit serves many tests: none may change it."""
    train = data(kind)
    return quick(method, **options).fit(train.X, train.y, train.tasks)


def quick(method: type[baselines.Baseline], **options: Any) -> baselines.Baseline:
    """Two folds, as many clusters as there are, of which VSTG takes one at a time: manners do not
    depend on how many.
    """
    given = {"cv": 2, "random_state": 0, "n_clusters": K, "k": 1}
    known = {name: value for name, value in given.items() if hasattr(method, name)}
    return method(**{**known, **options})


def expect_ridge(model: Any, level: float) -> None:
    """Every task's own ridge regression."""
    for i, (_, X, y) in enumerate(data("regression")):
        other = Ridge(alpha=level * len(y)).fit(X, y)
        np.testing.assert_allclose(model.coef_[i], other.coef_, atol=1e-4)
        assert model.intercept_[i] == pytest.approx(other.intercept_, abs=1e-4)


def expect_null_intercepts(model: Any, kind: str) -> None:
    """Those of the null model: a task's mean, or its log-odds."""
    for i, (_, _, y) in enumerate(data(kind)):
        share = (y > 0).mean()
        null = y.mean() if kind == "regression" else np.log(share / (1.0 - share))
        assert model.intercept_[i] == pytest.approx(null, abs=1e-4)


def expect_least_squares(model: Any) -> None:
    """Every task's own."""
    for i, (_, X, y) in enumerate(data("regression")):
        w = np.linalg.lstsq(np.column_stack([X, np.ones(len(y))]), y, rcond=None)[0]
        np.testing.assert_allclose(np.append(model.coef_[i], model.intercept_[i]), w, atol=1e-3)
