"""What is a task's own: a deviation d_i from its mixture, one level for all tasks.

    min over d, b of L(y_i, f_i + X_i d + b) + penalty(d)

    ridge    level |d|^2                     all tasks deviate, in all features
    group    level sqrt(n_i) |d|             few tasks deviate, in all features
    lasso    level sqrt(n_i) |d|_1           in few features
    slopes   level d' inverse(Sigma) d       as far as the tasks' deviations do: those of a mixed
                                             model, d_i ~ N(0, Sigma) (squared loss, few features)

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
from stcmtl.solver.penalty_choice import mean_square
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from stcmtl.solver.records import Initial, Iteration, Stopwatch
from stcmtl.solver.single_task import task_alone

RIDGE, GROUP, LASSO, SLOPES = "ridge", "group", "lasso", "slopes"
N_LEVELS = 10
RIDGE_RANGE = 1e2, 1e-3  # times the mean square of a direction
NOISE_RANGE = 3.0, 0.05  # times the level at which noise alone would lead to no deviation
SLOPE_LEVELS = np.array([3.0, 1.0, 0.3])  # times what the tasks' deviations say
MOST_SLOPES = 25  # features whose covariance is estimated
EM_STEPS = 60
SLOPE = {SQUARED: 2.0, LOGISTIC: 0.5}  # of a row's loss, where its residual is the noise
BEND = {SQUARED: 2.0, LOGISTIC: 0.25}  # of a row's loss, at most
SMALLEST_SQUARE = 1e-10  # of a direction, beside the largest


@dataclass(frozen=True)
class OwnPenalty:
    """One of the kinds above, at one level for all tasks; ``law`` is that of known slopes."""

    kind: str
    level: float
    law: "SlopeLaw | None" = None


class SlopeLaw(NamedTuple):
    """Deviations are around ``mean`` (D,); ``price`` (D, D) is noise x inverse(Sigma)."""

    mean: Array
    price: Array


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
        problem, D = self.problem, self.problem.n_features
        losses = mean_of(problem.row_losses(f), problem.row_weight)
        noise = np.sqrt(losses) if problem.loss == SQUARED else 1.0
        spread = np.sqrt(mean_square(problem))
        usual = np.sqrt(D) if kind == GROUP else np.sqrt(2.0 * np.log(max(D, 2)))
        return noise * spread * usual * np.geomspace(*NOISE_RANGE, N_LEVELS)

    def path(self, kind: str, f: Array, levels: Array) -> OwnPath:
        """Of all tasks, beside predictions f (N,)."""
        if kind == SLOPES:
            sums = self.slope_sums(f)
            return self.follow_law(sums, find_law(sums), levels)
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
        order = strongest_first(np.abs(columns @ (problem.y - f)[rows][kept]))
        part = task._replace(
            columns=np.ascontiguousarray(columns[order]),
            loss=Loss(problem.loss, task.loss.y[kept], counts / n),
            offset=f[rows][kept],
        )
        W, b = l1_path(part, levels * SLOPE[problem.loss] / np.sqrt(n), 1e-6)
        return W[:, np.argsort(order)], b

    def slope_sums(self, f: Array) -> "SlopeSums":
        """What a mixed model needs of the residuals."""
        problem, (T, D) = self.problem, (self.problem.n_tasks, self.problem.n_features)
        sums = SlopeSums(np.empty((T, D, D)), np.empty((T, D)), *(np.empty(T) for _ in range(3)))
        for i, directions in enumerate(self.directions):
            rows, X = problem.rows(i), self.rows_of(i) - directions.center
            r, weight = (problem.y - f)[rows][self.kept[rows]], self.weight_of(i)
            sums.means[i] = mean_of(r, weight) if problem.fit_intercept else 0.0
            r, X = weigh(r - sums.means[i], weight), weigh(X, weight)
            sums.G[i], sums.c[i], sums.squares[i] = X.T @ X, X.T @ r, r @ r
            sums.counts[i] = self.counts_of(i).sum() - problem.fit_intercept
        return sums

    def follow_law(self, sums: "SlopeSums", law: SlopeLaw, levels: Array) -> OwnPath:
        W = np.stack([solve_slopes(sums, law, level) for level in levels])
        centers = np.stack([part.center for part in self.directions])
        return OwnPath(W.transpose(0, 2, 1), sums.means - np.einsum("ltd,td->lt", W, centers))

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


class SlopeSums(NamedTuple):
    """Of each task's rows, intercepts taken out: X'X (T, D, D), X'r (T, D), r'r, the number of rows
    and the means of r (T,).
    """

    G: Array
    c: Array
    squares: Array
    counts: Array
    means: Array


def solve_slopes(sums: SlopeSums, law: SlopeLaw, level: float) -> Array:
    """min over d_i of |r_i - X_i d|^2 + level (d - mean)' price (d - mean), one row per task."""
    price = level * law.price
    slopes = np.linalg.solve(sums.G + price, (sums.c + price @ law.mean)[..., None])
    return np.asarray(slopes[..., 0], dtype=np.float64)


def find_law(sums: SlopeSums) -> SlopeLaw:
    """Of a mixed model of residuals, d_i ~ N(mean, Sigma), by EM.

    With few tasks for the features Sigma is diagonal; where nothing varies, no task deviates.
    """
    G, c, squares, counts, _ = sums
    T, D = c.shape
    tiny, n_rows = np.finfo(float).tiny, max(counts.sum(), 1.0)
    curvature = np.diagonal(G.mean(axis=0))
    mean, price = np.zeros(D), np.eye(D)
    used = curvature > SMALLEST_SQUARE * curvature.max(initial=tiny)
    if not used.any() or not squares.any():
        return SlopeLaw(mean, price)
    G, c, curvature, D = G[:, used][:, :, used], c[:, used], curvature[used], int(used.sum())
    noise = squares.sum() / n_rows
    smallest = SMALLEST_SQUARE * noise
    mu, Sigma = np.zeros(D), np.diag(noise / curvature)
    for _ in range(EM_STEPS):
        inverse = np.linalg.inv(Sigma)
        A = np.linalg.inv(G / noise + inverse)
        m = np.einsum("tde,te->td", A, c / noise + inverse @ mu)
        mu, apart = m.mean(axis=0), m - m.mean(axis=0)
        Sigma = (A + apart[:, :, None] * apart[:, None, :]).mean(axis=0)
        if T < 2 * D:
            Sigma = np.diag(np.diag(Sigma))
        Sigma += np.diag(smallest / curvature)
        second = A + m[:, :, None] * m[:, None, :]
        left = squares - 2.0 * np.einsum("td,td->t", m, c) + np.einsum("tde,ted->t", G, second)
        noise = max(left.sum() / n_rows, smallest)
    mean[used] = mu
    price[np.ix_(used, used)] = noise * np.linalg.inv(Sigma)
    return SlopeLaw(mean, price)


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
) -> tuple[OwnPenalty, Array]:
    """The level that predicts best, a mean over tasks, and the held-out losses of all rows.

    For those, a fold's level is the one that the other folds speak for: the best of many levels
    would seem to predict better than nothing even where it does not.
    """
    levels = fits[0].levels(kind, f_of_fold[0])

    def held_out_losses(c: int) -> Array:
        F = fits[c].predict(kind, f_of_fold[c], levels)
        return np.where(fold == c, problem.row_losses(F), 0.0)

    losses = sum(parallel(delayed(held_out_losses)(c) for c in range(len(fits))))
    found = np.empty(fold.size)
    for c in range(len(fits)):
        others = np.where(fold == c, 0.0, problem.weight)
        found[fold == c] = losses[np.argmin(losses @ others)][fold == c]
    return OwnPenalty(kind, float(levels[np.argmin(losses @ problem.weight)])), found


def fit_own(problem: Problem, f: Array, penalty: OwnPenalty) -> tuple[Array, Array]:
    """Own coefficients (D, T), and what they add to the intercepts (T,)."""
    fits, level = OwnFits(problem), np.array([penalty.level])
    if penalty.law is not None:
        W, b = fits.follow_law(fits.slope_sums(f), penalty.law, level)
    else:
        W, b = fits.path(penalty.kind, f, level)
    return W[0], b[0]


def learn_law(problem: Problem, f: Array, penalty: OwnPenalty) -> OwnPenalty:
    """With the law of the slopes, if it has one: for tasks that are not in the problem."""
    if penalty.kind != SLOPES:
        return penalty
    return replace(penalty, law=find_law(OwnFits(problem).slope_sums(f)))


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
