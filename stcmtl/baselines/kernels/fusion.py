"""All tasks' coefficients, each feature's fused along a chain of tasks of its own.

Given the others, the coefficients of one feature meet only in its chain: every task has its
own rows. So a feature is solved exactly, and coordinate descent goes from feature to feature.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.kernels.clusters import Model, shift_intercepts
from stcmtl.solver.kernels.losses import (
    SQUARED,
    Array,
    compiled,
    convex_step,
    pull_and_stiffness,
    rows_of,
    total_loss,
    weighted_square,
)

MAX_SWEEPS, MAX_NEWTON_STEPS = 2000, 100
LEAST_CURVATURE = 1e-10  # of the largest, for a task in which the feature does not vary
NEAR = 0.6  # of the pull that moves a chain: those nearer to it may move at the next level


class Chains(NamedTuple):
    """For each feature the tasks in ``order`` (D, T), the weights ``fusion`` (D, T - 1) between
    neighbours, the place ``anchor_at`` (D,) nearest zero and its weight ``anchor`` (D,).
    """

    order: NDArray[np.int64]
    fusion: Array
    anchor_at: NDArray[np.int64]
    anchor: Array


class ChainFit(NamedTuple):
    """Coefficients ``W`` (D, T) and intercepts ``b`` (T,), with their predictions ``f`` (N,) and
    the model around these; and the slopes (D, T) of features whose coefficients are all zero.
    The next level goes on from here, without another look at all rows.
    """

    W: Array
    b: Array
    f: Array
    model: Model
    slopes: Array


@compiled
def fused_chain(z, c, fusion, w):
    """Fill w with argmin of sum_t c_t w_t^2 / 2 - z_t w_t + fusion_t |w_t - w_{t+1}|.

    What follows the last is zero; with fusion[-1] = 0 the chain ends free.

    Exact in one pass and back (Johnson's dynamic programming): if the next were x, the best
    w_t would be x clipped to [low_t, high_t]. Between these two the derivative, in x, of the
    minimum over w_0 ... w_t is piecewise linear, and at each knot grows by slope x + offset;
    outside it is -fusion_t and fusion_t.
    """
    T = z.size
    low, high = np.empty(T), np.empty(T)
    knots, slopes, offsets = np.empty(2 * T + 2), np.empty(2 * T + 2), np.empty(2 * T + 2)
    first, last = T + 1, T  # the knots in use, none so far
    edge = 0.0
    for t in range(T):
        slope, offset = c[t], -z[t] - edge
        while first <= last and slope * knots[first] + offset <= -fusion[t]:
            slope += slopes[first]
            offset += offsets[first]
            first += 1
        low[t] = (-fusion[t] - offset) / slope
        first -= 1
        knots[first], slopes[first], offsets[first] = low[t], slope, offset + fusion[t]
        slope, offset = c[t], -z[t] + edge
        while last > first and slope * knots[last] + offset >= fusion[t]:
            slope -= slopes[last]
            offset -= offsets[last]
            last -= 1
        high[t] = (fusion[t] - offset) / slope
        last += 1
        knots[last], slopes[last], offsets[last] = high[t], -slope, fusion[t] - offset
        edge = fusion[t]
    following = 0.0
    for t in range(T - 1, -1, -1):
        following = min(max(following, low[t]), high[t])
        w[t] = following


@compiled
def anchored_chain(z, c, fusion, r, anchor, w):
    """Fill w with argmin of sum_t c_t w_t^2 / 2 - z_t w_t + fusion_t |w_t - w_{t+1}|
    + anchor |w_r|, where the chain ends free and only w_r is drawn to zero itself.
    """
    if chain_entry(z, fusion, r, anchor) <= 1.0:
        w[:] = 0.0
        return
    # If w_r is zero, the parts before and after it are chains that end at zero.
    w[r] = 0.0
    fused_chain(z[:r], c[:r], fusion[:r], w[:r])
    fused_chain(z[:r:-1], c[:r:-1], fusion[r:][::-1], w[:r:-1])
    force = 0.0
    for t in range(z.size):
        force += z[t] - c[t] * w[t]
    if abs(force) > anchor:  # too much for w_r to stay: it has the sign of the force
        tilted, free = z.copy(), np.append(fusion, 0.0)
        tilted[r] -= np.sign(force) * anchor
        fused_chain(tilted, c, free, w)


@compiled
def chain_entry(z, fusion, r, anchor):
    """By how much ``fusion`` and ``anchor`` must be multiplied to leave w = 0 in a chain.

    Zero is the minimum if no part of the chain that may move alone is pulled harder than it
    is held: what lies before or after a link, or everything.
    """
    largest, before, after = 0.0, 0.0, 0.0
    for t in range(r):
        before += z[t]
        largest = max(largest, ratio(before, fusion[t]))
    for t in range(z.size - 1, r, -1):
        after += z[t]
        largest = max(largest, ratio(after, fusion[t - 1]))
    return max(largest, ratio(before + z[r] + after, anchor))


@compiled
def ratio(pull, hold):
    if pull == 0.0:
        return 0.0
    return abs(pull) / hold if hold > 0.0 else np.inf


@compiled
def chain_penalty(w, fusion, r, anchor):
    """sum_t fusion_t |w_t - w_{t+1}| + anchor |w_r|."""
    total = anchor * abs(w[r])
    for t in range(fusion.size):
        total += fusion[t] * abs(w[t + 1] - w[t])
    return total


@compiled
def task_slopes(x, e, starts, slopes):
    for i in range(slopes.size):
        pull = 0.0
        for r in rows_of(starts, i):
            pull += x[r] * e[r]
        slopes[i] = pull


@compiled
def fill_curvature(X, h, starts, chosen, curvature):
    """curvature[d, i] = sum over the rows of task i of h x_d^2, for the chosen features."""
    for d in np.flatnonzero(chosen):
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
                for r in rows_of(starts, i):
                    f[r] += W[d, i] * X[r, d]


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
    T = W.shape[1]
    slopes, z, c, w = np.empty(T), np.empty(T), np.empty(T), np.empty(T)
    largest = 0.0
    for d in np.flatnonzero(chosen):
        least = LEAST_CURVATURE * np.max(curvature[d])
        if least == 0.0:
            continue
        x = X[:, d]
        task_slopes(x, e, starts, slopes)
        for t in range(T):
            i = order[d, t]
            c[t] = max(curvature[d, i], least)
            z[t] = c[t] * W[d, i] + slopes[i]
        anchored_chain(z, c, fusion[d], anchor_at[d], anchor[d], w)
        gain = 0.0
        for t in range(T):
            i = order[d, t]
            step = w[t] - W[d, i]
            if step != 0.0:
                W[d, i] = w[t]
                for r in rows_of(starts, i):
                    e[r] -= h[r] * x[r] * step
                gain += c[t] * step * step
        largest = max(largest, gain)
    return largest


@compiled
def descend_chains(tasks, chains, model, W, b, chosen, stop):
    """Sweep until no chosen feature gains more than ``stop``; returns whether that was reached."""
    settled = False
    for _ in range(MAX_SWEEPS):
        if tasks.halt[0]:
            break
        if tasks.fit_intercept:
            shift_intercepts(model.e, model.h, tasks.starts, b)
        if sweep_chains(tasks, chains, model, W, chosen) <= stop:
            settled = True
            break
    if tasks.fit_intercept:
        shift_intercepts(model.e, model.h, tasks.starts, b)
    return settled


@compiled
def add_chains(chains, at, share, chosen):
    """Choose features in use, and those pulled by more than ``share`` of what moves them; returns
    whether there are new ones.
    """
    order, fusion, anchor_at, anchor = chains
    added = False
    for d in range(len(at.W)):
        if not chosen[d]:
            pull = at.slopes[d][order[d]]
            in_use = np.any(at.W[d])
            if in_use or chain_entry(pull, fusion[d], anchor_at[d], anchor[d]) > share:
                chosen[d] = added = True
    return added


@compiled
def fill_slopes(tasks, at):
    """Of the features that are not in use."""
    for d in range(len(at.W)):
        if not np.any(at.W[d]):
            task_slopes(tasks.X[:, d], at.model.e, tasks.starts, at.slopes[d])


@compiled
def start_chains(tasks, b):
    """No coefficients."""
    (N, D), T = tasks.X.shape, b.size
    f = np.empty(N)
    W, model = np.zeros((D, T)), Model(np.empty(N), np.empty(N), np.empty((D, T)))
    predict_tasks(tasks, W, b, f)
    pull_and_stiffness(tasks.loss, f, model.e, model.h)
    fill_curvature(tasks.X, model.h, tasks.starts, np.ones(D, dtype=np.bool_), model.curvature)
    at = ChainFit(W, b, f, model, np.zeros((D, T)))
    fill_slopes(tasks, at)
    return at


@compiled
def fit_chains(tasks, chains, at, tol):
    """min over W, b of sum_rows weight L(y, X w_i + b_i) + the chains' penalty, in place.

    Feature d has the tasks ``order[d]`` along its chain, held together by ``fusion[d]``, and
    the one at ``anchor_at[d]`` to zero by ``anchor[d]``. Returns the objective at the start
    and after every Newton step, and whether it settled. Strong rules leave most features out;
    each of them is checked before returning.
    """
    X, starts, loss = tasks.X, tasks.starts, tasks.loss
    W, b, f, model, _ = at
    target, chosen = np.zeros(f.size), np.zeros(len(W), dtype=np.bool_)
    stop = tol * total_loss(loss, target)
    add_chains(chains, at, NEAR, chosen)
    penalty = fusion_penalty(W, chains)
    history = [total_loss(loss, f) + penalty]
    for _ in range(MAX_NEWTON_STEPS):
        old, old_b = W.copy(), b.copy()
        if loss.kind != SQUARED:  # whose model stays the same
            fill_curvature(X, model.h, starts, chosen, model.curvature)
        settled = descend_chains(tasks, chains, model, W, b, chosen, stop)
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
        pull_and_stiffness(loss, f, model.e, model.h)
        if tasks.halt[0]:
            break
        if loss.kind == SQUARED or history[-2] - history[-1] <= stop:
            fill_slopes(tasks, at)
            if not add_chains(chains, at, 1.0 + 1e-9, chosen):
                return history, settled
    return history, False
