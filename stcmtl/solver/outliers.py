"""Which tasks are far from all clusters: the paper's rule (Algorithm 2, lines 3 to 5).

An l2,1-norm semi-NMF of the coefficients,

    min over C and Theta >= 0 of sum_i |w_i - C theta_i|,

and a fence on the distances D_i = |w_i - C theta_i|. A cluster can swallow an outlier there,
which leaves no distance at all: see ``unlike`` for a rule of our own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.errors import InputError, Setting
from stcmtl.solver.soup import direction_clusters
from stcmtl.stopping import stop_if_asked

MAX_STEPS = 500
TOLERANCE = 1e-6
# Distances below this share of the median weigh a task no more: else the first tasks that a
# cluster happens to meet would hold it for ever.
SMALLEST = 0.1


def check_enough(outliers: NDArray[np.bool_], n_clusters: int) -> None:
    left = int((~outliers).sum())
    if left < n_clusters:
        raise InputError(
            f"{int(outliers.sum())} of {outliers.size} tasks are outliers, which leaves {left} "
            f"for {n_clusters} clusters",
            remedy=("raise ", Setting("outlier_factor"), " or lower ", Setting("n_clusters")),
        )


def factorisation_distances(W: Array, n_clusters: int, seed: int) -> Array:
    """D_i = |w_i - C theta_i| of the semi-NMF (Algorithm 2, lines 3 and 4)."""
    C, Theta = robust_factorisation(W, n_clusters, seed)
    return np.linalg.norm(W - C @ Theta, axis=0)


def robust_factorisation(W: Array, n_clusters: int, seed: int) -> tuple[Array, Array]:
    """C (D, K) and Theta (K, T) >= 0 at a local minimum of the l2,1 norm of W - C Theta.

    Tasks weighed by 1 / D_i turn the norm into least squares, in which C is solved for
    exactly and Theta row by row. Both lower the norm.
    """
    C, Theta = np.zeros((len(W), n_clusters)), direction_clusters(W, n_clusters, seed)
    total = np.inf
    for _ in range(MAX_STEPS):
        stop_if_asked()
        D = np.linalg.norm(W - C @ Theta, axis=0)
        if D.sum() == 0.0 or total - D.sum() <= TOLERANCE * D.sum():
            break
        total = D.sum()
        floor = max(SMALLEST * np.median(D), 1e-10 * D.mean())
        weighted = Theta / np.maximum(D / floor, 1.0)
        C = W @ weighted.T @ np.linalg.pinv(weighted @ Theta.T)
        lower_factors(W, C, Theta)
    return C, Theta


def lower_factors(W: Array, C: Array, Theta: Array) -> None:
    """One exact nonnegative step of every row of Theta, in place."""
    G, pull = C.T @ C, C.T @ W
    for k in np.flatnonzero(np.diag(G) > 0):
        slope = pull[k] - G[k] @ Theta
        Theta[k] = np.maximum(Theta[k] + slope / G[k, k], 0.0)
