"""Every task as a bar of its shares in the clusters, tasks sorted by cluster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces.blocks import ROOM, number_clusters
from stcmtl.figures.pieces.colours import cluster_colours
from stcmtl.figures.pieces.order import (
    evenly,
    left_out,
    main_clusters,
    pure_or_given,
    tasks_by_cluster,
)
from stcmtl.figures.pieces.style import GRID, dress
from stcmtl.figures.pieces.text import labels, longest_tick, shortened
from stcmtl.phrases import counted

APART = 30  # tasks with room between their bars, on the narrowest screen too
MAX_TASKS = 400


def membership_bars(
    V: ArrayLike,
    *,
    pure: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    height: int = 350,
) -> go.Figure:
    """Draw the memberships as stacked bars.

    Parameters
    ----------
    V : array of shape (K, T)
        Memberships; `model.memberships_.T` of a fitted model.
    pure : array of T flags, optional
        `model.pure_`; by default the tasks with a single cluster.
    task_names : sequence of T names, optional
    height : int
        Height of the figure in pixels, to which the names of tasks add theirs.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    V = np.asarray(V, dtype=float)
    K, T = V.shape
    names = labels("task_names", task_names, T)
    clusters, flags = main_clusters(V), pure_or_given(V, pure)
    order = evenly(tasks_by_cluster(V, flags), MAX_TASKS)
    places = [names[i] for i in order]
    figure = go.Figure(
        [
            go.Bar(
                name=f"cluster {k + 1}",
                x=places,
                y=V[k, order],
                customdata=order,
                marker={"color": colour, "line_width": 0},
                hovertemplate=f"%{{x}}<br>cluster {k + 1}: <b>%{{y:.3~g}}</b><extra></extra>",
            )
            for k, colour in enumerate(cluster_colours(K))
        ]
    )
    room = longest_tick(places)
    number_clusters(figure, clusters[order], K)
    in_use = clusters[clusters < K]
    sizes = np.bincount(in_use, minlength=K)
    dress(
        figure,
        _title(sizes),
        [*_reading(V, flags), *left_out(T, len(order))],
        picture=f"A bar for each of {counted(len(order), 'task')}, split by its clusters; tasks "
        f"by main cluster: {', '.join(map(str, sizes))}.",
        height=height + room,
        room_above=ROOM,
        margin={"b": 40 + room},
    )
    figure.update_layout(
        barmode="stack", bargap=0.1 if len(order) <= APART else 0, showlegend=False
    )
    figure.update_xaxes(
        type="category",
        title={"text": "task", "standoff": 8},
        labelalias=shortened(places),
        range=[-0.5, len(places) - 0.5],
        nticks=8,
        ticks="outside",
        tickcolor=GRID,
        autotickangles=[0, 90],
    )
    figure.update_yaxes(title_text="share", range=[0, 1], tickformat=".0%", showgrid=False)
    return figure


def _title(sizes: np.ndarray) -> str:
    used = sizes[sizes > 0]
    if len(used) == 0:
        return "No task belongs to a cluster"
    if len(used) == 1:
        return f"All {counted(int(used[0]), 'task')} in one cluster"
    if used.min() == used.max():
        return f"{len(used)} clusters of {counted(int(used[0]), 'task')} each"
    return f"{len(used)} clusters of {used.min():,} to {used.max():,} tasks"


def _reading(V: np.ndarray, pure: np.ndarray) -> list[str]:
    sentences = ["Sorted by main cluster, whose number is above; a bar of one colour is pure."]
    mixed = V[:, ~pure & V.any(axis=0)]
    if mixed.size:
        mean = np.count_nonzero(mixed > 0.01, axis=0).mean()
        sentences.append(f"Mixed tasks share {mean:.2g} clusters on average.")
    return sentences
