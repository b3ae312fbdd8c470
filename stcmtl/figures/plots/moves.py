"""Two fits of the same tasks in one simplex, with a line from where each task was."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import order, simplex, style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.simplex import Scene
from stcmtl.figures.plots.memberships import ALONE, label_corners, place_tasks
from stcmtl.phrases import counted

FAR = 0.1  # share of membership


@remember_call
def task_moves(
    before: ArrayLike,
    after: ArrayLike,
    *,
    pure: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 600,
) -> go.Figure:
    """Draw where tasks are after another fit, and hollow where they were before it.

    Parameters
    ----------
    before, after : arrays of shape (K, T) in one order of clusters, of `compare_fits` in
        `stcmtl.evaluation.two_fits`.

    For the others see `stcmtl.figures`; four clusters lie flat.

    >>> figures.task_moves(truth.V, V).layout.title.text
    'No task moves by more than 10%'
    """
    V0, V1 = (np.asarray(V, dtype=float) for V in (before, after))
    K, T = V1.shape
    if K < 2:
        return style.draw_words(*ALONE) if not K else style.draw_words("One cluster", [])
    names = style.make_labels("task_names", task_names, T)
    called = style.name_clusters(cluster_names, K)
    at = simplex.square() if K == 4 else simplex.corners(K)
    every = list(range(K))
    tasks = place_tasks(V1, V0, None, names, called, every, at, apart=True)
    corners = label_corners(style.name_clusters(cluster_names, K, noun="Cluster"), every)
    flags = order.flag_pure(V1, pure)[tasks.numbers]
    figure = go.Figure()
    scene = Scene(at, called, every, corners, tasks, flags)
    simplex.draw(figure, scene)
    hollow = next(trace for trace in figure.data if trace.name == "true places")
    hollow.update(name="before", hovertemplate="before, of %{hovertext}<extra></extra>")
    moved = np.abs(V1 - V0).sum(axis=0) / 2
    n_far = int((moved > FAR).sum())
    style.dress(
        figure,
        f"{n_far:,} of {counted(T, 'task')} move by more than {FAR:.0%}"
        if n_far
        else f"No task moves by more than {FAR:.0%}",
        ["Filled: now. Hollow: in the earlier fit, with a line between."],
        picture=f"{counted(len(tasks.numbers), 'task')} among {K} clusters, each joined to its "
        "place in the earlier fit.",
        height=min(height, 420) if K == 2 else height,
        room_above=simplex.room_beyond(scene, above=True),
        margin={"l": 12, "r": 12, "b": 64 if K == 2 else simplex.room_beyond(scene, above=False)},
    )
    return figure
