"""A small simulation of either kind, and fits of it that tests share."""

from functools import cache
from typing import Any

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, simulate
from tests.unit.plain import plain_model

MODELS = [STCMTLRegressor, STCMTLClassifier]
T, D, K, N = 9, 20, 3, 30  # of the small data


@cache
def small(model: Any) -> TaskSet:
    kind = "regression" if model is STCMTLRegressor else "classification"
    return simulate(n_tasks=T, n_features=D, n_clusters=K, n_train=N, task_type=kind).train


@cache  # a TaskSet is equal to itself alone
def fit(model: Any, data: TaskSet, **options: Any) -> Any:
    """The same fit serves many tests: none may change it."""
    options = {"n_clusters": K, "random_state": 0, **options}
    return plain_model(model, **options).fit(data.X, data.y, data.tasks)
