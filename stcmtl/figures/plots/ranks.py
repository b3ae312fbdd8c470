"""Tasks ranked by a value with a cut: SOUP's purity, and distances with the fence of outliers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import order
from stcmtl.figures.pieces.colours import NO_CLUSTER, task_colours
from stcmtl.figures.pieces.style import GRID, RULE, dress, make_labels
from stcmtl.phrases import counted, digits, listed
from stcmtl.solver.thresholds import beyond_fence, fence, pure_tasks

MAX_TASKS = 4_000
FACTOR = 4.5  # the paper's, section 5
CUT = {"color": RULE, "width": 1.5, "dash": "dash"}
NOTE = {"xref": "x domain", "x": 0, "xanchor": "left", "yanchor": "bottom", "font_size": 12}


def purity(
    scores: ArrayLike,
    V: ArrayLike,
    *,
    theta: float = 0.5,
    task_names: Sequence[object] | None = None,
    height: int = 380,
) -> go.Figure:
    """Draw the purity score of every task, highest first, and the cut that theta makes.

    Parameters
    ----------
    scores : array of T numbers, `model.purity_` of a fitted model.
    theta : the share of tasks that SOUP declares pure; `model.theta`.

    For the others see `stcmtl.figures`.
    """
    scores, V = np.asarray(scores, dtype=float), np.asarray(V, dtype=float)
    inside = np.flatnonzero(V.any(axis=0))  # outlier tasks take no part in SOUP
    above = inside[pure_tasks(scores[inside], len(V), theta)]
    cut = float(scores[above].min())
    ranked = inside[np.argsort(-scores[inside], kind="stable")]
    ranks = order.pick_evenly(np.arange(len(ranked)), MAX_TASKS)
    figure = go.Figure(
        order.ranked_points(
            "purity",
            scores,
            ranked[ranks],
            ranks + 1,
            colours=task_colours(V),
            hover=order.add_clusters(make_labels("task_names", task_names, len(scores)), V),
            value="purity <b>%{y:.3~g}</b>",
        )
    )
    figure.add_hline(y=cut, line=CUT)
    sentences = [
        f"Dashed: the cut of θ = {theta:g} at a purity of {digits(cut)}.",
        "A drop at the cut means that pure and mixed tasks are easily told apart.",
    ]
    n_out = len(scores) - len(inside)
    if n_out:
        sentences.append(f"Not drawn: {counted(n_out, 'outlier task')}, in no cluster.")
    dress(
        figure,
        f"{len(above)} of {counted(len(ranked), 'task')} pass the purity cut",
        [*sentences, *order.say_left_out(len(ranked), len(ranks))],
        picture=f"Purity of {counted(len(ranks), 'task')}, sorted from the highest.",
        height=height,
    )
    figure.update_xaxes(**order.rank_axis(len(ranked)))
    figure.update_yaxes(title_text="purity", range=[0, 1.05 * max(1.0, float(scores.max()))])
    return figure


def outliers(
    distances: ArrayLike,
    V: ArrayLike | None = None,
    *,
    factor: float = FACTOR,
    flagged: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    height: int = 400,
) -> go.Figure:
    """Draw the tasks' distances from the model, sorted, with their quartiles and the fence.

    Parameters
    ----------
    distances : array of T numbers, `model.distances_` of a fitted model.
    factor : the fence lies at the upper quartile + factor x the interquartile range; it can be
        moved without a new fit.
    flagged : array of T flags, the tasks that a fit set aside, `model.outliers_`; by default
        those beyond the fence.

    For the others see `stcmtl.figures`.
    """
    distances = np.asarray(distances, dtype=float)
    T = len(distances)
    names = make_labels("task_names", task_names, T)
    low, high = np.quantile(distances, [0.25, 0.75])
    limit = fence(distances, factor)
    set_aside = flagged is not None
    out = np.asarray(flagged, dtype=bool) if set_aside else beyond_fence(distances, factor)
    ranking = np.argsort(distances, kind="stable")
    # every flagged task stays, however many tasks there are
    ranks = np.flatnonzero(np.isin(ranking, order.pick_evenly(ranking, MAX_TASKS)) | out[ranking])
    marked = out[ranking[ranks]]
    figure = go.Figure(
        order.ranked_points(
            "distance",
            distances,
            ranking[ranks],
            ranks + 1,
            colours=[NO_CLUSTER] * T if V is None else task_colours(V),
            hover=names if V is None else order.add_clusters(names, V),
            value="distance <b>%{y:.3~g}</b>",
            symbol=np.where(marked, "x", "circle"),
            size=np.where(marked, 11, 8),
            opacity=1,
        )
    )
    figure.add_hrect(y0=low, y1=high, fillcolor=GRID, line_width=0, layer="below")
    figure.add_annotation(text="fence", y=limit, showarrow=False, **NOTE)
    figure.add_annotation(text="middle half", y=high, showarrow=False, **NOTE)
    figure.add_hline(y=limit, line=CUT)
    plain = names if task_names is None else task_names
    title, farthest_first = say_outliers([plain[i] for i in ranking[::-1] if out[i]], set_aside)
    dress(
        figure,
        title,
        [
            *farthest_first,
            f"Shaded: the middle half, {digits(low)} to {digits(high)}.",
            f"Dashed: the fence, {factor:g} such ranges above it at {digits(limit)}.",
            *([f"Shown: {len(ranks):,} of {T:,} tasks."] if len(ranks) < T else []),
        ],
        picture=f"Distances of {counted(len(ranks), 'task')} from the model, sorted.",
        height=height,
    )
    figure.update_xaxes(**order.rank_axis(T))
    top = 1.08 * max(limit, float(distances.max())) or 1.0
    figure.update_yaxes(title_text="distance from the model", range=[0, top])
    return figure


def say_outliers(names: Sequence[object], set_aside: bool) -> tuple[str, list[str]]:
    """How many tasks are out, and which."""
    few = counted(len(names), "outlier task" if set_aside else "task")
    if not names:
        return "No outlier tasks" if set_aside else "No task beyond the fence", []
    title, opening = (few, "Set aside") if set_aside else (f"{few} beyond the fence", "Beyond")
    return title, [f"{opening} (×): {listed(names)}."]
