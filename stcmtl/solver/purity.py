"""SOUP's purity scores, and which tasks count as pure by them (section 3.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.records import Array


def purity_scores(S: Array, epsilon: float) -> Array:
    """p_i = mean over the neighbours j of i of |S_ij| / m_j, with m_j = max_{l != j} |S_jl|."""
    T = len(S)
    if T == 1:
        return np.ones(1)
    strength = np.abs(S)
    np.fill_diagonal(strength, -np.inf)
    extreme = np.maximum(strength.max(axis=0), np.finfo(float).tiny)
    n_neighbours = min(T - 1, max(5, round(epsilon * T)))
    neighbours = np.argsort(-strength, axis=1, kind="stable")[:, :n_neighbours]
    return (np.take_along_axis(strength, neighbours, axis=1) / extreme[neighbours]).mean(axis=1)


def pure_tasks(purity: Array, n_clusters: int, theta: float) -> NDArray[np.int64]:
    """The share theta of highest purity; at least 10 and at least K, as far as there are tasks.

    Tasks that tie with the last of them are in too: none is left out for its place in the list.
    """
    T = purity.size
    n_pure = min(T, max(10, n_clusters, round(theta * T)))
    last = np.sort(purity)[T - n_pure]
    return np.flatnonzero(purity >= last * (1.0 - 1e-9))
