"""How many clusters: the error by K, and the gaps between singular values."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.figures.pieces.style import NEGATIVE, POSITIVE, RULE, dress, rgb
from stcmtl.phrases import digits

Array = NDArray[np.float64]


class KPath(Protocol):
    """The errors of several K, as `select_n_clusters` gives them; some K may still be to come."""

    @property
    def ks(self) -> ArrayLike: ...
    @property
    def error(self) -> ArrayLike: ...
    @property
    def se(self) -> ArrayLike: ...
    @property
    def seconds(self) -> ArrayLike: ...
    @property
    def one_se(self) -> int: ...
    @property
    def best(self) -> int: ...
    @property
    def metric(self) -> str: ...


def k_curve(path: KPath, *, height: int = 420) -> go.Figure:
    """Draw the cross-validated error by the number of clusters, with standard errors.

    RMSE is drawn as its natural logarithm, as in the paper; an error rate as it is.

    Parameters
    ----------
    path : result of `select_n_clusters`
        Or the part of it that is there so far.
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    ks, error, se = (np.asarray(a, dtype=float) for a in (path.ks, path.error, path.se))
    scale = _Scale(path.metric)
    figure = go.Figure()
    if len(ks):
        lowest, own_se = (float(a[ks == path.best][0]) for a in (error, se))
        figure.add_trace(_limit(ks, scale.of(np.full(2, lowest + own_se))))
        figure.add_trace(_curve(ks, error, se, np.asarray(path.seconds, dtype=float), scale))
        for name, k, symbol, size in (
            ("lowest error", path.best, "circle-open", 17),
            ("choice", path.one_se, "diamond", 13),
        ):
            figure.add_trace(_mark(f"{name}: K = {k}", k, scale.of(error[ks == k]), symbol, size))
    dress(
        figure,
        _title(path, ks) if len(ks) else "No error computed yet",
        _reasons(path, lowest, own_se) if len(ks) else [],
        picture=f"Line chart of the cross-validated {path.metric} by the number of clusters"
        f"{_values(ks, error)}.",
        height=height,
        margin={"b": 124},
    )
    figure.update_layout(
        legend={"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"}
    )
    _name_axes(figure, scale)
    return figure


def growing_k_curve(path: KPath, largest_k: int, *, height: int = 420) -> go.Figure:
    """Draw the errors that are there so far, with room for more and without a choice.

    Parameters
    ----------
    path : the part of a result of `select_n_clusters` that is there
    largest_k : int
        The last number of clusters to be tried.
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    ks, error, se, seconds = (
        np.asarray(a, dtype=float) for a in (path.ks, path.error, path.se, path.seconds)
    )
    scale = _Scale(path.metric)
    figure = go.Figure(_curve(ks, error, se, seconds, scale))
    dress(
        figure,
        "The error so far",
        ["What to choose shows at the end."],
        picture=f"Line chart of the cross-validated {path.metric} by the number of clusters"
        f"{_values(ks, error)}.",
        height=height,
    )
    _name_axes(figure, scale)
    figure.update_xaxes(range=[0.5, largest_k + 0.5])
    return figure


def _name_axes(figure: go.Figure, scale: _Scale) -> None:
    figure.update_xaxes(title_text="number of clusters K", dtick=1, showgrid=False)
    figure.update_yaxes(title_text=scale.title, tickformat=scale.ticks, automargin=True)


class _Scale:
    """Logarithm for RMSE; identity for an error rate."""

    def __init__(self, metric: str) -> None:
        self.is_log = metric != "error rate"
        self.title = f"log {metric}" if self.is_log else metric
        self.ticks = "" if self.is_log else ".2~%"

    def of(self, error: Array) -> Array:
        if not self.is_log:
            return error
        return np.log(np.maximum(error, np.finfo(float).tiny))


def _curve(ks: Array, error: Array, se: Array, seconds: Array, scale: _Scale) -> go.Scatter:
    middle = scale.of(error)
    # a bar that reaches zero has no logarithm: it is drawn to a hundredth of the error
    below = scale.of(np.maximum(error - se, 0.01 * error))
    return go.Scatter(
        name="error ± standard error",
        showlegend=False,
        x=ks.astype(int),
        y=middle,
        customdata=ks.astype(int),
        error_y={
            "type": "data",
            "symmetric": False,
            "array": scale.of(error + se) - middle,
            "arrayminus": middle - below,
            "thickness": 1.5,
            "width": 4,
        },
        mode="lines+markers",
        line={"color": rgb(NEGATIVE)},
        marker={"size": 8},
        hovertext=[
            f"error <b>{digits(e)}</b> ± {digits(s)}<br>{digits(t)} s"
            for e, s, t in zip(error, se, seconds, strict=True)
        ],
        hovertemplate="K = %{x}<br>%{hovertext}<extra></extra>",
    )


def _limit(ks: Array, level: Array) -> go.Scatter:
    return go.Scatter(
        name="lowest + one standard error",
        x=[ks.min(), ks.max()],
        y=level,
        mode="lines",
        line={"color": RULE, "dash": "dash", "width": 1.5},
        hoverinfo="skip",
    )


def _mark(name: str, k: int, y: Array, symbol: str, size: int) -> go.Scatter:
    return go.Scatter(
        name=name,
        x=[k],
        y=y,
        mode="markers",
        marker={"color": rgb(POSITIVE), "symbol": symbol, "size": size, "line": {"width": 2}},
        hoverinfo="skip",
    )


def _title(path: KPath, ks: Array) -> str:
    if path.one_se == ks.max() and len(ks) > 1:
        return f"The error still falls at K = {path.one_se}"
    return "One cluster is enough" if path.one_se == 1 else f"{path.one_se} clusters are enough"


def _reasons(path: KPath, lowest: float, se: float) -> list[str]:
    if path.best == 1:
        return [f"K = 1 has the lowest error, {digits(lowest)}."]
    if path.one_se == path.best:
        return [
            f"K = {path.best} has the lowest error, {digits(lowest)}; fewer clusters do not come "
            "within one standard error of it."
        ]
    return [
        f"The fewest clusters within one standard error ({digits(se)}) of the lowest error, "
        f"{digits(lowest)} at K = {path.best}."
    ]


def _values(ks: Array, error: Array) -> str:
    return "".join(
        f"{':' if i == 0 else ','} {digits(e)} at K = {k:.0f}"
        for i, (k, e) in enumerate(zip(ks, error, strict=True))
    )


def singular_ratios(ratios: ArrayLike, *, most: int = 12, height: int = 320) -> go.Figure:
    """Draw how sharply the singular values of the tasks' own coefficients fall.

    K clusters leave K - 1 large singular values once the tasks' mean is taken away, so the
    ratio of the k-th to the next speaks for k + 1 clusters.

    Parameters
    ----------
    ratios : array
        Entry k - 1 is sigma_k / sigma_{k+1} of the centred initial W;
        `singular_ratios` of a result of `select_n_clusters`.
    most : int
        The first so many are drawn.
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    shown = np.asarray(ratios, dtype=float)[:most]
    finite = np.where(np.isfinite(shown), shown, np.nan)
    speaks_for = np.arange(2, 2 + len(shown))
    colours = np.full(len(shown), rgb(NEGATIVE), dtype=object)
    title = "Too few tasks for singular values"
    if np.isfinite(finite).any():
        largest = int(np.nanargmax(finite))
        colours[largest] = rgb(POSITIVE)
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
