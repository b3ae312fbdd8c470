"""The iterations of a fit as a film: tasks move on the simplex while W takes shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from stcmtl.figures.pieces import geometry, plane
from stcmtl.figures.pieces.colours import task_colours
from stcmtl.figures.pieces.heatmaps import Window, window
from stcmtl.figures.pieces.highlight import remember_tasks
from stcmtl.figures.pieces.order import evenly, tasks_by_cluster
from stcmtl.figures.pieces.scene import Scene
from stcmtl.figures.pieces.style import COLOUR_BAR, DIVERGING, GRID, dress
from stcmtl.figures.pieces.text import labels
from stcmtl.phrases import counted, digits
from stcmtl.solver.records import Iteration

# Of all frames together, which stay under 2 MB: a place takes 80 bytes, a cell 6.
MAX_FRAMES, MAX_PLACES, MAX_CELLS = 40, 6_000, 180_000
SECONDS_A_FRAME = 0.8
STAGES = {"paper": "", "refine": " (refinement)"}


def replay(
    history: Sequence[Iteration],
    *,
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    start: int | None = None,
    height: int = 560,
) -> go.Figure:
    """Draw memberships and coefficients after every iteration, with a slider and a play button.

    Four clusters are drawn as a square here. Tasks keep their order, that of the last iteration.

    Parameters
    ----------
    history : sequence of iterations
        `model.history_` of a fitted model; of very many, some that are evenly spaced.
    task_names, feature_names : sequences of T and D names, optional
    start : int, optional
        Which of the `replayed` iterations to begin at, counted from 0; by default the last.
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        With frames named after their iterations.
    """
    last, states = history[-1], replayed(history)
    position = len(states) - 1 if start is None else start
    first = states[position]
    names = labels("task_names", task_names, last.V.shape[1])
    shown = window(
        [np.max([np.abs(state.W) for state in states], axis=0)],
        task_names,
        feature_names,
        only_selected=True,
        task_order=tasks_by_cluster(last.V, last.pure),
        feature_order=None,
        max_cells=MAX_CELLS // len(states),
    )
    figure = go.Figure()
    plane.draw(figure, _scene(first, names))
    moving = [len(figure.data) - 1, len(figure.data)]
    figure.add_trace(_heatmap(first, shown))
    figure.frames = [
        go.Frame(
            name=str(state.iteration),
            data=[_moved(_scene(state, names)), {"type": "heatmap", "z": _cells(state, shown)}],
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
            *shown.notes,
            *([f"Left out: {counted(left_out, 'iteration')} in between."] if left_out else []),
        ],
        picture=f"Tasks on the simplex beside their coefficients, after each of "
        f"{counted(len(states), 'iteration')}; a slider chooses which.",
        height=height,
        margin={"l": 12, "r": 28, "b": 130},
    )
    _share_the_width(figure, states)
    remember_tasks(figure, shown.columns)
    figure.update_layout(sliders=[_slider(states, position)], updatemenus=[_buttons()])
    return figure


def replayed(history: Sequence[Iteration]) -> list[Iteration]:
    """The iterations that a replay shows: all, or of very many some that are evenly spaced."""
    room = min(MAX_FRAMES, max(2, MAX_PLACES // history[-1].V.shape[1]))
    return [history[i] for i in evenly(np.arange(len(history)), room)]


def _scene(state: Iteration, names: list[str]) -> Scene:
    """All tasks that are in a cluster, in the plane whatever K."""
    K = len(state.V)
    at = geometry.polygon(4) if K == 4 else geometry.corners(K)
    inside = np.flatnonzero(state.V.any(axis=0))
    exact = geometry.places(state.V[:, inside], at)
    places = np.full((len(names), 2), np.nan)  # an outlier has no place
    places[inside] = exact + _apart(exact, K)
    return Scene(
        corners=at,
        corner_clusters=list(range(K)),
        corner_labels=[f"{k + 1}" for k in range(K)],
        tasks=np.arange(len(names)),
        points=places,
        true=None,
        pure=state.pure,
        colours=task_colours(state.V),
        hover=[f"{name}<br>{_main(state, i)}" for i, name in enumerate(names)],
    )


def _apart(places: NDArray[np.float64], n_clusters: int) -> NDArray[np.float64]:
    if n_clusters == 2:
        return geometry.stack_up(places, step=0.14, reach=0.8)
    return geometry.fan_out(places, step=0.06, reach=0.2)


def _main(state: Iteration, task: int) -> str:
    v = state.V[:, task]
    return f"cluster {v.argmax() + 1}: <b>{digits(v.max())}</b>" if v.any() else "outlier"


def _moved(scene: Scene) -> dict[str, Any]:
    """What another iteration changes about the tasks."""
    return {
        "type": "scatter",
        "x": scene.points[:, 0],
        "y": scene.points[:, 1],
        "marker": {"color": scene.colours, "symbol": plane.symbols(scene)},
        "hovertext": scene.hover,
    }


def _cells(state: Iteration, shown: Window) -> NDArray[np.float32]:
    return shown.of(state.W).astype(np.float32)


def _heatmap(state: Iteration, shown: Window) -> go.Heatmap:
    return go.Heatmap(
        name="coefficients",
        z=_cells(state, shown),
        x=shown.tasks,
        y=shown.features,
        xaxis="x2",
        yaxis="y2",
        coloraxis="coloraxis",
        hovertemplate="feature %{y}<br>task %{x}<br><b>%{z:.3~g}</b><extra></extra>",
    )


def _share_the_width(figure: go.Figure, states: list[Iteration]) -> None:
    limit = max(float(np.abs(state.W).max()) for state in states) or 1.0
    frame = {
        "type": "category",
        "showgrid": False,
        "showline": True,
        "mirror": True,
        "linecolor": GRID,
        "showticklabels": False,
    }
    figure.update_layout(
        showlegend=False,
        xaxis={"domain": [0, 0.48], "title": None},
        xaxis2=frame
        | {"domain": [0.54, 1], "anchor": "y2", "title_text": "tasks across, features down"},
        yaxis2=frame | {"anchor": "x2", "autorange": "reversed"},
        coloraxis={
            "colorscale": DIVERGING,
            "cmin": -limit,
            "cmax": limit,
            "showscale": False,
            "colorbar": COLOUR_BAR,
        },
    )


def _slider(states: list[Iteration], position: int) -> dict[str, Any]:
    return {
        "active": position,
        "x": 0.0,
        "len": 1.0,
        "y": 0,
        "yanchor": "top",
        "pad": {"t": 64, "l": 112, "b": 0},
        "currentvalue": {"prefix": "iteration ", "xanchor": "left"},
        "steps": [
            {
                "label": str(state.iteration),
                "value": f"{state.iteration}{STAGES.get(state.stage, '')}",
                "method": "animate",
                "args": [[str(state.iteration)], _motion("immediate", 0)],
            }
            for state in states
        ],
    }


def _buttons() -> dict[str, Any]:
    """Play goes on from where the slider is; from the end it begins again."""
    play = [None, _motion("immediate", 1000 * SECONDS_A_FRAME) | {"fromcurrent": True}]
    pause = [[None], _motion("immediate", 0)]
    return {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "pad": {"t": 72},
        "font": {"size": 16},
        "buttons": [
            {"label": "▶", "method": "animate", "args": play},
            {"label": "❚❚", "method": "animate", "args": pause},
        ],
    }


def _motion(mode: str, milliseconds: float) -> dict[str, Any]:
    return {
        "mode": mode,
        "frame": {"duration": milliseconds, "redraw": True},  # a heatmap has to be drawn anew
        "transition": {"duration": 0},
    }
