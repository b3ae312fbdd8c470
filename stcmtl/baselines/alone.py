"""LASSO and ridge: every task on its own, at a level of its own.

    min over w_i, b_i of (1/n_i) L(y_i, X_i w_i + b_i) + penalty_i |w_i|_1   for each task i

and with |w_i|^2 in place of |w_i|_1. The l1 fits are the initial ones of semisoft task clustering.
Where every feature counts a little, as pixels do, the l2 fits are the bar to beat.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from stcmtl.baselines.base import Baseline, CVPoint, Options, Solution, Steps
from stcmtl.baselines.crossvalidation import FINAL_TOLERANCE
from stcmtl.baselines.l2 import PATIENCE, Blocks, RidgeFit, falling_ridges
from stcmtl.data.taskset import Array
from stcmtl.progress import Progress
from stcmtl.solver.kernels.losses import total_loss
from stcmtl.solver.machine import Threads
from stcmtl.solver.problem import Problem, Rows
from stcmtl.solver.single_task import descend_path, lambda_path, validate_task

TASKS_A_STEP = 6
CV_TOLERANCE = 1e-5  # of ridges: changes no level that is chosen, and takes half the steps of 1e-7


class TaskFit(NamedTuple):
    """Coefficients and intercept at the last of the levels; held-out ``losses`` if compared."""

    w: Array
    b: float
    level: float
    levels: Array
    losses: Array


@dataclass(eq=False, repr=False)
class SingleTask(Baseline):
    """A fit per task, each with a level of its own.

    Parameters
    ----------
    penalty : "cv" or float
        Level of the norm; "cv" chooses one for every task.

    Attributes
    ----------
    penalty_ : (T,)
        The level of every task.
    cv_path_ : list of CVPoint
        Step by step down the tasks' paths: their mean level, and the mean and standard error
        of their held-out losses, as far as the shortest path goes.

    The others are those of ``Baseline``.
    """

    penalty: str | float = "cv"

    def _solve(self, rows: Rows, options: Options) -> Steps:
        """A few tasks at a step."""
        problem, (fixed,) = rows.problem(), self._fixed()
        fold, T = problem.folds(options.n_folds, options.seed), problem.n_tasks
        fits: list[TaskFit] = []
        parallel = Threads(options.n_jobs)
        for first in range(0, T, TASKS_A_STEP):
            step = range(first, min(first + TASKS_A_STEP, T))
            fits += parallel(delayed(self._fit_task)(problem, i, fold, fixed) for i in step)
            yield Progress(len(fits), T, "tasks")
        W = np.stack([fit.w for fit in fits], axis=1)
        b, penalty = np.array([fit.b for fit in fits]), np.array([fit.level for fit in fits])
        loss = problem.total_loss(problem.predictions(W, b))
        value = loss + float(penalty @ self._norms(W))
        return Solution(problem, W, b, [value], mean_path(fits), {"penalty": penalty})

    @staticmethod
    @abstractmethod
    def _fit_task(
        problem: Problem, i: int, fold: NDArray[np.int64], fixed: float | None
    ) -> TaskFit:
        """At the fixed level, or at the one with the smallest held-out loss."""

    @staticmethod
    @abstractmethod
    def _norms(W: Array) -> Array:
        """What the penalty is on, for every task."""


def mean_path(fits: Sequence[TaskFit]) -> list[CVPoint]:
    """Means over tasks at every step that all of them have taken."""
    steps = min(int(np.isfinite(fit.losses).sum()) for fit in fits)
    levels = np.array([fit.levels[:steps] for fit in fits]).mean(axis=0)
    losses = np.array([fit.losses[:steps] for fit in fits])
    spread = losses.std(axis=0) / np.sqrt(len(fits))
    columns = zip(levels, losses.mean(axis=0), spread, strict=True)
    return [CVPoint({"penalty": float(a)}, float(m), float(se)) for a, m, se in columns]


@dataclass(eq=False, repr=False)
class SingleTaskLasso(SingleTask):
    """An l1 fit per task: parameters and attributes are those of ``SingleTask``.

    For the squared loss ``penalty`` is twice the ``alpha`` of scikit-learn's Lasso.

    >>> other = baselines.SingleTaskLasso(random_state=0).fit(train.X, train.y, train.tasks)
    >>> float(round(metrics.rmse(test.y, other.predict(test.X, test.tasks)), 2))
    0.68
    """

    @staticmethod
    def _fit_task(
        problem: Problem, i: int, fold: NDArray[np.int64], fixed: float | None
    ) -> TaskFit:
        if fixed is None:
            levels, losses = validate_task(problem, i, fold)
            down = levels[: int(np.argmin(losses)) + 1]
        else:
            rows = problem.rows(i)
            levels = lambda_path(problem.X[rows], problem.null_pull[rows], problem.weight_of(i))
            losses, down = np.empty(0), np.append(levels[levels > fixed], fixed)
        w, b = descend_path(problem, i, down)
        return TaskFit(w, b, float(down[-1]), levels, losses)

    @staticmethod
    def _norms(W: Array) -> Array:
        return np.abs(W).sum(axis=0)


@dataclass(eq=False, repr=False)
class SingleTaskRidge(SingleTask):
    """An l2 fit per task: parameters and attributes are those of ``SingleTask``.

    Times the task's rows ``penalty`` is the ``alpha`` of scikit-learn's Ridge, and for two labels
    half of 1 / ``C``.

    >>> other = baselines.SingleTaskRidge(random_state=0).fit(train.X, train.y, train.tasks)
    >>> float(round(metrics.rmse(test.y, other.predict(test.X, test.tasks)), 2))
    0.7
    """

    @staticmethod
    def _fit_task(
        problem: Problem, i: int, fold: NDArray[np.int64], fixed: float | None
    ) -> TaskFit:
        task = Blocks.of_task(problem, i, problem.weight)
        levels, losses = np.empty(0), np.empty(0)
        if fixed is None:
            levels = np.array(falling_ridges(task.stiffness))
            losses = validate_ridge(problem, i, fold, levels)
            fixed = float(levels[np.argmin(losses)])
        fit = task.prepare().fit(fixed, None, FINAL_TOLERANCE)
        return TaskFit(fit.w, float(fit.b[0]), fixed, levels, losses)

    @staticmethod
    def _norms(W: Array) -> Array:
        return np.square(W).sum(axis=0)


def validate_ridge(problem: Problem, i: int, fold: NDArray[np.int64], levels: Array) -> Array:
    """The mean held-out loss at each level; infinite where the path ended before."""
    rows = problem.rows(i)
    X, loss, of_row = problem.X[rows], problem.loss_of_task(i), fold[rows]
    held_out = [of_row == c for c in range(int(of_row.max()) + 1)]
    ridges = [leave_out(problem, i, held).prepare() for held in held_out]
    fits: list[RidgeFit | None] = [None] * len(ridges)
    losses, f = np.full(levels.size, np.inf), np.empty(len(X))
    for j, level in enumerate(levels):
        for c, (ridge, held) in enumerate(zip(ridges, held_out, strict=True)):
            fits[c] = fit = ridge.fit(float(level), fits[c], CV_TOLERANCE)
            f[held] = X[held] @ fit.w + fit.b[0]
        losses[j] = total_loss(loss, f)
        if j - int(np.argmin(losses)) >= PATIENCE:
            break
    return losses


def leave_out(problem: Problem, i: int, held: NDArray[np.bool_]) -> Blocks:
    weight = np.zeros(problem.y.size)
    kept = np.where(held, 0.0, problem.row_counts[problem.rows(i)])
    weight[problem.rows(i)] = kept / (kept.sum() or 1.0)
    return Blocks.of_task(problem, i, weight)
