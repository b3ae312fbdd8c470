"""One model for all tasks: what a comparison that leaves it out does not show.

    min over w, b of sum_i (1/n_i) L(y_i, X_i w + b_i) + penalty |w|_1

The tasks differ in their intercepts only, and not even there with ``task_intercepts=False``.
One intercept per task is the stronger bar on the School data (139 schools, 75 % of rows for
training, 8 splits: test RMSE 10.11 against 10.39, better in each split), and so the default.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stcmtl.baselines.base import Baseline, Options, Solution, Steps
from stcmtl.baselines.crossvalidation import Path, Penalties, fit_best
from stcmtl.data import checks as check
from stcmtl.data.taskset import Array
from stcmtl.data.weighted import take
from stcmtl.solver.centers import L1
from stcmtl.solver.kernels.clusters import Clusters, cluster_path, predict_clusters
from stcmtl.solver.penalty_choice import falling_levels, path_start
from stcmtl.solver.problem import NULL_SLOPE, Problem, Rows
from stcmtl.stopping import stop_if_asked

N_LEVELS = 33  # down to 1e-4 of the level at which w = 0


@dataclass(frozen=True, eq=False)
class PooledFit:
    """The same coefficients for every task, ``W`` (D, T), intercepts ``b`` and the objective."""

    W: Array
    b: Array
    objective: float


@dataclass(frozen=True, eq=False)
class PooledProblem:
    """Rows of all tasks; those of a block, from one start to the next, share an intercept."""

    problem: Problem
    starts: NDArray[np.int64]

    @classmethod
    def build(cls, rows: Rows, task_intercepts: bool) -> PooledProblem:
        if task_intercepts:
            problem = rows.problem()
            return cls(problem, problem.starts)
        order, n_rows = rows.by_task, np.bincount(rows.codes)
        one_task = np.zeros_like(rows.codes)
        sorted_rows = replace(rows, row_weight=take(rows.row_weight, order), codes=one_task)
        together = replace(sorted_rows, X=rows.X[order], y=rows.y[order]).problem()
        problem = replace(
            together,
            starts=np.concatenate([[0], np.cumsum(n_rows)]),
            means=np.repeat(together.means, n_rows.size, axis=0),
            target_means=np.repeat(together.target_means, n_rows.size),
        )
        return cls(problem, together.starts)

    def solve(
        self, weight: Array, penalties: Penalties, start: PooledFit | None, tol: float
    ) -> PooledFit:
        problem, n_blocks = self.problem, self.starts.size - 1
        tasks_per_block = problem.n_tasks // n_blocks
        w, b = np.zeros((problem.n_features, 1)), np.zeros(n_blocks)
        if start is not None:
            w[:, 0], b[:] = start.W[:, 0], start.b[::tasks_per_block]
        blocks = problem.as_tasks(weight)._replace(starts=self.starts)
        at, level = Clusters(w, np.ones((1, n_blocks)), b), np.array([[penalties["penalty"]]])
        *_, penalty = cluster_path(blocks, at, level, L1, tol)
        stop_if_asked()
        W, f = np.repeat(w, problem.n_tasks, axis=1), np.empty(problem.y.size)
        predict_clusters(blocks, at, f)
        objective = float(problem.row_losses(f) @ weight + penalty[0])
        return PooledFit(W, np.repeat(b, tasks_per_block), objective)

    def null_slopes(self) -> Array:
        """Of every feature, where all coefficients are zero."""
        problem, weight = self.problem, self.problem.weight
        level = np.zeros(self.starts.size - 1)
        if problem.fit_intercept:
            first = self.starts[:-1]
            level = np.add.reduceat(weight * problem.y, first) / np.add.reduceat(weight, first)
        pull = NULL_SLOPE[problem.loss] * (problem.y - np.repeat(level, np.diff(self.starts)))
        return np.abs(problem.X.T @ (weight * pull))


@dataclass(eq=False, repr=False)
class Pooled(Baseline):
    """One l1 model for all tasks.

    Parameters
    ----------
    penalty : "cv" or float
        Level of the l1 norm.
    task_intercepts : bool
        An intercept for every task, or one for all.

    Attributes
    ----------
    penalty_ : float
        The level of the fit.

    The others are those of ``Baseline``; all rows of ``coef_`` are the same.

    >>> other = baselines.Pooled(random_state=0).fit(train.X, train.y, train.tasks)
    >>> float(round(metrics.rmse(test.y, other.predict(test.X, test.tasks)), 2))
    0.98
    """

    penalty: str | float = "cv"
    task_intercepts: bool = True

    def _check(self, n_tasks: int) -> None:
        super()._check(n_tasks)
        check.check_flag(self.task_intercepts, "task_intercepts")

    def _solve(self, rows: Rows, options: Options) -> Steps:
        pooled = PooledProblem.build(rows, self.task_intercepts)
        fit, chosen, points = yield from fit_best(
            pooled.problem, options, pooled.solve, [self._path(pooled)]
        )
        return Solution(pooled.problem, fit.W, fit.b, [fit.objective], points, chosen)

    def _path(self, pooled: PooledProblem) -> Path:
        (fixed,) = self._fixed()
        if fixed is not None:
            return [{"penalty": fixed}]
        start = path_start(pooled.null_slopes(), pooled.problem.spread)
        return [{"penalty": float(level)} for level in falling_levels(start, N_LEVELS)]
