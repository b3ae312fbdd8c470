"""One partition of the tasks: what is told of it, what is held of it, and the steps taken on it.

Each step is one that the solver takes on all tasks, here on those of the partition; what belongs to
all (scale, order of features, noise, precision) is told to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.memberships import update_memberships
from stcmtl.solver.normal_equations import Sums, sum_fold_normals, sum_normal
from stcmtl.solver.problem import Precision, Problem, Rows
from stcmtl.solver.records import Initial
from stcmtl.solver.single_task import initialise, update_coefficients


class Moments(NamedTuple):
    """Of columns: the number of rows, means (D,), sums of squares around them (D,) and ends."""

    n: int
    mean: Array
    squares: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, X: Array) -> Moments:
        mean = X.mean(axis=0)
        return cls(len(X), mean, ((X - mean) ** 2).sum(axis=0), X.min(axis=0), X.max(axis=0))

    def beside(self, other: Moments) -> Moments:
        """Of both (Chan, Golub and LeVeque, 1983)."""
        n, apart = self.n + other.n, other.mean - self.mean
        squares = self.squares + other.squares + apart**2 * (self.n * other.n / n)
        ends = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Moments(n, self.mean + apart * (other.n / n), squares, *ends)

    @property
    def spreads(self) -> Array:
        """Standard deviations; 0 for a constant column."""
        return np.where(self.high > self.low, np.sqrt(self.squares / self.n), 0.0)


class Survey(NamedTuple):
    """Moments of the features as given, and of those the solver sees; slopes (T, D) of the null
    model and numbers of rows (T,).
    """

    given: Moments
    centred: Moments
    slopes: Array
    counts: Array


class Told(NamedTuple):
    """Of the tasks of a partition: their own fits, the squares these leave (T,), rows by fold
    (T, F), and the means that were taken out.
    """

    initial: Initial
    squares: Array
    in_fold: Array
    means: Array
    target_means: Array


@dataclass(frozen=True)
class Held:
    """The rows of a partition as the solver sees them, and their folds."""

    problem: Problem
    fold: NDArray[np.int64]

    def arrays(self) -> dict[str, Any]:
        """By name, as a file keeps them."""
        held = vars(self.problem)
        return {"fold": self.fold, **{name: held[name] for name in KEPT}}

    @classmethod
    def of(cls, arrays: dict[str, Any]) -> Held:
        fold = arrays.pop("fold")
        arrays |= {name: arrays[name].item() for name in ("loss", "fit_intercept")}
        return cls(Problem(**arrays), fold)

    def beside(self, precision: Precision | None) -> Problem:
        """With what rows of each task count."""
        return replace(self.problem, precision=precision)


KEPT = ("X", "y", "starts", "means", "target_means", "scale", "loss", "fit_intercept")


def survey(rows: Rows) -> Survey:
    """What order and scale of features are found from."""
    problem = replace(rows, standardize=False).problem()
    moments = Moments.of(rows.X), Moments.of(problem.X)
    return Survey(*moments, problem.null_slopes, problem.counts)


def prepare(
    rows: Rows,
    scale: Array,
    features: NDArray[np.intp],
    n_folds: int,
    seed: int,
    n_jobs: int | None,
) -> tuple[Held, Told]:
    """Rows scaled and in the order of features, and every task's own fit."""
    columns = features[: scale.size]  # a lone one has a companion, which the problem adds itself
    X = rows.X[:, columns]
    problem = Problem.build(X, rows.y, rows.codes, rows.loss, rows.fit_intercept, scale[columns])
    fold = problem.folds(n_folds, seed)
    initial = initialise(problem, n_folds, seed, n_jobs)
    squares = problem.task_squares(initial.W, initial.b)
    in_fold = np.zeros((problem.n_tasks, n_folds))
    np.add.at(in_fold, (problem.task_of_row, fold), problem.row_counts)
    told = Told(initial, squares, in_fold, problem.means, problem.target_means)
    return Held(problem, fold), told


def sum_up(held: Held, V: Array, weight: Array) -> tuple[None, Sums]:
    """The normal equations of U, given memberships V and the weights of rows."""
    return None, sum_normal(held.problem, V, weight)


def sum_up_folds(held: Held, V: Array, weights: Array) -> tuple[None, Sums]:
    """The same of each fold, of the rows left and of those held out."""
    return None, sum_fold_normals(held.problem, held.fold, V, weights)


def sweep_tasks(held: Held, W: Array, b: Array, lambdas: Array) -> tuple[Any, None]:
    """The W step."""
    return update_coefficients(held.problem, W, b, lambdas), None


def find_memberships(
    held: Held,
    precision: Precision | None,
    weight: Array,
    U: Array,
    V: Array,
    b: Array,
    *settings: Any,
) -> tuple[tuple[Array, Array], Sums]:
    """Memberships and intercepts given U, and the normal equations of the next U."""
    V, b = update_memberships(held.beside(precision), U, V, b, *settings)
    return (V, b), sum_normal(held.problem, V, weight)


def compare_losses(
    held: Held, V: Array, weight: Array, paths: Array, best: int, plain: Array
) -> tuple[None, tuple[Array]]:
    """How far losses of held-out rows differ: sums, and sums of squares, over rows.

    ``paths`` (F, levels, D, K) are U at each level without each fold, and ``plain`` (F, D, K) at
    the best level of another penalty. Differences (2, levels) are from the ``best`` level and from
    the other penalty; rows of a task have ``weight`` (T,).
    """
    problem, fold = held.problem, held.fold
    total = np.zeros((2, 2, paths.shape[1]))
    for c in range(len(paths)):
        losses = held_out_losses(problem, fold == c, V, np.append(paths[c], plain[c : c + 1], 0))
        losses *= weight[problem.task_of_row[fold == c]]
        for place, reference in enumerate((best, -1)):
            apart = losses[:-1] - losses[reference]
            total[:, place] += apart.sum(axis=1), (apart**2).sum(axis=1)
    return None, (total,)


def held_out_losses(
    problem: Problem, held_out: NDArray[np.bool_], V: Array, patterns: Array
) -> Array:
    """(steps, rows held out), of U (steps, D, K) that was found without them."""
    task = problem.task_of_row
    X, y = problem.X[held_out], problem.y[held_out]
    if problem.fit_intercept:  # which are those of the rows left
        left = ~held_out
        n = np.maximum(np.bincount(task[left], minlength=problem.n_tasks), 1)
        sums = np.zeros((problem.n_tasks, problem.n_features))
        np.add.at(sums, task[left], problem.X[left])
        X = X - (sums / n[:, None])[task[held_out]]
        y = y - (np.bincount(task[left], problem.y[left], problem.n_tasks) / n)[task[held_out]]
    own = V[:, task[held_out]].T
    return np.stack([(y - np.sum((X @ U) * own, axis=1)) ** 2 for U in patterns])


def measure_losses(held: Held, V: Array, b: Array, U: Array) -> tuple[Array, tuple[Array]]:
    """Mean loss of each task, and the sums of the rows' losses and of their squares."""
    problem = held.problem
    f = np.sum((problem.X @ U) * V[:, problem.task_of_row].T, axis=1) + b[problem.task_of_row]
    losses = problem.row_losses(f)
    return problem.task_means(losses), (np.array([losses.sum(), (losses**2).sum()]),)
