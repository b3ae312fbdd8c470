"""The views of the coefficients, and the orders in which they are drawn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from stcmtl import figures
from stcmtl.data.taskset import Array
from stcmtl.evaluation.tables import cluster_keys, cluster_names, has_own_part, matrix_table
from stcmtl.studio.words import help
from stcmtl.studio.work.fits import Fitted

VALUES, ZEROS, DIFFERENCE, CLUSTERS = "Values", "Zeros", "Difference", "Clusters"
MATHS = {
    VALUES: help.COEFFICIENTS,
    ZEROS: help.PATTERN,
    DIFFERENCE: help.ERRORS,
    CLUSTERS: help.CLUSTERS,
}
BY_CLUSTER, BY_SELECTION, ORIGINAL = "cluster", "selection", "original"
SUM, SHARED, OWN = PARTS = ("Sum", "Shared", "Own")  # of coefficients with a part of their own
TASK_ORDERS = (BY_CLUSTER, ORIGINAL)
FEATURE_ORDERS = (BY_CLUSTER, BY_SELECTION, ORIGINAL)


def draw(
    result: Fitted,
    view: str,
    task_order: str,
    feature_order: str,
    only_selected: bool,
    scale: Any,
    part: str = SUM,
) -> go.Figure:
    """One of the views, in these orders; the scale of the features is None for units as they are.

    A click in a column picks its task, or the tasks whose main cluster it is. The truth is of whole
    coefficients, and stands beside no part of them.
    """
    model, truth = result.model, result.data.truth if part == SUM else None
    U, W, V = model.cluster_coef_.T, take_part(model, part).T, model.memberships_.T
    by = 1.0 if scale is None else scale[:, None]
    orders = {
        BY_CLUSTER: lambda: figures.features_by_cluster(U * by),
        BY_SELECTION: lambda: figures.features_by_selection(W * by),
        ORIGINAL: lambda: None,
    }
    down: dict[str, Any] = {
        "feature_names": list(result.data.train.feature_names),
        "feature_order": orders[feature_order](),
        "feature_scale": scale,
        "only_selected": only_selected,
    }
    if view == CLUSTERS:
        figure = figures.cluster_coefficients(U, cluster_names=cluster_names(model), **down)
        figures.click_columns(
            figure, [np.flatnonzero(model.labels_ == k).tolist() for k in range(len(V))]
        )
        return figure
    across: dict[str, Any] = {
        "task_names": list(model.task_names_),
        "task_order": figures.tasks_by_cluster(V, model.pure_) if task_order != ORIGINAL else None,
    }
    drawn: dict[str, Callable[..., go.Figure]] = {
        VALUES: figures.coefficients,
        ZEROS: figures.selection_pattern,
        DIFFERENCE: figures.coefficient_errors,
    }
    return drawn[view](W, None if truth is None else truth.W, **down, **across)


def maths_of(model: Any, view: str) -> str:
    """What the values are, by what the model is; the other views are the same for all."""
    if view == VALUES and not len(model.cluster_coef_):
        return help.ALONE_COEFFICIENTS
    return help.OWN_COEFFICIENTS if view == VALUES and has_own_part(model) else MATHS[view]


def take_part(model: Any, part: str) -> Array:
    """Coefficients (T, D): those of the tasks, what clusters make of them, or what is their own."""
    if part == SUM:
        return model.coef_
    return model.own_coef_ if part == OWN else model.loadings_ @ model.cluster_coef_


def numbers(result: Fitted, view: str, scale: Any, part: str = SUM) -> pd.DataFrame:
    """Coefficients by feature as they are drawn: one row per cluster or per task."""
    model, features = result.model, result.data.train.feature_names
    by = 1.0 if scale is None else scale
    if view == CLUSTERS:
        return matrix_table("cluster", cluster_keys(model), model.cluster_coef_ * by, features)
    return matrix_table("task", model.task_names_, take_part(model, part) * by, features)
