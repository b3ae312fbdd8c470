"""Coefficients as heatmaps: W of the tasks, its error, and U of the clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from stcmtl.figures.pieces import Array
from stcmtl.figures.pieces.heatmaps import Window, check_matrices, choose_window, dress_map
from stcmtl.figures.pieces.style import diverging_axis
from stcmtl.phrases import counted, digits


def coefficients(
    estimated: ArrayLike,
    true: ArrayLike | None = None,
    *,
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    only_selected: bool = False,
    task_order: ArrayLike | None = None,
    feature_order: ArrayLike | None = None,
    height: int = 550,
) -> go.Figure:
    """Draw estimated coefficients, beside the true ones where they are known.

    Parameters
    ----------
    estimated, true : arrays of shape (D, T); `model.coef_.T` of a fitted model, and the truth,
        which is drawn to the left on the same colour scale. The two panels zoom together.
    only_selected : leave out the features whose coefficients are zero for every task in every
        panel.

    For the others see `stcmtl.figures`.
    """
    found = check_matrices(true=true, estimated=estimated)
    matrices = list(found.values())
    shown = choose_window(
        matrices, task_names, feature_names, only_selected, task_order, feature_order
    )
    figure = make_subplots(
        cols=len(found),
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.03,
        subplot_titles=[
            f"{name.title()}: {np.mean(W != 0):.1%} filled" for name, W in found.items()
        ],
    )
    for column, (name, W) in enumerate(found.items(), start=1):
        figure.add_trace(heatmap(name.title(), name, W, shown), 1, column)
    used = int(found["estimated"].any(axis=1).sum())
    D, T = found["estimated"].shape
    title = f"{used} of {counted(D, 'feature')} in use"
    if "true" in found:
        agree = (found["true"] != 0) == (found["estimated"] != 0)
        title = f"{np.mean(agree):.1%} of zeros and non-zeros match"
    dress_map(
        figure,
        shown,
        title,
        ["Colour: coefficient; blank: an exact zero."],
        picture=f"{'Heatmaps' if 'true' in found else 'A heatmap'} of {' and '.join(found)} "
        f"coefficients, {D} features down and {T} tasks across; {used} features are in use.",
        height=height,
        room_above=36,
    )
    figure.update_layout(coloraxis=diverging_axis(matrices))
    figure.update_annotations(font_size=14, yshift=3)
    return figure


def coefficient_errors(
    estimated: ArrayLike,
    true: ArrayLike,
    *,
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    only_selected: bool = False,
    task_order: ArrayLike | None = None,
    feature_order: ArrayLike | None = None,
    height: int = 550,
) -> go.Figure:
    """Draw estimated minus true coefficients; the parameters are those of `coefficients`."""
    found = check_matrices(true=true, estimated=estimated)
    error = found["estimated"] - found["true"]
    shown = choose_window(
        [error], task_names, feature_names, only_selected, task_order, feature_order
    )
    figure = go.Figure(heatmap("Error", "estimated − true", error, shown))
    D, T = error.shape
    largest = np.abs(error).max()
    dress_map(
        figure,
        shown,
        f"Errors of at most {digits(largest)}" if largest else "No error at all",
        [
            f"The largest true coefficient is {digits(np.abs(found['true']).max())}.",
            "Colour: estimated − true; blank: exactly right.",
        ],
        picture=f"A heatmap of estimated minus true coefficients, {D} features down and {T} "
        "tasks across.",
        height=height,
    )
    figure.update_layout(coloraxis=diverging_axis([error]))
    return figure


def cluster_coefficients(
    U: ArrayLike,
    *,
    feature_names: Sequence[object] | None = None,
    only_selected: bool = False,
    feature_order: ArrayLike | None = None,
    height: int = 550,
) -> go.Figure:
    """Draw the coefficients U (D, K) of the clusters, `model.cluster_coef_.T`.

    The parameters are those of `coefficients`.
    """
    U = check_matrices(cluster=U)["cluster"]
    D, K = U.shape
    shown = choose_window([U], None, feature_names, only_selected, None, feature_order)
    figure = go.Figure(heatmap("Clusters", "cluster coefficient", U, shown, "cluster"))
    per_cluster = np.count_nonzero(U, axis=0)
    low, high = int(per_cluster.min()), int(per_cluster.max())
    dress_map(
        figure,
        shown,
        f"{counted(low, 'feature') if low == high else f'{low} to {high} features'} per cluster",
        [
            f"In use by at least one cluster: {int(U.any(axis=1).sum())} of {D}.",
            "Colour: coefficient; blank: an exact zero.",
        ],
        picture=f"A heatmap of coefficients, {D} features down and {K} clusters across; "
        f"features in use by cluster: {', '.join(map(str, per_cluster))}.",
        height=height,
        across="cluster",
    )
    figure.update_layout(coloraxis=diverging_axis([U]))
    return figure


def heatmap(name: str, label: str, W: Array, shown: Window, across: str = "task") -> go.Heatmap:
    hover = f"{label}<br>feature %{{y}}<br>{across} %{{x}}<br><b>%{{z:.3~g}}</b><extra></extra>"
    return shown.heatmap(name, W, coloraxis="coloraxis", hovertemplate=hover)
