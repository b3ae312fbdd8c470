"""U of one fold, down the levels of its penalty: on the fold's rows, or on sums of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.centers import predictions
from stcmtl.solver.kernels.clusters import Clusters, cluster_path, predict_rows
from stcmtl.solver.normal_equations import NormalEquations, Sums, sum_fold_normals
from stcmtl.solver.problem import SQUARED, Problem

MOST_SUMS = 2**21  # numbers: 16 MB a fold
FAR_AWAY = 2**22  # numbers: 32 MB, which a sweep fetches from memory again and again
CLOSER = 0.01  # to the minimum: sweeps over sums cost next to nothing


class FoldSteps(NamedTuple):
    """At each level: U (levels, D, K), b (levels, T), the penalty (levels,), and the losses
    (levels, any) of the rows held out.
    """

    U: Array
    b: Array
    penalties: Array
    losses: Array


class Fold(NamedTuple):
    """Rows that are held out (N,), loadings V (K, T) that were found without them, how much the
    other rows count (N,), their ``squares`` (D, T), and sums over them where those save time.
    """

    held_out: NDArray[np.bool_]
    V: Array
    weight: Array
    squares: Array
    sums: NormalEquations | None

    @classmethod
    def open(cls, problem: Problem, V: Array, held_out: NDArray[np.bool_]) -> Fold:
        V, weight = np.ascontiguousarray(V), problem.training_weight(held_out)
        sums = sum_rows(problem, V, held_out, weight) if sums_pay(problem, len(V)) else None
        return cls(held_out, V, weight, problem.weighted_squares(weight), sums)

    def descend(
        self, problem: Problem, start: Clusters, levels: Array, inverse_a: float, tol: float
    ) -> FoldSteps:
        """Go down the levels (steps, K) without the held-out rows."""
        weight, V = self.weight, self.V
        U, b = start.U.copy(), start.b.copy()
        sums = self.sums if inverse_a >= 0.0 else None  # a ridge wants the rows
        if sums is None:
            at = Clusters(U, V, b)
            tasks = problem.as_tasks(weight, self.squares)
            path, B, penalties = cluster_path(tasks, at, levels, inverse_a, tol)
        else:
            path, penalties = sums.descend(U, levels, inverse_a, CLOSER * tol)
            B = np.zeros((len(levels), b.size))
            for step, u in enumerate(path):
                left = problem.y - predictions(problem, u, V, B[step])
                B[step] = best_intercepts(problem, left, weight)
        losses = [self.held_out_losses(problem, u, b) for u, b in zip(path, B, strict=True)]
        return FoldSteps(path, B, penalties, np.stack(losses))

    def held_out_losses(self, problem: Problem, U: Array, b: Array) -> Array:
        rows = np.flatnonzero(self.held_out)
        f = np.empty(rows.size)
        predict_rows(problem.as_tasks(), Clusters(U, self.V, b), rows, f)
        return problem.row_losses(f, rows)


def descend_fold(problem: Problem, fold: Fold, *given: Any) -> FoldSteps:
    """``fold.descend``, by a function that finds the problem first."""
    return fold.descend(problem, *given)


def sums_pay(problem: Problem, n_clusters: int) -> bool:
    """Where tasks have more rows than features, sums are small, and rows beyond the cache."""
    (N, D), T = problem.X.shape, problem.n_tasks
    small = D * n_clusters**2 <= N and (D * n_clusters) ** 2 <= MOST_SUMS
    return problem.loss == SQUARED and small and N >= D * T and N * D >= FAR_AWAY


def sum_rows(
    problem: Problem, V: Array, held_out: NDArray[np.bool_], weight: Array
) -> NormalEquations:
    """Over the rows that are left of a fold."""
    ones = np.where(held_out, 0, 1)  # the rows of fold 0 are held out
    each = weight / np.where(held_out, 1.0, problem.row_counts)
    by_task = np.maximum.reduceat(each, problem.starts[:-1])
    weights = np.stack([by_task, np.zeros_like(by_task)])[:, None]
    sums = sum_fold_normals(problem, ones, V, weights)
    return NormalEquations.of(Sums(*(part[0, 0] for part in sums)))


def best_intercepts(problem: Problem, left: Array, weight: Array) -> Array:
    """Of every task (T,), for what coefficients leave of the target; zero without intercepts."""
    if not problem.fit_intercept:
        return np.zeros(problem.n_tasks)
    parts = weight * left, weight
    sums, total = (np.bincount(problem.task_of_row, each, problem.n_tasks) for each in parts)
    return np.asarray(sums / np.where(total > 0.0, total, 1.0))
