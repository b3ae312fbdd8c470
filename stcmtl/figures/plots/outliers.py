"""How far each task lies from the model, and the fence beyond which it is an outlier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.figures.pieces.blocks import cluster_name
from stcmtl.figures.pieces.colours import NO_CLUSTER, RIM, task_colours
from stcmtl.figures.pieces.order import evenly, main_clusters
from stcmtl.figures.pieces.style import GRID, RULE, dress, rank_axis
from stcmtl.figures.pieces.text import labels
from stcmtl.phrases import counted, digits, listed
from stcmtl.solver.fence import beyond_fence, fence

MAX_TASKS = 4_000
FACTOR = 4.5  # the paper's, section 5


_NOTE = {
    "xref": "x domain",
    "xanchor": "left",
    "yanchor": "bottom",
    "showarrow": False,
    "font_size": 12,
}


def outliers(
    distances: ArrayLike,
    V: ArrayLike | None = None,
    *,
    factor: float = FACTOR,
    flagged: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    height: int = 400,
) -> go.Figure:
    """Draw the tasks' distances, sorted, with their quartiles and the fence.

    Parameters
    ----------
    distances : array of T numbers
        `model.distances_` of a fitted model.
    V : array of shape (K, T), optional
        Memberships, which give the tasks their colours.
    factor : float
        The fence lies at the upper quartile + factor x the interquartile range; it can be
        moved without a new fit.
    flagged : array of T flags, optional
        Tasks that a fit set aside, `model.outliers_`; by default those beyond the fence.
    task_names : sequence of T names, optional
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    distances = np.asarray(distances, dtype=float)
    T = len(distances)
    names = labels("task_names", task_names, T)
    low, high = np.quantile(distances, [0.25, 0.75])
    limit = fence(distances, factor)
    beyond = beyond_fence(distances, factor)
    out = beyond if flagged is None else np.asarray(flagged, dtype=bool)
    order = np.argsort(distances, kind="stable")
    # every flagged task stays, however many tasks there are
    shown = np.flatnonzero(np.isin(order, evenly(order, MAX_TASKS)) | out[order])
    figure = go.Figure(_points(distances, order, shown, out, V, names))
    figure.add_hrect(y0=low, y1=high, fillcolor=GRID, line_width=0, layer="below")
    figure.add_annotation(text="fence", x=0, y=limit, **_NOTE)
    figure.add_annotation(text="middle half", x=0, y=high, **_NOTE)
    figure.add_hline(y=limit, line={"color": RULE, "width": 1.5, "dash": "dash"})
    dress(
        figure,
        _title(int(out.sum()), flagged is not None),
        [
            *_named(out, order, task_names, names, flagged is not None),
            f"Shaded: the middle half, {digits(low)} to {digits(high)}.",
            f"Dashed: the fence, {factor:g} such ranges above it at {digits(limit)}.",
            *([f"Shown: {len(shown):,} of {T:,} tasks."] if len(shown) < T else []),
        ],
        picture=f"Distances of {counted(len(shown), 'task')} from the model, sorted.",
        height=height,
    )
    figure.update_xaxes(**rank_axis(len(distances)))
    top = 1.08 * max(limit, float(distances.max())) or 1.0
    figure.update_yaxes(title_text="distance from the model", range=[0, top])
    return figure


def _points(
    distances: NDArray[np.float64],
    order: NDArray[np.intp],
    shown: NDArray[np.intp],
    out: NDArray[np.bool_],
    V: ArrayLike | None,
    names: list[str],
) -> go.Scatter:
    tasks = order[shown]
    colours = [NO_CLUSTER] * len(distances) if V is None else task_colours(V)
    where = [""] * len(distances)
    if V is not None:
        K = len(np.asarray(V))
        where = [f", {cluster_name(cluster, K)}" for cluster in main_clusters(V)]
    return go.Scatter(
        name="distance",
        x=shown + 1,
        y=distances[tasks],
        mode="markers",
        marker={
            "color": [colours[i] for i in tasks],
            "symbol": np.where(out[tasks], "x", "circle"),
            "size": np.where(out[tasks], 11, 8),
            "opacity": 1,
            "line": RIM,
        },
        cliponaxis=False,
        customdata=tasks,
        hovertext=[f"{names[i]}{where[i]}" for i in tasks],
        hovertemplate="%{hovertext}<br>distance <b>%{y:.3~g}</b>, rank %{x}<extra></extra>",
    )


def _title(n_out: int, set_aside: bool) -> str:
    if set_aside:
        return counted(n_out, "outlier task") if n_out else "No outlier tasks"
    return f"{counted(n_out, 'task')} beyond the fence" if n_out else "No task beyond the fence"


def _named(
    out: NDArray[np.bool_],
    order: NDArray[np.intp],
    task_names: Sequence[object] | None,
    names: list[str],
    set_aside: bool,
) -> list[str]:
    """The flagged tasks, farthest first."""
    if not out.any():
        return []
    plain = names if task_names is None else task_names
    farthest_first = listed([plain[i] for i in order[::-1] if out[i]])
    return [f"{'Set aside' if set_aside else 'Beyond'} (×): {farthest_first}."]
