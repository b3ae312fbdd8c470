"""Losses and gradients of all tasks' linear models at once, for first-order methods."""

import numpy as np

from stcmtl.solver.kernels.losses import Loss, compiled, pull_and_stiffness, total_loss


@compiled
def fill_gradients(tasks, W, G):
    """The loss at W (T, D), and in G its gradient.

    Rows of X are contiguous, and taken by four, so that w and its gradient are gone through a
    quarter as often; those of weight 0 are left out.
    """
    X, starts, (kind, y, weight) = tasks.X, tasks.starts, tasks.loss
    total = 0.0
    for i in range(len(W)):
        seen = starts[i] + np.flatnonzero(weight[starts[i] : starts[i + 1]])
        loss = Loss(kind, y[seen], weight[seen])
        rows = np.full(4 * ((seen.size + 3) // 4), starts[i])  # the last ones to fill up
        rows[: seen.size] = seen
        f, e, h = np.empty(rows.size), np.zeros(rows.size), np.empty(rows.size)
        predict_rows(X, rows, W[i], f)
        total += total_loss(loss, f)
        pull_and_stiffness(loss, f, e, h)
        G[i] = 0.0
        subtract_rows(X, rows, e, G[i])
    return total


@compiled
def predict_rows(X, rows, w, f):
    """f = X w for the rows, of which there are a multiple of four."""
    for r in range(0, rows.size, 4):
        x0, x1, x2, x3 = X[rows[r]], X[rows[r + 1]], X[rows[r + 2]], X[rows[r + 3]]
        f0, f1, f2, f3 = 0.0, 0.0, 0.0, 0.0
        for d in range(w.size):
            f0 += x0[d] * w[d]
            f1 += x1[d] * w[d]
            f2 += x2[d] * w[d]
            f3 += x3[d] * w[d]
        f[r], f[r + 1], f[r + 2], f[r + 3] = f0, f1, f2, f3


@compiled
def subtract_rows(X, rows, e, g):
    """g -= X'e for the rows, of which there are a multiple of four."""
    for r in range(0, rows.size, 4):
        x0, x1, x2, x3 = X[rows[r]], X[rows[r + 1]], X[rows[r + 2]], X[rows[r + 3]]
        e0, e1, e2, e3 = e[r], e[r + 1], e[r + 2], e[r + 3]
        for d in range(g.size):
            g[d] -= e0 * x0[d] + e1 * x1[d] + e2 * x2[d] + e3 * x3[d]
