"""SOUP: pure tasks and memberships from the coefficients W (section 3.1).

S = W'W,   V = A Theta,   A from V_P = A Theta_P  on the pure tasks P.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.kmeans import kmeans
from stcmtl.solver.kernels.simplex import project_simplex
from stcmtl.solver.thresholds import pure_tasks, purity_scores

N_STARTS = 30  # of k-means
ROUNDING = 1e-10  # a task without coefficients has memberships of 1e-16, which mean nothing


class Soup(NamedTuple):
    """Memberships ``V`` (K, T), ``purity`` (T,) and the pure set."""

    V: Array
    purity: Array
    pure: NDArray[np.int64]


def soup(W: Array, n_clusters: int, theta: float, epsilon: float, seed: int) -> Soup:
    S = W.T @ W
    purity = purity_scores(S, epsilon)
    pure = pure_tasks(purity, n_clusters, theta)
    labels = partition(W[:, pure].T, n_clusters, seed)
    V_pure = np.eye(n_clusters)[:, labels]
    Theta = leading_vectors(S, n_clusters).T
    A = V_pure @ np.linalg.pinv(Theta[:, pure])
    return Soup(normalise(A @ Theta), purity, pure)


def leading_vectors(S: Array, count: int) -> Array:
    """Eigenvectors (T, count) of the largest eigenvalues; zeros for those that are rounding."""
    values, vectors = np.linalg.eigh(S)
    values, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
    return np.where(values > ROUNDING * values[0], vectors, 0.0)


def partition(points: Array, n_clusters: int, seed: int) -> NDArray[np.int64]:
    """k-means with many starts; groups may stay empty where points coincide."""
    draws = np.random.default_rng(seed).uniform(size=(N_STARTS, n_clusters))
    return kmeans(np.ascontiguousarray(points), n_clusters, draws)


def direction_clusters(W: Array, n_clusters: int, seed: int) -> Array:
    """Hard memberships by k-means on the directions of the tasks' own coefficients."""
    length = np.linalg.norm(W, axis=0)
    labels = partition((W / np.where(length > 0, length, 1.0)).T, n_clusters, seed)
    return np.eye(n_clusters)[:, labels]


def normalise(V: Array) -> Array:
    """Clip negatives and make columns sum to one; a column without positives is projected."""
    clipped = np.where(V > ROUNDING, V, 0.0)
    for i in np.flatnonzero(~clipped.any(axis=0)):
        clipped[:, i] = project_simplex(np.ascontiguousarray(V[:, i]))
    return clipped / clipped.sum(axis=0)
