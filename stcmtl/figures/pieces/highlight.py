"""Picked tasks stand out in every figure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from stcmtl.figures.pieces.order import runs
from stcmtl.figures.pieces.style import INK

FADED = 0.2
TASK_MARKS = {"bar", "scatter", "scatter3d"}
ACROSS, DOWN = "tasks across", "tasks down"
BOXED, CLICKED = UNSEEN = ("boxed", "clicked")  # points that stand for columns


def remember_tasks(
    figure: go.Figure, across: NDArray[np.intp], down: NDArray[np.intp] | None = None
) -> None:
    """Note in a heatmap which tasks its columns, and perhaps its rows, are."""
    axes = {ACROSS: across.tolist()} | ({} if down is None else {DOWN: down.tolist()})
    figure.layout.meta = {**(figure.layout.meta or {}), **axes}


def highlight(figure: go.Figure, tasks: Collection[int]) -> None:
    """Fade all other tasks' points and bars, and frame the picked tasks' columns of heatmaps.

    Points and bars carry the number of their task as customdata; with no task picked, nothing
    changes.
    """
    if not tasks:
        return
    for trace in figure.data:
        if trace.customdata is None or trace.type not in TASK_MARKS or trace.name in UNSEEN:
            continue
        numbers = np.asarray(trace.customdata, dtype=float).reshape(len(trace.customdata), -1)[:, 0]
        _fade(trace, np.isin(numbers, list(tasks)))
    meta = figure.layout.meta or {}
    for place, shape in ((ACROSS, _column), (DOWN, _row)):
        for first, end in _stretches(meta.get(place, ()), tasks):
            for panel in panels(figure):
                figure.add_shape(shape(first - 0.5, end - 0.5, panel), **_FRAME)


_FRAME = {"type": "rect", "line": {"color": INK, "width": 2}, "fillcolor": "rgba(0, 0, 0, 0)"}


def _fade(trace: go.Scatter | go.Bar | go.Scatter3d, picked: NDArray[np.bool_]) -> None:
    if trace.type == "scatter3d":  # has one opacity for all its points
        trace.marker.color = [
            colour if keep else _pale(colour)
            for colour, keep in zip(trace.marker.color, picked, strict=True)
        ]
    else:
        trace.marker.opacity = np.where(picked, 1.0, FADED)


def _pale(colour: str) -> str:
    """A colour such as #3c69c3, nearly transparent."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {FADED})"


def _stretches(shown: Sequence[int], tasks: Collection[int]) -> list[tuple[int, int]]:
    """Neighbours among the picked tasks, as first place and place after the last."""
    if len(shown) == 0:
        return []
    flags = np.isin(np.asarray(shown), list(tasks)).astype(int)
    return [(first, end) for picked, first, end in runs(flags) if picked]


def panels(figure: go.Figure) -> list[tuple[str, str]]:
    """The axes of the heatmaps, each panel once."""
    axes = [(t.xaxis or "x", t.yaxis or "y") for t in figure.data if t.type == "heatmap"]
    return list(dict.fromkeys(axes))


def _column(low: float, high: float, panel: tuple[str, str]) -> dict[str, object]:
    x, y = panel
    return {"x0": low, "x1": high, "y0": 0, "y1": 1, "xref": x, "yref": f"{y} domain"}


def _row(low: float, high: float, panel: tuple[str, str]) -> dict[str, object]:
    x, y = panel
    return {"x0": 0, "x1": 1, "y0": low, "y1": high, "xref": f"{x} domain", "yref": y}
