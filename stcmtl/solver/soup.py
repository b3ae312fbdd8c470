"""SOUP: pure tasks and memberships from the coefficients W (section 3.1).

S = W'W,   V = A Theta,   A from V_P = A Theta_P  on the pure tasks P.

S has T^2 entries. Beyond a number of tasks it is that of a sample of them: as Theta is linear in W,
so are memberships before they are made shares, and everybody else's follow from the sample's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.kmeans import kmeans
from stcmtl.solver.kernels.simplex import project_simplex
from stcmtl.solver.thresholds import pure_tasks, purity_scores
from stcmtl.stopping import halt, stop_if_asked

N_STARTS = 30  # of k-means
MOST_TASKS = 2_000  # whose similarity is a matrix
MANY = 500  # tasks, of which the eigenvectors of S take time
ROUNDING = 1e-10  # a task without coefficients has memberships of 1e-16, which mean nothing


class Soup(NamedTuple):
    """Memberships ``V`` (K, T), ``purity`` (T,; NaN outside of a sample) and the pure set."""

    V: Array
    purity: Array
    pure: NDArray[np.int64]


def soup(W: Array, n_clusters: int, theta: float, epsilon: float, seed: int) -> Soup:
    chosen = sample_tasks(W.shape[1], seed)
    raw, purity, pure = cluster_tasks(W[:, chosen], n_clusters, theta, epsilon, seed)
    if chosen.size == W.shape[1]:
        return Soup(normalise(raw), purity, pure)
    everywhere = np.full(W.shape[1], np.nan)
    everywhere[chosen] = purity
    V = normalise(raw @ np.linalg.pinv(W[:, chosen]) @ W)
    return Soup(V, everywhere, chosen[pure])


def cluster_tasks(
    W: Array, n_clusters: int, theta: float, epsilon: float, seed: int
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Memberships before they are made shares, purity, and the pure set."""
    purity = purity_scores(W.T @ W, epsilon)
    pure = pure_tasks(purity, n_clusters, theta)
    labels = partition(W[:, pure].T, n_clusters, seed)
    V_pure = np.eye(n_clusters)[:, labels]
    Theta = leading_vectors(W, n_clusters).T
    A = V_pure @ np.linalg.pinv(Theta[:, pure])
    return A @ Theta, purity, pure


def sampled_purity(W: Array, epsilon: float, seed: int) -> Array:
    """Purity scores (T,), NaN outside of a sample."""
    chosen, purity = sample_tasks(W.shape[1], seed), np.full(W.shape[1], np.nan)
    purity[chosen] = purity_scores(W[:, chosen].T @ W[:, chosen], epsilon)
    return purity


def leading_vectors(W: Array, count: int) -> Array:
    """Eigenvectors (T, count) of the largest eigenvalues of S; zeros for those that are rounding.

    Of many tasks they are the right singular vectors of W, which take less time.
    """
    if W.shape[1] <= max(MANY, W.shape[0]):
        values, vectors = np.linalg.eigh(W.T @ W)
        values, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
    else:
        _, roots, right = np.linalg.svd(W, full_matrices=False)
        values, vectors = roots[:count] ** 2, right[:count].T
        missing = count - values.size  # fewer features than clusters
        values, vectors = np.pad(values, (0, missing)), np.pad(vectors, ((0, 0), (0, missing)))
    return np.where(values > ROUNDING * values[0], vectors, 0.0)


def partition(points: Array, n_clusters: int, seed: int) -> NDArray[np.int64]:
    """k-means with many starts; groups may stay empty where points coincide."""
    if 2 * len(points) <= points.shape[1]:  # as far apart in the space that they span
        points = np.asarray(np.linalg.qr(points.T, mode="r")).T
    draws = np.random.default_rng(seed).uniform(size=(N_STARTS, n_clusters))
    labels: NDArray[np.int64] = kmeans(np.ascontiguousarray(points), n_clusters, draws, halt())
    stop_if_asked()
    return labels


def direction_clusters(W: Array, n_clusters: int, seed: int) -> Array:
    """Hard memberships by k-means on the directions of the tasks' own coefficients."""
    length = np.linalg.norm(W, axis=0)
    points = (W / np.where(length > 0, length, 1.0)).T
    chosen = sample_tasks(len(points), seed)
    labels = partition(points[chosen], n_clusters, seed)
    if chosen.size < len(points):
        groups = [points[chosen[labels == k]] for k in range(n_clusters)]
        centers = np.stack([group.mean(axis=0) for group in groups if len(group)])
        labels = np.argmax(points @ centers.T - 0.5 * (centers**2).sum(axis=1), axis=1)
    return np.eye(n_clusters)[:, labels]


def sample_tasks(n_tasks: int, seed: int) -> NDArray[np.intp]:
    """All tasks, or a sample that tells as much of clusters, in order."""
    if n_tasks <= MOST_TASKS:
        return np.arange(n_tasks)
    return np.sort(np.random.default_rng(seed).choice(n_tasks, MOST_TASKS, replace=False))


def normalise(V: Array) -> Array:
    """Clip negatives and make columns sum to one; a column without positives is projected."""
    clipped = np.where(V > ROUNDING, V, 0.0)
    for i in np.flatnonzero(~clipped.any(axis=0)):
        clipped[:, i] = project_simplex(np.ascontiguousarray(V[:, i]))
    return clipped / clipped.sum(axis=0)
