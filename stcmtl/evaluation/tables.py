"""A fit as tables: one set for pages, report, files and the command line.

Clusters are numbered from 1, as on the dashboard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from stcmtl.data.taskset import TaskSet
from stcmtl.evaluation import metrics


def result_tables(model: Any, data: TaskSet | None = None) -> dict[str, pd.DataFrame]:
    """Every table of a fitted model; ``data`` adds rows and errors to that of the tasks."""
    return {
        "memberships": memberships_table(model),
        "coefficients": coefficients_table(model),
        "cluster_coefficients": cluster_coefficients_table(model),
        "tasks": tasks_table(model, data),
    }


def memberships_table(model: Any) -> pd.DataFrame:
    """One row per task: its share in every cluster."""
    check_is_fitted(model)
    shares = {f"cluster {k + 1}": share for k, share in enumerate(model.memberships_.T)}
    return pd.DataFrame({"task": model.task_names_, **shares})


def coefficients_table(model: Any) -> pd.DataFrame:
    """One row per task: intercept and a coefficient per feature."""
    check_is_fitted(model)
    first = {"task": model.task_names_, "intercept": model.intercept_}
    return with_features(first, model.coef_, feature_names(model))


def cluster_coefficients_table(model: Any) -> pd.DataFrame:
    """One row per cluster: a coefficient per feature."""
    check_is_fitted(model)
    first = {"cluster": np.arange(1, len(model.cluster_coef_) + 1)}
    return with_features(first, model.cluster_coef_, feature_names(model))


def tasks_table(model: Any, data: TaskSet | None = None) -> pd.DataFrame:
    """One row per task: main cluster, pure or not, purity, outlier or not, and outlier distance.

    With ``data`` also its rows there and its error on them: RMSE, or for a classifier the share
    of wrong labels. A fitted task without rows in ``data`` has none of the latter.
    """
    check_is_fitted(model)
    table = pd.DataFrame(
        {
            "task": model.task_names_,
            "cluster": model.labels_ + 1,
            "pure": model.pure_,
            "purity": model.purity_,
            "outlier": model.outliers_,
            "outlier distance": model.distances_,
        }
    )
    if data is not None:
        table["rows"], table["error"] = task_errors(model, data)
    return table


def task_errors(model: Any, data: TaskSet) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows and error of every fitted task."""
    named = hasattr(model, "feature_names_in_")
    X = pd.DataFrame(data.X, columns=list(data.feature_names)) if named else data.X
    predicted = model.predict(X, data.tasks)
    measure = metrics.error_rate if is_classifier(model) else metrics.rmse
    codes = pd.Index(model.task_names_).get_indexer(pd.Index(data.tasks))
    n_rows = np.bincount(codes, minlength=len(model.task_names_))
    error = np.full(len(n_rows), np.nan)
    for i in np.flatnonzero(n_rows):
        error[i] = measure(data.y[codes == i], predicted[codes == i])
    return n_rows, error


def feature_names(model: Any) -> Sequence[str]:
    names = getattr(model, "feature_names_in_", None)
    return [f"x{d}" for d in range(model.n_features_in_)] if names is None else list(names)


def with_features(first: dict[str, Any], values: Any, names: Sequence[str]) -> pd.DataFrame:
    """Columns that say which row it is, then one per feature."""
    for name in first:
        if name in names:
            raise ValueError(f"Rename the feature {name!r}: a column of the table has its name.")
    return pd.concat([pd.DataFrame(first), pd.DataFrame(values, columns=names)], axis=1)
