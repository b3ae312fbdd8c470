"""Cluster coefficients U for labels, down the levels of a penalty: few Newton steps for each.

A step begins with one look at all rows, which gives loss, pull and stiffness together. Its model
is descended upon for coefficients that may be needed alone, and where a coefficient's cluster has
no part in a task the task's rows are not touched.
"""

from typing import NamedTuple

import numpy as np

from stcmtl.solver.kernels.label_task import CLOSE, CLOSER, find_way
from stcmtl.solver.kernels.losses import (
    Array,
    Mcp,
    add_slopes,
    compiled,
    loss_and_model,
    penalised_minimum,
    penalty_value,
    release_tasks,
    rows_of,
    shift_intercept,
)

MAX_SWEEPS, MAX_NEWTON_STEPS = 500, 100
# Where an MCP lets coefficients part the labels there is no minimum: after so many steps, which are
# more than others need, one that gains more than a share of the one before is the last.
PATIENCE, RECEDING = 12, 0.5


class Around(NamedTuple):
    """Predictions ``f`` (N,), the pull ``e`` and stiffness ``h`` of every row there, and the
    curvature (D, K, K) of every feature.
    """

    f: Array
    e: Array
    h: Array
    curvature: Array


@compiled
def has_part(chosen, V, i):
    """Whether a task has a part in any of the chosen clusters."""
    for k in range(chosen.size):  # noqa: SIM110 compiled
        if chosen[k] and V[k, i] != 0.0:
            return True
    return False


@compiled
def sweep_labels(tasks, at, around, mcp, chosen, fresh):
    """One pass over the chosen coefficients (D, K), those of a feature together.

    Curvatures are filled in on the way unless they are ``fresh``. Returns the largest
    curvature * step^2.
    """
    X, starts, (U, V, _), (_, e, h, curvature) = tasks.X, tasks.starts, at, around
    K, T = V.shape
    largest, slope, step, loadings = 0.0, np.zeros(K), np.zeros(K), V.T.copy()
    for d in range(X.shape[1]):
        if not np.any(chosen[d]):
            continue
        x, C = X[:, d], curvature[d]
        slope[:] = 0.0
        if not fresh:
            C[:] = 0.0
        for i in range(T):
            if not has_part(chosen[d], V, i):
                continue
            pull, square = 0.0, 0.0
            for r in rows_of(starts, i):
                pull += x[r] * e[r]
            if not fresh:
                for r in rows_of(starts, i):
                    square += h[r] * x[r] * x[r]
            for k in range(K):
                if V[k, i] != 0.0:
                    slope[k] += V[k, i] * pull
                    if not fresh:
                        for m in range(K):
                            C[k, m] += V[k, i] * V[m, i] * square
        gain = solve_block(U[d], slope, C, mcp.levels, mcp.concavity[d], chosen[d], step, largest)
        largest = max(largest, gain)
        if gain > 0.0:
            release_tasks(x, e, h, starts, loadings, step)
    return largest


@compiled
def solve_block(u, slope, curvature, levels, bend, chosen, step, largest):
    """The chosen coefficients of one feature, in place; returns the largest curvature * step^2."""
    K = u.size
    step[:] = 0.0
    most = 0.0
    for _ in range(10):
        gain = 0.0
        for k in range(K):
            c, old = curvature[k, k], u[k]
            if not chosen[k]:
                continue
            new = penalised_minimum(c * old + slope[k], c, levels[k], bend[k]) if c > 0.0 else 0.0
            change = new - old
            if change != 0.0:
                u[k] = new
                step[k] += change
                for m in range(K):
                    slope[m] -= curvature[k, m] * change
                gain = max(gain, c * change * change)
        most = max(most, gain)
        if gain <= 1e-3 * max(largest, most):
            break
    return most


@compiled
def balance(tasks, around, b):
    if tasks.fit_intercept:
        for i in range(b.size):
            rows = slice(tasks.starts[i], tasks.starts[i + 1])
            b[i] += shift_intercept(around.e[rows], around.h[rows])


@compiled
def descend_model(tasks, at, around, mcp, chosen, stop):
    """Sweep over the chosen coefficients once, then over those that are not zero."""
    balance(tasks, around, at.b)
    first = gain = sweep_labels(tasks, at, around, mcp, chosen, False)
    used = np.empty(chosen.shape, dtype=np.bool_)
    for _ in range(MAX_SWEEPS):
        if gain <= max(CLOSE * first, CLOSER * stop) or tasks.halt[0]:
            break
        for d in range(len(used)):
            for k in range(used.shape[1]):
                used[d, k] = chosen[d, k] and at.U[d, k] != 0.0
        balance(tasks, around, at.b)
        gain = sweep_labels(tasks, at, around, mcp, used, True)
    balance(tasks, around, at.b)


@compiled
def step_labels(tasks, at, around, mcp, chosen, objective, stop):
    """One Newton step, as much of it as does not make the objective rise; returns that."""
    U, _, b = at
    f, e, h, _ = around
    U_old, b_old, f_old, way = U.copy(), b.copy(), f.copy(), e.copy()
    descend_model(tasks, at, around, mcp, chosen, stop)
    find_way(way, e, h)
    size = 1.0
    for _ in range(12):
        for r in range(f.size):
            f[r] = f_old[r] + size * way[r]
        reached = loss_and_model(tasks.loss, f, e, h) + penalty_value(U, mcp)
        if reached <= objective:
            return reached
        size *= 0.5
        U[:] = 0.5 * (U_old + U)
        b[:] = 0.5 * (b_old + b)
    U[:] = U_old
    b[:] = b_old
    f[:] = f_old
    loss_and_model(tasks.loss, f, e, h)
    return objective


@compiled
def fill_slopes(tasks, V, e, slopes):
    loadings = V.T.copy()
    slopes[:] = 0.0
    for d in range(len(slopes)):
        add_slopes(tasks.X[:, d], e, tasks.starts, loadings, slopes[d])


@compiled
def choose_coefficients(U, slopes, levels, chosen):
    """Choose those that are not zero, or are pulled harder than ``levels``; returns whether one
    was not chosen before.
    """
    more = False
    for d in range(len(U)):
        for k in range(levels.size):
            if not chosen[d, k] and (U[d, k] != 0.0 or abs(slopes[d, k]) > levels[k]):
                chosen[d, k] = more = True
    return more


@compiled
def keep_used(U, chosen):
    """Of the chosen coefficients those that are not zero."""
    for d in range(len(U)):
        for k in range(U.shape[1]):
            chosen[d, k] = chosen[d, k] and U[d, k] != 0.0


@compiled
def solve_labels(tasks, at, around, mcp, chosen, slopes, objective, stop):
    """Newton steps until one gains less than ``stop``, and nothing left out is missed; how many.

    Under an MCP what the first step leaves at zero is left out by the next, which cost much less.
    """
    convex, before, begun = not np.any(mcp.concavity > 0.0), np.inf, 0
    for step in range(MAX_NEWTON_STEPS):
        reached = step_labels(tasks, at, around, mcp, chosen, objective, stop)
        fall, objective = objective - reached, reached
        if step == 0 and not convex:
            keep_used(at.U, chosen)
        recedes = step >= begun + PATIENCE and fall > RECEDING * before
        if tasks.halt[0] or (recedes and not convex):
            break
        before = fall
        if fall <= stop:
            fill_slopes(tasks, at.V, around.e, slopes)
            if not choose_coefficients(at.U, slopes, (1.0 + 1e-9) * mcp.levels, chosen):
                break
            before, begun = np.inf, step + 1  # what is missed has steps of its own
    return step + 1


@compiled
def label_path(tasks, at, f, levels, inverse_a, concavity, stop):
    """``cluster_path`` for labels, from predictions f; ``concavity`` (D, K) is the MCP's."""
    (U, V, b), loss = at, tasks.loss
    n_steps, (D, K), N = len(levels), U.shape, f.size
    path, intercepts = np.empty((n_steps, D, K)), np.empty((n_steps, b.size))
    penalty = np.empty(n_steps)
    around = Around(f, np.empty(N), np.empty(N), np.empty((D, K, K)))
    slopes = np.empty((D, K))
    loss_and_model(loss, f, around.e, around.h)
    fill_slopes(tasks, V, around.e, slopes)
    previous = levels[0]
    for step in range(n_steps):
        if tasks.halt[0]:
            break
        level = levels[step]
        if inverse_a < 0.0:  # a ridge is a bend the other way, of an l1 norm at level 0
            concavity[:] = -level
            level = np.zeros(K)
        mcp = Mcp(level, concavity)
        objective = loss_and_model(loss, f, around.e, around.h) + penalty_value(U, mcp)
        # of an MCP's minima the one is found that all coefficients lead to
        chosen = np.full((D, K), inverse_a > 0.0)
        choose_coefficients(U, slopes, 2.0 * level - previous, chosen)
        solve_labels(tasks, at, around, mcp, chosen, slopes, objective, stop)
        path[step] = U
        intercepts[step] = b
        penalty[step] = penalty_value(U, mcp)
        previous = level
    return path, intercepts, penalty
