"""One look for every figure: colours that survive colour blindness, light pages and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from stcmtl.figures.pieces.text import as_plain, break_lines

BLUE = "34, 116, 184"
ORANGE = "217, 97, 12"  # told from blue in every common form of colour blindness
NEGATIVE, POSITIVE = f"rgb({BLUE})", f"rgb({ORANGE})"

# The text of a figure saved on its own: grey enough for white paper and for a dark slide.
INK = "#737f8c"
GRID = "rgba(128, 140, 153, 0.25)"
RULE = "rgba(128, 140, 153, 0.8)"

# Strength is opacity, so that weak cells fade into whatever page is behind them. An exact zero
# has no colour at all, and the smallest other value starts at a third, never mistaken for zero.
FAINT = 0.33
NEXT_TO_ZERO = 1e-9
DIVERGING = [
    [0.0, f"rgba({BLUE}, 1)"],
    [0.5 - NEXT_TO_ZERO, f"rgba({BLUE}, {FAINT})"],
    [0.5, "rgba(0, 0, 0, 0)"],
    [0.5 + NEXT_TO_ZERO, f"rgba({ORANGE}, {FAINT})"],
    [1.0, f"rgba({ORANGE}, 1)"],
]
SEQUENTIAL = [[0.0, f"rgba({BLUE}, 0)"], [1.0, f"rgba({BLUE}, 1)"]]

TEMPLATE = go.layout.Template(
    layout=go.Layout(
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        font={"family": "Source Sans, Source Sans Pro, sans-serif", "size": 14, "color": INK},
        title={"x": 0, "xanchor": "left", "font": {"size": 17}},
        margin={"l": 60, "r": 20, "t": 70, "b": 60},
        hoverlabel={"align": "left"},
        xaxis={"gridcolor": GRID, "zerolinecolor": GRID, "linecolor": GRID},
        yaxis={"gridcolor": GRID, "zerolinecolor": GRID, "linecolor": GRID},
    )
)

# Below the plot, so that it keeps the width on a narrow screen, and of one size on all.
COLOUR_BAR = {
    "orientation": "h",
    "thickness": 10,
    "lenmode": "pixels",
    "len": 240,
    "xref": "container",
    "x": 0,
    "xanchor": "left",
    "xpad": 24,
    "yref": "container",
    "y": 0,
    "yanchor": "bottom",
    "outlinewidth": 0,
}

LEGEND_BELOW = {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"}
# An axis of names, around the cells of a heatmap.
FRAME = {"type": "category", "showgrid": False, "showline": True, "mirror": True, "linecolor": GRID}

TITLE_HEIGHT, LINE_HEIGHT = 38, 17


def diverging_axis(matrices: Iterable[NDArray[np.float64]], **more: object) -> dict[str, object]:
    """One scale of colours, centred at zero, for all of several matrices."""
    limit = max(float(np.abs(W).max()) for W in matrices) or 1.0
    ends = {"cmin": -limit, "cmax": limit}
    return {"colorscale": DIVERGING, "colorbar": COLOUR_BAR} | ends | more


def dress(
    figure: go.Figure,
    title: str,
    sentences: Sequence[str],
    *,
    picture: str,
    height: int,
    room_above: int = 12,
    margin: dict[str, int] | None = None,
) -> None:
    """Give a figure the common look, its words, and room for them above the plot.

    Parameters
    ----------
    title : what the data say, in at most 40 letters, so that it fits a phone.
    sentences : how to read the figure and what is left out: the lines under the title.
    picture : what is drawn, for those who cannot see it; see `describe`.
    room_above : pixels between the words and the plot.

    All texts are plain: names in them need no escaping.
    """
    below_title = break_lines(sentences)
    top = TITLE_HEIGHT + LINE_HEIGHT * len(below_title) + room_above
    figure.update_layout(
        overwrite=True,  # a quarter of the time that merging takes
        template=TEMPLATE,
        height=height,
        title={
            "text": as_plain(title),
            "subtitle": {"text": "<br>".join(map(as_plain, below_title)), "font": {"size": 13}},
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "pad": {"t": 10, "l": 4},
        },
        margin={"l": 60, "r": 12, "t": top, "b": 60, "pad": 0} | (margin or {}),
        meta={"description": " ".join([f"{title}.", picture, *sentences])},
    )


def describe(figure: go.Figure) -> str:
    """A figure in words: what it shows, what is drawn, and how to read it."""
    return str(figure.layout.meta["description"])
