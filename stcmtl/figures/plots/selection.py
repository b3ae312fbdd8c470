"""How many clusters: the error by K, and the gaps between singular values."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import Array
from stcmtl.figures.pieces.style import LEGEND_BELOW, NEGATIVE, POSITIVE, RULE, dress
from stcmtl.phrases import digits
from stcmtl.solver.records import KSelection


def k_curve(path: KSelection, *, height: int = 420) -> go.Figure:
    """Draw the cross-validated error by the number of clusters, with standard errors.

    RMSE is drawn as its natural logarithm, as in the paper; an error rate as it is.

    Parameters
    ----------
    path : result of `select_n_clusters`, or the part of it that is there so far.
    """
    curve = Curve(path)
    traces, title, reasons = [], "No error computed yet", []
    if len(curve.ks):
        lowest, se = (float(a[curve.ks == path.best][0]) for a in (curve.error, curve.se))
        traces = [
            limit_line(curve, lowest + se),
            error_line(curve),
            mark("lowest error", path.best, curve, symbol="circle-open", size=17),
            mark("choice", path.one_se, curve, symbol="diamond", size=13),
        ]
        title, reasons = say_choice(path, curve), [give_reason(path, lowest, se)]
    more = {"margin": {"b": 124}, "legend": LEGEND_BELOW}
    return draw_curve(curve, traces, title, reasons, height=height, **more)


def growing_k_curve(path: KSelection, largest_k: int, *, height: int = 420) -> go.Figure:
    """Draw the errors that are there so far, with room for more and without a choice.

    Parameters
    ----------
    path : the part of a result of `select_n_clusters` that is there.
    largest_k : the last number of clusters to be tried.
    """
    curve = Curve(path)
    words = "The error so far", ["What to choose shows at the end."]
    figure = draw_curve(curve, [error_line(curve)], *words, height=height)
    figure.update_xaxes(range=[0.5, largest_k + 0.5])
    return figure


class Curve:
    """The errors of a path as arrays, and how they are drawn: RMSE as its logarithm."""

    def __init__(self, path: KSelection) -> None:
        self.ks, self.error, self.se, self.seconds = (
            np.asarray(a, dtype=float) for a in (path.ks, path.error, path.se, path.seconds)
        )
        self.metric = path.metric
        self.is_log = path.metric != "error rate"

    def height(self, error: Array) -> Array:
        return np.log(np.maximum(error, np.finfo(float).tiny)) if self.is_log else error


def draw_curve(
    curve: Curve, traces: list[go.Scatter], title: str, sentences: list[str], **layout: Any
) -> go.Figure:
    """A curve with its words and axes; for the layout see `dress`."""
    figure = go.Figure(traces)
    values = ", ".join(
        f"{digits(error)} at K = {k:.0f}" for k, error in zip(curve.ks, curve.error, strict=True)
    )
    picture = f"Line chart of the cross-validated {curve.metric} by the number of clusters"
    dress(figure, title, sentences, picture=f"{picture}{values and f': {values}'}.", **layout)
    figure.update_xaxes(title_text="number of clusters K", dtick=1, showgrid=False)
    figure.update_yaxes(
        title_text=f"log {curve.metric}" if curve.is_log else curve.metric,
        tickformat="" if curve.is_log else ".2~%",
        automargin=True,
    )
    return figure


def error_line(curve: Curve) -> go.Scatter:
    ks, error, se = curve.ks.astype(int), curve.error, curve.se
    middle = curve.height(error)
    # a bar that reaches zero has no logarithm: it is drawn to a hundredth of the error
    below = curve.height(np.maximum(error - se, 0.01 * error))
    bars = {"array": curve.height(error + se) - middle, "arrayminus": middle - below}
    return go.Scatter(
        name="error ± standard error",
        showlegend=False,
        x=ks,
        y=middle,
        customdata=ks,
        error_y=bars | {"type": "data", "symmetric": False, "thickness": 1.5, "width": 4},
        mode="lines+markers",
        line={"color": NEGATIVE},
        marker={"size": 8},
        hovertext=[
            f"error <b>{digits(e)}</b> ± {digits(s)}<br>{digits(t)} s"
            for e, s, t in zip(error, se, curve.seconds, strict=True)
        ],
        hovertemplate="K = %{x}<br>%{hovertext}<extra></extra>",
    )


def limit_line(curve: Curve, level: float) -> go.Scatter:
    return go.Scatter(
        name="lowest + one standard error",
        x=[curve.ks.min(), curve.ks.max()],
        y=curve.height(np.full(2, level)),
        mode="lines",
        line={"color": RULE, "dash": "dash", "width": 1.5},
        hoverinfo="skip",
    )


def mark(name: str, k: int, curve: Curve, **marker: object) -> go.Scatter:
    looks = {"color": POSITIVE, "line": {"width": 2}} | marker
    y = curve.height(curve.error[curve.ks == k])
    name = f"{name}: K = {k}"
    return go.Scatter(name=name, x=[k], y=y, mode="markers", marker=looks, hoverinfo="skip")


def say_choice(path: KSelection, curve: Curve) -> str:
    if path.one_se == curve.ks.max() and len(curve.ks) > 1:
        return f"The error still falls at K = {path.one_se}"
    return "One cluster is enough" if path.one_se == 1 else f"{path.one_se} clusters are enough"


def give_reason(path: KSelection, lowest: float, se: float) -> str:
    if path.best == 1:
        return f"K = 1 has the lowest error, {digits(lowest)}."
    if path.one_se == path.best:
        return (
            f"K = {path.best} has the lowest error, {digits(lowest)}; fewer clusters do not come "
            "within one standard error of it."
        )
    return (
        f"The fewest clusters within one standard error ({digits(se)}) of the lowest error, "
        f"{digits(lowest)} at K = {path.best}."
    )


def singular_ratios(ratios: ArrayLike, *, most: int = 12, height: int = 320) -> go.Figure:
    """Draw how sharply the singular values of the tasks' own coefficients fall.

    K clusters leave K - 1 large singular values once the tasks' mean is taken away, so the
    ratio of the k-th to the next speaks for k + 1 clusters.

    Parameters
    ----------
    ratios : entry k - 1 is sigma_k / sigma_{k+1} of the centred initial W; `singular_ratios` of
        a result of `select_n_clusters`.
    most : the first so many are drawn.
    """
    shown = np.asarray(ratios, dtype=float)[:most]
    finite = np.where(np.isfinite(shown), shown, np.nan)
    speaks_for = np.arange(2, 2 + len(shown))
    colours = np.full(len(shown), NEGATIVE, dtype=object)
    title = "Too few tasks for singular values"
    if np.isfinite(finite).any():
        largest = int(np.nanargmax(finite))
        colours[largest] = POSITIVE
        title = f"The largest gap speaks for K = {speaks_for[largest]}"
    figure = go.Figure(
        go.Bar(
            name="ratio",
            x=speaks_for,
            y=finite,
            marker={"color": colours, "line_width": 0},
            hovertemplate="for K = %{x}<br>ratio <b>%{y:.3~g}</b><extra></extra>",
        )
    )
    dress(
        figure,
        title,
        ["Each bar: a singular value of the single-task coefficients over the next one."],
        picture=f"Bars of {len(shown)} ratios of singular values.",
        height=height,
    )
    figure.update_xaxes(title_text="number of clusters K it speaks for", dtick=1, showgrid=False)
    figure.update_yaxes(title_text="ratio to the next", rangemode="tozero")
    return figure
