"""Reference fits by scikit-learn alone: a well-tuned l1 model per task."""

from __future__ import annotations

import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV, LogisticRegressionCV

from stcmtl import TaskSet
from stcmtl.estimators import base as linear


def lasso_cv() -> LassoCV:
    return LassoCV(cv=5, alphas=100, max_iter=10_000)


def logistic_cv() -> LogisticRegressionCV:
    """Twenty levels over four decades, the level by held-out likelihood (better than accuracy)."""
    return LogisticRegressionCV(
        Cs=np.geomspace(1e-2, 1e2, 20),
        l1_ratios=(1.0,),
        solver="liblinear",
        cv=5,
        scoring="neg_log_loss",
        use_legacy_attributes=False,
        intercept_scaling=10.0,  # liblinear penalises the intercept: make that negligible
        max_iter=1000,
    )


def fit_each_task(model, train: TaskSet, n_jobs: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (D, T) and intercepts (T,) of ``model()`` on every task."""
    fits = Parallel(n_jobs=n_jobs)(delayed(quiet_fit)(model(), X, y) for _, X, y in train)
    return (
        np.stack([np.ravel(fit.coef_) for fit in fits], axis=1),
        np.array([float(np.squeeze(fit.intercept_)) for fit in fits]),
    )


def quiet_fit(model, X: np.ndarray, y: np.ndarray):
    """Fit without the warnings of the lowest levels, which are never chosen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def linear_values(data: TaskSet, W: np.ndarray, b: np.ndarray | float = 0.0) -> np.ndarray:
    """x'w_i + b_i for every row."""
    b = np.broadcast_to(b, len(data))
    return linear.linear_values(data.X, data.tasks, data.task_names, W.T, b)
