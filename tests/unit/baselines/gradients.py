"""The slopes of the unpenalised loss at a fitted model, for tests of optimality."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl import TaskSet
from stcmtl.solver.problem import LOGISTIC, SQUARED
from tests.unit import twins

Array = NDArray[np.float64]


def loss_gradients(model: Any, train: TaskSet) -> tuple[Array, Array, float]:
    """Of sum_i (1/n_i) L_i: by W (D, T), by b (T,), and its value."""
    loss = SQUARED if train.task_type == "regression" else LOGISTIC
    by_W, by_b, value = np.empty(model.coef_.T.shape), np.empty(len(train)), 0.0
    for i, (_, X, y) in enumerate(train):
        f = X @ model.coef_[i] + model.intercept_[i]
        weight = np.full(len(y), 1.0 / len(y))
        pull, _ = twins.pull_and_stiffness(loss, y, f, weight)
        by_W[:, i], by_b[i] = -X.T @ pull, -pull.sum()
        value += twins.total_loss(loss, y, f, weight)
    return by_W, by_b, value
