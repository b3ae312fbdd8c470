"""SOUP's purity scores: which tasks count as pure, and how clear the cut is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces.blocks import cluster_name
from stcmtl.figures.pieces.colours import RIM, task_colours
from stcmtl.figures.pieces.order import evenly, left_out, main_clusters
from stcmtl.figures.pieces.style import RULE, dress, rank_axis
from stcmtl.figures.pieces.text import labels
from stcmtl.phrases import counted, digits
from stcmtl.solver.purity import pure_tasks

MAX_TASKS = 4_000


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
    scores : array of T numbers
        `model.purity_` of a fitted model.
    V : array of shape (K, T)
        Memberships; `model.memberships_.T`. They give the tasks their colours.
    theta : float
        The share of tasks that SOUP declares pure; `model.theta`.
    task_names : sequence of T names, optional
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    scores, V = np.asarray(scores, dtype=float), np.asarray(V, dtype=float)
    names = labels("task_names", task_names, len(scores))
    clusters, colours = main_clusters(V), task_colours(V)
    inside = np.flatnonzero(V.any(axis=0))  # outlier tasks take no part in SOUP
    above = inside[pure_tasks(scores[inside], len(V), theta)]
    cut = float(scores[above].min())
    ranked = inside[np.argsort(-scores[inside], kind="stable")]
    shown = evenly(ranked, MAX_TASKS)
    rank = np.empty(len(scores), dtype=int)
    rank[ranked] = np.arange(1, len(ranked) + 1)
    figure = go.Figure(
        go.Scatter(
            name="purity",
            x=rank[shown],
            y=scores[shown],
            mode="markers",
            marker={"color": [colours[i] for i in shown], "size": 8, "line": RIM},
            cliponaxis=False,
            customdata=shown,
            hovertext=[f"{names[i]}, {cluster_name(clusters[i], len(V))}" for i in shown],
            hovertemplate="%{hovertext}<br>purity <b>%{y:.3~g}</b>, rank %{x}<extra></extra>",
        )
    )
    figure.add_hline(y=cut, line={"color": RULE, "width": 1.5, "dash": "dash"})
    sentences = [
        f"Dashed: the cut of θ = {theta:g} at a purity of {digits(cut)}.",
        "A drop at the cut means that pure and mixed tasks are easily told apart.",
    ]
    if len(inside) < len(scores):
        n_out = len(scores) - len(inside)
        sentences.append(f"Not drawn: {counted(n_out, 'outlier task')}, in no cluster.")
    sentences += left_out(len(ranked), len(shown))
    dress(
        figure,
        f"{len(above)} of {counted(len(ranked), 'task')} pass the purity cut",
        sentences,
        picture=f"Purity of {counted(len(shown), 'task')}, sorted from the highest.",
        height=height,
    )
    figure.update_xaxes(**rank_axis(len(ranked)))
    figure.update_yaxes(title_text="purity", range=[0, 1.05 * max(1.0, float(scores.max()))])
    return figure
