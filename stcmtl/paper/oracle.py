"""What nobody can beat: least squares with the memberships and the zeros known."""

from __future__ import annotations

import numpy as np

from stcmtl.data.taskset import Array, TaskSet
from stcmtl.estimators.base import linear_values
from stcmtl.evaluation import metrics
from stcmtl.evaluation.comparison import Rows

ORACLE = "oracle"


def oracle_coefficients(train: TaskSet) -> Array:
    """W (D, T): U by least squares on its true support given V; an outlier task on its own."""
    truth = train.truth
    if truth is None:
        raise ValueError("The oracle needs the truth, which only simulated tasks have.")
    task = np.searchsorted(train.task_names, train.tasks)
    inside = ~truth.outliers[task]
    used, cluster = np.nonzero(truth.U)
    design = train.X[np.ix_(inside, used)] * truth.V[:, task[inside]][cluster].T
    U = np.zeros_like(truth.U)
    U[used, cluster] = least_squares(design, train.y[inside])
    W = U @ truth.V
    for i in np.flatnonzero(truth.outliers):
        own, features = task == i, np.flatnonzero(truth.W[:, i])
        W[features, i] = least_squares(train.X[np.ix_(own, features)], train.y[own])
    return W


def least_squares(X: Array, y: Array) -> Array:
    return np.asarray(np.linalg.lstsq(X, y, rcond=None)[0], dtype=np.float64)


def oracle_error(rows: Rows, W: Array) -> float:
    test, none = rows.test, np.zeros(W.shape[1])  # the truth has no intercepts
    values = linear_values(test.X, test.tasks, test.task_names, W.T, none)
    return metrics.rmse(test.y, values)
