"""The squared loss of all tasks as one quadratic function of U, given memberships:

    sum_i w_i |y_i - X_i U v_i|^2  =  square - g'u + u'H u / 2,      u the D K entries of U.

It is a sum over tasks, so partitions of them are added up, and rows are not needed any more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.task_sums import normal_path, sum_folds, sum_tasks
from stcmtl.solver.problem import Problem
from stcmtl.stopping import halt, stop_if_asked


class Sums(NamedTuple):
    """``H`` (..., K, K, D, D), ``g`` (..., K, D) and ``square`` (..., 1), to be added up."""

    H: Array
    g: Array
    square: Array

    @classmethod
    def zeros(cls, K: int, D: int, *folds: int) -> Sums:
        return cls(np.zeros((*folds, K, K, D, D)), np.zeros((*folds, K, D)), np.zeros((*folds, 1)))


class NormalEquations(NamedTuple):
    """``H`` (D, K, D, K), ``g`` (D, K) and ``square``, as the descent wants them."""

    H: Array
    g: Array
    square: float

    @classmethod
    def of(cls, sums: Sums) -> NormalEquations:
        H = np.ascontiguousarray(sums.H.transpose(2, 0, 3, 1))
        return cls(H, np.ascontiguousarray(sums.g.T), float(sums.square[0]))

    def loss(self, U: Array) -> float:
        bent = np.tensordot(self.H, U, 2)
        return max(float(self.square - np.sum((self.g - 0.5 * bent) * U)), 0.0)

    def descend(self, U: Array, levels: Array, inverse_a: float, tol: float) -> tuple[Array, Array]:
        """U (steps, D, K) and its penalty (steps,) at each of the levels (steps, K), from U."""
        levels = np.ascontiguousarray(levels, dtype=np.float64)
        given = levels, inverse_a, tol * self.square, halt()
        found: tuple[Array, Array] = normal_path(self.H, self.g, U.copy(), *given)
        stop_if_asked()
        return found


def sum_normal(problem: Problem, V: Array, weight: Array) -> Sums:
    """Of centred tasks, whose rows have ``weight`` (T,)."""
    sums = Sums.zeros(len(V), problem.n_features)
    rows = problem.X, problem.y, problem.starts, problem.row_counts
    sum_tasks(*rows, np.ascontiguousarray(V), weight, *sums, halt())
    stop_if_asked()
    return sums


def sum_fold_normals(problem: Problem, fold: NDArray[np.int64], V: Array, weights: Array) -> Sums:
    """(2, F, ...): for each fold, of the rows left and of the rows held out.

    ``weights`` (2, F, T) are those of the rows of a task. Intercepts are those of the rows left.
    """
    sums = Sums.zeros(len(V), problem.n_features, *weights.shape[:2])
    rows = problem.X, problem.y, problem.starts, problem.row_counts
    given = fold, np.ascontiguousarray(V), weights, problem.fit_intercept
    sum_folds(*rows, *given, *sums, halt())
    stop_if_asked()
    return sums
