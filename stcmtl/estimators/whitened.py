"""Rows of every task divided by their noise: what standard errors are found from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.centers import predictions
from stcmtl.solver.kernels.losses import Loss, pull_and_stiffness
from stcmtl.solver.memberships import SMALLEST_NOISE, residual_variance, usual_squares
from stcmtl.solver.problem import EVERY, SQUARED, Problem
from stcmtl.solver.records import Iteration
from stcmtl.solver.refinement import Mixture
from stcmtl.stopping import stop_if_asked

TINY = 1e-10  # of the usual information: what the data say nothing of is uncertain, not an error


class Mixtures:
    """U (D, K), loadings V (K, T), and the ways in which loadings of the shape can move."""

    def __init__(self, state: Iteration | Mixture, shape: str) -> None:
        self.U, self.V = state.U, state.V
        self.on_simplex, self.signed = shape == "simplex", shape == "span"
        # of loadings in a task's strength: a span's may point either way, and zeros nowhere
        self.signs = np.sign(state.V) if self.signed else np.ones_like(state.V)
        K = len(state.V)
        # on the simplex loadings move such that their sum stays; elsewhere those of nothing do not
        along = np.eye(K)[:, state.U.any(axis=0)]
        self.moves = np.linalg.svd(np.ones((1, K)))[2][1:].T if self.on_simplex else along
        # as in the fit: loadings off the simplex are around zero, as far as they usually are
        price = 0.0 if self.on_simplex else 1.0 / usual_squares(state.V)
        self.prior = (self.moves.T * price) @ self.moves


class White(Mixtures):
    """Rows of every task divided by their noise; ``freedom`` (T,) says how well it is known.

    The ``variance`` (T,) of the noise may be known, from these tasks beside others. U and rows are
    of some ``features`` only, if given, outside of which U is zero.
    """

    def __init__(
        self,
        problem: Problem,
        state: Iteration | Mixture,
        shape: str,
        variance: Array | None = None,
        features: NDArray[np.intp] | slice = EVERY,
    ) -> None:
        super().__init__(state, shape)
        self.problem, self.features, self.U = problem, features, state.U[features]
        f, N = predictions(problem, state.U, state.V, state.b), problem.y.size
        pull, stiffness = np.empty(N), np.empty(N)
        pull_and_stiffness(Loss(problem.loss, problem.y, problem.row_counts), f, pull, stiffness)
        self.residual, self.weight = pull / stiffness, stiffness
        self.freedom = np.full(problem.n_tasks, np.inf)
        if problem.loss == SQUARED:
            if variance is None:
                pooled = residual_variance(problem, state.U, state.V, state.b)
                variance, self.freedom = self.noise(pooled)
            self.weight = problem.row_counts / variance[problem.task_of_row]

    def noise(self, pooled: float) -> tuple[Array, Array]:
        """Residual variance of each task, all clusters free, and its degrees of freedom."""
        n, size = self.problem.counts, float(np.mean(self.problem.y**2))
        return noise_of_tasks(
            self, self.squares_left(), n, self.problem.fit_intercept, size, pooled
        )

    def squares_left(self) -> Array:
        """Of each task, all clusters free."""
        self.weight, squares = self.problem.row_counts, np.zeros(self.problem.n_tasks)
        for i in range(squares.size):
            X, r, _ = self.task(i)
            move = X @ (self.U @ self.moves)
            squares[i] = np.sum((r - move @ np.linalg.lstsq(move, r, rcond=None)[0]) ** 2)
        return squares

    def task(self, i: int) -> tuple[Array, Array, Array]:
        """X (n, D), the residual (n,), both free of the intercept, and the loadings (K,)."""
        stop_if_asked()
        rows = self.problem.rows(i)
        root = np.sqrt(self.weight[rows])
        X, r = self.problem.X[rows, self.features] * root[:, None], self.residual[rows] * root
        if self.problem.fit_intercept:
            level = root / np.linalg.norm(root)
            X, r = X - np.outer(level, level @ X), r - level * (level @ r)
        return X, r, self.V[:, i]

    def without_own(self, i: int) -> tuple[Array, Array]:
        """X and the residual free of what the task's own clusters can make of them (M_i)."""
        X, r, v = self.task(i)
        own = np.flatnonzero(v)
        if self.on_simplex and own.size == 1:  # a pure task: its share is one
            return X, r
        Z = X @ self.U[:, own]
        Z = Z[:, 1:] - Z[:, :1] if self.on_simplex else Z
        Q, size, _ = np.linalg.svd(Z, full_matrices=False)
        Q = Q[:, size > TINY * size.max(initial=1.0)]
        return X - Q @ (Q.T @ X), r - Q @ (Q.T @ r)


def noise_of_tasks(
    mixtures: Mixtures, squares: Array, n: Array, intercepts: bool, size: float, pooled: float
) -> tuple[Array, Array]:
    """Residual variances (T,) from ``squares`` left of n rows (T,), and degrees of freedom.

    ``size`` is the mean square of the targets; ``pooled`` is a variance for all tasks.
    """
    shared = np.count_nonzero(mixtures.U) * n / n.sum()
    freedom = np.maximum(n - intercepts - mixtures.moves.shape[1] - shared, 0.0)
    least = max(TINY * size, SMALLEST_NOISE)
    if freedom.sum() < 1.0:  # nothing is left of rows as few as these
        return np.full(n.size, max(pooled, least)), np.full(n.size, n.sum() / 2.0)
    variance, freedom = moderate(squares, freedom)
    return np.maximum(variance, least), freedom


def moderate(squares: Array, freedom: Array) -> tuple[Array, Array]:
    """Variances of tasks, shrunken to their mean as far as noise explains that they differ.

    Variances that follow a scaled inverse chi^2 of d0 degrees of freedom have a squared coefficient
    of variation of 2 / (d0 - 4); what is left of that of ``squares / freedom`` gives d0.
    """
    known, total = freedom > 0, freedom.sum()
    pooled = max(squares[known].sum() / total, SMALLEST_NOISE)
    own = np.where(known, squares / np.maximum(freedom, TINY), pooled)
    share = freedom[known] / total
    even = np.sum(share * own[known] ** 2 / (1.0 + 2.0 / freedom[known]))
    excess = even / pooled**2 - 1.0
    if excess <= 0.0:
        return np.full(freedom.size, pooled), np.full(freedom.size, total)
    prior = 4.0 + 2.0 / excess
    variance = (pooled * (prior - 2.0) + freedom * own) / (prior + freedom)
    return variance, np.minimum(prior + freedom, total)
