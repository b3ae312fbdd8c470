"""Every task's own l1 fit, of all rows and of the training rows of every fold.

Methods that begin with such estimates must not let the held-out rows into them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

import numpy as np

from stcmtl.baselines.base import Options
from stcmtl.data.taskset import Array
from stcmtl.progress import Progress
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Initial
from stcmtl.solver.single_task import initialise

Start = TypeVar("Start")


class Starts(dict[bytes, Start]):
    """What a method begins with, by the rows it may see: those with a weight."""

    def of(self, weight: Array) -> Start:
        return self[np.packbits(weight > 0).tobytes()]


def prepare_starts(
    problem: Problem, options: Options, make: Callable[[Initial], Start], with_folds: bool
) -> Generator[Progress, None, Starts[Start]]:
    """``make`` of the estimates from all rows, and from the training rows of every fold."""
    seen = [np.ones(problem.y.size, dtype=bool)]
    if with_folds:
        fold = problem.folds(options.n_folds, options.seed)
        seen += [fold != c for c in range(int(fold.max()) + 1)]
    starts = Starts[Start]()
    for step, rows in enumerate(seen, start=1):
        part = Problem.build(
            problem.X[rows], problem.y[rows], problem.task_of_row[rows], problem.loss,
            problem.fit_intercept,
        )  # fmt: skip
        initial = initialise(part, options.n_folds, options.seed, options.n_jobs)
        starts[np.packbits(rows).tobytes()] = make(initial)
        yield Progress(step, len(seen), "initial estimates")
    return starts
