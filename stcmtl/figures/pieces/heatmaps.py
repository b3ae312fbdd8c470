"""Matrices with features down and tasks across: what coefficients and their patterns share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.errors import InputError, Setting
from stcmtl.figures.pieces import Array, Index, style
from stcmtl.figures.pieces.picking import remember_tasks
from stcmtl.phrases import counted

# Cells of one panel: two such panels stay under 2 MB of JSON.
MAX_CELLS = 60_000


class View(TypedDict, total=False):
    """What `choose_window` takes from the caller of a figure."""

    task_names: Sequence[object] | None
    feature_names: Sequence[object] | None
    only_selected: bool
    task_order: ArrayLike | None
    feature_order: ArrayLike | None
    max_cells: int


@dataclass(frozen=True)
class Window:
    """The rows and columns of a matrix that are drawn, their labels, and what is left out."""

    rows: Index
    columns: Index
    features: list[str]
    tasks: list[str]
    notes: list[str]

    def of(self, W: NDArray[Any]) -> NDArray[Any]:
        return W[np.ix_(self.rows, self.columns)]

    def heatmap(self, name: str, W: NDArray[Any], **looks: Any) -> go.Heatmap:
        return go.Heatmap(name=name, z=self.of(W), x=self.tasks, y=self.features, **looks)


def check_matrices(
    feature_scale: ArrayLike | None = None, /, **matrices: ArrayLike | None
) -> dict[str, Array]:
    """Matrices of one shape by their names, times the scale; those that are None are left out."""
    found = {name: np.asarray(W, float) for name, W in matrices.items() if W is not None}
    if any(W.ndim != 2 or W.size == 0 for W in found.values()):
        raise InputError(
            "must be a matrix with features down and tasks across", where="coefficients"
        )
    if len({W.shape for W in found.values()}) > 1:
        raise InputError(
            "differ in shape",
            where="true and estimated coefficients",
            remedy=" and ".join(f"{name} {W.shape}" for name, W in found.items()),
        )
    return {name: scale_rows(W, feature_scale) for name, W in found.items()}


def scale_rows(W: Array, feature_scale: ArrayLike | None) -> Array:
    """Coefficients (D, T) times the standard deviations of their features, if given."""
    if feature_scale is None:
        return W
    scale = np.asarray(feature_scale, dtype=float)
    if scale.shape != W.shape[:1]:
        raise InputError(
            f"has shape {scale.shape}",
            where=Setting("feature_scale"),
            remedy=f"give one number for each of {len(W)} features",
        )
    return W * scale[:, None]


def name_values(feature_scale: ArrayLike | None) -> str:
    """What the cells hold."""
    return "coefficient" if feature_scale is None else "coefficient × standard deviation"


def choose_window(
    matrices: Sequence[Array],
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    only_selected: bool = False,
    task_order: ArrayLike | None = None,
    feature_order: ArrayLike | None = None,
    max_cells: int = MAX_CELLS,
) -> Window:
    """What to draw of matrices of one shape: by default everything in its own order."""
    D, T = matrices[0].shape
    tasks = style.make_labels("task_names", task_names, T)
    features = style.make_labels("feature_names", feature_names, D)
    columns = check_order("task_order", task_order, T)
    order = check_order("feature_order", feature_order, D)
    rows, notes = choose_rows(matrices, order, only_selected, max_cells)
    return Window(rows, columns, [features[i] for i in rows], [tasks[j] for j in columns], notes)


def check_order(argument: str, order: ArrayLike | None, count: int) -> Index:
    if order is None:
        return np.arange(count)
    found = np.asarray(order)
    if not np.array_equal(np.sort(found), np.arange(count)):
        raise InputError(f"must name each of 0 to {count - 1} once", where=Setting(argument))
    return found


def choose_rows(
    matrices: Sequence[Array], order: Index, only_selected: bool, max_cells: int
) -> tuple[Index, list[str]]:
    """The features to draw, in their order, and a sentence on what is left out."""
    D, T = matrices[0].shape
    strength = np.max([np.abs(W).max(axis=1) for W in matrices], axis=0)
    rows, notes = order, []
    if only_selected and strength.any():
        rows = rows[strength[rows] > 0]
        if len(rows) < D:
            where = "here" if len(matrices) == 1 else "in all of these"
            notes = [f"Shown: {len(rows)} of {counted(D, 'feature')}; the others are zero {where}."]
    room = max(1, max_cells // T)
    if len(rows) > room:
        strongest = np.argsort(-strength[rows], kind="stable")[:room]
        notes = [f"Shown: the {room} of {len(rows)} with the largest coefficients."]
        rows = rows[np.sort(strongest)]
    return rows, notes


def dress_map(
    figure: go.Figure,
    shown: Window,
    title: str,
    sentences: list[str],
    *,
    height: int,
    across: str = "task",
    **words_and_layout: Any,
) -> None:
    """Give a heatmap its words, and its axes the names of features and tasks; see `dress`.

    Names of tasks stand on end on a narrow screen: `height` grows by the room they take.
    """
    room = style.longest_tick(shown.tasks)
    margin = {"b": (100 if "legend" in words_and_layout else 60) + room}
    sentences = [*sentences, *shown.notes]
    style.dress(figure, title, sentences, height=height + room, margin=margin, **words_and_layout)
    if across == "task":
        remember_tasks(figure, shown.columns)
    figure.update_xaxes(**style.FRAME | style.names_below(shown.tasks, across))
    figure.update_yaxes(
        **style.FRAME,
        labelalias=style.shorten(shown.features),
        range=[len(shown.features) - 0.5, -0.5],
        automargin=True,
    )
    figure.update_layout(yaxis_title={"text": "feature", "standoff": 8})
