"""The simplex of memberships as it is drawn: a segment, triangle or polygon, or in space.

A polygon has all its diagonals; four clusters may make a tetrahedron that can be turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from stcmtl.figures.pieces import Array, Flags, Index
from stcmtl.figures.pieces.colours import RIM
from stcmtl.figures.pieces.geometry import edges, grid, join
from stcmtl.figures.pieces.style import GRID, INK, RULE

NAME_AWAY = 70  # pixels from a new task to its name
TRUE_PLACE = "true place of "
LETTERS = {"color": INK, "size": 13}  # in space, which does not inherit them


@dataclass(frozen=True)
class Marks:
    """Tasks where they are drawn, and where they belong: NaN or None where nobody knows."""

    numbers: Index
    points: Array
    true: Array | None
    colours: list[str]
    hover: list[str]


@dataclass(frozen=True)
class Scene:
    """A simplex with K corners in two or three dimensions, tasks on it, and new ones."""

    corners: Array
    corner_clusters: list[int]
    corner_labels: list[str]
    tasks: Marks
    pure: Flags
    new: Marks | None = None
    new_names: Sequence[str] = ()

    @property
    def is_solid(self) -> bool:
        return self.corners.shape[1] == 3

    @property
    def symbols(self) -> NDArray[np.str_]:
        """Pure tasks are round."""
        return np.where(self.pure, "circle", "diamond")


def draw(figure: go.Figure, scene: Scene) -> None:
    """Add lines, tasks, true places, new tasks on top, and the names of the corners."""
    K = len(scene.corners)
    if K == 3:
        figure.add_trace(line("grid", grid(scene.corners), colour=GRID))
    pale = K > 3 and not scene.is_solid
    width = 2 if scene.is_solid else 1
    figure.add_trace(line("edges", edges(scene.corners), width, GRID if pale else RULE))
    add_tasks(figure, scene)
    if scene.new is not None:
        add_new_tasks(figure, scene, scene.new)
    if scene.is_solid:
        set_up_space(figure, scene)
    else:
        set_up_plane(figure, scene)


def add_tasks(figure: go.Figure, scene: Scene) -> None:
    tasks, picked = scene.tasks, scene.tasks.numbers
    whole: dict[str, Any] = {"size": 8, "line": RIM}
    hollow: dict[str, Any] = {"size": 12, "line": {"width": 1}}
    if scene.is_solid:
        whole, hollow = {"size": 5}, {"size": 8}
    whole["symbol"], hollow["symbol"] = scene.symbols, "circle-open"
    if tasks.true is not None:
        figure.add_trace(line("error", join(tasks.true, tasks.points), 3 if scene.is_solid else 1))
        figure.add_trace(
            marks("true places", tasks, tasks.true, hollow, TRUE_PLACE, customdata=picked)
        )
    figure.add_trace(marks("tasks", tasks, tasks.points, whole, customdata=picked))


def add_new_tasks(figure: go.Figure, scene: Scene, new: Marks) -> None:
    """Stars, or squares as space knows no stars; hollow ones where they belong."""
    whole: dict[str, Any] = {"size": 20, "symbol": "star", "line": RIM}
    more: dict[str, Any] = {"cliponaxis": False}
    if scene.is_solid:
        whole |= {"size": 9, "symbol": "square"}
        more = {"textfont": LETTERS}
    if new.true is not None:
        figure.add_trace(line("new error", join(new.true, new.points), 3 if scene.is_solid else 1))
        hollow = whole | {"symbol": f"{whole['symbol']}-open"}
        name = "true places of new tasks"
        figure.add_trace(marks(name, new, new.true, hollow, TRUE_PLACE, **more))
    if scene.is_solid and scene.new_names:
        more |= {"mode": "markers+text", "text": scene.new_names}
    figure.add_trace(marks("new tasks", new, new.points, whole, **more))


def scatter(points: Array, **looks: Any) -> go.Scatter | go.Scatter3d:
    """A trace in the plane or in space, after the number of the points' coordinates."""
    if points.shape[1] == 3:
        x, y, z = points.T
        return go.Scatter3d(x=x, y=y, z=z, **looks)
    return go.Scatter(x=points[:, 0], y=points[:, 1], showlegend=False, **looks)


def line(name: str, points: Array, width: int = 1, colour: str = RULE) -> go.Scatter | go.Scatter3d:
    looks = {"color": colour, "width": width}
    return scatter(points, name=name, mode="lines", line=looks, hoverinfo="skip")


def marks(
    name: str, tasks: Marks, points: Array, marker: dict[str, Any], opening: str = "", **more: Any
) -> go.Scatter | go.Scatter3d:
    looks = {
        "mode": "markers",
        "marker": {"color": tasks.colours} | marker,
        "hovertext": tasks.hover,
        "hovertemplate": f"{opening}%{{hovertext}}<extra></extra>",
    }
    return scatter(points, name=name, **looks | more)


def set_up_space(figure: go.Figure, scene: Scene) -> None:
    """Name the corners above the top and below the base, and choose where to look from."""
    beyond = np.where(scene.corners[:, 2:] > 0, 0.32, -0.32) * [0.0, 0.0, 1.0]
    names = {"text": scene.corner_labels, "textposition": "middle center", "textfont": LETTERS}
    figure.add_trace(
        scatter(scene.corners + beyond, name="corners", mode="text", hoverinfo="skip", **names)
    )
    hidden = {"visible": False, "range": [-1.5, 1.5]}
    figure.update_layout(
        showlegend=False,
        scene={
            "xaxis": hidden,
            "yaxis": hidden,
            "zaxis": hidden | {"range": [-1.2, 1.8]},
            "aspectmode": "cube",
            "bgcolor": "rgba(0, 0, 0, 0)",
            "camera": {"eye": {"x": 0.29, "y": 1.16, "z": 0.33}, "center": {"z": -0.12}},
        },
    )


def set_up_plane(figure: go.Figure, scene: Scene) -> None:
    """Name new tasks and corners, and hide the axes, but for the one that a segment is."""
    is_segment = len(scene.corners) == 2
    if scene.new is not None:
        name_new_tasks(figure, scene.new.points, scene.new_names, is_segment)
    name_corners(figure, scene, away=0.85 if is_segment else 0.24)
    hidden = {"showgrid": False, "zeroline": False, "showticklabels": False, "showline": False}
    low, high = scene.corners.min(axis=0), scene.corners.max(axis=0)
    figure.update_xaxes(**hidden, range=[low[0] - 0.34, high[0] + 0.34])
    if not is_segment:
        # as round as the polygon is, on any screen
        figure.update_xaxes(constrain="domain")
        figure.update_yaxes(**hidden, range=[low[1] - 0.55, high[1] + 0.55], scaleanchor="x")
        return
    shares = np.linspace(0.0, 1.0, 5)
    figure.update_yaxes(**hidden, range=[-1.0, 1.5])
    figure.update_xaxes(
        tickvals=2.0 * shares - 1.0,
        ticktext=[f"{share:.0%}" for share in shares],
        showticklabels=True,
        showgrid=True,
        title_text=f"share in cluster {scene.corner_clusters[1] + 1}",
    )


def name_new_tasks(
    figure: go.Figure, points: Array, names: Sequence[str], is_segment: bool
) -> None:
    """Towards the middle, clear of the tasks around a corner; below a segment."""
    for (x, y), name in zip(points, names, strict=False):
        away = np.hypot(x, y)
        dx, dy = (0.0, -1.0) if is_segment or away < 0.1 else (-x / away, -y / away)
        arrow = {"arrowhead": 0, "arrowcolor": RULE, "standoff": 10}
        step = {"ax": NAME_AWAY * dx, "ay": -NAME_AWAY * dy}
        figure.add_annotation(text=name, x=x, y=y, font_size=13, **step, **arrow)


def name_corners(figure: go.Figure, scene: Scene, away: float) -> None:
    """Above or below each corner, clear of the tasks around it."""
    for (x, y), text in zip(scene.corners, scene.corner_labels, strict=True):
        step, anchor = (away, "bottom") if y > -1e-9 else (-away, "top")
        figure.add_annotation(
            text=text, x=x, y=y + step, yanchor=anchor, showarrow=False, font_size=13
        )
