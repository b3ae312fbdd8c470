"""Deviations as a mixed model has them: intercepts and slopes are draws around common ones.

    y_i - m_i = Z_i w_i + noise,   w_i ~ N(mean, Sigma),   Z_i = (1, X_i - middle)

m_i is what the mixture says of the slopes alone, from the middle of all rows on. Intercepts and
slopes have one law, so that one tells of the others. It is that of the largest restricted
likelihood, by EM. Each round, Sigma may be drawn towards its diagonal as if some more tasks, one
for each of the q effects, had been seen in which no two effects went together: of a few dozen tasks
the correlations are often mostly noise. Where effects are mixtures of a few patterns they are not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.slopes import SlopeSums, climb
from stcmtl.solver.problem import Problem
from stcmtl.stopping import halt, stop_if_asked

EM_STEPS = 60
WIDE = 10.0  # effects and noise to begin with, beside what is there: EM is slow to widen them
SMALLEST_SQUARE = 1e-10  # of a direction, beside the largest


class SlopeLaw(NamedTuple):
    """Effects are around ``mean`` (q,); ``price`` (q, q) is noise x inverse(Sigma). Features are
    counted from ``middle`` (D,). The intercept, if there is one, comes first.
    """

    mean: Array
    price: Array
    middle: Array

    def moved(self, by: float) -> SlopeLaw:
        """Of targets that are higher by so much: the common intercept is."""
        mean = self.mean.copy()
        mean[0] += by
        return self._replace(mean=mean)


def middle_of(problem: Problem) -> Array:
    """Of the features, over all rows; zero without intercepts."""
    return np.asarray(problem.counts @ problem.means / problem.counts.sum())


def mixture_levels(problem: Problem, f: Array, middle: Array) -> Array:
    """(T,): what predictions f (N,), linear in each task's features, are at the middle."""
    levels = np.zeros(problem.n_tasks)
    for i in range(problem.n_tasks if problem.fit_intercept else 0):
        stop_if_asked()
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
        stop_if_asked()
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


def solve_slopes(sums: SlopeSums, law: SlopeLaw) -> Array:
    """min over w_i of |r_i - Z_i w|^2 + (w - mean)' price (w - mean), one row per task."""
    price = law.price
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


def find_law(sums: SlopeSums, middle: Array, caution: float = 1.0) -> SlopeLaw:
    """The likeliest; where nothing varies, no task deviates. With ``caution``, so many tasks per
    effect seem to speak against correlations.
    """
    curvature = np.diagonal(sums.G.mean(axis=0))
    center = np.zeros(curvature.size)  # of the intercept's column too, which comes first
    center[curvature.size - middle.size :] = middle
    used = curvature > (SMALLEST_SQUARE * center) ** 2 * sums.counts.mean()
    largest = curvature.max(initial=0.0)  # beside which what is not used stays zero, in any unit
    mean, price = np.zeros(used.size), (largest if largest > 0.0 else 1.0) * np.eye(used.size)
    if used.any() and sums.squares.any():
        block = np.ix_(used, used)
        noise = WIDE * sums.squares.sum() / sums.counts.sum()
        part = sums._replace(
            G=np.ascontiguousarray(sums.G[:, *block]), c=np.ascontiguousarray(sums.c[:, used])
        )
        # rows that count less than effects have no likeliest law: noise would grow for ever
        bounds = SMALLEST_SQUARE * noise, noise / SMALLEST_SQUARE
        how = *bounds, caution * np.count_nonzero(used), EM_STEPS, halt()
        mean[used], inverse, left = climb(part, curvature[used], noise, *how)
        stop_if_asked()
        price[block] = left * inverse
    return SlopeLaw(mean, price, middle)


def outer(m: Array) -> Array:
    return m[:, :, None] * m[:, None, :]
