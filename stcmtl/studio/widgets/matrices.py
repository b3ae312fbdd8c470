"""The views of the coefficients, and the orders in which they are drawn."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from stcmtl import figures
from stcmtl.evaluation.tables import matrix_table, shown_scale
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


def views(result: Fitted) -> list[str]:
    """What there is to see: a difference only where the truth is known."""
    return [view for view in MATHS if view != DIFFERENCE or result.data.truth is not None]


def draw(
    result: Fitted,
    view: str,
    task_order: str,
    feature_order: str,
    only_selected: bool,
    per_unit: bool = False,
) -> go.Figure:
    """One of the views, in these orders; see ``find_scale`` for ``per_unit``."""
    model, truth = result.model, result.data.truth
    scale = find_scale(result, per_unit)
    W, true = model.coef_.T, None if truth is None else truth.W
    down: dict[str, Any] = {
        "feature_names": list(result.data.train.feature_names),
        "feature_order": features_in_order(result, feature_order, scale),
        "feature_scale": scale,
        "only_selected": only_selected,
    }
    if view == CLUSTERS:
        figure = figures.cluster_coefficients(model.cluster_coef_.T, **down)
        figures.click_columns(figure, tasks_of_clusters(result))
        return figure
    by_cluster = figures.tasks_by_cluster(model.memberships_.T, model.pure_)
    across: dict[str, Any] = {
        "task_names": list(model.task_names_),
        "task_order": by_cluster if task_order == BY_CLUSTER else None,
    }
    if view == ZEROS:
        return figures.selection_pattern(W, true, **down, **across)
    if view == DIFFERENCE and true is not None:
        return figures.coefficient_errors(W, true, **down, **across)
    return figures.coefficients(W, true, **down, **across)


def numbers(result: Fitted, view: str, per_unit: bool = False) -> pd.DataFrame:
    """Coefficients by feature as they are drawn: one row per cluster or per task."""
    model, features = result.model, result.data.train.feature_names
    scale = find_scale(result, per_unit)
    U, W = (A if scale is None else A * scale for A in (model.cluster_coef_, model.coef_))
    if view == CLUSTERS:
        return matrix_table("cluster", np.arange(len(U)) + 1, U, features)
    return matrix_table("task", model.task_names_, W, features)


def find_scale(result: Fitted, per_unit: bool) -> Any:
    """Standard deviations to multiply coefficients by, where units differ; None per unit."""
    return None if per_unit else shown_scale(result.model)


def tasks_of_clusters(result: Fitted) -> list[list[int]]:
    """The tasks whose main cluster each one is."""
    labels = result.model.labels_
    return [np.flatnonzero(labels == k).tolist() for k in range(len(result.model.cluster_coef_))]


def features_in_order(result: Fitted, order: str, scale: Any = None) -> Any:
    by = 1.0 if scale is None else scale[:, None]
    if order == BY_CLUSTER:
        return figures.features_by_cluster(result.model.cluster_coef_.T * by)
    if order == BY_SELECTION:
        return figures.features_by_selection(result.model.coef_.T * by)
    return None
