"""TaskSet: many tasks of unequal size as stacked rows with a task label each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

TASK_TYPES = ("regression", "classification")


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
            raise ValueError(f"{len(names)} feature names for {X.shape[1]} columns of X.")
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

    def to_frame(self) -> pd.DataFrame:
        """One row a row: ``task``, ``target``, then the features."""
        for name in ("task", "target"):
            if name in self.feature_names:
                raise ValueError(
                    f"Rename the feature {name!r}: a column of the frame has its name."
                )
        frame = pd.DataFrame(self.X, columns=list(self.feature_names))
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
        raise ValueError(
            f"Row {int(np.argmin(codes))} has no task label: name its task or drop it."
        )
    return np.asarray(names), codes


def check_task_type(task_type: str) -> None:
    if task_type not in TASK_TYPES:
        raise ValueError(f"task_type is {task_type!r}: use 'regression' or 'classification'.")


def check_rows(X: Array, **columns: NDArray[Any]) -> None:
    """One entry of every column per row of X, and at least one row."""
    for name, column in columns.items():
        if column.ndim != 1:
            raise ValueError(f"{name} has shape {column.shape}: it must be one value per row.")
    if any(len(column) != len(X) for column in columns.values()):
        lengths = " and ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise ValueError(
            f"X has {len(X)} rows, {lengths}: give every row one target and one task label."
        )
    if len(X) == 0:
        raise ValueError("There are no rows: give at least two a task.")


def numeric_matrix(X: Any) -> Array:
    """X as floats; a column that holds anything else is named."""
    values = np.asarray(X)
    if values.ndim != 2:
        raise ValueError(f"X has shape {values.shape}: it must be (rows, features).")
    columns = [X[name] for name in X.columns] if isinstance(X, pd.DataFrame) else values.T
    try:
        if isinstance(X, pd.DataFrame) and not all(map(is_numeric, columns)):
            raise TypeError
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pairs = zip(column_names(X), columns, strict=True)
        name = next(name for name, column in pairs if not is_numeric(column))
        raise ValueError(f"Column {name!r} of X is not numeric: encode or drop it.") from None


def is_numeric(column: Any) -> bool:
    """Numbers or booleans; text that looks like numbers is text where the type says so."""
    if isinstance(column, pd.Series):
        return bool(pd.api.types.is_numeric_dtype(column))
    try:
        column.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def column_names(X: Any) -> list[str]:
    """A data frame's column names where they are text, else x0, x1, ..."""
    names = list(getattr(X, "columns", ()))
    if names and all(isinstance(name, str) for name in names):
        return names
    return [f"x{d}" for d in range(np.shape(X)[1])]
