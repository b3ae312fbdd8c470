"""One task under an l1 penalty: path, cross-validation, and a few early-stopped sweeps."""

from typing import NamedTuple

import numpy as np

from stcmtl.solver.kernels.gram import minimise_by_gram, open_gram, use_features
from stcmtl.solver.kernels.label_task import solve_labels
from stcmtl.solver.kernels.losses import (
    SQUARED,
    Array,
    Loss,
    Mcp,
    compiled,
    pull_and_stiffness,
    safe_step,
    shift_intercept,
    soft_threshold,
    total_loss,
    weighted_square,
)
from stcmtl.stopping import NEVER, Halt


class Task(NamedTuple):
    """``columns`` (D, n): one row per feature, in which the values of the task's rows lie
    side by side. (With features across, numba would take a task of one row for row-major, and
    compile every kernel again.) Predictions are X w + b + ``offset`` (n,). ``halt`` is as in
    ``Tasks``.
    """

    columns: Array
    loss: Loss
    fit_intercept: bool
    offset: Array
    halt: Halt = NEVER


class Point(NamedTuple):
    """Coefficients ``w`` (D,), intercept ``b`` (1,) and predictions ``f`` (n,); pull ``e`` and
    stiffness ``h`` (n,) there; curvature and slope (D,) of every coefficient.
    """

    w: Array
    b: Array
    f: Array
    e: Array
    h: Array
    curvature: Array
    slope: Array


@compiled
def start_from(task, w, b):
    """The point at w and b, in which they change in place; its model is not filled in yet."""
    D, n = task.columns.shape
    f, e, h = task.offset.copy(), np.zeros(n), np.zeros(n)
    return Point(w, b, f, e, h, np.zeros(D), np.zeros(D))


@compiled
def sweep_task(task, at, level, coordinates, only_nonzero):
    """One pass of coordinate descent on ``model(w) + level |w|_1``.

    Returns the largest ``curvature * step^2``, twice the fall of the objective.
    """
    columns, w, e, h, curvature = task.columns, at.w, at.e, at.h, at.curvature
    largest = 0.0
    for j in coordinates:
        old = w[j]
        if (only_nonzero and old == 0.0) or curvature[j] == 0.0:
            continue
        pull = 0.0
        for r in range(e.size):
            pull += columns[j, r] * e[r]
        new = soft_threshold(curvature[j] * old + pull, level) / curvature[j]
        step = new - old
        if step != 0.0:
            w[j] = new
            for r in range(e.size):
                e[r] -= h[r] * columns[j, r] * step
            largest = max(largest, curvature[j] * step * step)
    return largest


@compiled
def descend_task(task, at, level, coordinates, stop, max_sweeps):
    """Sweep until no step gains more than ``stop``."""
    only_nonzero = False
    for _ in range(max_sweeps):
        if task.halt[0]:
            break
        gain = sweep_task(task, at, level, coordinates, only_nonzero)
        if task.fit_intercept:
            at.b[0] += shift_intercept(at.e, at.h)
        if gain > stop:
            only_nonzero = True
        elif only_nonzero:
            only_nonzero = False  # the active set has settled: look at the others again
        else:
            break


@compiled
def predict_task(task, w, b, f):
    """f = X w + b + offset, touching only the nonzero coefficients."""
    columns, offset = task.columns, task.offset
    for r in range(f.size):
        f[r] = b[0] + offset[r]
    for j in range(w.size):
        step = w[j]
        if step != 0.0:
            for r in range(f.size):
                f[r] += columns[j, r] * step


@compiled
def fill_curvature(task, at, coordinates):
    for j in coordinates:
        at.curvature[j] = weighted_square(task.columns[j], at.h)


@compiled
def fill_slopes(task, at):
    columns, e, slope = task.columns, at.e, at.slope
    for j in range(slope.size):
        total = 0.0
        for r in range(e.size):
            total += columns[j, r] * e[r]
        slope[j] = total


@compiled
def start_task(task):
    """The null model, and its loss."""
    D = len(task.columns)
    at = start_from(task, np.zeros(D), np.zeros(1))
    for _ in range(50):
        pull_and_stiffness(task.loss, at.f, at.e, at.h)
        step = shift_intercept(at.e, at.h) if task.fit_intercept else 0.0
        at.b[0] += step
        at.f[:] = at.b[0] + task.offset
        if abs(step) <= 1e-12 * abs(at.b[0]):
            break
    pull_and_stiffness(task.loss, at.f, at.e, at.h)
    fill_curvature(task, at, np.arange(D))
    fill_slopes(task, at)
    return at, total_loss(task.loss, at.f)


@compiled
def newton_step(task, at, level, working, stop, max_sweeps):
    """Minimise the quadratic model at f over ``working``; f, w and b move together.

    Returns by how much the objective falls (0 for the squared loss, whose model is exact).
    """
    loss, w, b, f = task.loss, at.w, at.b, at.f
    fall = 0.0
    if loss.kind != SQUARED:
        pull_and_stiffness(loss, f, at.e, at.h)
        fill_curvature(task, at, working)
    w_old, b_old = w.copy(), b[0]
    descend_task(task, at, level, working, stop, max_sweeps)
    target = np.empty(f.size)
    predict_task(task, w, b, target)
    if loss.kind != SQUARED:
        l1 = Mcp(np.array([level]), np.zeros((w.size, 1)))
        size, fall = safe_step(loss, f, target, w_old[:, None], w[:, None], l1)
        b[0] = b_old + size * (b[0] - b_old)
    f[:] = target
    return fall


@compiled
def gram_of(task):
    """For the squared loss; empty for another, whose stiffness changes."""
    D, n = task.columns.shape
    return open_gram(D if task.loss.kind == SQUARED else 0, n)


@compiled
def solve_level(task, at, gram, level, previous, stop):
    """min over w, b of sum_rows weight L(y, X w + b) + level |w|_1, warm-started.

    Strong rules leave most features out; each of them is checked before returning.
    """
    if task.loss.kind != SQUARED:
        solve_labels(task, at, level, previous, stop)
        return
    w, slope = at.w, at.slope
    chosen = (w != 0.0) | (np.abs(slope) >= 2.0 * level - previous)
    for _ in range(100):
        working = np.flatnonzero(chosen)
        if use_features(gram, task.columns, at.h, working):
            minimise_by_gram(gram, task, at, level, working, stop, 1000)
        else:
            descend_task(task, at, level, working, stop, 1000)
        if task.halt[0]:
            break
        fill_slopes(task, at)
        missed = False
        for j in range(slope.size):
            if abs(slope[j]) > level * (1.0 + 1e-9) and not chosen[j]:
                chosen[j] = True
                missed = True
        if not missed:
            break


@compiled
def follow_levels(task, at, lambdas, previous, stop):
    """From a point that solves the level ``previous``; W (levels, D) and b (levels,)."""
    W, B = np.zeros((lambdas.size, len(task.columns))), np.zeros(lambdas.size)
    gram = gram_of(task)
    for step, level in enumerate(lambdas):
        if task.halt[0]:
            break
        solve_level(task, at, gram, level, previous, stop)
        W[step] = at.w
        B[step] = at.b[0]
        previous = level
    return W, B


@compiled
def l1_path(task, lambdas, tol):
    """min over w, b of sum_rows weight L(y, X w + b) + lambda |w|_1 for falling lambdas.

    Returns coefficients (levels, D) and intercepts (levels,).
    """
    at, null = start_task(task)
    return follow_levels(task, at, lambdas, np.abs(at.slope).max(), tol * null)


@compiled
def resume_path(task, lambdas, tol, previous, w, b):
    """The same from a path that has ended at the level ``previous``, with w and b."""
    at, null = start_task(task)
    at.w[:] = w
    at.b[0] = b
    predict_task(task, at.w, at.b, at.f)
    pull_and_stiffness(task.loss, at.f, at.e, at.h)
    fill_slopes(task, at)
    return follow_levels(task, at, lambdas, previous, tol * null)


@compiled
def take_rows(task, rows, weight):
    """The task of some of its rows, that count by ``weight``."""
    loss = Loss(task.loss.kind, task.loss.y[rows], weight)
    columns = np.ascontiguousarray(task.columns[:, rows])
    return Task(columns, loss, task.fit_intercept, task.offset[rows], task.halt)


@compiled
def l1_cross_validation(task, fold, counts, lambdas, tol, patience):
    """Mean held-out loss at each of the falling lambdas; rows count ``counts`` (n,) times.

    All folds go down the path together, so that it can end (with infinite entries)
    once ``patience`` levels in a row have brought no improvement.
    """
    n_folds = fold.max() + 1
    errors = np.full(lambdas.size, np.inf)
    previous, stop = np.zeros(n_folds), np.zeros(n_folds)
    parts, held_out = [], []
    points, grams = [], []
    for c in range(n_folds):
        if task.halt[0]:
            return errors
        left, held = np.flatnonzero(fold != c), np.flatnonzero(fold == c)
        part = take_rows(task, left, counts[left] / np.sum(counts[left]))
        at, null = start_task(part)
        stop[c], previous[c] = tol * null, np.abs(at.slope).max()
        parts.append(part)
        held_out.append(take_rows(task, held, counts[held] / np.sum(counts)))
        points.append(at)
        grams.append(gram_of(part))
    best = 0
    for step, level in enumerate(lambdas):
        total = 0.0
        if task.halt[0]:
            break
        for c in range(n_folds):
            at, held_rows = points[c], held_out[c]
            solve_level(parts[c], at, grams[c], level, previous[c], stop[c])
            f = np.empty(held_rows.offset.size)
            predict_task(held_rows, at.w, at.b, f)
            total += total_loss(held_rows.loss, f)
            previous[c] = level
        errors[step] = total
        if total < errors[best]:
            best = step
        if step - best >= patience:
            break
    return errors


@compiled
def l1_sweeps(task, level, w, b, n_sweeps):
    """A few early-stopped sweeps on one task from w and b, in place (section 3.3)."""
    at = start_from(task, w, b)
    everything = np.arange(w.size)
    predict_task(task, w, b, at.f)
    pull_and_stiffness(task.loss, at.f, at.e, at.h)
    fill_curvature(task, at, everything)
    for _ in range(n_sweeps):
        newton_step(task, at, level, everything, 0.0, 1)
