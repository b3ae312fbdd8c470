"""A fit as tables: one set for pages, report, files and the command line.

Clusters are numbered from 1, as on the dashboard, unless somebody has named them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stcmtl.data.checks import number_clusters
from stcmtl.data.splits import take_rows
from stcmtl.data.taskset import Array, TaskSet
from stcmtl.errors import InputError
from stcmtl.evaluation.predictions import predict_rows, task_errors
from stcmtl.phrases import quote
from stcmtl.solver.thresholds import beyond_fence, purity_scores

# What a fit is written to files as


def result_tables(model: Any, data: TaskSet | None = None) -> dict[str, pd.DataFrame]:
    """Every table of a fitted model; ``data`` adds rows and errors to that of the tasks."""
    return {
        "memberships": memberships_table(model),
        "coefficients": coefficients_table(model),
        "cluster_coefficients": cluster_coefficients_table(model),
        "cluster_standard_errors": cluster_standard_errors_table(model),
        "tasks": tasks_table(model, data),
    }


def memberships_table(model: Any) -> pd.DataFrame:
    """One row per task: its share in every cluster, and where these are not all the loadings.

    >>> writers.memberships_table(model).columns.tolist()
    ['task', 'cluster 1', 'cluster 2', 'cluster 3']
    """
    check_is_fitted(model)
    columns = dict(zip(cluster_names(model), model.memberships_.T, strict=True))
    if not is_mixture(model):
        columns |= {f"loading {k + 1}": own for k, own in enumerate(model.loadings_.T)}
    return pd.DataFrame({"task": model.task_names_, **columns})


def cluster_names(model: Any) -> list[str]:
    """What clusters are called: "cluster 1" and so on, but for those that somebody has named."""
    return list(getattr(model, "cluster_names_", number_clusters(len(model.cluster_coef_))))


def cluster_keys(model: Any) -> NDArray[Any]:
    """Clusters as a column has them: numbers from 1, or names where somebody has given any."""
    names, K = cluster_names(model), len(model.cluster_coef_)
    return np.arange(1, K + 1) if names == [*number_clusters(K)] else np.array(names, dtype=object)


def main_clusters(model: Any) -> NDArray[Any]:
    """Of every task, as a column has them; 0 or "none" for a task in none."""
    keys = cluster_keys(model)
    none = np.array([0]) if keys.dtype.kind == "i" else np.array(["none"], dtype=object)
    return np.concatenate([keys, none])[model.labels_]  # a label of -1 is none


def main_cluster_names(model: Any) -> NDArray[Any]:
    """Of every task the name of its main cluster; "none" for a task in none."""
    return np.array([*cluster_names(model), "none"], dtype=object)[model.labels_]  # -1 is none


def is_mixture(model: Any) -> bool:
    """Whether loadings are shares: on the simplex, as in models that know nothing else."""
    return getattr(model, "shape_", "simplex") == "simplex"


def has_own_part(model: Any) -> bool:
    """Whether tasks have a part of their own beside what they share."""
    return getattr(model, "own_", "none") == "deviation"


def coefficients_table(model: Any) -> pd.DataFrame:
    """One row per task: intercept and a coefficient per feature.

    >>> writers.coefficients_table(model).shape
    (12, 22)
    """
    check_is_fitted(model)
    first = {"task": model.task_names_, "intercept": model.intercept_}
    return with_features(first, model.coef_, feature_names(model))


def own_coefficients_table(model: Any) -> pd.DataFrame:
    """One row per task: of each coefficient the part that is not made by clusters.

    >>> writers.own_coefficients_table(model).shape
    (12, 21)
    """
    check_is_fitted(model)
    return with_features({"task": model.task_names_}, model.own_coef_, feature_names(model))


def cluster_coefficients_table(model: Any) -> pd.DataFrame:
    """One row per cluster: a coefficient per feature.

    >>> writers.cluster_coefficients_table(model).shape
    (3, 21)
    """
    check_is_fitted(model)
    return with_features(
        {"cluster": cluster_keys(model)}, model.cluster_coef_, feature_names(model)
    )


def cluster_standard_errors_table(model: Any) -> pd.DataFrame:
    """One row per cluster: the standard error of each coefficient, none of an exact zero.

    >>> writers.cluster_standard_errors_table(model).shape
    (3, 21)
    """
    check_is_fitted(model)
    first = {"cluster": cluster_keys(model)}
    return with_features(first, standard_errors(model), feature_names(model))


def standard_errors(model: Any) -> Array:
    """Of the clusters' coefficients (K, D); a model of an earlier release does not know them."""
    unknown = np.full_like(model.cluster_coef_, np.nan)
    return np.asarray(getattr(model, "cluster_coef_se_", unknown))


def tasks_table(model: Any, data: TaskSet | None = None) -> pd.DataFrame:
    """One row per task: main cluster, pure or not, purity, outlier or not, and outlier distance.

    A cluster of 0, or "none" among names, is none. Strength and own share are there where they
    tell tasks apart. With ``data`` also its rows there and its error on them: RMSE, or for a
    classifier the share of wrong labels. Rows count by their weights, those of weight 0 not at all.
    A fitted task without rows that count in ``data`` has none of these.

    >>> writers.tasks_table(model, train)["rows"].tolist()[:3]
    [40, 40, 40]
    """
    check_is_fitted(model)
    table = pd.DataFrame(
        {
            "task": model.task_names_,
            "cluster": main_clusters(model),
            "pure": model.pure_,
            "purity": model.purity_,
            "outlier": model.outliers_,
            "outlier distance": model.distances_,
            **extent_columns(model),
        }
    )
    if data is not None:
        table["rows"], table["error"] = task_errors(model, data)
    return table


def extent_columns(model: Any) -> dict[str, Array]:
    """Strengths where tasks have their own, and own shares where there are such parts."""
    strength = {} if is_mixture(model) else {"strength": model.strength_}
    return strength | ({"own share": model.own_share_} if has_own_part(model) else {})


def suspects_table(model: Any, data: TaskSet) -> pd.DataFrame:
    """One row per wild value in the rows of the fit: what it is, and should be.

    Rows are counted from 1, in the set that those of the fit were taken from.
    """
    rows = model.suspect_rows_
    if not len(rows):
        return pd.DataFrame({"task": [], "row": [], "value": [], "expected": []})
    numbers = rows if data.row_numbers is None else data.row_numbers[rows]
    expected = predict_rows(model, take_rows(data, rows))
    return pd.DataFrame(
        {"task": data.tasks[rows], "row": numbers + 1, "value": data.y[rows], "expected": expected}
    )


def feature_names(model: Any) -> Sequence[str]:
    names = getattr(model, "feature_names_in_", None)
    return [f"x{d}" for d in range(model.n_features_in_)] if names is None else list(names)


def with_features(first: dict[str, Any], values: Any, names: Sequence[str]) -> pd.DataFrame:
    """Columns that say which row it is, then one per feature."""
    for name in first:
        if name in names:
            raise InputError(
                f"Rename the feature {quote(name)}", remedy="a column of the table has its name"
            )
    return pd.concat([pd.DataFrame(first), pd.DataFrame(values, columns=names)], axis=1)


# What pages, report and command line show beside these


def kinds_table(model: Any) -> pd.DataFrame:
    """The memberships with strengths and own shares, and after its name what kind a task is."""
    table = memberships_table(model)
    columns = {"kind": task_kinds(model), **extent_columns(model)}
    for place, (name, values) in enumerate(columns.items(), start=1):
        table.insert(place, name, values)
    return table


def task_kinds(model: Any) -> NDArray[Any]:
    """Each is pure, mixed, an outlier, on its own (as all are without clusters), or "none"."""
    alone = "none" if len(model.cluster_coef_) else "on its own"
    inside = np.where(model.labels_ < 0, alone, np.where(model.pure_, "pure", "mixed"))
    return np.where(model.outliers_, "outlier", inside)


def members_table(
    model: Any, train: TaskSet | None = None, test: TaskSet | None = None
) -> pd.DataFrame:
    """What kind a task is and its shares, after its name and main cluster; then its errors.

    Errors are there for the rows that are given, those of the fit and those kept for testing.
    """
    table = kinds_table(model)
    table.insert(1, "main cluster", main_cluster_names(model))
    for name, data in (("error", train), ("test error", test)):
        if data is not None:
            table[name] = task_errors(model, data)[1]
    return table


def matrix_table(noun: str, names: Any, values: Array, columns: Sequence[str]) -> pd.DataFrame:
    """The numbers of a heatmap: one row per name, the column of names headed by the ``noun``."""
    table = pd.DataFrame(values, columns=list(columns))
    table.insert(0, noun, names, allow_duplicates=True)  # a feature may be called so too
    return table


def scale_of(model: Any) -> Array | float:
    """What coefficients are multiplied by to be compared: nothing where units are alike."""
    scale = shown_scale(model)
    return 1.0 if scale is None else scale


def shown_scale(model: Any) -> Array | None:
    """What to multiply coefficients by to compare them: standard deviations of the features.

    None where features seem to have one unit, or where a model of an earlier release does not
    know: coefficients are then shown as they are.
    """
    return model.feature_scale_ if getattr(model, "units_differ_", False) else None


def selected_features_table(
    model: Any, names: Sequence[str] | None = None, *, per_unit: bool = False
) -> pd.DataFrame:
    """One row per selected feature, strongest first: the tasks that use it, its coefficients and
    their standard errors.

    Where tasks have parts of their own, features of these alone are there too, and the largest
    own coefficient of each. Where features differ in unit these are coefficients x standard
    deviations, unless asked for ``per_unit``.
    """
    by = 1.0 if per_unit else scale_of(model)
    U, se = np.asarray(model.cluster_coef_) * by, standard_errors(model) * by
    own: dict[str, Array] = {}
    if has_own_part(model) or not len(U):
        size = np.abs(model.own_coef_[~model.outliers_]).max(axis=0, initial=0.0)
        own = {"largest own": size * by}
    size = np.max([*np.abs(U), *own.values()], axis=0)
    used = np.flatnonzero(size)
    used = used[np.argsort(-size[used], kind="stable")]
    labels = np.array(feature_names(model) if names is None else names, dtype=object)
    return pd.DataFrame(
        {
            "feature": labels[used],
            "tasks": np.count_nonzero(model.coef_[:, used], axis=0),
            **{
                heading: values[k, used]
                for k, (key, name) in enumerate(
                    zip(cluster_keys(model), cluster_names(model), strict=True)
                )
                for heading, values in ((name, U), (f"s.e. {key}", se))
            },
            **{name: values[used] for name, values in own.items()},
        }
    )


def clusters_table(model: Any) -> pd.DataFrame:
    """One row per cluster: tasks that belong mainly to it, pure ones among them, features."""
    members = [(model.labels_ == k) & ~model.outliers_ for k in range(len(model.cluster_coef_))]
    return pd.DataFrame(
        {
            "cluster": cluster_keys(model),
            "tasks": [int(own.sum()) for own in members],
            "pure": [int((own & model.pure_).sum()) for own in members],
            "features": (model.cluster_coef_ != 0).sum(axis=1),
        }
    )


def purity_table(model: Any, scores: Array) -> pd.DataFrame:
    """One row per task, with the scores of the fit or of ``single_task_similarity``."""
    return pd.DataFrame({"task": model.task_names_, "purity": scores, "pure": model.pure_})


def single_task_coefficients(model: Any) -> Array:
    """Of every task's own fit (T, D): of features on one scale where the model's were."""
    is_scaled = getattr(model, "standardized_", False)  # units make no tasks alike
    return np.asarray(model.single_task_coef_ * (model.feature_scale_ if is_scaled else 1.0))


def single_task_similarity(model: Any) -> tuple[Array, Array]:
    """S and the purity scores of every task's own fit; outliers take no part in SOUP."""
    own = single_task_coefficients(model)
    S = own @ own.T
    inside = ~model.outliers_
    purity = np.zeros(len(S))
    purity[inside] = purity_scores(S[np.ix_(inside, inside)], model.epsilon)
    return S, purity


def distances_table(model: Any, factor: float) -> pd.DataFrame:
    """One row per task, the farthest first; ``factor`` places the fence."""
    columns = {
        "task": model.task_names_,
        "distance": model.distances_,
        "beyond the fence": beyond_fence(model.distances_, factor),
        "set aside by the fit": model.outliers_,
    }
    return pd.DataFrame(columns).sort_values("distance", ascending=False, kind="stable")
