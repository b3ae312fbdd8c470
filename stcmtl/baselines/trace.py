"""Low rank: all tasks' coefficients lie near a space of few dimensions.

    min over W, b of sum_i (1/n_i) L(y_i, X_i w_i + b_i) + penalty |W|_* + ridge |W|_F^2

The trace norm |W|_* is the sum of the singular values of W. For any penalty on them, such as
CMTL's, this file has the solver: proximal gradient steps, where the proximal operator shrinks the
singular values and keeps the singular vectors. A step is as long as the curvature along the one
before allows (Barzilai and Borwein), and a fit begins where the levels before it point to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from stcmtl.baselines.base import Baseline, CVPoint, Options, Solution, Steps
from stcmtl.baselines.crossvalidation import Path, Penalties
from stcmtl.baselines.kernels.gradients import fill_gradients
from stcmtl.baselines.near_best import fit_near_best
from stcmtl.data.taskset import Array
from stcmtl.solver.penalty_choice import ABOVE_ROUNDING, falling_levels
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem, Rows
from stcmtl.stopping import stop_if_asked

N_LEVELS = 33  # down to 1e-4 of the level at which W = 0
RIDGES = (0.0, 0.01, 0.1)  # of the curvature of the loss in an average direction
MAX_STEPS = 10_000
FIRST_STEP = 2.0  # of the length that is safe whatever the direction
MEMORY = 10  # steps, of which a new one may not exceed the worst
STIFFEST = {SQUARED: 2.0, LOGISTIC: 0.25}  # the largest d2L/df2


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

    >>> other = baselines.TraceNorm(random_state=0).fit(train.X, train.y, train.tasks)
    >>> float(round(metrics.rmse(test.y, other.predict(test.X, test.tasks)), 2))
    0.6
    """

    _penalties = ("penalty", "ridge")
    _kernels = (fill_gradients,)

    penalty: str | float = "cv"
    ridge: str | float = "cv"

    def _solve(self, rows: Rows, options: Options) -> Steps:
        problem = rows.problem()
        spectral = SpectralProblem(problem, TracePenalty)
        fit, chosen, points = yield from fit_near_best(
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
    return float(np.linalg.norm(problem.null_slopes, 2))


class SpectralPenalty(Protocol):
    """Omega, a function of the singular values."""

    def shrink(self, s: Array, step: float) -> tuple[Array, float]:
        """What the proximal operator of ``step`` Omega keeps of every singular value, from 0
        to 1, and Omega of what is left; so a step of 0 gives Omega itself.
        """
        ...


@dataclass(frozen=True, eq=False)
class SpectralFit:
    """Coefficients ``W`` (D, T), their singular values in rising order, intercepts ``b`` (T,)
    and the objective after every step.
    """

    W: Array
    singular_values: Array
    b: Array
    history: list[float]
    guess: Array  # (T, D + 1), as the solver has it: where the next level of a path may lead

    def solution(
        self, problem: Problem, cv_path: list[CVPoint], penalties: Penalties, **learnt: Any
    ) -> Solution:
        """Of this final fit."""
        settled = len(self.history) < MAX_STEPS
        return Solution(problem, self.W, self.b, self.history, cv_path, penalties, learnt, settled)


class SpectralProblem:
    """The data with its curvature; an intercept is one more coefficient, never shrunk."""

    def __init__(self, problem: Problem, penalty: Callable[..., SpectralPenalty]) -> None:
        self.problem, self.penalty = problem, penalty
        tasks = range(problem.n_tasks)
        longest = np.array([largest_eigenvalue(problem.X[problem.rows(i)]) for i in tasks])
        # The intercepts' column is as long as the longest direction of the features, and
        # orthogonal to them, as they are centred: so it takes steps of the right size.
        self.one = float(np.sqrt((longest / problem.n_rows).max())) or 1.0
        n_ones = int(problem.fit_intercept)
        ones = np.full((problem.y.size, n_ones), self.one)
        self.X = np.ascontiguousarray(np.hstack([problem.X, ones]))
        longest = np.maximum(longest, n_ones * self.one**2 * problem.n_rows)
        self.largest_curvature = STIFFEST[problem.loss] * longest  # over a task's rows, summed

    @property
    def curvature(self) -> float:
        """The ridge that is as stiff as the loss of a task in an average direction."""
        problem = self.problem
        mean_square = problem.weight @ (problem.X**2).mean(axis=1) / problem.n_tasks
        return 0.5 * STIFFEST[problem.loss] * float(mean_square)

    def solve(
        self, weight: Array, penalties: Penalties, start: SpectralFit | None, tol: float
    ) -> SpectralFit:
        """Step until a step gains less than ``tol`` of the loss of predicting 0."""
        problem, penalty = self.problem, self.penalty(**penalties)
        tasks = problem.as_tasks(weight)._replace(X=self.X)
        D, safe = problem.n_features, self.step_size(weight)
        stop = tol * problem.total_loss(np.zeros(problem.y.size))
        before = self.pack(start)
        W = before if start is None else start.guess
        slope, new_slope = np.empty_like(W), np.empty_like(W)
        fill_gradients(tasks, W, slope)
        size, history = FIRST_STEP * safe, list[float]()
        while len(history) < MAX_STEPS:
            stop_if_asked()
            new = W - size * slope
            new[:, :D], s, cost = shrink_values(new[:, :D], penalty, size)
            value = fill_gradients(tasks, new, new_slope) + cost
            if size > safe and value > max(history[-MEMORY:], default=np.inf):
                size = safe
                continue
            history.append(value)
            moved, bent = new - W, new_slope - slope
            W, slope, new_slope = new, new_slope, slope
            length = float(np.vdot(moved, moved))
            if length <= 2.0 * size * stop:
                break
            curvature = float(np.vdot(moved, bent))
            size = max(safe, length / curvature) if curvature > 0.0 else safe
        b = W[:, D:].sum(axis=1) * self.one
        return SpectralFit(W[:, :D].T, s, b, history, guess=2.0 * W - before)

    def step_size(self, weight: Array) -> float:
        """1 / a bound on the curvature: as if all rows had the weight of the heaviest."""
        heaviest = np.maximum.reduceat(weight, self.problem.starts[:-1])
        return 1.0 / (float((heaviest * self.largest_curvature).max()) or 1.0)

    def pack(self, start: SpectralFit | None) -> Array:
        """Tasks down, each with its intercept last."""
        D = self.problem.n_features
        W = np.zeros((self.problem.n_tasks, self.X.shape[1]))
        if start is not None:
            W[:, :D] = start.W.T
            W[:, D:] = start.b[:, None] / self.one
        return W


def shrink_values(W: Array, penalty: SpectralPenalty, step: float) -> tuple[Array, Array, float]:
    """The proximal operator, the singular values it leaves, and Omega of them."""
    wide = W.shape[0] <= W.shape[1]
    squares, vectors = np.linalg.eigh(W @ W.T if wide else W.T @ W)
    s = np.sqrt(np.maximum(squares, 0.0))
    kept, value = penalty.shrink(s, step)
    P = (vectors * kept) @ vectors.T
    return (P @ W if wide else W @ P), kept * s, value


def largest_eigenvalue(X: Array) -> float:
    """Of X'X."""
    small = X @ X.T if X.shape[0] <= X.shape[1] else X.T @ X
    return float(np.linalg.eigvalsh(small)[-1])
