"""How far estimates may be from the truth: standard errors of loadings, strengths and clusters.

What was chosen by the fit (zeros of U, clusters of a task) makes its estimates biased, and
resamples repeat the bias. So one Newton step without penalty goes from the fit to estimates whose
errors are linear in the noise, and their covariance is Fisher's. Rows are divided by their noise.

    R_i = M_i X_i (v_i (x) I)      U's design, what task i can do itself taken out (M_i)
    C = (sum_i R_i'R_i)^-1,  dU = C sum_i R_i'r_i       on the nonzero entries of U
    v_i = least squares of y_i on X_i U, all K clusters free (on the simplex: their sum is one)
    its error = a_i noise_i - B_i dU,  a_i = (X_i U)^+,  B_i = a_i X_i (v_i (x) I)

All clusters are free because which ones a task has is uncertain too. A zero of U is freed alone.
Deviations of tasks, where the model has them, count as noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

from stcmtl.data.taskset import Array
from stcmtl.estimators.units import Loadings, Units, find_units
from stcmtl.estimators.whitened import TINY, Mixtures, White
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Iteration

MOST_TOGETHER = 500  # largest coefficients whose errors are found jointly; others given these
MOST_PAIRS = 20_000_000  # of coefficients: beyond, those that are left out count as uncorrelated
UNKNOWN = 1e-4  # of the information on coefficients: less is none, or rounding would spread
NO_INFORMATION = 1e-290  # whose inverse, over that, is still a number

Places = tuple[NDArray[np.int64], NDArray[np.int64]]


class Centers(NamedTuple):
    """U (D, K) after the step, standard errors, and C (A, A) on the ``used`` entries (d, k)."""

    U: Array
    se: Array
    used: Places
    C: Array


class Sums(NamedTuple):
    """Over tasks: R'R and R'r of the used entries; of all entries (D, K) their own, and with the
    used ones (K, D, A) if that is not too much.
    """

    information: Array
    score: Array
    squares: Array
    slopes: Array
    beside: Array | None


@dataclass(frozen=True)
class Estimate:
    """Values after the step, standard errors, and the degrees of freedom of their noise."""

    value: Array
    se: Array
    freedom: Array

    def interval(self, level: float, around: Array) -> tuple[Array, Array]:
        """Ends such that a share ``level`` of the intervals holds the truth, and all the fit's."""
        factor = student_t.ppf(0.5 + level / 2.0, self.freedom)
        reach = np.multiply(factor, self.se, out=np.zeros_like(self.se), where=self.se > 0)
        return np.minimum(self.value - reach, around), np.maximum(self.value + reach, around)


@dataclass(frozen=True)
class Precision:
    """Estimates of coefficients (D, K), memberships (K, T) and strengths (T,)."""

    coef: Estimate
    memberships: Estimate
    strength: Estimate


def step_centers(white: White, state: Iteration, zeros: bool = True) -> Centers:
    """U without penalty given which entries are not zero and, if asked, each of the others freed.

    A ridge stays: its estimates are those of a prior, and so are its errors.
    """
    U = white.U
    used = largest_entries(U, MOST_TOGETHER)
    sums = sum_over_tasks(white, used, zeros)
    if state.penalty == "ridge":
        information, score, squares, slopes, beside = sums
        price = ridge_price(white, state.gamma)
        information, score = information + price * np.eye(score.size), score - price * U[used]
        sums = Sums(information, score, squares + price, slopes - price * U, beside)
    return solve_centers(white, used, sums, zeros)


def solve_centers(mixtures: Mixtures, used: Places, sums: Sums, zeros: bool = True) -> Centers:
    """The step of ``step_centers``, by what its tasks sum up to."""
    U, (information, score, squares, slopes, beside) = mixtures.U, sums
    C = invert(mixtures, used, information)
    step = C @ score
    least = TINY * squares
    if beside is not None:
        squares = squares - np.einsum("kda,kda->dk", beside @ C, beside)
        slopes = slopes - (beside @ step).T
    free = (squares > least) & (zeros | (U != 0.0))
    se, stepped = np.full(U.shape, np.inf), U.copy()
    stepped[free] += slopes[free] / squares[free]
    se[free] = squares[free] ** -0.5
    stepped[used], se[used] = U[used] + step, np.sqrt(np.diag(C))
    return Centers(stepped, se, used, C)


def largest_entries(U: Array, most: int) -> Places:
    """Places (d, k) of what is not zero, at most so many."""
    d, k = np.nonzero(U)
    kept = np.sort(np.argsort(-np.abs(U[d, k]), kind="stable")[:most])
    return d[kept], k[kept]


def sum_over_tasks(white: White, used: Places, zeros: bool) -> Sums:
    (d, k), V, D = used, white.V, len(white.U)
    beside = np.zeros((len(V), D, d.size)) if zeros and white.U.size * d.size < MOST_PAIRS else None
    information, score = np.zeros((d.size, d.size)), np.zeros(d.size)
    squares, slopes = np.zeros(white.U.shape), np.zeros(white.U.shape)
    for i in range(white.problem.n_tasks):
        X, r = white.without_own(i)
        R, v = X[:, d] * V[k, i], V[:, i]
        information += R.T @ R
        score += R.T @ r
        squares += np.outer((X**2).sum(axis=0), v**2)
        slopes += np.outer(X.T @ r, v)
        if beside is not None:
            users = np.flatnonzero(v)
            beside[users] += v[users, None, None] * (X.T @ R)
    return Sums(information, score, squares, slopes, beside)


def ridge_price(white: White, level: float) -> float:
    """What level |u|^2 / 2 beside sum_i (1/n_i) L is beside the log likelihood."""
    price = level * float(white.problem.counts.mean())
    squared = white.problem.loss == SQUARED
    return 0.5 * price * float(white.weight.mean()) if squared else price


def invert(white: Mixtures, used: Places, information: Array) -> Array:
    """C, whatever the units; what data say nothing of is a hundred times as uncertain as usual.

    Off the simplex U_k may be longer and its loadings shorter: the convention decides, not data,
    and U_k keeps its length here.
    """
    root = np.sqrt(np.maximum(np.diag(information), NO_INFORMATION))
    along = np.zeros((root.size, len(white.V)))
    if not white.on_simplex:
        along[np.arange(root.size), used[1]] = white.U[used] * root
        lengths = np.linalg.norm(along, axis=0)
        along /= np.where(lengths > 0, lengths, 1.0)
    values, Q = np.linalg.eigh(information / np.outer(root, root) + along @ along.T)
    Q /= root[:, None]
    return np.asarray((Q / np.maximum(values, UNKNOWN)) @ Q.T)


def step_loadings(white: White, centers: Centers) -> Loadings:
    """Loadings of every task given U after the step, all clusters free."""
    d, k = centers.used
    T, K, A, C = white.problem.n_tasks, len(white.V), d.size, centers.C
    V, own = np.empty((K, T)), np.empty((T, K, K))
    both, slope = np.empty((T, K, A)), np.empty((T, K, A))
    U = np.where(white.U != 0.0, centers.U, 0.0)
    for i in range(T):
        X, r, v = white.task(i)
        r = r - X @ ((U - white.U) @ v)
        Z = X @ U @ white.moves
        own[i], inverse = free_moves(Z.T @ Z + white.prior, white.moves)
        V[:, i] = v + inverse @ (Z.T @ r - white.prior @ white.moves.T @ v)
        a = inverse @ Z.T
        slope[i] = (a @ X)[:, d] * V[k, i]
        both[i] = (a @ white.without_own(i)[0])[:, d] * v[k] @ C
    return Loadings(V, own, both, slope)


def free_moves(information: Array, moves: Array) -> tuple[Array, Array]:
    """Covariance (K, K) of the loadings, and the way from scores of moves to loadings.

    A move that does not change predictions is not made, and its variance is without bound.
    """
    values, Q = np.linalg.eigh(information)
    floor = TINY * values.max(initial=1.0)
    back, told = moves @ Q, values > floor
    covariance = (back / np.maximum(values, floor)) @ back.T
    return covariance, (back[:, told] / values[told]) @ Q[:, told].T


def coefficient_errors(problem: Problem, state: Iteration, shape: str) -> Array:
    """Standard errors (D, K) of U, NaN where it is zero; of a state without outliers."""
    if not len(state.V):
        return np.zeros(state.U.shape)
    used = np.flatnonzero(state.U.any(axis=1))
    white = White(problem, state, shape, features=used)
    centers = step_centers(white, state, zeros=False)
    se = centers.se
    if not white.on_simplex:
        se = scaled_errors(centers, find_units(white, step_loadings(white, centers), centers.C))
    errors = np.full(state.U.shape, np.nan)
    errors[used] = np.where((white.U != 0.0) & np.isfinite(se), se, np.nan)
    return errors


def find_precision(problem: Problem, state: Iteration, shape: str) -> Precision:
    """Of a state without outliers, in the problem's units; U's zeros are freed too."""
    white = White(problem, state, shape)
    centers = step_centers(white, state)
    loadings = step_loadings(white, centers)
    covariance, total = loadings.covariance(centers.C), np.array(white.freedom.max())
    if white.on_simplex:
        se = np.sqrt(np.maximum(np.einsum("tkk->kt", covariance), 0.0))
        strength = Estimate(np.ones(problem.n_tasks), np.zeros(problem.n_tasks), white.freedom)
        memberships = Estimate(loadings.V, se, white.freedom)
        return Precision(Estimate(centers.U, centers.se, total), memberships, strength)
    units = find_units(white, loadings, centers.C)
    coef = Estimate(centers.U * units.size, scaled_errors(centers, units), total)
    of_tasks = shares_and_strengths(loadings.V, covariance, units, white.signs)
    return Precision(coef, *(Estimate(*found, white.freedom) for found in of_tasks))


def scaled_errors(centers: Centers, units: Units) -> Array:
    """Of U's entries times the size of a loading: their own, and that of the size."""
    d, k = centers.used
    U, variance = centers.U[d, k], centers.se**2
    both, size = units.with_centers[np.arange(d.size), k], np.diag(units.covariance)[k]
    variance[d, k] += 2.0 * U * both + U**2 * size
    return np.sqrt(np.maximum(variance, 0.0)) * units.size


def shares_and_strengths(
    V: Array, covariance: Array, units: Units, signs: Array
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Memberships and strengths in the convention's units, each with errors by the delta method."""
    moved = units.with_loadings * V.T[:, None]
    both = V.T[:, :, None] * units.covariance * V.T[:, None]
    covariance = covariance - moved - moved.transpose(0, 2, 1) + both
    covariance = covariance / np.outer(units.size, units.size)
    V = V / units.size[:, None]
    S = np.sum(signs * V, axis=0)
    S_se = np.sqrt(np.maximum(np.einsum("kt,tkl,lt->t", signs, covariance, signs), 0.0))
    length = np.maximum(S, np.maximum(S_se, np.finfo(float).tiny))  # a share of nothing is unknown
    ways = np.where(signs == 0.0, 1.0, signs)
    shares = ways * V / length
    M = np.eye(len(V)) * ways.T[:, None] - shares.T[:, :, None] * signs.T[:, None]
    variance = np.einsum("tkl,tlm,tkm->kt", M, covariance, M, optimize=True)
    se = np.sqrt(np.maximum(variance, 0.0)) / length
    return (shares, se), (S, S_se)
