"""The views of the coefficients, and the orders in which they are drawn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from stcmtl import figures
from stcmtl.evaluation.tables import matrix_table
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
TASK_ORDERS = (BY_CLUSTER, ORIGINAL)
FEATURE_ORDERS = (BY_CLUSTER, BY_SELECTION, ORIGINAL)


def draw(
    result: Fitted,
    view: str,
    task_order: str,
    feature_order: str,
    only_selected: bool,
    scale: Any,
) -> go.Figure:
    """One of the views, in these orders; the scale of the features is None for units as they are.

    A click in a column picks its task, or the tasks whose main cluster it is.
    """
    model, truth = result.model, result.data.truth
    U, W, V = model.cluster_coef_.T, model.coef_.T, model.memberships_.T
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
        figure = figures.cluster_coefficients(U, **down)
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


def numbers(result: Fitted, view: str, scale: Any) -> pd.DataFrame:
    """Coefficients by feature as they are drawn: one row per cluster or per task."""
    model, features = result.model, result.data.train.feature_names
    by = 1.0 if scale is None else scale
    if view == CLUSTERS:
        clusters = np.arange(len(model.cluster_coef_)) + 1
        return matrix_table("cluster", clusters, model.cluster_coef_ * by, features)
    return matrix_table("task", model.task_names_, model.coef_ * by, features)
