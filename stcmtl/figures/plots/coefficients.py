"""Coefficients as heatmaps: W of the tasks, its error, and U of the clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.subplots import make_subplots

from stcmtl.figures.pieces.heatmaps import Window, name_axes, panels, window
from stcmtl.figures.pieces.style import COLOUR_BAR, DIVERGING, dress
from stcmtl.phrases import counted, digits

Array = NDArray[np.float64]


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
    estimated : array of shape (D, T)
        Coefficients in the paper's orientation; `model.coef_.T` of a fitted model.
    true : array of shape (D, T), optional
        Drawn to the left, on the same colour scale; the two panels zoom together.
    task_names, feature_names : sequences of T and D names, optional
        Numbers from 1 where they are missing.
    only_selected : bool
        Leave out the features whose coefficients are zero for every task in every panel.
    task_order, feature_order : permutations of T and D places, optional
        See `tasks_by_cluster`, `features_by_cluster` and `features_by_selection`; by default
        tasks and features keep their own order.
    height : int
        Height of the figure in pixels, to which the names of tasks add theirs.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    found = panels(true=true, estimated=estimated)
    matrices = list(found.values())
    shown = window(matrices, task_names, feature_names, only_selected, task_order, feature_order)
    figure = make_subplots(
        cols=len(found),
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.03,
        subplot_titles=[f"{name.title()}: {_density(W)}" for name, W in found.items()],
    )
    for column, (name, W) in enumerate(found.items(), start=1):
        figure.add_trace(_heatmap(name.title(), name, shown.of(W), shown), 1, column)
    used = int(found["estimated"].any(axis=1).sum())
    D, T = found["estimated"].shape
    _dress(
        figure,
        _agreement(*matrices) if "true" in found else f"{used} of {counted(D, 'feature')} in use",
        ["Colour: coefficient; blank: an exact zero.", *shown.notes],
        picture=f"{_heatmaps(len(found))} of {' and '.join(found)} coefficients, {D} features "
        f"down and {T} tasks across; {used} features are in use.",
        shown=shown,
        matrices=matrices,
        height=height,
        room_above=36,
    )
    figure.update_annotations(font_size=14, yshift=3)
    name_axes(figure, shown)
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
    found = panels(true=true, estimated=estimated)
    error = found["estimated"] - found["true"]
    shown = window([error], task_names, feature_names, only_selected, task_order, feature_order)
    figure = go.Figure(_heatmap("Error", "estimated − true", shown.of(error), shown))
    D, T = error.shape
    largest = np.abs(error).max()
    at_most = f"Errors of at most {digits(largest)}" if largest else "No error at all"
    _dress(
        figure,
        at_most,
        [
            f"The largest true coefficient is {digits(np.abs(found['true']).max())}.",
            "Colour: estimated − true; blank: exactly right.",
            *shown.notes,
        ],
        picture=f"A heatmap of estimated minus true coefficients, {D} features down and {T} "
        "tasks across.",
        shown=shown,
        matrices=[error],
        height=height,
    )
    name_axes(figure, shown)
    return figure


def cluster_coefficients(
    U: ArrayLike,
    *,
    feature_names: Sequence[object] | None = None,
    only_selected: bool = False,
    feature_order: ArrayLike | None = None,
    height: int = 550,
) -> go.Figure:
    """Draw the coefficients U (D, K) of the clusters; `model.cluster_coef_.T`."""
    U = panels(cluster=U)["cluster"]
    D, K = U.shape
    names = [f"{k}" for k in range(1, K + 1)]
    shown = window([U], names, feature_names, only_selected, None, feature_order)
    figure = go.Figure(_heatmap("Clusters", "cluster coefficient", shown.of(U), shown, "cluster"))
    per_cluster = np.count_nonzero(U, axis=0)
    _dress(
        figure,
        _range("feature", per_cluster),
        [
            f"In use by at least one cluster: {int(U.any(axis=1).sum())} of {D}.",
            "Colour: coefficient; blank: an exact zero.",
            *shown.notes,
        ],
        picture=f"A heatmap of coefficients, {D} features down and {K} clusters across; "
        f"features in use by cluster: {', '.join(map(str, per_cluster))}.",
        shown=shown,
        matrices=[U],
        height=height,
    )
    name_axes(figure, shown, across="cluster")
    return figure


def _range(noun: str, counts: NDArray[np.intp]) -> str:
    low, high = int(counts.min()), int(counts.max())
    return (
        f"{counted(low, noun)} a cluster" if low == high else f"{low} to {high} {noun}s a cluster"
    )


def _agreement(true: Array, estimated: Array) -> str:
    return f"{np.mean((true != 0) == (estimated != 0)):.1%} of zeros and non-zeros match"


def _density(W: Array) -> str:
    return f"{np.mean(W != 0):.1%} filled"


def _heatmaps(count: int) -> str:
    return "A heatmap" if count == 1 else "Heatmaps"


def _heatmap(name: str, label: str, W: Array, shown: Window, across: str = "task") -> go.Heatmap:
    return go.Heatmap(
        name=name,
        z=W,
        x=shown.tasks,
        y=shown.features,
        coloraxis="coloraxis",
        hovertemplate=(
            f"{label}<br>feature %{{y}}<br>{across} %{{x}}<br><b>%{{z:.3~g}}</b><extra></extra>"
        ),
    )


def _dress(
    figure: go.Figure,
    title: str,
    sentences: list[str],
    *,
    picture: str,
    shown: Window,
    matrices: list[Array],
    height: int,
    room_above: int = 12,
) -> None:
    limit = max(float(np.abs(W).max()) for W in matrices) or 1.0
    dress(
        figure,
        title,
        sentences,
        picture=picture,
        height=height + shown.room_for_names,
        room_above=room_above,
        margin={"b": 100 + shown.room_for_names},
    )
    figure.update_layout(
        coloraxis={
            "colorscale": DIVERGING,
            "cmin": -limit,
            "cmax": limit,
            "colorbar": COLOUR_BAR,
        }
    )
