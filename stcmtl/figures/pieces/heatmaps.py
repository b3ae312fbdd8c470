"""Matrices with features down and tasks across: what coefficients and their pattern share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.figures.pieces.highlight import remember_tasks
from stcmtl.figures.pieces.style import GRID
from stcmtl.figures.pieces.text import labels, longest_tick, shortened

# Cells of one panel: two such panels stay under 2 MB of JSON.
MAX_CELLS = 60_000

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Window:
    """The rows and columns of a matrix that are drawn, their labels, and what is left out."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    features: list[str]
    tasks: list[str]
    notes: list[str]

    @property
    def room_for_names(self) -> int:
        """Pixels for the names of the tasks, which stand on end on a narrow screen."""
        return longest_tick(self.tasks)

    def of(self, W: NDArray[Any]) -> NDArray[Any]:
        return W[np.ix_(self.rows, self.columns)]


def panels(**matrices: ArrayLike | None) -> dict[str, Array]:
    """Matrices of one shape by their names; those that are None are left out."""
    found = {name: np.asarray(W, float) for name, W in matrices.items() if W is not None}
    if any(W.ndim != 2 or W.size == 0 for W in found.values()):
        raise ValueError("coefficients must be a matrix with features down and tasks across")
    if len({W.shape for W in found.values()}) > 1:
        shapes = " and ".join(f"{name} {W.shape}" for name, W in found.items())
        raise ValueError(f"true and estimated coefficients differ in shape: {shapes}")
    return found


def window(
    matrices: Sequence[Array],
    task_names: Sequence[object] | None,
    feature_names: Sequence[object] | None,
    only_selected: bool,
    task_order: ArrayLike | None,
    feature_order: ArrayLike | None,
    max_cells: int = MAX_CELLS,
) -> Window:
    """What to draw of matrices of one shape: by default everything in its own order."""
    D, T = matrices[0].shape
    tasks = labels("task_names", task_names, T)
    features = labels("feature_names", feature_names, D)
    columns = _permutation("task_order", task_order, T)
    order = _permutation("feature_order", feature_order, D)
    rows, notes = _rows(matrices, order, only_selected, max_cells)
    return Window(rows, columns, [features[i] for i in rows], [tasks[j] for j in columns], notes)


def _permutation(argument: str, order: ArrayLike | None, count: int) -> NDArray[np.intp]:
    if order is None:
        return np.arange(count)
    found = np.asarray(order)
    if not np.array_equal(np.sort(found), np.arange(count)):
        raise ValueError(f"{argument} must name each of 0 to {count - 1} once")
    return found


def _rows(
    matrices: Sequence[Array], order: NDArray[np.intp], only_selected: bool, max_cells: int
) -> tuple[NDArray[np.intp], list[str]]:
    """The features to draw, in their order, and a sentence on what is left out."""
    D, T = matrices[0].shape
    strength = np.max([np.abs(W).max(axis=1) for W in matrices], axis=0)
    rows, notes = order, []
    if only_selected and strength.any():
        rows = rows[strength[rows] > 0]
        notes = [f"Shown: the {len(rows)} of {D} features in use."] if len(rows) < D else []
    room = max(1, max_cells // T)
    if len(rows) > room:
        strongest = np.argsort(-strength[rows], kind="stable")[:room]
        notes = [f"Shown: the {room} of {len(rows)} with the largest coefficients."]
        rows = rows[np.sort(strongest)]
    return rows, notes


def name_axes(figure: go.Figure, shown: Window, across: str = "task") -> None:
    """Name features and tasks, or whatever is across."""
    if across == "task":
        remember_tasks(figure, shown.columns)
    frame = {"type": "category", "showgrid": False, "showline": True, "mirror": True}
    figure.update_xaxes(
        **frame,
        linecolor=GRID,
        title={"text": across, "standoff": 8},
        labelalias=shortened(shown.tasks),
        range=[-0.5, len(shown.tasks) - 0.5],
        nticks=8,
        autotickangles=[0, 90],
    )
    figure.update_yaxes(
        **frame,
        linecolor=GRID,
        labelalias=shortened(shown.features),
        range=[len(shown.features) - 0.5, -0.5],
        automargin=True,
    )
    figure.update_layout(yaxis_title={"text": "feature", "standoff": 8})
