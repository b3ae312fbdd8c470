"""What a fit begins with: the tasks' own fits, in the solver's order, and how much rows count."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.solver.order import Order
from stcmtl.solver.precision import find_precision
from stcmtl.solver.problem import Problem, Rows
from stcmtl.solver.records import Initial, Settings
from stcmtl.solver.single_task import initialise
from stcmtl.solver.wild_rows import (
    distances,
    has_heavy_tails,
    linear_predictions,
    tame_first,
    tame_levels,
)


class Start(NamedTuple):
    """What a fit begins with: a problem, the tasks' own fits and the rows of both, in the solver's
    order of tasks and features; and that order. ``n_jobs`` is as for the estimators.
    """

    problem: Problem
    initial: Initial
    rows: Rows
    order: Order
    n_jobs: int | None

    def as_given(self) -> Problem:
        """The problem in the order given: another copy of X, for as long as it is needed."""
        features, tasks = np.argsort(self.order.features), np.argsort(self.order.tasks)
        return self.problem.in_order(features, tasks, self.n_jobs)

    @property
    def predictions(self) -> Array:
        """Of the tasks' own fits, for all rows."""
        problem, (W, b) = self.problem, (self.initial.W, self.initial.b)
        coef = problem.original_coefficients(W).T
        return linear_predictions(self.rows, coef, problem.original_intercepts(W, b))


def start_fit(rows: Rows, settings: Settings) -> Start:
    """The tasks' own fits, and with them how much rows count in the refinement."""
    n_jobs = settings.n_jobs
    problem = rows.problem(n_jobs=n_jobs)
    order = Order.of(problem)
    rows, problem = order.apply(rows), problem.in_order(order.features, order.tasks, n_jobs)
    how = settings.n_folds, settings.seed, n_jobs, settings.levels_apart
    initial = initialise(problem, *how)
    precision = find_precision(problem, initial) if settings.refine else None
    rows, problem = replace(rows, precision=precision), replace(problem, precision=precision)
    return Start(problem, initial, rows, order, n_jobs)


def start_tame(rows: Rows, settings: Settings) -> Start:
    """The tasks' own fits, of targets that are tame if any is wild beside them."""
    start = start_fit(rows, settings)
    if not has_heavy_tails(rows, distances(rows, start.predictions)):
        return start
    start = start_fit(replace(rows, y=tame_levels(rows)), settings)
    return start_fit(tame_first(rows, start.predictions), settings)
