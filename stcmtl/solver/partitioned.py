"""All tasks as a problem whose rows are elsewhere: the loops of the solver, the steps by partition.

``solve`` is the same for rows in memory and for partitions: it hands a problem from step to step.
Here are those steps that touch rows, registered for a problem in partitions. Arrays of all tasks
(memberships, coefficients) are in the solver's order, as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver import partition
from stcmtl.solver.centers import L1, MCP, Penalty, penalty_scale, predictions, update_centers
from stcmtl.solver.crew import Crew
from stcmtl.solver.fold_paths import FoldSteps
from stcmtl.solver.kernels.clusters import Clusters
from stcmtl.solver.kernels.simplex import SIMPLEX
from stcmtl.solver.machine import Threads
from stcmtl.solver.memberships import update_memberships
from stcmtl.solver.normal_equations import NormalEquations, Sums
from stcmtl.solver.penalty_choice import (
    THOROUGH,
    choose_penalty,
    open_folds,
    path_start,
    path_start_of,
    validation_curve,
)
from stcmtl.solver.problem import Problem
from stcmtl.solver.single_task import update_coefficients


class Predicted(NamedTuple):
    """Predictions that nobody has written out."""

    U: Array
    V: Array
    b: Array


@dataclass(frozen=True)
class PartitionedProblem(Problem):
    """``parts`` has the tasks of each partition, as the solver numbers them; ``sizes`` (T,) and
    ``in_fold`` (T, F) count rows; ``spreads`` (D,) are those of the features, ``left`` (T,) the
    squares that the tasks' own fits leave. X and y are empty.
    """

    crew: Crew = field(kw_only=True)
    parts: Sequence[NDArray[np.intp]] = field(kw_only=True)
    sizes: Array = field(kw_only=True)
    in_fold: Array = field(kw_only=True)
    spreads: Array = field(kw_only=True)
    left: Array = field(kw_only=True)

    @property
    def n_tasks(self) -> int:
        return self.sizes.size

    @cached_property
    def counts(self) -> Array:
        return self.sizes

    @cached_property
    def spread(self) -> Array:
        return self.spreads

    @cached_property
    def task_weight(self) -> Array:
        """Of the rows of each task."""
        return 1.0 / self.counts if self.importance is None else self.importance / self.counts

    @cached_property
    def memory(self) -> dict[str, tuple[Array, Any]]:
        """The last normal equations, and the memberships that they are of."""
        return {}

    def remember(self, V: Array, sums: Any) -> NormalEquations:
        found = NormalEquations.of(Sums(*sums))
        self.memory["normal"] = V, found
        return found

    def normal(self, V: Array) -> NormalEquations:
        """Given memberships; summed up once for each."""
        known, found = self.memory.get("normal", (None, None))
        if known is V and found is not None:
            return found
        weight = self.task_weight
        return self.remember(V, self.run(partition.sum_up, by_task=(V, weight))[1])

    def fold_normals(self, V: Array) -> list[tuple[NormalEquations, NormalEquations]]:
        """Of each fold: of the rows left, and of the rows held out."""
        known, found = self.memory.get("folds", (None, None))
        if known is not V or found is None:
            weights = np.stack(
                [self.weights_left, np.tile(self.weight_held_out, (self.n_folds, 1))]
            )
            sums = self.run(partition.sum_up_folds, by_task=(V, weights))[1]
            folds = range(self.n_folds)
            both = [[Sums(*(part[side, c] for part in sums)) for side in (0, 1)] for c in folds]
            found = [(NormalEquations.of(left), NormalEquations.of(held)) for left, held in both]
            self.memory["folds"] = V, found
        return found

    @property
    def n_folds(self) -> int:
        return self.in_fold.shape[1]

    @cached_property
    def weights_left(self) -> Array:
        """(F, T): of rows left in a fit without a fold."""
        kept = (self.counts[:, None] - self.in_fold).T
        if self.precision is None:
            return 1.0 / np.where(kept > 0.0, kept, 1.0)
        fit = self.precision.fit
        return fit / (fit * kept).mean(axis=1, keepdims=True)

    @cached_property
    def weight_held_out(self) -> Array:
        """(T,): of rows held out."""
        return np.ones(self.n_tasks) if self.precision is None else self.precision.held_out

    def run(
        self, step: Any, told: tuple[Any, ...] = (), by_task: tuple[Array, ...] = ()
    ) -> tuple[list[Any], Any]:
        """A step on every partition, told of all, and of arrays (..., T) the part that is its."""
        mine = [tuple(value[..., part] for value in by_task) for part in self.parts]
        return self.crew.run(step, [(*own, *told) for own in mine])

    def gather(self, parts: Sequence[Array]) -> Array:
        """Arrays (..., tasks of the partition) as one, in the solver's order."""
        return np.concatenate(parts, axis=-1)[..., np.argsort(np.concatenate(self.parts))]

    def precision_of(self, part: NDArray[np.intp]) -> Any:
        return self.precision and self.precision.keep(part)

    def folds(self, n_folds: int, seed: int) -> NDArray[np.int64]:
        """Each stands for its rows."""
        return np.arange(self.n_folds)

    @cached_property
    def held_out_weight(self) -> None:
        """In the sums already."""

    def task_squares(self, W: Array, b: Array) -> Array:
        """Of the tasks' own fits, whose they are."""
        return self.left

    def total_loss(self, f: Any) -> float:
        return self.normal(f.V).loss(f.U)

    def weighed_loss(self, f: Any) -> float:
        if self.precision is None and (self.counts != self.counts[0]).any():
            told, _ = self.run(partition.measure_losses, (f.U,), (f.V, f.b))
            return float(self.counts @ self.gather(told))
        return self.total_loss(f) * float(self.weighed_counts.mean())


@predictions.register(PartitionedProblem)
def predict_later(problem: PartitionedProblem, U: Array, V: Array, b: Array) -> Predicted:
    return Predicted(U, V, b)


@update_centers.register(PartitionedProblem)
def update_centers_by_sums(
    problem: PartitionedProblem,
    V: Array,
    U: Array,
    b: Array,
    levels: Array,
    inverse_a: float = L1,
    tol: float = 1e-6,
) -> tuple[Array, Array, float]:
    """The U step by its normal equations; centred tasks have no intercepts."""
    path, penalties = problem.normal(V).descend(U, levels[None, :], inverse_a, tol)
    return path[-1], b.copy(), float(penalties[-1])


@update_coefficients.register(PartitionedProblem)
def update_coefficients_by_partition(
    problem: PartitionedProblem, W: Array, b: Array, lambdas: Array, **_: object
) -> tuple[Array, Array]:
    told, _sums = problem.run(partition.sweep_tasks, by_task=(W, b, lambdas))
    W, b = (problem.gather(parts) for parts in zip(*told, strict=True))
    return W, b


@update_memberships.register(PartitionedProblem)
def update_memberships_by_partition(
    problem: PartitionedProblem,
    U: Array,
    V: Array,
    b: Array,
    noise: float,
    shares: Array,
    shape: int = SIMPLEX,
    dense: bool = False,
    pruned: bool = True,
) -> tuple[Array, Array]:
    settings, weight = (noise, shares, shape, dense, pruned), problem.task_weight
    told, sums = problem.crew.run(
        partition.find_memberships,
        [
            (problem.precision_of(part), weight[part], U, V[:, part], b[part], *settings)
            for part in problem.parts
        ],
    )
    V, b = (problem.gather(parts) for parts in zip(*told, strict=True))
    problem.remember(V, sums)
    return V, b


@path_start_of.register(PartitionedProblem)
def path_start_by_sums(problem: PartitionedProblem, V: Array, scale: Array) -> Array:
    used = scale > 0
    slopes = np.abs(problem.normal(V).g.T[used]) / scale[used, None]
    return path_start(slopes.max(axis=0), problem.spread)


class SummedFold(NamedTuple):
    """A fold as sums over its rows: those left, and those held out. One entry of ``held_out`` (F,)
    stands for all rows of a fold.
    """

    held_out: NDArray[np.bool_]
    V: Array
    left: NormalEquations
    held: NormalEquations

    def descend(
        self, problem: Problem, start: Clusters, levels: Array, inverse_a: float, tol: float
    ) -> FoldSteps:
        """As ``Fold.descend``; losses (levels, 1) are sums over the rows held out."""
        path, penalties = self.left.descend(start.U, levels, inverse_a, tol)
        losses = np.array([[self.held.loss(U)] for U in path])
        return FoldSteps(path, np.tile(start.b, (len(path), 1)), penalties, losses)


@open_folds.register(PartitionedProblem)
def sum_folds(
    problem: PartitionedProblem, V_of_fold: Sequence[Array], fold: NDArray[np.int64], *_: Any
) -> list[SummedFold]:
    """All with the same loadings."""
    V = V_of_fold[0]
    return [SummedFold(fold == c, V, *sums) for c, sums in enumerate(problem.fold_normals(V))]


@choose_penalty.register(PartitionedProblem)
def choose_penalty_by_partition(
    problem: PartitionedProblem,
    V: Array,
    fold: NDArray[np.int64],
    n_jobs: int | None = None,
    dense: bool = False,
    free: bool = False,
) -> Penalty:
    """The same rule; how far losses of rows differ is asked of the rows once."""
    folds = sum_folds(problem, [V], fold)

    def curve(inverse_a: float) -> Any:
        scales = [penalty_scale(problem, V, inverse_a)] * problem.n_folds
        return validation_curve(problem, folds, scales, inverse_a, Threads(1))

    sparse, plain = curve(MCP), curve(L1)
    levels = sparse.levels[:, None] * penalty_scale(problem, V, MCP)
    start = np.zeros((problem.n_features, len(V)))
    paths = np.stack(
        [left.descend(start, levels, MCP, THOROUGH.tol)[0] for left, _ in problem.fold_normals(V)]
    )
    at_best = np.stack([fit.U for fit in plain.fits])
    told, by_task = (paths, sparse.best, at_best), (V, problem.weight_held_out)
    sums = problem.run(partition.compare_losses, told, by_task)[1][0]
    mean, squares = sums / problem.counts.sum()
    worse = mean > np.sqrt(np.maximum(squares - mean**2, 0.0) / problem.counts.sum())
    chosen = int(np.argmin(worse[0])) if problem.precision is None else sparse.best
    return plain.penalty if worse[1, chosen] else Penalty(sparse.levels[chosen], MCP)
