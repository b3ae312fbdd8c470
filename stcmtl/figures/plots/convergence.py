"""The iterations of a fit: its objective, what each of them changed, and where their time went."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.style import (
    LEGEND_BELOW,
    NEGATIVE,
    POSITIVE,
    RULE,
    cluster_colours,
    dress,
)
from stcmtl.phrases import counted, digits, say_error
from stcmtl.solver.records import (
    NEXT_TO_NONE,
    Iteration,
    find_returns,
    find_rises,
    largest_changes,
)

MOST_TICKS = 8
RISEN = "triangle-up"
FIRST, SECOND = (NEGATIVE, "circle"), (POSITIVE, "diamond")
STAGES = {
    "paper": ("The paper's algorithm", FIRST),
    "refine": ("Refinement", SECOND),
    "alone": ("Every task on its own", FIRST),
}
STEPS = {
    "V": "memberships",
    "gamma": "strength of the penalty",
    "U": "clusters' coefficients",
    "W": "tasks' coefficients",
}


@remember_call
def convergence(history: Sequence[Iteration], *, height: int = 340) -> go.Figure:
    """Draw the objective after each iteration, one panel per stage of the fit.

    The stages have panels of their own because they penalise U differently: their objectives
    cannot be compared.

    Parameters
    ----------
    history : `model.history_` of a fitted model; may be empty.

    >>> figures.convergence(model.history_).layout.title.text[:29]
    'Last change in the refinement'
    """
    stages: dict[str, list[Iteration]] = {}
    for state in history:
        stages.setdefault(state.stage, []).append(state)
    figure = make_subplots(
        cols=max(1, len(stages)),
        horizontal_spacing=0.2,
        subplot_titles=[STAGES[stage][0] for stage in stages],
    )
    falls, returns, rises = [], find_returns(history), find_rises(history)
    for column, (stage, states) in enumerate(stages.items(), start=1):
        figure.add_trace(objective_line(stage, states, rises), 1, column)
        if stage == "paper" and returns:
            figure.add_trace(mark_returns(returns), 1, column)
        ticks = [state.iteration for state in states[:: ceil(len(states) / MOST_TICKS)]]
        figure.update_xaxes(tickvals=ticks, col=column)
        figure.update_yaxes(range=find_limits(states), col=column)
        first, last = digits(states[0].objective), digits(states[-1].objective)
        falls.append(f"; {STAGES[stage][0].lower()}: {first} to {last} in {len(states)}")
    picture = f"Line chart of the objective after each iteration{''.join(falls)}."
    layout: dict[str, Any] = {"height": height, "room_above": 34, "showlegend": False}
    dress(figure, say_last_change(history), explain_stages(stages, returns, rises), picture=picture,
          **layout)  # fmt: skip
    figure.update_annotations(font_size=14, yshift=3)
    figure.update_xaxes(title_text="iteration")
    figure.update_yaxes(title={"text": "objective", "standoff": 20}, automargin=True, col=1)
    return figure


def mark_returns(returns: Sequence[tuple[Iteration, Iteration]]) -> go.Scatter:
    """Dotted, from the lowest objective to where the loop went back to it."""
    x, y = [], []
    for lowest, back in returns:
        x += [lowest.iteration, back.iteration, None]
        y += [lowest.objective, back.objective, None]
    return go.Scatter(
        name="back to the lowest",
        x=x,
        y=y,
        mode="lines+markers",
        line={"color": POSITIVE, "dash": "dot", "width": 2},
        marker={"symbol": "circle-open", "size": 15, "line": {"width": 2}},
        hovertemplate="iteration %{x}<br>back to the lowest<extra></extra>",
    )


def explain_stages(
    stages: Mapping[str, object],
    returns: Sequence[tuple[Iteration, Iteration]],
    rises: Sequence[Iteration],
) -> list[str]:
    """What the reader must know of the curves."""
    said = ["Triangle: the objective rose."] if rises else []
    if returns:
        lowest, back = returns[-1]
        said.append(
            f"Dotted: iteration {back.iteration} goes back to iteration {lowest.iteration}, "
            "the lowest."
        )
    if "refine" in stages and len(stages) > 1:
        said += [
            "The stages penalise differently: their objectives cannot be compared.",
            "The refinement's penalty follows what it finds, so its objective may rise.",
        ]
    return said


@remember_call
def held_out_errors(
    history: Sequence[Iteration], errors: ArrayLike, metric: str, *, height: int = 340
) -> go.Figure:
    """Draw the error on test rows after each iteration: one criterion for both stages.

    Parameters
    ----------
    history : `model.history_` of a fitted model.
    errors : array of one number more: of every task's own fit, then after each iteration.
    metric : what the error is, "RMSE" or "error rate".

    >>> errors = [0.6] * (len(model.history_) + 1)
    >>> figure = figures.held_out_errors(model.history_, errors, "RMSE")
    >>> figure.layout.title.text
    'RMSE 0.6 after iterating, 0.6 before'
    """
    own, *after = np.asarray(errors, dtype=float).tolist()
    figure = go.Figure()
    for stage, (label, looks) in STAGES.items():
        chosen = [i for i, state in enumerate(history) if state.stage == stage]
        if chosen:
            x, y = [history[i].iteration for i in chosen], [after[i] for i in chosen]
            figure.add_trace(line(label, x, y, looks, f"{metric} <b>%{{y:,.4~r}}</b>"))
    figure.add_hline(y=own, line={"color": RULE, "dash": "dash", "width": 1.5})
    last = after[-1] if after else own
    dress(
        figure,
        f"{metric[:1].upper()}{metric[1:]} {say_error(last, metric)} after iterating, "
        f"{say_error(own, metric)} before",
        [
            "On rows that no step has seen: one measure for both stages.",
            "Dashed: the separate LASSO fits that it begins with.",
            "The finished fit may have a little more: own parts, levels that borrow strength.",
        ],
        picture=f"Line chart of the {metric} on test rows after each iteration: "
        f"{', '.join(map(digits, after))}; {digits(own)} before the first.",
        height=height,
        margin={"b": 92},
        legend=LEGEND_BELOW,
    )  # fmt: skip
    number_iterations(figure, len(history))
    figure.update_yaxes(title_text=metric, tickformat=".2~%" if metric == "error rate" else "")
    return figure


@remember_call
def changes(history: Sequence[Iteration], *, height: int = 340) -> go.Figure:
    """Draw how far U and V still moved in each iteration, on a logarithmic scale.

    Parameters
    ----------
    history : `model.history_` of a fitted model.

    >>> figures.changes(model.history_).layout.title.text[:17]
    'Shares last moved'
    """
    of_U, of_V = largest_changes(history)
    iterations = [state.iteration for state in history[1:]]
    figure = go.Figure()
    for name, values, looks in (
        ("memberships V", of_V, FIRST),
        ("cluster coefficients U", of_U, SECOND),
    ):
        shown = [value if value > 0 else None for value in values]  # zero has no logarithm
        figure.add_trace(line(name, iterations, shown, looks, f"{name}: <b>%{{y:,.3~r}}</b>"))
    still = "An iteration without a point changed nothing at all." if 0.0 in of_U + of_V else ""
    dress(
        figure,
        f"Shares last moved by {digits(of_V[-1])}" if of_V else "One iteration: nothing to compare",
        [sentence for sentence in ("The largest change of any entry.", still) if sentence],
        picture=f"Lines of the largest change of memberships and of cluster coefficients, over "
        f"{counted(len(iterations), 'iteration')}.",
        height=height,
        margin={"b": 92},
        legend=LEGEND_BELOW,
    )
    number_iterations(figure, len(iterations))
    figure.update_yaxes(type="log", title_text="largest change", exponentformat="power", dtick=1)
    return figure


@remember_call
def step_seconds(history: Sequence[Iteration], *, height: int = 340) -> go.Figure:
    """Draw the milliseconds of every iteration, split by step; parameters as for `changes`.

    >>> figures.step_seconds(model.history_).layout.yaxis.title.text
    'milliseconds'
    """
    steps = list(dict.fromkeys(step for state in history for step in state.seconds))
    names = {step: STEPS.get(step, step) for step in steps}
    spent = {step: [state.seconds.get(step, 0.0) for state in history] for step in steps}
    figure = go.Figure(
        [
            go.Bar(
                name=names[step],
                x=[state.iteration for state in history],
                y=[1000.0 * seconds for seconds in spent[step]],
                marker={"color": colour, "line_width": 0},
                hovertemplate=f"iteration %{{x}}<br>{names[step]}: <b>%{{y:,.3~r}} ms</b>"
                "<extra></extra>",
            )
            for step, colour in zip(steps, cluster_colours(len(steps)), strict=True)
        ]
    )
    total = {step: sum(seconds) for step, seconds in spent.items()}
    title = "No time measured"
    if total:
        longest = max(total, key=lambda step: total[step])
        share = total[longest] / (sum(total.values()) or 1.0)
        title = f"{share:.0%} of the time: {names[longest]}"
    dress(
        figure,
        title,
        [f"{digits(sum(total.values()))} s in all, after every task's own fit."],
        picture=f"Stacked bars of milliseconds for {counted(len(history), 'iteration')}.",
        height=height,
        margin={"b": 92},
        barmode="stack",
        legend=LEGEND_BELOW | {"traceorder": "normal"},
    )
    number_iterations(figure, len(history))
    figure.update_yaxes(title_text="milliseconds")
    return figure


def say_last_change(history: Sequence[Iteration]) -> str:
    """How much the last step still changed, where there is one to compare with."""
    if len(history) == 0:
        return "No iteration yet"
    if history[-1].stage == "alone":
        return "One fit each: nothing to iterate"
    if len(history) == 1:
        return "The objective after 1 iteration"
    if history[-2].stage != history[-1].stage:
        return f"The objective: {counted(len(history) - 1, 'iteration')}, 1 round"
    if (returned := find_returns(history)) and returned[-1][1] is history[-1]:
        return f"Back to iteration {returned[-1][0].iteration}, the lowest objective"
    before, last = history[-2].objective, history[-1].objective
    change = (last - before) / (abs(before) or 1.0)
    said = f"{'+' if change > 0 else ''}{digits(100.0 * change, 2)}%"
    if 0.0 < abs(change) < NEXT_TO_NONE:
        said = f"under {NEXT_TO_NONE:.3%}"
    where = "in the refinement" if history[0].stage != history[-1].stage else "of the objective"
    return f"Last change {where}: {said}"


def objective_line(
    stage: str, states: Sequence[Iteration], rises: Sequence[Iteration]
) -> go.Scatter:
    label, looks = STAGES[stage]
    risen = {state.iteration for state in rises}
    # a stage that came again, without tasks found to be outliers, has a line of its own
    drawn: list[Iteration | None] = list(states[:1])
    for before, after in pairwise(states):
        drawn += [None, after] if after.iteration > before.iteration + 1 else [after]
    curve = line(
        label,
        [state and state.iteration for state in drawn],
        [state and state.objective for state in drawn],
        looks,
        "objective <b>%{y:,.4~r}</b><br>%{customdata:.0f} ms",
        customdata=[state and 1000 * sum(state.seconds.values()) for state in drawn],
    )
    marked = [state is not None and state.iteration in risen for state in drawn]
    curve.marker.symbol = [RISEN if rose else looks[1] for rose in marked]
    curve.marker.size = [13 if rose else 8 for rose in marked]
    return curve


def line(
    name: str, x: Sequence[Any], y: Sequence[Any], looks: tuple[str, str], hover: str, **more: Any
) -> go.Scatter:
    """Values by iteration, told apart by the `looks`: colour and symbol."""
    colour, symbol = looks
    return go.Scatter(
        name=name,
        x=x,
        y=y,
        mode="lines+markers",
        line={"color": colour},
        marker={"symbol": symbol, "size": 8},
        hovertemplate=f"iteration %{{x}}<br>{hover}<extra></extra>",
        **more,
    )


def find_limits(states: Sequence[Iteration]) -> list[float]:
    """Limits that do not blow up a curve that is already flat to a hundredth."""
    low = min(state.objective for state in states)
    high = max(state.objective for state in states)
    margin = max(0.1 * (high - low), 0.005 * abs(high))
    return [low - margin, high + margin]


def number_iterations(figure: go.Figure, count: int) -> None:
    figure.update_xaxes(title_text="iteration", dtick=max(1, ceil(count / MOST_TICKS)))
