"""Checked rows of all tasks, from which problems are made: of all rows, of some, of a resample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.problem import Problem


@dataclass(frozen=True)
class Rows:
    """``codes`` number the tasks from 0; ``y`` is as the loss wants it."""

    X: Array
    y: Array
    codes: NDArray[np.int64]
    loss: int
    fit_intercept: bool
    standardize: bool

    @cached_property
    def by_task(self) -> NDArray[np.int64]:
        """Rows in the order in which a problem holds them."""
        return np.argsort(self.codes, kind="stable")

    def keep(self, tasks: NDArray[np.bool_]) -> Rows:
        """Without the other tasks."""
        chosen = tasks[self.codes]
        codes = (np.cumsum(tasks) - 1)[self.codes[chosen]]
        return replace(self, X=self.X[chosen], y=self.y[chosen], codes=codes)

    def problem(self, chosen: NDArray[np.int64] | None = None) -> Problem:
        """Of all rows, or of the chosen ones."""
        X, y, codes = self.X, self.y, self.codes
        if chosen is not None:
            X, y, codes = X[chosen], y[chosen], codes[chosen]
        scale = feature_scale(X) if self.standardize else None
        return Problem.build(X, y, codes, self.loss, self.fit_intercept, scale)


def feature_scale(X: Array) -> Array:
    """Standard deviations over all rows; 1 for a constant feature."""
    # a constant 0.1 has a standard deviation of 1e-17, by rounding
    return np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)
