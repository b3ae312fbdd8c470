"""Tasks and features in an order: which one, which of too many, and what is drawn along it."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.figures.pieces import Array, Flags, Index
from stcmtl.figures.pieces.style import NO_CLUSTER, RIM, as_plain, cluster_colours, name_clusters

LETTERS_ACROSS = 36  # that a phone has room for, one of them between each two names
LEAST_SHARE = 0.025  # of the width: the number of a cluster needs that much on a phone
ROOM = 34  # pixels that numbers and strips of clusters take above the plot


def main_clusters(V: ArrayLike) -> Index:
    """The cluster with a task's largest share, from 0; K for a task in none, as an outlier is."""
    size = np.abs(np.asarray(V, dtype=float))
    if not len(size):
        return np.zeros(size.shape[1], dtype=np.intp)
    return np.where(size.any(axis=0), size.argmax(axis=0), len(size))


def add_clusters(
    names: Sequence[str], V: ArrayLike, cluster_names: Sequence[object] | None = None
) -> list[str]:
    """Each task's name with its main cluster, where there are clusters."""
    V = np.asarray(V, dtype=float)
    if not len(V):
        return list(names)
    said = [*name_clusters(cluster_names, len(V)), "in no cluster"]
    return [f"{name}, {said[k]}" for name, k in zip(names, main_clusters(V), strict=True)]


def flag_pure(V: ArrayLike, pure: ArrayLike | None) -> Flags:
    """The tasks called pure, or where nobody says so those that belong to one cluster alone."""
    V = np.asarray(V, dtype=float)
    if pure is None:
        return V.max(axis=0, initial=0.0) >= 1.0 - 1e-9
    return np.asarray(pure, dtype=bool)


def tasks_by_cluster(
    V: ArrayLike, pure: ArrayLike | None = None, purity: ArrayLike | None = None
) -> Index:
    """Tasks by main cluster, pure ones first, then by falling purity; those in none last.

    Without clusters they keep their order.

    Parameters
    ----------
    V, pure : as for all figures, see `stcmtl.figures`.
    purity : array of T scores; by default a task's largest share.

    >>> figures.tasks_by_cluster([[1, 0, 0.5], [0, 1, 0.5]]).tolist()
    [0, 2, 1]
    """
    V = np.asarray(V, dtype=float)
    if not len(V):
        return np.arange(V.shape[1])
    score = V.max(axis=0) if purity is None else np.asarray(purity, dtype=float)
    return np.lexsort((-score, ~flag_pure(V, pure), main_clusters(V)))


def features_by_cluster(U: ArrayLike) -> Index:
    """Features by the cluster in which they weigh most, strongest first; unused ones last.

    >>> figures.features_by_cluster(truth.U)[:5].tolist()
    [9, 5, 4, 7, 0]
    """
    strength = np.abs(np.asarray(U, dtype=float))
    if not strength.shape[1]:
        return np.arange(len(strength))
    largest = strength.max(axis=1)
    cluster = np.where(largest > 0, strength.argmax(axis=1), strength.shape[1])
    return np.lexsort((-largest, cluster))


def features_by_selection(W: ArrayLike) -> Index:
    """Features by the number of tasks that use them, then by their largest coefficient.

    >>> figures.features_by_selection(truth.W)[:5].tolist()
    [9, 5, 6, 7, 8]
    """
    W = np.asarray(W, dtype=float)
    return np.lexsort((-np.abs(W).max(axis=1), -np.count_nonzero(W, axis=1)))


def pick_evenly(order: ArrayLike, most: int) -> Index:
    """At most so many of an order, evenly spaced along it, so that groups keep their shares."""
    order = np.asarray(order, dtype=np.intp)
    if len(order) <= most:
        return order
    return order[np.linspace(0, len(order) - 1, most).round().astype(int)]


def say_left_out(n_tasks: int, n_shown: int) -> list[str]:
    """What to say of tasks that `pick_evenly` left out."""
    if n_shown == n_tasks:
        return []
    return [f"Shown: {n_shown} of {n_tasks:,} tasks, evenly spaced in this order."]


def find_runs(values: ArrayLike) -> list[tuple[int, int, int]]:
    """Stretches of equal values as (value, first place, place after the last)."""
    values = np.asarray(values)
    starts = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    return [(int(values[a]), int(a), int(b)) for a, b in pairwise([*starts, len(values)])]


def number_clusters(
    figure: go.Figure,
    clusters: Index,
    n_clusters: int,
    cluster_names: Sequence[object] | None = None,
) -> None:
    """The name or number of each cluster above its tasks, unless they are too few for it.

    `clusters` are the main clusters of the tasks from left to right. A name takes the room that
    there is on a phone, and the hover has the whole of it.
    """
    if not n_clusters:
        return
    names = [*name_clusters(cluster_names, n_clusters, noun=""), "out"]
    for cluster, first, end in find_runs(clusters):
        share = (end - first) / len(clusters)
        if share >= LEAST_SHARE:
            figure.add_annotation(
                text=fit_name(names[cluster], cluster, round(share * LETTERS_ACROSS) - 1),
                hovertext=names[cluster],
                xref="x", x=(first + end - 1) / 2, yref="y domain", y=1, yshift=10,
                yanchor="bottom", showarrow=False, font_size=13,
            )  # fmt: skip


def fit_name(name: str, cluster: int, letters: int) -> str:
    """A name cut to so many letters; a cluster's number where too few are left of it."""
    whole = unescape(name)
    if len(whole) <= max(letters, 3):
        return name
    return f"{as_plain(whole[: letters - 1])}…" if letters > 3 else str(cluster + 1)


def strip_clusters(figure: go.Figure, clusters: Index, n_clusters: int) -> None:
    """A strip in each cluster's colour above its tasks; parameters as for the numbers."""
    if not n_clusters:
        return
    colours = [*cluster_colours(n_clusters), NO_CLUSTER]
    for cluster, first, end in find_runs(clusters):
        figure.add_shape(
            type="rect", fillcolor=colours[cluster], line_width=0,
            xref="x", x0=first - 0.45, x1=end - 0.55, yref="y domain", y0=1.01, y1=1.02,
        )  # fmt: skip


@dataclass(frozen=True)
class Ranking:
    """Tasks by rank, the places among them that are drawn, and all tasks' names and colours."""

    tasks: Index
    places: Index
    names: list[str]
    task_colours: list[str]

    @property
    def shown(self) -> Index:
        return self.tasks[self.places]

    @property
    def ranks(self) -> Index:
        return self.places + 1

    @property
    def labels(self) -> list[str]:
        return [self.names[i] for i in self.shown]

    @property
    def colours(self) -> list[str]:
        return [self.task_colours[i] for i in self.shown]

    def dots(self, name: str, values: Array, value: str, **marker: object) -> go.Scatter:
        """A value of the tasks; the hover tells a task's name, its `value` and its rank."""
        return go.Scatter(
            name=name,
            x=self.ranks,
            y=values[self.shown],
            mode="markers",
            marker={"color": self.colours, "size": 8, "line": RIM} | marker,
            cliponaxis=False,
            customdata=self.shown,
            hovertext=self.labels,
            hovertemplate=f"%{{hovertext}}<br>{value}, rank %{{x}}<extra></extra>",
        )

    def axis(self) -> dict[str, Any]:
        """An axis of ranks from 1, without a place 0."""
        bare = {"showgrid": False, "zeroline": False}
        return bare | {"title_text": "rank of the task", "range": [0.1, len(self.tasks) + 0.9]}
