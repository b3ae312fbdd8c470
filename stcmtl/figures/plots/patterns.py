"""Patterns as bars, one row of them each: where there is no bar, a weight is exactly zero."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from stcmtl.figures.pieces import Array, style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.heatmaps import check_matrices
from stcmtl.phrases import counted

TRUE_MARK = {"symbol": "line-ew-open", "size": 11, "color": style.INK, "line": {"width": 2.5}}
ROW_HEIGHT, BELOW = 118, 64


@remember_call
def pattern_bars(
    patterns: ArrayLike,
    true: ArrayLike | None = None,
    *,
    names: Sequence[str],
    colours: Sequence[str],
    feature_names: Sequence[object] | None = None,
) -> go.Figure:
    """Draw what each pattern makes of each feature, and what it truly is where that is known.

    Parameters
    ----------
    patterns, true : arrays of shape (D, P), one column per pattern, in the same order;
        `model.cluster_coef_.T` of a fitted model, and the truth as dashes.
    names, colours : of the P patterns.

    For `feature_names` see `stcmtl.figures`.

    >>> names, colours = ["A", "B", "C"], figures.cluster_colours(3)
    >>> figures.pattern_bars(truth.U, names=names, colours=colours).layout.title.text
    '30 of 60 weights are not zero'
    """
    found = check_matrices(true=true, estimated=patterns)
    U, truth = found["estimated"], found.get("true")
    D, P = U.shape
    features = style.make_labels("feature_names", feature_names, D)
    figure = make_subplots(
        rows=P, shared_xaxes=True, vertical_spacing=0.3 / (P + 1), subplot_titles=list(names)
    )
    for row, colour in enumerate(colours[:P], start=1):
        figure.add_trace(draw_bars(U[:, row - 1], features, colour), row, 1)
        if truth is not None:
            figure.add_trace(draw_dashes(truth[:, row - 1], features), row, 1)
    filled = int(np.count_nonzero(U))
    style.dress(
        figure,
        f"{filled} of {D * P} weights are not zero",
        ["Bar: a weight. No bar: exactly zero.", *([] if truth is None else ["Dash: the truth."])],
        picture=f"Bars of {counted(D, 'feature')} for each of {', '.join(names)}.",
        height=ROW_HEIGHT * P + 2 * BELOW,
        room_above=30,
        margin={"b": BELOW},
        bargap=0.25,
        showlegend=False,
    )
    most = 1.1 * max(float(np.abs(W).max()) for W in found.values()) or 1.0
    figure.update_yaxes(range=[-most, most], nticks=3, zeroline=True, zerolinecolor=style.RULE)
    figure.update_yaxes(showgrid=False)
    figure.update_xaxes(type="category", showgrid=False, nticks=10, tickangle=0)
    figure.update_xaxes(labelalias=style.shorten(features), title_text="feature", row=P)
    figure.update_annotations(x=0, xanchor="left", font_size=14)
    return figure


def draw_bars(weights: Array, features: list[str], colour: str) -> go.Bar:
    return go.Bar(
        name="found",
        x=features,
        y=np.where(weights == 0.0, np.nan, weights),
        marker={"color": colour, "line_width": 0},
        hovertemplate="feature %{x}: <b>%{y:,.3~r}</b><extra></extra>",
    )


def draw_dashes(weights: Array, features: list[str]) -> go.Scatter:
    """True weights; those that are zero are not drawn."""
    return go.Scatter(
        name="true",
        x=features,
        y=np.where(weights == 0.0, np.nan, weights),
        mode="markers",
        marker=TRUE_MARK,
        hovertemplate="feature %{x}: truly <b>%{y:,.3~r}</b><extra></extra>",
    )
