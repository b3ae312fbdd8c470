"""Clusters come out of the algorithm in any order: put them in the order of a reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from stcmtl.errors import InputError
from stcmtl.solver.records import Array

# Share of the largest cost by which a cluster that stays in place is preferred: far above
# rounding, which would otherwise settle ties, and far below any difference that matters.
STAY = 1e-9
SAME = 0.5  # how alike two clusters of different fits must be to pass for one


def match_clusters(V: ArrayLike, reference: ArrayLike) -> NDArray[np.intp]:
    """The p that minimises ``sum_k |V[p_k] - reference_k|_1``: V[p] is in the reference's order.

    V is (K, T), the reference (K', T), of the same tasks in the paper's orientation (clusters
    down). A cluster without a partner is matched with an empty one. Where V has more clusters than
    the reference, those left over go last, in the order they had; where it has fewer, V's
    clusters keep the order of their partners. Among equally good permutations the one that
    moves fewest clusters wins, so labels do not swap between iterations for nothing.
    """
    V, reference = membership_pair(V, reference, "reference")
    K = max(len(V), len(reference))
    cost = cdist(pad_clusters(reference, K), pad_clusters(V, K), metric="cityblock")
    moves = ~np.eye(K, dtype=bool)
    partners = linear_sum_assignment(cost + STAY * cost.max() * moves)[1]
    matched, left_over = partners[: len(reference)], partners[len(reference) :]
    order = np.concatenate([matched, np.sort(left_over)])
    return order[order < len(V)]


def align_clusters(V: Array, reference: Array) -> tuple[Array, Array]:
    """V (K, T) in the order of the reference (K', T), and that; empty clusters fill the gap."""
    K = max(len(V), len(reference))
    padded, reference = pad_clusters(V, K), pad_clusters(reference, K)
    return padded[match_clusters(padded, reference)], reference


def match_patterns(U: Array, V: Array, others: Array, other_V: Array) -> dict[int, int]:
    """Which of other clusters each of these is, by coefficients (K, D) and tasks (K, T) alike.

    The similarity of two is the mean of the cosines of their coefficients and of their tasks'
    memberships; a pair below one half is no match.
    """
    alike = 0.5 * (cosines(U, others) + cosines(V, other_V))
    pairs = zip(*linear_sum_assignment(-alike), strict=True)
    return {int(k): int(j) for k, j in pairs if alike[k, j] >= SAME}


def cosines(A: Array, B: Array) -> Array:
    """Of all rows of one matrix with all rows of another; 0 for a row of zeros."""
    lengths = np.outer(np.linalg.norm(A, axis=1), np.linalg.norm(B, axis=1))
    return A @ B.T / np.where(lengths > 0, lengths, 1.0)


def pad_clusters(V: Array, K: int) -> Array:
    """V with empty clusters added below, up to K of them."""
    return np.pad(V, ((0, K - len(V)), (0, 0)))


def membership_pair(V: ArrayLike, other: ArrayLike, other_name: str) -> tuple[Array, Array]:
    """Both as finite matrices of shape (clusters, tasks) with the same tasks."""
    pair = np.asarray(V, dtype=np.float64), np.asarray(other, dtype=np.float64)
    shapes = pair[0].shape, pair[1].shape
    if any(len(shape) != 2 or 0 in shape for shape in shapes) or shapes[0][1] != shapes[1][1]:
        raise InputError(
            f"has shape {shapes[0]} and {other_name} {shapes[1]}",
            where="V",
            remedy="memberships go (clusters, tasks) with the same tasks in both; "
            "a fitted model's memberships_ needs .T",
        )
    for name, values in zip(("V", other_name), pair, strict=True):
        if not np.isfinite(values).all():
            raise InputError("has NaN or infinite memberships", where=name)
    return pair
