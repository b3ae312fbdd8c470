"""Low rank: all tasks' coefficients lie near a space of few dimensions.

    min over W, b of sum_i (1/n_i) L(y_i, X_i w_i + b_i) + penalty |W|_* + ridge |W|_F^2

The trace norm |W|_* is the sum of the singular values of W.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stcmtl.baselines.base import Baseline, Options, Steps
from stcmtl.baselines.crossvalidation import Path, fit_best
from stcmtl.baselines.kernels.gradients import extrapolated_gradients
from stcmtl.baselines.spectral import SpectralProblem
from stcmtl.data.taskset import Array
from stcmtl.solver.penalty_choice import ABOVE_ROUNDING, falling_levels
from stcmtl.solver.problem import Problem, Rows

N_LEVELS = 33  # down to 1e-4 of the level at which W = 0
RIDGES = (0.0, 0.01, 0.1)  # of the curvature of the loss in an average direction


@dataclass(frozen=True)
class TracePenalty:
    """penalty sum_j s_j + ridge sum_j s_j^2."""

    penalty: float
    ridge: float

    def shrink(self, s: Array, step: float) -> tuple[Array, float]:
        left = np.maximum(s - step * self.penalty, 0.0) / (1.0 + 2.0 * step * self.ridge)
        value = self.penalty * left.sum() + self.ridge * (left @ left)
        return left / np.where(s > 0.0, s, 1.0), float(value)


@dataclass(eq=False, repr=False)
class TraceNorm(Baseline):
    """Trace norm plus squared Frobenius norm.

    Parameters
    ----------
    penalty : "cv" or float
        Level of the trace norm.
    ridge : "cv" or float
        Level of the squared Frobenius norm.

    Attributes
    ----------
    penalty_, ridge_ : float
        The levels of the fit.
    rank_ : int
        Of the coefficients: the number of singular values that are not 0.

    The others are those of ``Baseline``.
    """

    _penalties = ("penalty", "ridge")
    _kernels = (extrapolated_gradients,)

    penalty: str | float = "cv"
    ridge: str | float = "cv"

    def _solve(self, rows: Rows, options: Options) -> Steps:
        problem = rows.problem()
        spectral = SpectralProblem(problem, TracePenalty)
        fit, chosen, points = yield from fit_best(
            problem, options, spectral.solve, self._paths(spectral)
        )
        rank = int(np.count_nonzero(fit.singular_values))
        return fit.solution(problem, points, chosen, rank_=rank)

    def _paths(self, spectral: SpectralProblem) -> list[Path]:
        """Falling levels of the trace norm for every ridge."""
        penalty, ridge = self._fixed()
        highest = ABOVE_ROUNDING * null_level(spectral.problem)
        levels = falling_levels(highest, N_LEVELS) if penalty is None else np.array([penalty])
        ridges = spectral.curvature * np.array(RIDGES) if ridge is None else np.array([ridge])
        return [[{"penalty": float(a), "ridge": float(r)} for a in levels] for r in ridges]


def null_level(problem: Problem) -> float:
    """The smallest level of the trace norm that leaves W = 0."""
    pull = problem.weight * problem.null_pull
    slopes = np.add.reduceat(problem.X * pull[:, None], problem.starts[:-1])
    return float(np.linalg.norm(slopes, 2))
