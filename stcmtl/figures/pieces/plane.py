"""A simplex in the plane: a segment, a triangle, or a polygon with all its diagonals."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from stcmtl.figures.pieces.colours import RIM
from stcmtl.figures.pieces.geometry import grid_lines
from stcmtl.figures.pieces.scene import Newcomers, Scene, edges, joined
from stcmtl.figures.pieces.style import GRID, RULE

NAME_AWAY = 70  # pixels from a new task to its name


def draw(figure: go.Figure, scene: Scene) -> None:
    """Add lines, tasks, true places and the names of the corners."""
    if len(scene.corners) == 3:
        starts, ends = map(np.array, zip(*grid_lines(scene.corners), strict=True))
        figure.add_trace(_line("grid", joined(starts, ends), GRID))
    figure.add_trace(_line("edges", edges(scene.corners), GRID if len(scene.corners) > 3 else RULE))
    if scene.true is not None:
        figure.add_trace(_line("error", joined(scene.true, scene.points), RULE))
        figure.add_trace(_true_places(scene))
    figure.add_trace(_tasks(scene))
    if scene.new is not None:
        _add_newcomers(figure, scene.new)
        _name_newcomers(figure, scene.new, is_segment=len(scene.corners) == 2)
    _name_corners(figure, scene)
    _frame(figure, scene)


def _line(name: str, points: np.ndarray, colour: str) -> go.Scatter:
    return go.Scatter(
        name=name,
        x=points[:, 0],
        y=points[:, 1],
        mode="lines",
        line={"color": colour, "width": 1},
        hoverinfo="skip",
        showlegend=False,
    )


def _tasks(scene: Scene) -> go.Scatter:
    return go.Scatter(
        name="tasks",
        x=scene.points[:, 0],
        y=scene.points[:, 1],
        mode="markers",
        marker={
            "color": scene.colours,
            "size": 8,
            "line": RIM,
            "symbol": symbols(scene),
        },
        customdata=scene.tasks,
        hovertext=scene.hover,
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
    )


def symbols(scene: Scene) -> np.ndarray:
    """Pure tasks are round."""
    return np.where(scene.pure, "circle", "diamond")


def _true_places(scene: Scene) -> go.Scatter:
    assert scene.true is not None
    return go.Scatter(
        name="true places",
        x=scene.true[:, 0],
        y=scene.true[:, 1],
        mode="markers",
        marker={"color": scene.colours, "size": 12, "symbol": "circle-open", "line": {"width": 1}},
        customdata=scene.tasks,
        hovertext=scene.hover,
        hovertemplate="true place of %{hovertext}<extra></extra>",
        showlegend=False,
    )


def _add_newcomers(figure: go.Figure, new: Newcomers) -> None:
    """Stars, on top; hollow ones where they belong."""
    if new.true is not None:
        figure.add_trace(_line("new error", joined(new.true, new.points), RULE))
        figure.add_trace(_stars("true places of new tasks", new, new.true, "star-open"))
    figure.add_trace(_stars("new tasks", new, new.points, "star"))


def _name_newcomers(figure: go.Figure, new: Newcomers, *, is_segment: bool) -> None:
    """Towards the middle, clear of the tasks around a corner; below a segment."""
    for (x, y), name in zip(new.points, new.names, strict=False):
        away = np.hypot(x, y)
        dx, dy = (0.0, -1.0) if is_segment or away < 0.1 else (-x / away, -y / away)
        figure.add_annotation(
            text=name,
            x=x,
            y=y,
            ax=NAME_AWAY * dx,
            ay=-NAME_AWAY * dy,
            arrowhead=0,
            arrowcolor=RULE,
            standoff=10,
            font_size=13,
        )


def _stars(name: str, new: Newcomers, points: np.ndarray, symbol: str) -> go.Scatter:
    opening = "true place of " if symbol.endswith("open") else ""
    return go.Scatter(
        name=name,
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker={"color": new.colours, "size": 20, "symbol": symbol, "line": RIM},
        hovertext=new.hover,
        hovertemplate=f"{opening}%{{hovertext}}<extra></extra>",
        cliponaxis=False,
        showlegend=False,
    )


def _name_corners(figure: go.Figure, scene: Scene) -> None:
    """Above or below each corner, clear of the tasks around it."""
    away = 0.85 if len(scene.corners) == 2 else 0.24
    for (x, y), text in zip(scene.corners, scene.corner_labels, strict=True):
        above = y > -1e-9
        figure.add_annotation(
            text=text,
            x=x,
            y=y + (away if above else -away),
            yanchor="bottom" if above else "top",
            showarrow=False,
            font_size=13,
        )


def _frame(figure: go.Figure, scene: Scene) -> None:
    hidden = {"showgrid": False, "zeroline": False, "showticklabels": False, "showline": False}
    low, high = scene.corners.min(axis=0), scene.corners.max(axis=0)
    figure.update_xaxes(**hidden, range=[low[0] - 0.34, high[0] + 0.34])
    if len(scene.corners) == 2:
        figure.update_yaxes(**hidden, range=[-1.0, 1.5])
        _name_shares(figure, scene)
        return
    # as round as the polygon is, on any screen
    figure.update_xaxes(constrain="domain")
    figure.update_yaxes(**hidden, range=[low[1] - 0.55, high[1] + 0.55], scaleanchor="x")


def _name_shares(figure: go.Figure, scene: Scene) -> None:
    """A segment is an axis: the share in its right corner."""
    shares = np.linspace(0.0, 1.0, 5)
    figure.update_xaxes(
        tickvals=2.0 * shares - 1.0,
        ticktext=[f"{share:.0%}" for share in shares],
        showticklabels=True,
        showgrid=True,
        title_text=f"share in cluster {scene.corner_clusters[1] + 1}",
    )
