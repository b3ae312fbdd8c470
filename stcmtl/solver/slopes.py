"""Deviations as a mixed model has them: intercepts and slopes are draws around common ones.

    y_i - m_i = Z_i w_i + noise,   w_i ~ N(mean, Sigma),   Z_i = (1, X_i - middle)

m_i is what the mixture says of the slopes alone, from the middle of all rows on. Intercepts and
slopes have one law, so that one tells of the others. It is that of the largest restricted
likelihood, by EM. Each round, Sigma is drawn towards its diagonal as if q more tasks, one for each
of the q effects, had been seen in which no two effects went together: of a few dozen tasks the
correlations are mostly noise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.problem import Problem

EM_STEPS = 60
SMALLEST_SQUARE = 1e-10  # of a direction, beside the largest
NEARLY_FLAT = 1e-8  # of the mean's information: two features may be one


class SlopeLaw(NamedTuple):
    """Effects are around ``mean`` (q,); ``price`` (q, q) is noise x inverse(Sigma). Features are
    counted from ``middle`` (D,). The intercept, if there is one, comes first.
    """

    mean: Array
    price: Array
    middle: Array


class SlopeSums(NamedTuple):
    """Of each task's rows: Z'Z (T, q, q), Z'r (T, q), r'r (T,) and the number of rows (T,), each as
    often as it counts."""

    G: Array
    c: Array
    squares: Array
    counts: Array


def middle_of(problem: Problem) -> Array:
    """Of the features, over all rows; zero without intercepts."""
    return np.asarray(problem.counts @ problem.means / problem.counts.sum())


def mixture_levels(problem: Problem, f: Array, middle: Array) -> Array:
    """(T,): what predictions f (N,), linear in each task's features, are at the middle."""
    levels = np.zeros(problem.n_tasks)
    for i in range(problem.n_tasks if problem.fit_intercept else 0):
        rows = problem.rows(i)
        X = problem.X[rows]
        line = np.linalg.lstsq(X, f[rows] - f[rows].mean(), rcond=SMALLEST_SQUARE)[0]
        levels[i] = f[rows].mean() + (middle - problem.means[i] - X.mean(axis=0)) @ line
    return levels


def sum_slopes(problem: Problem, r: Array, middle: Array, kept: NDArray[np.bool_]) -> SlopeSums:
    """Of residuals r (N,), of the rows that are kept (N,)."""
    T, q = problem.n_tasks, problem.n_features + problem.fit_intercept
    sums = SlopeSums(np.empty((T, q, q)), np.empty((T, q)), np.empty(T), np.empty(T))
    for i in range(T):
        rows = problem.rows(i)
        chosen = kept[rows]
        Z = problem.X[rows][chosen] + problem.means[i] - middle
        if problem.fit_intercept:
            Z = np.column_stack([np.ones(len(Z)), Z])
        counts = problem.row_counts[rows][chosen]
        part, Z = np.sqrt(counts) * r[rows][chosen], np.sqrt(counts)[:, None] * Z
        sums.G[i], sums.c[i] = Z.T @ Z, Z.T @ part
        sums.squares[i], sums.counts[i] = part @ part, counts.sum()
    return sums


def solve_slopes(sums: SlopeSums, law: SlopeLaw, level: float) -> Array:
    """min over w_i of |r_i - Z_i w|^2 + level (w - mean)' price (w - mean), one row per task."""
    price = level * law.price
    try:
        slopes = np.linalg.solve(sums.G + price, (sums.c + price @ law.mean)[..., None])[..., 0]
    except np.linalg.LinAlgError:
        slopes = stay_near(sums, law.mean, price)
    return np.asarray(slopes, dtype=np.float64)


def stay_near(sums: SlopeSums, mean: Array, price: Array) -> Array:
    """The same where rows count so much that rounding forgets the price: what they leave open
    stays at the mean."""
    A = sums.G + price
    root = np.sqrt(np.diagonal(A, axis1=1, axis2=2))
    inverse = np.linalg.pinv(A / outer(root), rcond=SMALLEST_SQUARE, hermitian=True)
    away = (sums.c - sums.G @ mean) / root
    return mean + np.einsum("tde,te->td", inverse, away) / root


def find_law(sums: SlopeSums, middle: Array) -> SlopeLaw:
    """The likeliest; where nothing varies, no task deviates."""
    curvature = np.diagonal(sums.G.mean(axis=0))
    used = curvature > SMALLEST_SQUARE * curvature.max(initial=np.finfo(float).tiny)
    largest = curvature.max(initial=0.0)  # beside which what is not used stays zero, in any unit
    mean, price = np.zeros(used.size), (largest if largest > 0.0 else 1.0) * np.eye(used.size)
    if used.any() and sums.squares.any():
        part = sums._replace(G=sums.G[:, used][:, :, used], c=sums.c[:, used])
        mean[used], price[np.ix_(used, used)] = climb(part, curvature[used])
    return SlopeLaw(mean, price, middle)


def climb(sums: SlopeSums, curvature: Array) -> tuple[Array, Array]:
    """EM for mean and price, for as long as rounding leaves Sigma positive definite: rows that
    count 1e20 times as much as others, or columns that are nearly one, can have it otherwise.
    """
    noise = sums.squares.sum() / sums.counts.sum()
    law = np.zeros(curvature.size), np.diag(noise / curvature), noise
    floor = SMALLEST_SQUARE * noise
    for _ in range(EM_STEPS):
        try:
            found = climb_once(sums, law, floor, curvature)
            np.linalg.cholesky(found[1])
        except np.linalg.LinAlgError:
            break
        if found[2] > noise / SMALLEST_SQUARE:  # rows that count less than effects: no likeliest
            break
        law = found
    mean, Sigma, left = law
    return mean, left * np.linalg.inv(Sigma)


def climb_once(
    sums: SlopeSums, law: tuple[Array, Array, float], smallest: float, curvature: Array
) -> tuple[Array, Array, float]:
    """Mean, Sigma and noise; the mean is flat, and averaged over with the tasks' effects."""
    G, c, squares, counts = sums
    T, q = c.shape
    _, Sigma, noise = law
    inverse = np.linalg.inv(Sigma)
    A = np.linalg.inv(G / noise + inverse)  # of effects where the mean is known
    R = A @ inverse  # how far they follow it
    information = (inverse @ (A @ G).sum(axis=0)) / noise
    information = 0.5 * (information + information.T)
    C = np.linalg.inv(information + NEARLY_FLAT * np.diag(np.diag(information)))
    mean = C @ (inverse @ np.einsum("tde,te->d", A, c)) / noise
    m = np.einsum("tde,te->td", A, c / noise + inverse @ mean)
    apart, loose = m - mean, R - np.eye(q)
    Sigma = (A + spread_of(loose, C) + outer(apart)).mean(axis=0)
    Sigma = (T * Sigma + q * np.diag(np.diag(Sigma))) / (T + q)
    Sigma = 0.5 * (Sigma + Sigma.T) + np.diag(smallest / curvature)
    second = A + spread_of(R, C) + outer(m)
    left = squares - 2.0 * np.einsum("td,td->t", m, c) + np.einsum("tde,ted->t", G, second)
    return mean, Sigma, max(left.sum() / counts.sum(), smallest)


def spread_of(R: Array, C: Array) -> Array:
    """R_i C R_i' of every task."""
    return np.asarray(R @ C @ R.transpose(0, 2, 1))


def outer(m: Array) -> Array:
    return m[:, :, None] * m[:, None, :]
