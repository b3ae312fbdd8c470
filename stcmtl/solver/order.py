"""Tasks and features in an order of the data's own, whatever order they come in.

Sweeps over features, and draws of tasks, go by place. With features that correlate, a sparse fit
of another order is another fit (by 0.3 in a coefficient where sweeps stop early). So the solver
sees the strongest first: by the squares of the slopes of the null model,

    feature d:  sum_i g_di^2 / var(x_d),   task i:  sum_d g_di^2 / var(x_d),   g_i = X_i'e_i / n_i.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.problem import Problem, Rows
from stcmtl.solver.records import Initial, Iteration

DIGITS = 9  # that count: what ties up to rounding keeps its order


@dataclass(frozen=True, eq=False)
class Order:
    """``features`` (D,) and ``tasks`` (T,) say who is first, second, ... in the solver."""

    features: NDArray[np.intp]
    tasks: NDArray[np.intp]

    @classmethod
    def of(cls, problem: Problem) -> Order:
        spread = np.where(problem.spread > 0, problem.spread, 1.0)
        squares = (problem.null_slopes / spread) ** 2
        return cls(strongest_first(squares.sum(axis=0)), strongest_first(squares.sum(axis=1)))

    def apply(self, rows: Rows) -> Rows:
        columns = self.features[: rows.X.shape[1]]  # a lone feature's companion comes last
        codes = np.argsort(self.tasks)[rows.codes]
        precision = rows.precision and rows.precision.keep(self.tasks)
        columns = columns if rows.columns is None else rows.columns[columns]
        return replace(rows, columns=columns, codes=codes, precision=precision)

    def restore(self, state: Iteration) -> Iteration:
        """In the order of the rows as they came."""
        features, tasks = np.argsort(self.features), np.argsort(self.tasks)
        state = state.keep(tasks)
        return replace(state, U=state.U[features], W=state.W[features])

    def restore_initial(self, initial: Initial) -> Initial:
        kept = initial.keep(np.argsort(self.tasks))
        return replace(kept, W=kept.W[np.argsort(self.features)])


def strongest_first(strength: Array) -> NDArray[np.intp]:
    largest = max(strength.max(initial=0.0), np.finfo(float).tiny)
    return np.argsort(-np.round(strength / largest, DIGITS), kind="stable")
