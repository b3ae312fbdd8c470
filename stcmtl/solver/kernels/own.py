"""Tasks' own coefficients beside given predictions, under an l2 or an l1 penalty.

With rows turned into directions that do not correlate (``M`` = X B, M'M = diag(squares)), the
minimum of a squared loss is explicit (``shrink``). Under the logistic loss it is that of a
quadratic above the loss, again and again, with Nesterov's momentum.
"""

import numpy as np

from stcmtl.solver.kernels.losses import Loss, compiled, pull_and_stiffness
from stcmtl.solver.kernels.single import Task, l1_path, resume_path

BEND = 0.25  # of a row's loss, at most
MAX_STEPS, STEP_TOLERANCE = 100, 1e-7
MAX_NEWTON_STEPS, STEP_OF_NEWTON = 50, 1e-12


@compiled
def shrink(pull, squares, level, unsquared):
    """argmin over z of sum_j (squares_j z_j^2 / 2 - pull_j z_j) + level |z|^2 / 2, or level |z|."""
    if not unsquared:
        return pull / (squares + level)
    length = np.sqrt(np.sum(pull * pull))
    if length <= level:
        return np.zeros(pull.size)
    # |z| = level / h where z = pull / (squares + h). In h, 1 / |z| is concave: from beyond the
    # solution, Newton's steps lead down to it.
    h = squares.max() * level / (length - level)
    for _ in range(MAX_NEWTON_STEPS):
        size, fall = 0.0, 0.0
        for j in range(pull.size):
            z = pull[j] / (squares[j] + h)
            size += z * z
            fall += z * z / (squares[j] + h)
        root = np.sqrt(size)
        step = (level / root - h) / (level * fall / (size * root) - 1.0)
        h -= step
        if step <= STEP_OF_NEWTON * h:
            break
    return pull / (squares + h)


@compiled
def own_path(M, squares, loss, offset, levels, unsquared, fit_intercept, z, b, halt):
    """min over z, b of sum of L(y, offset + M z + b) + level |z|^2 / 2, or level |z|; two labels.

    For falling levels, from z and b on, in units in which the loss bends by one. Columns of M are
    centred if there is an intercept. Returns z (levels, r) and b (levels,). ``halt`` is as in
    ``Tasks``.
    """
    r = M.shape[1]
    n = np.sum(loss.weight)  # rows, as often as they count
    e, h = np.empty(len(M)), np.empty(len(M))
    Z, B = np.zeros((levels.size, r)), np.zeros(levels.size)
    for step in range(levels.size):
        ahead, b_ahead, momentum, before = z, b, 1.0, np.inf
        for _ in range(MAX_STEPS):
            if halt[0]:
                break
            pull_and_stiffness(loss, offset + M @ ahead + b_ahead, e, h)
            new = shrink(squares * ahead + (M.T @ e) / BEND, squares, levels[step], unsquared)
            b_new = b_ahead + (e.mean() * (len(M) / n) / BEND if fit_intercept else 0.0)
            moved = np.sum(squares * (new - z) ** 2) + n * (b_new - b) ** 2
            if moved > before:  # too far: without momentum again
                momentum = 1.0
            faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
            ahead = new + (momentum - 1.0) / faster * (new - z)
            b_ahead = b_new + (momentum - 1.0) / faster * (b_new - b)
            z, b, momentum, before = new, b_new, faster, moved
            if moved <= STEP_TOLERANCE * n:
                break
        Z[step] = z
        B[step] = b
    return Z, B


@compiled
def sparse_paths(tasks, kept, offset, order, levels, unit, tol, previous, W, b):
    """``l1_path`` of every task for levels x unit / sqrt(n), with features in its ``order`` (T, D).

    Of the rows that are kept, which have the weights of how often they count, n times in all. From
    coefficients (D, T) and intercepts (T,) that solve the level ``previous``, if that is a number.
    Returns (levels, D, T) and (levels, T).
    """
    T, D = order.shape
    found, intercepts = np.zeros((levels.size, D, T)), np.zeros((levels.size, T))
    for i in range(T):
        if tasks.halt[0]:
            break
        rows = np.flatnonzero(kept[tasks.starts[i] : tasks.starts[i + 1]]) + tasks.starts[i]
        n = np.sum(tasks.loss.weight[rows])
        loss = Loss(tasks.loss.kind, tasks.loss.y[rows], tasks.loss.weight[rows] / n)
        columns, w = np.empty((D, rows.size)), np.empty(D)
        for j in range(D):
            w[j] = W[order[i, j], i]
            for r in range(rows.size):
                columns[j, r] = tasks.X[rows[r], order[i, j]]
        part = Task(columns, loss, tasks.fit_intercept, offset[rows], tasks.halt)
        scale = unit / np.sqrt(n)
        if np.isnan(previous):
            path, b_path = l1_path(part, levels * scale, tol)
        else:
            path, b_path = resume_path(part, levels * scale, tol, previous * scale, w, b[i])
        for j in range(D):
            found[:, order[i, j], i] = path[:, j]
        intercepts[:, i] = b_path
    return found, intercepts
