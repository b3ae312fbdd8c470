"""Ridge: every task on its own.

    min over w_i, b_i of (1/n_i) L(y_i, X_i w_i + b_i) + penalty_i |w_i|^2   for each task i

Where every feature counts a little, as pixels do, this is the bar to beat.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from stcmtl.baselines.base import Baseline, Options, Steps
from stcmtl.baselines.crossvalidation import FINAL_TOLERANCE
from stcmtl.baselines.l2 import PATIENCE, Blocks, RidgeFit, falling_ridges
from stcmtl.baselines.lasso import TaskFit, fit_apart
from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.losses import total_loss
from stcmtl.solver.problem import Problem, Rows

CV_TOLERANCE = 1e-5  # changes no level that is chosen, and takes half the steps of 1e-7


@dataclass(eq=False, repr=False)
class SingleTaskRidge(Baseline):
    """An l2 fit per task, each with a level of its own.

    Parameters
    ----------
    penalty : "cv" or float
        Level of the squared l2 norm; "cv" chooses one for every task. Times the task's rows it
        is the ``alpha`` of scikit-learn's Ridge, and for two labels half of 1 / ``C``.

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
        return fit_apart(rows.problem(), options, partial(fit_task, fixed=fixed), np.square)


def fit_task(problem: Problem, i: int, fold: NDArray[np.int64], fixed: float | None) -> TaskFit:
    """At the fixed level, or at the one with the smallest held-out loss."""
    task = Blocks.of_task(problem, i, problem.weight)
    levels, losses = np.empty(0), np.empty(0)
    if fixed is None:
        levels = np.array(falling_ridges(task.stiffness))
        losses = validate_task(problem, i, fold, levels)
        fixed = float(levels[np.argmin(losses)])
    fit = task.prepare().fit(fixed, None, FINAL_TOLERANCE)
    return TaskFit(fit.w, float(fit.b[0]), fixed, levels, losses)


def validate_task(problem: Problem, i: int, fold: NDArray[np.int64], levels: Array) -> Array:
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
