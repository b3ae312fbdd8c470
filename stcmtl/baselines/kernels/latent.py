"""Latent columns U shared by all tasks, under the l1 and the l1,inf norm, row by row."""

from typing import NamedTuple

import numpy as np

from stcmtl.solver.kernels.clusters import Model, shift_intercepts
from stcmtl.solver.kernels.losses import (
    SQUARED,
    Array,
    add_slopes,
    compiled,
    convex_step,
    dot,
    pull_and_stiffness,
    release_tasks,
    rows_of,
    soft_threshold,
)

MAX_ADMM_STEPS, ADMM_TOLERANCE = 1000, 1e-7
RELAXATION = 1.6
STEPS_A_LOOK = 4  # of ADMM, between looks at what they have found
LEAST_PIVOT, ROUNDING = 1e-12, 1e-12
BLOCK = 256  # rows at a time


class RowNorms(NamedTuple):
    """Levels of the l1 and the l1,inf norm."""

    l1: float
    linf: float


class Latent(NamedTuple):
    """The latent columns ``Z`` (K, N) = (X U)' of the rows, and the ``squares`` (D, T) of features
    in every task: sums over its rows of h x_d^2.
    """

    Z: Array
    squares: Array


@compiled
def open_latent(tasks, K):
    """Columns are yet to be filled in, and for labels squares too: theirs change with the fit."""
    (N, D), T, loss = tasks.X.shape, tasks.starts.size - 1, tasks.loss
    latent = Latent(np.empty((K, N)), np.empty((D, T)))
    if loss.kind == SQUARED:
        fill_squares(tasks.X, 2.0 * loss.weight, tasks.starts, latent.squares)
    return latent


@compiled
def fill_squares(X, h, starts, squares):
    for d in range(X.shape[1]):
        x = X[:, d]
        for i in range(starts.size - 1):
            total = 0.0
            for r in rows_of(starts, i):
                total += h[r] * x[r] * x[r]
            squares[d, i] = total


@compiled
def fill_blocks(squares, V, blocks):
    """blocks[d] = V diag(squares[d]) V': the curvature of each row of U."""
    K, T = V.shape
    blocks[:] = 0.0
    for i in range(T):
        for k in range(K):
            for m in range(K):
                both = V[k, i] * V[m, i]
                if both != 0.0:
                    for d in range(len(blocks)):
                        blocks[d, k, m] += both * squares[d, i]


@compiled
def shrink_row(z, l1, linf, u):
    """Fill u with argmin of |u - z|^2 / 2 + l1 |u|_1 + linf |u|_inf.

    Soft thresholds, then a cap on what is left: |u|_inf's share is what the cap cuts off.
    """
    K = z.size
    size = np.empty(K)
    for j in range(K):
        u[j] = soft_threshold(z[j], l1)
        size[j] = abs(u[j])
    if np.sum(size) <= linf:
        u[:] = 0.0
        return
    size.sort()
    cut, cap = 0.0, size[K - 1]
    for n in range(1, K + 1):
        cut += size[K - n]
        cap = (cut - linf) / n
        if n == K or cap >= size[K - n - 1]:
            break
    for j in range(K):
        u[j] = min(max(u[j], -cap), cap)


@compiled
def row_objective(C, z, l1, linf, u):
    """u'Cu / 2 - z'u + l1 |u|_1 + linf |u|_inf."""
    value, largest = 0.0, 0.0
    for j in range(u.size):
        value += u[j] * (0.5 * dot(C[j], u) - z[j]) + l1 * abs(u[j])
        largest = max(largest, abs(u[j]))
    return value + linf * largest


@compiled
def fill_inverse(C, rho, inverse):
    """inverse = (C + rho I)^-1 of a small positive definite matrix, by Gauss and Jordan: a call to
    LAPACK takes ten times as long.
    """
    K = len(C)
    for j in range(K):
        inverse[j] = C[j]
        inverse[j, j] += rho
    for j in range(K):
        pivot = 1.0 / inverse[j, j]
        inverse[j, j] = 1.0
        for m in range(K):
            inverse[j, m] *= pivot
        for i in range(K):
            if i != j:
                factor = inverse[i, j]
                inverse[i, j] = 0.0
                for m in range(K):
                    inverse[i, m] -= factor * inverse[j, m]


@compiled
def solve_like(C, z, l1, linf, like, u):
    """Fill u with the minimum of ``row_objective``, if its zeros, signs and largest entries are
    where ``like`` (not all zero) has them: it solves linear equations. Returns whether they are.
    """
    K, largest, n = u.size, np.max(np.abs(like)), 1
    place, along = np.empty(K, dtype=np.int64), np.empty(K)
    A, x, least = np.zeros((K, K)), np.zeros(K), LEAST_PIVOT * np.trace(C)
    for j in range(K):  # the largest ones are one unknown, the first
        along[j] = np.sign(like[j])
        place[j] = 0
        if 0.0 < abs(like[j]) < largest:
            place[j] = n
            n += 1
    x[0] = -linf
    for j in range(K):
        x[place[j]] += along[j] * z[j] - abs(along[j]) * l1
        for m in range(K):
            A[place[j], place[m]] += along[j] * along[m] * C[j, m]
    for j in range(n):
        if A[j, j] <= least:
            return False
        for i in range(j + 1, n):
            factor = A[i, j] / A[j, j]
            x[i] -= factor * x[j]
            for m in range(j, n):
                A[i, m] -= factor * A[j, m]
    for j in range(n - 1, -1, -1):
        for m in range(j + 1, n):
            x[j] -= A[j, m] * x[m]
        x[j] /= A[j, j]
    if np.min(x[:n]) <= 0.0 or np.max(x[:n]) > x[0]:
        return False
    for j in range(K):
        u[j] = along[j] * x[place[j]]
    for j in range(K):
        pull = z[j] - dot(C[j], u)
        slack = ROUNDING * (abs(z[j]) + l1 + linf)
        if along[j] == 0.0 and abs(pull) > l1 + slack:
            return False
        if abs(like[j]) == largest and along[j] * pull < l1 - slack:
            return False
    return True


@compiled
def fit_row(C, z, l1, linf, u):
    """min of u'Cu / 2 - z'u + l1 |u|_1 + linf |u|_inf from u, in place: by ADMM, until it is seen
    which entries are zero and which are largest.

    One copy of the row has the quadratic, the other, u, has both norms. Their multiplier
    starts where the quadratic's slope at u wants it. u never ends worse than it began.
    """
    K = u.size
    start = u.copy()
    shrink_row(z, l1, linf, u)
    if not u.any():  # then zero is the minimum, whatever C is
        return
    if start.any() and solve_like(C, z, l1, linf, start, u):
        return
    new, other, pulled = start.copy(), np.empty(K), np.empty(K)
    rho = np.trace(C) / K
    inverse, multiplier, moved = np.empty((K, K)), np.empty(K), np.empty(K)
    fill_inverse(C, rho, inverse)
    for j in range(K):
        multiplier[j] = (z[j] - dot(C[j], start)) / rho
    for step in range(1, MAX_ADMM_STEPS + 1):
        u[:] = new
        for j in range(K):
            pulled[j] = z[j] + rho * (u[j] - multiplier[j])
        for j in range(K):
            other[j] = RELAXATION * dot(inverse[j], pulled) + (1.0 - RELAXATION) * u[j]
            moved[j] = other[j] + multiplier[j]
        shrink_row(moved, l1 / rho, linf / rho, new)
        if step % STEPS_A_LOOK == 0 and new.any() and solve_like(C, z, l1, linf, new, u):
            return
        apart, size = 0.0, 0.0
        for j in range(K):
            multiplier[j] += other[j] - new[j]
            apart = max(apart, abs(new[j] - u[j]), abs(other[j] - new[j]))
            size = max(size, abs(other[j]))
        if apart <= ADMM_TOLERANCE * size:
            break
    u[:] = new
    if row_objective(C, z, l1, linf, u) > row_objective(C, z, l1, linf, start):
        u[:] = start


@compiled
def sweep_rows(tasks, at, model, norms, chosen):
    """One pass over the chosen rows of U; returns the largest change in the model's units."""
    X, starts, (U, V, _), (e, h, curvature) = tasks.X, tasks.starts, at, model
    K, loadings, largest = len(V), V.T.copy(), 0.0
    z, u = np.empty(K), np.empty(K)
    for d in range(X.shape[1]):
        if not chosen[d]:
            continue
        x, C = X[:, d], curvature[d]
        for k in range(K):
            z[k] = dot(C[k], U[d])
        add_slopes(x, e, starts, loadings, z)
        u[:] = U[d]
        fit_row(C, z, norms.l1, norms.linf, u)
        gain = 0.0
        for k in range(K):
            gain += C[k, k] * (u[k] - U[d, k]) ** 2
        largest = max(largest, gain)
        if gain > 0.0:
            release_tasks(x, e, h, starts, loadings, u - U[d])
        U[d] = u
    return largest


@compiled
def row_penalty(U, norms):
    """l1 |U|_1 + linf |U|_1,inf."""
    l1, linf = norms
    total = 0.0
    for d in range(len(U)):
        if np.any(U[d]):
            total += l1 * np.sum(np.abs(U[d])) + linf * np.max(np.abs(U[d]))
    return total


@compiled
def fit_rows(tasks, at, latent, f, norms, stop, max_sweeps):
    """U step: min over U, b of sum_rows weight L(y, X U v_i + b_i) + l1 |U|_1 + linf |U|_1,inf.

    One Newton step, in place with the predictions f and the latent columns; its model is
    descended upon until no row of those in use gains more than ``stop``. The objective does not
    rise. Returns the penalty.
    """
    X, starts, loss, fit_intercept = tasks.X, tasks.starts, tasks.loss, tasks.fit_intercept
    U, V, b = at
    (D, K), N = U.shape, f.size
    target, model = np.empty(N), Model(np.empty(N), np.empty(N), np.empty((D, K, K)))
    pull_and_stiffness(loss, f, model.e, model.h)
    if loss.kind != SQUARED:
        fill_squares(X, model.h, starts, latent.squares)
    fill_blocks(latent.squares, V, model.curvature)
    old, old_b = U.copy(), b.copy()
    before = row_penalty(U, norms)
    chosen = np.ones(D, dtype=np.bool_)
    for _ in range(max_sweeps):
        if fit_intercept:
            shift_intercepts(model.e, model.h, starts, b)
        gain = sweep_rows(tasks, at, model, norms, chosen)
        if gain <= stop or tasks.halt[0]:
            break
        for d in range(D):
            chosen[d] = np.any(U[d])
    latent_columns(X, U, latent.Z)
    predict_latent(tasks, at, latent.Z, target)
    after = row_penalty(U, norms)
    size = convex_step(loss, f, target, before, after)
    f[:] = target
    if size == 1.0:
        return after
    U[:] = old + size * (U - old)
    b[:] = old_b + size * (b - old_b)
    latent_columns(X, U, latent.Z)
    return row_penalty(U, norms)


@compiled
def latent_columns(X, U, Z):
    """Z (K, N) = (X U)', touching only features in use.

    Rows are taken by blocks and features by four, so that Z stays near the processor.
    """
    N, K = X.shape[0], U.shape[1]
    used = np.flatnonzero(np.array([np.any(U[d]) for d in range(len(U))]))
    features = np.zeros(4 * ((used.size + 3) // 4), dtype=np.int64)  # the last ones to fill up
    features[: used.size] = used
    u = np.zeros((features.size, K))
    u[: used.size] = U[used]
    Z[:] = 0.0
    for start in range(0, N, BLOCK):
        rows = slice(start, min(start + BLOCK, N))
        for d in range(0, features.size, 4):
            x0, x1 = X[rows, features[d]], X[rows, features[d + 1]]
            x2, x3 = X[rows, features[d + 2]], X[rows, features[d + 3]]
            for k in range(K):
                z, u0, u1, u2, u3 = Z[k, rows], u[d, k], u[d + 1, k], u[d + 2, k], u[d + 3, k]
                for r in range(z.size):
                    z[r] += u0 * x0[r] + u1 * x1[r] + u2 * x2[r] + u3 * x3[r]


@compiled
def predict_latent(tasks, at, Z, f):
    """f = Z' v_i + b_i for the rows of each task i."""
    (_, V, b), starts = at, tasks.starts
    for i in range(b.size):
        rows = slice(starts[i], starts[i + 1])
        f[rows] = b[i]
        for k in range(len(V)):
            if V[k, i] != 0.0:
                f[rows] += V[k, i] * Z[k, rows]
