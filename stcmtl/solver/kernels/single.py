"""One task under an l1 penalty: path, cross-validation, and a few early-stopped sweeps."""

import numpy as np

from stcmtl.solver.kernels.losses import (
    SQUARED,
    compiled,
    dot,
    pull_and_stiffness,
    release,
    safe_step,
    soft_threshold,
    total_loss,
    weighted_square,
)


@compiled
def sweep_task(X, e, h, curvature, w, level, coordinates, only_nonzero):
    """One pass of coordinate descent on ``model(w) + level |w|_1``.

    Returns the largest ``curvature * step^2``, twice the fall of the objective.
    """
    largest = 0.0
    for j in coordinates:
        old = w[j]
        if (only_nonzero and old == 0.0) or curvature[j] == 0.0:
            continue
        x = X[:, j]
        new = soft_threshold(curvature[j] * old + dot(x, e), level) / curvature[j]
        step = new - old
        if step != 0.0:
            w[j] = new
            release(e, h, x, step)
            largest = max(largest, curvature[j] * step * step)
    return largest


@compiled
def shift_intercept(e, h):
    """The exact step of an unpenalised intercept; updates e in place."""
    pull, stiffness = 0.0, 0.0
    for r in range(e.size):
        pull += e[r]
        stiffness += h[r]
    if stiffness == 0.0:
        return 0.0
    step = pull / stiffness
    for r in range(e.size):
        e[r] -= h[r] * step
    return step


@compiled
def descend_task(X, e, h, curvature, w, b, level, coordinates, fit_intercept, stop, max_sweeps):
    """Sweep until no step gains more than ``stop``."""
    only_nonzero = False
    for _ in range(max_sweeps):
        gain = sweep_task(X, e, h, curvature, w, level, coordinates, only_nonzero)
        if fit_intercept:
            b[0] += shift_intercept(e, h)
        if gain > stop:
            only_nonzero = True
        elif only_nonzero:
            only_nonzero = False  # the active set has settled: look at the others again
        else:
            break


@compiled
def predict_task(X, w, b, f):
    """f = X w + b, touching only the nonzero coefficients."""
    f[:] = b[0]
    for j in range(w.size):
        if w[j] != 0.0:
            f += X[:, j] * w[j]


@compiled
def column_curvature(X, h, coordinates, curvature):
    for j in coordinates:
        curvature[j] = weighted_square(X[:, j], h)


@compiled
def all_slopes(X, e, slope):
    for j in range(X.shape[1]):
        slope[j] = dot(X[:, j], e)


@compiled
def start_task(X, y, weight, w, b, f, e, h, curvature, slope, loss, fit_intercept):
    """Fill the state of the null model; returns its loss."""
    w[:] = 0.0
    b[0] = 0.0
    f[:] = 0.0
    for _ in range(50):
        pull_and_stiffness(loss, y, f, weight, e, h)
        step = shift_intercept(e, h) if fit_intercept else 0.0
        b[0] += step
        f[:] = b[0]
        if abs(step) <= 1e-12 * abs(b[0]):
            break
    pull_and_stiffness(loss, y, f, weight, e, h)
    column_curvature(X, h, np.arange(X.shape[1]), curvature)
    all_slopes(X, e, slope)
    return total_loss(loss, y, f, weight)


@compiled
def newton_step(
    X, y, weight, level, w, b, f, e, h, curvature, working, loss, fit_intercept, stop, max_sweeps
):
    """Minimise the quadratic model at f over ``working``; f, w and b move together.

    Returns by how much the objective falls (0 for the squared loss, whose model is exact).
    """
    fall = 0.0
    if loss != SQUARED:
        pull_and_stiffness(loss, y, f, weight, e, h)
        column_curvature(X, h, working, curvature)
    w_old, b_old = w.copy(), b[0]
    descend_task(X, e, h, curvature, w, b, level, working, fit_intercept, stop, max_sweeps)
    target = np.empty(f.size)
    predict_task(X, w, b, target)
    if loss != SQUARED:
        size, fall = safe_step(
            loss, y, weight, f, target, w_old[:, None], w[:, None],
            np.array([level]), np.zeros((w.size, 1)),
        )  # fmt: skip
        b[0] = b_old + size * (b[0] - b_old)
    f[:] = target
    return fall


@compiled
def solve_level(
    X, y, weight, level, previous, w, b, f, e, h, curvature, slope, loss, fit_intercept, stop
):
    """min over w, b of sum_rows weight L(y, X w + b) + level |w|_1, warm-started.

    Strong rules leave most features out; each of them is checked before returning.
    """
    D = w.size
    chosen = np.empty(D, dtype=np.bool_)
    for j in range(D):
        chosen[j] = w[j] != 0.0 or abs(slope[j]) >= 2.0 * level - previous
    for _ in range(100):
        fall = newton_step(
            X, y, weight, level, w, b, f, e, h, curvature, np.flatnonzero(chosen),
            loss, fit_intercept, stop, 1000,
        )  # fmt: skip
        if fall > stop:
            continue
        if loss != SQUARED:
            pull_and_stiffness(loss, y, f, weight, e, h)
        all_slopes(X, e, slope)
        missed = False
        for j in range(D):
            if not chosen[j] and abs(slope[j]) > level * (1.0 + 1e-9):
                chosen[j] = True
                missed = True
        if not missed:
            break


@compiled
def l1_path(X, y, lambdas, loss, fit_intercept, tol):
    """min over w, b of (1/n) L(y, X w + b) + lambda |w|_1 for falling lambdas.

    Returns coefficients (levels, D) and intercepts (levels,).
    """
    n, D = X.shape
    W, B = np.zeros((lambdas.size, D)), np.zeros(lambdas.size)
    w, b, curvature, slope = np.zeros(D), np.zeros(1), np.zeros(D), np.zeros(D)
    f, e, h = np.zeros(n), np.zeros(n), np.zeros(n)
    weight = np.full(n, 1.0 / n)
    null = start_task(X, y, weight, w, b, f, e, h, curvature, slope, loss, fit_intercept)
    previous = np.abs(slope).max()
    for step, level in enumerate(lambdas):
        solve_level(
            X, y, weight, level, previous, w, b, f, e, h, curvature, slope,
            loss, fit_intercept, tol * null,
        )  # fmt: skip
        W[step] = w
        B[step] = b[0]
        previous = level
    return W, B


@compiled
def l1_cross_validation(X, y, fold, lambdas, loss, fit_intercept, tol, patience):
    """Mean held-out loss at each of the falling lambdas.

    All folds go down the path together, so that it can end (with infinite entries)
    once ``patience`` levels in a row have brought no improvement.
    """
    n, D = X.shape
    n_folds = fold.max() + 1
    errors = np.full(lambdas.size, np.inf)
    w, b = np.zeros((n_folds, D)), np.zeros((n_folds, 1))
    curvature, slope = np.zeros((n_folds, D)), np.zeros((n_folds, D))
    f, e, h = np.zeros((n_folds, n)), np.zeros((n_folds, n)), np.zeros((n_folds, n))
    weight, stop, previous = np.zeros((n_folds, n)), np.zeros(n_folds), np.zeros(n_folds)
    for c in range(n_folds):
        weight[c] = (fold != c) / np.sum(fold != c)
        stop[c] = tol * start_task(
            X, y, weight[c], w[c], b[c], f[c], e[c], h[c], curvature[c], slope[c],
            loss, fit_intercept,
        )  # fmt: skip
        previous[c] = np.abs(slope[c]).max()
    best = 0
    for step, level in enumerate(lambdas):
        total = 0.0
        for c in range(n_folds):
            solve_level(
                X, y, weight[c], level, previous[c], w[c], b[c], f[c], e[c], h[c],
                curvature[c], slope[c], loss, fit_intercept, stop[c],
            )  # fmt: skip
            total += total_loss(loss, y, f[c], (fold == c) / n)
            previous[c] = level
        errors[step] = total
        if total < errors[best]:
            best = step
        if step - best >= patience:
            break
    return errors


@compiled
def l1_sweeps(X, y, level, w, b, loss, fit_intercept, n_sweeps):
    """A few early-stopped sweeps on one task from w and b, in place (section 3.3)."""
    n, D = X.shape
    e, h, f, curvature = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(D)
    weight = np.full(n, 1.0 / n)
    everything = np.arange(D)
    predict_task(X, w, b, f)
    pull_and_stiffness(loss, y, f, weight, e, h)
    column_curvature(X, h, everything, curvature)
    for _ in range(n_sweeps):
        newton_step(
            X, y, weight, level, w, b, f, e, h, curvature, everything,
            loss, fit_intercept, 0.0, 1,
        )  # fmt: skip
