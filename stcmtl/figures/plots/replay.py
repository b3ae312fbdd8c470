"""The steps of a fit as a film: tasks move on the simplex while W takes shape."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import Array, simplex
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.heatmaps import Window, choose_window, scale_rows
from stcmtl.figures.pieces.order import pick_evenly, tasks_by_cluster
from stcmtl.figures.pieces.picking import remember_tasks
from stcmtl.figures.pieces.simplex import Marks, Scene
from stcmtl.figures.pieces.steps import Step, all_steps
from stcmtl.figures.pieces.style import (
    FRAME,
    INK,
    diverging_axis,
    draw_words,
    dress,
    make_labels,
    name_clusters,
    shorten,
    task_colours,
)
from stcmtl.phrases import counted, digits
from stcmtl.solver.records import Iteration

# Of all frames together, which stay under 2 MB: a place takes 80 bytes, a cell 6.
MAX_FRAMES, MAX_PLACES, MAX_CELLS = 60, 6_000, 180_000
MOST_FEATURES = 60  # that can be told apart on a slide
SECONDS_PER_FRAME = 1.2
NOWHERE = "no place yet"


@remember_call
def replay(
    history: Sequence[Iteration],
    initial: ArrayLike | None = None,
    *,
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    feature_scale: ArrayLike | None = None,
    cluster_names: Sequence[object] | None = None,
    start: int = 0,
    height: int = 560,
) -> go.Figure:
    """Draw memberships and coefficients after every step, with a slider and a play button.

    Steps are V, U and W of each iteration and then those of the refinement. Four clusters are
    drawn as a square here. Tasks keep their order, that of the last iteration. Where loadings do
    not sum to one, places are those of their sizes in shares.

    Parameters
    ----------
    history : `model.history_` of a fitted model.
    initial : array of shape (D, T), the separate fits that the first step begins with,
        `model.single_task_coef_.T`; by default the film begins after them.
    cluster_names : of the corners; by default their numbers from 1.
    start : which of the frames to begin at, counted from 0.

    For the others see `stcmtl.figures`. Frames are named after what their steps did; of very many,
    some that are evenly spaced. `stcmtl.report.replay_html` makes a small page of the figure.

    >>> figure = figures.replay(model.history_, model.single_task_coef_.T)
    >>> figure.frames[0].name
    'Iteration 0: every task fitted alone'
    """
    last = history[-1]
    if not len(last.V):
        return draw_words(
            "No clusters: nothing moved", ["Every task was fitted on its own, at once."]
        )
    first_fits = None if initial is None else np.asarray(initial, dtype=float)
    every = all_steps(history, first_fits)
    steps = [replace(s, W=scale_rows(s.W, feature_scale)) for s in pick_steps(every)]
    first = steps[start]
    names = make_labels("task_names", task_names, last.V.shape[1])
    called = name_clusters(cluster_names, len(last.V))
    shown = choose_window(
        [np.max([np.abs(step.W) for step in steps], axis=0)],
        task_names,
        feature_names,
        only_selected=True,
        task_order=tasks_by_cluster(share_out(last.V), last.pure),
        max_cells=min(MAX_CELLS // len(steps), MOST_FEATURES * len(names)),
    )
    figure = go.Figure()
    simplex.draw(figure, set_scene(first, names, called))
    moving = [len(figure.data) - 1, len(figure.data)]
    hover = "feature %{y}<br>task %{x}<br><b>%{z:,.3~r}</b><extra></extra>"
    axes = {"xaxis": "x2", "yaxis": "y2", "coloraxis": "coloraxis"}
    W = first.W.astype(np.float32)
    figure.add_trace(shown.heatmap("coefficients", W, hovertemplate=hover, **axes))
    figure.frames = [
        go.Frame(
            name=step.label,
            data=[
                move_tasks(set_scene(step, names, called)),
                {"type": "heatmap", "z": shown.of(step.W).astype(np.float32)},
            ],
            traces=moving,
        )
        for step in steps
    ]
    left_out = len(every) - len(steps)
    dress(
        figure,
        f"{counted(len(every), 'step')}: press play",
        [
            "See tasks move to their places, and which columns become alike.",
            *([] if (last.V >= 0).all() else ["A place tells sizes of loadings, not their signs."]),
            *tell_features(shown, np.array([np.abs(step.W).max(axis=1) for step in steps])),
            *([f"Left out: {counted(left_out, 'step')} in between."] if left_out else []),
        ],
        picture=f"Tasks on the simplex beside their coefficients, after each of "
        f"{counted(len(steps), 'step')}; a slider chooses which.",
        height=height,
        margin={"l": 12, "r": 50, "b": 130},
    )
    share_width(figure, steps, shown)
    remember_tasks(figure, shown.columns)
    figure.update_layout(sliders=[slider(steps, start)], updatemenus=[buttons()])
    return figure


def tell_features(shown: Window, strengths: Array) -> list[str]:
    """Which features have a row; ``strengths`` are their largest coefficients (steps, D)."""
    n_drawn, n_features = len(shown.rows), strengths.shape[1]
    n_used, n_left = np.count_nonzero(strengths.any(axis=0)), np.count_nonzero(strengths[-1])
    if n_used in (0, n_left) and n_drawn in (n_used, n_features):
        return shown.notes
    which = f"the {n_used} of {n_features} features that some step uses"
    if n_drawn < n_used:
        which = f"the {n_drawn} with the largest coefficients of {n_used} features that are used"
    elif n_used == n_features:
        which = f"all {n_used} features, each used by some step"
    return [f"Rows: {which}; the final fit uses {n_left}."]


def pick_steps(steps: list[Step]) -> list[Step]:
    """The steps that a replay shows: all, or of very many some that are evenly spaced."""
    room = min(MAX_FRAMES, max(2, MAX_PLACES // steps[-1].V.shape[1]))
    return [steps[i] for i in pick_evenly(np.arange(len(steps)), room)]


def set_scene(step: Step, names: list[str], called: list[str]) -> Scene:
    """All tasks that are in a cluster, in the plane whatever K; at first all in its middle."""
    K = len(step.V)
    at = simplex.polygon(4) if K == 4 else simplex.corners(K)
    is_begun = step.V.any()
    shares = share_out(step.V) if is_begun else np.full_like(step.V, 1.0 / K)
    inside = np.flatnonzero(shares.any(axis=0))
    exact = simplex.places(shares[:, inside], at)
    places = np.full((len(names), 2), np.nan)  # an outlier has no place
    places[inside] = exact + simplex.set_apart(exact, at)
    said = [say_main_cluster(v, called) if is_begun else NOWHERE for v in step.V.T]
    tasks = Marks(
        numbers=np.arange(len(names)),
        points=places,
        true=None,
        colours=task_colours(shares if is_begun else step.V),
        hover=[f"{name}<br>{where}" for name, where in zip(names, said, strict=True)],
    )
    corners = [name.removeprefix("cluster ") for name in called]
    return Scene(at, called, list(range(K)), corners, tasks, step.pure)


def share_out(V: Array) -> Array:
    """Sizes of loadings in shares; memberships as they are."""
    total = np.abs(V).sum(axis=0)
    is_mixture = np.isclose(total, 1.0) & (V >= 0).all(axis=0)
    return np.where(is_mixture, V, np.abs(V) / np.where(total > 0, total, 1.0))


def say_main_cluster(v: Array, called: Sequence[str]) -> str:
    k = int(np.abs(v).argmax())
    return f"{called[k]}: <b>{digits(v[k])}</b>" if v.any() else "in no cluster"


def move_tasks(scene: Scene) -> dict[str, Any]:
    """What another iteration changes about the tasks."""
    return {
        "type": "scatter",
        "x": scene.tasks.points[:, 0],
        "y": scene.tasks.points[:, 1],
        "marker": {"color": scene.tasks.colours, "symbol": scene.symbols},
        "hovertext": scene.tasks.hover,
    }


def share_width(figure: go.Figure, steps: list[Step], shown: Window) -> None:
    """The simplex to the left, coefficients with names of features to the right."""
    across = {"domain": [0.62, 0.97], "anchor": "y2", "title_text": "tasks across, features down"}
    down = {"anchor": "x2", "autorange": "reversed", "labelalias": shorten(shown.features)}
    figure.update_layout(
        showlegend=False,
        xaxis={"domain": [0, 0.48], "title": None},
        xaxis2=FRAME | {"showticklabels": False} | across,
        yaxis2=FRAME | down,
        coloraxis=diverging_axis(step.W for step in steps),
    )


def slider(steps: list[Step], position: int) -> dict[str, Any]:
    """What a step did stands above it alone: the labels of all would cover one another."""
    return {
        "active": position,
        "steps": [
            {"label": step.label, "method": "animate", "args": [[step.label], motion(0)]}
            for step in steps
        ],
        "x": 0.0, "len": 1.0, "y": 0, "yanchor": "top", "pad": {"t": 64, "l": 112, "b": 0},
        "font": {"color": "rgba(0, 0, 0, 0)", "size": 1},
        "currentvalue": {"xanchor": "left", "font": {"size": 15, "color": INK}},
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
