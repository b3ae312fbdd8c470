"""Losses and gradients of all tasks' linear models at once, for first-order methods."""

import numpy as np

from stcmtl.solver.kernels.losses import compiled, dot, loss_of_task, pull_and_stiffness, total_loss


@compiled
def extrapolated_gradients(tasks, W, momentum, f, G):
    """The loss at W (T, D), and in G its gradient at W + momentum (W - W_old).

    ``f`` holds the predictions of W_old and receives those of W: as they are linear in W, the
    point beyond it costs nothing. Rows of X are contiguous; those of weight 0 are left out.
    """
    X, starts, weight = tasks.X, tasks.starts, tasks.loss.weight
    N, D = X.shape
    e, h = np.empty(N), np.empty(N)
    total = 0.0
    for i in range(len(W)):
        rows, loss = slice(starts[i], starts[i + 1]), loss_of_task(tasks, i)
        w, g = W[i], G[i]
        beyond = np.empty(starts[i + 1] - starts[i])
        for r in range(starts[i], starts[i + 1]):
            new = dot(X[r], w) if weight[r] != 0.0 else 0.0
            beyond[r - starts[i]] = new + momentum * (new - f[r])
            f[r] = new
        total += total_loss(loss, f[rows])
        pull_and_stiffness(loss, beyond, e[rows], h[rows])
        g[:] = 0.0
        for r in range(starts[i], starts[i + 1]):
            if weight[r] != 0.0:
                for d in range(D):
                    g[d] -= e[r] * X[r, d]
    return total
