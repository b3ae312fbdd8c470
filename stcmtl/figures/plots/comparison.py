"""Methods side by side: bars of a measure with its spread, and where coefficients are zero."""

from collections.abc import Mapping
from typing import Unpack

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from stcmtl.figures.pieces import Array, style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.heatmaps import View, Window, check_matrices, choose_window
from stcmtl.figures.pieces.picking import remember_tasks
from stcmtl.figures.plots.coefficients import EXTRA, NOTHING, STATES, ZERO, tell_states
from stcmtl.phrases import digits

BAR, AROUND = 38, 150  # pixels of a bar, and of all around the bars
TRUTH = "Truth"
ACROSS = 3  # panels beside each other, for which a phone has room
PANEL, HEADING = 190, 56  # pixels


@remember_call
def method_bars(
    mean: Mapping[str, float],
    spread: Mapping[str, float],
    measure: str,
    *,
    larger_is_better: bool = False,
) -> go.Figure:
    """Draw a measure of several methods, the best on top.

    Parameters
    ----------
    mean, spread : mappings from the name of a method to its mean over repetitions, and to their
        standard deviation; NaN where there is but one.
    measure : what it is called.
    larger_is_better : as for MCC.

    >>> mean, spread = {"A": 0.50, "B": 0.53}, {"A": 0.01, "B": 0.02}
    >>> figures.method_bars(mean, spread, "RMSE").layout.title.text
    'Lowest RMSE: A'
    """
    names = sorted(mean, key=lambda name: mean[name], reverse=larger_is_better)
    values, spreads = (np.array([column[name] for name in names]) for column in (mean, spread))
    repeated = bool(np.isfinite(spreads).any())
    said = {name: with_spread(mean[name], spread[name]) for name in names}
    figure = go.Figure(
        go.Bar(
            name=measure,
            x=values,
            y=[f"{style.as_plain(name)}<br>{words}" for name, words in said.items()],
            orientation="h",
            marker={
                "color": [style.POSITIVE, *[style.NEGATIVE] * (len(names) - 1)],
                "opacity": 0.6,  # so that the spread shows on the bar too
            },
            error_x={
                "type": "data", "array": spreads, "visible": repeated,
                "color": style.INK, "thickness": 2,
            },
            hovertemplate="%{y}<extra></extra>",
        )
    )  # fmt: skip
    style.dress(
        figure,
        f"{'Highest' if larger_is_better else 'Lowest'} {measure}: {names[0]}",
        ["Mean ± standard deviation over repetitions." if repeated else "Of one repetition."],
        picture=f"Bars of the {measure} of each method: {', '.join(map(' '.join, said.items()))}.",
        height=AROUND + BAR * len(names),
    )
    figure.update_yaxes(autorange="reversed", automargin=True, showgrid=False)
    figure.update_xaxes(title_text=measure)
    return figure


def with_spread(mean: float, spread: float) -> str:
    """ "0.5104 ± 0.0031", both to the decimals of the spread; the mean alone without one."""
    if np.isnan(spread):
        return digits(mean)
    if spread == 0.0:
        return f"{digits(mean)} ± 0"
    decimals = max(0, 1 - int(np.floor(np.log10(spread))))
    return f"{mean:,.{decimals}f} ± {spread:.{decimals}f}"


@remember_call
def method_patterns(
    estimated: Mapping[str, ArrayLike],
    true: ArrayLike | None = None,
    *,
    captions: Mapping[str, str],
    **view: Unpack[View],
) -> go.Figure:
    """Draw where the coefficients of several methods are not zero, in small multiples.

    Parameters
    ----------
    estimated : mapping from the name of a method to its coefficients, of shape (D, T).
    true : array of shape (D, T), drawn first.
    captions : mapping from the name of a method to a few letters that stand under its name.

    The others are those of `coefficients`.

    >>> figure = figures.method_patterns({"ours": W}, truth.W, captions={"ours": "MCC 1"})
    >>> figure.layout.title.text
    'Where coefficients are not zero'
    """
    found = check_matrices(**{TRUTH: true}, **estimated)
    truth = found.get(TRUTH)
    shown = choose_window(list(found.values()), **view)
    said = {name: captions.get(name, "") for name in found}
    n_down = -(-len(found) // ACROSS)
    height = n_down * (PANEL + HEADING)
    figure = make_subplots(
        n_down, ACROSS, horizontal_spacing=0.04, vertical_spacing=HEADING / height,
        subplot_titles=[f"{style.as_plain(name)}<br>{words}" for name, words in said.items()],
    )  # fmt: skip
    for i, (name, W) in enumerate(found.items()):
        figure.add_trace(small_map(name, W, truth, shown), i // ACROSS + 1, i % ACROSS + 1)
    if truth is not None:
        figure.add_traces([legend_entry(*state) for state in STATES.items()])
    D, T = next(iter(found.values())).shape
    style.dress(
        figure,
        "Where coefficients are not zero",
        ["Features down, tasks across.", "A blank cell is an exact zero.", *shown.notes],
        picture=f"Small maps of zero and other coefficients, {D} features down and {T} tasks "
        f"across: {', '.join(f'{name} {words}'.strip() for name, words in said.items())}.",
        height=height + 120,
        room_above=HEADING,
        margin={"l": 8, "b": 56},
        legend=style.LEGEND_BELOW,
    )
    remember_tasks(figure, shown.columns)
    figure.update_xaxes(**style.FRAME, showticklabels=False, ticks="")
    figure.update_yaxes(**style.FRAME, showticklabels=False, ticks="", autorange="reversed")
    figure.update_annotations(font_size=12)
    return figure


def small_map(name: str, W: Array, truth: Array | None, shown: Window) -> go.Heatmap:
    """The states of one method, each with a colour of its own."""
    colours = [NOTHING, *STATES.values()]
    edges = np.linspace(0.0, 1.0, len(colours) + 1).tolist()
    return shown.heatmap(
        style.as_plain(name),
        tell_states(W, truth),
        zmin=ZERO,
        zmax=EXTRA,
        # stretches of one colour each, which do not blend
        colorscale=[[edges[i + end], colours[i]] for i in range(len(colours)) for end in (0, 1)],
        showscale=False,
        hovertemplate=f"feature %{{y}}<br>task %{{x}}<extra>{style.as_plain(name)}</extra>",
    )


def legend_entry(state: str, colour: str) -> go.Scatter:
    square = {"color": colour, "symbol": "square", "size": 12}
    return go.Scatter(name=state, x=[None], y=[None], mode="markers", marker=square)
