"""Loadings of one task: least loss over simplex, cone or span, and with few clusters."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.kernels.losses import (
    SQUARED,
    Array,
    Loss,
    compiled,
    dot,
    loss_and_model,
)
from stcmtl.stopping import NEVER, Halt

SIMPLEX, CONE, SPAN = 0, 1, 2  # where loadings lie: shares of one, not negative, anywhere
# More clusters than features leave many mixtures that are as good: a support takes over only by
# more than this share of the loss. So the first of those that tie keeps its place.
CLEARLY = 1.0 - 1e-7
LAST_FALL = 1e-6  # of the loss, by a Newton step: the next would gain about the square of that


class MixedTask(NamedTuple):
    """One task's rows in ``Z`` (n, K), the predictions of each cluster.

    ``ridge`` (K,) is what half a squared loading costs: 0 on the simplex, which is bounded.
    ``halt`` is as in ``Tasks``.
    """

    Z: Array
    loss: Loss
    fit_intercept: bool
    shape: int
    ridge: Array
    halt: Halt = NEVER


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
    by the exact step. The difference of the two bounds the distance to the minimum. Where
    clusters are nearly alike that would take thousands of steps, so now and then it moves between
    all that are in use.
    """
    K = v.size
    slope = G @ v - c
    for step_number in range(max_steps):
        if step_number % (10 * K) == 10 * K - 1:
            cross_face(G, slope, v)
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
def cross_face(G, slope, v):
    """To the minimum among those in use, or as far towards it as one of them lasts, in place."""
    used = np.flatnonzero(v)
    anchor = used[np.argmax(v[used])]
    rest = used[used != anchor]
    A, fall = np.empty((rest.size, rest.size)), slope[anchor] - slope[rest]
    for i, k in enumerate(rest):
        for j, m in enumerate(rest):
            A[i, j] = G[k, m] - G[k, anchor] - G[anchor, m] + G[anchor, anchor]
    flat = 1e-9 * np.trace(A)
    if flat <= 0.0:
        return
    for i in range(rest.size):  # no fall is worth an endless step
        A[i, i] += flat
    move = np.zeros(v.size)
    move[rest] = np.linalg.solve(A, fall)
    move[anchor] = -move.sum()
    size, last = 1.0, -1
    for k in used:
        if v[k] + size * move[k] < 0.0:
            size, last = -v[k] / move[k], k
    for k in used:
        v[k] += size * move[k]
    if last >= 0:
        v[last] = 0.0
    slope += size * (G @ move)


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
                for m in range(v.size):
                    slope[m] -= step * G[k, m]
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
    Z, loss, fit_intercept, shape, ridge, halt = task
    n, K = Z.shape
    e, h = np.empty(n), np.empty(n)
    f = Z @ v + b
    value = loss_and_model(loss, f, e, h) + ridge_value(ridge, v)
    for _ in range(50):
        if halt[0]:
            break
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
            trial = loss_and_model(loss, f + size * move, e, h)
            trial += ridge_value(ridge, v + size * direction)
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
        if loss.kind == SQUARED or fall <= LAST_FALL * value:
            break
    return b, value


class Quadratic(NamedTuple):
    """A squared loss where the intercept is the best for each v: v'Hv / 2 - c'v + ``null``.

    That intercept is base - middle'v.
    """

    H: Array
    c: Array
    null: float
    middle: Array
    base: float


@compiled
def quadratic_of(task):
    """Of all clusters; for other losses, which have none, empty."""
    Z, (kind, y, weight), fit_intercept, _, ridge, _ = task
    n, K = Z.shape if kind == SQUARED else (0, 0)
    H, c, middle = np.zeros((K, K)), np.zeros(K), np.zeros(K)
    null, base, rows = 0.0, 0.0, 0.0
    if fit_intercept:
        for r in range(n):
            rows += weight[r]
            base += weight[r] * y[r]
            for k in range(K):
                middle[k] += weight[r] * Z[r, k]
        if rows > 0.0:
            base /= rows
            middle /= rows
    for r in range(n):
        null += weight[r] * (y[r] - base) ** 2
    columns = np.empty((K, n))  # side by side in memory, a cluster's rows are summed four at a time
    for k in range(K):
        for r in range(n):
            columns[k, r] = Z[r, k] - middle[k]
    for k in range(K):
        lever = 2.0 * weight[:n] * columns[k]
        c[k] = dot(lever, y[:n] - base)
        for m in range(k + 1):
            H[k, m] = dot(lever, columns[m])
            H[m, k] = H[k, m]
        H[k, k] += ridge[k]
    return Quadratic(H, c, null, middle, base)


@compiled
def loss_of_few(task, support, part, b):
    """With loadings ``part`` of the clusters in ``support`` alone."""
    Z, y, weight, total = task.Z, task.loss.y, task.loss.weight, 0.0
    for r in range(y.size):
        left = y[r] - b
        for j in range(support.size):
            left -= Z[r, support[j]] * part[j]
        total += weight[r] * left * left
    return total + ridge_value(task.ridge[support], part)


@compiled
def fit_squared(task, whole, v, b, support, tol):
    """As ``fit_on_support``, from the task's quadratic: rows are gone through for the loss only."""
    new = start_on(task, v, support)
    size = support.size
    H, c, value, level = np.empty((size, size)), np.empty(size), whole.null, whole.base
    for j in range(size):
        c[j] = whole.c[support[j]]
        value -= c[j] * new[j]
        for k in range(size):
            H[j, k] = whole.H[support[j], support[k]]
            value += 0.5 * new[j] * H[j, k] * new[k]
    stop = tol * (max(value, 0.0) + 1e-300)
    if task.shape == SIMPLEX:
        simplex_quadratic(H, c, new, stop, 100 * size)
        new /= new.sum()
    else:
        free_quadratic(H, c, new, task.shape == CONE, stop, 500)
    for j in range(size):
        level -= whole.middle[support[j]] * new[j]
    if not task.fit_intercept:
        level = b
    out = np.zeros(v.size)
    out[support] = new
    return out, level, loss_of_few(task, support, new, level)


@compiled
def start_on(task, v, support):
    """Of loadings v, those in ``support``."""
    part = v[support]
    if task.shape != SIMPLEX:
        return part
    total = part.sum()
    return part / total if total > 0.0 else np.full(support.size, 1.0 / support.size)


@compiled
def fit_on_support(task, v, b, support, tol):
    """Loadings that are zero outside ``support``, started from v; returns (v, b, loss)."""
    Z, ridge = np.ascontiguousarray(task.Z[:, support]), task.ridge[support]
    part = start_on(task, v, support)
    few = MixedTask(Z, task.loss, task.fit_intercept, task.shape, ridge, task.halt)
    b, value = fit_memberships(few, part, b, tol)
    out = np.zeros(v.size)
    # a task of the simplex that is left with one cluster is exactly pure
    out[support] = part / part.sum() if task.shape == SIMPLEX else part
    return out, b, value


@compiled
def fit_few(task, whole, v, b, support, tol):
    """By the task's quadratic, if it has one."""
    if task.loss.kind == SQUARED:
        return fit_squared(task, whole, v, b, support, tol)
    return fit_on_support(task, v, b, support, tol)


@compiled
def prune_memberships(task, v, b, penalty, deviance_scale, tol):
    """The memberships with the smallest ``deviance_scale * loss + penalty[size of support]``.

    Drops clusters backwards from the full fit, the least missed first, and compares
    with every single cluster. No clusters leave a smaller loss than they and some more do:
    what cannot win by that is not tried. Returns (v, b, score).
    """
    K, whole = v.size, quadratic_of(task)
    current, b_current, value = fit_few(task, whole, v, b, np.arange(K), tol)
    support = np.flatnonzero(current)
    best, b_best = current, b_current
    score = deviance_scale * value + penalty[support.size]
    least, least_alone = value, np.full(K, value)  # that fewer may leave, and each one alone
    while support.size > 2 and not task.halt[0]:
        if deviance_scale * least + penalty[1 : support.size].min() >= score:
            break
        fallback, b_fallback, smallest, least = current, b_current, np.inf, np.inf
        for dropped in support:
            left = support[support != dropped]
            trial, b_trial, value = fit_few(task, whole, current, b_current, left, tol)
            for k in left:
                least_alone[k] = max(least_alone[k], value)
            if value < CLEARLY * smallest:
                fallback, b_fallback, smallest, least = trial, b_trial, value, smallest
            else:  # of the two that are missed least, the next step drops the second or another
                least = min(least, value)
        current, b_current = fallback, b_fallback
        support = np.flatnonzero(current)
        candidate = deviance_scale * smallest + penalty[support.size]
        if candidate < score:
            best, b_best, score = current, b_current, candidate
    for k in range(K):
        if deviance_scale * least_alone[k] + penalty[1] >= score:
            continue
        trial, b_trial, value = fit_few(task, whole, v, b, np.array([k]), tol)
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
        rest = tasks.fit_intercept, tasks.shape, tasks.ridge / n, tasks.halt
        task = MixedTask(tasks.Z[rows], loss, *rest)
        v, new_b[i], _ = prune_memberships(task, V[:, i].copy(), b[i], prices[i], scale * n, tol)
        new_V[:, i] = v
    return new_V, new_b
