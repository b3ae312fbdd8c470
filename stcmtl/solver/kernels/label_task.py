"""One task of labels at one level of the l1 penalty: few Newton steps, each with one look at loss,
pull and stiffness together, that settle its model only as far as the next step will need.
"""

import numpy as np

from stcmtl.solver.kernels.losses import (
    compiled,
    dot,
    loss_and_model,
    pull_and_square,
    release,
    shift_intercept,
    soft_threshold,
)

MAX_SWEEPS, MAX_NEWTON_STEPS = 1000, 100
CLOSE = 0.2  # of the first sweep's gain: so far a model is descended upon before the next
CLOSER = 0.1  # of what a level may miss: no further


@compiled
def sweep_labels(task, at, level, chosen, fresh):
    """One pass over the chosen coefficients; returns the largest curvature * step^2.

    Curvatures are filled in on the way, unless they are ``fresh``: then zeros are passed over.
    """
    largest = 0.0
    for j in chosen:
        x, old = task.columns[j], at.w[j]
        if not fresh:
            pull, at.curvature[j] = pull_and_square(x, at.e, at.h)
        elif old != 0.0:
            pull = dot(x, at.e)
        else:
            continue
        curvature = at.curvature[j]
        if curvature > 0.0:
            at.w[j] = soft_threshold(curvature * old + pull, level) / curvature
            step = at.w[j] - old
            if step != 0.0:
                release(at.e, at.h, x, step)
                largest = max(largest, curvature * step * step)
    return largest


@compiled
def descend_model(task, at, level, chosen, stop):
    first = gain = sweep_labels(task, at, level, chosen, False)
    if task.fit_intercept:
        at.b[0] += shift_intercept(at.e, at.h)
    for _ in range(MAX_SWEEPS):
        if gain <= max(CLOSE * first, CLOSER * stop) or task.halt[0]:
            break
        gain = sweep_labels(task, at, level, chosen, True)
        if task.fit_intercept:
            at.b[0] += shift_intercept(at.e, at.h)


@compiled
def find_way(pull, e, h):
    """How far predictions went while a model's ``pull`` fell to e, by the stiffness; in place."""
    for r in range(pull.size):
        pull[r] = (pull[r] - e[r]) / h[r] if h[r] > 0.0 else 0.0


@compiled
def step_labels(task, at, level, chosen, objective, stop):
    """One Newton step, as much of it as does not make the objective rise; returns that."""
    w, b, f, e, h = at.w, at.b, at.f, at.e, at.h
    w_old, b_old, f_old, way = w.copy(), b[0], f.copy(), e.copy()
    descend_model(task, at, level, chosen, stop)
    find_way(way, e, h)
    size = 1.0
    for _ in range(12):
        for r in range(f.size):
            f[r] = f_old[r] + size * way[r]
        reached = loss_and_model(task.loss, f, e, h) + level * np.sum(np.abs(w))
        if reached <= objective:
            return reached
        size *= 0.5
        w[:] = 0.5 * (w_old + w)
        b[0] = 0.5 * (b_old + b[0])
    w[:] = w_old
    b[0] = b_old
    f[:] = f_old
    loss_and_model(task.loss, f, e, h)
    return objective


@compiled
def solve_labels(task, at, level, previous, stop):
    """``solve_level`` for labels: strong rules leave most features out, and each is checked.

    Returns the number of Newton steps.
    """
    w, slope = at.w, at.slope
    chosen = (w != 0.0) | (np.abs(slope) >= 2.0 * level - previous)
    working = np.flatnonzero(chosen)
    objective = loss_and_model(task.loss, at.f, at.e, at.h) + level * np.sum(np.abs(w))
    count = 0
    while count < MAX_NEWTON_STEPS:
        count += 1
        reached = step_labels(task, at, level, working, objective, stop)
        fall, objective = objective - reached, reached
        if task.halt[0]:
            break
        if fall > stop:
            continue
        missed = False
        for j in range(w.size):
            slope[j] = dot(task.columns[j], at.e)
            if not chosen[j] and abs(slope[j]) > level * (1.0 + 1e-9):
                chosen[j] = missed = True
        if not missed:
            break
        working = np.flatnonzero(chosen)
    return count
