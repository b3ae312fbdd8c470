"""The penalty's choice: the level on U, and its shape, by the loss of held-out rows.

All folds go down the levels together, each warm-started from the level before, until the
held-out loss has passed its minimum.

A feature enters an l1 path at the level of its slope, which grows with its unit: a column in
dollars enters long before an indicator that matters more. Without a jump, a path would spend
its levels, and its patience, on the dollars alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray

from stcmtl.data.taskset import Array
from stcmtl.data.weighted import error_of, mean_of, take
from stcmtl.solver.centers import L1, MCP, RIDGE, Penalty, penalty_scale, predictions
from stcmtl.solver.fold_paths import Fold, FoldSteps, descend_fold
from stcmtl.solver.kernels.clusters import Clusters, cluster_path
from stcmtl.solver.machine import Threads
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.shipping import on_arrival, ship
from stcmtl.stopping import stop_if_asked

MORE_LEVELS = 2  # of a validation curve, at a time
LOWEST_LEVEL = 1e-4
LEVEL_RATIO, RIDGE_RATIO = 0.75, 0.5
FIRST_RIDGE = 4.0  # times the mean curvature
# The level that leaves all coefficients zero is raised by this, or some are left at 1e-17.
ABOVE_ROUNDING = 1.0 + 1e-9
STRONG = 0.5  # of the largest slope, units apart
AHEAD = 2.0  # a jump leads to this many times the level at which all strong features are in
FAR = 0.5  # of the highest level: a jump that ends above is not worth it
FAR_BEHIND = 3.0  # standard errors in one fold, that the others will not make up for


class Descent(NamedTuple):
    """How far a curve goes: so many levels ``first``, then until ``past`` of them lie beyond the
    lowest. ``tol`` is that of each fit, as a share of the loss; ``ratio``, from level to level.
    """

    first: int
    past: int
    tol: float
    ratio: float = LEVEL_RATIO


# The lowest levels cost most. Where only the lowest point counts, two beyond it show it; for labels
# they always do, as those that coefficients part are predicted worse and worse. Beside levels by
# 0.75, held-out errors of numbers differ by 0.2 % as a rule.
THOROUGH, QUICK = Descent(12, 3, 1e-5), Descent(6, 2, 3e-5, 0.65)
LABELS = Descent(8, 2, 1e-5)


@singledispatch
def choose_penalty(
    problem: Problem,
    V: Array,
    fold: NDArray[np.int64],
    n_jobs: int | None = None,
    dense: bool = False,
    free: bool = False,
) -> Penalty:
    """The MCP at the sparsest level within one standard error of its best, or the l1 norm.

    Where many small coefficients matter the l1 norm predicts better than any MCP; it is
    taken when it does so by more than the standard error of the difference. Both are tried in the
    first fold, and only there if they are worse by more than that (the MCP: by far, as its level is
    the one that counts). Where patterns are ``dense`` it is a ridge. Beside ``free`` loadings it is
    the l1 norm: they were found beside all rows, and with those the MCP seems better than it is.

    Where tasks differ in size the MCP's best level is taken as it is: rows of tiny tasks, which are
    far from any mixture, widen the standard error, and what seems within it costs large tasks
    coefficients of which they are sure (4 % of their error, 20 of 8 rows beside two of 3,000).
    """
    alike = problem.precision is None
    descent = THOROUGH if problem.loss == SQUARED else LABELS
    parallel = Threads(n_jobs)
    folds = open_folds(problem, [V] * (int(fold.max()) + 1), fold, parallel)

    def curve(inverse_a: float, trail: Sequence[FoldSteps] = ()) -> ValidationCurve:
        scales = [penalty_scale(problem, V, inverse_a)] * len(folds)
        return validation_curve(problem, folds, scales, inverse_a, parallel, descent, trail)

    def look(inverse_a: float) -> ValidationCurve:
        scales, far = [penalty_scale(problem, V, inverse_a)], descent._replace(past=QUICK.past)
        return validation_curve(problem, folds[:1], scales, inverse_a, parallel, far)

    if dense:
        return curve(RIDGE).penalty
    if free:
        return curve(L1).penalty
    first, plain = parallel.here(delayed(look)(kind) for kind in (MCP, L1))
    lowest = problem.weigh_held_out(plain.lowest)
    if loses_first_fold(problem, first, lowest, folds[0], FAR_BEHIND):
        return curve(L1, trail=plain.trail).penalty
    sparse = curve(MCP, trail=first.trail)
    losses = problem.weigh_held_out(sparse.losses)
    chosen = one_standard_error(losses, problem.row_weight) if alike else sparse.best
    if loses_first_fold(problem, plain, losses[chosen], folds[0]):
        return Penalty(sparse.levels[chosen], MCP)
    plain = curve(L1, trail=plain.trail)
    if is_worse(losses[chosen], problem.weigh_held_out(plain.lowest), problem.row_weight):
        return plain.penalty
    return Penalty(sparse.levels[chosen], MCP)


def loses_first_fold(
    problem: Problem, curve: ValidationCurve, losses: Array, first: Fold, errors: float = 1.0
) -> bool:
    """Whether a curve, at its best there, predicts the first fold worse than losses (rows,)."""
    held_out = first.held_out
    lowest = problem.weigh_held_out(curve.lowest)[held_out]
    return is_worse(lowest, losses[held_out], take(problem.row_weight, held_out), errors)


def choose_gamma(
    problem: Problem, V: Array, fold: NDArray[np.int64], n_jobs: int | None = None
) -> float:
    """The level of the paper's l1 penalty, one for all clusters, that predicts best."""
    parallel = Threads(n_jobs)
    folds = open_folds(problem, [V] * (int(fold.max()) + 1), fold, parallel)
    curve = validation_curve(problem, folds, [np.ones(len(V))] * len(folds), L1, parallel)
    return float(curve.levels[curve.best])


def one_standard_error(losses: Array, row_weight: Array | None = None) -> int:
    """First level not worse than the best by more than the error of their paired difference."""
    best = losses[np.argmin(mean_of(losses, row_weight))]
    return next(j for j, row in enumerate(losses) if not is_worse(row, best, row_weight))


def is_worse(
    losses: Array,
    reference: Array | float,
    row_weight: Array | None = None,
    errors: float = 1.0,
) -> bool:
    """By more than so many standard errors of the difference."""
    difference = losses - reference
    return bool(mean_of(difference, row_weight) > errors * error_of(difference, row_weight))


@dataclass(frozen=True)
class ValidationCurve:
    """Falling ``levels``; at each, the held-out loss of every row (levels, rows). At the best of
    them, the fit of each fold, and its penalty. Rows count alike, or by ``weights`` (rows,).
    ``trail`` is what the first fold has found, so many levels at a time.
    """

    inverse_a: float
    levels: Array
    losses: Array
    fits: Sequence[Clusters]
    penalties: Sequence[float] = ()
    weights: Array | None = None
    trail: Sequence[FoldSteps] = ()

    @property
    def best(self) -> int:
        return int(np.argmin(mean_of(self.losses, self.weights)))

    @property
    def penalty(self) -> Penalty:
        """At the best level; that of a ridge, of which there are few, at the end of a parabola."""
        level = float(self.levels[self.best])
        if self.inverse_a == RIDGE:
            level *= level_ratio(RIDGE) ** lowest_point(
                mean_of(self.losses, self.weights), self.best
            )
        return Penalty(level, self.inverse_a)

    @property
    def lowest(self) -> Array:
        """The held-out losses at the best level."""
        return self.losses[self.best]

    def predict(self, problem: Problem) -> Array:
        """What each fold's fit predicts for all rows (folds, rows)."""
        return np.stack([predictions(problem, *fit) for fit in self.fits])

    def objective(self, problem: Problem, fold: NDArray[np.int64]) -> float:
        """What the folds' fits reached on the rows that are left, a mean."""
        reached = [
            problem.row_losses(f) @ problem.training_weight(fold == c) + penalty
            for c, (f, penalty) in enumerate(
                zip(self.predict(problem), self.penalties, strict=True)
            )
        ]
        return float(np.mean(reached))

    def extend(
        self, levels: Array, steps: Sequence[FoldSteps], folds: Sequence[Fold]
    ) -> ValidationCurve:
        """With what each fold has found at further levels."""
        losses = np.zeros((levels.size, self.losses.shape[1]))
        for fold, step in zip(folds, steps, strict=True):
            losses[:, fold.held_out] = step.losses
        longer = replace(
            self,
            levels=np.concatenate([self.levels, levels]),
            losses=np.concatenate([self.losses, losses]),
            trail=[*self.trail, steps[0]],
        )
        place = longer.best - self.levels.size
        if place < 0:
            return longer
        pairs = zip(folds, steps, strict=True)
        fits = [Clusters(step.U[place], fold.V, step.b[place]) for fold, step in pairs]
        return replace(longer, fits=fits, penalties=[step.penalties[place] for step in steps])


def lowest_point(values: Array, best: int) -> float:
    """Of the parabola through the smallest of values and its neighbours, in steps from there."""
    if not 0 < best < values.size - 1:
        return 0.0
    before, at, after = values[best - 1 : best + 2]
    bend = before - 2.0 * at + after
    return float(0.5 * (before - after) / bend) if bend > 0 else 0.0


@singledispatch
def open_folds(
    problem: Problem, V_of_fold: Sequence[Array], fold: NDArray[np.int64], parallel: Threads
) -> list[Fold]:
    """With the loadings of each."""
    rows, pairs = ship(problem), enumerate(V_of_fold)
    return list(parallel(delayed(on_arrival)(Fold.open, rows, V, fold == c) for c, V in pairs))


def validation_curve(
    problem: Problem,
    folds: Sequence[Any],
    scales: Sequence[Array],
    inverse_a: float,
    parallel: Threads,
    descent: Descent = THOROUGH,
    trail: Sequence[FoldSteps] = (),
) -> ValidationCurve:
    """Go down the levels, all folds together, until the loss has passed its minimum.

    A cluster's level is the common one times its scale. The ``trail`` of a curve of the first fold
    alone is not gone again.
    """
    V_of_fold = [fold.V for fold in folds]
    ratio = RIDGE_RATIO if inverse_a == RIDGE else descent.ratio
    levels = starting_levels(problem, V_of_fold, scales, inverse_a, descent.first, ratio)
    zeros = np.zeros((problem.n_features, len(V_of_fold[0]))), np.zeros(problem.n_tasks)
    states = [Clusters(zeros[0], V, zeros[1]) for V in V_of_fold]
    empty, losses = np.empty(0), np.empty((0, folds[0].held_out.size))
    curve = ValidationCurve(inverse_a, empty, losses, states, weights=problem.held_out_weight)
    rows = ship(problem)
    while True:
        known = trail[len(curve.trail) :][:1]
        left = [*zip(folds, states, scales, strict=True)][len(known) :]
        found = parallel(
            delayed(on_arrival)(
                descend_fold, rows, fold, at, levels[:, None] * scale, inverse_a, descent.tol
            )
            for fold, at, scale in left
        )
        steps = [*known, *found]
        pairs = zip(folds, steps, strict=True)
        states = [Clusters(step.U[-1], fold.V, step.b[-1]) for fold, step in pairs]
        curve = curve.extend(levels, steps, folds)
        passed = curve.best < curve.levels.size - descent.past
        used = 0 if inverse_a == RIDGE else max(np.count_nonzero(at.U) for at in states)
        crowded = 2 * used > problem.counts.sum()  # so many coefficients could fit anything
        if passed or crowded or levels[-1] <= LOWEST_LEVEL * curve.levels[0]:
            return curve
        levels = falling_levels(ratio * levels[-1], MORE_LEVELS, ratio)


def descend_levels(problem: Problem, V: Array, penalty: Penalty) -> Array:
    """U at the end of the levels that a validation curve goes down, on all rows.

    The last may be one of them up to rounding, and is gone to once.
    """
    scale = penalty_scale(problem, V, penalty.inverse_a)
    levels = starting_levels(problem, [V], [scale], penalty.inverse_a)
    least = ABOVE_ROUNDING * penalty.level
    while levels[-1] > max(least, LOWEST_LEVEL * levels[0]):
        levels = np.append(levels, level_ratio(penalty.inverse_a) * levels[-1])
    levels = np.append(levels[levels > least], penalty.level)
    at = Clusters(
        np.zeros((problem.n_features, len(V))), np.ascontiguousarray(V), np.zeros(problem.n_tasks)
    )
    tasks = problem.as_tasks(squares=problem.squares)
    cluster_path(tasks, at, levels[:, None] * scale, penalty.inverse_a, 1e-6)
    stop_if_asked()
    return at.U


def starting_levels(
    problem: Problem,
    V_of_fold: Sequence[Array],
    scales: Sequence[Array],
    inverse_a: float,
    count: int = THOROUGH.first,
    ratio: float = LEVEL_RATIO,
) -> Array:
    if inverse_a == RIDGE:
        highest = max(mean_curvature(problem, V) for V in V_of_fold)
        return falling_levels(FIRST_RIDGE * highest, count, RIDGE_RATIO)
    pairs = {(id(V), id(scale)): (V, scale) for V, scale in zip(V_of_fold, scales, strict=True)}
    return first_levels([path_start_of(problem, *pair) for pair in pairs.values()], count, ratio)


def level_ratio(inverse_a: float) -> float:
    return RIDGE_RATIO if inverse_a == RIDGE else LEVEL_RATIO


def first_levels(starts: Sequence[Array], count: int, ratio: float = LEVEL_RATIO) -> Array:
    """Levels to begin with: from where U = 0 in all folds, with a jump where there is one."""
    highest, start = (max(start[place] for start in starts) for place in (0, -1))
    return falling_levels([highest, start] if start < highest else highest, count, ratio)


@singledispatch
def path_start_of(problem: Problem, V: Array, scale: Array) -> Array:
    """The smallest common level at which U = 0, and where to jump from there, if far."""
    used = scale > 0
    slopes = V[used] @ problem.null_slopes
    largest = (np.abs(slopes) / scale[used, None]).max(axis=0)
    return path_start(largest, problem.spread)


def path_start(slopes: Array, spread: Array) -> Array:
    """The smallest level that leaves every coefficient zero; after it, where to jump, if far.

    ``slopes`` are of the null model, ``spread`` the standard deviations of the features.
    """
    highest = slopes.max(initial=0.0)
    strength = slopes / np.where(spread > 0, spread, 1.0)
    strong = strength >= STRONG * strength.max(initial=0.0)
    start = AHEAD * slopes[strong].min(initial=highest)
    return ABOVE_ROUNDING * np.array([highest, start] if start < FAR * highest else [highest])


def falling_levels(start: ArrayLike, count: int, ratio: float = LEVEL_RATIO) -> Array:
    """From ``start`` on; if it is a level and where to jump from there, from where that ends."""
    *null, first = np.atleast_1d(start)
    return np.concatenate([null, first * ratio ** np.arange(count, dtype=np.float64)])


def mean_square(problem: Problem) -> float:
    """Of the features' values, where features vary."""
    squares = mean_of(problem.X**2, problem.row_weight, axis=0)
    return float(squares.sum() / max(np.count_nonzero(squares), 1))


def mean_curvature(problem: Problem, V: Array) -> float:
    """Of an entry of U: how much a ridge has to be to matter."""
    stiffness = 2.0 if problem.loss == SQUARED else 0.25
    return float(stiffness * mean_square(problem) * (V**2).sum(axis=1).mean())
