"""The iterations of a fit as a film: tasks move on the simplex while W takes shape."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import Array, simplex
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.heatmaps import choose_window, scale_rows
from stcmtl.figures.pieces.order import pick_evenly, tasks_by_cluster
from stcmtl.figures.pieces.picking import remember_tasks
from stcmtl.figures.pieces.simplex import Marks, Scene
from stcmtl.figures.pieces.style import (
    FRAME,
    diverging_axis,
    draw_words,
    dress,
    make_labels,
    task_colours,
)
from stcmtl.phrases import counted, digits
from stcmtl.solver.records import Iteration

# Of all frames together, which stay under 2 MB: a place takes 80 bytes, a cell 6.
MAX_FRAMES, MAX_PLACES, MAX_CELLS = 40, 6_000, 180_000
SECONDS_PER_FRAME = 0.8
STAGES = {"paper": "", "refine": " (refinement)"}


@remember_call
def replay(
    history: Sequence[Iteration],
    *,
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    feature_scale: ArrayLike | None = None,
    start: int | None = None,
    height: int = 560,
) -> go.Figure:
    """Draw memberships and coefficients after every iteration, with a slider and a play button.

    Four clusters are drawn as a square here. Tasks keep their order, that of the last iteration.
    Where loadings do not sum to one, places are those of their sizes in shares.

    Parameters
    ----------
    history : `model.history_` of a fitted model; of very many, some that are evenly spaced.
    start : which of the `replayed` iterations to begin at, counted from 0; by default the last.

    For the others see `stcmtl.figures`. Frames are named after their iterations.
    """
    last = history[-1]
    if not len(last.V):
        return draw_words(
            "No clusters: nothing moved", ["Every task was fitted on its own, at once."]
        )
    states = [replace(s, W=scale_rows(s.W, feature_scale)) for s in replayed(history)]
    position = len(states) - 1 if start is None else start
    first = states[position]
    names = make_labels("task_names", task_names, last.V.shape[1])
    shown = choose_window(
        [np.max([np.abs(state.W) for state in states], axis=0)],
        task_names,
        feature_names,
        only_selected=True,
        task_order=tasks_by_cluster(share_out(last.V), last.pure),
        max_cells=MAX_CELLS // len(states),
    )
    figure = go.Figure()
    simplex.draw(figure, set_scene(first, names))
    moving = [len(figure.data) - 1, len(figure.data)]
    hover = "feature %{y}<br>task %{x}<br><b>%{z:.3~g}</b><extra></extra>"
    axes = {"xaxis": "x2", "yaxis": "y2", "coloraxis": "coloraxis"}
    W = first.W.astype(np.float32)
    figure.add_trace(shown.heatmap("coefficients", W, hovertemplate=hover, **axes))
    figure.frames = [
        go.Frame(
            name=str(state.iteration),
            data=[
                move_tasks(set_scene(state, names)),
                {"type": "heatmap", "z": shown.of(state.W).astype(np.float32)},
            ],
            traces=moving,
        )
        for state in states
    ]
    left_out = len(history) - len(states)
    dress(
        figure,
        f"{counted(len(history), 'iteration')}: press play",
        [
            "Tasks move to their places; columns of a cluster become alike.",
            *([] if (last.V >= 0).all() else ["A place tells sizes of loadings, not their signs."]),
            *shown.notes,
            *([f"Left out: {counted(left_out, 'iteration')} in between."] if left_out else []),
        ],
        picture=f"Tasks on the simplex beside their coefficients, after each of "
        f"{counted(len(states), 'iteration')}; a slider chooses which.",
        height=height,
        margin={"l": 12, "r": 28, "b": 130},
    )
    share_width(figure, states)
    remember_tasks(figure, shown.columns)
    figure.update_layout(sliders=[slider(states, position)], updatemenus=[buttons()])
    return figure


def replayed(history: Sequence[Iteration]) -> list[Iteration]:
    """The iterations that a replay shows: all, or of very many some that are evenly spaced."""
    room = min(MAX_FRAMES, max(2, MAX_PLACES // history[-1].V.shape[1]))
    return [history[i] for i in pick_evenly(np.arange(len(history)), room)]


def set_scene(state: Iteration, names: list[str]) -> Scene:
    """All tasks that are in a cluster, in the plane whatever K."""
    K = len(state.V)
    at = simplex.polygon(4) if K == 4 else simplex.corners(K)
    shares = share_out(state.V)
    inside = np.flatnonzero(shares.any(axis=0))
    exact = simplex.places(shares[:, inside], at)
    places = np.full((len(names), 2), np.nan)  # an outlier has no place
    places[inside] = exact + simplex.set_apart(exact, at)
    tasks = Marks(
        numbers=np.arange(len(names)),
        points=places,
        true=None,
        colours=task_colours(shares),
        hover=[f"{name}<br>{say_main_cluster(state, i)}" for i, name in enumerate(names)],
    )
    return Scene(at, list(range(K)), [f"{k + 1}" for k in range(K)], tasks, state.pure)


def share_out(V: Array) -> Array:
    """Sizes of loadings in shares; memberships as they are."""
    total = np.abs(V).sum(axis=0)
    is_mixture = np.isclose(total, 1.0) & (V >= 0).all(axis=0)
    return np.where(is_mixture, V, np.abs(V) / np.where(total > 0, total, 1.0))


def say_main_cluster(state: Iteration, task: int) -> str:
    v = state.V[:, task]
    k = np.abs(v).argmax()
    return f"cluster {k + 1}: <b>{digits(v[k])}</b>" if v.any() else "in no cluster"


def move_tasks(scene: Scene) -> dict[str, Any]:
    """What another iteration changes about the tasks."""
    return {
        "type": "scatter",
        "x": scene.tasks.points[:, 0],
        "y": scene.tasks.points[:, 1],
        "marker": {"color": scene.tasks.colours, "symbol": scene.symbols},
        "hovertext": scene.tasks.hover,
    }


def share_width(figure: go.Figure, states: list[Iteration]) -> None:
    """The simplex to the left, coefficients to the right."""
    bare = FRAME | {"showticklabels": False}
    beside = {"domain": [0.54, 1], "anchor": "y2", "title_text": "tasks across, features down"}
    figure.update_layout(
        showlegend=False,
        xaxis={"domain": [0, 0.48], "title": None},
        xaxis2=bare | beside,
        yaxis2=bare | {"anchor": "x2", "autorange": "reversed"},
        coloraxis=diverging_axis((state.W for state in states), showscale=False),
    )


def slider(states: list[Iteration], position: int) -> dict[str, Any]:
    steps = [
        {
            "label": str(state.iteration),
            "value": f"{state.iteration}{STAGES.get(state.stage, '')}",
            "method": "animate",
            "args": [[str(state.iteration)], motion(0)],
        }
        for state in states
    ]
    return {
        "active": position, "steps": steps, "x": 0.0, "len": 1.0, "y": 0, "yanchor": "top",
        "pad": {"t": 64, "l": 112, "b": 0},
        "currentvalue": {"prefix": "iteration ", "xanchor": "left"},
    }  # fmt: skip


def buttons() -> dict[str, Any]:
    """Play goes on from where the slider is; from the end it begins again."""
    play = [None, motion(1000 * SECONDS_PER_FRAME) | {"fromcurrent": True}]
    pause = [[None], motion(0)]
    return {
        "type": "buttons", "direction": "left", "showactive": False,
        "x": 0, "xanchor": "left", "y": 0, "yanchor": "top", "pad": {"t": 72}, "font": {"size": 16},
        "buttons": [
            {"label": "▶", "method": "animate", "args": play},
            {"label": "❚❚", "method": "animate", "args": pause},
        ],
    }  # fmt: skip


def motion(milliseconds: float) -> dict[str, Any]:
    return {
        "mode": "immediate",
        "frame": {"duration": milliseconds, "redraw": True},  # a heatmap has to be drawn anew
        "transition": {"duration": 0},
    }
