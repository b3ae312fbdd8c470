"""Plain NumPy twins of the compiled kernels: slow, short, and right on sight.

Nothing here is updated as it goes along: every twin computes what it needs from scratch.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LOSSES = [SQUARED, LOGISTIC]


# The losses and penalties ---------------------------------------------------------------


def row_losses(loss: int, y: Array, f: Array) -> Array:
    return (y - f) ** 2 if loss == SQUARED else np.logaddexp(0.0, -y * f)


def total_loss(loss: int, y: Array, f: Array, weight: Array) -> float:
    return float(weight @ row_losses(loss, y, f))


def pull_and_stiffness(loss: int, y: Array, f: Array, weight: Array) -> tuple[Array, Array]:
    """Minus the first, and the second derivative of each row's weighted loss."""
    if loss == SQUARED:
        return 2.0 * weight * (y - f), 2.0 * weight
    other = np.exp(-np.logaddexp(0.0, y * f))  # probability of the other label
    return weight * y * other, weight * np.maximum(other * (1.0 - other), 1e-4)


def soft_threshold(z: float, level: float) -> float:
    return float(np.sign(z) * max(abs(z) - level, 0.0))


def mcp(u: Array, level: float | Array, bend: float | Array) -> Array:
    """The integral of max(level - bend t, 0) over t from 0 to |u|."""
    end = level / np.maximum(bend, 1e-300)  # so far away that it is never reached, for the l1 norm
    reach = np.minimum(np.abs(u), end)
    return level * reach - 0.5 * bend * reach**2


def penalty_value(U: Array, levels: Array, concavity: Array) -> float:
    return float(mcp(U, levels, concavity).sum())


def penalised_minimum(z: float, curvature: float, level: float, bend: float) -> float:
    """Brute force on ever finer grids around the best point so far."""
    center, width = 0.0, 2.0 * (abs(z) + level) / (curvature - bend)
    for _ in range(12):
        grid = np.append(center + width * np.linspace(-1.0, 1.0, 401), 0.0)
        values = 0.5 * curvature * grid**2 - z * grid + mcp(grid, level, bend)
        center, width = grid[np.argmin(values)], width / 50.0
    return float(center)


# Coordinate descent ---------------------------------------------------------------------


def sweep_task(
    X: Array, e: Array, h: Array, w: Array, level: float, coordinates: Indices, only_nonzero: bool
) -> tuple[Array, Array, float]:
    """One pass of coordinate descent; returns the new w, the pull there and the largest gain."""
    start, w, largest = w, w.copy(), 0.0
    for j in coordinates:
        curvature = float(h @ X[:, j] ** 2)
        if curvature == 0.0 or (only_nonzero and w[j] == 0.0):
            continue
        slope = float(X[:, j] @ (e - h * (X @ (w - start))))
        new = soft_threshold(curvature * w[j] + slope, level) / curvature
        largest = max(largest, curvature * (new - w[j]) ** 2)
        w[j] = new
    return w, e - h * (X @ (w - start)), largest


def task_of_row(starts: Indices) -> Indices:
    return np.repeat(np.arange(starts.size - 1), np.diff(starts))


def predict_clusters(X: Array, U: Array, V: Array, b: Array, starts: Indices) -> Array:
    task = task_of_row(starts)
    return np.einsum("nd,dn->n", X, (U @ V)[:, task]) + b[task]


def cluster_slopes(X: Array, e: Array, V: Array, starts: Indices) -> Array:
    """(D, K): minus the gradient of the loss in U, for the pull e."""
    return X.T @ (e[:, None] * V.T[task_of_row(starts)])


def block_curvature(X: Array, h: Array, V: Array, starts: Indices) -> Array:
    v = V[:, task_of_row(starts)]
    return np.einsum("nd,n,kn,ln->dkl", X**2, h, v, v)


def sweep_clusters(
    X: Array,
    e: Array,
    h: Array,
    U: Array,
    V: Array,
    starts: Indices,
    levels: Array,
    concavity: Array,
    chosen: NDArray[np.bool_],
) -> tuple[Array, Array, float]:
    """One pass over features, at most ten over the clusters of each; as ``sweep_task``."""
    no_intercepts = np.zeros(V.shape[1])

    def pull(change: Array) -> Array:
        return e - h * predict_clusters(X, change, V, no_intercepts, starts)

    start, U, largest = U, U.copy(), 0.0
    curvature = block_curvature(X, h, V, starts)
    for d in np.flatnonzero(chosen):
        for _ in range(10):
            gain = 0.0
            for k in range(len(V)):
                c, old = curvature[d, k, k], U[d, k]
                if c == 0.0:
                    continue
                slope = cluster_slopes(X, pull(U - start), V, starts)[d, k]
                U[d, k] = penalised_minimum(c * old + slope, c, levels[k], concavity[d, k])
                gain = max(gain, c * (U[d, k] - old) ** 2)
            largest = max(largest, gain)
            if gain <= 1e-3 * largest:
                break
    return U, pull(U - start), largest


# Anything smooth ------------------------------------------------------------------------


def minimise(
    value: Callable[[Array], float],
    gradient: Callable[[Array], Array],
    start: Array,
    bounds: Sequence[tuple[float | None, float | None]] | None = None,
) -> tuple[Array, float]:
    """scipy's minimum and its value. (BLAS threads that wait for each other cost a second.)"""
    with threadpool_limits(1, user_api="blas"):
        found = minimize(
            value, start, jac=gradient, bounds=bounds, method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10**4, "maxfun": 10**5},
        )  # fmt: skip
    return found.x, float(found.fun)


# The simplex ----------------------------------------------------------------------------


def supports(K: int) -> Iterator[list[int]]:
    for size in range(1, K + 1):
        yield from map(list, combinations(range(K), size))


def simplex_quadratic(G: Array, c: Array) -> tuple[Array, float]:
    """min over the simplex of v'Gv / 2 - c'v: the best stationary point of any face."""
    K = c.size
    best, smallest = np.zeros(K), np.inf
    for support in supports(K):
        s = len(support)
        kkt = np.ones((s + 1, s + 1))
        kkt[:s, :s], kkt[s, s] = G[np.ix_(support, support)], 0.0
        part = np.linalg.lstsq(kkt, np.append(c[support], 1.0), rcond=None)[0][:s]
        if part.min() < -1e-12:
            continue
        v = np.zeros(K)
        v[support] = part
        value = 0.5 * v @ G @ v - c @ v
        if value < smallest:
            best, smallest = v, value
    return best, float(smallest)


def fit_memberships(
    Z: Array, y: Array, weight: Array, loss: int, fit_intercept: bool
) -> tuple[Array, float, float]:
    """scipy's constrained minimiser from several starts; returns (v, b, loss)."""
    K = Z.shape[1]

    def value(point: Array) -> float:
        return total_loss(loss, y, Z @ point[:K] + point[K], weight)

    def gradient(point: Array) -> Array:
        e, _ = pull_and_stiffness(loss, y, Z @ point[:K] + point[K], weight)
        return -np.append(Z.T @ e, e.sum())

    bounds = [(0.0, 1.0)] * K + [(None, None) if fit_intercept else (0.0, 0.0)]
    simplex = {
        "type": "eq",
        "fun": lambda p: p[:K].sum() - 1.0,
        "jac": lambda p: np.arange(K + 1) < K,
    }
    starts = [np.full(K, 1.0 / K), *np.eye(K)]
    found = min(
        (
            minimize(
                value, np.append(v, 0.0), jac=gradient, bounds=bounds, constraints=[simplex],
                method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
            )
            for v in starts
        ),
        key=lambda result: result.fun,
    )  # fmt: skip
    return found.x[:K], float(found.x[K]), float(found.fun)


def best_support(
    Z: Array, y: Array, weight: Array, penalty: Array, scale: float, loss: int, fit_intercept: bool
) -> tuple[Array, float]:
    """Memberships with the smallest ``scale * loss + penalty[size]``, all supports tried."""
    best, smallest = np.zeros(Z.shape[1]), np.inf
    for support in supports(Z.shape[1]):
        part, _, value = fit_memberships(Z[:, support], y, weight, loss, fit_intercept)
        score = scale * value + penalty[len(support)]
        if score < smallest:
            best, smallest = np.zeros(Z.shape[1]), score
            best[support] = part
    return best, smallest


# The cone and the span ------------------------------------------------------------------


def fit_loadings(
    Z: Array,
    y: Array,
    weight: Array,
    loss: int,
    fit_intercept: bool,
    ridge: Array,
    only_positive: bool,
) -> tuple[Array, float, float]:
    """Least loss + ridge / 2 v^2 over v >= 0 or all v; returns (v, b, value)."""
    K = Z.shape[1]

    def value(point: Array) -> float:
        f = Z @ point[:K] + point[K]
        return total_loss(loss, y, f, weight) + 0.5 * float(ridge @ point[:K] ** 2)

    def gradient(point: Array) -> Array:
        e, _ = pull_and_stiffness(loss, y, Z @ point[:K] + point[K], weight)
        return np.append(ridge * point[:K] - Z.T @ e, -e.sum())

    bounds = [(0.0 if only_positive else None, None)] * K
    bounds.append((None, None) if fit_intercept else (0.0, 0.0))
    point, smallest = minimise(value, gradient, np.zeros(K + 1), bounds)
    return point[:K], float(point[K]), smallest


# k-means --------------------------------------------------------------------------------


def inertia(points: Array, labels: Indices) -> float:
    """Squared distances to the mean of the group, summed."""
    groups = [points[labels == k] for k in np.unique(labels)]
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def smallest_inertia(points: Array, n_clusters: int) -> float:
    """All ways to split a handful of points."""
    return min(
        inertia(points, np.array(labels))
        for labels in product(range(n_clusters), repeat=len(points))
    )


# Checks on a solution -------------------------------------------------------------------


def optimality_gap(slopes: Array, U: Array, levels: Array, concavity: Array | float = 0.0) -> float:
    """Largest violation of the first-order conditions of loss + penalty, relative to the level.

    A zero needs |slope| <= level; anything else a slope equal to the penalty's derivative.
    """
    derivative = np.sign(U) * np.maximum(levels - concavity * np.abs(U), 0.0)
    violation = np.where(
        U == 0.0, np.maximum(np.abs(slopes) - levels, 0.0), np.abs(slopes - derivative)
    )
    return float((violation / levels).max())


def second_difference(function: Callable[[float], float], at: float, step: float) -> float:
    return (function(at + step) - 2.0 * function(at) + function(at - step)) / step**2
