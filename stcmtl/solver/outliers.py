"""Which tasks are unlike the others (Algorithm 2, lines 3 to 5, and a rule of our own).

The paper's rule is an l2,1-norm semi-NMF of the coefficients,

    min over C and Theta >= 0 of sum_i |w_i - C theta_i|,

and a fence on the distances D_i = |w_i - C theta_i|. A cluster can swallow an outlier there,
which leaves no distance at all. So we also look at each task from the other tasks' side,

    min over theta on the simplex of |w_i - sum_{j != i} theta_j w_j|,

where there is no cluster that could swallow it, and ask the data before we believe a distance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.errors import InputError, Setting
from stcmtl.solver.centers import predictions
from stcmtl.solver.kernels.simplex import simplex_quadratic
from stcmtl.solver.penalty_choice import is_worse
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Initial
from stcmtl.solver.soup import direction_clusters
from stcmtl.solver.thresholds import beyond_fence

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


def find_unlike_others(problem: Problem, initial: Initial, factor: float) -> NDArray[np.bool_]:
    """Tasks that no mixture of the other tasks serves."""
    V = mixtures_of_others(initial.W)
    return find_badly_served(problem, initial, initial.W, V, initial.b, factor)


def mixtures_of_others(W: Array) -> Array:
    """V (T, T): column i makes W v_i the mixture of the other tasks that is nearest to w_i."""
    T = W.shape[1]
    G = W.T @ W
    V = np.eye(T)
    for i in range(T if T > 1 else 0):
        apart = np.diag(G) - 2.0 * G[i]
        apart[i] = np.inf
        v = np.zeros(T)
        v[apart.argmin()] = 1.0
        pull = G[i].copy()
        pull[i] = -np.inf  # no task is a mixture of itself
        simplex_quadratic(G, pull, v, TOLERANCE * G[i, i], 100 * T)
        V[:, i] = v
    return V


def find_badly_served(
    problem: Problem, initial: Initial, U: Array, V: Array, b: Array, factor: float
) -> NDArray[np.bool_]:
    """Tasks beyond the fence whose own fits predict them better than the mixtures U V.

    By more than a standard error: a task of a few rows can be far away by chance.
    """
    far = beyond_fence(np.linalg.norm(initial.W - U @ V, axis=0), factor)
    losses = problem.row_losses(predictions(problem, U, V, b))
    for i in np.flatnonzero(far).tolist():
        far[i] = is_worse(losses[problem.rows(i)], initial.losses[i], problem.weight_of(i))
    return far
