"""Memberships refitted on the data (the refinement's V step; not in the paper).

    min over the simplex and b of (1/n_i) L(y_i, X_i U v + b)

then clusters are dropped while a Bayesian criterion falls, so that a pure task lands
exactly on a vertex:

    deviance + s log(n_i) + 2 log C(K, s) - 2 log p_s,     s the number of clusters kept.

``p_s`` is the share of tasks with s clusters in the last round: an empirical prior, which
makes lone impurities rare where most tasks are pure, and costs nothing where most are mixed.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from stcmtl.data.taskset import Array
from stcmtl.solver.centers import predictions
from stcmtl.solver.kernels.simplex import MixedTask, prune_memberships
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Iteration

TOLERANCE = 1e-9
SMALLEST_NOISE = 1e-150  # so that a perfect fit divides by something


def update_memberships(
    problem: Problem, U: Array, V: Array, b: Array, noise: float, shares: Array
) -> tuple[Array, Array]:
    """Refit and prune every task."""
    K, T = V.shape
    Z = np.ascontiguousarray(problem.X @ U)
    new_V, new_b = np.empty((K, T)), np.empty(T)
    scale = 1.0 / noise if problem.loss == SQUARED else 2.0
    prices = {n: support_penalty(n, shares) for n in np.unique(problem.n_rows)}
    for i in range(T):
        rows, n = problem.rows(i), problem.n_rows[i]
        task = MixedTask(Z[rows], problem.loss_of_task(i), problem.fit_intercept)
        new_V[:, i], new_b[i], _ = prune_memberships(
            task, V[:, i].copy(), b[i], prices[n], scale * n, TOLERANCE
        )
    return new_V, new_b


def support_penalty(n: int, shares: Array) -> Array:
    """The criterion's price of keeping 0, 1, ..., K clusters."""
    K = shares.size
    s = np.arange(1, K + 1)
    choices = gammaln(K + 1) - gammaln(s + 1) - gammaln(K - s + 1)
    return np.concatenate([[0.0], s * np.log(n) + 2.0 * choices - 2.0 * np.log(shares)])


def support_prices(problem: Problem, V: Array, shares: Array) -> float:
    """The criterion's price of all tasks' clusters."""
    prices = {n: support_penalty(n, shares) for n in np.unique(problem.n_rows)}
    sizes = np.count_nonzero(V, axis=0)
    return float(sum(prices[n][s] for n, s in zip(problem.n_rows, sizes, strict=True)))


def support_shares(V: Array) -> Array:
    """Share of tasks with 1, ..., K clusters, one imaginary task added to each."""
    K, T = V.shape
    sizes = np.bincount(np.count_nonzero(V, axis=0), minlength=K + 1)[1:]
    return (sizes + 1.0) / (T + K)


def noise_variance(problem: Problem, f: Array, n_parameters: int) -> float:
    """Residual variance, pooled over tasks (1 for the logistic loss, which has none)."""
    if problem.loss != SQUARED:
        return 1.0
    N = problem.y.size
    squares = float(np.sum((problem.y - f) ** 2))
    return max(squares / max(N - n_parameters, N / 2), SMALLEST_NOISE)


def residual_variance(problem: Problem, U: Array, V: Array, b: Array) -> float:
    free_memberships = int(np.count_nonzero(V)) - problem.n_tasks
    n_parameters = int(np.count_nonzero(U)) + free_memberships
    n_parameters += problem.n_tasks * problem.fit_intercept
    return noise_variance(problem, predictions(problem, U, V, b), n_parameters)


def inside_noise(problem: Problem, state: Iteration) -> float:
    """Residual variance of the tasks that are not outliers."""
    inside = ~state.outliers
    part, kept = problem.keep(inside), state.keep(inside)
    return residual_variance(part, kept.U, kept.V, kept.b)


def nearest_mixtures(problem: Problem, state: Iteration) -> tuple[Array, Array]:
    """Memberships and intercepts of all tasks, for outliers those that suit them best."""
    V, b, outside = state.V.copy(), state.b.copy(), state.outliers
    if outside.any():
        K, T = len(V), int(outside.sum())
        V[:, outside], b[outside] = update_memberships(
            problem.keep(outside),
            state.U,
            np.full((K, T), 1.0 / K),
            b[outside],
            inside_noise(problem, state),
            support_shares(V[:, ~outside]),
        )
    return V, b
