"""The simplex of memberships on the page: its corners, and room for tasks that coincide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GOLDEN = np.pi * (3.0 - np.sqrt(5.0))  # the angle between the seeds of a sunflower
SAME_PLACE = 3  # decimals to which two places are the same


def corners(n_clusters: int) -> Array:
    """One corner a cluster: a point, a segment, a triangle, a tetrahedron, a regular polygon.

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


def fan_out(points: Array, step: float, reach: float) -> Array:
    """Steps that set coinciding points side by side around the place they share.

    In the plane they form a sunflower's disc, in space a ball, of so many points at distance
    ``step`` or, where that would reach farther than ``reach``, closer together. A point alone
    at its place does not move.
    """
    rank, n = _ranks(points)
    dimensions = points.shape[1]
    power = 1.0 / dimensions
    spacing = np.minimum(step, reach / n**power)
    radius = np.where(n > 1, spacing * (rank + 0.5) ** power, 0.0)
    return radius[:, None] * _directions(rank, dimensions)


def stack_up(points: Array, step: float, reach: float) -> Array:
    """Steps that set coinciding points of a segment above and below the place they share."""
    rank, n = _ranks(points)
    spacing = np.minimum(step, 2.0 * reach / n)
    return np.column_stack([np.zeros(len(points)), spacing * (rank - (n - 1) / 2)])


def _ranks(points: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """A point's rank among those at its place, and how many they are."""
    rounded = points.round(SAME_PLACE) + 0.0  # no -0.0 beside 0.0
    _, group, sizes = np.unique(rounded, axis=0, return_inverse=True, return_counts=True)
    return _rank_within(group.ravel()), sizes[group.ravel()]


def _rank_within(group: NDArray[np.intp]) -> NDArray[np.intp]:
    """0, 1, 2, ... for the members of each group."""
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], group[order])
    rank = np.empty_like(group)
    rank[order] = np.arange(len(group)) - starts
    return rank


def _directions(rank: NDArray[np.intp], dimensions: int) -> Array:
    angle = GOLDEN * rank
    flat = np.column_stack([np.cos(angle), np.sin(angle)])
    if dimensions == 2:
        return flat
    # neighbours in rank lie far apart on the sphere too, whatever the size of the group
    up = 1.0 - 2.0 * ((rank * 0.7548776662466927 + 0.5) % 1.0)
    return np.column_stack([flat * np.sqrt(1.0 - up**2)[:, None], up])


def grid_lines(
    at: Array, shares: tuple[float, ...] = (0.25, 0.5, 0.75)
) -> list[tuple[Array, Array]]:
    """Lines of equal share in a triangle: for each corner, parallels to the side opposite."""
    lines = []
    for k in range(3):
        own, one, other = at[k], at[(k + 1) % 3], at[(k + 2) % 3]
        for share in shares:
            start, end = (share * own + (1.0 - share) * far for far in (one, other))
            lines.append((start, end))
    return lines
