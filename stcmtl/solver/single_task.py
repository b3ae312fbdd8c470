"""One task at a time: the initial fits with their lambdas, and the W step (Eqs. 5 and 6).

min over w, b of (1/n) L(y, X w + b) + lambda |w|_1
"""

from __future__ import annotations

from functools import cache, singledispatch
from itertools import chain

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from stcmtl.data.weighted import std_of
from stcmtl.solver.kernels.single import (
    Task,
    l1_cross_validation,
    l1_path,
    l1_sweeps,
)
from stcmtl.solver.machine import Threads, workers_for
from stcmtl.solver.penalty_choice import path_start
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Array, Initial
from stcmtl.solver.shipping import Chunk, cut_tasks
from stcmtl.stopping import halt, stop_if_asked

N_LEVELS = 100
# Levels without improvement (a factor of 2.5 in lambda) before cross-validation gives up.
PATIENCE = 20
LEVELS_APART = 4  # of starts, and of labels, whose held-out loss is flat around its lowest point
CV_TOLERANCE, FINAL_TOLERANCE = 1e-6, 1e-9


def initialise(
    problem: Problem, n_folds: int, seed: int, n_jobs: int | None = None, step: int | None = None
) -> Initial:
    """Fit every task on its own, lambda_i by cross-validation within the task (Eq. 6).

    With a ``step`` of 4 only every fourth level is tried, which is enough for starts, and, unless
    told otherwise, for labels.
    """
    if step is None:
        step = 1 if problem.loss == SQUARED else LEVELS_APART
    fold = problem.folds(n_folds, seed)
    parallel = Threads(n_jobs)
    shared, _ = workers_for(n_jobs)
    if shared:
        tasks = range(problem.n_tasks)
        fits = parallel(delayed(fit_task)(problem, i, fold, step) for i in tasks)
    else:
        chunks = cut_tasks(problem, fold, n_jobs)
        fits = [*chain(*parallel(delayed(fit_chunk)(chunk, step) for chunk in chunks))]
    w, b, lambdas, losses = zip(*fits, strict=True)
    return Initial(np.stack(w, axis=1), np.array(b), np.array(lambdas), np.array(losses))


def fit_chunk(chunk: Chunk, step: int = 1) -> list[tuple[Array, float, float, float]]:
    """``fit_task`` of each."""
    problem, fold = chunk
    return [fit_task(problem, i, fold, step) for i in range(problem.n_tasks)]


def fit_task(
    problem: Problem, i: int, fold: NDArray[np.int64], step: int = 1
) -> tuple[Array, float, float, float]:
    levels, errors = validate_task(problem, i, fold, step)
    best = int(np.argmin(errors))
    w, b = descend_path(problem, i, levels[: best + 1])
    return w, b, float(levels[best]), float(errors[best])


def validate_task(
    problem: Problem, i: int, fold: NDArray[np.int64], step: int = 1
) -> tuple[Array, Array]:
    """Falling levels and the mean held-out loss at each; infinite where the path ended before."""
    rows, task = problem.rows(i), task_alone(problem, i)
    pull, weight = problem.null_pull[rows], problem.weight_of(i)
    levels = lambda_path(task.columns.T, pull, weight)[::step]
    held = fold[rows], problem.row_counts[rows]
    return levels, l1_cross_validation(task, *held, levels, CV_TOLERANCE, PATIENCE // step)


def descend_path(problem: Problem, i: int, levels: Array) -> tuple[Array, float]:
    """The fit of task i at the last of the falling levels, warm-started from the others."""
    W, b = l1_path(task_alone(problem, i), levels, FINAL_TOLERANCE)
    return W[-1], float(b[-1])


def task_alone(problem: Problem, i: int) -> Task:
    columns = np.ascontiguousarray(problem.X[problem.rows(i)].T)
    loss, offset = problem.loss_of_task(i), np.zeros(columns.shape[1])
    return Task(columns, loss, problem.fit_intercept, offset, halt())


def lambda_path(X: Array, null_pull: Array, row_weight: Array | None = None) -> Array:
    """Falling levels from the smallest lambda that leaves every coefficient zero."""
    n, pull = len(X) if row_weight is None else row_weight.sum(), null_pull
    if row_weight is not None:
        pull = row_weight * null_pull
    *null, start = path_start(np.abs(X.T @ pull) / n, std_of(X, row_weight, axis=0))
    lowest = 0.01 if n < X.shape[1] else 0.001
    return np.concatenate([null, start * falling(lowest, N_LEVELS - len(null))])


@cache
def falling(lowest: float, count: int) -> Array:
    """From one on, by the same ratio each time."""
    return np.geomspace(1.0, lowest, count)


@singledispatch
def update_coefficients(
    problem: Problem,
    W: Array,
    b: Array,
    lambdas: Array,
    n_sweeps: int = 3,
    n_jobs: int | None = 1,
) -> tuple[Array, Array]:
    """The W step: a few sweeps on each task from W = U V (section 3.3)."""
    W, b = W.T.copy(), b.copy()

    def update(i: int) -> None:
        stop_if_asked()
        l1_sweeps(task_alone(problem, i), lambdas[i], W[i], b[i : i + 1], n_sweeps)

    Threads(n_jobs).here(delayed(update)(i) for i in range(problem.n_tasks))
    return W.T, b
