"""Tasks before any fit: how many rows each has, and how its target is spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.figures.pieces.colours import task_colours
from stcmtl.figures.pieces.geometry import join
from stcmtl.figures.pieces.order import (
    Index,
    pick_evenly,
    rank_axis,
    ranked_points,
    say_left_out,
    tasks_by_cluster,
)
from stcmtl.figures.pieces.style import NEGATIVE, RULE, dress
from stcmtl.figures.pieces.text import longest_tick, make_labels, shorten
from stcmtl.phrases import counted, digits

if TYPE_CHECKING:  # it loads pandas, which takes as long as all the rest
    from stcmtl.data.taskset import TaskSet

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
    train, test : TaskSet; `test` may lack tasks, or be absent.

    For the others see `stcmtl.figures`.
    """
    kept = {} if test is None else dict(zip(test.task_names.tolist(), test.n_rows, strict=True))
    n_test = np.array([kept.get(name, 0) for name in train.task_names.tolist()])
    total = train.n_rows + n_test
    alike = np.arange(len(train)) if V is None else tasks_by_cluster(V)
    order = alike[np.argsort(-total[alike], kind="stable")]
    shown, ranks = choose_shown(order)
    names, colours = label_tasks(train), colour_tasks(train, V)
    figure = go.Figure()
    for part, count, opacity in (("to fit", train.n_rows, 1.0), ("for testing", n_test, PALE)):
        if not count.any():
            continue
        figure.add_bar(
            name=part,
            x=ranks,
            y=count[shown],
            marker={"color": [colours[i] for i in shown], "opacity": opacity, "line_width": 0},
            customdata=shown,
            hovertext=[names[i] for i in shown],
            hovertemplate=f"%{{hovertext}}<br><b>%{{y:,}}</b> rows {part}<extra></extra>",
            showlegend=False,
        )
    low, high = int(total.min()), int(total.max())
    dress(
        figure,
        f"{low:,} rows per task" if low == high else f"{low:,} to {high:,} rows per task",
        [
            *(["Pale: rows kept for testing."] if n_test.any() else []),
            *say_left_out(len(train), len(shown)),
        ],
        picture=f"Rows of {counted(len(shown), 'task')}, most first.",
        height=height,
    )
    figure.update_layout(barmode="stack", bargap=0.25 if len(shown) <= MANY else 0.0)
    figure.update_yaxes(title_text="rows", rangemode="tozero")
    name_ranks(figure, names, order)
    return figure


def task_targets(data: TaskSet, V: ArrayLike | None = None, *, height: int = 340) -> go.Figure:
    """Draw the target of every task: its spread, or the share of one of its two labels.

    For `V` and `height` see `stcmtl.figures`.
    """
    draw = draw_label_shares if data.task_type == "classification" else draw_spreads
    return draw(data, V, height)


def draw_spreads(data: TaskSet, V: ArrayLike | None, height: int) -> go.Figure:
    spread = np.array(
        [np.quantile(y, (0.05, 0.25, 0.5, 0.75, 0.95)) for y in split_targets(data)]
    ).T
    median = spread[2]
    order = np.argsort(median, kind="stable")
    shown, ranks = choose_shown(order)
    low, first, _, third, high = spread[:, shown]
    figure = go.Figure(
        [
            stretches("nine tenths", ranks, low, high, 1),
            stretches("middle half", ranks, first, third, 4 if len(shown) <= MANY else 2),
            dots("median", median, shown, ranks, data, V, "median <b>%{y:.3~g}</b>"),
        ]
    )
    dress(
        figure,
        f"Task medians from {digits(median.min())} to {digits(median.max())}",
        [
            "Dot: median. Thick: the middle half of a task's rows. Thin: nine tenths.",
            *say_left_out(len(data), len(shown)),
        ],
        picture=f"The target of {counted(len(shown), 'task')}, by their medians.",
        height=height,
    )
    figure.update_yaxes(title_text="target")
    name_ranks(figure, label_tasks(data), order)
    return figure


def draw_label_shares(data: TaskSet, V: ArrayLike | None, height: int) -> go.Figure:
    """The share of the label that sorts last, which a classifier counts as positive."""
    positive = np.unique(data.y)[-1]
    share = np.array([(y == positive).mean() for y in split_targets(data)])
    order = np.argsort(share, kind="stable")
    shown, ranks = choose_shown(order)
    figure = go.Figure(dots("share", share, shown, ranks, data, V, "<b>%{y:.1%}</b>"))
    figure.add_hline(y=0.5, line={"color": RULE, "width": 1, "dash": "dash"})
    low, high = share.min(), share.max()
    dress(
        figure,
        f"{low:.0%}{'' if low == high else f' to {high:.0%}'} of a task's rows are positive",
        [f"Positive: the label {positive!s}.", *say_left_out(len(data), len(shown))],
        picture=f"Share of one label in {counted(len(shown), 'task')}, least first.",
        height=height,
    )
    figure.update_yaxes(title_text=f"share of label {positive!s:.12}", range=[-0.03, 1.03])
    figure.update_yaxes(tickformat=".0%")
    name_ranks(figure, label_tasks(data), order)
    return figure


def split_targets(data: TaskSet) -> list[NDArray[Any]]:
    """Every task's own targets, in the order of its names."""
    from stcmtl.data.taskset import task_codes

    codes = task_codes(data.tasks)[1]
    return np.split(data.y[np.argsort(codes, kind="stable")], np.cumsum(data.n_rows)[:-1])


def choose_shown(order: Index) -> tuple[Index, Array]:
    """The tasks drawn, and their ranks among all."""
    places = pick_evenly(np.arange(len(order)), MAX_TASKS)
    return order[places], places.astype(np.float64) + 1.0


def label_tasks(data: TaskSet) -> list[str]:
    return make_labels("task_names", data.task_names.tolist(), len(data))


def colour_tasks(data: TaskSet, V: ArrayLike | None) -> list[str]:
    return [NEGATIVE] * len(data) if V is None else task_colours(V)


def stretches(name: str, ranks: Array, low: Array, high: Array, width: int) -> go.Scatter:
    line = join(np.column_stack([ranks, low]), np.column_stack([ranks, high]))
    return go.Scatter(
        name=name, x=line[:, 0], y=line[:, 1], mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": RULE, "width": width},
    )  # fmt: skip


def dots(
    name: str,
    values: Array,
    tasks: Index,
    ranks: Array,
    data: TaskSet,
    V: ArrayLike | None,
    value: str,
) -> go.Scatter:
    return ranked_points(
        name,
        values,
        tasks,
        ranks,
        colours=colour_tasks(data, V),
        hover=label_tasks(data),
        value=value,
        size=8 if len(tasks) <= MANY else 5,
    ).update(showlegend=False)


def name_ranks(figure: go.Figure, names: list[str], order: Index) -> None:
    """Names below the axis where they fit, else ranks."""
    figure.update_xaxes(**rank_axis(len(names)))
    if len(names) > MOST_NAMED:
        return
    short = shorten(names)
    figure.update_xaxes(
        title_text="",
        tickvals=list(range(1, len(names) + 1)),
        ticktext=[short.get(names[i], names[i]) for i in order],
        tickangle=-60,
    )
    room = longest_tick(names)
    figure.update_layout(margin_b=24 + room, height=figure.layout.height + room - 36)
