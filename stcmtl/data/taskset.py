"""TaskSet: many tasks of unequal size as stacked rows with a task label each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from stcmtl.errors import InputError, bad_value

Array = NDArray[np.float64]

TASK_TYPES = ("regression", "classification")
# What counts as numbers: kinds of numpy's dtypes, and what pandas infers of objects.
NUMBER_KINDS = "biuf"
NUMBER_TYPES = ("boolean", "integer", "floating", "mixed-integer-float", "decimal", "empty")


# eq=False here and below: comparing fields would ask an array for one truth value, and fail.
@dataclass(frozen=True, eq=False)
class Truth:
    """What a simulation was made from, in the paper's orientation (features down)."""

    U: Array
    V: Array
    W: Array
    pure: NDArray[np.bool_]
    outliers: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TaskSet:
    """Stacked rows ``X`` (N, D), targets ``y`` (N,) and a task label per row.

    ``task_names`` lists the tasks in sorted order, as scikit-learn lists classes;
    ``len()`` is the number of tasks. Lists and pandas objects become arrays; a data frame's
    columns name the features unless ``feature_names`` does.
    """

    X: Array
    y: NDArray[Any]
    tasks: NDArray[Any]
    feature_names: Sequence[str] = ()
    task_type: str = "regression"
    truth: Truth | None = None
    task_names: NDArray[Any] = field(init=False)

    def __post_init__(self) -> None:
        check_task_type(self.task_type)
        X, y, tasks = numeric_matrix(self.X), np.asarray(self.y), np.asarray(self.tasks)
        check_rows(X, y=y, tasks=tasks)
        names = self.feature_names if len(self.feature_names) else column_names(self.X)
        if len(names) != X.shape[1]:
            raise InputError(f"{len(names)} feature names for {X.shape[1]} columns of X")
        fields = {"X": X, "y": y, "tasks": tasks, "feature_names": tuple(names)}
        for name, value in {**fields, "task_names": task_codes(tasks)[0]}.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.task_names)

    def __iter__(self) -> Iterator[tuple[Any, Array, NDArray[Any]]]:
        """Yield ``(name, X, y)`` for one task after the other."""
        for name in self.task_names:
            rows = self.tasks == name
            yield name, self.X[rows], self.y[rows]

    @property
    def n_rows(self) -> NDArray[np.int64]:
        """Rows per task, in the order of ``task_names``."""
        return np.bincount(task_codes(self.tasks)[1], minlength=len(self))

    def features(self) -> pd.DataFrame:
        """X with the names of its columns, for a model that is to remember them."""
        return pd.DataFrame(self.X, columns=list(self.feature_names))

    def to_frame(self) -> pd.DataFrame:
        """One row per row: ``task``, ``target``, then the features."""
        for name in ("task", "target"):
            if name in self.feature_names:
                reason = "a column of the frame has its name"
                raise InputError(f"Rename the feature {name!r}", remedy=reason)
        frame = self.features()
        frame.insert(0, "target", self.y)
        frame.insert(0, "task", self.tasks)
        return frame


def task_codes(tasks: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Sorted task names (in order of appearance where they cannot be sorted) and a code per row."""
    labels = np.asarray(tasks)
    try:
        codes, names = pd.factorize(labels, sort=True)
    except TypeError:
        codes, names = pd.factorize(labels)
    if (codes < 0).any():
        where = f"Row {int(np.argmin(codes))}"
        raise InputError("has no task label", where=where, remedy="name its task or drop it")
    return np.asarray(names), codes


def check_task_type(task_type: str) -> None:
    if task_type not in TASK_TYPES:
        raise bad_value("task_type", task_type, "use 'regression' or 'classification'")


def check_rows(X: Array, **columns: NDArray[Any]) -> None:
    """One entry of every column per row of X, and at least one row."""
    for name, column in columns.items():
        if column.ndim != 1:
            shape = f"has shape {column.shape}"
            raise InputError(shape, where=name, remedy="it must be one value per row")
    if any(len(column) != len(X) for column in columns.values()):
        lengths = " and ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise InputError(
            f"has {len(X)} rows, {lengths}",
            where="X",
            remedy="give every row one target and one task label",
        )
    if len(X) == 0:
        raise InputError("There are no rows: X is empty")


def numeric_matrix(X: Any) -> Array:
    """X as floats, missing values as NaN; a column that holds anything else is named."""
    if issparse(X):
        raise InputError("is sparse", where="X", remedy="pass X.toarray()")
    values = np.asarray(X)
    if values.ndim != 2:
        shape = f"has shape {values.shape}"
        raise InputError(shape, where="X", remedy="it must be (rows, features)")
    if values.shape[1] == 0:
        raise InputError("has no columns", where="X", remedy="give at least one feature")
    if values.dtype.kind in NUMBER_KINDS and not has_categories(X):
        return values.astype(np.float64, copy=False)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(values, columns=column_names(X))
    matrix = np.empty(values.shape)
    for d, name in enumerate(frame.columns):
        column = numeric_vector(frame.iloc[:, d])
        if column is None:
            where = f"Column {name!r} of X"
            raise InputError("is not numeric", where=where, remedy="encode or drop it")
        matrix[:, d] = column
    return matrix


def has_categories(X: Any) -> bool:
    """Whether a data frame has categories, which may hide behind numbers."""
    dtypes = X.dtypes if isinstance(X, pd.DataFrame) else ()
    return any(isinstance(dtype, pd.CategoricalDtype) for dtype in dtypes)


def numeric_vector(values: ArrayLike) -> Array | None:
    """Numbers and booleans as floats, missing values as NaN; None for text, dates and others."""
    column = pd.Series(values)
    if pd.api.types.infer_dtype(column, skipna=True) not in NUMBER_TYPES:
        return None
    try:
        return column.to_numpy(np.float64, na_value=np.nan)
    except OverflowError:  # a whole number too large for a float
        return None


def column_names(X: Any) -> list[str]:
    """A data frame's column names where they are text, else x0, x1, ..."""
    names = list(getattr(X, "columns", ()))
    if names and all(isinstance(name, str) for name in names):
        return names
    return [f"x{d}" for d in range(np.shape(X)[1])]
