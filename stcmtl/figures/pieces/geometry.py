"""The simplex of memberships on the page: its corners, and room for tasks that coincide."""

from __future__ import annotations

import numpy as np

from stcmtl.figures.pieces import Array, Index

GOLDEN = np.pi * (3.0 - np.sqrt(5.0))  # the angle between the seeds of a sunflower
SAME_PLACE = 3  # decimals to which two places are the same


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
