"""What each iteration changed, and where its time went."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import plotly.graph_objects as go

from stcmtl.figures.pieces.colours import cluster_colours
from stcmtl.figures.pieces.style import NEGATIVE, POSITIVE, dress, rgb
from stcmtl.figures.plots.convergence import MOST_TICKS
from stcmtl.phrases import counted, digits
from stcmtl.solver.records import Iteration, largest_changes

STEPS = {
    "V": "memberships",
    "gamma": "strength of the penalty",
    "U": "clusters' coefficients",
    "W": "tasks' coefficients",
}
LEGEND = {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"}


def changes(history: Sequence[Iteration], *, height: int = 340) -> go.Figure:
    """Draw how far U and V still moved in each iteration, on a logarithmic scale.

    Parameters
    ----------
    history : sequence of iterations
        `model.history_` of a fitted model.
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    of_U, of_V = largest_changes(history)
    iterations = [state.iteration for state in history[1:]]
    figure = go.Figure(
        [
            _line("memberships V", iterations, of_V, NEGATIVE, "circle"),
            _line("cluster coefficients U", iterations, of_U, POSITIVE, "diamond"),
        ]
    )
    still = "An iteration without a point changed nothing at all." if 0.0 in of_U + of_V else ""
    dress(
        figure,
        f"Shares last moved by {digits(of_V[-1])}" if of_V else "One iteration: nothing to compare",
        [sentence for sentence in ("The largest change of any entry.", still) if sentence],
        picture=f"Lines of the largest change of memberships and of cluster coefficients, over "
        f"{counted(len(iterations), 'iteration')}.",
        height=height,
        margin={"b": 92},
    )
    figure.update_layout(legend=LEGEND)
    figure.update_xaxes(title_text="iteration", dtick=max(1, ceil(len(iterations) / MOST_TICKS)))
    figure.update_yaxes(type="log", title_text="largest change", exponentformat="power", dtick=1)
    return figure


def _line(
    name: str, iterations: list[int], values: list[float], colour: str, symbol: str
) -> go.Scatter:
    return go.Scatter(
        name=name,
        x=iterations,
        y=[value if value > 0 else None for value in values],  # zero has no logarithm
        mode="lines+markers",
        line={"color": rgb(colour)},
        marker={"symbol": symbol, "size": 8},
        hovertemplate=f"iteration %{{x}}<br>{name}: <b>%{{y:.3~g}}</b><extra></extra>",
    )


def step_seconds(history: Sequence[Iteration], *, height: int = 340) -> go.Figure:
    """Draw the milliseconds of every iteration, split by step; parameters as for `changes`."""
    steps = list(dict.fromkeys(step for state in history for step in state.seconds))
    iterations = [state.iteration for state in history]
    figure = go.Figure(
        [
            go.Bar(
                name=STEPS.get(step, step),
                x=iterations,
                y=[1000.0 * state.seconds.get(step, 0.0) for state in history],
                marker={"color": colour, "line_width": 0},
                hovertemplate=f"iteration %{{x}}<br>{STEPS.get(step, step)}: <b>%{{y:.3~g}} ms</b>"
                "<extra></extra>",
            )
            for step, colour in zip(steps, cluster_colours(len(steps)), strict=True)
        ]
    )
    total = {step: sum(state.seconds.get(step, 0.0) for state in history) for step in steps}
    longest = max(total, key=lambda step: total[step], default="")
    share = total[longest] / (sum(total.values()) or 1.0) if total else 0.0
    dress(
        figure,
        f"{share:.0%} of the time: {STEPS.get(longest, longest)}" if total else "No time measured",
        [f"{digits(sum(total.values()))} s in all, after every task's own fit."],
        picture=f"Stacked bars of milliseconds for {counted(len(iterations), 'iteration')}.",
        height=height,
        margin={"b": 92},
    )
    figure.update_layout(barmode="stack", legend=LEGEND | {"traceorder": "normal"})
    figure.update_xaxes(title_text="iteration", dtick=max(1, ceil(len(iterations) / MOST_TICKS)))
    figure.update_yaxes(title_text="milliseconds")
    return figure
