"""What is a task's own: a deviation d_i from its mixture, one level for all tasks.

    min over d, b of L(y_i, f_i + X_i d + b) + penalty(d)

    ridge    level |d|^2                     all tasks deviate, in all features
    group    level sqrt(n_i) |d|             few tasks deviate, in all features
    lasso    level sqrt(n_i) |d|_1           in few features
    slopes   level d' inverse(Sigma) d       as far as the tasks' deviations do, intercepts too:
                                             those of a mixed model (squared loss, few features)

f_i are the predictions of the mixture; from f = 0 the ridge and the lasso are fits of the task
alone. The noise of a slope grows with sqrt(n_i), so a level means the same for any task.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.data.weighted import mean_of, take
from stcmtl.solver.kernels.losses import Loss
from stcmtl.solver.kernels.own import own_path
from stcmtl.solver.kernels.single import l1_path
from stcmtl.solver.order import strongest_first
from stcmtl.solver.penalty_choice import lowest_point, mean_square
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from stcmtl.solver.records import Initial, Iteration, Stopwatch
from stcmtl.solver.single_task import task_alone
from stcmtl.solver.slopes import (
    SMALLEST_SQUARE,
    SlopeLaw,
    SlopeSums,
    find_law,
    middle_of,
    mixture_levels,
    solve_slopes,
    sum_slopes,
)

RIDGE, GROUP, LASSO, SLOPES = "ridge", "group", "lasso", "slopes"
N_LEVELS = 10
RIDGE_RANGE = 1e2, 1e-3  # times the mean square of a direction
NOISE_RANGE = 3.0, 0.05  # times the level at which noise alone would lead to no deviation
SLOPE_LEVELS = np.array([1.0])  # times what the tasks' deviations say
MOST_SLOPES = 40  # features whose covariance is estimated
SLOPE = {SQUARED: 2.0, LOGISTIC: 0.5}  # of a row's loss, where its residual is the noise
# The likelihood of labels has a penalty be small, or nothing would be likely enough; a label is
# only the sign. What is shrunken and then stretched by what held-out rows ask for is told alike,
# and wrong less often (0.0352 to 0.0335 of the labels of ten digits, in five draws).
AS_IT_IS = np.ones(1)
STRETCHES = {SQUARED: AS_IT_IS, LOGISTIC: np.geomspace(1.0, 8.0, 13)}
BEND = {SQUARED: 2.0, LOGISTIC: 0.25}  # of a row's loss, at most


@dataclass(frozen=True)
class OwnPenalty:
    """One of the kinds above, at one level for all tasks; ``law`` is that of known slopes.

    A fit alone is multiplied by ``stretch``.
    """

    kind: str
    level: float
    law: SlopeLaw | None = None
    stretch: float = 1.0


class OwnPath(NamedTuple):
    """Coefficients W (levels, D, T) and intercepts b (levels, T)."""

    W: Array
    b: Array


class Directions(NamedTuple):
    """Of one task's rows: B (D, r) makes them uncorrelated, with ``squares`` (r,)."""

    B: Array
    squares: Array
    center: Array


class OwnFits:
    """Own parts of all tasks on some of their rows, whatever the predictions beside them."""

    def __init__(self, problem: Problem, kept: NDArray[np.bool_] | None = None) -> None:
        self.problem = problem
        self.kept = np.ones(problem.y.size, dtype=bool) if kept is None else kept
        self.directions = [
            find_directions(self.rows_of(i), problem.fit_intercept, self.weight_of(i))
            for i in range(problem.n_tasks)
        ]

    def rows_of(self, i: int) -> Array:
        rows = self.problem.rows(i)
        return self.problem.X[rows][self.kept[rows]]

    def weight_of(self, i: int) -> Array | None:
        return take(self.problem.weight_of(i), self.kept[self.problem.rows(i)])

    def counts_of(self, i: int) -> Array:
        """How often each row that is kept counts."""
        rows = self.problem.rows(i)
        return self.problem.row_counts[rows][self.kept[rows]]

    def levels(self, kind: str, f: Array) -> Array:
        """Falling; the same for all folds."""
        if kind == SLOPES:
            return SLOPE_LEVELS
        if kind == RIDGE:
            squares = np.concatenate([part.squares for part in self.directions])
            usual = squares.mean() if squares.size else 1.0
            return usual * np.geomspace(*RIDGE_RANGE, N_LEVELS)
        problem = self.problem
        D = max(int(np.count_nonzero(problem.spread)), 1)  # a constant column is none
        losses = mean_of(problem.row_losses(f), problem.row_weight)
        noise = np.sqrt(losses) if problem.loss == SQUARED else 1.0
        spread = np.sqrt(mean_square(problem))
        usual = np.sqrt(D) if kind == GROUP else np.sqrt(2.0 * np.log(max(D, 2)))
        return noise * spread * usual * np.geomspace(*NOISE_RANGE, N_LEVELS)

    def path(self, kind: str, f: Array, levels: Array) -> OwnPath:
        """Of all tasks, beside predictions f (N,)."""
        if kind == SLOPES:
            return self.follow_law(f, levels)
        fit = self.sparse_task if kind == LASSO else self.shrunken_task
        parts = [fit(i, kind, f, levels) for i in range(self.problem.n_tasks)]
        return OwnPath(np.stack([W for W, _ in parts], axis=2), np.stack([b for _, b in parts], 1))

    def shrunken_task(self, i: int, kind: str, f: Array, levels: Array) -> tuple[Array, Array]:
        """By a squared or an unsquared l2 norm."""
        problem, (B, squares, center) = self.problem, self.directions[i]
        kept, rows = self.kept[problem.rows(i)], problem.rows(i)
        M = np.ascontiguousarray((self.rows_of(i) - center) @ B)
        if kind == GROUP:
            n = self.counts_of(i).sum()
            levels = levels * np.sqrt(n) * SLOPE[problem.loss] / BEND[problem.loss]
        loss = Loss(problem.loss, problem.y[rows][kept], self.counts_of(i))
        unsquared = kind == GROUP
        Z, b = own_path(M, squares, loss, f[rows][kept], levels, unsquared, problem.fit_intercept)
        W = Z @ B.T
        return W, b - W @ center

    def sparse_task(self, i: int, kind: str, f: Array, levels: Array) -> tuple[Array, Array]:
        problem, task = self.problem, task_alone(self.problem, i)
        rows = problem.rows(i)
        kept = self.kept[rows]
        counts = self.counts_of(i)
        n = counts.sum()
        columns = task.columns[:, kept]
        # sweeps stop early: in the order of the columns they would leave 0.03 sd of y to it
        order = strongest_first(np.abs(columns @ (counts * (problem.y - f)[rows][kept])))
        part = task._replace(
            columns=np.ascontiguousarray(columns[order]),
            loss=Loss(problem.loss, task.loss.y[kept], counts / n),
            offset=f[rows][kept],
        )
        W, b = l1_path(part, levels * SLOPE[problem.loss] / np.sqrt(n), 1e-6)
        return W[:, np.argsort(order)], b

    def slope_sums(self, f: Array, middle: Array) -> tuple[SlopeSums, Array]:
        """What a mixed model needs of the residuals, and what f is at the middle (T,)."""
        problem = self.problem
        at_middle = mixture_levels(problem, f, middle) + problem.target_means
        r = problem.y - f + at_middle[problem.task_of_row]
        return sum_slopes(problem, r, middle, self.kept), at_middle

    def follow_law(self, f: Array, levels: Array, law: SlopeLaw | None = None) -> OwnPath:
        """Slopes and intercepts by a law that is known, or found here."""
        problem = self.problem
        middle = middle_of(problem) if law is None else law.middle
        sums, at_middle = self.slope_sums(f, middle)
        law = find_law(sums, middle) if law is None else law
        effects = np.stack([solve_slopes(sums, law, level) for level in levels])
        if not problem.fit_intercept:
            return OwnPath(effects.transpose(0, 2, 1), np.zeros(effects.shape[:2]))
        W, b = effects[:, :, 1:], effects[:, :, 0] - at_middle
        b = b + np.einsum("ltd,td->lt", W, problem.means - middle)
        return OwnPath(W.transpose(0, 2, 1), b)

    def predict(self, kind: str, f: Array, levels: Array) -> Array:
        """Predictions (levels, N) for all rows."""
        W, b = self.path(kind, f, levels)
        problem = self.problem
        parts = [W[:, :, i] @ problem.X[problem.rows(i)].T for i in range(problem.n_tasks)]
        return f + np.concatenate(parts, axis=1) + b[:, problem.task_of_row]


def weigh(rows: Array, weight: Array | None) -> Array:
    """So that products of columns are sums in which rows count as often as they should."""
    return rows if weight is None else (rows.T * np.sqrt(weight)).T


def find_directions(X: Array, fit_intercept: bool, weight: Array | None = None) -> Directions:
    """From the smaller of X X' and X'X."""
    center = mean_of(X, weight, axis=0) if fit_intercept else np.zeros(X.shape[1])
    X = weigh(X - center, weight)
    n, D = X.shape
    squares, Q = np.linalg.eigh(X @ X.T if n <= D else X.T @ X)
    kept = squares > SMALLEST_SQUARE * max(squares.max(), np.finfo(float).tiny)
    squares, Q = squares[kept], Q[:, kept]
    return Directions(X.T @ Q / np.sqrt(squares) if n <= D else Q, squares, center)


def kinds_of_deviations(problem: Problem) -> tuple[str, ...]:
    few = problem.loss == SQUARED and problem.n_features <= MOST_SLOPES
    return (RIDGE, GROUP, LASSO, SLOPES) if few and problem.n_tasks > 2 else (RIDGE, GROUP, LASSO)


def validate_own(
    problem: Problem,
    fits: Sequence[OwnFits],
    kind: str,
    f_of_fold: Sequence[Array] | Array,
    fold: NDArray[np.int64],
    parallel: Parallel,
    stretches: Array = AS_IT_IS,
) -> tuple[OwnPenalty, Array]:
    """The level (and stretch) that predicts best, a mean over tasks, and the held-out losses of
    all rows.

    For those, a fold's level is the one that the other folds speak for: the best of many levels
    would seem to predict better than nothing even where it does not.
    """
    levels = fits[0].levels(kind, f_of_fold[0])

    def held_out(c: int) -> Array:
        return np.where(fold == c, fits[c].predict(kind, f_of_fold[c], levels), 0.0)

    F = sum(parallel(delayed(held_out)(c) for c in range(len(fits))))
    losses = np.concatenate([problem.row_losses(stretch * F) for stretch in stretches])
    found = np.empty(fold.size)
    for c in range(len(fits)):
        others = np.where(fold == c, 0.0, problem.weight)
        found[fold == c] = losses[np.argmin(losses @ others)][fold == c]
    errors = losses @ problem.weight
    stretch, best = divmod(int(np.argmin(errors)), levels.size)
    level = float(levels[best])
    step = lowest_point(errors.reshape(-1, levels.size)[stretch], best)
    if (
        step and level > 0 and kind != SLOPES
    ):  # levels are a factor of three apart: at the end of a parabola
        level *= float(levels[-1] / levels[0]) ** (step / (levels.size - 1))
    return OwnPenalty(kind, level, stretch=float(stretches[stretch])), found


def pick_kind(
    problem: Problem, found: Sequence[tuple[OwnPenalty, Array]]
) -> tuple[OwnPenalty, Array]:
    """What predicts held-out rows best, of penalties with their ``validate_own``.

    Slopes are taken if they are not worse by more than a standard error over tasks: likelihood
    alone says how much they are shrunken, where a level by cross-validation is one of many.
    """
    best = min(found, key=lambda pair: pair[1] @ problem.weight)
    for penalty, losses in found:
        behind = np.bincount(problem.task_of_row, (losses - best[1]) * problem.weight)
        error = behind.std(ddof=1) / np.sqrt(behind.size) if behind.size > 1 else 0.0
        if penalty.kind == SLOPES and behind.mean() <= error:
            return penalty, losses
    return best


def fit_own(problem: Problem, f: Array, penalty: OwnPenalty) -> tuple[Array, Array]:
    """Own coefficients (D, T), and what they add to the intercepts (T,)."""
    fits, level = OwnFits(problem), np.array([penalty.level])
    if penalty.law is not None:
        W, b = fits.follow_law(f, level, penalty.law)
    else:
        W, b = fits.path(penalty.kind, f, level)
    return penalty.stretch * W[0], penalty.stretch * b[0]


def learn_law(problem: Problem, f: Array, penalty: OwnPenalty) -> OwnPenalty:
    """With the law of the slopes, if it has one: for tasks that are not in the problem."""
    if penalty.kind != SLOPES:
        return penalty
    middle = middle_of(problem)
    return replace(penalty, law=find_law(OwnFits(problem).slope_sums(f, middle)[0], middle))


def dense_fits(problem: Problem, level: float) -> Initial:
    """Every task's own ridge, as a start; lambdas are what it costs in the loss of the U step."""
    W, b = fit_own(problem, np.zeros(problem.y.size), OwnPenalty(RIDGE, level))
    return Initial(W, b, BEND[problem.loss] * level / problem.counts, np.zeros(problem.n_tasks))


def fit_alone(problem: Problem, penalty: OwnPenalty) -> Iteration:
    """Every task on its own."""
    D, T = problem.n_features, problem.n_tasks
    watch = Stopwatch()
    W, b = fit_own(problem, np.zeros(problem.y.size), penalty)
    loss = problem.total_loss(problem.predictions(W, b))
    watch.lap("W")
    return Iteration(
        iteration=1,
        stage="alone",
        objective=loss,
        loss=loss,
        penalty=penalty.kind,
        gamma=penalty.level,
        U=np.zeros((D, 0)),
        V=np.zeros((0, T)),
        W=W,
        b=b,
        pure=np.zeros(T, dtype=bool),
        purity=np.zeros(T),
        outliers=np.zeros(T, dtype=bool),
        seconds=watch.seconds,
    )
