"""Columns of heatmaps that answer to a click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from stcmtl.figures.pieces.highlight import ACROSS, BOXED, CLICKED, panels

OWN_AXIS = 11  # the first beyond those of any panel


def tasks_across(figure: go.Figure) -> list[int]:
    """The tasks that a heatmap's columns are; none in other figures."""
    return list((figure.layout.meta or {}).get(ACROSS, ()))


def click_columns(figure: go.Figure, tasks: Sequence[int | list[int]]) -> None:
    """Let a click in a column of a heatmap, or a box over it, pick its task or tasks.

    The cells of a heatmap cannot be picked, and points on top of them would hide what the cells
    tell. So every column has two points that are not seen. One stands in it for boxes, and the
    pointer passes it by. The other stands outside, on an axis of its own: plotly looks under the
    pointer first and finds the cell, then for whatever has the same place across, and finds it.
    """
    for axis, (x, y) in enumerate(panels(figure), start=OWN_AXIS):
        cells = next(t for t in figure.data if (t.xaxis or "x", t.yaxis or "y") == (x, y))
        points: dict[str, Any] = {
            "y": [cells.y[len(cells.y) // 2]] * len(tasks),
            "yaxis": y,
            "mode": "markers",
            "marker": {"color": "rgba(0, 0, 0, 0)"},
            "customdata": list(tasks),
            "showlegend": False,
        }
        figure.add_scatter(name=BOXED, x=cells.x, xaxis=x, hoverinfo="skip", **points)
        figure.add_scatter(
            name=CLICKED, x=list(range(len(tasks))), xaxis=f"x{axis}", hoverinfo="none", **points
        )
        figure.layout[f"xaxis{axis}"] = {
            "overlaying": x,
            "range": [-2 * len(tasks), -len(tasks)],
            "fixedrange": True,
            "visible": False,
        }
    figure.update_layout(hovermode="x", selectdirection="h", modebar_remove=["lasso2d"])
