"""Cluster coefficients U shared by all tasks, under an l1 or MCP penalty (Eq. 2)."""

from typing import NamedTuple

import numpy as np

from stcmtl.solver.kernels.label_clusters import label_path
from stcmtl.solver.kernels.losses import (
    SQUARED,
    Array,
    Mcp,
    add_slopes,
    compiled,
    penalised_minimum,
    penalty_value,
    pull_and_stiffness,
    release_tasks,
    rows_of,
    shift_intercept,
    total_loss,
)

MAX_SWEEPS = 500


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
def task_squares(X, weight, starts, out):
    """out[d, i] = sum over rows of task i of weight x_d^2."""
    for d in range(X.shape[1]):
        x = X[:, d]
        for i in range(starts.size - 1):
            q = 0.0
            for r in rows_of(starts, i):
                q += weight[r] * x[r] * x[r]
            out[d, i] = q


@compiled
def block_curvature(squares, stiffness, V, out):
    """out[d, k, l] = sum over tasks i of v_ki v_li stiffness squares[d, i]."""
    (D, T), K, loadings = squares.shape, len(V), V.T.copy()  # of a task side by side
    out[:] = 0.0
    for d in range(D):
        for i in range(T):
            q = stiffness * squares[d, i]
            for k in range(K):
                share = loadings[i, k] * q
                if share != 0.0:
                    for m in range(K):
                        out[d, k, m] += share * loadings[i, m]


@compiled
def set_concavity(squares, kind, V, inverse_a, concavity):
    """The MCP's bend: inverse_a times the curvature, so that it ends at a * level / curvature.

    So it means the same whatever the units of a feature; inverse_a = 0 is the l1 penalty.
    The logistic curvature changes with the fit: half its upper bound stands for it, which
    keeps the penalty one and the same function all along.
    """
    K = V.shape[0]
    curvature = np.zeros((len(concavity), K, K))
    block_curvature(squares, 2.0 if kind == SQUARED else 0.125, V, curvature)
    bend_by(curvature, inverse_a, concavity)


@compiled
def bend_by(curvature, inverse_a, concavity):
    for d in range(len(concavity)):
        for k in range(concavity.shape[1]):
            concavity[d, k] = inverse_a * curvature[d, k, k]


@compiled
def sweep_clusters(tasks, at, model, mcp, chosen, slopes):
    """One pass over the chosen features; the K coefficients of a feature are solved together.

    Leaves each feature's slopes in ``slopes`` and returns the largest curvature * step^2.
    """
    X, starts, (U, V, _), (e, h, curvature) = tasks.X, tasks.starts, at, model
    levels, concavity = mcp
    K, largest = len(V), 0.0
    step, loadings = np.zeros(K), V.T.copy()
    for d in range(X.shape[1]):
        if not chosen[d]:
            continue
        slope = slopes[d]
        x = X[:, d]
        slope[:] = 0.0
        add_slopes(x, e, starts, loadings, slope)
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
            release_tasks(x, e, h, starts, loadings, step)
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
                for r in rows_of(starts, i):
                    f[r] += w * X[r, d]


@compiled
def predict_each(tasks, U, Z):
    """Z = X U, the predictions of each cluster (N, K), touching only coefficients not zero."""
    X, starts = tasks.X, tasks.starts
    used = [np.flatnonzero(U[:, k]) for k in range(U.shape[1])]
    for i in range(starts.size - 1):  # task by task, so that its rows stay in the cache
        f = np.empty(starts[i + 1] - starts[i])
        for k in range(len(used)):
            f[:] = 0.0
            for d in used[k]:
                u, x = U[d, k], X[starts[i] : starts[i + 1], d]
                for r in range(f.size):
                    f[r] += u * x[r]
            Z[starts[i] : starts[i + 1], k] = f


@compiled
def predict_rows(tasks, at, rows, f):
    """The same for some ``rows`` of the tasks, in their order."""
    X, starts, (U, V, b) = tasks.X, tasks.starts, at
    K, T = V.shape
    used = [d for d in range(U.shape[0]) if np.any(U[d])]
    end = 0
    for i in range(T):
        begin = end
        while end < rows.size and rows[end] < starts[i + 1]:
            f[end] = b[i]
            end += 1
        for d in used:
            w = 0.0
            for k in range(K):
                w += U[d, k] * V[k, i]
            if w != 0.0:
                for j in range(np.uintp(begin), np.uintp(end)):
                    f[j] += w * X[rows[j], d]


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
    loss, squares = tasks.loss, tasks.squares
    U, V, b = at
    N, D, (n_steps, K) = loss.y.size, len(U), levels.shape  # a lone row has a companion in X
    f, concavity = np.zeros(N), np.zeros((D, K))
    if squares.size == 0:
        squares = np.empty((D, b.size))
        task_squares(tasks.X, loss.weight, tasks.starts, squares)
    stop = tol * total_loss(loss, f)
    predict_clusters(tasks, at, f)
    if loss.kind != SQUARED:
        set_concavity(squares, loss.kind, V, inverse_a, concavity)
        return label_path(tasks, at, f, levels, inverse_a, concavity, stop)
    path, intercepts = np.empty((n_steps, D, K)), np.empty((n_steps, b.size))
    penalty = np.empty(n_steps)
    model = Model(np.zeros(N), np.zeros(N), np.zeros((D, K, K)))
    slopes, previous = np.full((D, K), np.inf), levels[0]
    pull_and_stiffness(loss, f, model.e, model.h)  # of one model, which stays the same
    block_curvature(squares, 2.0, V, model.curvature)
    bend_by(model.curvature, inverse_a, concavity)
    for step in range(n_steps):
        if tasks.halt[0]:
            break
        level = levels[step]
        if inverse_a < 0.0:  # a ridge is a bend the other way, of an l1 norm at level 0
            concavity[:] = -level
            level = np.zeros(K)
        mcp = Mcp(level, concavity)
        chosen = strong_rule(U, slopes, level, previous)
        descend_clusters(tasks, at, model, mcp, chosen, slopes, stop)
        path[step] = U
        intercepts[step] = b
        penalty[step] = penalty_value(U, mcp)
        previous = level
    return path, intercepts, penalty
