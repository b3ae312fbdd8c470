"""Tasks before any fit: how many rows each has, and how its target is spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.data.taskset import TaskSet, task_codes
from stcmtl.figures.pieces.colours import RIM, task_colours
from stcmtl.figures.pieces.order import Index, evenly, left_out, tasks_by_cluster
from stcmtl.figures.pieces.scene import joined
from stcmtl.figures.pieces.style import NEGATIVE, RULE, dress, rank_axis, rgb
from stcmtl.figures.pieces.text import labels, longest_tick, shortened
from stcmtl.phrases import counted, digits

MAX_TASKS = 2_000
MOST_NAMED = 30  # tasks whose names fit under the axis
MANY = 60  # tasks beyond which marks are thin
PALE = 0.4

Array = NDArray[np.float64]


def task_rows(
    train: TaskSet, test: TaskSet | None = None, V: ArrayLike | None = None, *, height: int = 340
) -> go.Figure:
    """Draw the rows of every task, most first: those to fit on, and those kept for testing.

    Tasks with as many rows stand by cluster where `V` tells it.

    Parameters
    ----------
    train, test : TaskSet
        `test` may lack tasks, or be absent.
    V : array of shape (K, T), optional
        Memberships of the tasks of `train`, which give them their colours.
    height : int
        Height of the figure in pixels; long names below the axis take more.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    kept = {} if test is None else dict(zip(test.task_names.tolist(), test.n_rows, strict=True))
    n_test = np.array([kept.get(name, 0) for name in train.task_names.tolist()])
    total = train.n_rows + n_test
    alike = np.arange(len(train)) if V is None else tasks_by_cluster(V)
    order = alike[np.argsort(-total[alike], kind="stable")]
    shown, rank = _shown(order)
    names, colours = _names(train), _colours(V, len(train))
    figure = go.Figure()
    for part, count, opacity in (("to fit", train.n_rows, 1.0), ("for testing", n_test, PALE)):
        if not count.any():
            continue
        figure.add_bar(
            name=part,
            x=rank,
            y=count[shown],
            marker={"color": [colours[i] for i in shown], "opacity": opacity, "line_width": 0},
            customdata=shown,
            hovertext=[names[i] for i in shown],
            hovertemplate=f"%{{hovertext}}<br><b>%{{y:,}}</b> rows {part}<extra></extra>",
            showlegend=False,
        )
    dress(
        figure,
        _range_of_rows(total),
        [
            *(["Pale: rows kept for testing."] if n_test.any() else []),
            *left_out(len(train), len(shown)),
        ],
        picture=f"Rows of {counted(len(shown), 'task')}, most first.",
        height=height,
    )
    figure.update_layout(barmode="stack", bargap=0.25 if len(shown) <= MANY else 0.0)
    figure.update_yaxes(title_text="rows", rangemode="tozero")
    _name_ranks(figure, names, order)
    return figure


def task_targets(data: TaskSet, V: ArrayLike | None = None, *, height: int = 340) -> go.Figure:
    """Draw the target of every task: its spread, or the share of one of its two labels.

    Parameters
    ----------
    data : TaskSet
    V : array of shape (K, T), optional
        Memberships, which give the tasks their colours.
    height : int
        Height of the figure in pixels; long names below the axis take more.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if data.task_type == "classification":
        return _label_shares(data, V, height)
    spread = np.array([np.quantile(y, (0.05, 0.25, 0.5, 0.75, 0.95)) for y in _targets(data)]).T
    order = np.argsort(spread[2], kind="stable")
    shown, rank = _shown(order)
    low, first, median, third, high = spread[:, shown]
    figure = go.Figure(
        [
            _stretches("nine tenths", rank, low, high, 1),
            _stretches("middle half", rank, first, third, 4 if len(shown) <= MANY else 2),
            _dots("median", rank, median, shown, data, V, "median <b>%{y:.3~g}</b>"),
        ]
    )
    dress(
        figure,
        f"Task medians from {digits(spread[2].min())} to {digits(spread[2].max())}",
        [
            "Dot: median. Thick: the middle half of a task's rows. Thin: nine tenths.",
            *left_out(len(data), len(shown)),
        ],
        picture=f"The target of {counted(len(shown), 'task')}, by their medians.",
        height=height,
    )
    figure.update_yaxes(title_text="target")
    _name_ranks(figure, _names(data), order)
    return figure


def _label_shares(data: TaskSet, V: ArrayLike | None, height: int) -> go.Figure:
    """The share of the label that sorts last, which a classifier counts as positive."""
    positive = np.unique(data.y)[-1]
    share = np.array([(y == positive).mean() for y in _targets(data)])
    order = np.argsort(share, kind="stable")
    shown, rank = _shown(order)
    figure = go.Figure(_dots("share", rank, share[shown], shown, data, V, "<b>%{y:.1%}</b>"))
    figure.add_hline(y=0.5, line={"color": RULE, "width": 1, "dash": "dash"})
    low, high = share.min(), share.max()
    dress(
        figure,
        f"{low:.0%} of a task's rows are positive"
        if low == high
        else f"{low:.0%} to {high:.0%} of a task's rows are positive",
        [f"Positive: the label {positive!s}.", *left_out(len(data), len(shown))],
        picture=f"Share of one label in {counted(len(shown), 'task')}, least first.",
        height=height,
    )
    figure.update_yaxes(title_text=f"share of label {positive!s:.12}", range=[-0.03, 1.03])
    figure.update_yaxes(tickformat=".0%")
    _name_ranks(figure, _names(data), order)
    return figure


def _targets(data: TaskSet) -> list[NDArray[Any]]:
    """Every task's own targets, in the order of its names."""
    codes = task_codes(data.tasks)[1]
    return np.split(data.y[np.argsort(codes, kind="stable")], np.cumsum(data.n_rows)[:-1])


def _shown(order: Index) -> tuple[Index, Array]:
    """The tasks drawn, and their ranks among all."""
    shown = evenly(order, MAX_TASKS)
    return shown, np.flatnonzero(np.isin(order, shown)).astype(np.float64) + 1.0


def _names(data: TaskSet) -> list[str]:
    return labels("task_names", data.task_names.tolist(), len(data))


def _colours(V: ArrayLike | None, count: int) -> list[str]:
    return [rgb(NEGATIVE)] * count if V is None else task_colours(V)


def _stretches(name: str, rank: Array, low: Array, high: Array, width: int) -> go.Scatter:
    line = joined(np.column_stack([rank, low]), np.column_stack([rank, high]))
    return go.Scatter(
        name=name, x=line[:, 0], y=line[:, 1], mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": RULE, "width": width},
    )  # fmt: skip


def _dots(
    name: str,
    rank: Array,
    values: Array,
    tasks: Index,
    data: TaskSet,
    V: ArrayLike | None,
    said: str,
) -> go.Scatter:
    names, colours = _names(data), _colours(V, len(data))
    return go.Scatter(
        name=name,
        x=rank,
        y=values,
        mode="markers",
        marker={
            "color": [colours[i] for i in tasks],
            "size": 8 if len(tasks) <= MANY else 5,
            "line": RIM,
        },
        cliponaxis=False,
        customdata=tasks,
        hovertext=[names[i] for i in tasks],
        hovertemplate=f"%{{hovertext}}<br>{said}, rank %{{x}}<extra></extra>",
        showlegend=False,
    )


def _range_of_rows(total: NDArray[np.int64]) -> str:
    low, high = int(total.min()), int(total.max())
    return f"{low:,} rows a task" if low == high else f"{low:,} to {high:,} rows a task"


def _name_ranks(figure: go.Figure, names: list[str], order: Index) -> None:
    """Names below the axis where they fit, else ranks."""
    figure.update_xaxes(**rank_axis(len(names)))
    if len(names) > MOST_NAMED:
        return
    short = shortened(names)
    figure.update_xaxes(
        title_text="",
        tickvals=list(range(1, len(names) + 1)),
        ticktext=[short.get(names[i], names[i]) for i in order],
        tickangle=-60,
    )
    room = longest_tick(names)
    figure.update_layout(margin_b=24 + room, height=figure.layout.height + room - 36)
