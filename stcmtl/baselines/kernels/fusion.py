"""All tasks' coefficients, each feature's fused along a chain of tasks of its own.

Given the others, the coefficients of one feature meet only in its chain: every task has its
own rows. So a feature is solved exactly, and coordinate descent goes from feature to feature.
"""

import numpy as np

from stcmtl.baselines.kernels.chains import anchored_chain, chain_penalty
from stcmtl.solver.kernels.clusters import Model, shift_intercepts
from stcmtl.solver.kernels.losses import (
    SQUARED,
    compiled,
    convex_step,
    dot,
    pull_and_stiffness,
    release,
    total_loss,
    weighted_square,
)

MAX_SWEEPS, MAX_NEWTON_STEPS = 2000, 100
LEAST_CURVATURE = 1e-10  # of the largest, for a task in which the feature does not vary


@compiled
def task_slopes(x, e, starts, slopes):
    for i in range(slopes.size):
        slopes[i] = dot(x[starts[i] : starts[i + 1]], e[starts[i] : starts[i + 1]])


@compiled
def task_curvature(X, h, starts, curvature):
    """curvature[d, i] = sum over the rows of task i of h x_d^2."""
    for d in range(X.shape[1]):
        for i in range(starts.size - 1):
            rows = slice(starts[i], starts[i + 1])
            curvature[d, i] = weighted_square(X[rows, d], h[rows])


@compiled
def predict_tasks(tasks, W, b, f):
    """f = X w_i + b_i for the rows of each task i, touching only nonzero coefficients."""
    X, starts = tasks.X, tasks.starts
    for i in range(b.size):
        f[starts[i] : starts[i + 1]] = b[i]
    for d in range(len(W)):
        for i in range(b.size):
            if W[d, i] != 0.0:
                f[starts[i] : starts[i + 1]] += W[d, i] * X[starts[i] : starts[i + 1], d]


@compiled
def fusion_penalty(W, chains):
    order, fusion, anchor_at, anchor = chains
    total = 0.0
    for d in range(len(W)):
        if np.any(W[d]):
            total += chain_penalty(W[d][order[d]], fusion[d], anchor_at[d], anchor[d])
    return total


@compiled
def sweep_chains(tasks, chains, model, W, chosen):
    """One pass over the chosen features; returns the largest sum of curvature * step^2."""
    X, starts, (e, h, curvature) = tasks.X, tasks.starts, model
    order, fusion, anchor_at, anchor = chains
    D, T = W.shape
    slopes, w = np.empty(T), np.empty(T)
    largest = 0.0
    for d in range(D):
        highest = np.max(curvature[d])
        if not chosen[d] or highest == 0.0:
            continue
        x = X[:, d]
        task_slopes(x, e, starts, slopes)
        c = np.maximum(curvature[d], LEAST_CURVATURE * highest)[order[d]]
        old = W[d][order[d]]
        anchored_chain(c * old + slopes[order[d]], c, fusion[d], anchor_at[d], anchor[d], w)
        gain = 0.0
        for t in range(T):
            step = w[t] - old[t]
            if step != 0.0:
                i = order[d, t]
                rows = slice(starts[i], starts[i + 1])
                W[d, i] = w[t]
                release(e[rows], h[rows], x[rows], step)
                gain += c[t] * step * step
        largest = max(largest, gain)
    return largest


@compiled
def descend_chains(tasks, chains, model, W, b, stop):
    """Sweep until no feature gains more than ``stop``; returns whether that was reached."""
    chosen = np.empty(len(W), dtype=np.bool_)
    for d in range(len(W)):
        chosen[d] = np.any(W[d])
    settled = False
    for _ in range(MAX_SWEEPS):
        if tasks.fit_intercept:
            shift_intercepts(model.e, model.h, tasks.starts, b)
        gain = sweep_chains(tasks, chains, model, W, chosen)
        if gain > stop:
            for d in range(len(W)):
                chosen[d] = np.any(W[d])
        elif chosen.all():
            settled = True
            break
        else:
            chosen[:] = True  # what is in use has settled: look at the others again
    if tasks.fit_intercept:
        shift_intercepts(model.e, model.h, tasks.starts, b)
    return settled


@compiled
def fit_chains(tasks, chains, W, b, tol):
    """min over W, b of sum_rows weight L(y, X w_i + b_i) + the chains' penalty, in place.

    Feature d has the tasks ``order[d]`` along its chain, held together by ``fusion[d]``, and
    the one at ``anchor_at[d]`` to zero by ``anchor[d]``. Returns the objective at the start
    and after every Newton step, and whether it settled.
    """
    X, starts, loss, _ = tasks
    N = len(X)
    f, target = np.zeros(N), np.empty(N)
    model = Model(np.empty(N), np.empty(N), np.empty(W.shape))
    stop = tol * total_loss(loss, f)
    predict_tasks(tasks, W, b, f)
    penalty = fusion_penalty(W, chains)
    history = [total_loss(loss, f) + penalty]
    for _ in range(MAX_NEWTON_STEPS):
        pull_and_stiffness(loss, f, model.e, model.h)
        task_curvature(X, model.h, starts, model.curvature)
        old, old_b = W.copy(), b.copy()
        settled = descend_chains(tasks, chains, model, W, b, stop)
        predict_tasks(tasks, W, b, target)
        reached = fusion_penalty(W, chains)
        size = convex_step(loss, f, target, penalty, reached)
        if size < 1.0:
            W[:] = old + size * (W - old)
            b[:] = old_b + size * (b - old_b)
            reached = fusion_penalty(W, chains)
        f[:] = target
        penalty = reached
        history.append(total_loss(loss, f) + penalty)
        if loss.kind == SQUARED or history[-2] - history[-1] <= stop:
            return history, settled
    return history, False
