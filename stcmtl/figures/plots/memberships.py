"""Memberships: tasks on their simplex, and every task as a bar of its shares in the clusters."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from stcmtl.errors import InputError, Setting
from stcmtl.figures.pieces import Array, Index, order, simplex, style
from stcmtl.figures.pieces.calls import remember_call
from stcmtl.figures.pieces.simplex import Marks, Scene
from stcmtl.phrases import counted, digits

MOST_HOVER_SHARES = 6
# Names at so many corners find room on a phone on lines of so many letters, and so many lines.
ROOM_AT_CORNERS = {4: (14, 3), 9: (10, 2), 12: (10, 1)}
MOST_COUNTED = 12  # corners with the number of their pure tasks
MOST_NAMED = 5  # new tasks with their names beside them
LEAST_COVERED = 0.5  # of a task's memberships, to be drawn among three clusters alone
ALONE = (
    "No clusters: every task is on its own",
    ["Tasks have coefficients of their own and no shares to draw."],
)


@remember_call
def memberships(
    V: ArrayLike,
    true: ArrayLike | None = None,
    *,
    pure: ArrayLike | None = None,
    strength: ArrayLike | None = None,
    task_names: Sequence[object] | None = None,
    clusters: Sequence[int] | None = None,
    flat: bool = True,
    new: ArrayLike | None = None,
    new_true: ArrayLike | None = None,
    new_strength: ArrayLike | None = None,
    new_names: Sequence[object] | None = None,
    new_regions: Sequence[ArrayLike] = (),
    colour_by_truth: bool = False,
    cluster_names: Sequence[object] | None = None,
    height: int = 700,
) -> go.Figure:
    """Draw tasks by their memberships, and their true places where they are known.

    The simplex is a segment for two clusters, a triangle for three, a tetrahedron that can be
    turned for four, and a regular polygon, which is a projection, for more. Tasks that coincide
    are fanned out side by side around the place they share. An outlier has no place and is
    counted under the title. Without clusters the figure is a sentence.

    Parameters
    ----------
    true : array of shape (K', T), true memberships in any order of clusters: they are aligned
        with V.
    strength, new_strength : arrays of T and M numbers, `model.strength_` of a fit in the cone:
        the area of a task's mark.
    clusters : three cluster numbers from 0, to draw the triangle of these alone, for K > 3. A
        task's shares are taken relative to its share in the three; one with less than half
        there is left out, and said to be.
    flat : draw four clusters as a square, a projection as for more of them; else as a solid.
    new, new_true : arrays of shape (K, M), memberships of tasks that were not in the fit, to be
        marked by name among the others, and their true ones in the same order of clusters.
    new_names : sequence of M names.
    new_regions : arrays of shape (K, P), memberships around the places that new tasks may have;
        drawn for two or three clusters.
    colour_by_truth : mix the colours of tasks by their true memberships, where they have a place.

    For the others see `stcmtl.figures`; a segment needs less height.

    >>> figures.memberships(V, truth.V, task_names=model.task_names_).layout.title.text
    'Where tasks lie, and where they should'
    """
    V = np.asarray(V, dtype=float)
    if not len(V):
        return style.draw_words(*ALONE)
    names = style.make_labels("task_names", task_names, V.shape[1])
    is_inside = V.any(axis=0)
    flags = order.flag_pure(V, pure) & is_inside
    truth, note = align_truth(true, V)
    called = style.name_clusters(cluster_names, len(V))
    chosen = check_clusters(clusters, len(V))
    K = len(chosen)
    at = simplex.square() if flat and K == 4 else simplex.corners(K)
    tasks = place_tasks(V, truth, strength, names, called, chosen, at, apart=True)
    if colour_by_truth and truth is not None:
        tasks = replace(tasks, colours=style.task_colours(truth[:, tasks.numbers]))
    is_pure = flags[tasks.numbers]
    n_pure = ((relate(V, chosen, tasks.numbers) > 0.5) & is_pure).sum(axis=1)
    at_corners = style.name_clusters(cluster_names, len(V), noun="Cluster")
    corner_labels = label_corners(at_corners, chosen)
    if K <= MOST_COUNTED:
        corner_labels = [
            f"{name}<br>{n} pure" for name, n in zip(corner_labels, n_pure, strict=True)
        ]
    scene = Scene(at, called, chosen, corner_labels, tasks, is_pure)
    if new is not None:
        scene = add_new(scene, np.asarray(new, dtype=float), new_true, new_strength, new_names)
        scene = add_regions(scene, new_regions)
    figure = go.Figure()
    simplex.draw(figure, scene)
    by_truth = ["Colour: the true clusters."] if colour_by_truth and truth is not None else []
    words = [*explain(scene), *by_truth, *say_strengths(strength, is_inside)]
    below = 64 if K == 2 else simplex.room_beyond(scene, above=False)
    style.dress(
        figure,
        count_new(len(scene.new.points)) if scene.new else say_what_to_see(K, truth),
        [*words, *say_not_drawn(V, tasks), *note],
        picture=f"{counted(len(tasks.numbers), 'task')} on {name_shape(scene)} with a corner for "
        f"each of clusters {', '.join(str(k + 1) for k in chosen)}.",
        height=min(height, 420) if K <= 2 else height,
        room_above=12 if K <= 2 else simplex.room_beyond(scene, above=True),
        margin={"l": 12, "r": 12, "b": below + (0 if strength is None else 30)},
        legend=style.LEGEND_BELOW | {"itemsizing": "trace"},
    )
    return figure


def label_corners(called: list[str], clusters: list[int]) -> list[str]:
    """Names of clusters on the lines that there is room for; of very many, their numbers."""
    K = len(clusters)
    room = next((room for most, room in ROOM_AT_CORNERS.items() if most >= K), None)
    return [style.break_name(called[k], *room) if room else str(k + 1) for k in clusters]


def align_truth(true: ArrayLike | None, V: Array) -> tuple[Array | None, list[str]]:
    """The truth with its clusters in the order of V, or why it cannot be drawn."""
    if true is None:
        return None, []
    # loads scipy.optimize, which takes as long as all the rest of this room
    from stcmtl.solver.alignment import align_clusters

    truth = np.asarray(true, dtype=float)
    K = len(V)
    if len(truth) > K:
        return None, [f"The truth has {len(truth)} clusters and no place among {K}."]
    if len(truth) == 1 < K:  # which of several is the true one would be arbitrary
        return None, [f"The truth has one cluster and no place among {K}."]
    return align_clusters(truth, V)[0], []


def check_clusters(clusters: Sequence[int] | None, n_clusters: int) -> list[int]:
    """The clusters to draw: all, or three of them."""
    every = list(range(n_clusters))
    if clusters is None:
        return every
    chosen = [int(k) for k in clusters]
    if len(set(chosen)) != 3 or not set(chosen) <= set(every):
        raise InputError(
            f"is {chosen}",
            where=Setting("clusters"),
            remedy=f"name three different ones from 0 to {n_clusters - 1}",
        )
    return chosen


def place_tasks(
    V: Array,
    true: Array | None,
    strength: ArrayLike | None,
    names: list[str],
    called: list[str],
    clusters: list[int],
    at: Array,
    *,
    apart: bool,
) -> Marks:
    """The tasks that lie mostly in the clusters drawn; set apart where they coincide."""
    tasks = np.flatnonzero(V[clusters].sum(axis=0) >= LEAST_COVERED)
    exact = simplex.places(relate(V, clusters, tasks), at)
    steps = simplex.set_apart(exact, at) if apart else np.zeros_like(exact)
    strengths = None if strength is None else np.asarray(strength, dtype=float)
    said = ["" if strengths is None else f"<br>{say_strength(strengths[i])}" for i in tasks]
    return Marks(
        numbers=tasks,
        points=exact + steps,
        # moved by the same step, so that a line shows the error and nothing else
        true=None if true is None else simplex.places(relate(true, clusters, tasks), at) + steps,
        colours=style.task_colours(V[:, tasks]),
        hover=[
            f"{names[i]}<br>{list_shares(V[:, i], called)}{more}"
            for i, more in zip(tasks, said, strict=True)
        ],
        scale=None if strengths is None else simplex.sizes_of(strengths[tasks]),
    )


def relate(V: Array, clusters: list[int], tasks: Index) -> Array:
    """Memberships relative to the clusters drawn; NaN where they lie elsewhere."""
    own = V[clusters][:, tasks]
    covered = own.sum(axis=0)
    return np.where(covered >= LEAST_COVERED, own / np.where(covered > 0, covered, 1.0), np.nan)


def say_strength(strength: float) -> str:
    """What a task's strength means."""
    number = digits(strength)
    if number == "1":
        return "strength 1: reacts like its clusters"
    return f"strength {number}: reacts like its clusters,<br>{number} times as strongly"


def say_strengths(strength: ArrayLike | None, inside: ArrayLike) -> list[str]:
    """Which strengths there are, where tasks have any of their own."""
    if strength is None:
        return []
    own = np.asarray(strength, dtype=float)[np.asarray(inside, dtype=bool)]
    if not own.size:
        return []
    span = f"from {digits(own.min())} to {digits(own.max())}"
    return [f"Size: strength, {span}; at 2 a task reacts twice as strongly as its clusters."]


def add_new(
    scene: Scene,
    V: Array,
    true: ArrayLike | None,
    strength: ArrayLike | None,
    names: Sequence[object] | None,
) -> Scene:
    """Tasks that were not in the fit, as far as they lie among the clusters drawn."""
    labels = style.make_labels("new_names", names, V.shape[1])
    truth = None if true is None else np.asarray(true, dtype=float)
    at, clusters = scene.corners, scene.corner_clusters
    new = place_tasks(V, truth, strength, labels, scene.called, clusters, at, apart=False)
    named = [labels[i] for i in new.numbers] if len(new.numbers) <= MOST_NAMED else []
    return replace(scene, new=new, new_names=named)


def add_regions(scene: Scene, regions: Sequence[ArrayLike]) -> Scene:
    """Around the places that new tasks may have, in pictures that are no projections."""
    if len(scene.corners) not in (2, 3) or len(scene.corners) != len(scene.corner_clusters):
        return scene
    drawn = [np.asarray(region, dtype=float) for region in regions]
    fitting = [region for region in drawn if len(region) == len(scene.corners)]
    return replace(scene, regions=[simplex.places(region, scene.corners) for region in fitting])


def say_what_to_see(n_corners: int, truth: Array | None) -> str:
    """What to look for, which is so whatever was found."""
    if n_corners == 1:
        return "One place for all tasks"
    if truth is not None:
        return "Where tasks lie, and where they should"
    return "Where tasks lie among their clusters"


def name_shape(scene: Scene) -> str:
    if scene.is_solid:
        return "a tetrahedron"
    return {1: "one point", 2: "a segment", 3: "a triangle"}.get(len(scene.corners), "a polygon")


def say_not_drawn(V: Array, drawn: Marks) -> list[str]:
    n_outliers = int((~V.any(axis=0)).sum())
    n_elsewhere = V.shape[1] - len(drawn.numbers) - n_outliers
    notes = {
        f"Not drawn: {counted(n_outliers, 'task')} in no cluster.": n_outliers,
        f"Not drawn: {counted(n_elsewhere, 'task')} mostly in other clusters.": n_elsewhere,
    }
    return [note for note, count in notes.items() if count]


def count_new(count: int) -> str:
    if count == 0:
        return "No new task lies among these clusters"
    return f"Where {counted(count, 'new task')} {'lands' if count == 1 else 'land'}"


def list_shares(v: Array, called: Sequence[str]) -> str:
    """A task's clusters in words, the largest first."""
    largest = [k for k in np.argsort(-v, kind="stable") if v[k] > 0][:MOST_HOVER_SHARES]
    return "<br>".join(f"{called[k]}: <b>{digits(v[k])}</b>" for k in largest)


def explain(scene: Scene) -> list[str]:
    """How to read the simplex."""
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
    if scene.regions:
        sentences.append("Outlined: where the new task lies, at 95% confidence.")
    if any(marks and marks.true is not None for marks in (scene.tasks, scene.new)):
        sentences.append("Hollow: the true place, with a line to the estimate.")
    return sentences
