"""Memberships refitted on the data (the refinement's V step; not in the paper).

    min over the simplex and b of (1/n_i) L(y_i, X_i U v + b)

then clusters are dropped while a Bayesian criterion falls, so that a pure task lands
exactly on a vertex:

    deviance + s log(n_i) + 2 log C(K, s) - 2 log p_s,     s the number of clusters kept.

``p_s`` is the share of tasks with s clusters in the last round: an empirical prior, which
makes lone impurities rare where most tasks are pure, and costs nothing where most are mixed.

Where patterns are dense, and U is a ridge's, the price is s - 2 log p_s, as it is off the simplex.
Patterns that are so uncertain tell little of mixtures: the Bayesian price would call 26 of 32 tasks
pure where 16 are (two labels, n = 100; 31 of numbers, n = 30), which blurs the patterns. The price
of s alone would call tasks mixed where all are pure.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np
from scipy.special import gammaln

from stcmtl.data.taskset import Array
from stcmtl.solver.centers import predictions
from stcmtl.solver.kernels.clusters import predict_each
from stcmtl.solver.kernels.losses import Loss
from stcmtl.solver.kernels.simplex import CONE, SIMPLEX, SPAN, MixedTasks, prune_tasks
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Iteration
from stcmtl.stopping import halt, stop_if_asked

SHAPES = {"simplex": SIMPLEX, "cone": CONE, "span": SPAN}
TOLERANCE = 1e-9
SMALLEST_NOISE = 1e-150  # so that a perfect fit divides by something


@singledispatch
def update_memberships(
    problem: Problem,
    U: Array,
    V: Array,
    b: Array,
    noise: float,
    shares: Array,
    shape: int = SIMPLEX,
    dense: bool = False,
    pruned: bool = True,
) -> tuple[Array, Array]:
    """Refit every task, and prune it."""
    Z = np.empty((problem.y.size, len(V)))
    predict_each(problem.as_tasks(), np.ascontiguousarray(U), Z)
    scale = 1.0 / noise if problem.loss == SQUARED else 2.0
    ridge = np.zeros(len(V)) if shape == SIMPLEX else 2.0 / (scale * usual_squares(V))
    loss = Loss(problem.loss, problem.y, problem.alike)
    counts = problem.weighed_counts
    tasks = MixedTasks(Z, problem.starts, loss, problem.fit_intercept, shape, ridge, counts, halt())
    prices = all_prices(problem, shares, shape, dense)
    if not pruned:
        prices = np.zeros_like(prices)
    found = prune_tasks(tasks, np.ascontiguousarray(V), b, prices, scale, TOLERANCE)
    stop_if_asked()
    return found


def all_prices(problem: Problem, shares: Array, shape: int, dense: bool) -> Array:
    """Of every task (T, K + 1)."""
    sizes, which = problem.sizes_of_tasks
    return np.stack([support_penalty(n, shares, shape, dense) for n in sizes])[which]


def usual_squares(V: Array) -> Array:
    """Mean square of each cluster's loadings that are not zero."""
    count = np.count_nonzero(V, axis=1)
    return np.maximum((V**2).sum(axis=1) / np.maximum(count, 1), 1e-12)


def support_penalty(n: float, shares: Array, shape: int = SIMPLEX, dense: bool = False) -> Array:
    """The criterion's price of keeping 0, 1, ..., K clusters."""
    K = shares.size
    s = np.arange(1, K + 1)
    if shape != SIMPLEX or dense:
        return np.concatenate([[0.0], s - 2.0 * np.log(shares)])
    choices = gammaln(K + 1) - gammaln(s + 1) - gammaln(K - s + 1)
    return np.concatenate([[0.0], s * np.log(n) + 2.0 * choices - 2.0 * np.log(shares)])


def support_prices(
    problem: Problem, V: Array, shares: Array, shape: int = SIMPLEX, dense: bool = False
) -> float:
    """The criterion's price of all tasks' clusters."""
    prices = all_prices(problem, shares, shape, dense)
    return float(sum(prices[np.arange(len(prices)), np.count_nonzero(V, axis=0)].tolist()))


def support_shares(V: Array) -> Array:
    """Share of tasks with 1, ..., K clusters, one imaginary task added to each."""
    K, T = V.shape
    sizes = np.bincount(np.count_nonzero(V, axis=0), minlength=K + 1)[1:]
    return (sizes + 1.0) / (T + K)


def noise_variance(problem: Problem, f: Array, n_parameters: int) -> float:
    """Residual variance, pooled over tasks (1 for the logistic loss, which has none).

    Of a row of the usual precision, where they differ.
    """
    if problem.loss != SQUARED:
        return 1.0
    N = float(problem.counts.sum())
    return max(problem.weighed_loss(f) / max(N - n_parameters, N / 2), SMALLEST_NOISE)


def residual_variance(
    problem: Problem, U: Array, V: Array, b: Array, f: Array | None = None
) -> float:
    """``f`` are the predictions, if they are known."""
    free_memberships = int(np.count_nonzero(V)) - problem.n_tasks
    n_parameters = int(np.count_nonzero(U)) + free_memberships
    n_parameters += problem.n_tasks * problem.fit_intercept
    f = predictions(problem, U, V, b) if f is None else f
    return noise_variance(problem, f, n_parameters)


def inside_noise(problem: Problem, state: Iteration) -> float:
    """Residual variance of the tasks that are not outliers."""
    inside = ~state.outliers
    if not len(state.V):
        f = problem.predictions(state.W, state.b)
        return noise_variance(problem, f, int(np.count_nonzero(state.W)))
    part, kept = problem.keep(inside), state.keep(inside)
    return residual_variance(part, kept.U, kept.V, kept.b)


def nearest_mixtures(
    problem: Problem, state: Iteration, shape: str = "simplex"
) -> tuple[Array, Array]:
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
            SHAPES[shape],
            dense=state.penalty == "ridge",
        )
    return V, b
