"""What is drawn of a simplex, whether in the plane or in space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Newcomers:
    """Tasks that were not in the fit: where they land, and where they belong if that is known."""

    points: Array
    true: Array | None
    names: list[str]
    colours: list[str]
    hover: list[str]


@dataclass(frozen=True)
class Scene:
    """Corners (K, d) and tasks (n, d) with their looks; ``true`` has NaN where unknown."""

    corners: Array
    corner_clusters: list[int]
    corner_labels: list[str]
    tasks: NDArray[np.intp]
    points: Array
    true: Array | None
    pure: NDArray[np.bool_]
    colours: list[str]
    hover: list[str]
    new: Newcomers | None = None

    @property
    def is_solid(self) -> bool:
        return self.corners.shape[1] == 3


def joined(starts: Array, ends: Array) -> Array:
    """Segments as one line with gaps: a row of NaN after each pair."""
    gaps = np.full_like(starts, np.nan)
    return np.stack([starts, ends, gaps], axis=1).reshape(-1, starts.shape[1])


def edges(corners: Array) -> Array:
    """All pairs of corners, joined: a task of two clusters lies on such a line."""
    first, second = np.triu_indices(len(corners), k=1)
    return joined(corners[first], corners[second])
