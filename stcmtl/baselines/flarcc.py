"""FLARCC: the coefficients of every feature clustered across tasks (Tang and Song, 2016).

    min over W, b of sum_i (1/n_i) L(y_i, X_i w_i + b_i)
        + penalty * sum_j ( sparsity * a_j |w_j(r)| + sum_t c_jt |w_j(t+1) - w_j(t)| )

For every feature j the tasks are put in the order of initial estimates, w_j(1) <= w_j(2) ...,
and neighbours are fused; the one nearest zero, w_j(r), is drawn to zero, and with it all that
are fused to it. As in the adaptive lasso, a_j and c_jt are smaller the further apart the
initial estimates are. In the differences and w_j(r) as parameters this is a lasso.

The authors begin with unpenalised fits, which do not exist for more features than rows. Here
the initial estimates are each task's l1 fit. Many of them are equal, and would never part: so
a weight is at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from stcmtl.baselines.base import Baseline, CVPoint, Options, Solution, Steps
from stcmtl.baselines.crossvalidation import Path, Penalties, Starts, choose, prepare_starts, refit
from stcmtl.baselines.kernels.fusion import (
    ChainFit,
    Chains,
    chain_entry,
    fit_chains,
    start_chains,
)
from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.single import l1_cross_validation, l1_path
from stcmtl.solver.penalty_choice import falling_levels, path_start
from stcmtl.solver.problem import Problem, Rows
from stcmtl.solver.records import Initial

SPARSITIES = (1.0, 0.5, 0.25, 0.1)
N_LEVELS = 24
LEVELS_APART = 2  # of the initial estimates of folds
CV_TOLERANCE = 1e-4  # on eight data sets 1e-6 chose the same levels, in more time
HALF_WEIGHT = 0.1  # of the mean initial estimate: so far apart, a difference weighs half


@dataclass(eq=False, repr=False)
class FLARCC(Baseline):
    """Coefficients of each feature fused across tasks, in the order of initial estimates.

    Parameters
    ----------
    penalty : "cv" or float
        Level of the fusion of neighbours.
    sparsity : "cv" or float
        Level of the penalty towards zero, as a multiple of ``penalty``; "cv" lowers it where
        that predicts better by more than a standard error.

    Attributes
    ----------
    penalty_, sparsity_ : float
        The levels used.

    The others are those of ``Baseline``.

    >>> other = baselines.FLARCC(random_state=0).fit(train.X, train.y, train.tasks)
    >>> float(round(metrics.rmse(test.y, other.predict(test.X, test.tasks)), 2))
    0.65
    """

    _penalties = ("penalty", "sparsity")
    _kernels = (l1_cross_validation, l1_path, chain_entry, start_chains, fit_chains)

    penalty: str | float = "cv"
    sparsity: str | float = "cv"

    def _solve(self, rows: Rows, options: Options) -> Steps:
        problem = rows.problem()
        compare = "cv" in (self.penalty, self.sparsity)
        chain = partial(chain_tasks, spread=problem.spread)
        chains = yield from prepare_starts(problem, options, chain, compare, LEVELS_APART)
        solve = ChainSolver(problem, chains)
        paths = self._paths(problem, chains.of(problem.weight))
        points: list[CVPoint] = []
        path = paths[0]
        if compare:
            points, _ = yield from choose(
                problem, options, solve, paths, path_patience=1, tol=CV_TOLERANCE
            )
            path = take_sparsest(points)
        fit = yield from refit(problem, solve, path)
        return Solution(problem, fit.W, fit.b, fit.history, points, path[-1], settled=fit.settled)

    def _paths(self, problem: Problem, chains: Chains) -> list[Path]:
        penalty, sparsity = self._fixed()
        paths: list[Path] = []
        for share in SPARSITIES if sparsity is None else (sparsity,):
            levels = fusion_levels(problem, chains, share) if penalty is None else [penalty]
            paths.append([{"penalty": float(a), "sparsity": share} for a in levels])
        return paths


def take_sparsest(points: Sequence[CVPoint]) -> Path:
    """The path to the best level of the first sparsity within a standard error of the best."""
    lowest = min(points, key=lambda point: point.loss)
    for share in dict.fromkeys(point.penalties["sparsity"] for point in points):
        path = [point for point in points if point.penalties["sparsity"] == share]
        losses = [point.loss for point in path]
        if min(losses) <= lowest.loss + lowest.se:
            break
    return [point.penalties for point in path[: int(np.argmin(losses)) + 1]]


def chain_tasks(initial: Initial, spread: Array) -> Chains:
    """In the order of the initial estimates; ``spread`` are the features' standard deviations."""
    W = initial.W
    order = np.argsort(W, axis=1, kind="stable")
    ordered = np.take_along_axis(W, order, axis=1)
    anchor_at = np.abs(ordered).argmin(axis=1)
    nearest = np.take_along_axis(ordered, anchor_at[:, None], axis=1)
    # in units in which the features vary alike
    unit = np.where(spread > 0, spread, 1.0)[:, None]
    size = (np.abs(W) * unit)[W != 0]
    half = HALF_WEIGHT * (size.mean() if size.size else 1.0) / unit
    fusion = half / (half + np.diff(ordered, axis=1))
    return Chains(order, fusion, anchor_at, (half / (half + np.abs(nearest)))[:, 0])


def fusion_levels(problem: Problem, chains: Chains, sparsity: float) -> Array:
    """Falling levels, from the smallest that leaves all coefficients zero, or all fused."""
    slopes = np.take_along_axis(problem.null_slopes.T, chains.order, axis=1)
    anchor = sparsity * chains.anchor if sparsity > 0 else np.full(len(slopes), np.inf)
    held = zip(slopes, chains.fusion, chains.anchor_at, anchor, strict=True)
    entries = np.array([chain_entry(*chain) for chain in held])
    return falling_levels(path_start(entries, problem.spread), N_LEVELS)


@dataclass(frozen=True, eq=False)
class Fused:
    """Where the kernel is, the objective on the way there, and whether it had settled."""

    at: ChainFit
    history: list[float]
    settled: bool

    @property
    def W(self) -> Array:  # noqa: N802
        return self.at.W

    @property
    def b(self) -> Array:
        return self.at.b


@dataclass(frozen=True)
class ChainSolver:
    """See ``crossvalidation.Solver``; goes on in place of ``start``."""

    problem: Problem
    chains: Starts[Chains]

    def __call__(
        self, weight: Array, penalties: Penalties, start: Fused | None, tol: float
    ) -> Fused:
        tasks, chains = self.problem.as_tasks(weight), self.chains.of(weight)
        at = start_chains(tasks, np.zeros(self.problem.n_tasks)) if start is None else start.at
        level, share = penalties["penalty"], penalties["sparsity"]
        held = chains._replace(fusion=level * chains.fusion, anchor=level * share * chains.anchor)
        history, settled = fit_chains(tasks, held, at, tol)
        return Fused(at, list(history), settled)
