"""The similarity S = W'W as a heatmap: pure tasks of a cluster make a block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.figures.pieces.blocks import ROOM, cluster_name, number_clusters, strip_clusters
from stcmtl.figures.pieces.colours import cluster_colours
from stcmtl.figures.pieces.highlight import remember_tasks
from stcmtl.figures.pieces.order import (
    evenly,
    left_out,
    main_clusters,
    pure_or_given,
    runs,
    tasks_by_cluster,
)
from stcmtl.figures.pieces.style import COLOUR_BAR, GRID, SEQUENTIAL, dress
from stcmtl.figures.pieces.text import labels, shortened
from stcmtl.phrases import digits

MAX_TASKS = 400  # 400 x 400 cells are under 1 MB of JSON
CLEAR = 3.0  # times as alike within a cluster as between two

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def similarity(
    S: ArrayLike,
    V: ArrayLike,
    *,
    pure: ArrayLike | None = None,
    purity: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    height: int = 700,
) -> go.Figure:
    """Draw the similarity of all pairs of tasks, in the order of their clusters.

    Parameters
    ----------
    S : array of shape (T, T)
        `model.similarity_` of a fitted model.
    V : array of shape (K, T)
        Memberships; `model.memberships_.T`.
    pure, purity : arrays of T flags and T scores, optional
        `model.pure_` and `model.purity_`: pure tasks come first in their cluster and are
        outlined. By default from V.
    task_names : sequence of T names, optional
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    S, V = _square(S), np.asarray(V, dtype=float)
    names = labels("task_names", task_names, len(S))
    flags, clusters = pure_or_given(V, pure), main_clusters(V)
    order = evenly(tasks_by_cluster(V, flags, purity), MAX_TASKS)
    places = [f"{names[i]}, {cluster_name(clusters[i], len(V))}" for i in order]
    top = _darkest(S)
    figure = go.Figure(_heatmap(S[np.ix_(order, order)], places, top))
    _outline_blocks(figure, clusters[order], flags[order], len(V))
    strip_clusters(figure, clusters[order], len(V))
    number_clusters(figure, clusters[order], len(V))
    title, contrast = _finding(S, clusters, flags, len(V))
    dress(
        figure,
        title,
        [*contrast, *_reading(S, flags, top), *left_out(len(S), len(order))],
        picture=f"Heatmap of the similarity of {len(order)} tasks, in the order of clusters.",
        height=height,
        room_above=ROOM,
        margin={"b": 100},
    )
    _name_axes(figure, places, [names[i] for i in order])
    remember_tasks(figure, order, order)
    return figure


def _square(S: ArrayLike) -> Array:
    S = np.asarray(S, dtype=float)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or S.size == 0:
        raise ValueError(f"S has shape {S.shape}: a similarity has tasks down and across.")
    return S


def _darkest(S: Array) -> float:
    """Where the colours end: a few tasks with large coefficients must not pale all others."""
    between = S[~np.eye(len(S), dtype=bool)]
    alike = between[between > 0]
    return float(np.quantile(alike, 0.99)) if alike.size else float(S.max()) or 1.0


def _heatmap(S: Array, places: list[str], top: float) -> go.Heatmap:
    return go.Heatmap(
        name="similarity",
        z=S.astype(np.float32),
        x=places,
        y=places,
        colorscale=SEQUENTIAL,
        zmin=0.0,
        zmax=top,
        colorbar=COLOUR_BAR,
        hovertemplate="%{y}<br>%{x}<br>similarity <b>%{z:.3~g}</b><extra></extra>",
    )


def _outline_blocks(
    figure: go.Figure, clusters: NDArray[np.intp], pure: Flags, n_clusters: int
) -> None:
    colours = cluster_colours(n_clusters)
    for cluster, first, end in runs(np.where(pure, clusters, -1)):
        if 0 <= cluster < n_clusters:
            low, high = first - 0.5, end - 0.5
            line = {"color": colours[cluster], "width": 2.5}
            figure.add_shape(type="rect", x0=low, x1=high, y0=low, y1=high, line=line)


def _finding(
    S: Array, clusters: NDArray[np.intp], pure: Flags, n_clusters: int
) -> tuple[str, list[str]]:
    """Whether pure tasks are more alike within clusters than between them."""
    chosen = np.flatnonzero(pure & (clusters < n_clusters))
    own = clusters[chosen]
    strength = np.abs(S[np.ix_(chosen, chosen)])
    same = own[:, None] == own
    n_blocks = len(np.unique(own))
    if same.all():
        title = "One block: no clusters to compare" if n_blocks else "No pure tasks, no blocks"
        return title, []
    pairs = same & ~np.eye(len(chosen), dtype=bool)
    if not pairs.any():
        return f"{n_blocks} blocks of a single task", []
    within, between = float(strength[pairs].mean()), float(strength[~same].mean())
    if between == 0.0:
        return f"{n_blocks} clear blocks", ["Tasks of different clusters have nothing in common."]
    ratio = within / between
    title = f"{n_blocks} {'clear' if ratio >= CLEAR else 'faint'} blocks"
    return title, [f"Pure tasks are {digits(ratio)} × as alike within clusters."]


def _reading(S: Array, pure: Flags, top: float) -> list[str]:
    sentences = ["Outlined and numbered: the pure tasks of each cluster."] if pure.any() else []
    sentences.append("Colour: similarity; blank: zero or negative.")
    if S.max() > 1.5 * top:
        sentences.append(f"Darkest: {digits(top)} and more.")
    return sentences


def _name_axes(figure: go.Figure, places: list[str], names: list[str]) -> None:
    short = shortened(names)
    alias = {place: short.get(name, name) or " " for place, name in zip(places, names, strict=True)}
    frame = {
        "type": "category",
        "showgrid": False,
        "showline": True,
        "mirror": True,
        "linecolor": GRID,
        "labelalias": alias,
        "constrain": "domain",
        "nticks": 12,
    }
    figure.update_xaxes(**frame, range=[-0.5, len(places) - 0.5], showticklabels=False)
    figure.update_xaxes(title_text="task, in the same order", title_standoff=8)
    figure.update_yaxes(**frame, range=[len(places) - 0.5, -0.5], automargin=True)
    figure.update_yaxes(title_text="task", title_standoff=8, scaleanchor="x", constraintoward="top")
