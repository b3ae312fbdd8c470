"""Tasks on the simplex of their memberships: pure ones at the corners, mixed ones inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from stcmtl.figures.pieces import geometry, plane, solid
from stcmtl.figures.pieces.colours import task_colours
from stcmtl.figures.pieces.order import pure_or_given
from stcmtl.figures.pieces.scene import Newcomers, Scene
from stcmtl.figures.pieces.style import dress
from stcmtl.figures.pieces.text import labels
from stcmtl.phrases import counted, digits
from stcmtl.solver.alignment import match_clusters, pad_clusters

MOST_HOVER_SHARES = 6
MOST_NAMED = 5  # new tasks with their names beside them
LEAST_COVERED = 0.5  # of a task's memberships, to be drawn among three clusters alone

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Chosen:
    """Memberships in the clusters drawn, of the tasks drawn, and what to say of the others."""

    clusters: list[int]
    tasks: NDArray[np.intp]
    V: Array
    true: Array | None
    notes: list[str]


def memberships(
    V: ArrayLike,
    true: ArrayLike | None = None,
    *,
    pure: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    clusters: Sequence[int] | None = None,
    flat: bool = False,
    new: ArrayLike | None = None,
    new_true: ArrayLike | None = None,
    new_names: Sequence[object] | None = None,
    height: int = 600,
) -> go.Figure:
    """Draw tasks by their memberships, and their true places where they are known.

    The simplex is a segment for two clusters, a triangle for three, a tetrahedron that can be
    turned for four, and a regular polygon, which is a projection, for more. Tasks that coincide
    are fanned out side by side around the place they share.

    Parameters
    ----------
    V : array of shape (K, T)
        Memberships; `model.memberships_.T` of a fitted model. A task without any, an outlier,
        has no place and is counted under the title.
    true : array of shape (K', T), optional
        True memberships, in any order of clusters: they are aligned with V.
    pure : array of T flags, optional
        `model.pure_`; by default the tasks with a single cluster.
    task_names : sequence of T names, optional
    clusters : three cluster numbers from 0, optional
        Draw the triangle of these three alone, for K > 3. A task's shares are taken relative to
        its share in the three; one with less than half there is left out, and said to be.
    flat : bool
        Draw four clusters as a square, a projection as for more of them, not as a tetrahedron.
    new, new_true : arrays of shape (K, M), optional
        Memberships of tasks that were not in the fit, to be marked by name among the others,
        and their true ones in the same order of clusters.
    new_names : sequence of M names, optional
    height : int
        Height of the figure in pixels; a segment needs less.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    V = np.asarray(V, dtype=float)
    names = labels("task_names", task_names, V.shape[1])
    flags = pure_or_given(V, pure) & V.any(axis=0)
    aligned, notes = _aligned(true, V)
    chosen = _within(V, aligned, clusters)
    at = geometry.square() if flat and len(chosen.V) == 4 else geometry.corners(len(chosen.V))
    scene = _scene(chosen, at, V, flags, names)
    if new is not None:
        scene = replace(scene, new=_newcomers(new, new_true, new_names, chosen.clusters, scene))
    figure = go.Figure()
    (solid if scene.is_solid else plane).draw(figure, scene)
    n_pure, n_in = int(flags.sum()), int(V.any(axis=0).sum())
    dress(
        figure,
        _title(scene, n_pure, n_in - n_pure),
        [*_reading(scene), *chosen.notes, *notes],
        picture=f"{counted(len(chosen.tasks), 'task')} on {_shape(scene)} with"
        f" a corner for each of clusters {_numbers(chosen.clusters)}.",
        height=min(height, 420) if len(chosen.V) <= 2 else height,
        margin={"l": 12, "r": 12, "b": 64 if len(chosen.V) == 2 else 24},
    )
    return figure


def _shape(scene: Scene) -> str:
    if scene.is_solid:
        return "a tetrahedron"
    return {1: "one point", 2: "a segment", 3: "a triangle"}.get(len(scene.corners), "a polygon")


def _aligned(true: ArrayLike | None, V: Array) -> tuple[Array | None, list[str]]:
    """The truth with its clusters in the order of V, or why it cannot be drawn."""
    if true is None:
        return None, []
    truth = np.asarray(true, dtype=float)
    K = len(V)
    if len(truth) > K:
        return None, [f"The truth has {len(truth)} clusters and no place among {K}."]
    padded = pad_clusters(truth, K)
    return padded[match_clusters(padded, V)], []


def _within(V: Array, true: Array | None, clusters: Sequence[int] | None) -> _Chosen:
    chosen = list(range(len(V))) if clusters is None else [int(k) for k in clusters]
    if clusters is not None and (len(set(chosen)) != 3 or not set(chosen) <= set(range(len(V)))):
        raise ValueError(f"clusters is {chosen}: name three different ones from 0 to {len(V) - 1}.")
    covered = V[chosen].sum(axis=0)
    tasks = np.flatnonzero(covered >= LEAST_COVERED)
    notes = []
    n_outliers = int((~V.any(axis=0)).sum())
    if n_outliers:
        notes.append(f"Not drawn: {counted(n_outliers, 'outlier task')}, in no cluster.")
    n_elsewhere = V.shape[1] - len(tasks) - n_outliers
    if n_elsewhere:
        notes.append(f"Not drawn: {counted(n_elsewhere, 'task')} mostly in other clusters.")
    own = V[chosen][:, tasks] / covered[tasks]
    places = None if true is None else _true_within(true, chosen, tasks)
    return _Chosen(chosen, tasks, own, places, notes)


def _true_within(true: Array, clusters: list[int], tasks: NDArray[np.intp]) -> Array:
    """True memberships relative to the clusters drawn; NaN where they lie elsewhere."""
    own = true[clusters][:, tasks]
    covered = own.sum(axis=0)
    return np.where(covered >= LEAST_COVERED, own / np.where(covered > 0, covered, 1.0), np.nan)


def _scene(
    chosen: _Chosen, at: Array, V: Array, pure: NDArray[np.bool_], names: list[str]
) -> Scene:
    K = len(at)
    exact = geometry.places(chosen.V, at)
    steps = (
        geometry.stack_up(exact, step=0.14, reach=0.8)
        if K == 2
        else geometry.fan_out(exact, step=0.06, reach=0.2)
    )
    n_pure = [int(((chosen.V[k] > 0.5) & pure[chosen.tasks]).sum()) for k in range(K)]
    return Scene(
        corners=at,
        corner_clusters=chosen.clusters,
        corner_labels=[
            f"Cluster {cluster + 1}<br>{n} pure"
            for cluster, n in zip(chosen.clusters, n_pure, strict=True)
        ],
        tasks=chosen.tasks,
        points=exact + steps,
        # moved by the same step, so that a line shows the error and nothing else
        true=None if chosen.true is None else geometry.places(chosen.true, at) + steps,
        pure=pure[chosen.tasks],
        colours=task_colours(V[:, chosen.tasks]),
        hover=[f"{names[i]}<br>{_shares(V[:, i])}" for i in chosen.tasks],
    )


def _newcomers(
    new: ArrayLike,
    true: ArrayLike | None,
    names: Sequence[object] | None,
    clusters: list[int],
    scene: Scene,
) -> Newcomers:
    """Tasks that were not in the fit, as far as they lie among the clusters drawn."""
    V = np.asarray(new, dtype=float)
    said = labels("new_names", names, V.shape[1])
    tasks = np.flatnonzero(V[clusters].sum(axis=0) >= LEAST_COVERED)
    own = V[clusters][:, tasks]
    places = None
    if true is not None:
        within = _true_within(np.asarray(true, dtype=float), clusters, tasks)
        places = geometry.places(within, scene.corners)
    return Newcomers(
        points=geometry.places(own / own.sum(axis=0), scene.corners),
        true=places,
        names=[said[i] for i in tasks] if len(tasks) <= MOST_NAMED else [],
        colours=task_colours(V[:, tasks]),
        hover=[f"{said[i]}<br>{_shares(V[:, i])}" for i in tasks],
    )


def _title(scene: Scene, n_pure: int, n_mixed: int) -> str:
    if scene.new is None:
        return f"{counted(n_pure, 'pure task')}, {n_mixed:,} mixed"
    count = len(scene.new.points)
    if count == 0:
        return "No new task lies among these clusters"
    return f"Where {counted(count, 'new task')} {'lands' if count == 1 else 'land'}"


def _shares(v: Array) -> str:
    """A task's clusters in words, the largest first."""
    largest = [k for k in np.argsort(-v, kind="stable") if v[k] > 0][:MOST_HOVER_SHARES]
    return "<br>".join(f"cluster {k + 1}: <b>{digits(v[k])}</b>" for k in largest)


def _reading(scene: Scene) -> list[str]:
    K = len(scene.corners)
    if K == 1:
        return ["One cluster: every task belongs to it, side by side."]
    sentences = [
        "Pure tasks (●) lie at corners, mixed ones (◆) between.",
        "Tasks at the same place are fanned out side by side.",
    ]
    if scene.is_solid:
        sentences.append("Drag to turn.")
    elif K > 3:
        sentences.append("A projection: different mixtures can share a place.")
    if scene.new is not None:
        sentences.append(f"New tasks are {'squares' if scene.is_solid else 'stars'}.")
    if scene.true is not None or (scene.new is not None and scene.new.true is not None):
        sentences.append("Hollow: the true place, with a line to the estimate.")
    return sentences


def _numbers(clusters: list[int]) -> str:
    return ", ".join(str(cluster + 1) for cluster in clusters)
