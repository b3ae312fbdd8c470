"""SOUP: pure tasks and memberships from the coefficients W (section 3.1).

S = W'W,   V = A Theta,   A from V_P = A Theta_P  on the pure tasks P.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stcmtl.kernels.kmeans import kmeans
from stcmtl.kernels.simplex import project_simplex
from stcmtl.tasks import Array

N_STARTS = 30  # of k-means
ROUNDING = 1e-10  # a task without coefficients has memberships of 1e-16, which mean nothing


@dataclass(frozen=True)
class Soup:
    """Memberships ``V`` (K, T), ``purity`` (T,), the pure set and the similarity S."""

    V: Array
    purity: Array
    pure: NDArray[np.int64]
    similarity: Array


def soup(W: Array, n_clusters: int, theta: float, epsilon: float, seed: int) -> Soup:
    S = W.T @ W
    purity = purity_scores(S, epsilon)
    pure = pure_tasks(purity, n_clusters, theta)
    labels = partition(W[:, pure].T, n_clusters, seed)
    V_pure = np.eye(n_clusters)[:, labels]
    Theta = np.linalg.eigh(S)[1][:, ::-1][:, :n_clusters].T
    A = V_pure @ np.linalg.pinv(Theta[:, pure])
    return Soup(normalise(A @ Theta), purity, pure, S)


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
