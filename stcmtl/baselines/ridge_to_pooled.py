"""Ridge towards the pooled fit: every task is near one model for all.

    w = argmin over w, b of sum_i (1/n_i) L(y_i, X_i w + b_i) + pooled_penalty |w|^2
    w_i = w + d_i,  d_i = argmin over d, b_i of
        (1/n_i) (L(y_i, X_i (w + d) + b_i) + penalty n |d|^2)

n is the mean number of rows of a task: deviations have one prior for all tasks, so that a task
with few rows stays nearer to the pooled fit. The pooled penalty is the one with which the pooled
fit predicts best; both are cross-validated with all that is fitted fitted anew in every fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stcmtl.baselines.base import Baseline, CVPoint, Options, Solution, Steps
from stcmtl.baselines.crossvalidation import FINAL_TOLERANCE, Path, Penalties, choose, refit
from stcmtl.baselines.l2 import PATIENCE, Blocks, Ridge, RidgeFit, falling_ridges, fit_tasks
from stcmtl.data.taskset import Array
from stcmtl.solver.problem import Problem, Rows


@dataclass(eq=False, repr=False)
class RidgeToPooled(Baseline):
    """A pooled ridge fit, and ridge deviations of the tasks from it.

    Parameters
    ----------
    pooled_penalty : "cv" or float
        Level of the squared l2 norm of the common coefficients.
    penalty : "cv" or float
        Level of the squared l2 norm of the deviations, one for all tasks.

    Attributes
    ----------
    pooled_penalty_, penalty_ : float
        The levels of the fit.
    pooled_coef_ : (D,)
        The common coefficients: ``coef_`` less the deviations.
    cv_path_ : list of CVPoint
        The pooled fit at every level tried, then deviations from the best of them.

    The others are those of ``Baseline``.

    >>> other = baselines.RidgeToPooled(random_state=0).fit(train.X, train.y, train.tasks)
    >>> float(round(metrics.rmse(test.y, other.predict(test.X, test.tasks)), 2))
    0.67
    """

    _penalties = ("pooled_penalty", "penalty")

    pooled_penalty: str | float = "cv"
    penalty: str | float = "cv"

    def _solve(self, rows: Rows, options: Options) -> Steps:
        problem = rows.problem()
        pooled, fixed = self._fixed()
        points: list[CVPoint] = []
        if pooled is None:
            levels = falling_ridges(Blocks.of_all(problem, problem.weight).stiffness)
            down: Path = [{"pooled_penalty": level} for level in levels]
            points, down = yield from choose(
                problem, options, PooledRidge(problem).solve, [down], patience=PATIENCE
            )
            pooled = down[-1]["pooled_penalty"]
        deviations = Deviations(problem)
        levels = deviations.levels() if fixed is None else [fixed]
        path: Path = [{"pooled_penalty": pooled, "penalty": level} for level in levels]
        if fixed is None:
            more, path = yield from choose(
                problem, options, deviations.solve, [path], patience=PATIENCE
            )
            points += more
        fit = yield from refit(problem, deviations.solve, path)
        common = problem.original_coefficients(fit.common[:, None])[:, 0]
        return Solution(
            problem, fit.W, fit.b, [deviations.objective(fit, path[-1]["penalty"])],
            points, path[-1], {"pooled_coef_": common},
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class PooledFit:
    """The same coefficients for every task, and what the next level begins with."""

    W: Array
    b: Array
    fit: RidgeFit
    ridge: Ridge


@dataclass(frozen=True, eq=False)
class PooledRidge:
    """One model for all tasks. (See ``crossvalidation.Solver`` for how it is called.)"""

    problem: Problem

    def solve(
        self, weight: Array, penalties: Penalties, start: PooledFit | None, tol: float
    ) -> PooledFit:
        ridge = Blocks.of_all(self.problem, weight).prepare() if start is None else start.ridge
        fit = ridge.fit(penalties["pooled_penalty"], None if start is None else start.fit, tol)
        W = np.repeat(fit.w[:, None], self.problem.n_tasks, axis=1)
        return PooledFit(W, fit.b, fit, ridge)


@dataclass(frozen=True, eq=False)
class DeviationFit:
    """``common`` coefficients (D,), those of the tasks ``W`` (D, T), intercepts, and what the
    next level begins with.
    """

    common: Array
    W: Array
    b: Array
    fits: Sequence[RidgeFit]
    ridges: Sequence[Ridge]


@dataclass(frozen=True, eq=False)
class Deviations:
    """Of all tasks from a pooled fit on the same rows."""

    problem: Problem

    def solve(
        self, weight: Array, penalties: Penalties, start: DeviationFit | None, tol: float
    ) -> DeviationFit:
        if start is None:
            start = self.begin(weight, penalties)
        levels = penalties["penalty"] * self.shares(weight)
        fits = fit_tasks(start.ridges, levels, start.fits, tol)
        W = start.common[:, None] + np.stack([fit.w for fit in fits], axis=1)
        b = np.array([fit.b[0] for fit in fits])
        return DeviationFit(start.common, W, b, fits, start.ridges)

    def begin(self, weight: Array, penalties: Penalties) -> DeviationFit:
        """No deviations yet, from a pooled fit to the last digits: all levels rest on it."""
        problem = self.problem
        pooled = PooledRidge(problem).solve(weight, penalties, None, FINAL_TOLERANCE)
        offset, tasks = problem.X @ pooled.fit.w, range(problem.n_tasks)
        ridges = [Blocks.of_task(problem, i, weight, offset).prepare() for i in tasks]
        none = np.zeros(problem.n_features)
        fits = [RidgeFit(none, pooled.b[i : i + 1]) for i in tasks]
        return DeviationFit(pooled.fit.w, pooled.W, pooled.b, fits, ridges)

    def shares(self, weight: Array) -> Array:
        """n / n_i, of the rows that have a weight."""
        problem = self.problem
        kept = np.where(weight > 0.0, problem.row_counts, 0.0)
        counts = np.bincount(problem.task_of_row, kept, problem.n_tasks)
        return counts.mean() / counts

    def levels(self) -> list[float]:
        problem = self.problem
        tasks = [Blocks.of_task(problem, i, problem.weight) for i in range(problem.n_tasks)]
        return falling_ridges(float(np.mean([task.stiffness for task in tasks])))

    def objective(self, fit: DeviationFit, penalty: float) -> float:
        problem = self.problem
        squares = ((fit.W - fit.common[:, None]) ** 2).sum(axis=0)
        loss = problem.total_loss(problem.predictions(fit.W, fit.b))
        return loss + penalty * float(self.shares(problem.weight) @ squares)
