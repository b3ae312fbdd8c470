"""One task: its rows as they are and as they are predicted, and how sure its memberships are."""

from collections.abc import Sequence
from html import unescape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.phrases import counted, digits

SPREAD = 0.18  # of the marks of a label, so that they do not hide each other


@remember_call
def task_rows_fit(
    actual: ArrayLike,
    predicted: ArrayLike,
    is_test: ArrayLike,
    *,
    labels: Sequence[object] | None = None,
    height: int = 340,
) -> go.Figure:
    """Draw the rows of a task by what is predicted for them and what they are.

    Parameters
    ----------
    actual, predicted : arrays of n numbers; with `labels` 0 or 1, and probabilities of the second.
    is_test : array of n flags, rows that the fit has not seen.

    >>> figures.task_rows_fit([1.0, 2.0], [1.1, 1.8], [False, True]).layout.title.text
    'Predictions miss by 0.2 (RMSE)'
    """
    y, f = np.asarray(actual, dtype=float), np.asarray(predicted, dtype=float)
    test = np.asarray(is_test, dtype=bool)
    place = y
    if labels is not None:  # beside each other, the same way each time
        place = y + SPREAD * (2.0 * ((np.arange(y.size) * 0.618) % 1.0) - 1.0)
    parts = {"rows of the fit": (~test, "circle-open"), "test rows": (test, "circle")}
    figure = go.Figure(
        [
            go.Scatter(
                name=name, x=f[rows], y=place[rows], mode="markers",
                marker={"symbol": symbol, "size": 7, "color": style.NEGATIVE},
                hovertemplate="predicted <b>%{x:,.3~r}</b><br>" + (
                    "actual <b>%{y:,.3~r}</b>" if labels is None else ""
                ) + f"<extra>{name}</extra>",
            )
            for name, (rows, symbol) in parts.items()
            if rows.any()
        ]
    )  # fmt: skip
    shown = test if test.any() else ~test
    title, reading, axes = (
        describe_numbers(y[shown], f[shown])
        if labels is None
        else describe_labels(y[shown], f[shown], labels)
    )
    if labels is None:
        ends = [min(y.min(), f.min()), max(y.max(), f.max())]
        figure.add_trace(
            go.Scatter(
                x=ends, y=ends, mode="lines", name="exact", hoverinfo="skip", showlegend=False,
                line={"color": style.RULE, "width": 1, "dash": "dash"},
            )
        )  # fmt: skip
    style.dress(
        figure,
        title,
        [reading],
        picture=f"{counted(y.size, 'row')} of a task by prediction and actual value.",
        height=height,
        margin={"b": 90},
        legend=style.LEGEND_BELOW,
    )
    figure.update_xaxes(title_text=axes[0])
    figure.update_yaxes(title_text=axes[1])
    if labels is not None:
        figure.update_yaxes(tickvals=[0, 1], ticktext=[style.as_plain(label) for label in labels])
        figure.update_xaxes(range=[-0.03, 1.03], tickformat=".0%")
    return figure


def describe_numbers(y: np.ndarray, f: np.ndarray) -> tuple[str, str, tuple[str, str]]:
    error = float(np.sqrt(np.mean((y - f) ** 2)))
    reading = "Dashed: predicted and actual value are the same."
    return f"Predictions miss by {digits(error)} (RMSE)", reading, ("predicted", "actual")


def describe_labels(
    y: np.ndarray, f: np.ndarray, labels: Sequence[object]
) -> tuple[str, str, tuple[str, str]]:
    right = int(((f > 0.5) == (y > 0.5)).sum())
    title = f"{right} of {counted(y.size, 'row')} on the right side"
    return (
        title,
        "Right of 50% the second label is predicted.",
        (f"chance of {style.as_plain(labels[1])}", "label"),
    )


@remember_call
def share_intervals(
    shares: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    cluster_names: Sequence[object] | None = None,
    height: int = 260,
) -> go.Figure:
    """Draw a task's K shares in the clusters, and between which ends each may lie.

    Parameters
    ----------
    shares, lower, upper : arrays of K numbers; the ends as of `stability`.

    >>> figures.share_intervals([0.7, 0.3], [0.6, 0.2], [0.8, 0.4]).layout.title.text
    'Between 60% and 80% in its main cluster'
    """
    v, low, high = (np.asarray(values, dtype=float) for values in (shares, lower, upper))
    names = style.name_clusters(cluster_names, len(v))
    k = int(v.argmax())
    figure = go.Figure(
        go.Bar(
            orientation="h",
            x=v,
            y=names,
            marker={"color": style.cluster_colours(len(v)), "line": style.RIM},
            error_x={
                "type": "data", "symmetric": False, "array": high - v, "arrayminus": v - low,
                "color": style.INK, "thickness": 1.5,
            },
            hovertemplate="%{y}: <b>%{x:.0%}</b><extra></extra>",
        )
    )  # fmt: skip
    style.dress(
        figure,
        f"Between {low[k]:.0%} and {high[k]:.0%} in its main cluster",
        ["Bar: its share. Line: an interval that holds the true one nine times out of ten."],
        picture="; ".join(
            f"{unescape(name)} {share:.0%}, from {a:.0%} to {b:.0%}"
            for name, share, a, b in zip(names, v, low, high, strict=True)
        )
        + ".",
        height=height,
        margin={"l": 12, "b": 40},
        bargap=0.3,
        showlegend=False,
    )
    figure.update_xaxes(range=[0, 1.02], tickformat=".0%", title_text="")
    figure.update_yaxes(autorange="reversed", automargin=True, labelalias=style.shorten(names))
    return figure
