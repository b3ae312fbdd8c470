"""Which coefficients are zero, and which should be: the paper's picture of feature selection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.figures.pieces.heatmaps import Window, name_axes, panels, window
from stcmtl.figures.pieces.style import NEGATIVE, POSITIVE, dress

# Without the truth all that are not zero count as found.
COLOURS = {
    "found": "rgba(128, 140, 153, 0.6)",
    "missed": f"rgb({NEGATIVE})",
    "extra": f"rgb({POSITIVE})",
}
NOTHING = "rgba(0, 0, 0, 0)"


def selection_pattern(
    estimated: ArrayLike,
    true: ArrayLike | None = None,
    *,
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    only_selected: bool = False,
    task_order: ArrayLike | None = None,
    feature_order: ArrayLike | None = None,
    height: int = 550,
) -> go.Figure:
    """Draw where coefficients are not zero, against the truth where it is known.

    The parameters are those of `coefficients`.
    """
    found = panels(true=true, estimated=estimated)
    is_used = found["estimated"] != 0
    is_true = found["true"] != 0 if "true" in found else is_used
    states = {"found": is_used & is_true}
    if "true" in found:
        states |= {"missed": ~is_used & is_true, "extra": is_used & ~is_true}
    shown = window(
        list(found.values()),
        task_names,
        feature_names,
        only_selected,
        task_order,
        feature_order,
    )
    zero = ~np.logical_or.reduce(list(states.values()))
    figure = go.Figure(
        [_cells(name, cells, shown, COLOURS[name]) for name, cells in states.items()]
    )
    figure.add_trace(_cells("zero", zero, shown, NOTHING).update(showlegend=False))
    D, T = is_used.shape
    title, reading = _finding({name: int(cells.sum()) for name, cells in states.items()}, D * T)
    dress(
        figure,
        title,
        [reading, *shown.notes],
        picture=f"A map of zero and other coefficients, {D} features down and {T} tasks across.",
        height=height + shown.room_for_names,
        margin={"b": 100 + shown.room_for_names},
    )
    figure.update_layout(
        legend={"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"}
    )
    name_axes(figure, shown)
    return figure


def _cells(name: str, cells: NDArray[np.bool_], shown: Window, colour: str) -> go.Heatmap:
    return go.Heatmap(
        name=name,
        z=np.where(shown.of(cells), 1.0, np.nan).astype(np.float32),
        x=shown.tasks,
        y=shown.features,
        zmin=0,
        zmax=1,
        colorscale=[[0, colour], [1, colour]],
        showscale=False,
        showlegend=True,
        hoverongaps=False,
        hovertemplate=f"feature %{{y}}<br>task %{{x}}<br><b>{name}</b><extra></extra>",
    )


def _finding(counts: dict[str, int], total: int) -> tuple[str, str]:
    if "missed" not in counts:
        share = counts["found"] / total
        return f"{share:.1%} of coefficients are not zero", "A blank cell is an exact zero."
    missed, extra = counts["missed"], counts["extra"]
    return (
        f"{1.0 - (missed + extra) / total:.1%} of zeros and non-zeros match",
        f"Missed: {missed:,} that are not zero. Extra: {extra:,} that are.",
    )
