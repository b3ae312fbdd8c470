"""What every estimator of one linear model per task shares: checked rows, names, predictions."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.utils import Tags, _safe_indexing, check_random_state
from sklearn.utils.validation import validate_data

from stcmtl.data import checks as check
from stcmtl.data.labels import one_per_row
from stcmtl.data.spreads import measure_spreads, units_differ
from stcmtl.data.taskset import Array, check_rows, numeric_matrix, task_codes, task_labels
from stcmtl.data.weighted import IdleTasksWarning, find_idle_tasks, mean_of
from stcmtl.errors import Worded
from stcmtl.io import model_file


class UnsettledWarning(Worded, ConvergenceWarning):
    """A fit was cut short; the remedy names the settings that let it go on."""


class Table(NamedTuple):
    """Stacked rows with a target and a task label each; ``codes`` number the sorted ``names``.

    ``weight`` is how much each row counts, if they differ; ``kept`` tells which of the rows given
    count at all, if some do not.
    """

    X: Array
    y: NDArray[Any]
    tasks: NDArray[Any]
    names: NDArray[Any]
    codes: NDArray[np.int64]
    weight: Array | None = None
    kept: NDArray[np.bool_] | None = None

    @property
    def n_rows(self) -> NDArray[np.int64]:
        """Of each task."""
        return np.bincount(self.codes)


class LinearTaskModel(BaseEstimator, ABC):
    """``fit`` drains ``fit_steps``; input is checked once, at the door."""

    random_state: int | np.random.RandomState | None
    standardize: bool | str

    def fit(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit on stacked rows, with a target and a task label for each.

        ``sample_weight`` says how much each row counts: one of weight 2 counts as two rows, and one
        of weight 0 not at all. Weights that are not whole numbers, or that are all the same, count
        only relative to each other: they are scaled to a mean of one.
        """
        for _ in self.fit_steps(X, y, tasks, sample_weight):
            pass
        return self

    @abstractmethod
    def fit_steps(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Iterator[Any]:
        """Fit step by step, so that a caller can show progress or stop."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def save(self, path: model_file.Target) -> None:
        """Write the fitted model to one portable file; ``stcmtl.load`` reads it."""
        model_file.save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        """A fit that was cut short has learnt names only."""
        return hasattr(self, "coef_")

    def _forget(self) -> None:
        """Remove what an earlier fit has learnt."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def _choose_scale(self, table: Table) -> None:
        """Whether features are put on one scale; learns their spreads."""
        self.feature_scale_ = measure_spreads(table.X, table.weight)
        self.units_differ_ = units_differ(table.X, self.feature_scale_)
        auto = check.is_auto(self.standardize)
        self.standardized_ = self.units_differ_ if auto else bool(self.standardize)

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _rows(self, X: Any, tasks: ArrayLike, reset: bool) -> tuple[Array, NDArray[Any]]:
        """X as numbers and task labels; feature names and count are learnt or compared."""
        matrix, labels = numeric_matrix(X), task_labels(tasks)
        check_rows(matrix, tasks=labels)
        validate_data(self, X, reset=reset, skip_check_array=True)
        check.check_finite(matrix, labels, getattr(self, "feature_names_in_", None))
        return matrix, labels

    def _table(self, X: Any, y: ArrayLike, tasks: ArrayLike, reset: bool) -> Table:
        """Rows with their targets; the target is not looked at yet."""
        matrix, labels = self._rows(X, tasks, reset)
        target = one_per_row(y, "y")
        check_rows(matrix, y=target, tasks=labels)
        return Table(matrix, target, labels, *task_codes(labels))

    def _weighted_table(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, weight: Any, reset: bool = True
    ) -> Table:
        """Without rows that do not count."""
        table = self._table(X, y, tasks, reset)
        counts = check.check_weights(weight, len(table.X))
        if counts is None or counts.all():
            return table._replace(weight=counts)
        kept = counts > 0.0
        if len(idle := find_idle_tasks(table.tasks, counts)):
            warnings.warn(IdleTasksWarning.of(idle), stacklevel=5)
        labels = table.tasks[kept]
        rows = table.X[kept], table.y[kept], labels, *task_codes(labels)
        return Table(*rows, check.check_weights(counts[kept], int(kept.sum())), kept)

    def _explained(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, weight: ArrayLike | None, predicted: Array
    ) -> float:
        """R^2 of predicted numbers."""
        table = self._table(X, y, tasks, reset=False)
        target = check.numeric_target(table.y, table.tasks)
        counts = check.check_weights(weight, len(target))
        return float(r2_score(target, predicted, sample_weight=counts))

    def _accuracy(
        self,
        X: Any,
        y: ArrayLike,
        tasks: ArrayLike,
        weight: ArrayLike | None,
        predicted: NDArray[Any],
        known: NDArray[Any],
    ) -> float:
        """Share of predicted labels that are right."""
        table = self._table(X, y, tasks, reset=False)
        check.check_target_present(table.y, table.tasks)
        check.check_known_labels(table.y, known)
        counts = check.check_weights(weight, len(table.y))
        return float(mean_of(table.y == predicted, counts))


def counting_rows(X: Any, y: ArrayLike, tasks: ArrayLike, weight: Any) -> tuple[Any, ...]:
    """The same without rows of weight 0, whose tasks no fit has seen."""
    target, labels = one_per_row(y, "y"), one_per_row(tasks, "tasks")
    counts = check.check_weights(weight, target.size)
    if counts is None or counts.all() or not target.size == labels.size == np.shape(X)[0]:
        return X, y, tasks, weight
    kept = np.flatnonzero(counts)
    if issparse(X):
        X = X.tocsr()  # of all formats one of whose rows can be taken
    return _safe_indexing(X, kept), target[kept], labels[kept], np.asarray(weight)[kept]


def linear_values(
    X: Array,
    tasks: NDArray[Any],
    names: NDArray[Any] | pd.Index,
    coef: Array,
    intercept: Array,
) -> Array:
    """x'w_i + b_i for every row, whose task i must be among ``names``."""
    codes = check.find_tasks(tasks, names)
    values = np.empty(len(X))
    order = np.argsort(codes, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        values[rows] = X[rows] @ coef[codes[rows[0]]] + intercept[codes[rows[0]]]
    return values
