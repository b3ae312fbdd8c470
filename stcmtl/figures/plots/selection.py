"""How many clusters: the error by K, and the gaps between singular values."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.style import LEGEND_BELOW, NEGATIVE, POSITIVE, RULE, dress
from stcmtl.phrases import digits
from stcmtl.solver.records import Choice, KSelection

HELD_OUT = "Held-out error by number of clusters"
SHADES = (NEGATIVE, POSITIVE, RULE)  # of lines that are drawn together


@remember_call
def k_curve(path: KSelection, *, height: int = 420) -> go.Figure:
    """Draw the cross-validated error by the number of clusters, with standard errors.

    Parameters
    ----------
    path : result of `select_n_clusters`, or the part of it that is there so far.

    >>> from stcmtl import select_n_clusters
    >>> path = select_n_clusters(train.X, train.y, train.tasks, ks=[2, 3, 4], random_state=0)
    >>> figures.k_curve(path).layout.title.text
    'Held-out error by number of clusters'
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
        title = HELD_OUT
        reasons = [f"{say_choice(path, curve)}.", give_reason(path, lowest, se)]
    more = {"margin": {"b": 124}, "legend": LEGEND_BELOW}
    return draw_curve(curve, traces, title, reasons, height=height, **more)


@remember_call
def growing_k_curve(
    paths: Mapping[str, KSelection], largest_k: int, *, height: int = 420
) -> go.Figure:
    """Draw the errors that are there so far, with room for more and without a choice.

    Parameters
    ----------
    paths : for the name of each line, what is there of a result of `select_n_clusters`.
    largest_k : the last number of clusters to be tried.

    >>> from stcmtl import select_n_clusters
    >>> path = select_n_clusters(train.X, train.y, train.tasks, ks=[2, 3], random_state=0)
    >>> figures.growing_k_curve({"simplex": path}, largest_k=9).layout.title.text
    'The error so far'
    """
    curves = [Curve(path) for path in paths.values()]
    words = "The error so far", ["What to choose shows at the end."]
    lines = [error_line(curve, SHADES[i]) for i, curve in enumerate(curves)]
    for name, line in zip(paths, lines, strict=True):
        line.update(name=name, showlegend=len(paths) > 1)
    figure = draw_curve(curves[0], lines, *words, height=height, legend=LEGEND_BELOW)
    figure.update_xaxes(range=[0.5, largest_k + 0.5])
    return figure


@remember_call
def choice_curve(
    path: KSelection | None, choices: Sequence[Choice], metric: str, *, height: int = 420
) -> go.Figure:
    """Draw the held-out error by the number of clusters, of the shape taken, and what was taken.

    Where tasks have parts of their own, the mark of what was taken lies off the line, which is
    without. Every task on its own, K = 0, is a level to hold the others against.

    Parameters
    ----------
    path : `model.selection_`, if there is one.
    choices : `model.choices_`.
    metric : what the error is, "RMSE" or "error rate".

    >>> chosen = STCMTLRegressor(shape="simplex", own="none", random_state=0)
    >>> chosen = chosen.fit(train.X, train.y, train.tasks)
    >>> figures.choice_curve(chosen.selection_, chosen.choices_, "RMSE").layout.title.text
    'Held-out error by number of clusters'
    """
    taken = next(choice for choice in choices if choice.taken)
    none = np.empty(0)
    curve = Curve(path or KSelection(none.astype(np.int64), none, none, none, none, none, metric))
    most = int(curve.ks.max(initial=1))
    traces = [alone_level(choice, most) for choice in choices if choice.n_clusters == 0]
    if path is not None:
        traces.append(error_line(curve).update(name="clusters ± standard error", showlegend=True))
    looks = {"color": POSITIVE, "symbol": "diamond", "size": 14, "line": {"width": 2}}
    has_own = taken.own == "deviation"
    mark_taken = go.Scatter(
        name=f"taken: K = {taken.n_clusters}{', with own parts' if has_own else ''}",
        x=[taken.n_clusters],
        y=[taken.error],
        mode="markers",
        marker=looks,
        hoverinfo="skip",
    )
    title = HELD_OUT
    said = ["K = 1: one pattern for all tasks."]
    if has_own and path is not None:
        said.append("What was taken has a part of each task's own besides; the line is without.")
    more = {"margin": {"b": 124}, "legend": LEGEND_BELOW}
    return draw_curve(curve, [*traces, mark_taken], title, said, height=height, **more)


def alone_level(choice: Choice, most: int) -> go.Scatter:
    """The error of every task on its own: a point at K = 0, and a line to the last K."""
    return go.Scatter(
        name="every task on its own",
        x=[0, most],
        y=[choice.error] * 2,
        customdata=[0, 0],
        error_y={"array": [choice.se, 0.0], "thickness": 1.5, "width": 4},
        mode="lines+markers",
        line={"color": RULE, "dash": "dash", "width": 1.5},
        marker={"size": [8, 0.01]},
        hovertext=[f"error <b>{digits(choice.error)}</b> ± {digits(choice.se)}"] * 2,
        hovertemplate="K = 0, every task on its own<br>%{hovertext}<extra></extra>",
    )


class Curve:
    """The errors of a path as arrays."""

    def __init__(self, path: KSelection) -> None:
        self.ks, self.error, self.se, self.seconds = (
            np.asarray(a, dtype=float) for a in (path.ks, path.error, path.se, path.seconds)
        )
        self.metric = path.metric


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
        title_text=curve.metric,
        tickformat=".2~%" if curve.metric == "error rate" else "",
        automargin=True,
    )
    return figure


def error_line(curve: Curve, colour: str = NEGATIVE) -> go.Scatter:
    ks, error, se = curve.ks.astype(int), curve.error, curve.se
    return go.Scatter(
        name="error ± standard error",
        showlegend=False,
        x=ks,
        y=error,
        customdata=ks,
        error_y={"type": "data", "array": se, "thickness": 1.5, "width": 4},
        mode="lines+markers",
        line={"color": colour},
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
        y=[level, level],
        mode="lines",
        line={"color": RULE, "dash": "dash", "width": 1.5},
        hoverinfo="skip",
    )


def mark(name: str, k: int, curve: Curve, **marker: object) -> go.Scatter:
    looks = {"color": POSITIVE, "line": {"width": 2}} | marker
    y = curve.error[curve.ks == k]
    name = f"{name}: K = {k}"
    return go.Scatter(name=name, x=[k], y=y, mode="markers", marker=looks, hoverinfo="skip")


def say_choice(path: KSelection, curve: Curve) -> str:
    if path.one_se == curve.ks.max() and len(curve.ks) > 1:
        return f"The error still falls at K = {path.one_se}"
    if path.one_se > 1:
        return f"{path.one_se} clusters are enough"
    return "One cluster is enough" if path.best == 1 else "One cluster may be enough"


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


@remember_call
def singular_ratios(ratios: ArrayLike, *, most: int = 12, height: int = 320) -> go.Figure:
    """Draw how sharply the singular values of the tasks' own coefficients fall.

    K clusters leave K - 1 large singular values once the tasks' mean is taken away, so the
    ratio of the k-th to the next speaks for k + 1 clusters.

    Parameters
    ----------
    ratios : entry k - 1 is sigma_k / sigma_{k+1} of the centred initial W; `singular_ratios` of
        a result of `select_n_clusters`.
    most : the first so many are drawn.

    >>> figures.singular_ratios([1.2, 6.5, 1.3]).layout.title.text
    'The largest ratio is that for K = 3'
    """
    shown = np.asarray(ratios, dtype=float)[:most]
    finite = np.where(np.isfinite(shown), shown, np.nan)
    speaks_for = np.arange(2, 2 + len(shown))
    colours = np.full(len(shown), NEGATIVE, dtype=object)
    title = "Too few tasks for singular values"
    if np.isfinite(finite).any():
        largest = int(np.nanargmax(finite))
        colours[largest] = POSITIVE
        title = f"The largest ratio is that for K = {speaks_for[largest]}"
    figure = go.Figure(
        go.Bar(
            name="ratio",
            x=speaks_for,
            y=finite,
            marker={"color": colours, "line_width": 0},
            hovertemplate="for K = %{x}<br>ratio <b>%{y:,.3~r}</b><extra></extra>",
        )
    )
    dress(
        figure,
        title,
        [
            "Each bar: a singular value of the single-task coefficients over the next one.",
            "Of noise, too, one is the largest: hold it against the held-out error.",
        ],
        picture=f"Bars of {len(shown)} ratios of singular values.",
        height=height,
    )
    figure.update_xaxes(title_text="number of clusters K it speaks for", dtick=1, showgrid=False)
    figure.update_yaxes(title_text="ratio to the next", rangemode="tozero")
    return figure
