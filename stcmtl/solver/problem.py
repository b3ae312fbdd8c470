"""Checked rows of all tasks, and the problem the solver makes of all, of some, or of a resample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from stcmtl.data.spreads import measure_spreads
from stcmtl.data.taskset import Array
from stcmtl.data.weighted import mean_of, std_of, take
from stcmtl.solver.kernels.clusters import task_squares
from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED, UNKNOWN, Loss, Tasks, total_loss
from stcmtl.solver.machine import Threads
from stcmtl.stopping import halt, stop_if_asked

__all__ = ["LOGISTIC", "SQUARED", "Problem", "Rows"]

# At the null model -dL/df is this times (y - mean of y), for either loss.
EVERY = slice(None)
NULL_SLOPE = {SQUARED: 2.0, LOGISTIC: 0.5}


class Precision(NamedTuple):
    """How much a row of each task counts (T,): in a fit, by the inverse of its noise variance,
    beside the usual one; and held out, by the inverse of the loss of the task's own fit.
    """

    fit: Array
    held_out: Array

    def keep(self, tasks: NDArray[np.bool_ | np.intp]) -> Precision:
        """Without the other tasks; numbers of tasks also put them in order."""
        return Precision(self.fit[tasks], self.held_out[tasks])


@dataclass(frozen=True)
class Rows:
    """``codes`` number the tasks from 0; ``y`` is as the loss wants it; ``fold`` labels the folds
    of the rows, and ``row_weight`` how much each counts, if they are given. ``precision`` is as a
    problem has it, and ``columns`` the order in which it has the features: X is not copied for it.
    """

    X: Array
    y: Array
    codes: NDArray[np.int64]
    loss: int
    fit_intercept: bool
    standardize: bool
    fold: NDArray[np.int64] | None = None
    precision: Precision | None = None
    row_weight: Array | None = None
    columns: NDArray[np.intp] | None = None

    @cached_property
    def by_task(self) -> NDArray[np.int64]:
        """Rows in the order in which a problem holds them."""
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def row_counts(self) -> Array:
        """How often each row counts: once, as a rule."""
        return np.ones(self.y.size) if self.row_weight is None else self.row_weight

    @cached_property
    def counts(self) -> Array:
        """Of rows of each task, as often as they count."""
        return np.bincount(self.codes, self.row_counts).astype(np.float64)

    def keep(self, tasks: NDArray[np.bool_]) -> Rows:
        """Without the other tasks."""
        chosen = tasks[self.codes]
        codes = (np.cumsum(tasks) - 1)[self.codes[chosen]]
        fold = take(self.fold, chosen)
        precision = self.precision and self.precision.keep(tasks)
        row_weight = take(self.row_weight, chosen)
        rows = replace(self, fold=fold, row_weight=row_weight, codes=codes, precision=precision)
        return replace(rows, X=self.X[chosen], y=self.y[chosen])

    def problem(self, chosen: NDArray[np.int64] | None = None, n_jobs: int | None = 1) -> Problem:
        """Of all rows, or of the chosen ones."""
        X, y, codes, fold, row_weight = self.X, self.y, self.codes, self.fold, self.row_weight
        if chosen is not None:
            X, y, codes = X[chosen], y[chosen], codes[chosen]
            fold, row_weight = take(fold, chosen), take(row_weight, chosen)
        scale = feature_scale(X, row_weight) if self.standardize else None
        given = X, y, codes, self.loss, self.fit_intercept, scale, row_weight, self.columns
        problem = Problem.build(*given, n_jobs)
        fold = take(fold, np.argsort(codes, kind="stable"))
        return replace(problem, given_folds=fold, precision=self.precision)


@dataclass(frozen=True)
class Problem:
    """The data as the solver sees it: sorted by task, columns contiguous, tasks centred.

    Rows of task i are ``starts[i]:starts[i + 1]``; labels are -1 and 1 for the logistic loss.

    Features are divided by ``scale``. With an intercept, the features of each task are
    centred, and its target too under the squared loss. That only moves the intercepts (see
    ``original_intercepts``) and lets coordinate descent converge faster.

    A row counts ``row_weight`` times, once if that is None; ``counts`` are sums of these. With a
    ``precision`` rows count by that, however many their task has. Without it every task counts the
    same, and held-out rows are all alike.
    """

    X: Array
    y: Array
    starts: NDArray[np.int64]
    means: Array
    target_means: Array
    scale: Array
    loss: int
    fit_intercept: bool
    given_folds: NDArray[np.int64] | None = None
    precision: Precision | None = None
    row_weight: Array | None = None

    @classmethod
    def build(
        cls,
        X: Array,
        y: Array,
        codes: NDArray[np.int64],
        loss: int,
        fit_intercept: bool,
        scale: Array | None = None,
        row_weight: Array | None = None,
        columns: NDArray[np.intp] | None = None,
        n_jobs: int | None = 1,
    ) -> Problem:
        """Sort by task, divide columns by ``scale`` if given, and centre: one copy of X.

        With its ``columns`` in another order, if given.
        """
        order = np.argsort(codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(codes))])
        D = X.shape[1]
        scale = np.ones(D) if scale is None else scale
        columns = np.arange(D) if columns is None else columns
        # A lone feature gets a companion of zeros: numba would take one column for row-major,
        # and compile every kernel again.
        stacked = np.zeros((len(X), max(D, 2)), order="F")
        means, target_means = np.zeros((starts.size - 1, max(D, 2))), np.zeros(starts.size - 1)
        target, row_weight = y[order].astype(np.float64), take(row_weight, order)

        def place(i: int) -> None:
            stop_if_asked()
            own = slice(starts[i], starts[i + 1])
            rows, weight = X[order[own]], take(row_weight, own)
            rows /= scale
            if fit_intercept:
                center = exact_means(rows, weight)
                means[i, :D] = center[columns]
                rows -= center
            if fit_intercept and loss == SQUARED:
                target_means[i] = exact_means(target[own], weight)
                target[own] -= target_means[i]
            stacked[own, :D] = rows[:, columns]

        Threads(n_jobs).here(delayed(place)(i) for i in range(starts.size - 1))
        parts = stacked, target, starts, means, target_means, scale[columns]
        return cls(*parts, loss, fit_intercept, row_weight=row_weight)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A message may leave arrays at an odd byte, where products have other last bits."""
        for name, value in state.items():
            settled = isinstance(value, np.ndarray) and not value.flags.aligned
            vars(self)[name] = value.copy("A") if settled else value

    @property
    def n_tasks(self) -> int:
        return self.starts.size - 1

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @cached_property
    def n_rows(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    @cached_property
    def task_of_row(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.n_tasks), self.n_rows)

    @cached_property
    def row_counts(self) -> Array:
        """How often each row counts: once, as a rule."""
        return np.ones(self.y.size) if self.row_weight is None else self.row_weight

    @cached_property
    def counts(self) -> Array:
        """n_i, rows as often as they count."""
        return np.bincount(self.task_of_row, self.row_counts, self.n_tasks).astype(np.float64)

    @cached_property
    def sizes_of_tasks(self) -> tuple[Array, NDArray[np.intp]]:
        """The n_i there are, and which of them is each task's."""
        return np.unique(self.counts, return_inverse=True)

    @cached_property
    def weighed_counts(self) -> Array:
        """The same in rows of the usual precision."""
        return self.counts if self.precision is None else self.precision.fit * self.counts

    @cached_property
    def alike(self) -> Array:
        """1 / n_i for the rows of task i (as often as they count): every task counts the same, as
        in the paper.
        """
        return self.row_counts / self.counts[self.task_of_row]

    @cached_property
    def importance(self) -> Array | None:
        """What the weights of each task's rows sum to, one on average; None if one for all."""
        if self.precision is None:
            return None
        return np.asarray(self.weighed_counts / self.weighed_counts.mean())

    @cached_property
    def weight(self) -> Array:
        """1 / n_i for the rows of task i, or by their precision; the number of tasks in sum."""
        if self.importance is None:
            return self.alike
        return self.alike * self.importance[self.task_of_row]

    def training_weight(self, held_out: NDArray[np.bool_]) -> Array:
        """The same without the rows held out, whose weight is 0."""
        left = np.where(held_out, 0.0, self.row_counts)
        kept = np.bincount(self.task_of_row, left, self.n_tasks)
        if self.precision is None:
            return left / np.where(kept > 0.0, kept, 1.0)[self.task_of_row]
        by_task = self.precision.fit / (self.precision.fit * kept).mean()
        return left * by_task[self.task_of_row]

    @property
    def as_in_paper(self) -> Problem:
        """Every task counts the same."""
        return self if self.precision is None else replace(self, precision=None)

    def weigh(self, losses: Array) -> Array:
        """Losses (..., N) of rows as often as they count, in units of their noise."""
        losses = self.row_counts * losses
        return losses if self.precision is None else losses * self.precision.fit[self.task_of_row]

    def weigh_held_out(self, losses: Array) -> Array:
        """Losses of rows held out, in units of what the tasks' own fits leave."""
        if self.precision is None:
            return losses
        return losses * self.precision.held_out[self.task_of_row]

    @cached_property
    def held_out_weight(self) -> Array | None:
        """Of every row; None if all count the same."""
        return self.row_weight if self.precision is None else self.weigh_held_out(self.row_counts)

    def usual_level(self, lambdas: Array) -> float:
        """Of the tasks' own penalties (T,), where tasks count as much as they do here."""
        return float((lambdas if self.importance is None else lambdas * self.importance).mean())

    def task_means(self, values: NDArray[Any]) -> Array:
        """Of what every row has."""
        return np.bincount(self.task_of_row, self.row_counts * values, self.n_tasks) / self.counts

    @cached_property
    def spread(self) -> Array:
        """Standard deviation of every feature, over all rows."""
        if not self.fit_intercept:
            return np.array([std_of(column, self.row_weight) for column in self.X.T])
        squares = self.weighted_squares(self.row_counts)  # around the mean of each task
        return np.sqrt(squares.sum(axis=1) / self.row_counts.sum())

    def rows(self, i: int) -> slice:
        return slice(self.starts[i], self.starts[i + 1])

    def weight_of(self, i: int) -> Array | None:
        """How much the rows of task i count, if they differ."""
        return take(self.row_weight, self.rows(i))

    def as_tasks(self, weight: Array | None = None, squares: Array = UNKNOWN) -> Tasks:
        """As the kernels want it, with other weights than 1 / n_i if given."""
        loss = Loss(self.loss, self.y, self.weight if weight is None else weight)
        return Tasks(self.kernel_X, self.starts, loss, self.fit_intercept, halt(), squares)

    @cached_property
    def squares(self) -> Array:
        """Weighted, of every feature in each task (D, T)."""
        return self.weighted_squares(self.weight)

    def weighted_squares(self, weight: Array) -> Array:
        squares = np.empty((self.n_features, self.n_tasks))
        task_squares(self.kernel_X, weight, self.starts, squares)
        return squares

    @cached_property
    def kernel_X(self) -> Array:  # noqa: N802
        """A lone row gets a companion of zeros, for the reason a lone feature does."""
        return self.X if len(self.X) > 1 else np.asfortranarray(np.pad(self.X, ((0, 1), (0, 0))))

    def loss_of_task(self, i: int) -> Loss:
        rows = self.rows(i)
        return Loss(self.loss, self.y[rows], self.alike[rows])

    def keep(self, tasks: NDArray[np.bool_]) -> Problem:
        """Without the other tasks."""
        if tasks.all():
            return self
        rows = tasks[self.task_of_row]
        return replace(
            self,
            X=np.asfortranarray(self.X[rows]),
            y=self.y[rows],
            starts=np.concatenate([[0], np.cumsum(self.n_rows[tasks])]),
            means=self.means[tasks],
            target_means=self.target_means[tasks],
            given_folds=take(self.given_folds, rows),
            precision=self.precision and self.precision.keep(tasks),
            row_weight=take(self.row_weight, rows),
        )

    def in_order(
        self, features: NDArray[np.intp], tasks: NDArray[np.intp], n_jobs: int | None = 1
    ) -> Problem:
        """With features and tasks in another order: another copy of X."""
        rows = np.concatenate([np.arange(self.starts[i], self.starts[i + 1]) for i in tasks])
        X, scaled = np.empty_like(self.X), features[: self.scale.size]  # a companion stays last

        def move(place: int) -> None:  # "raise" would make a copy first
            np.take(self.X[:, features[place]], rows, out=X[:, place], mode="clip")

        Threads(n_jobs).here(delayed(move)(place) for place in range(features.size))
        return replace(
            self,
            X=X,
            y=self.y[rows],
            starts=np.concatenate([[0], np.cumsum(self.n_rows[tasks])]),
            means=self.means[np.ix_(tasks, features)],
            target_means=self.target_means[tasks],
            scale=self.scale[scaled],
            given_folds=take(self.given_folds, rows),
            precision=self.precision and self.precision.keep(tasks),
            row_weight=take(self.row_weight, rows),
        )

    def original_coefficients(self, A: Array) -> Array:
        """Columns of coefficients for features that are not scaled, without any companion."""
        return A[: self.scale.size] / self.scale[:, None]

    def scaled_coefficients(self, A: Array) -> Array:
        """The way back."""
        scaled = np.zeros((self.n_features, A.shape[1]))
        scaled[: self.scale.size] = A * self.scale[:, None]
        return scaled

    def original_intercepts(self, W: Array, b: Array) -> Array:
        """What b is for features and targets that are not centred."""
        return b + self.target_means - np.einsum("td,dt->t", self.means, W)

    def predictions(self, W: Array, b: Array) -> Array:
        """f = X_i w_i + b_i for every row."""
        tasks = range(self.n_tasks)
        return np.concatenate([self.X[self.rows(i)] @ W[:, i] + b[i] for i in tasks])

    def task_squares(self, W: Array, b: Array) -> Array:
        """What is left of the targets of each task, squared."""
        residuals = self.y - self.predictions(W, b)
        return self.counts * self.task_means(residuals**2)

    def total_loss(self, f: Array) -> float:
        """sum over rows of weight * L(y, f)."""
        return float(total_loss(self.as_tasks().loss, f))

    def row_losses(self, f: Array, rows: NDArray[np.intp] | slice = EVERY) -> Array:
        """Of all rows, or of those that are predicted."""
        y = self.y[rows]
        return (y - f) ** 2 if self.loss == SQUARED else np.logaddexp(0.0, -y * f)

    def weighed_loss(self, f: Array) -> float:
        """Of all rows, as often as they count, in units of their noise."""
        return float(self.weigh(self.row_losses(f)).sum())

    def log_likelihood(self, f: Array, noise: float) -> float:
        """Up to a constant; ``noise`` is the usual residual variance of the squared loss."""
        total = self.weighed_loss(f)
        if self.loss == SQUARED:
            return -0.5 * (total / noise + self.counts.sum() * float(np.log(noise)))
        return -total

    @cached_property
    def null_pull(self) -> Array:
        """-dL/df of every row where all coefficients are zero."""
        level = np.zeros(self.n_tasks)
        if self.fit_intercept:
            level = self.task_means(self.y)
        return NULL_SLOPE[self.loss] * (self.y - level[self.task_of_row])

    @cached_property
    def null_slopes(self) -> Array:
        """Of the loss there, turned round: what each task's coefficients (T, D) would gain."""
        pull = self.weight * self.null_pull
        tasks = map(self.rows, range(self.n_tasks))
        return np.stack([self.X[rows].T @ pull[rows] for rows in tasks])

    def folds(self, n_folds: int, seed: int) -> NDArray[np.int64]:
        """A fold for every row: within each task, and within each label for two labels.

        Or as given, if every task has rows in two folds at least.
        """
        if self.given_folds is not None:
            found, fold = np.unique(self.given_folds, return_inverse=True)
            held = np.zeros((self.n_tasks, found.size), dtype=bool)
            held[self.task_of_row, fold] = True
            if (held.sum(axis=1) > 1).all():
                return fold
        fold = np.empty(self.y.size, dtype=np.int64)
        sizes = np.unique(np.diff(self.starts))  # tasks are dealt alike, whatever name and place
        orders = {n: np.random.default_rng(seed).permutation(n) for n in sizes.tolist()}
        for i in range(self.n_tasks):
            y = self.y[self.rows(i)]
            order = orders[y.size]
            if self.loss == LOGISTIC:
                order = order[np.argsort(y[order], kind="stable")]
            part = np.empty(y.size, dtype=np.int64)
            part[order] = np.arange(y.size) % n_folds
            fold[self.rows(i)] = part
        return fold


def exact_means(rows: Array, weight: Array | None = None) -> Array:
    """Means; of a constant column its value, so that nothing is left of it after centring."""
    return np.where((rows == rows[0]).all(axis=0), rows[0], mean_of(rows, weight, axis=0))


def feature_scale(X: Array, weight: Array | None = None) -> Array:
    """Standard deviations over all rows; 1 for a constant feature."""
    spreads = measure_spreads(X, weight)
    return np.where(spreads > 0, spreads, 1.0)
