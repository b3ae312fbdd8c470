"""The objective by iteration: has the fit settled?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Protocol

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from stcmtl.figures.style import NEGATIVE, POSITIVE, TEMPLATE, rgb

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
        figure.update_xaxes(dtick=ceil(len(records) / MOST_TICKS), col=column)
        figure.update_yaxes(range=_span(records), col=column)
    figure.update_layout(
        template=TEMPLATE,
        height=height,
        title={"text": "Has the objective settled?", "y": 0.97, "yanchor": "top"},
        margin={"l": 60, "r": 12, "t": 80, "b": 60},
        showlegend=False,
    )
    figure.update_annotations(font_size=14, yshift=3)
    figure.update_xaxes(title_text="iteration")
    figure.update_yaxes(title_text="objective", col=1)
    return figure


def _line(stage: str, records: Sequence[Record]) -> go.Scatter:
    label, colour, symbol = _LOOKS[stage]
    return go.Scatter(
        name=label,
        x=[record.iteration for record in records],
        y=[record.objective for record in records],
        customdata=[1000 * sum(record.seconds.values()) for record in records],
        mode="lines+markers",
        line={"color": rgb(colour)},
        marker={"symbol": symbol, "size": 8},
        hovertemplate=(
            "iteration %{x}<br>objective <b>%{y:.4g}</b><br>%{customdata:.0f} ms<extra></extra>"
        ),
    )


def _span(records: Sequence[Record]) -> list[float]:
    """Limits that do not blow up a curve that is already flat to a hundredth."""
    low = min(record.objective for record in records)
    high = max(record.objective for record in records)
    margin = max(0.1 * (high - low), 0.005 * abs(high))
    return [low - margin, high + margin]
