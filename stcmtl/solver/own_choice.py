"""Which own part, and how much of it: the kind and its level, by the loss of held-out rows."""

from collections.abc import Sequence

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.machine import Threads
from stcmtl.solver.own_part import GROUP, LASSO, RIDGE, SLOPES, OwnFits, OwnPath, OwnPenalty
from stcmtl.solver.penalty_choice import lowest_point
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem

MOST_SLOPES = 40  # features whose covariance is estimated
FIRST_LEVELS, MORE_LEVELS = 6, 2  # that are tried at a time: the lowest cost most
RISES, RISE = 3, 1e-5  # in a row, each by such a share, say that the lowest loss is behind
TIE = 1.0 + 1e-9
# The likelihood of labels has a penalty be small, or nothing would be likely enough; a label is
# only the sign. What is shrunken and then stretched by what held-out rows ask for is told alike,
# and wrong less often (0.0352 to 0.0335 of the labels of ten digits, in five draws).
AS_IT_IS = np.ones(1)
STRETCHES = {SQUARED: AS_IT_IS, LOGISTIC: np.geomspace(1.0, 8.0, 13)}


def kinds_of_deviations(problem: Problem) -> tuple[str, ...]:
    few = problem.loss == SQUARED and problem.n_features <= MOST_SLOPES
    return (RIDGE, GROUP, LASSO, SLOPES) if few and problem.n_tasks > 2 else (RIDGE, GROUP, LASSO)


def validate_own(
    problem: Problem,
    fits: Sequence[OwnFits],
    kind: str,
    f_of_fold: Sequence[Array] | Array,
    fold: NDArray[np.int64],
    parallel: Threads,
    stretches: Array = AS_IT_IS,
) -> tuple[OwnPenalty, Array]:
    """The level (and stretch) that predicts best, a mean over tasks, and the held-out losses of
    all rows.

    For those, a fold's level is the one that the other folds speak for: the best of many levels
    would seem to predict better than nothing even where it does not. With ``fits`` to the first
    fold alone its level is its own, and the losses of all other rows are 0.
    """
    known = fits[0].levels(kind, f_of_fold[0])
    losses = held_out_losses(problem, fits, kind, known, f_of_fold, fold, parallel, stretches)
    levels = known[: losses.shape[1]]
    losses = losses.reshape(-1, fold.size)
    found = np.zeros(fold.size)
    for c in range(len(fits)):
        others = np.where((fold == c) & (len(fits) > 1), 0.0, problem.weight)
        found[fold == c] = losses[pick_level(problem, losses, others, kind)][fold == c]
    errors = losses @ problem.weight
    stretch, best = divmod(pick_level(problem, losses, problem.weight, kind), levels.size)
    level = float(levels[best])
    step = lowest_point(errors.reshape(-1, levels.size)[stretch], best)
    if step and level > 0 and kind != SLOPES:  # between levels: at the end of a parabola
        ratio = float(known[-1] / known[0]) ** (1.0 / (known.size - 1))
        level *= ratio**step
    return OwnPenalty(kind, level, stretch=float(stretches[stretch])), found


def pick_level(problem: Problem, losses: Array, weight: Array, kind: str) -> int:
    """Of losses (levels, N) the lowest; of slopes the first, which is the most cautious, unless
    another is better by more than a standard error over tasks.
    """
    best = int(np.argmin(losses @ weight))
    if kind != SLOPES:
        return best
    mean, error = mean_and_error(problem, (losses[0] - losses[best]) * weight)
    return best if mean > error else 0


def mean_and_error(problem: Problem, values: Array) -> tuple[float, float]:
    """Over tasks, of the sums of what their rows have."""
    sums = np.bincount(problem.task_of_row, values, problem.n_tasks)
    error = sums.std(ddof=1) / np.sqrt(sums.size) if sums.size > 1 else 0.0
    return float(sums.mean()), float(error)


def held_out_losses(
    problem: Problem,
    fits: Sequence[OwnFits],
    kind: str,
    levels: Array,
    f_of_fold: Sequence[Array] | Array,
    fold: NDArray[np.int64],
    parallel: Threads,
    stretches: Array,
) -> Array:
    """Of all rows (stretches, levels, N), at the levels down to where losses clearly rise."""

    def held_out(c: int, tried: Array, before: OwnPath | None) -> tuple[OwnPath, Array]:
        path = fits[c].path(kind, f_of_fold[c], tried, before)
        return path, fits[c].predict_others(f_of_fold[c], path)

    losses = np.empty((stretches.size, 0, fold.size))
    paths: Sequence[OwnPath | None] = [None] * len(fits)
    explicit = problem.loss == SQUARED and kind != LASSO  # levels cost nothing
    count = levels.size if explicit else FIRST_LEVELS
    while losses.shape[1] < levels.size and not has_risen(losses @ problem.weight):
        tried = levels[losses.shape[1] :][:count]
        count = MORE_LEVELS
        results = parallel(delayed(held_out)(c, tried, path) for c, path in enumerate(paths))
        paths, parts = zip(*results, strict=True)
        F = np.zeros((tried.size, fold.size))
        for c, part in enumerate(parts):
            F[:, fold == c] = part
        more = np.stack([problem.row_losses(stretch * F) for stretch in stretches])
        losses = np.concatenate([losses, more], axis=1)
    return losses


def has_risen(errors: Array) -> bool:
    """Whether the lowest of errors (stretches, levels) lies behind.

    Where nobody deviates yet they are all the same, up to rounding: that is no rise.
    """
    if errors.shape[1] <= RISES:
        return False
    late = errors.min(axis=0)[-RISES - 1 :]
    return bool((np.diff(late) > RISE * late[:-1]).all())


def pick_kind(
    problem: Problem, found: Sequence[tuple[OwnPenalty, Array]]
) -> tuple[OwnPenalty, Array]:
    """What predicts held-out rows best, of penalties with their ``validate_own``.

    Slopes are taken if they are not worse by more than a standard error over tasks: likelihood
    alone says how much they are shrunken, where a level by cross-validation is one of many. Of
    those that tie, as they do where nothing is a task's own, the first is taken.
    """
    errors = [losses @ problem.weight for _, losses in found]
    best = next(f for f, error in zip(found, errors, strict=True) if error <= TIE * min(errors))
    for penalty, losses in found:
        behind, error = mean_and_error(problem, (losses - best[1]) * problem.weight)
        if penalty.kind == SLOPES and behind <= error:
            return penalty, losses
    return best
