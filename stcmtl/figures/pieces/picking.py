"""Picking tasks: heatmaps whose columns answer to a click, and picked tasks that stand out."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from stcmtl.figures.pieces import Flags, Index
from stcmtl.figures.pieces.order import find_runs
from stcmtl.figures.pieces.style import INK

FADED = 0.2
TASK_MARKS = {"bar", "scatter", "scatter3d"}
ACROSS, DOWN = "tasks across", "tasks down"
BOXED, CLICKED = UNSEEN = ("boxed", "clicked")  # points that stand for columns
OWN_AXIS = 11  # the first beyond those of any panel
FRAME = {"type": "rect", "line": {"color": INK, "width": 2}, "fillcolor": "rgba(0, 0, 0, 0)"}


def remember_tasks(figure: go.Figure, across: Index, down: Index | None = None) -> None:
    """Note in a heatmap which tasks its columns, and perhaps its rows, are."""
    axes = {ACROSS: across.tolist()} | ({} if down is None else {DOWN: down.tolist()})
    figure.layout.meta = {**(figure.layout.meta or {}), **axes}


def tasks_across(figure: go.Figure) -> list[int]:
    """The tasks that a heatmap's columns are; none in other figures.

    >>> len(figures.tasks_across(figures.similarity(model.similarity_, V)))
    12
    """
    return list((figure.layout.meta or {}).get(ACROSS, ()))


def click_columns(figure: go.Figure, tasks: Sequence[int | list[int]]) -> None:
    """Let a click in a column of a heatmap, or a box over it, pick its task or tasks.

    The cells of a heatmap cannot be picked, and points on top of them would hide what the cells
    tell. So every column has two points that are not seen. One stands in it for boxes, and the
    pointer passes it by. The other stands outside, on an axis of its own: plotly looks under the
    pointer first and finds the cell, then for whatever has the same place across, and finds it.

    >>> figure = figures.similarity(model.similarity_, V)
    >>> figures.click_columns(figure, figures.tasks_across(figure))
    >>> figure.data[-1].type
    'scatter'
    """
    for axis, (x, y) in enumerate(find_panels(figure), start=OWN_AXIS):
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


def highlight(figure: go.Figure, tasks: Collection[int]) -> None:
    """Fade all other tasks' points and bars, and frame the picked tasks' columns of heatmaps.

    Points and bars carry the number of their task as customdata; with no task picked, nothing
    changes.

    >>> figure = figures.memberships(V)
    >>> figures.highlight(figure, [0, 3])
    >>> figure.data[-1].type
    'scatter'
    """
    if not tasks:
        return
    for trace in figure.data:
        if trace.customdata is None or trace.type not in TASK_MARKS or trace.name in UNSEEN:
            continue
        numbers = np.asarray(trace.customdata, dtype=float).reshape(len(trace.customdata), -1)[:, 0]
        fade_others(trace, np.isin(numbers, list(tasks)))
    meta = figure.layout.meta or {}
    panels = find_panels(figure)
    for low, high in find_stretches(meta.get(ACROSS, ()), tasks):
        for x, y in panels:
            column = {"x0": low, "x1": high, "y0": 0, "y1": 1, "xref": x, "yref": f"{y} domain"}
            figure.add_shape(column, **FRAME)
    for low, high in find_stretches(meta.get(DOWN, ()), tasks):
        for x, y in panels:
            row = {"x0": 0, "x1": 1, "y0": low, "y1": high, "xref": f"{x} domain", "yref": y}
            figure.add_shape(row, **FRAME)


def fade_others(trace: go.Scatter | go.Bar | go.Scatter3d, picked: Flags) -> None:
    if trace.type == "scatter3d":  # has one opacity for all its points
        trace.marker.color = [
            colour if keep else fade(colour)
            for colour, keep in zip(trace.marker.color, picked, strict=True)
        ]
    else:
        trace.marker.opacity = np.where(picked, 1.0, FADED)


def fade(colour: str) -> str:
    """A colour such as #3c69c3, nearly transparent."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {FADED})"


def find_stretches(shown: Sequence[int], tasks: Collection[int]) -> list[tuple[float, float]]:
    """Neighbours among the picked tasks, from the left edge of the first to the last's right."""
    if len(shown) == 0:
        return []
    flags = np.isin(np.asarray(shown), list(tasks)).astype(int)
    return [(first - 0.5, end - 0.5) for picked, first, end in find_runs(flags) if picked]


def find_panels(figure: go.Figure) -> list[tuple[str, str]]:
    """The axes of the heatmaps, each panel once."""
    axes = [(t.xaxis or "x", t.yaxis or "y") for t in figure.data if t.type == "heatmap"]
    return list(dict.fromkeys(axes))
