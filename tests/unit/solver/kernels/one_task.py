"""The single-task problem and scikit-learn's solution of it."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import Lasso, LogisticRegression

from stcmtl.solver.kernels.losses import SQUARED, Loss
from stcmtl.solver.kernels.single import Task
from tests.unit import twins
from tests.unit.twins import Array


def one_task(
    X: Array,
    y: Array,
    loss: int,
    fit_intercept: bool = True,
    weight: Array | None = None,
    offset: Array | None = None,
) -> Task:
    offset = np.zeros(len(y)) if offset is None else offset
    weight = np.full(len(y), 1.0 / len(y)) if weight is None else weight
    return Task(np.ascontiguousarray(X.T), Loss(loss, y, weight), fit_intercept, offset)


def objective(loss: int, X: Array, y: Array, w: Array, b: float, level: float) -> float:
    """(1/n) L(y, X w + b) + level |w|_1."""
    return float(twins.row_losses(loss, y, X @ w + b).mean() + level * np.abs(w).sum())


def largest_slope(loss: int, X: Array, y: Array, fit_intercept: bool) -> float:
    """The smallest lambda at which w = 0; -dL/df is 2 (or 1/2 for labels) times y - mean."""
    pull = (2.0 if loss == SQUARED else 0.5) * (y - (y.mean() if fit_intercept else 0.0))
    return float(np.abs(X.T @ pull).max() / len(y))


def sklearn_fit(
    loss: int, X: Array, y: Array, level: float, fit_intercept: bool
) -> tuple[Array, float]:
    """scikit-learn's solution of the same problem."""
    if loss == SQUARED:
        lasso = Lasso(alpha=level / 2, fit_intercept=fit_intercept, tol=1e-13, max_iter=10**5)
        lasso.fit(X, y)
        return lasso.coef_, float(np.squeeze(lasso.intercept_))
    # liblinear is quick, but would penalise the intercept
    solver = LogisticRegression(
        l1_ratio=1.0, C=1.0 / (len(y) * level), fit_intercept=fit_intercept, tol=1e-8,
        solver="saga" if fit_intercept else "liblinear", max_iter=20000, random_state=0,
    )  # fmt: skip
    solver.fit(X, y)
    return solver.coef_[0], float(np.squeeze(solver.intercept_))
