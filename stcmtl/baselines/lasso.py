"""LASSO: every task on its own.

    min over w_i, b_i of (1/n_i) L(y_i, X_i w_i + b_i) + penalty_i |w_i|_1   for each task i

These are the initial fits of semisoft task clustering.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from stcmtl.baselines.base import Baseline, CVPoint, Options, Solution, Steps
from stcmtl.data.taskset import Array
from stcmtl.progress import Progress
from stcmtl.solver.problem import Problem, Rows
from stcmtl.solver.single_task import descend_path, lambda_path, validate_task

TASKS_A_STEP = 6


class TaskFit(NamedTuple):
    """Coefficients and intercept at the last of the levels; held-out ``losses`` if compared."""

    w: Array
    b: float
    level: float
    levels: Array
    losses: Array


@dataclass(eq=False, repr=False)
class SingleTaskLasso(Baseline):
    """An l1 fit per task, each with a level of its own.

    Parameters
    ----------
    penalty : "cv" or float
        Level of the l1 norm; "cv" chooses one for every task. For the squared loss it is
        twice the ``alpha`` of scikit-learn's Lasso.

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
        (fixed,) = self._fixed()
        return fit_apart(rows.problem(), options, partial(fit_task, fixed=fixed), np.abs)


def fit_apart(
    problem: Problem,
    options: Options,
    fit_task: Callable[[Problem, int, NDArray[np.int64]], TaskFit],
    norm: Callable[[Array], Array],
) -> Steps:
    """Every task on its own, a few at a step; ``norm`` is what the penalty sums."""
    fold, T = problem.folds(options.n_folds, options.seed), problem.n_tasks
    fits: list[TaskFit] = []
    with Parallel(n_jobs=options.n_jobs, prefer="threads") as parallel:
        for first in range(0, T, TASKS_A_STEP):
            step = range(first, min(first + TASKS_A_STEP, T))
            fits += parallel(delayed(fit_task)(problem, i, fold) for i in step)
            yield Progress(len(fits), T, "tasks")
    W = np.stack([fit.w for fit in fits], axis=1)
    b, penalty = np.array([fit.b for fit in fits]), np.array([fit.level for fit in fits])
    value = problem.total_loss(problem.predictions(W, b)) + penalty @ norm(W).sum(axis=0)
    return Solution(problem, W, b, [value], mean_path(fits), {"penalty": penalty})


def fit_task(problem: Problem, i: int, fold: NDArray[np.int64], fixed: float | None) -> TaskFit:
    """At the fixed level, or at the one with the smallest held-out loss."""
    if fixed is None:
        levels, losses = validate_task(problem, i, fold)
        down = levels[: int(np.argmin(losses)) + 1]
    else:
        rows = problem.rows(i)
        levels = lambda_path(problem.X[rows], problem.null_pull[rows], problem.weight_of(i))
        losses, down = np.empty(0), np.append(levels[levels > fixed], fixed)
    w, b = descend_path(problem, i, down)
    return TaskFit(w, b, float(down[-1]), levels, losses)


def mean_path(fits: Sequence[TaskFit]) -> list[CVPoint]:
    """Means over tasks at every step that all of them have taken."""
    steps = min(int(np.isfinite(fit.losses).sum()) for fit in fits)
    levels = np.array([fit.levels[:steps] for fit in fits]).mean(axis=0)
    losses = np.array([fit.losses[:steps] for fit in fits])
    spread = losses.std(axis=0) / np.sqrt(len(fits))
    columns = zip(levels, losses.mean(axis=0), spread, strict=True)
    return [CVPoint({"penalty": float(a)}, float(m), float(se)) for a, m, se in columns]
