"""The figures of a report, in the order in which a reader asks for them."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from stcmtl import figures
from stcmtl.data.taskset import Truth
from stcmtl.evaluation.blocks import cosines
from stcmtl.evaluation.tables import (
    cluster_names,
    has_own_part,
    is_mixture,
    shown_scale,
    single_task_similarity,
)


def memberships(model: Any, truth: Truth | None) -> list[go.Figure]:
    """Places and bars of shares; with strengths, signs and own parts where there are any."""
    V, names, drawn = model.memberships_.T, names_in(model), []
    true = None if truth is None else truth.V
    strength = None if is_mixture(model) else model.strength_
    if len(V) and model.shape_ != "span":
        places = figures.memberships(V, true, pure=model.pure_, strength=strength, **names)
        drawn.append(places)
    if len(V) and is_mixture(model):
        drawn.append(figures.membership_bars(V, pure=model.pure_, **names))
    elif len(V):
        drawn.append(figures.loading_bars(model.loadings_.T, **names))
    if has_own_part(model):
        drawn.append(figures.own_shares(model.own_share_, V, **names))
    return drawn


def names_in(model: Any) -> dict[str, Any]:
    return {"task_names": model.task_names_, "cluster_names": cluster_names(model)}


def coefficients(model: Any, truth: Truth | None, feature_names: Sequence[str]) -> list[go.Figure]:
    W, U = model.coef_.T, model.cluster_coef_.T
    common: dict[str, Any] = {
        "feature_names": feature_names,
        "feature_scale": shown_scale(model),
        "only_selected": True,
    }
    order: dict[str, Any] = {
        "task_names": model.task_names_,
        "task_order": figures.tasks_by_cluster(model.memberships_.T, model.pure_),
    }
    true = None if truth is None else truth.W
    drawn = [figures.coefficients(W, true, **common, **order)]
    if true is not None:
        drawn.append(figures.selection_pattern(W, true, **common, **order))
    if not U.size:
        return drawn
    return [*drawn, figures.cluster_coefficients(U, cluster_names=cluster_names(model), **common)]


def similarity(model: Any) -> list[go.Figure]:
    V, names = model.memberships_.T, names_in(model)
    before, purity = single_task_similarity(model)
    pairs = {"Before the fit": before, "After the fit": model.similarity_}
    alike = [
        figures.similarity(
            cosines(S),
            V,
            pure=model.pure_,
            purity=model.purity_,
            signed=model.shape_ == "span",
            top=1.0,
            heading=heading if len(V) else "Similarity",
            **names,
        )
        for heading, S in pairs.items()
    ]
    if len(V) == 0:
        return alike[1:]
    return [*alike, figures.purity(purity, V, theta=model.theta, **names)]


def outliers(model: Any) -> list[go.Figure]:
    """None without clusters to lie far from."""
    if not len(model.cluster_coef_):
        return []
    drawn = figures.outliers(
        model.distances_,
        model.memberships_.T,
        factor=model.outlier_factor,
        flagged=model.outliers_ if model.robust else None,
        **names_in(model),
    )
    return [drawn]


def convergence(model: Any) -> list[go.Figure]:
    """None where nothing was iterated."""
    return [figures.convergence(model.history_)] if len(model.cluster_coef_) else []
