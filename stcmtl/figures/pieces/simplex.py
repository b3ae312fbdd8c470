"""The simplex of memberships: its corners, room for tasks that coincide, and how it is drawn.

It is a segment, a triangle or a polygon with all its diagonals; four clusters may make a
tetrahedron that can be turned.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from stcmtl.figures.pieces import Array, Flags, Index
from stcmtl.figures.pieces.style import GRID, INK, LINE_HEIGHT, NO_CLUSTER, RIM, RULE

REGION, REGION_FILL = "rgba(217, 97, 12, 0.75)", "rgba(217, 97, 12, 0.12)"
FEW_CORNERS = 5  # with names above or below; those of more stand outside,
LEAN, STEEP = 0.3, 0.6  # beside a corner that leans so far, and below or above one so steep
AWAY, CLEAR = 0.28, 4  # from a corner to its name, as far as tasks reach, and pixels beside them
NAME_AWAY = 70  # pixels from a new task to its name
SIDE_BY_SIDE = 0.1  # apart at most, for names that would cover each other
TRUE_PLACE = "true place of "
LETTERS = {"color": INK, "size": 13}  # in space, which does not inherit them
GOLDEN = np.pi * (3.0 - np.sqrt(5.0))  # the angle between the seeds of a sunflower
SAME_PLACE = 3  # decimals to which two places are the same
SHOWN_STRENGTHS = (0.15, 6.0)  # weaker and stronger tasks are drawn like these
OPAQUE = {"opacity": 1}  # plotly would let marks of several sizes shine through
KEY = (0.5, 1.0, 2.0)  # strengths whose sizes the legend shows


@dataclass(frozen=True)
class Marks:
    """Tasks where they are drawn, and where they belong: NaN or None where nobody knows.

    ``scale`` multiplies the size of their marks: see `sizes_of`.
    """

    numbers: Index
    points: Array
    true: Array | None
    colours: list[str]
    hover: list[str]
    scale: Array | None = None


@dataclass(frozen=True)
class Scene:
    """A simplex with K corners in two or three dimensions, tasks on it, and new ones.

    ``called`` are the names of all clusters, of which some have corners.
    """

    corners: Array
    called: list[str]
    corner_clusters: list[int]
    corner_labels: list[str]
    tasks: Marks
    pure: Flags
    new: Marks | None = None
    new_names: Sequence[str] = ()
    regions: Sequence[Array] = ()  # around new tasks, points of their outlines

    @property
    def doubled(self) -> int:
        """By which to multiply sizes of their own: plotly halves them in space, and only there."""
        return 2 if self.is_solid else 1

    @property
    def is_solid(self) -> bool:
        return self.corners.shape[1] == 3

    @property
    def symbols(self) -> NDArray[np.str_]:
        """Pure tasks are round."""
        return np.where(self.pure, "circle", "diamond")


def draw(figure: go.Figure, scene: Scene) -> None:
    """Add lines, tasks, true places, new tasks on top, and the names of the corners."""
    K = len(scene.corners)
    if K == 3:
        figure.add_trace(line("grid", grid(scene.corners), colour=GRID))
    pale = K > 3 and not scene.is_solid
    width = 2 if scene.is_solid else 1
    figure.add_trace(line("edges", edges(scene.corners), width, GRID if pale else RULE))
    for region in scene.regions:
        figure.add_trace(
            line("region", region, 7 if K == 2 else 2, REGION).update(
                fill=None if K == 2 else "toself", fillcolor=REGION_FILL
            )
        )
    add_tasks(figure, scene)
    if scene.new is not None:
        add_new_tasks(figure, scene, scene.new)
    if scene.is_solid:
        set_up_space(figure, scene)
    else:
        set_up_plane(figure, scene)


def add_tasks(figure: go.Figure, scene: Scene) -> None:
    tasks, picked = scene.tasks, scene.tasks.numbers
    whole: dict[str, Any] = {"size": 8, "line": RIM}
    hollow: dict[str, Any] = {"size": 12, "line": {"width": 1}}
    if scene.is_solid:
        whole, hollow = {"size": 5}, {"size": 8}
    if tasks.scale is not None:
        add_key(figure, scene, scene.doubled * whole["size"])
        for marker in (whole, hollow):
            marker |= {"size": scene.doubled * marker["size"] * tasks.scale} | OPAQUE
    whole["symbol"], hollow["symbol"] = scene.symbols, "circle-open"
    if tasks.true is not None:
        figure.add_trace(line("error", join(tasks.true, tasks.points), 3 if scene.is_solid else 1))
        figure.add_trace(
            marks("true places", tasks, tasks.true, hollow, TRUE_PLACE, customdata=picked)
        )
    figure.add_trace(marks("tasks", tasks, tasks.points, whole, customdata=picked))


def sizes_of(strength: Array) -> Array:
    """By which to multiply the size of a mark, so that its area is the strength of its task."""
    return np.sqrt(np.clip(strength, *SHOWN_STRENGTHS))


def add_key(figure: go.Figure, scene: Scene, size: int) -> None:
    """A legend of strengths, under the plot; a task of strength one has this size."""
    nowhere = np.full((1, scene.corners.shape[1]), np.nan)
    for strength, factor in zip(KEY, sizes_of(np.array(KEY)), strict=True):
        looks = {"color": NO_CLUSTER, "size": size * factor, "symbol": "circle", "line": RIM}
        key = scatter(nowhere, name=f"strength {strength:g}", mode="markers", marker=looks)
        figure.add_trace(key.update(showlegend=True))


def add_new_tasks(figure: go.Figure, scene: Scene, new: Marks) -> None:
    """Stars, or squares as space knows no stars; hollow ones where they belong."""
    whole: dict[str, Any] = {"size": 20, "symbol": "star", "line": RIM}
    more: dict[str, Any] = {"cliponaxis": False}
    if scene.is_solid:
        whole |= {"size": 9, "symbol": "square"}
        more = {"textfont": LETTERS}
    if new.scale is not None:
        whole |= {"size": scene.doubled * whole["size"] * new.scale} | OPAQUE
    if new.true is not None:
        figure.add_trace(line("new error", join(new.true, new.points), 3 if scene.is_solid else 1))
        hollow = whole | {"symbol": f"{whole['symbol']}-open"}
        name = "true places of new tasks"
        figure.add_trace(marks(name, new, new.true, hollow, TRUE_PLACE, **more))
    if scene.is_solid and scene.new_names:
        more |= {"mode": "markers+text", "text": scene.new_names}
    figure.add_trace(marks("new tasks", new, new.points, whole, **more))


def scatter(points: Array, **looks: Any) -> go.Scatter | go.Scatter3d:
    """A trace in the plane or in space, after the number of the points' coordinates."""
    if points.shape[1] == 3:
        x, y, z = points.T
        return go.Scatter3d(x=x, y=y, z=z, showlegend=False, **looks)
    return go.Scatter(x=points[:, 0], y=points[:, 1], showlegend=False, **looks)


def line(name: str, points: Array, width: int = 1, colour: str = RULE) -> go.Scatter | go.Scatter3d:
    looks = {"color": colour, "width": width}
    return scatter(points, name=name, mode="lines", line=looks, hoverinfo="skip")


def marks(
    name: str, tasks: Marks, points: Array, marker: dict[str, Any], opening: str = "", **more: Any
) -> go.Scatter | go.Scatter3d:
    looks = {
        "mode": "markers",
        "marker": {"color": tasks.colours} | marker,
        "hovertext": tasks.hover,
        "hovertemplate": f"{opening}%{{hovertext}}<extra></extra>",
    }
    return scatter(points, name=name, **looks | more)


def set_up_space(figure: go.Figure, scene: Scene) -> None:
    """Name the corners above the top and below the base, and choose where to look from."""
    beyond = np.where(scene.corners[:, 2:] > 0, 0.32, -0.32) * [0.0, 0.0, 1.0]
    names = {"text": scene.corner_labels, "textposition": "middle center", "textfont": LETTERS}
    figure.add_trace(
        scatter(scene.corners + beyond, name="corners", mode="text", hoverinfo="skip", **names)
    )
    hidden = {"visible": False, "range": [-1.5, 1.5]}
    figure.update_layout(
        scene={
            "xaxis": hidden,
            "yaxis": hidden,
            "zaxis": hidden | {"range": [-1.2, 1.8]},
            "aspectmode": "cube",
            "bgcolor": "rgba(0, 0, 0, 0)",
            "camera": {"eye": {"x": 0.29, "y": 1.16, "z": 0.33}, "center": {"z": -0.12}},
        },
    )


def set_up_plane(figure: go.Figure, scene: Scene) -> None:
    """Name new tasks and corners, and hide the axes, but for the one that a segment is."""
    is_segment = len(scene.corners) == 2
    if scene.new is not None:
        name_new_tasks(figure, scene.new.points, scene.new_names, is_segment)
    away = 0.85 if is_segment else AWAY
    name_corners(figure, scene, away)
    hidden = {"showgrid": False, "zeroline": False, "showticklabels": False, "showline": False}
    low, high = scene.corners.min(axis=0), scene.corners.max(axis=0)
    beside = 0.45 if len(scene.corners) <= FEW_CORNERS else 1.35  # room for names
    figure.update_xaxes(**hidden, range=[low[0] - beside, high[0] + beside])
    if not is_segment:
        # as round as the polygon is, on any screen, and as large again when a window has grown:
        # plotly finds its way back from a smaller domain, but not from a wider range
        figure.update_xaxes(constrain="domain")
        tall = [low[1] - away, high[1] + away]  # and `room_beyond` for the names
        figure.update_yaxes(**hidden, range=tall, scaleanchor="x", constrain="domain")
        return
    shares = np.linspace(0.0, 1.0, 5)
    figure.update_yaxes(**hidden, range=[-1.0, 1.5])
    figure.update_xaxes(
        tickvals=2.0 * shares - 1.0,
        ticktext=[f"{share:.0%}" for share in shares],
        showticklabels=True,
        showgrid=True,
        title_text=f"share in {scene.called[scene.corner_clusters[1]]}",
    )


def name_new_tasks(
    figure: go.Figure, points: Array, names: Sequence[str], is_segment: bool
) -> None:
    """Towards the middle, clear of the tasks around a corner; of a segment, and below it.

    New tasks side by side are named together.
    """
    if not len(names):
        return
    together = (np.abs(points[:, None] - points).max(axis=2) < SIDE_BY_SIDE).argmax(axis=1)
    for first in np.unique(together):
        (x, y), group = points[first], np.flatnonzero(together == first).tolist()
        name = ", ".join(names[i] for i in group)
        away = np.hypot(x, y)
        dx, dy = (0.0, -1.0) if away < 0.1 else (-x / away, -y / away)
        anchor = "center"
        if is_segment:  # tasks of a corner stand above one another
            dx, dy, anchor = -np.sign(x) * np.sqrt(0.75), -0.5, "left" if x < 0 else "right"
        arrow = {"arrowhead": 0, "arrowcolor": RULE, "standoff": 10, "xanchor": anchor}
        step = {"ax": NAME_AWAY * dx, "ay": -NAME_AWAY * dy}
        figure.add_annotation(text=name, x=x, y=y, font_size=13, **step, **arrow)


def name_corners(figure: go.Figure, scene: Scene, away: float) -> None:
    """Clear of the tasks around each corner; the hover has the whole of a name that was cut."""
    place = above_or_below if len(scene.corners) <= FEW_CORNERS else outside
    called = [scene.called[k] for k in scene.corner_clusters]
    for (x, y), text, name in zip(scene.corners, scene.corner_labels, called, strict=True):
        at = place(x, y, away)
        figure.add_annotation(text=text, hovertext=name, showarrow=False, font_size=13, **at)


def above_or_below(x: float, y: float, away: float) -> dict[str, Any]:
    """Where the name of a corner is, with room at its sides."""
    is_low = y < -1e-9
    step, anchor = (-away, "top") if is_low else (away, "bottom")
    return {"x": x, "y": y + step, "xanchor": "center", "yanchor": anchor}


def outside(x: float, y: float, away: float) -> dict[str, Any]:
    """Where the name of one of many corners is: no part of it is nearer to the centre."""
    side = 0 if abs(x) < LEAN else int(np.sign(x))
    level = 0 if abs(y) < STEEP else int(np.sign(y))
    return {
        "x": x * (1.0 + away),
        "y": y * (1.0 + away),
        "xanchor": {-1: "right", 0: "center", 1: "left"}[side],
        "yanchor": {-1: "top", 0: "middle", 1: "bottom"}[level],
        "xshift": CLEAR * side,
    }


def room_beyond(scene: Scene, *, above: bool) -> int:
    """Pixels for the names above the highest corners or below the lowest."""
    y = scene.corners[:, 1]
    outermost = np.isclose(y, y.max() if above else y.min())
    lines = [label.count("<br>") + 1 for label in np.array(scene.corner_labels)[outermost]]
    return LINE_HEIGHT * max(lines) + 8


def corners(n_clusters: int) -> Array:
    """One corner per cluster: a point, a segment, a triangle, a tetrahedron, a regular polygon.

    All lie at distance 1 from the centre, but the one of a single cluster, which is the centre.
    """
    if n_clusters == 1:
        return np.zeros((1, 2))
    if n_clusters == 2:
        return np.array([[-1.0, 0.0], [1.0, 0.0]])
    if n_clusters == 4:
        base = np.hstack([np.sqrt(8.0) / 3.0 * polygon(3), np.full((3, 1), -1.0 / 3.0)])
        return np.vstack([base, [0.0, 0.0, 1.0]])
    return polygon(n_clusters)


def polygon(n_corners: int) -> Array:
    """The first corner at the top, the others clockwise."""
    angle = np.pi / 2 - 2.0 * np.pi * np.arange(n_corners) / n_corners
    return np.column_stack([np.cos(angle), np.sin(angle)])


def square() -> Array:
    """The first corner at the top left, the others clockwise."""
    return np.array([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]) / np.sqrt(2.0)


def places(V: Array, at: Array) -> Array:
    """Where tasks lie: the mean of the corners, weighted by their memberships (K, T)."""
    return V.T @ at


def set_apart(points: Array, at: Array) -> Array:
    """Steps that set tasks at the same place of a simplex with these corners side by side."""
    if len(at) == 2:
        return stack_up(points, step=0.14, reach=0.8)
    return fan_out(points, step=0.06, reach=0.2)


def fan_out(points: Array, step: float, reach: float) -> Array:
    """Steps that set coinciding points side by side around the place they share.

    In the plane they form a sunflower's disc, in space a ball, of so many points at distance
    ``step`` or, where that would reach farther than ``reach``, closer together. A point alone
    at its place does not move.
    """
    rank, n = rank_within_places(points)
    dimensions = points.shape[1]
    power = 1.0 / dimensions
    spacing = np.minimum(step, reach / n**power)
    radius = np.where(n > 1, spacing * (rank + 0.5) ** power, 0.0)
    angle = GOLDEN * rank
    direction = np.column_stack([np.cos(angle), np.sin(angle)])
    if dimensions == 3:
        # neighbours in rank lie far apart on the sphere too, whatever the size of the group
        up = 1.0 - 2.0 * ((rank * 0.7548776662466927 + 0.5) % 1.0)
        direction = np.column_stack([direction * np.sqrt(1.0 - up**2)[:, None], up])
    return radius[:, None] * direction


def stack_up(points: Array, step: float, reach: float) -> Array:
    """Steps that set coinciding points of a segment above and below the place they share."""
    rank, n = rank_within_places(points)
    spacing = np.minimum(step, 2.0 * reach / n)
    return np.column_stack([np.zeros(len(points)), spacing * (rank - (n - 1) / 2)])


def rank_within_places(points: Array) -> tuple[Index, Index]:
    """A point's rank, from 0, among those at its place, and how many they are."""
    rounded = points.round(SAME_PLACE) + 0.0  # no -0.0 beside 0.0
    _, group, sizes = np.unique(rounded, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    order = np.argsort(group, kind="stable")
    rank = np.empty_like(group)
    rank[order] = np.arange(len(group)) - np.searchsorted(group[order], group[order])
    return rank, sizes[group]


def join(starts: Array, ends: Array) -> Array:
    """Segments as one line with gaps: a row of NaN after each pair."""
    gaps = np.full_like(starts, np.nan)
    return np.stack([starts, ends, gaps], axis=1).reshape(-1, starts.shape[1])


def edges(at: Array) -> Array:
    """All pairs of corners, joined: a task of two clusters lies on such a line."""
    first, second = np.triu_indices(len(at), k=1)
    return join(at[first], at[second])


def grid(at: Array, shares: tuple[float, ...] = (0.25, 0.5, 0.75)) -> Array:
    """Lines of equal share in a triangle: for each corner, parallels to the side opposite."""
    ends = [
        [share * at[k] + (1.0 - share) * at[(k + side) % 3] for side in (1, 2)]
        for k in range(3)
        for share in shares
    ]
    starts, stops = np.swapaxes(ends, 0, 1)
    return join(starts, stops)
