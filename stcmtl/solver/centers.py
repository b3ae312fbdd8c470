"""The U step: cluster coefficients given memberships (Eq. 2).

    min over U, b of sum_i (1/n_i) L(y_i, X_i U v_i + b_i) + penalty(U)

(or with rows weighed by their precision: see ``Problem.weight``).

The penalty is the paper's l1 norm, or in the refinement the MCP, which leaves large
coefficients unshrunk, or half the squared l2 norm. Levels may differ between clusters.

Steps that touch rows are dispatched by the kind of problem: rows in memory, or in partitions
(``partitioned``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.clusters import Clusters, cluster_path, predict_clusters
from stcmtl.solver.problem import Problem
from stcmtl.stopping import stop_if_asked

L1, MCP = 0.0, 0.5  # the inverse of the MCP's a; l1 is its limit for a -> infinity
RIDGE = -1.0  # bends the other way
PENALTIES = {"l1": L1, "mcp": MCP, "ridge": RIDGE}


@dataclass(frozen=True)
class Penalty:
    """``level`` times the scale of each cluster, with the MCP's inverse concavity."""

    level: float
    inverse_a: float = L1

    @property
    def name(self) -> str:
        return next(name for name, value in PENALTIES.items() if value == self.inverse_a)

    def levels(self, problem: Problem, V: Array) -> Array:
        """Of each cluster."""
        return self.level * penalty_scale(problem, V, self.inverse_a)


@singledispatch
def predictions(problem: Problem, U: Array, V: Array, b: Array) -> Array:
    """f = X_i U v_i + b_i for every row."""
    stop_if_asked()
    f = np.empty(problem.y.size)
    predict_clusters(problem.as_tasks(), Clusters(U, np.ascontiguousarray(V), b), f)
    return f


@singledispatch
def update_centers(
    problem: Problem,
    V: Array,
    U: Array,
    b: Array,
    levels: Array,
    inverse_a: float = L1,
    tol: float = 1e-6,
) -> tuple[Array, Array, float]:
    """Solve the U step from (U, b); returns (U, b, penalty)."""
    at = Clusters(U.copy(), np.ascontiguousarray(V), b.copy())
    tasks = problem.as_tasks(squares=problem.squares)
    *_, penalties = cluster_path(tasks, at, levels[None, :], inverse_a, tol)
    stop_if_asked()
    return at.U, at.b, float(penalties[-1])


def penalty_scale(problem: Problem, V: Array, inverse_a: float) -> Array:
    """A penalty that looks for zeros has to be above the noise of each cluster."""
    return np.ones(len(V)) if inverse_a == RIDGE else noise_scale(problem, V)


def noise_scale(problem: Problem, V: Array) -> Array:
    """How the noise of a column's slope grows with its tasks, relative to the average column.

    The slope of U_k sums v_ki / n_i over rows, so its variance goes with sum_i v_ki^2 / n_i.
    Rows that are weighed by their precision p_i make that sum_i v_ki^2 p_i n_i.
    """
    importance = problem.importance
    variance = (V**2 / problem.counts if importance is None else V**2 * importance).sum(axis=1)
    mean = variance.mean()
    return np.sqrt(variance / mean) if mean > 0 else np.ones(len(V))
