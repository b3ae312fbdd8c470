"""The figures of a report, in the order in which a reader asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from stcmtl import figures
from stcmtl.data.taskset import Truth
from stcmtl.solver.records import KSelection


def membership_figures(model: Any, truth: Truth | None) -> list[go.Figure]:
    V, names = model.memberships_.T, model.task_names_
    true = None if truth is None else truth.V
    return [
        figures.memberships(V, true, pure=model.pure_, task_names=names),
        figures.membership_bars(V, pure=model.pure_, task_names=names),
    ]


def coefficient_figures(
    model: Any, truth: Truth | None, feature_names: Sequence[str]
) -> list[go.Figure]:
    W, U = model.coef_.T, model.cluster_coef_.T
    common: dict[str, Any] = {"feature_names": feature_names, "only_selected": True}
    order: dict[str, Any] = {
        "task_names": model.task_names_,
        "task_order": figures.tasks_by_cluster(model.memberships_.T, model.pure_),
    }
    true = None if truth is None else truth.W
    drawn = [figures.coefficients(W, true, **common, **order)]
    if true is not None:
        drawn.append(figures.selection_pattern(W, true, **common, **order))
    return [*drawn, figures.cluster_coefficients(U, **common)]


def similarity_figures(model: Any) -> list[go.Figure]:
    V, names = model.memberships_.T, model.task_names_
    return [
        figures.similarity(
            model.similarity_, V, pure=model.pure_, purity=model.purity_, task_names=names
        ),
        figures.purity(model.purity_, V, theta=model.theta, task_names=names),
    ]


def outlier_figures(model: Any) -> list[go.Figure]:
    flagged = model.outliers_ if model.robust else None
    return [
        figures.outliers(
            model.distances_,
            model.memberships_.T,
            factor=model.outlier_factor,
            flagged=flagged,
            task_names=model.task_names_,
        )
    ]


def selection_figures(selection: KSelection) -> list[go.Figure]:
    return [figures.k_curve(selection), figures.singular_ratios(selection.singular_ratios)]
