"""How sure the place of a new task is, given the clusters of a model.

    v_free = least squares of y on X U, all clusters free (on the simplex: their sum is one)
    its covariance = (Z'Z)^-1 + A C A',  Z = X U with rows divided by their noise,
    A = (Z'Z)^-1 Z'X,  C = the variances of (U - truth) v, feature by feature

The first part is what few rows leave open, the second what the clusters themselves do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, norm

from stcmtl.data.taskset import Array
from stcmtl.estimators.intervals import free_moves
from stcmtl.solver.kernels.losses import Loss, pull_and_stiffness
from stcmtl.solver.memberships import usual_squares
from stcmtl.solver.problem import SQUARED, Problem

OUTLINE = 120  # points around a region
MOST_REGIONS = 5  # more would cover one another
LEVEL = 0.95
FEWEST_SPARE = 5  # rows beyond what is fitted, for a task's own noise to have a say
TINY = 1e-12


class Places(NamedTuple):
    """Of every new task: the free loadings (T, K), their covariance (T, K, K), and ends (T, K) of
    intervals that hold its true shares in 19 of 20 cases.
    """

    free: Array
    covariance: Array
    low: Array
    high: Array


def find_places(problem: Problem, model: Any, U: Array, V: Array, b: Array) -> Places:
    """Of tasks with loadings V (K, T) and intercepts b (T,); U (D, K) in the problem's units."""
    K, T = V.shape
    on_simplex = model.shape_ == "simplex"
    moves = np.linalg.svd(np.ones((1, K)))[2][1:].T if on_simplex and K else np.eye(K)
    prior = np.zeros(moves.shape[1:] * 2)
    if not on_simplex and K:
        prior = np.diag(1.0 / usual_squares(model.loadings_.T))
    se = problem.scaled_coefficients(np.nan_to_num(errors_of(model)).T)
    free, covariance = V.T.copy(), np.zeros((T, K, K))
    for i in range(T if moves.size else 0):
        X, r = whiten(problem, model, i, U, V[:, i], float(b[i]))
        Z = X @ U @ moves
        covariance[i], inverse = free_moves(Z.T @ Z + prior, moves)
        free[i] += inverse @ (Z.T @ r - prior @ moves.T @ V[:, i])
        A = inverse @ (Z.T @ X)
        covariance[i] += (A * (se**2 @ V[:, i] ** 2)) @ A.T
    return Places(free, covariance, *share_ends(free, covariance, V.T, on_simplex))


def errors_of(model: Any) -> Array:
    """Standard errors (K, D) of clusters, which a model of an earlier release does not know."""
    return np.asarray(getattr(model, "cluster_coef_se_", np.zeros_like(model.cluster_coef_)))


def whiten(
    problem: Problem, model: Any, i: int, U: Array, v: Array, b: float
) -> tuple[Array, Array]:
    """X (n, D) and the residual (n,) of a task, free of its intercept, divided by their noise."""
    rows = problem.rows(i)
    X, y, counts = problem.X[rows], problem.y[rows], problem.row_counts[rows]
    f = X @ U @ v + b
    pull, stiffness = np.empty(f.size), np.empty(f.size)
    pull_and_stiffness(Loss(problem.loss, y, counts), f, pull, stiffness)
    residual = pull / np.maximum(stiffness, TINY)
    if problem.loss == SQUARED:
        spare = counts.sum() - len(v) - problem.fit_intercept
        own = float(counts @ residual**2) / spare if spare >= FEWEST_SPARE else 0.0
        stiffness = counts / max(model.noise_, own, TINY)
    root = np.sqrt(stiffness)
    X, r = X * root[:, None], residual * root
    if problem.fit_intercept:
        level = root / max(float(np.linalg.norm(root)), TINY)
        X, r = X - np.outer(level, level @ X), r - level * (level @ r)
    return X, r


def share_ends(
    free: Array, covariance: Array, found: Array, on_simplex: bool
) -> tuple[Array, Array]:
    """Ends of intervals for shares (T, K), which hold those found; loadings by the delta method.

    Of a strength that may be zero any shares may be.
    """
    signs = np.ones_like(found) if on_simplex else np.where(found < 0.0, -1.0, 1.0)
    strength = np.ones((len(found), 1)) if on_simplex else np.abs(found).sum(axis=1, keepdims=True)
    strength = np.where(strength > 0.0, strength, 1.0)
    shares, value = signs * found / strength, signs * free / strength
    slope = np.eye(found.shape[1]) * signs[:, None]
    if not on_simplex:
        slope = slope - shares[:, :, None] * signs[:, None]
        value = value / np.maximum(value.sum(axis=1, keepdims=True), TINY)
    slope = slope / strength[:, :, None]
    variance = np.einsum("tkl,tlm,tkm->tk", slope, covariance, slope)
    # Of shares that are as likely as the likeliest between 0 and 1, but for chance: where the free
    # one lies beyond these, rows speak against all shares, and not for the last of them alone.
    beyond = value - np.clip(value, 0.0, 1.0)
    reach = np.sqrt(norm.ppf(0.5 + LEVEL / 2.0) ** 2 * np.maximum(variance, 0.0) + beyond**2)
    low, high = np.minimum(value - reach, shares), np.maximum(value + reach, shares)
    if not on_simplex:
        low, high = np.where(may_be_zero(free, covariance, signs), [[[0.0]], [[1.0]]], [low, high])
    return hold_together(np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0))


def may_be_zero(free: Array, covariance: Array, signs: Array) -> NDArray[np.bool_]:
    """Whether chance alone may make the strengths (T, 1) of free loadings (T, K)."""
    variance = np.einsum("tk,tkl,tl->t", signs, covariance, signs)
    strength = (signs * free).sum(axis=1)
    return np.asarray(strength**2 <= norm.ppf(0.5 + LEVEL / 2.0) ** 2 * variance)[:, None]


def hold_together(low: Array, high: Array) -> tuple[Array, Array]:
    """Ends (T, K) of intervals for shares of one whole, none of which excludes another's.

    low_k >= 1 - sum over the others of high        as the others leave no less
    high_k + sum over the others of low <= 1        else these lows are too sure
    """
    low = np.maximum(low, 1.0 - (high.sum(axis=1, keepdims=True) - high)).clip(0.0, high)
    others = low.sum(axis=1, keepdims=True) - low
    factor = np.divide(1.0 - high, others, out=np.ones_like(low), where=others > 1.0 - high)
    if low.shape[1] > 1:
        low = low * np.stack(
            [np.delete(factor, k, axis=1).min(axis=1) for k in range(low.shape[1])], axis=1
        )
    return low, high


def outline_places(found: Any) -> list[Array]:
    """Around the places that tasks of an assignment may have: a few, of two or three clusters."""
    if found.memberships.shape[1] not in (2, 3) or len(found.task_names) > MOST_REGIONS:
        return []
    places = zip(found.memberships, found.places.free, found.places.covariance, strict=True)
    return [outline_place(*place) for place in places]


def outline_place(found: Array, free: Array, covariance: Array) -> Array:
    """Memberships (K, OUTLINE) around a region that holds a task's true place in 19 of 20 cases.

    Of two or three clusters. From the place ``found`` (K,) it goes in every direction as far as
    the deviance allows, and ends where the simplex does.
    """
    K = found.size
    moves = np.linalg.svd(np.ones((1, K)))[2][1:].T
    information = np.linalg.pinv(moves.T @ covariance @ moves, hermitian=True)
    pull = information @ (moves.T @ (free - found))
    angle = np.linspace(-np.pi, np.pi, OUTLINE - K)
    if K == 3:  # and straight to the corners, which the region may hold
        across, up = moves.T @ (np.eye(K) - found[:, None])
        angle = np.sort(np.append(angle, np.arctan2(up, across)))
    ways = np.stack([np.cos(angle), np.sin(angle)])[: K - 1]
    curved = np.maximum(np.einsum("dp,de,ep->p", ways, information, ways), TINY)
    slope = pull @ ways
    reach = (slope + np.sqrt(slope**2 + chi2.ppf(LEVEL, K - 1) * curved)) / curved
    steps = moves @ ways
    room = np.where(steps < -TINY, found[:, None] / np.maximum(-steps, TINY), np.inf).min(axis=0)
    return np.clip(found[:, None] + np.minimum(reach, room) * steps, 0.0, 1.0)
