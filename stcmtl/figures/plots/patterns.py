"""Which coefficients are zero, and which should be: the paper's picture of feature selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.subplots import make_subplots

from stcmtl.figures.pieces import Array, Flags
from stcmtl.figures.pieces.heatmaps import Window, check_matrices, choose_window, dress_map
from stcmtl.figures.pieces.picking import remember_tasks
from stcmtl.figures.pieces.style import FRAME, LEGEND_BELOW, NEGATIVE, POSITIVE, as_plain, dress

# Without the truth all that are not zero count as found.
COLOURS = {"found": "rgba(128, 140, 153, 0.6)", "missed": NEGATIVE, "extra": POSITIVE}
ZERO, FOUND, MISSED, EXTRA = range(4)
NOTHING = "rgba(0, 0, 0, 0)"
TRUTH = "Truth"
ACROSS = 3  # panels beside each other, for which a phone has room
PANEL, HEADING = 190, 56  # pixels


def selection_pattern(
    estimated: ArrayLike,
    true: ArrayLike | None = None,
    *,
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    only_selected: bool = False,
    task_order: ArrayLike | None = None,
    feature_order: ArrayLike | None = None,
    height: int = 550,
) -> go.Figure:
    """Draw where coefficients are not zero, or should not be; parameters as for `coefficients`."""
    found = check_matrices(true=true, estimated=estimated)
    shown = choose_window(
        list(found.values()), task_names, feature_names, only_selected, task_order, feature_order
    )
    states = tell_states(found["estimated"], found.get("true"))
    names = list(COLOURS) if "true" in found else ["found"]
    figure = go.Figure(
        [layer(name, states == i, shown, COLOURS[name]) for i, name in enumerate(names, start=1)]
    )
    figure.add_trace(layer("zero", states == ZERO, shown, NOTHING).update(showlegend=False))
    D, T = states.shape
    missed, extra = int((states == MISSED).sum()), int((states == EXTRA).sum())
    if "true" in found:
        title = f"{1.0 - (missed + extra) / (D * T):.1%} of zeros and non-zeros match"
        reading = f"Missed: {missed:,} that are not zero. Extra: {extra:,} that are."
    else:
        title = f"{(states == FOUND).sum() / (D * T):.1%} of coefficients are not zero"
        reading = "A blank cell is an exact zero."
    dress_map(
        figure,
        shown,
        title,
        [reading],
        picture=f"A map of zero and other coefficients, {D} features down and {T} tasks across.",
        height=height,
    )
    figure.update_layout(legend=LEGEND_BELOW)
    return figure


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
    """Draw where the coefficients of several methods are not zero, in small multiples.

    Parameters
    ----------
    estimated : mapping from the name of a method to its coefficients, of shape (D, T).
    true : array of shape (D, T), drawn first.
    captions : mapping from the name of a method to a few letters that stand under its name.

    The others are those of `coefficients`.
    """
    found = check_matrices(**{TRUTH: true}, **estimated)
    truth = found.get(TRUTH)
    shown = choose_window(
        list(found.values()), task_names, feature_names, False, task_order, feature_order
    )
    said = {name: captions.get(name, "") for name in found}
    n_down = -(-len(found) // ACROSS)
    height = n_down * (PANEL + HEADING)
    figure = make_subplots(
        n_down, ACROSS, horizontal_spacing=0.04, vertical_spacing=HEADING / height,
        subplot_titles=[f"{as_plain(name)}<br>{words}" for name, words in said.items()],
    )  # fmt: skip
    for i, (name, W) in enumerate(found.items()):
        figure.add_trace(small_map(name, W, truth, shown), i // ACROSS + 1, i % ACROSS + 1)
    if truth is not None:
        figure.add_traces([legend_entry(*state) for state in COLOURS.items()])
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
    figure.update_xaxes(**FRAME, showticklabels=False, ticks="")
    figure.update_yaxes(**FRAME, showticklabels=False, ticks="", autorange="reversed")
    figure.update_annotations(font_size=12)
    figure.update_layout(legend=LEGEND_BELOW)
    return figure


def tell_states(W: Array, truth: Array | None) -> NDArray[np.uint8]:
    """Of every coefficient whether it is zero and should be, found, missed or extra."""
    used = W != 0
    is_true = used if truth is None else truth != 0
    states = np.select([used & is_true, is_true, used], [FOUND, MISSED, EXTRA], ZERO)
    return states.astype(np.uint8)


def layer(name: str, cells: Flags, shown: Window, colour: str) -> go.Heatmap:
    """The cells of one state, which the legend can switch off."""
    return shown.heatmap(
        name,
        np.where(cells, 1.0, np.nan).astype(np.float32),
        zmin=0,
        zmax=1,
        colorscale=[[0, colour], [1, colour]],
        showscale=False,
        showlegend=True,
        hoverongaps=False,
        hovertemplate=f"feature %{{y}}<br>task %{{x}}<br><b>{name}</b><extra></extra>",
    )


def small_map(name: str, W: Array, truth: Array | None, shown: Window) -> go.Heatmap:
    """The states of one method, each with a colour of its own."""
    colours = [NOTHING, *COLOURS.values()]
    edges = np.linspace(0.0, 1.0, len(colours) + 1).tolist()
    return shown.heatmap(
        as_plain(name),
        tell_states(W, truth),
        zmin=ZERO,
        zmax=EXTRA,
        # stretches of one colour each, which do not blend
        colorscale=[[edges[i + end], colours[i]] for i in range(len(colours)) for end in (0, 1)],
        showscale=False,
        hovertemplate=f"feature %{{y}}<br>task %{{x}}<extra>{as_plain(name)}</extra>",
    )


def legend_entry(state: str, colour: str) -> go.Scatter:
    square = {"color": colour, "symbol": "square", "size": 12}
    return go.Scatter(name=state, x=[None], y=[None], mode="markers", marker=square)
