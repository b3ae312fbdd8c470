"""The coefficient matrix W as a heatmap: features down, tasks across, exact zeros blank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.subplots import make_subplots

from stcmtl.figures.style import DIVERGING, GRID, TEMPLATE

# Cells of one panel: two such panels stay under 2 MB of JSON.
MAX_CELLS = 60_000
LONGEST_TICK = 18

# Below the panels, so that they keep the width on a narrow screen.
_COLOUR_BAR = {
    "title": {"text": "coefficient", "side": "top"},
    "orientation": "h",
    "thickness": 10,
    "len": 0.6,
    "y": -0.19,
    "yanchor": "top",
    "outlinewidth": 0,
}


def coefficients(
    estimated: ArrayLike,
    true: ArrayLike | None = None,
    *,
    task_names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    only_selected: bool = False,
    height: int = 600,
) -> go.Figure:
    """Draw estimated coefficients, beside the true ones where they are known.

    Parameters
    ----------
    estimated : array of shape (D, T)
        Coefficients in the paper's orientation; `model.coef_.T` of a fitted model.
    true : array of shape (D, T), optional
        Drawn to the left, on the same colour scale; the two panels zoom together.
    task_names, feature_names : sequences of T and D names, optional
        Numbers from 1 where they are missing.
    only_selected : bool
        Leave out the features whose coefficients are zero for every task in every panel.
    height : int
        Height of the figure in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    panels = _panels(estimated, true)
    n_features, n_tasks = panels["Estimated"].shape
    tasks = _labels("task_names", task_names, n_tasks)
    features = _labels("feature_names", feature_names, n_features)
    rows, note = _rows_to_show(list(panels.values()), only_selected)

    figure = make_subplots(
        cols=len(panels),
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.03,
        subplot_titles=[f"{name}: {_density(W)}" for name, W in panels.items()],
    )
    shown = [features[i] for i in rows]
    for column, (name, W) in enumerate(panels.items(), start=1):
        figure.add_trace(_heatmap(name, W[rows], tasks, shown), 1, column)
    _dress(figure, panels, note, height)
    _name_axes(figure, tasks, shown)
    return figure


def _panels(estimated: ArrayLike, true: ArrayLike | None) -> dict[str, NDArray[np.float64]]:
    matrices = {"True": true, "Estimated": estimated}
    panels = {name: np.asarray(W, float) for name, W in matrices.items() if W is not None}
    if any(W.ndim != 2 or W.size == 0 for W in panels.values()):
        raise ValueError("coefficients must be a matrix with features down and tasks across")
    if len({W.shape for W in panels.values()}) > 1:
        shapes = " and ".join(f"{name.lower()} {W.shape}" for name, W in panels.items())
        raise ValueError(f"true and estimated coefficients differ in shape: {shapes}")
    return panels


def _labels(argument: str, names: Sequence[object] | None, count: int) -> list[str]:
    if names is None:
        return [str(i) for i in range(1, count + 1)]
    if len(names) != count:
        raise ValueError(f"{argument} has {len(names)} names where {count} are needed")
    labels = [str(name) for name in names]
    if len(set(labels)) == count:
        return labels
    # plotly would draw two equal names as one row.
    return [f"{label} ({i})" for i, label in enumerate(labels, start=1)]


def _rows_to_show(
    panels: list[NDArray[np.float64]], only_selected: bool
) -> tuple[NDArray[np.intp], str]:
    """The features to draw, in their own order, and a sentence on what is left out."""
    n_features, n_tasks = panels[0].shape
    strength = np.max([np.abs(W).max(axis=1) for W in panels], axis=0)
    rows = np.arange(n_features)
    notes = []
    if only_selected and strength.any():
        rows = np.flatnonzero(strength)
        notes.append(f"Shown: the {len(rows)} of {n_features} features in use.")
    room = max(1, MAX_CELLS // n_tasks)
    if len(rows) > room:
        strongest = np.argsort(-strength[rows], kind="stable")[:room]
        notes.append(f"Shown: the {room} of {len(rows)} with the largest coefficients.")
        rows = rows[np.sort(strongest)]
    return rows, "".join(f"<br>{note}" for note in notes[-1:])


def _density(W: NDArray[np.float64]) -> str:
    return f"{np.mean(W != 0):.1%} filled"


def _heatmap(
    name: str, W: NDArray[np.float64], tasks: list[str], features: list[str]
) -> go.Heatmap:
    return go.Heatmap(
        name=name,
        z=W,
        x=tasks,
        y=features,
        coloraxis="coloraxis",
        hovertemplate=(
            f"{name.lower()}<br>feature %{{y}}<br>task %{{x}}<br><b>%{{z:.3~g}}</b><extra></extra>"
        ),
    )


def _dress(
    figure: go.Figure, panels: dict[str, NDArray[np.float64]], note: str, height: int
) -> None:
    compared = "True" in panels
    limit = max(float(np.abs(W).max()) for W in panels.values()) or 1.0
    figure.update_layout(
        template=TEMPLATE,
        height=height,
        title={
            "text": "Do the two panels match?" if compared else "Which tasks use which features?",
            "subtitle": {"text": f"A blank cell is an exact zero.{note}", "font_size": 13},
            "y": 0.99,
            "yanchor": "top",
        },
        margin={"l": 60, "r": 12, "t": 100, "b": 130, "pad": 0},
        coloraxis={
            "colorscale": DIVERGING,
            "cmin": -limit,
            "cmax": limit,
            "colorbar": _COLOUR_BAR,
        },
    )
    figure.update_annotations(font_size=14, yshift=3)


def _name_axes(figure: go.Figure, tasks: list[str], features: list[str]) -> None:
    frame = {"type": "category", "showgrid": False, "showline": True, "mirror": True}
    figure.update_xaxes(**frame, linecolor=GRID, title_text="task", labelalias=_shortened(tasks))
    figure.update_xaxes(range=[-0.5, len(tasks) - 0.5], nticks=8, autotickangles=[0, 90])
    figure.update_yaxes(**frame, linecolor=GRID, labelalias=_shortened(features))
    figure.update_yaxes(range=[len(features) - 0.5, -0.5])
    figure.update_yaxes(title_text="feature", col=1)


def _shortened(labels: list[str]) -> dict[str, str]:
    """What the axis shows for a long name; the hover keeps the whole of it."""
    return {label: label[: LONGEST_TICK - 1] + "…" for label in labels if len(label) > LONGEST_TICK}
