"""Cluster coefficients U shared by all tasks, under an l1 or MCP penalty (Eq. 2)."""

from typing import NamedTuple

import numpy as np

from stcmtl.solver.kernels.losses import (
    SQUARED,
    Array,
    Mcp,
    compiled,
    dot,
    penalty_value,
    pull_and_stiffness,
    release,
    safe_step,
    soft_threshold,
    total_loss,
    weighted_square,
)
from stcmtl.solver.kernels.single import shift_intercept

MAX_SWEEPS, MAX_NEWTON_STEPS = 500, 100


class Clusters(NamedTuple):
    """Coefficients ``U`` (D, K), memberships ``V`` (K, T) and intercepts ``b`` (T,)."""

    U: Array
    V: Array
    b: Array


class Model(NamedTuple):
    """The loss around some predictions: pull ``e`` and stiffness ``h`` of every row, and the
    curvature of every coefficient or block of them.
    """

    e: Array
    h: Array
    curvature: Array


@compiled
def block_curvature(X, h, V, starts, out):
    """out[d, k, l] = sum over tasks i of v_ki v_li sum over rows of h x_d^2."""
    D, (K, T) = X.shape[1], V.shape
    out[:] = 0.0
    for d in range(D):
        x = X[:, d]
        for i in range(T):
            q = weighted_square(x[starts[i] : starts[i + 1]], h[starts[i] : starts[i + 1]])
            for k in range(K):
                if V[k, i] != 0.0:
                    for m in range(K):
                        out[d, k, m] += V[k, i] * V[m, i] * q


@compiled
def set_concavity(tasks, V, inverse_a, concavity):
    """The MCP's bend: inverse_a times the curvature, so that it ends at a * level / curvature.

    So it means the same whatever the units of a feature; inverse_a = 0 is the l1 penalty.
    The logistic curvature changes with the fit: half its upper bound stands for it, which
    keeps the penalty one and the same function all along.
    """
    K = V.shape[0]
    stiffness = 2.0 if tasks.loss.kind == SQUARED else 0.125
    curvature = np.zeros((len(concavity), K, K))
    block_curvature(tasks.X, stiffness * tasks.loss.weight, V, tasks.starts, curvature)
    for d in range(len(concavity)):
        for k in range(K):
            concavity[d, k] = inverse_a * curvature[d, k, k]


@compiled
def penalised_minimum(z, curvature, level, bend):
    """argmin over u of curvature u^2 / 2 - z u + MCP(u), the MCP bent by ``bend``."""
    if bend < curvature:
        if abs(z) * bend <= level * curvature:
            return soft_threshold(z, level) / (curvature - bend)
        return z / curvature
    # Concave up to where the penalty ends: the minimum is at 0 or beyond that point.
    if z * z * bend > level * level * curvature:
        return z / curvature
    return 0.0


@compiled
def sweep_clusters(tasks, at, model, mcp, chosen, slopes):
    """One pass over the chosen features; the K coefficients of a feature are solved together.

    Leaves each feature's slopes in ``slopes`` and returns the largest curvature * step^2.
    """
    X, starts, (U, V, _), (e, h, curvature) = tasks.X, tasks.starts, at, model
    levels, concavity = mcp
    K, T = V.shape
    largest = 0.0
    step = np.zeros(K)
    for d in range(X.shape[1]):
        if not chosen[d]:
            continue
        slope = slopes[d]
        x = X[:, d]
        slope[:] = 0.0
        for i in range(T):
            pull = dot(x[starts[i] : starts[i + 1]], e[starts[i] : starts[i + 1]])
            for k in range(K):
                slope[k] += V[k, i] * pull
        step[:] = 0.0
        moved = False
        for _ in range(10):
            gain = 0.0
            for k in range(K):
                c, old = curvature[d, k, k], U[d, k]
                if c == 0.0:  # a constant feature, or a cluster without tasks
                    U[d, k] = 0.0
                    continue
                new = penalised_minimum(c * old + slope[k], c, levels[k], concavity[d, k])
                change = new - old
                if change != 0.0:
                    U[d, k] = new
                    step[k] += change
                    for m in range(K):
                        slope[m] -= curvature[d, k, m] * change
                    gain = max(gain, c * change * change)
                    moved = True
            largest = max(largest, gain)
            if gain <= 1e-3 * largest:
                break
        if moved:
            for i in range(T):
                total = 0.0
                for k in range(K):
                    total += V[k, i] * step[k]
                if total != 0.0:
                    rows = slice(starts[i], starts[i + 1])
                    release(e[rows], h[rows], x[rows], total)
    return largest


@compiled
def shift_intercepts(e, h, starts, b):
    for i in range(b.size):
        b[i] += shift_intercept(e[starts[i] : starts[i + 1]], h[starts[i] : starts[i + 1]])


@compiled
def predict_clusters(tasks, at, f):
    """f = X U v_i + b_i for the rows of each task i, touching only nonzero features."""
    X, starts, (U, V, b) = tasks.X, tasks.starts, at
    K, T = V.shape
    used = [d for d in range(U.shape[0]) if np.any(U[d])]
    for i in range(T):  # task by task, so that its predictions stay in the cache
        f[starts[i] : starts[i + 1]] = b[i]
        for d in used:
            w = 0.0
            for k in range(K):
                w += U[d, k] * V[k, i]
            if w != 0.0:
                for r in range(starts[i], starts[i + 1]):
                    f[r] += w * X[r, d]


@compiled
def descend_clusters(tasks, at, model, mcp, chosen, slopes, stop):
    """Sweep from the chosen features on, until no step of any feature gains more than ``stop``."""
    for _ in range(MAX_SWEEPS):
        if tasks.halt[0]:
            break
        if tasks.fit_intercept:
            shift_intercepts(model.e, model.h, tasks.starts, at.b)
        gain = sweep_clusters(tasks, at, model, mcp, chosen, slopes)
        if gain > stop:
            for d in range(len(at.U)):
                chosen[d] = np.any(at.U[d])
        elif chosen.all():
            break
        else:
            chosen[:] = True  # what was chosen has settled: look at the others again
    if tasks.fit_intercept:
        shift_intercepts(model.e, model.h, tasks.starts, at.b)


@compiled
def strong_rule(U, slopes, levels, previous):
    """Features that the next level may need: a slope rarely changes faster than the level."""
    chosen = np.empty(len(U), dtype=np.bool_)
    for d in range(len(U)):
        chosen[d] = np.any(U[d]) or np.any(np.abs(slopes[d]) >= 2.0 * levels - previous)
    return chosen


@compiled
def cluster_path(tasks, at, levels, inverse_a, tol):
    """min over U, b of sum_rows weight L(y, X U v_i + b_i) + penalty(U), in place from U and b.

    ``levels`` (steps, K) are gone through in order. Returns U (steps, D, K), b (steps, T) and
    the penalty (steps,) at each.
    """
    X, starts, loss = tasks.X, tasks.starts, tasks.loss
    U, V, b = at
    N, D = loss.y.size, X.shape[1]  # a lone row has a companion in X
    n_steps, K = levels.shape
    f, target = np.zeros(N), np.empty(N)
    path, intercepts = np.empty((n_steps, D, K)), np.empty((n_steps, b.size))
    penalty = np.empty(n_steps)
    model, concavity = Model(np.zeros(N), np.zeros(N), np.zeros((D, K, K))), np.zeros((D, K))
    slopes, previous = np.full((D, K), np.inf), levels[0]
    stop = tol * total_loss(loss, f)
    predict_clusters(tasks, at, f)
    pull_and_stiffness(loss, f, model.e, model.h)
    block_curvature(X, model.h, V, starts, model.curvature)
    set_concavity(tasks, V, inverse_a, concavity)
    for step in range(n_steps):
        if tasks.halt[0]:
            break
        level = levels[step]
        if inverse_a < 0.0:  # a ridge is a bend the other way, of an l1 norm at level 0
            concavity[:] = -level
            level = np.zeros(K)
        mcp = Mcp(level, concavity)
        for _ in range(MAX_NEWTON_STEPS):
            if loss.kind != SQUARED:  # whose model stays the same
                pull_and_stiffness(loss, f, model.e, model.h)
                block_curvature(X, model.h, V, starts, model.curvature)
            U_old, b_old = U.copy(), b.copy()
            chosen = strong_rule(U, slopes, level, previous)
            descend_clusters(tasks, at, model, mcp, chosen, slopes, stop)
            if loss.kind == SQUARED:
                break
            predict_clusters(tasks, at, target)
            size, fall = safe_step(loss, f, target, U_old, U, mcp)
            b[:] = b_old + size * (b - b_old)
            f[:] = target
            if fall <= stop or tasks.halt[0]:
                break
        path[step] = U
        intercepts[step] = b
        penalty[step] = penalty_value(U, mcp)
        previous = level
    return path, intercepts, penalty
