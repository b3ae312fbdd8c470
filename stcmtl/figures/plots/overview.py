"""Tasks before any fit: how many rows each has, and how its target is spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.figures.pieces import Array, Index, order
from stcmtl.figures.pieces.colours import task_colours
from stcmtl.figures.pieces.geometry import join
from stcmtl.figures.pieces.style import NEGATIVE, RULE, dress, longest_tick, make_labels, shorten
from stcmtl.phrases import counted, digits

if TYPE_CHECKING:  # it loads pandas, which takes as long as all the rest
    from stcmtl.data.taskset import TaskSet

MAX_TASKS = 2_000
MOST_NAMED = 30  # tasks whose names fit under the axis
MANY = 60  # tasks beyond which marks are thin
PALE = 0.4


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
    alike = np.arange(len(train)) if V is None else order.tasks_by_cluster(V)
    ranked = Ranked(train, alike[np.argsort(-total[alike], kind="stable")], V)
    shown = ranked.shown
    figure = go.Figure()
    for part, count, opacity in (("to fit", train.n_rows, 1.0), ("for testing", n_test, PALE)):
        if not count.any():
            continue
        colours = [ranked.colours[i] for i in shown]
        figure.add_bar(
            name=part,
            x=ranked.ranks,
            y=count[shown],
            marker={"color": colours, "opacity": opacity, "line_width": 0},
            customdata=shown,
            hovertext=[ranked.names[i] for i in shown],
            hovertemplate=f"%{{hovertext}}<br><b>%{{y:,}}</b> rows {part}<extra></extra>",
            showlegend=False,
        )
    low, high = int(total.min()), int(total.max())
    ranked.dress(
        figure,
        f"{low:,} rows per task" if low == high else f"{low:,} to {high:,} rows per task",
        ["Pale: rows kept for testing."] if n_test.any() else [],
        picture=f"Rows of {counted(len(shown), 'task')}, most first.",
        height=height,
    )
    figure.update_layout(barmode="stack", bargap=0.25 if len(shown) <= MANY else 0.0)
    figure.update_yaxes(title_text="rows", rangemode="tozero")
    return figure


def task_targets(data: TaskSet, V: ArrayLike | None = None, *, height: int = 340) -> go.Figure:
    """Draw the target of every task: its spread, or the share of one of its two labels.

    For `V` and `height` see `stcmtl.figures`.
    """
    draw = draw_label_shares if data.task_type == "classification" else draw_spreads
    return draw(data, V, height)


def draw_spreads(data: TaskSet, V: ArrayLike | None, height: int) -> go.Figure:
    levels = (0.05, 0.25, 0.5, 0.75, 0.95)
    spread = np.array([np.quantile(y, levels) for y in split_targets(data)]).T
    median = spread[2]
    ranked = Ranked(data, np.argsort(median, kind="stable"), V)
    low, first, _, third, high = spread[:, ranked.shown]
    thick = 4 if len(ranked.shown) <= MANY else 2
    figure = go.Figure(
        [
            stretches("nine tenths", ranked.ranks, low, high, 1),
            stretches("middle half", ranked.ranks, first, third, thick),
            ranked.dots("median", median, "median <b>%{y:.3~g}</b>"),
        ]
    )
    ranked.dress(
        figure,
        f"Task medians from {digits(median.min())} to {digits(median.max())}",
        ["Dot: median. Thick: the middle half of a task's rows. Thin: nine tenths."],
        picture=f"The target of {counted(len(ranked.shown), 'task')}, by their medians.",
        height=height,
    )
    figure.update_yaxes(title_text="target")
    return figure


def draw_label_shares(data: TaskSet, V: ArrayLike | None, height: int) -> go.Figure:
    """The share of the label that sorts last, which a classifier counts as positive."""
    positive = np.unique(data.y)[-1]
    share = np.array([(y == positive).mean() for y in split_targets(data)])
    ranked = Ranked(data, np.argsort(share, kind="stable"), V)
    figure = go.Figure(ranked.dots("share", share, "<b>%{y:.1%}</b>"))
    figure.add_hline(y=0.5, line={"color": RULE, "width": 1, "dash": "dash"})
    low, high = share.min(), share.max()
    ranked.dress(
        figure,
        f"{low:.0%}{'' if low == high else f' to {high:.0%}'} of a task's rows are positive",
        [f"Positive: the label {positive!s}."],
        picture=f"Share of one label in {counted(len(ranked.shown), 'task')}, least first.",
        height=height,
    )
    figure.update_yaxes(title_text=f"share of label {positive!s:.12}", range=[-0.03, 1.03])
    figure.update_yaxes(tickformat=".0%")
    return figure


def split_targets(data: TaskSet) -> list[NDArray[Any]]:
    """Every task's own targets, in the order of its names."""
    from stcmtl.data.taskset import task_codes

    codes = task_codes(data.tasks)[1]
    return np.split(data.y[np.argsort(codes, kind="stable")], np.cumsum(data.n_rows)[:-1])


class Ranked:
    """Tasks by rank: those drawn, their ranks among all, their names and colours."""

    def __init__(self, data: TaskSet, ranking: Index, V: ArrayLike | None) -> None:
        places = order.pick_evenly(np.arange(len(ranking)), MAX_TASKS)
        self.ranking, self.shown = ranking, ranking[places]
        self.ranks = places.astype(np.float64) + 1.0
        self.names = make_labels("task_names", data.task_names.tolist(), len(data))
        self.colours = [NEGATIVE] * len(data) if V is None else task_colours(V)

    def dots(self, name: str, values: Array, value: str) -> go.Scatter:
        return order.ranked_points(
            name,
            values,
            self.shown,
            self.ranks,
            colours=self.colours,
            hover=self.names,
            value=value,
            size=8 if len(self.shown) <= MANY else 5,
        ).update(showlegend=False)

    def dress(
        self, figure: go.Figure, title: str, sentences: list[str], *, picture: str, height: int
    ) -> None:
        """Words above the plot, and below it names where they fit, else ranks."""
        left_out = order.say_left_out(len(self.ranking), len(self.shown))
        dress(figure, title, [*sentences, *left_out], picture=picture, height=height)
        figure.update_xaxes(**order.rank_axis(len(self.ranking)))
        if len(self.names) > MOST_NAMED:
            return
        short = shorten(self.names)
        figure.update_xaxes(
            title_text="",
            tickvals=list(range(1, len(self.names) + 1)),
            ticktext=[short.get(self.names[i], self.names[i]) for i in self.ranking],
            tickangle=-60,
        )
        room = longest_tick(self.names)
        figure.update_layout(margin_b=24 + room, height=height + room - 36)


def stretches(name: str, ranks: Array, low: Array, high: Array, width: int) -> go.Scatter:
    line = join(np.column_stack([ranks, low]), np.column_stack([ranks, high]))
    looks = {"mode": "lines", "line": {"color": RULE, "width": width}, "hoverinfo": "skip"}
    return go.Scatter(name=name, x=line[:, 0], y=line[:, 1], showlegend=False, **looks)
