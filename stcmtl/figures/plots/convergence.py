"""The objective by iteration: has the fit settled?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import Protocol

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from stcmtl.figures.pieces.style import NEGATIVE, POSITIVE, dress, rgb
from stcmtl.phrases import counted, digits

MOST_TICKS = 8


class Record(Protocol):
    """One iteration of a fit, as `model.history_` keeps it."""

    @property
    def iteration(self) -> int: ...
    @property
    def objective(self) -> float: ...
    @property
    def seconds(self) -> Mapping[str, float]: ...
    @property
    def stage(self) -> str: ...


# Told apart by colour and symbol.
_LOOKS = {
    "paper": ("The paper's algorithm", NEGATIVE, "circle"),
    "refine": ("Refinement", POSITIVE, "diamond"),
}


def convergence(history: Sequence[Record], *, height: int = 340) -> go.Figure:
    """Draw the objective after each iteration, one panel a stage of the fit.

    The stages have panels of their own because they penalise U differently: their objectives
    cannot be compared.

    Parameters
    ----------
    history : sequence of records
        `model.history_` of a fitted model.
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    stages = list(dict.fromkeys(record.stage for record in history))
    figure = make_subplots(
        cols=max(1, len(stages)),
        horizontal_spacing=0.14,
        subplot_titles=[_LOOKS[stage][0] for stage in stages],
    )
    for column, stage in enumerate(stages, start=1):
        records = [record for record in history if record.stage == stage]
        figure.add_trace(_line(stage, records), 1, column)
        figure.update_xaxes(tickvals=_ticks(records), col=column)
        figure.update_yaxes(range=_span(records), col=column)
    dress(
        figure,
        _title(history),
        [],
        picture=f"Line chart of the objective after each iteration{_falls(history, stages)}.",
        height=height,
        room_above=34,
    )
    figure.update_layout(showlegend=False)
    figure.update_annotations(font_size=14, yshift=3)
    figure.update_xaxes(title_text="iteration")
    figure.update_yaxes(title_text="objective", col=1)
    return figure


def _title(history: Sequence[Record]) -> str:
    """How much the last step still changed, where there is one to compare with."""
    if len(history) == 0:
        return "No iteration yet"
    before, last = history[-2:] if len(history) > 1 else (history[-1], history[-1])
    if before.stage != last.stage or before is last:
        return f"The objective after {counted(len(history), 'iteration')}"
    change = abs(last.objective - before.objective) / (abs(before.objective) or 1.0)
    return f"Last change of the objective: {100 * change:.2g}%"


def _falls(history: Sequence[Record], stages: Sequence[str]) -> str:
    """From where to where, in words."""
    values = {stage: [r.objective for r in history if r.stage == stage] for stage in stages}
    return "".join(
        f"; {_LOOKS[stage][0].lower()}: {digits(own[0])} to {digits(own[-1])} in {len(own)}"
        for stage, own in values.items()
    )


def _line(stage: str, records: Sequence[Record]) -> go.Scatter:
    label, colour, symbol = _LOOKS[stage]
    drawn = _with_gaps(records)
    return go.Scatter(
        name=label,
        x=[record and record.iteration for record in drawn],
        y=[record and record.objective for record in drawn],
        customdata=[record and 1000 * sum(record.seconds.values()) for record in drawn],
        mode="lines+markers",
        line={"color": rgb(colour)},
        marker={"symbol": symbol, "size": 8},
        hovertemplate=(
            "iteration %{x}<br>objective <b>%{y:.4g}</b><br>%{customdata:.0f} ms<extra></extra>"
        ),
    )


def _with_gaps(records: Sequence[Record]) -> list[Record | None]:
    """A stage that came again, without tasks found to be outliers, has a line of its own."""
    drawn: list[Record | None] = list(records[:1])
    for before, after in pairwise(records):
        gap = [None] if after.iteration > before.iteration + 1 else []
        drawn += [*gap, after]
    return drawn


def _ticks(records: Sequence[Record]) -> list[int]:
    """Whole iterations, evenly spaced from the first on."""
    return [record.iteration for record in records[:: ceil(len(records) / MOST_TICKS)]]


def _span(records: Sequence[Record]) -> list[float]:
    """Limits that do not blow up a curve that is already flat to a hundredth."""
    low = min(record.objective for record in records)
    high = max(record.objective for record in records)
    margin = max(0.1 * (high - low), 0.005 * abs(high))
    return [low - margin, high + margin]
