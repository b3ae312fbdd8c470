"""The U step: cluster coefficients given memberships (Eq. 2).

    min over U, b of sum_i (1/n_i) L(y_i, X_i U v_i + b_i) + penalty(U)

The penalty is the paper's l1 norm, or in the refinement the MCP, which leaves large
coefficients unshrunk. Levels may differ between clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.clusters import Clusters, cluster_path, predict_clusters
from stcmtl.solver.problem import Problem

L1, MCP = 0.0, 0.5  # the inverse of the MCP's a; l1 is its limit for a -> infinity
SHAPES = {"l1": L1, "mcp": MCP}


@dataclass(frozen=True)
class Penalty:
    """``level`` times the noise scale of each cluster, with the MCP's inverse concavity."""

    level: float
    inverse_a: float = L1

    @property
    def name(self) -> str:
        return next(name for name, shape in SHAPES.items() if shape == self.inverse_a)


def predictions(problem: Problem, U: Array, V: Array, b: Array) -> Array:
    """f = X_i U v_i + b_i for every row."""
    f = np.empty(problem.y.size)
    predict_clusters(problem.as_tasks(), Clusters(U, np.ascontiguousarray(V), b), f)
    return f


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
    _, penalties = cluster_path(problem.as_tasks(), at, levels[None, :], inverse_a, tol)
    return at.U, at.b, float(penalties[-1])


def noise_scale(problem: Problem, V: Array) -> Array:
    """How the noise of a column's slope grows with its tasks, relative to the average column.

    The slope of U_k sums v_ki / n_i over rows, so its variance goes with sum_i v_ki^2 / n_i.
    """
    variance = (V**2 / problem.n_rows).sum(axis=1)
    return np.sqrt(variance / variance.mean())
