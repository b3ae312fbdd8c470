"""What is a task's own: a deviation d_i from its mixture, one level for all tasks.

    min over d, b of L(y_i, f_i + X_i d + b) + penalty(d)

    ridge    level |d|^2                     all tasks deviate, in all features
    group    level sqrt(n_i) |d|             few tasks deviate, in all features
    lasso    level sqrt(n_i) |d|_1           in few features
    slopes   d' inverse(Sigma) d             as far as the tasks' deviations do, intercepts too:
                                             those of a mixed model (squared loss, few features);
                                             the level says how far correlations are mistrusted

f_i are the predictions of the mixture; from f = 0 the ridge and the lasso are fits of the task
alone. The noise of a slope grows with sqrt(n_i), so a level means the same for any task.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.data.weighted import mean_of, take
from stcmtl.solver.kernels.losses import Loss
from stcmtl.solver.kernels.own import own_path, shrink, sparse_paths
from stcmtl.solver.kernels.slopes import SlopeSums
from stcmtl.solver.machine import announce_compilation
from stcmtl.solver.order import strongest_first
from stcmtl.solver.penalty_choice import mean_square
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from stcmtl.solver.records import Initial, Iteration, Stopwatch
from stcmtl.solver.slopes import (
    SMALLEST_SQUARE,
    SlopeLaw,
    find_law,
    middle_of,
    mixture_levels,
    solve_slopes,
    sum_slopes,
)
from stcmtl.stopping import halt, stop_if_asked

RIDGE, GROUP, LASSO, SLOPES = "ridge", "group", "lasso", "slopes"
N_LEVELS = 10
RIDGE_RANGE = 1e2, 1e-3  # times the mean square of a direction
NOISE_RANGE = 3.0, 0.05  # times the level at which noise alone would lead to no deviation
CAUTION = np.array([1.0, 0.0])  # about correlations of slopes
ENOUGH_TASKS = 2  # per feature, to believe in them
TOLERANCE = 1e-6  # of the lasso, as a share of the loss
SLOPE = {SQUARED: 2.0, LOGISTIC: 0.5}  # of a row's loss, where its residual is the noise
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
    """At falling ``levels``: coefficients W (levels, D, T) and intercepts b (levels, T)."""

    levels: Array
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
            problem = self.problem
            enough = problem.n_tasks >= ENOUGH_TASKS * problem.n_features
            return CAUTION if enough else CAUTION[:1]
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

    def path(self, kind: str, f: Array, levels: Array, before: OwnPath | None = None) -> OwnPath:
        """Of all tasks, beside predictions f (N,); from where the path ``before`` has ended."""
        if kind == SLOPES:
            return self.follow_law(f, levels)
        if kind == LASSO:
            return self.sparse_path(f, levels, before)
        tasks = range(self.problem.n_tasks)
        parts = [self.shrunken_task(i, kind, f, levels, before) for i in tasks]
        W, b = np.stack([W for W, _ in parts], axis=2), np.stack([b for _, b in parts], 1)
        return OwnPath(levels, W, b)

    def shrunken_task(
        self, i: int, kind: str, f: Array, levels: Array, before: OwnPath | None
    ) -> tuple[Array, Array]:
        """By a squared or an unsquared l2 norm; under the squared loss the minimum is explicit."""
        stop_if_asked()
        problem, (B, squares, center) = self.problem, self.directions[i]
        rows = problem.rows(i)
        kept, counts, unsquared = self.kept[rows], self.counts_of(i), kind == GROUP
        if unsquared:
            levels = levels * np.sqrt(counts.sum()) * SLOPE[problem.loss] / BEND[problem.loss]
        if problem.loss == SQUARED:
            r = counts * (problem.y - f)[rows][kept]
            pull = (self.rows_of(i).T @ r - center * r.sum()) @ B
            Z = np.stack([shrink(pull, squares, level, unsquared) for level in levels])
            b = np.full(levels.size, r.sum() / counts.sum() if problem.fit_intercept else 0.0)
        else:
            M = np.ascontiguousarray((self.rows_of(i) - center) @ B)
            loss = Loss(problem.loss, problem.y[rows][kept], counts)
            z, b0 = np.zeros(squares.size), 0.0
            if before is not None:
                w, b0 = before.W[-1, :, i], float(before.b[-1, i])
                z, b0 = w @ B, b0 + float(w @ center)
            rest = levels, unsquared, problem.fit_intercept, z, b0
            announce_compilation(own_path)
            Z, b = own_path(M, squares, loss, f[rows][kept], *rest, halt())
        W = Z @ B.T
        return W, b - W @ center

    def sparse_path(self, f: Array, levels: Array, before: OwnPath | None) -> OwnPath:
        """By an l1 norm."""
        problem = self.problem
        T, D = problem.n_tasks, problem.n_features
        tasks = problem.as_tasks(problem.row_counts)
        left = np.where(self.kept, problem.row_counts * (problem.y - f), 0.0)
        pulls = (problem.X[rows].T @ left[rows] for rows in map(problem.rows, range(T)))
        # sweeps stop early: in the order of the columns they would leave 0.03 sd of y to it
        order = np.stack([strongest_first(np.abs(pull)) for pull in pulls])
        start = OwnPath(np.full(1, np.nan), np.zeros((1, D, T)), np.zeros((1, T)))
        previous, W, b = (part[-1] for part in (before or start))
        given = levels, SLOPE[problem.loss], TOLERANCE, previous, W, b
        found = sparse_paths(tasks, self.kept, f, order, *given)
        stop_if_asked()
        return OwnPath(levels, *found)

    def slope_sums(self, f: Array, middle: Array) -> tuple[SlopeSums, Array, float]:
        """What a mixed model needs of the residuals, which are around zero at the middle; there f
        is so much (T,) with the target's origin, which is the last.
        """
        problem = self.problem
        at_middle = mixture_levels(problem, f, middle) + problem.target_means
        r = problem.y - f + at_middle[problem.task_of_row]
        origin = 0.0
        if problem.fit_intercept:
            origin = float(mean_of(r[self.kept], take(problem.row_weight, self.kept)))
        return sum_slopes(problem, r - origin, middle, self.kept), at_middle - origin, origin

    def follow_law(self, f: Array, levels: Array, law: SlopeLaw | None = None) -> OwnPath:
        """Slopes and intercepts by a law that is known, or those found here."""
        problem = self.problem
        middle = middle_of(problem) if law is None else law.middle
        sums, at_middle, origin = self.slope_sums(f, middle)
        if law is None:
            laws = [find_law(sums, middle, level) for level in levels]
        else:
            laws = [law.moved(-origin)]
        effects = np.stack([solve_slopes(sums, law) for law in laws])
        if not problem.fit_intercept:
            return OwnPath(levels, effects.transpose(0, 2, 1), np.zeros(effects.shape[:2]))
        W, b = effects[:, :, 1:], effects[:, :, 0] - at_middle
        b = b + np.einsum("ltd,td->lt", W, problem.means - middle)
        return OwnPath(levels, W.transpose(0, 2, 1), b)

    def predict_others(self, f: Array, path: OwnPath) -> Array:
        """Predictions (levels, any) for the rows that are not kept, beside those of f (N,)."""
        problem, (_, W, b) = self.problem, path
        others = ~self.kept
        found = f[others] + b[:, problem.task_of_row[others]]
        ends = np.cumsum(others)[problem.starts[1:] - 1]
        for i, part in enumerate(np.split(found, ends[:-1], axis=1)):
            rows = problem.rows(i)
            part += W[:, :, i] @ problem.X[rows][others[rows]].T
        return found


def weigh(rows: Array, weight: Array | None) -> Array:
    """So that products of columns are sums in which rows count as often as they should."""
    return rows if weight is None else (rows.T * np.sqrt(weight)).T


def find_directions(X: Array, fit_intercept: bool, weight: Array | None = None) -> Directions:
    """From the smaller of X X' and X'X."""
    stop_if_asked()
    center = mean_of(X, weight, axis=0) if fit_intercept else np.zeros(X.shape[1])
    X = weigh(X - center, weight)
    n, D = X.shape
    squares, Q = np.linalg.eigh(X @ X.T if n <= D else X.T @ X)
    kept = squares > SMALLEST_SQUARE * max(squares.max(), np.finfo(float).tiny)
    squares, Q = squares[kept], Q[:, kept]
    return Directions(X.T @ Q / np.sqrt(squares) if n <= D else Q, squares, center)


def fit_own(problem: Problem, f: Array, penalty: OwnPenalty) -> tuple[Array, Array]:
    """Own coefficients (D, T), and what they add to the intercepts (T,)."""
    fits, level = OwnFits(problem), np.array([penalty.level])
    if penalty.law is not None:
        _, W, b = fits.follow_law(f, level, penalty.law)
    else:
        _, W, b = fits.path(penalty.kind, f, level)
    return penalty.stretch * W[0], penalty.stretch * b[0]


def learn_law(problem: Problem, f: Array, penalty: OwnPenalty) -> OwnPenalty:
    """With the law of the slopes, if it has one: for tasks that are not in the problem."""
    if penalty.kind != SLOPES:
        return penalty
    middle = middle_of(problem)
    sums, _, origin = OwnFits(problem).slope_sums(f, middle)
    return replace(penalty, law=find_law(sums, middle, penalty.level).moved(origin))


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
