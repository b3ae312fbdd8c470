"""Tasks ranked by a value: rows and targets before any fit, purity and distances after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.figures.pieces import Array, Index, order, style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.simplex import join
from stcmtl.phrases import counted, digits, listed
from stcmtl.solver.thresholds import beyond_fence, fence, pure_tasks

if TYPE_CHECKING:  # it loads pandas, which takes as long as all the rest
    from stcmtl.data.taskset import TaskSet

MOST_BEFORE, MOST_AFTER = 2_000, 4_000  # tasks drawn before a fit and after it
MOST_NAMED = 40  # tasks whose names, or those of every second, fit under the axis
MOST_TICKS = 20  # names side by side in half a page
MANY = 60  # tasks beyond which marks are thin
PALE = 0.4
FACTOR = 4.5  # the paper's, section 5
CUT = {"color": style.RULE, "width": 1.5, "dash": "dash"}
NOTE = {"xref": "x domain", "x": 0, "xanchor": "left", "yanchor": "bottom", "font_size": 12}


@remember_call
def task_rows(
    train: TaskSet, test: TaskSet | None = None, V: ArrayLike | None = None, *, height: int = 340
) -> go.Figure:
    """Draw the rows of every task, most first: those to fit on, and those kept for testing.

    Tasks with as many rows stand by cluster where `V` tells it.

    Parameters
    ----------
    train, test : TaskSet; `test` may lack tasks, or be absent.

    For the others see `stcmtl.figures`.

    >>> figures.task_rows(train, test).layout.title.text
    '140 rows per task in all'
    """
    kept = {} if test is None else dict(zip(test.task_names.tolist(), test.n_rows, strict=True))
    n_test = np.array([kept.get(name, 0) for name in train.task_names.tolist()])
    total = train.n_rows + n_test
    alike = np.arange(len(train)) if V is None else order.tasks_by_cluster(V)
    ranking = rank(train, alike[np.argsort(-total[alike], kind="stable")], V)
    shown = ranking.shown
    figure = go.Figure(
        [
            go.Bar(
                name=part,
                x=ranking.ranks,
                y=count[shown],
                marker={"color": ranking.colours, "opacity": opacity, "line_width": 0},
                customdata=shown,
                hovertext=ranking.labels,
                hovertemplate=f"%{{hovertext}}<br><b>%{{y:,}}</b> rows {part}<extra></extra>",
                showlegend=False,
            )
            for part, count, opacity in (
                ("to fit", train.n_rows, 1.0), ("for testing", n_test, PALE),
            )
            if count.any()
        ]
    )  # fmt: skip
    low, high = int(total.min()), int(total.max())
    counts = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    dress_named(
        figure,
        ranking,
        f"{counts} rows per task{' in all' if n_test.any() else ''}",
        ["Pale: rows kept for testing."] if n_test.any() else [],
        picture=f"Rows of {counted(len(shown), 'task')}, most first.",
        height=height,
        barmode="stack",
        bargap=0.25 if len(shown) <= MANY else 0.0,
    )
    figure.update_yaxes(title_text="rows", rangemode="tozero")
    return figure


@remember_call
def task_targets(data: TaskSet, V: ArrayLike | None = None, *, height: int = 340) -> go.Figure:
    """Draw the target of every task: its spread, or the share of one of its two labels.

    For `V` and `height` see `stcmtl.figures`.

    >>> figures.task_targets(train).layout.title.text
    'Task medians from −0.278 to 0.573'
    """
    draw = draw_label_shares if data.task_type == "classification" else draw_spreads
    return draw(data, V, height)


def draw_spreads(data: TaskSet, V: ArrayLike | None, height: int) -> go.Figure:
    levels = (0.05, 0.25, 0.5, 0.75, 0.95)
    spread = np.array([np.quantile(y, levels) for y in split_targets(data)]).T
    median = spread[2]
    ranking = rank(data, np.argsort(median, kind="stable"), V)
    low, first, _, third, high = spread[:, ranking.shown]
    is_few = len(ranking.shown) <= MANY
    figure = go.Figure(
        [
            stretches("nine tenths", ranking.ranks, low, high, 1),
            stretches("middle half", ranking.ranks, first, third, 4 if is_few else 2),
            ranking.dots("median", median, "median <b>%{y:,.3~r}</b>", size=8 if is_few else 5),
        ]
    )
    dress_named(
        figure,
        ranking,
        f"Task medians from {digits(median.min())} to {digits(median.max())}".replace("-", "−"),
        ["Dot: median. Thick: the middle half of a task's rows. Thin: nine tenths."],
        picture=f"The target of {counted(len(ranking.shown), 'task')}, by their medians.",
        height=height,
    )
    figure.update_traces(showlegend=False)
    figure.update_yaxes(title_text="target")
    return figure


def draw_label_shares(data: TaskSet, V: ArrayLike | None, height: int) -> go.Figure:
    """The share of the label that sorts last, which a classifier counts as positive."""
    positive = np.unique(data.y)[-1]
    share = np.array([(y == positive).mean() for y in split_targets(data)])
    ranking = rank(data, np.argsort(share, kind="stable"), V)
    size = 8 if len(ranking.shown) <= MANY else 5
    figure = go.Figure(ranking.dots("share", share, "<b>%{y:.1%}</b>", size=size))
    figure.add_hline(y=0.5, line={"color": style.RULE, "width": 1, "dash": "dash"})
    low, high = share.min(), share.max()
    dress_named(
        figure,
        ranking,
        f"{low:.0%}{'' if low == high else f' to {high:.0%}'} of a task's rows are positive",
        [f"Positive: the label {positive!s}."],
        picture=f"Share of one label in {counted(len(ranking.shown), 'task')}, least first.",
        height=height,
    )
    figure.update_traces(showlegend=False)
    figure.update_yaxes(
        title_text=f"share of label {positive!s:.12}", range=[-0.03, 1.03], tickformat=".0%"
    )
    return figure


def split_targets(data: TaskSet) -> list[NDArray[Any]]:
    """Every task's own targets, in the order of its names."""
    from stcmtl.data.taskset import task_codes

    codes = task_codes(data.tasks)[1]
    return np.split(data.y[np.argsort(codes, kind="stable")], np.cumsum(data.n_rows)[:-1])


def stretches(name: str, ranks: Index, low: Array, high: Array, width: int) -> go.Scatter:
    line = join(np.column_stack([ranks, low]), np.column_stack([ranks, high]))
    looks = {"mode": "lines", "line": {"color": style.RULE, "width": width}, "hoverinfo": "skip"}
    return go.Scatter(name=name, x=line[:, 0], y=line[:, 1], **looks)


@remember_call
def purity(
    scores: ArrayLike,
    V: ArrayLike,
    *,
    theta: float = 0.5,
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 380,
) -> go.Figure:
    """Draw the purity score of every task, highest first, and the cut that theta makes.

    Parameters
    ----------
    scores : array of T numbers, `model.purity_` of a fitted model.
    theta : the share of tasks that SOUP declares pure; `model.theta`.

    For the others see `stcmtl.figures`.

    >>> figures.purity(model.purity_, V, theta=0.5).layout.title.text
    '11 of 12 tasks pass the purity cut'
    """
    scores, V = np.asarray(scores, dtype=float), np.asarray(V, dtype=float)
    inside = np.flatnonzero(V.any(axis=0))  # outlier tasks take no part in SOUP
    if not inside.size:
        return style.draw_words(
            "No purity: no task is in a cluster",
            ["The score tells tasks of one cluster from mixtures of several."],
        )
    above = inside[pure_tasks(scores[inside], len(V), theta)]
    cut = float(scores[above].min())
    n_ties = int(np.isclose(scores[above], cut, rtol=1e-9, atol=0.0).sum())
    ranked = inside[np.argsort(-scores[inside], kind="stable")]
    places = order.pick_evenly(np.arange(len(ranked)), MOST_AFTER)
    names = style.make_labels("task_names", task_names, len(scores))
    names = order.add_clusters(names, V, cluster_names)
    ranking = order.Ranking(ranked, places, names, style.task_colours(V))
    figure = go.Figure(ranking.dots("purity", scores, "purity <b>%{y:,.3~r}</b>"))
    figure.add_hline(y=cut, line=CUT)
    n_out = len(scores) - len(inside)
    out = f"Not drawn: {counted(n_out, 'task')} in no cluster."
    style.dress(
        figure,
        f"{len(above)} of {counted(len(ranked), 'task')} pass the purity cut",
        [
            f"Dashed: the cut of θ = {theta:g} at a purity of {digits(cut)}.",
            *([f"{n_ties} tasks tie at the cut, and all that tie pass."] if n_ties > 1 else []),
            "Memberships begin with those above it; in the end more or fewer may be pure.",
            "A drop at the cut means that pure and mixed tasks are easily told apart.",
            *([out] if n_out else []),
            *order.say_left_out(len(ranked), len(places)),
        ],
        picture=f"Purity of {counted(len(places), 'task')}, sorted from the highest.",
        height=height,
    )
    figure.update_xaxes(**ranking.axis())
    figure.update_yaxes(title_text="purity", range=[0, 1.05 * max(1.0, float(scores.max()))])
    return figure


@remember_call
def outliers(
    distances: ArrayLike,
    V: ArrayLike | None = None,
    *,
    factor: float = FACTOR,
    flagged: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    cluster_names: Sequence[object] | None = None,
    height: int = 400,
) -> go.Figure:
    """Draw the tasks' distances from the model, sorted, with their quartiles and the fence.

    Parameters
    ----------
    distances : array of T numbers, `model.distances_` of a fitted model.
    factor : the fence lies at the upper quartile + factor x the interquartile range; it can be
        moved without a new fit.
    flagged : array of T flags, the tasks that a fit set aside, `model.outliers_`; by default
        those beyond the fence.

    For the others see `stcmtl.figures`.

    >>> figures.outliers(model.distances_, V).layout.title.text
    'How far tasks lie from the clusters'
    """
    distances = np.asarray(distances, dtype=float)
    T = len(distances)
    names = style.make_labels("task_names", task_names, T)
    low, high = np.quantile(distances, [0.25, 0.75])
    limit = fence(distances, factor)
    set_aside = flagged is not None
    out = np.asarray(flagged, dtype=bool) if set_aside else beyond_fence(distances, factor)
    ranked = np.argsort(distances, kind="stable")
    # every flagged task stays, however many tasks there are
    places = np.flatnonzero(np.isin(ranked, order.pick_evenly(ranked, MOST_AFTER)) | out[ranked])
    hover = names if V is None else order.add_clusters(names, V, cluster_names)
    ranking = order.Ranking(
        ranked, places, hover, [style.NO_CLUSTER] * T if V is None else style.task_colours(V)
    )
    marked = out[ranking.shown]
    looks = {"symbol": np.where(marked, "x", "circle"), "size": np.where(marked, 11, 8)}
    figure = go.Figure(
        ranking.dots("distance", distances, "distance <b>%{y:,.3~r}</b>", **looks, opacity=1)
    )
    figure.add_hrect(y0=low, y1=high, fillcolor=style.GRID, line_width=0, layer="below")
    figure.add_annotation(text="fence", y=limit, showarrow=False, **NOTE)
    figure.add_annotation(text="middle half", y=high, showarrow=False, **NOTE)
    figure.add_hline(y=limit, line=CUT)
    plain = names if task_names is None else task_names
    farthest_first = [plain[i] for i in ranked[::-1] if out[i]]
    style.dress(
        figure,
        "How far tasks lie from the clusters",
        [
            *say_outliers(farthest_first, set_aside),
            f"Shaded: the middle half, {digits(low)} to {digits(high)}.",
            f"Dashed: the fence, {factor:g} such ranges above it at {digits(limit)}.",
            *([f"Shown: {len(places):,} of {T:,} tasks."] if len(places) < T else []),
        ],
        picture=f"Distances of {counted(len(places), 'task')} from the model, sorted.",
        height=height,
    )
    figure.update_xaxes(**ranking.axis())
    top = 1.08 * max(limit, float(distances.max())) or 1.0
    figure.update_yaxes(title_text="distance from the model", range=[0, top])
    return figure


def say_outliers(names: Sequence[object], set_aside: bool) -> list[str]:
    """Which tasks are out, if any."""
    opening = "Set aside" if set_aside else "Beyond the fence"
    return [f"{opening} (×): {listed(names)}."] if names else []


def rank(data: TaskSet, tasks: Index, V: ArrayLike | None) -> order.Ranking:
    """The tasks of a data set in an order, before any fit."""
    names = style.make_labels("task_names", data.task_names.tolist(), len(data))
    colours = [style.NEGATIVE] * len(data) if V is None else style.task_colours(V)
    places = order.pick_evenly(np.arange(len(tasks)), MOST_BEFORE)
    return order.Ranking(tasks, places, names, colours)


def dress_named(
    figure: go.Figure,
    ranking: order.Ranking,
    title: str,
    sentences: list[str],
    *,
    height: int,
    **words_and_layout: Any,
) -> None:
    """Words above the plot, and below it names where they fit, else ranks."""
    names, left_out = ranking.names, order.say_left_out(len(ranking.tasks), len(ranking.places))
    style.dress(figure, title, [*sentences, *left_out], height=height, **words_and_layout)
    figure.update_xaxes(**ranking.axis())
    if len(names) > MOST_NAMED:
        return
    short, step = style.shorten(names), 1 + (len(names) - 1) // MOST_TICKS
    figure.update_xaxes(
        title_text="",
        tickvals=list(range(1, len(names) + 1, step)),
        ticktext=[short.get(names[i], names[i]) for i in ranking.tasks[::step]],
        tickangle=-90,  # aslant they would cover one another on a narrow screen
    )
    room = style.longest_tick(names)
    figure.update_layout(margin_b=24 + room, height=height + room - 36)
