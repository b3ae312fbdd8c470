"""Loadings of one task: least loss over simplex, cone or span, and with few clusters."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.kernels.losses import (
    SQUARED,
    Array,
    Loss,
    compiled,
    pull_and_stiffness,
    total_loss,
)
from stcmtl.stopping import NEVER, Halt

SIMPLEX, CONE, SPAN = 0, 1, 2  # where loadings lie: shares of one, not negative, anywhere


class MixedTask(NamedTuple):
    """One task's rows in ``Z`` (n, K), the predictions of each cluster.

    ``ridge`` (K,) is what half a squared loading costs: 0 on the simplex, which is bounded.
    """

    Z: Array
    loss: Loss
    fit_intercept: bool
    shape: int
    ridge: Array


@compiled
def project_simplex(z):
    """The nearest point of {v >= 0, sum v = 1}, by sorting."""
    ordered = np.sort(z)[::-1]
    total, threshold = 0.0, 0.0
    for k in range(z.size):
        total += ordered[k]
        candidate = (total - 1.0) / (k + 1)
        if ordered[k] > candidate:
            threshold = candidate
    return np.maximum(z - threshold, 0.0)


@compiled
def simplex_quadratic(G, c, v, tol, max_steps):
    """min over the simplex of v'Gv / 2 - c'v, from v and in place.

    Mass moves from the cluster with the steepest gradient to the one with the flattest,
    by the exact step. The difference of the two bounds the distance to the minimum.
    """
    K = v.size
    slope = G @ v - c
    for _ in range(max_steps):
        to, source = 0, -1
        for k in range(K):
            if slope[k] < slope[to]:
                to = k
            if v[k] > 0.0 and (source < 0 or slope[k] > slope[source]):
                source = k
        gap = slope[source] - slope[to]
        if gap <= tol:
            break
        bend = G[to, to] + G[source, source] - 2.0 * G[to, source]
        step = v[source]
        if bend * step > gap:
            step = gap / bend
        if step >= v[source]:
            step = v[source]
            v[source] = 0.0
        else:
            v[source] -= step
        v[to] += step
        for k in range(K):
            slope[k] += step * (G[k, to] - G[k, source])


@compiled
def free_quadratic(G, c, v, only_positive, tol, max_steps):
    """min of v'Gv / 2 - c'v over v >= 0 or all v, by exact steps of one entry, in place."""
    slope = c - G @ v
    for _ in range(max_steps):
        gain = 0.0
        for k in range(v.size):
            if G[k, k] <= 0.0:
                continue
            new = v[k] + slope[k] / G[k, k]
            if only_positive:
                new = max(new, 0.0)
            step = new - v[k]
            if step != 0.0:
                v[k] = new
                slope -= step * G[k]
                gain = max(gain, G[k, k] * step * step)
        if gain <= tol:
            break


@compiled
def ridge_value(ridge, v):
    total = 0.0
    for k in range(v.size):
        total += 0.5 * ridge[k] * v[k] * v[k]
    return total


@compiled
def fit_memberships(task, v, b, tol):
    """min over the shape and b of sum_rows weight L(y, Z v + b), from v (in place) and b.

    Newton steps with the intercept profiled out of the model; returns (b, loss).
    """
    Z, loss, fit_intercept, shape, ridge = task
    n, K = Z.shape
    e, h = np.empty(n), np.empty(n)
    f = Z @ v + b
    value = total_loss(loss, f) + ridge_value(ridge, v)
    for _ in range(50):
        pull_and_stiffness(loss, f, e, h)
        slope = Z.T @ e - ridge * v
        H = np.empty((K, K))
        lever = Z.T @ h  # how the intercept answers to each membership
        stiffness, pull = h.sum(), e.sum()
        for k in range(K):
            for m in range(k, K):
                total = 0.0
                for r in range(n):
                    total += Z[r, k] * h[r] * Z[r, m]
                if fit_intercept:
                    total -= lever[k] * lever[m] / stiffness
                H[k, m] = total
                H[m, k] = total
            H[k, k] += ridge[k]
            if fit_intercept:
                slope[k] -= lever[k] * pull / stiffness
        new = v.copy()
        if shape == SIMPLEX:
            simplex_quadratic(H, slope + H @ v, new, tol * (value + 1e-300), 100 * K)
        else:
            free_quadratic(H, slope + H @ v, new, shape == CONE, tol * (value + 1e-300), 500)
        direction = new - v
        shift = (pull - lever @ direction) / stiffness if fit_intercept else 0.0
        move = Z @ direction + shift
        fall, size = 0.0, 1.0
        for _ in range(20):
            trial = total_loss(loss, f + size * move) + ridge_value(ridge, v + size * direction)
            fall = value - trial
            if fall >= 0.0:
                break
            size *= 0.5
        if fall < 0.0:
            break
        v += size * direction
        b += size * shift
        f += size * move
        value -= fall
        if loss.kind == SQUARED or fall <= tol * value:
            break
    return b, value


@compiled
def fit_on_support(task, v, b, support, tol):
    """Loadings that are zero outside ``support``, started from v; returns (v, b, loss)."""
    Z, ridge = np.ascontiguousarray(task.Z[:, support]), task.ridge[support]
    part = v[support]
    if task.shape == SIMPLEX:
        total = part.sum()
        part = part / total if total > 0.0 else np.full(support.size, 1.0 / support.size)
    few = MixedTask(Z, task.loss, task.fit_intercept, task.shape, ridge)
    b, value = fit_memberships(few, part, b, tol)
    out = np.zeros(v.size)
    # a task of the simplex that is left with one cluster is exactly pure
    out[support] = part / part.sum() if task.shape == SIMPLEX else part
    return out, b, value


@compiled
def prune_memberships(task, v, b, penalty, deviance_scale, tol):
    """The memberships with the smallest ``deviance_scale * loss + penalty[size of support]``.

    Drops clusters backwards from the full fit, the least missed first, and compares
    with every single cluster. Returns (v, b, score).
    """
    K = v.size
    current, b_current, value = fit_on_support(task, v, b, np.arange(K), tol)
    support = np.flatnonzero(current)
    best, b_best = current, b_current
    score = deviance_scale * value + penalty[support.size]
    while support.size > 2:
        fallback, b_fallback, smallest = current, b_current, np.inf
        for dropped in support:
            left = support[support != dropped]
            trial, b_trial, value = fit_on_support(task, current, b_current, left, tol)
            if value < smallest:
                fallback, b_fallback, smallest = trial, b_trial, value
        current, b_current = fallback, b_fallback
        support = np.flatnonzero(current)
        candidate = deviance_scale * smallest + penalty[support.size]
        if candidate < score:
            best, b_best, score = current, b_current, candidate
    for k in range(K):
        trial, b_trial, value = fit_on_support(task, v, b, np.array([k]), tol)
        candidate = deviance_scale * value + penalty[1]
        if candidate < score:
            best, b_best, score = trial, b_trial, candidate
    return best, b_best, score


class MixedTasks(NamedTuple):
    """Rows of all tasks in ``Z`` (N, K); those of task i are ``starts[i]:starts[i + 1]``, and
    count for ``counts[i]``. ``halt`` is as in ``Tasks``.
    """

    Z: Array
    starts: NDArray[np.int64]
    loss: Loss
    fit_intercept: bool
    shape: int
    ridge: Array
    counts: Array
    halt: Halt = NEVER


@compiled
def prune_tasks(tasks, V, b, prices, scale, tol):
    """``prune_memberships`` of every task; ``prices`` (T, K + 1) are those of its supports.

    ``ridge`` and ``scale`` are for one row: a task that counts for n has 1 / n and n times as much.
    """
    new_V, new_b = np.empty(V.shape), np.empty(b.size)
    for i in range(b.size):
        if tasks.halt[0]:
            break
        rows = slice(tasks.starts[i], tasks.starts[i + 1])
        n = tasks.counts[i]
        loss = Loss(tasks.loss.kind, tasks.loss.y[rows], tasks.loss.weight[rows])
        task = MixedTask(tasks.Z[rows], loss, tasks.fit_intercept, tasks.shape, tasks.ridge / n)
        v, new_b[i], _ = prune_memberships(task, V[:, i].copy(), b[i], prices[i], scale * n, tol)
        new_V[:, i] = v
    return new_V, new_b
