"""Coefficients as heatmaps: W of the tasks, its error, where it is zero, and U of the clusters."""

from collections.abc import Sequence
from html import unescape
from typing import Unpack

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.subplots import make_subplots

from stcmtl.figures.pieces import Array, Flags
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.heatmaps import (
    View,
    Window,
    check_matrices,
    choose_window,
    dress_map,
    name_values,
)
from stcmtl.figures.pieces.style import (
    LEGEND_BELOW,
    NEGATIVE,
    POSITIVE,
    diverging_axis,
    draw_words,
    name_clusters,
)
from stcmtl.phrases import be, counted, digits

# Without the truth all that are not zero count as found.
STATES = {"found": "rgba(128, 140, 153, 0.6)", "missed": NEGATIVE, "extra": POSITIVE}
ZERO, FOUND, MISSED, EXTRA = range(4)
NOTHING = "rgba(0, 0, 0, 0)"


@remember_call
def coefficients(
    estimated: ArrayLike,
    true: ArrayLike | None = None,
    *,
    feature_scale: ArrayLike | None = None,
    height: int = 550,
    **view: Unpack[View],
) -> go.Figure:
    """Draw estimated coefficients, beside the true ones where they are known.

    Parameters
    ----------
    estimated, true : arrays of shape (D, T); `model.coef_.T` of a fitted model, and the truth,
        which is drawn to the left on the same colour scale. The two panels zoom together.

    For the others see `stcmtl.figures`.

    >>> order = figures.tasks_by_cluster(V)
    >>> figures.coefficients(W, truth.W, task_order=order).layout.title.text
    'True and estimated coefficients'
    """
    found = check_matrices(feature_scale, true=true, estimated=estimated)
    matrices = list(found.values())
    shown = choose_window(matrices, **view)
    figure = make_subplots(
        cols=len(found),
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.08,  # or names at the end of one meet those of the next
        subplot_titles=[
            f"{name.title()}: {np.mean(W != 0):.0%} not zero" for name, W in found.items()
        ],
    )
    for column, (name, W) in enumerate(found.items(), start=1):
        figure.add_trace(heatmap(name.title(), name, W, shown), 1, column)
    used = int(found["estimated"].any(axis=1).sum())
    D, T = found["estimated"].shape
    title = "True and estimated coefficients" if "true" in found else "What tasks make of features"
    dress_map(
        figure,
        shown,
        title,
        [f"Colour: {name_values(feature_scale)}; blank: an exact zero."],
        picture=f"{'Heatmaps' if 'true' in found else 'A heatmap'} of {' and '.join(found)} "
        f"coefficients, {D} features down and {T} tasks across; "
        f"{counted(used, 'feature')} {be(used)} in use.",
        height=height,
        room_above=36,
        coloraxis=diverging_axis(matrices),
    )
    figure.update_annotations(font_size=13, yshift=3)
    return figure


@remember_call
def coefficient_errors(
    estimated: ArrayLike,
    true: ArrayLike,
    *,
    feature_scale: ArrayLike | None = None,
    height: int = 550,
    **view: Unpack[View],
) -> go.Figure:
    """Draw estimated minus true coefficients; the parameters are those of `coefficients`.

    >>> figures.coefficient_errors(W, truth.W).layout.title.text[:17]
    'Errors of at most'
    """
    found = check_matrices(feature_scale, true=true, estimated=estimated)
    error = found["estimated"] - found["true"]
    shown = choose_window([error], **view)
    D, T = error.shape
    largest, of_truth = np.abs(error).max(), np.abs(found["true"]).max()
    figure = go.Figure(heatmap("Error", "estimated − true", error, shown))
    dress_map(
        figure,
        shown,
        f"Errors of at most {digits(largest)}" if largest else "No error at all",
        [
            f"The largest true {name_values(feature_scale)} is {digits(of_truth)}.",
            "Colour: estimated − true; blank: exactly right.",
        ],
        picture=f"A heatmap of estimated minus true coefficients, {D} features down and {T} "
        "tasks across.",
        height=height,
        coloraxis=diverging_axis([error]),
    )
    return figure


@remember_call
def cluster_coefficients(
    U: ArrayLike,
    *,
    cluster_names: Sequence[object] | None = None,
    feature_scale: ArrayLike | None = None,
    height: int = 550,
    **view: Unpack[View],
) -> go.Figure:
    """Draw the coefficients U (D, K) of the clusters, `model.cluster_coef_.T`.

    The others are those of `coefficients`, but for tasks.

    >>> figures.cluster_coefficients(truth.U).layout.title.text
    '10 features per cluster'
    """
    if not np.shape(U)[1]:
        return draw_words(
            "No clusters: every task is on its own",
            ["There are no coefficients that tasks share."],
        )
    U = check_matrices(feature_scale, cluster=U)["cluster"]
    D, K = U.shape
    names = [unescape(name) for name in name_clusters(cluster_names, K, noun="")]
    shown = choose_window([U], **view | {"task_names": names})
    per_cluster = np.count_nonzero(U, axis=0)
    low, high = int(per_cluster.min()), int(per_cluster.max())
    figure = go.Figure(heatmap("Clusters", "cluster coefficient", U, shown, "cluster"))
    dress_map(
        figure,
        shown,
        f"{counted(low, 'feature') if low == high else f'{low} to {high} features'} per cluster",
        [
            f"In use by at least one cluster: {int(U.any(axis=1).sum())} of {D}.",
            f"Colour: {name_values(feature_scale)}; blank: an exact zero.",
        ],
        picture=f"A heatmap of coefficients, {D} features down and {K} clusters across; "
        f"features in use by cluster: {', '.join(map(str, per_cluster))}.",
        height=height,
        across="cluster",
        coloraxis=diverging_axis([U]),
    )
    return figure


def heatmap(name: str, label: str, W: Array, shown: Window, across: str = "task") -> go.Heatmap:
    hover = f"{label}<br>feature %{{y}}<br>{across} %{{x}}<br><b>%{{z:,.3~r}}</b><extra></extra>"
    return shown.heatmap(name, W, coloraxis="coloraxis", hovertemplate=hover)


@remember_call
def selection_pattern(
    estimated: ArrayLike,
    true: ArrayLike | None = None,
    *,
    feature_scale: ArrayLike | None = None,
    height: int = 550,
    **view: Unpack[View],
) -> go.Figure:
    """Draw where coefficients are not zero, or should not be; parameters as for `coefficients`.

    >>> figures.selection_pattern(truth.W / 2, truth.W).layout.title.text
    '0 missed, 0 extra of 240 coefficients'
    """
    found = check_matrices(feature_scale, true=true, estimated=estimated)
    shown = choose_window(list(found.values()), **view)
    states = tell_states(found["estimated"], found.get("true"))
    names = list(STATES) if "true" in found else ["found"]
    figure = go.Figure(
        [layer(name, states == i, shown, STATES[name]) for i, name in enumerate(names, start=1)]
    )
    figure.add_trace(layer("zero", states == ZERO, shown, NOTHING).update(showlegend=False))
    D, T = states.shape
    missed, extra = int((states == MISSED).sum()), int((states == EXTRA).sum())
    if "true" in found:
        title = f"{missed:,} missed, {extra:,} extra of {counted(D * T, 'coefficient')}"
        reading = "Missed: zero, and should not be. Extra: not zero, and should be."
    else:
        title = f"{(states == FOUND).sum() / (D * T):.1%} of coefficients are not zero"
        reading = "A blank cell is an exact zero."
    picture = f"A map of zero and other coefficients, {D} features down and {T} tasks across."
    dress_map(figure, shown, title, [reading], picture=picture, height=height, legend=LEGEND_BELOW)
    return figure


def tell_states(W: Array, truth: Array | None) -> NDArray[np.uint8]:
    """Of every coefficient whether it is zero and should be, found, missed or extra."""
    used = W != 0
    is_true = used if truth is None else truth != 0
    states = np.select([used & is_true, is_true, used], [FOUND, MISSED, EXTRA], ZERO)
    return states.astype(np.uint8)


def layer(name: str, cells: Flags, shown: Window, colour: str) -> go.Heatmap:
    """The cells of one state, which the legend can switch off."""
    return shown.heatmap(
        name,
        np.where(cells, 1.0, np.nan).astype(np.float32),
        zmin=0,
        zmax=1,
        colorscale=[[0, colour], [1, colour]],
        showscale=False,
        showlegend=True,
        hoverongaps=False,
        hovertemplate=f"feature %{{y}}<br>task %{{x}}<br><b>{name}</b><extra></extra>",
    )
