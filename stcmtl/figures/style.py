"""One look for every figure: colours that survive colour blindness, light pages and dark pages."""

from __future__ import annotations

import plotly.graph_objects as go

NEGATIVE = "34, 116, 184"  # blue
POSITIVE = "217, 97, 12"  # orange: told from blue in every common form of colour blindness

# The text of a figure saved on its own: grey enough for white paper and for a dark slide.
INK = "#737f8c"
GRID = "rgba(128, 140, 153, 0.25)"

# Strength is opacity, so that weak cells fade into whatever page is behind them. An exact zero
# has no colour at all, and the smallest other value starts at a third, never mistaken for zero.
_FAINT = 0.33
_NEXT_TO_ZERO = 1e-9
DIVERGING = [
    [0.0, f"rgba({NEGATIVE}, 1)"],
    [0.5 - _NEXT_TO_ZERO, f"rgba({NEGATIVE}, {_FAINT})"],
    [0.5, "rgba(0, 0, 0, 0)"],
    [0.5 + _NEXT_TO_ZERO, f"rgba({POSITIVE}, {_FAINT})"],
    [1.0, f"rgba({POSITIVE}, 1)"],
]

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


def rgb(channels: str) -> str:
    """A colour of this module as plotly writes it."""
    return f"rgb({channels})"
