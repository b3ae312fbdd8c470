"""Where lines are drawn between tasks: which count as pure by SOUP's purity scores (section 3.1),
and which lie beyond the fence of outliers (Algorithm 2, line 5).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.records import Array

BLOCK = 256  # tasks, so that what is made of their similarities stays small


def purity_scores(S: Array, epsilon: float) -> Array:
    """p_i = mean over the neighbours j of i of |S_ij| / m_j, with m_j = max_{l != j} |S_jl|."""
    T = len(S)
    if T == 1:
        return np.ones(1)
    strength = np.abs(S)
    np.fill_diagonal(strength, -np.inf)
    extreme = np.maximum(strength.max(axis=0), np.finfo(float).tiny)
    n_neighbours = min(T - 1, max(5, round(epsilon * T)))
    blocks = (strength[first : first + BLOCK] for first in range(0, T, BLOCK))
    near = (np.where(largest(rows, n_neighbours), rows / extreme, 0.0) for rows in blocks)
    return np.concatenate([rows.sum(axis=1) for rows in near]) / n_neighbours


def largest(rows: Array, count: int) -> NDArray[np.bool_]:
    """Which are the largest of each row, of those that tie the first. Nothing is sorted."""
    last = np.partition(rows, rows.shape[1] - count, axis=1)[:, [rows.shape[1] - count]]
    above, tied = rows > last, rows == last
    places = count - above.sum(axis=1, keepdims=True)
    return above | (tied & (np.cumsum(tied, axis=1) <= places))


def pure_tasks(purity: Array, n_clusters: int, theta: float) -> NDArray[np.int64]:
    """The share theta of highest purity; at least 10 and at least K, as far as there are tasks.

    Tasks that tie with the last of them are in too: none is left out for its place in the list.
    """
    T = purity.size
    n_pure = min(T, max(10, n_clusters, round(theta * T)))
    last = np.sort(purity)[T - n_pure]
    return np.flatnonzero(purity >= last * (1.0 - 1e-9))


def fence(distances: Array, factor: float) -> float:
    """Upper quartile + factor x interquartile range."""
    lower, upper = np.quantile(distances, [0.25, 0.75])
    return float(upper + factor * (upper - lower))


def beyond_fence(distances: Array, factor: float) -> NDArray[np.bool_]:
    """Distances that are no outliers may all be equal, up to rounding."""
    return distances > fence(distances, factor) * (1.0 + 1e-9)
