"""Tasks in the colours of one of their columns: marks by their own, columns and bars by a strip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from stcmtl.figures.pieces import order, style
from stcmtl.figures.pieces.picking import ACROSS, UNSEEN
from stcmtl.phrases import digits

if TYPE_CHECKING:  # it takes as long to load as all the rest
    import pandas as pd

MOST_LEVELS = 9  # with a colour of their own; all others share one
FIRST = 3
UNKNOWN, OTHERS = "unknown", "all others"
OTHER = "#b9c0c7"
SCALE = ("#3b528b", "#21918c", "#fde725")  # seen on light pages and dark ones
STRIP = (13, 5)  # pixels below the plot, from and to
MARKS = {"scatter", "scatter3d"}
ROOM = 46  # pixels for the legend


def colour_tasks(figure: go.Figure, values: pd.Series) -> None:
    """Give tasks the colours of a column with one value each, and say so in a legend.

    Points take them; bars and heatmaps, whose colours say something else, get a strip below.

    Parameters
    ----------
    values : a value per task, `data.task_columns["region"]`: of numbers and dates the colour is a
        place on a scale, of all others a level. The series has its name.

    >>> import pandas as pd
    >>> figure = figures.memberships(V)
    >>> region = pd.Series(["north", "south"] * 6, model.task_names_, name="region")
    >>> figures.colour_tasks(figure, region)
    >>> sorted({trace.name for trace in figure.data if trace.showlegend})
    ['north', 'south']
    """
    called = style.as_plain(values.name)
    colours, legend = (on_scale if has_order(values) else by_level)(values)
    said = [style.as_plain(value) if known else UNKNOWN for value, known in each(values)]
    has_bars = any(trace.type == "bar" for trace in figure.data)
    for trace in () if has_bars else figure.data:
        if trace.type in MARKS and trace.customdata is not None and trace.name not in UNSEEN:
            numbers = np.asarray(trace.customdata, dtype=int).ravel()
            trace.marker.color = [colours[i] for i in numbers]
            tell(trace, [f"{called}: {said[i]}" for i in numbers])
    add_strip(figure, colours)
    add_legend(figure, called, legend)
    meta = dict(figure.layout.meta or {})
    meta["description"] = f"{meta.get('description', '')} Coloured by {called}.".strip()
    figure.layout.meta = meta


def has_order(values: pd.Series) -> bool:
    """Numbers and dates have one; words and truth values have none."""
    return values.dtype.kind in "iufmM" and values.nunique() > 2


def each(values: pd.Series) -> list[tuple[Any, bool]]:
    return list(zip(values.tolist(), values.notna().tolist(), strict=True))


def by_level(values: pd.Series) -> tuple[list[str], dict[str, str]]:
    """A colour per task, and the legend: the most frequent levels first."""
    counts = values.value_counts()
    levels = sorted(counts.index[:MOST_LEVELS], key=lambda level: (-counts[level], str(level)))
    palette = style.cluster_colours(MOST_LEVELS)
    palette = palette[FIRST:] + palette[:FIRST]  # not at once those of the first clusters
    own = dict(zip(levels, palette, strict=False))
    legend = {style.as_plain(level): colour for level, colour in own.items()}
    if len(counts) > len(levels):
        legend[OTHERS] = OTHER
    if values.isna().any():
        legend[UNKNOWN] = style.NO_CLUSTER
    colours = [
        own.get(value, OTHER) if known else style.NO_CLUSTER for value, known in each(values)
    ]
    return colours, legend


def on_scale(values: pd.Series) -> tuple[list[str], dict[str, str]]:
    """A place on the scale per task; the legend has its ends and its middle."""
    known = values.notna().to_numpy()
    numbers = np.full(len(values), np.nan)
    present = values[known]
    numbers[known] = present.astype("int64") if present.dtype.kind in "mM" else present
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    place = (numbers - low) / (high - low or 1.0)
    colours = [mix(p) if ok else style.NO_CLUSTER for p, ok in zip(place, known, strict=True)]
    ends = [present.min(), present.min() + (present.max() - present.min()) / 2, present.max()]
    legend = {say_value(end): mix(p) for end, p in zip(ends, (0.0, 0.5, 1.0), strict=True)}
    return colours, legend | ({} if known.all() else {UNKNOWN: style.NO_CLUSTER})


def mix(place: float) -> str:
    """A colour of the scale, from 0 to 1."""
    light = style.to_light(list(SCALE))
    at = [np.interp(place, np.linspace(0, 1, len(SCALE)), channel) for channel in light.T]
    return style.to_hex(np.array([at]))[0]


def say_value(value: Any) -> str:
    return f"{value:%Y-%m-%d}" if hasattr(value, "strftime") else digits(float(value))


def tell(trace: Any, words: Sequence[str]) -> None:
    """One line more for the hover of every point."""
    if isinstance(trace.hovertext, (list, tuple, np.ndarray)):
        trace.hovertext = [f"{a}<br>{b}" for a, b in zip(trace.hovertext, words, strict=True)]


def add_strip(figure: go.Figure, colours: Sequence[str]) -> None:
    """Below bars and heatmaps with tasks across."""
    bars = [t for t in figure.data if t.type == "bar" and t.customdata is not None]
    tasks = (figure.layout.meta or {}).get(ACROSS)
    if tasks is None and bars:
        tasks = np.asarray(bars[0].customdata, dtype=int).ravel()
    if tasks is None or len(tasks) == 0:
        return
    known = {colour: k for k, colour in enumerate(dict.fromkeys(colours))}
    runs = order.find_runs([known[colours[i]] for i in tasks])
    axes = {(t.xaxis or "x", t.yaxis or "y") for t in figure.data if t.type in ("bar", "heatmap")}
    palette, margin = list(known), figure.layout.margin
    inside = max(100, (figure.layout.height or 450) - (margin.t or 0) - (margin.b or 0))
    bottom, top = (-pixels / inside for pixels in STRIP)
    figure.update_xaxes(title_standoff=8 + STRIP[0], ticks="outside")
    figure.update_xaxes(ticklen=STRIP[0] + 2, tickcolor="rgba(0, 0, 0, 0)")
    for x, y in sorted(axes):
        for code, first, end in runs:
            figure.add_shape(
                type="rect", fillcolor=palette[code], line_width=0, xref=x, x0=first - 0.5,
                x1=end - 0.5, yref=f"{y} domain", y0=bottom, y1=top,
            )  # fmt: skip


def add_legend(figure: go.Figure, name: str, legend: dict[str, str]) -> None:
    """Under the figure, which grows by the room it takes; other traces stay out of it."""
    if figure.layout.showlegend is False:
        figure.update_traces(showlegend=False)
    solid = any(trace.type == "scatter3d" for trace in figure.data)
    nowhere: dict[str, Any] = {axis: [None] for axis in ("xyz" if solid else "xy")}
    kind = go.Scatter3d if solid else go.Scatter
    for said, colour in legend.items():
        looks = {"color": colour, "size": 10, "symbol": "square"}
        figure.add_trace(
            kind(
                **nowhere,
                name=said,
                mode="markers",
                marker=looks,
                showlegend=True,
                hoverinfo="skip",
            )
        )
    has_bar = any(trace.type == "heatmap" for trace in figure.data)
    height = (figure.layout.height or 450) + ROOM
    figure.update_layout(
        showlegend=True,
        height=height,
        margin_b=(figure.layout.margin.b or 60) + ROOM,
        legend=style.LEGEND_BELOW
        | {"title": {"text": f"{name} "}, "y": ROOM / height * has_bar, "traceorder": "normal"},
    )
