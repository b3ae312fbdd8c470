"""The squared loss by its sums alone: normal equations of U (Eq. 2), and their descent.

A task has X'X, X'y and y'y, and those of its folds; with tasks weighed by their memberships they
sum to one quadratic function of U, however many rows or tasks there are. ``halt`` is as in
``Tasks``.
"""

import numpy as np

from stcmtl.solver.kernels.clusters import MAX_SWEEPS, strong_rule
from stcmtl.solver.kernels.losses import Mcp, compiled, penalised_minimum, penalty_value


@compiled
def stack_task(X, y, i, starts):
    """Rows z = (x, y, 1) of task i side by side: columns of X lie far apart."""
    first, last = starts[i], starts[i + 1]
    D = X.shape[1]
    Z = np.ones((last - first, D + 2))
    Z[:, :D] = X[first:last]
    Z[:, D] = y[first:last]
    return Z


@compiled
def sum_products(Z, counts):
    """sum over rows of counts * z z'."""
    return np.dot(Z.T * counts, Z)


@compiled
def add_task(A, v, weight, H, g, square):
    """Add 2 * weight times A = sum of (x, y)(x, y)' to H (K, K, D, D), g (K, D), square (1,)."""
    K, D = g.shape
    for k in range(K):
        if v[k] == 0.0:
            continue
        scale = 2.0 * weight * v[k]
        for d in range(D):
            g[k, d] += scale * A[d, D]
        for m in range(K):
            if v[m] != 0.0:
                share = scale * v[m]
                for d in range(D):
                    for j in range(D):
                        H[k, m, d, j] += share * A[d, j]
    square[0] += weight * A[D, D]


@compiled
def sum_tasks(X, y, starts, counts, V, weight, H, g, square, halt):
    """The normal equations of tasks that are centred; ``weight`` (T,) is that of their rows."""
    for i in range(weight.size):
        if halt[0]:
            break
        Z = stack_task(X, y, i, starts)
        A = sum_products(Z, counts[starts[i] : starts[i + 1]])
        add_task(A, V[:, i], weight[i], H, g, square)


@compiled
def centre(A, sums, n, out):
    """out = sum of (z - mean)(z - mean)' for the mean of other rows, of which there are n.

    A and ``sums`` are products with z = (x, y, 1), which holds the rows' own number.
    """
    size = len(out)
    for d in range(size):
        for j in range(size):
            shift = sums[d] * A[j, size] + sums[j] * A[d, size]
            out[d, j] = A[d, j] - shift / n + A[size, size] * sums[d] * sums[j] / (n * n)


@compiled
def sum_folds(X, y, starts, counts, fold, V, weights, fit_intercept, H, g, square, halt):
    """Normal equations (2, F, ...) of each fold: without its rows, and of its rows held out.

    ``weights`` (2, F, T) are those of rows of a task. With intercepts both are around the means
    of the rows that are left: these are the intercepts given U.
    """
    D, (_, F, T) = X.shape[1], weights.shape
    A, none = np.empty((D + 1, D + 1)), np.zeros(D + 2)
    for i in range(T):
        rows = slice(starts[i], starts[i + 1])
        Z = stack_task(X, y, i, starts)
        total = sum_products(Z, counts[rows])
        for c in range(F):
            if halt[0]:
                return
            chosen = fold[rows] == c
            held = sum_products(Z[chosen], counts[rows][chosen])
            left = total - held
            n = left[D + 1, D + 1]
            if n > 0.0:
                sums = left[D + 1] if fit_intercept else none
                centre(left, sums, n, A)
                add_task(A, V[:, i], weights[0, c, i], H[0, c], g[0, c], square[0, c])
                centre(held, sums, n, A)
                add_task(A, V[:, i], weights[1, c, i], H[1, c], g[1, c], square[1, c])


@compiled
def solve_feature(u, slope, curvature, levels, bend, step, largest):
    """The K coefficients of one feature together; returns the largest curvature * step^2."""
    K = u.size
    step[:] = 0.0
    for _ in range(10):
        gain = 0.0
        for k in range(K):
            c, old = curvature[k, k], u[k]
            if c == 0.0:  # a constant feature, or a cluster without tasks
                u[k] = 0.0
                continue
            new = penalised_minimum(c * old + slope[k], c, levels[k], bend[k])
            change = new - old
            if change != 0.0:
                u[k] = new
                step[k] += change
                for m in range(K):
                    slope[m] -= curvature[k, m] * change
                gain = max(gain, c * change * change)
        largest = max(largest, gain)
        if gain <= 1e-3 * largest:
            break
    return largest


@compiled
def sweep_normal(H, U, S, mcp, chosen, slopes):
    """One pass over the chosen features, as ``sweep_clusters`` has it; S (D, K) are all slopes."""
    D, K = U.shape
    largest = 0.0
    step = np.zeros(K)
    for d in range(D):
        if not chosen[d]:
            continue
        slopes[d] = S[d]
        curvature = H[d, :, d, :]
        bend = mcp.concavity[d]
        largest = solve_feature(U[d], slopes[d], curvature, mcp.levels, bend, step, largest)
        for k in range(K):
            if step[k] != 0.0:
                for j in range(D):
                    for m in range(K):
                        S[j, m] -= H[d, k, j, m] * step[k]
    return largest


@compiled
def normal_path(H, g, U, levels, inverse_a, stop, halt):
    """min over U of u'Hu / 2 - g'u + penalty(U), in place from U, for levels (steps, K) in order.

    H is (D, K, D, K), g is (D, K). Returns U (steps, D, K) and the penalty (steps,) at each.
    """
    D, K = U.shape
    found, penalty = np.empty((len(levels), D, K)), np.empty(len(levels))
    slopes, previous, concavity = np.full((D, K), np.inf), levels[0], np.zeros((D, K))
    S = g.copy()
    for d in range(D):
        for k in range(K):
            concavity[d, k] = inverse_a * H[d, k, d, k]
            if U[d, k] != 0.0:
                S -= H[d, k] * U[d, k]
    for place in range(len(levels)):
        mcp = Mcp(levels[place], concavity)
        chosen = strong_rule(U, slopes, levels[place], previous)
        for _ in range(MAX_SWEEPS):
            if halt[0]:
                break
            if sweep_normal(H, U, S, mcp, chosen, slopes) > stop:
                for d in range(D):
                    chosen[d] = np.any(U[d])
            elif chosen.all():
                break
            else:
                chosen[:] = True  # what was chosen has settled: look at the others again
        found[place] = U
        penalty[place] = penalty_value(U, mcp)
        previous = levels[place]
    return found, penalty
