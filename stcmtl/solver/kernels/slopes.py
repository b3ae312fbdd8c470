"""The law of a mixed model, by EM: effects of tasks are normal around common ones."""

from typing import NamedTuple

import numpy as np

from stcmtl.solver.kernels.losses import Array, compiled

NEARLY_FLAT = 1e-8  # of the mean's information: two features may be one


class SlopeSums(NamedTuple):
    """Of each task's rows: Z'Z (T, q, q), Z'r (T, q), r'r (T,) and the number of rows (T,), each as
    often as it counts."""

    G: Array
    c: Array
    squares: Array
    counts: Array


@compiled
def times(X, Y, out):
    """X Y', which is X Y where Y is symmetric."""
    for j in range(len(X)):
        for k in range(len(Y)):
            total = 0.0
            for m in range(X.shape[1]):
                total += X[j, m] * Y[k, m]
            out[j, k] = total


@compiled
def invert(A, L, M, inverse):
    """By the factor of A = L L' and M = inverse(L)'; false if A is not positive definite."""
    q = len(A)
    for j in range(q):
        for k in range(j + 1):
            total = A[j, k]
            for m in range(k):
                total -= L[j, m] * L[k, m]
            if k < j:
                L[j, k] = total / L[k, k]
            elif total > 0.0:
                L[j, j] = np.sqrt(total)
            else:
                return False
    for k in range(q):
        M[k, k] = 1.0 / L[k, k]
        for j in range(k + 1, q):
            total = 0.0
            for m in range(k, j):
                total -= L[j, m] * M[k, m]
            M[k, j] = total / L[j, j]
    for j in range(q):
        for k in range(j + 1):
            total = 0.0
            for m in range(j, q):
                total += M[j, m] * M[k, m]
            inverse[j, k] = total
            inverse[k, j] = total
    return True


@compiled
def climb_once(sums, inverse, noise, smallest, curvature, unseen, mean, Sigma):
    """One round, from the inverse of Sigma and the noise, into mean (q,) and Sigma (q, q).

    The mean is flat, and averaged over with the tasks' effects. Returns the noise, or NaN where
    rounding leaves no round.

        A_i = inverse(G_i / noise + inverse)     covariance of effects, were the mean known
        B_i = A_i G_i / noise                    how far effects go by their own rows
        C   = inverse(sum of inverse B_i)        covariance of the mean
        m_i = A_i (c_i / noise + inverse mean)

    Sigma is the mean over tasks of A_i + B_i C B_i' + (m_i - mean)(m_i - mean)'.
    """
    G, c, squares, counts = sums
    T, q = c.shape
    A, B = np.empty((T, q, q)), np.empty((T, q, q))
    C, L, M, part = np.empty((q, q)), np.empty((q, q)), np.empty((q, q)), np.empty((q, q))
    own, both, pull, m = np.zeros((q, q)), np.zeros((q, q)), np.zeros(q), np.empty(q)
    for i in range(T):
        for j in range(q):
            for k in range(q):
                part[j, k] = G[i, j, k] / noise + inverse[j, k]
        if not invert(part, L, M, A[i]):
            return np.nan
        times(A[i], G[i], B[i])
        times(B[i], A[i], part)
        for j in range(q):
            for k in range(q):
                B[i, j, k] /= noise
                own[j, k] += B[i, j, k]
                both[j, k] += part[j, k] / noise
                pull[j] += A[i, j, k] * c[i, k]
    times(inverse, own.T, part)
    information = 0.5 * (part + part.T)
    for d in range(q):
        information[d, d] *= 1.0 + NEARLY_FLAT
    if not invert(information, L, M, C):
        return np.nan
    mean[:] = C @ (inverse @ pull) / noise
    common = inverse @ mean
    # what rows leave: expected squares given effects, which vary by A_i and with the mean
    left = np.sum(squares) + noise * (np.trace(own) + np.sum((inverse @ both @ inverse) * C))
    Sigma[:] = 0.0
    for i in range(T):
        times(B[i], C, L)
        times(L, B[i], part)
        for j in range(q):
            m[j] = 0.0
            for k in range(q):
                m[j] += A[i, j, k] * (c[i, k] / noise + common[k])
        for j in range(q):
            follows = -2.0 * c[i, j]
            for k in range(q):
                follows += G[i, j, k] * m[k]
                Sigma[j, k] += A[i, j, k] + part[j, k] + (m[j] - mean[j]) * (m[k] - mean[k])
            left += m[j] * follows
    # as if more tasks had been seen, so many ``unseen``, in which no two effects went together
    variances = np.diag(Sigma) / T
    Sigma[:] = 0.5 * (Sigma + Sigma.T) / (T + unseen)
    for d in range(q):
        Sigma[d, d] = variances[d] + smallest / curvature[d]
    return max(left / np.sum(counts), smallest)


@compiled
def climb(sums, curvature, noise, smallest, largest, unseen, steps, halt):
    """EM for the mean and the inverse of Sigma, beside the noise that is left.

    For as long as rounding leaves Sigma positive definite, as rows that count 1e20 times as much
    as others may not, and the noise is not above the ``largest``. ``halt`` is as in ``Tasks``.
    """
    q = curvature.size
    mean, inverse = np.zeros(q), np.diag(curvature / noise)
    new_mean, Sigma, new_inverse = np.empty(q), np.empty((q, q)), np.empty((q, q))
    L, M = np.empty((q, q)), np.empty((q, q))
    for _ in range(steps):
        if halt[0]:
            break
        left = climb_once(sums, inverse, noise, smallest, curvature, unseen, new_mean, Sigma)
        if not left <= largest or not invert(Sigma, L, M, new_inverse):
            break
        noise = left
        mean[:] = new_mean
        inverse[:] = new_inverse
    return mean, inverse, noise
