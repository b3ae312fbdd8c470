"""The simplex of four clusters as a tetrahedron that can be turned."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from stcmtl.figures.pieces.colours import RIM
from stcmtl.figures.pieces.scene import Newcomers, Scene, edges, joined
from stcmtl.figures.pieces.style import INK, RULE


def draw(figure: go.Figure, scene: Scene) -> None:
    """Add edges, tasks, true places and the names of the corners."""
    figure.add_trace(_line("edges", edges(scene.corners), 2))
    if scene.true is not None:
        figure.add_trace(_line("error", joined(scene.true, scene.points), 3))
        figure.add_trace(_markers("true places", scene, scene.true, "circle-open", 8))
    figure.add_trace(
        _markers("tasks", scene, scene.points, np.where(scene.pure, "circle", "diamond"), 5)
    )
    if scene.new is not None:
        _add_newcomers(figure, scene.new)
    figure.add_trace(_corner_names(scene))
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


def _line(name: str, points: np.ndarray, width: int) -> go.Scatter3d:
    x, y, z = points.T
    line = {"color": RULE, "width": width}
    return go.Scatter3d(name=name, x=x, y=y, z=z, mode="lines", line=line, hoverinfo="skip")


def _markers(
    name: str, scene: Scene, points: np.ndarray, symbol: str | np.ndarray, size: int
) -> go.Scatter3d:
    x, y, z = points.T
    opening = "true place of " if name == "true places" else ""
    return go.Scatter3d(
        name=name,
        x=x,
        y=y,
        z=z,
        mode="markers",
        marker={"color": scene.colours, "size": size, "symbol": symbol},
        customdata=scene.tasks,
        hovertext=scene.hover,
        hovertemplate=f"{opening}%{{hovertext}}<extra></extra>",
    )


def _add_newcomers(figure: go.Figure, new: Newcomers) -> None:
    """Squares with names, as space knows no stars; hollow ones where they belong."""
    if new.true is not None:
        figure.add_trace(_line("new error", joined(new.true, new.points), 3))
        figure.add_trace(_squares("true places of new tasks", new, new.true, "square-open", []))
    figure.add_trace(_squares("new tasks", new, new.points, "square", new.names))


def _squares(
    name: str, new: Newcomers, points: np.ndarray, symbol: str, names: list[str]
) -> go.Scatter3d:
    x, y, z = points.T
    opening = "true place of " if symbol.endswith("open") else ""
    return go.Scatter3d(
        name=name,
        x=x,
        y=y,
        z=z,
        mode="markers+text" if names else "markers",
        text=names,
        textfont={"color": INK, "size": 13},
        marker={"color": new.colours, "size": 9, "symbol": symbol, "line": RIM},
        hovertext=new.hover,
        hovertemplate=f"{opening}%{{hovertext}}<extra></extra>",
    )


def _corner_names(scene: Scene) -> go.Scatter3d:
    x, y, z = scene.corners.T
    z = z + np.where(z > 0, 0.32, -0.32)  # above the top and below the base
    return go.Scatter3d(
        name="corners",
        x=x,
        y=y,
        z=z,
        mode="text",
        text=scene.corner_labels,
        textposition="middle center",
        textfont={"color": INK, "size": 13},
        hoverinfo="skip",
    )
