"""Where the coefficients of several methods are zero, in small multiples beside the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.subplots import make_subplots

from stcmtl.figures.pieces.heatmaps import panels, window
from stcmtl.figures.pieces.highlight import remember_tasks
from stcmtl.figures.pieces.style import GRID, dress
from stcmtl.figures.pieces.text import escaped
from stcmtl.figures.plots.pattern import COLOURS, NOTHING

TRUTH = "Truth"
ACROSS = 3  # panels beside each other, for which a phone has room
PANEL, HEADING = 190, 56  # pixels


def method_patterns(
    estimated: Mapping[str, ArrayLike],
    true: ArrayLike | None = None,
    *,
    captions: Mapping[str, str],
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    task_order: ArrayLike | None = None,
    feature_order: ArrayLike | None = None,
) -> go.Figure:
    """Draw where the coefficients of several methods are not zero, and what the truth says of it.

    Parameters
    ----------
    estimated : mapping from the name of a method to an array of shape (D, T)
        Its coefficients.
    true : array of shape (D, T), optional
        The true ones, drawn first.
    captions : mapping from the name of a method
        A few letters to stand under its name.

    The others are those of `coefficients`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    found = panels(**{TRUTH: true}, **estimated)
    truth = found.get(TRUTH)
    shown = window(
        list(found.values()), task_names, feature_names, False, task_order, feature_order
    )
    said = {name: captions.get(name, "") for name in found}
    n_down = -(-len(found) // ACROSS)
    height = n_down * (PANEL + HEADING)
    figure = make_subplots(
        n_down, ACROSS, horizontal_spacing=0.04, vertical_spacing=HEADING / height,
        subplot_titles=[f"{escaped(name)}<br>{words}" for name, words in said.items()],
    )  # fmt: skip
    for i, (name, W) in enumerate(found.items()):
        cells = go.Heatmap(
            name=escaped(name),
            z=shown.of(states(W, truth)),
            x=shown.tasks,
            y=shown.features,
            zmin=0,
            zmax=len(COLOURS),
            colorscale=steps([NOTHING, *COLOURS.values()]),
            showscale=False,
            hovertemplate=f"feature %{{y}}<br>task %{{x}}<extra>{escaped(name)}</extra>",
        )
        figure.add_trace(cells, i // ACROSS + 1, i % ACROSS + 1)
    if truth is not None:
        figure.add_traces([key(state) for state in COLOURS])
    D, T = next(iter(found.values())).shape
    dress(
        figure,
        "Where coefficients are not zero",
        ["Features down, tasks across.", "A blank cell is an exact zero.", *shown.notes],
        picture=f"Small maps of zero and other coefficients, {D} features down and {T} tasks "
        f"across: {', '.join(f'{name} {words}'.strip() for name, words in said.items())}.",
        height=height + 120,
        room_above=HEADING,
        margin={"l": 8, "b": 56},
    )
    remember_tasks(figure, shown.columns)
    lay_out(figure)
    return figure


def states(W: NDArray[np.float64], truth: NDArray[np.float64] | None) -> NDArray[np.uint8]:
    """0 for what is zero and should be; else 1 found, 2 missed, 3 extra, as in `COLOURS`."""
    used = W != 0
    is_true = used if truth is None else truth != 0
    return np.select([used & is_true, is_true, used], [1, 2, 3], 0).astype(np.uint8)


def steps(colours: list[str]) -> list[list[object]]:
    """A colour scale that does not blend, for whole numbers from 0."""
    edges = np.linspace(0.0, 1.0, len(colours) + 1)
    return [
        [float(edge), colour]
        for i, colour in enumerate(colours)
        for edge in (edges[i], edges[i + 1])
    ]


def key(state: str) -> go.Scatter:
    """An entry of the legend."""
    return go.Scatter(
        name=state, x=[None], y=[None], mode="markers",
        marker={"color": COLOURS[state], "symbol": "square", "size": 12},
    )  # fmt: skip


def lay_out(figure: go.Figure) -> None:
    frame = {"showline": True, "mirror": True, "linecolor": GRID}
    bare = {"type": "category", "showgrid": False, "showticklabels": False, "ticks": ""}
    figure.update_xaxes(**frame, **bare)
    figure.update_yaxes(**frame, **bare, autorange="reversed")
    figure.update_annotations(font_size=12)
    figure.update_layout(
        legend={"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"},
    )
