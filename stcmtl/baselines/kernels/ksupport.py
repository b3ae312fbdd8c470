"""Weights of one task on latent columns, under the squared k-support norm.

The norm has the variational form (Argyriou, Foygel and Srebro; McDonald, Pontil and Stamos)

    (|v|_k^sp)^2 = min over shares 0 <= s <= 1, sum s <= k, of sum_j v_j^2 / s_j

which gives its value and its proximal operator by one search for a number.
"""

import numpy as np

from stcmtl.solver.kernels.losses import (
    compiled,
    convex_step,
    dot,
    loss_of_task,
    pull_and_stiffness,
)

MAX_STEPS, TOLERANCE = 500, 1e-8


@compiled
def total_share(a, z, shift):
    total = 0.0
    for j in range(z.size):
        total += min(max(a * abs(z[j]) - shift, 0.0), 1.0)
    return total


@compiled
def fill_shares(z, shift, k, shares):
    """shares = a |z| - shift, clipped to [0, 1], with the a at which they sum to k.

    With at most k nonzero entries each of them has a full share.
    """
    n_nonzero = np.count_nonzero(z)
    if n_nonzero <= k:
        for j in range(z.size):
            shares[j] = 1.0 if z[j] != 0.0 else 0.0
        return
    corners = np.empty(2 * n_nonzero)  # the values of a at which an entry leaves 0 or meets 1
    n = 0
    for j in range(z.size):
        if z[j] != 0.0:
            corners[n] = shift / abs(z[j])
            corners[n + 1] = (1.0 + shift) / abs(z[j])
            n += 2
    corners.sort()
    low, high = 0, n - 1  # their total is at most k at one, and above k at the other
    while high - low > 1:
        middle = (low + high) // 2
        if total_share(corners[middle], z, shift) <= k:
            low = middle
        else:
            high = middle
    below, above = total_share(corners[low], z, shift), total_share(corners[high], z, shift)
    a = corners[low]
    if above > below:
        a += (corners[high] - corners[low]) * (k - below) / (above - below)
    for j in range(z.size):
        shares[j] = min(max(a * abs(z[j]) - shift, 0.0), 1.0)


@compiled
def squared_ksupport(v, k):
    """(|v|_k^sp)^2."""
    shares = np.empty(v.size)
    fill_shares(v, 0.0, k, shares)
    total = 0.0
    for j in range(v.size):
        if shares[j] > 0.0:
            total += v[j] * v[j] / shares[j]
    return total


@compiled
def squared_norms(V, k):
    """The sum over columns of V."""
    total = 0.0
    for i in range(V.shape[1]):
        total += squared_ksupport(V[:, i], k)
    return total


@compiled
def shrink_ksupport(z, level, k, v):
    """Fill v with argmin of |v - z|^2 / 2 + level / 2 (|v|_k^sp)^2."""
    shares = np.empty(z.size)
    fill_shares(z, level, k, shares)
    for j in range(z.size):
        v[j] = z[j] * shares[j] / (shares[j] + level) if shares[j] > 0.0 else 0.0


@compiled
def descend_weights(A, g, mu, k, v):
    """min of v'Av / 2 - g'v + mu (|v|_k^sp)^2 from v, in place: accelerated, with restarts."""
    K = v.size
    steepest = 0.0
    for j in range(K):
        steepest = max(steepest, np.sum(np.abs(A[j])))  # no eigenvalue is larger
    if steepest == 0.0:
        v[:] = 0.0
        return
    at, old, z = v.copy(), v.copy(), np.empty(K)
    momentum = 1.0
    for _ in range(MAX_STEPS):
        for j in range(K):
            z[j] = at[j] + (g[j] - dot(A[j], at)) / steepest
        shrink_ksupport(z, 2.0 * mu / steepest, k, v)
        moved, size, ahead = 0.0, 0.0, 0.0
        for j in range(K):
            moved = max(moved, abs(v[j] - old[j]))
            size = max(size, abs(v[j]))
            ahead += (at[j] - v[j]) * (v[j] - old[j])
        if moved <= TOLERANCE * size:
            return
        if ahead > 0.0:  # the momentum leads uphill
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
        for j in range(K):
            at[j] = v[j] + (momentum - 1.0) / following * (v[j] - old[j])
            old[j] = v[j]
        momentum = following


@compiled
def model_of_task(Z, e, h, v, fit_intercept, A, g, center):
    """Fill the quadratic model v'Av / 2 - g'v at v of a task with latent columns Z (K, n).

    With an intercept, of its minimum over the intercept: columns are centred by ``center``.
    """
    K, n = Z.shape
    center[:] = 0.0
    if fit_intercept:
        stiffness = np.sum(h)
        for j in range(K):
            center[j] = dot(Z[j], h) / stiffness
    centred, weighed = np.empty((K, n)), np.empty(n)
    for j in range(K):
        for r in range(n):
            centred[j, r] = Z[j, r] - center[j]
            weighed[r] = h[r] * centred[j, r]
        g[j] = dot(centred[j], e)
        for m in range(j + 1):
            A[j, m] = A[m, j] = dot(weighed, centred[m])
    for j in range(K):
        g[j] += dot(A[j], v)


@compiled
def fit_columns(tasks, Z, V, b, f, mu, k):
    """V step: min over v_i, b_i of sum_rows weight L(y, Z v_i + b_i) + mu (|v_i|_k^sp)^2.

    One Newton step for every task, in place with its predictions f; exact for the squared
    loss. No task's objective rises. Returns the sum of the squared norms.
    """
    K, T = V.shape
    starts, fit_intercept = tasks.starts, tasks.fit_intercept
    A, g, center, norms = np.empty((K, K)), np.empty(K), np.empty(K), 0.0
    for i in range(T):
        rows, loss = slice(starts[i], starts[i + 1]), loss_of_task(tasks, i)
        n = starts[i + 1] - starts[i]
        e, h, target = np.empty(n), np.empty(n), np.empty(n)
        pull_and_stiffness(loss, f[rows], e, h)
        old = V[:, i].copy()
        v = old.copy()
        model_of_task(Z[:, rows], e, h, v, fit_intercept, A, g, center)
        descend_weights(A, g, mu, k, v)
        shift = np.sum(e) / np.sum(h) if fit_intercept else 0.0
        for j in range(K):
            shift -= center[j] * (v[j] - old[j])
        target[:] = f[rows] + shift
        for j in range(K):
            if v[j] != old[j]:
                target += (v[j] - old[j]) * Z[j, rows]
        before, after = squared_ksupport(old, k), squared_ksupport(v, k)
        size = convex_step(loss, f[rows], target, mu * before, mu * after)
        f[rows] = target
        b[i] += size * shift
        V[:, i] = v if size == 1.0 else old + size * (v - old)
        norms += after if size == 1.0 else squared_ksupport(V[:, i], k)
    return norms
