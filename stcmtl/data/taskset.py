"""TaskSet: many tasks of unequal size as stacked rows with a task label each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from stcmtl.data.labels import check_labels, check_tasks_present, one_per_row, show_mask
from stcmtl.errors import InputError, Setting, bad_value
from stcmtl.phrases import quote, shorten

Array = NDArray[np.float64]

TASK_TYPES = ("regression", "classification")
# What counts as numbers: kinds of numpy's dtypes, and what pandas infers of objects.
NUMBER_KINDS = "biuf"
NUMBER_TYPES = ("boolean", "integer", "floating", "mixed-integer-float", "decimal", "empty")
NUMBERS = (Real, Decimal)
MOST_WEIGHT = 1e75
MOST_BYTES = 1 << 33  # of a sparse matrix that is filled in


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
    """The rows of all tasks: ``X`` (N, D), targets ``y`` (N,) and a task label for each row.

    ``task_names`` lists the tasks in sorted order, as scikit-learn lists classes, and ``len()`` is
    the number of tasks. Lists and pandas objects become arrays; the columns of a data frame name
    the features unless ``feature_names`` does. ``weight`` (N,) is what ``fit`` takes as
    ``sample_weight``, if rows do not all count the same. ``row_numbers`` (N,) say which rows of a
    larger set these are, from 0. ``task_columns`` is a data frame with the task names as its index
    and what is known of each task, such as its region: these columns are not features.

    >>> from stcmtl import TaskSet
    >>> data = TaskSet([[1.0], [2.0], [3.0]], [0.1, 0.2, 0.3], ["b", "a", "a"])
    >>> len(data), data.task_names.tolist(), data.n_rows.tolist()
    (2, ['a', 'b'], [2, 1])
    """

    X: Array
    y: NDArray[Any]
    tasks: NDArray[Any]
    feature_names: Sequence[str] = ()
    task_type: str = "regression"
    truth: Truth | None = None
    weight: Array | None = None
    row_numbers: NDArray[np.int64] | None = None
    task_columns: pd.DataFrame | None = None
    task_names: NDArray[Any] = field(init=False)

    def __post_init__(self) -> None:
        check_task_type(self.task_type)
        X, y, tasks = numeric_matrix(self.X), one_per_row(self.y, "y"), task_labels(self.tasks)
        numbers = {} if self.row_numbers is None else {"row_numbers": self.row_numbers}
        check_rows(X, y=y, tasks=tasks, **numbers)
        names = self.feature_names if len(self.feature_names) else column_names(self.X)
        if len(names) != X.shape[1]:
            raise InputError(f"{len(names)} feature names for {X.shape[1]} columns of X")
        check_names(names)
        weight = None if self.weight is None else row_weights(self.weight, "weight", len(X))
        task_names = task_codes(tasks)[0]
        fields = {"X": X, "y": y, "tasks": tasks, "feature_names": tuple(names), "weight": weight}
        fields |= {"task_names": task_names}
        fields |= {"task_columns": columns_of_tasks(self.task_columns, task_names)}
        for name, value in fields.items():
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
        """One row per row: ``task``, ``target``, ``weight`` if there is one, then the features.

        Columns of tasks that are words come last; numbers would be features when it is read again.
        """
        for name in ("task", "target", *([] if self.weight is None else ["weight"])):
            if name in self.feature_names:
                reason = "a column of the frame has its name"
                raise InputError(f"Rename the feature {quote(name)}", remedy=reason)
        frame = self.features()
        frame = frame.assign(**self.words_of_rows([*frame.columns, "task", "target", "weight"]))
        if self.weight is not None:
            frame.insert(0, "weight", self.weight)
        frame.insert(0, "target", self.y)
        frame.insert(0, "task", self.tasks)
        return frame

    def words_of_rows(self, taken: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Of every row what the columns of its task say in words, but for names that are taken."""
        if self.task_columns is None:
            return {}
        codes = task_codes(self.tasks)[1]
        return {
            str(name): column.to_numpy(object)[codes]
            for name, column in self.task_columns.items()
            if name not in taken and pd.api.types.infer_dtype(column, skipna=True) == "string"
        }


def columns_of_tasks(columns: Any, task_names: NDArray[Any]) -> pd.DataFrame | None:
    """One row per task, in the order of their names; rows of other tasks are left out."""
    if columns is None:
        return None
    where = Setting("task_columns")
    if not isinstance(columns, pd.DataFrame):
        remedy = "give a data frame with the names of the tasks as its index"
        raise InputError(f"is of type {type(columns).__name__}", where=where, remedy=remedy)
    check_names(columns.columns)
    places = pd.Index(columns.index).get_indexer_for(task_names)
    if len(places) != len(task_names):
        twice = columns.index[columns.index.duplicated()][0]
        raise InputError(f"has two rows for task {twice!s}", where=where, remedy="keep one")
    if (places < 0).any():
        absent = task_names[places < 0][0]
        remedy = "its index has the names of the tasks; add a row"
        raise InputError(f"has no row for task {absent!s}", where=where, remedy=remedy)
    return columns.iloc[places]


def row_weights(values: Any, name: str, n_rows: int) -> Array:
    """One number of 0 or more per row, not all of them 0."""
    weight, where = numeric_vector(one_per_row(values, name)), Setting(name)
    if weight is None:
        raise InputError("is not numeric", where=where, remedy="give one number per row")
    if weight.size != n_rows:
        what = f"has {weight.size} values for {n_rows} rows"
        raise InputError(what, where=where, remedy="give one number per row")
    bad = ~((weight >= 0.0) & (weight <= MOST_WEIGHT))
    if bad.any():
        value = "NaN" if np.isnan(weight[bad][0]) else f"{weight[bad][0]:.3g}"
        what = f"has {value} in row {bad.argmax()}"
        most = f", and {MOST_WEIGHT:.0e} at most" if weight[bad][0] > MOST_WEIGHT else ""
        remedy = f"give every row a number of 0 or more{most}"
        raise InputError(what, where=where, remedy=remedy)
    if not weight.any():
        raise InputError("is zero in all rows", where=where, remedy="at least one must be above 0")
    return weight


def task_labels(tasks: Any) -> NDArray[Any]:
    """One label per row, none of them missing."""
    labels = one_per_row(tasks, "tasks")
    check_tasks_present(labels)
    check_labels(labels, "tasks")
    return labels


def task_codes(tasks: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Sorted task names (in order of appearance where they cannot be sorted) and a code per row."""
    labels = np.asarray(tasks)
    try:
        codes, names = pd.factorize(labels, sort=True)
    except TypeError:
        codes, names = pd.factorize(labels)
    return np.asarray(names), codes


def check_names(names: Sequence[Any]) -> None:
    """Each a name of its own, and all or none of them text."""
    if len({isinstance(name, str) for name in names}) > 1:
        what = "has columns of which some are named by text and some are not"
        raise InputError(what, where="X", remedy="X.columns = X.columns.astype(str) makes all text")
    for name, count in Counter(names).items():
        if count > 1:
            what = f"has {count} columns named {shorten(repr(name))}"
            raise InputError(what, where="X", remedy="rename them")


def check_task_type(task_type: str) -> None:
    if task_type not in TASK_TYPES:
        raise bad_value("task_type", task_type, "use 'regression' or 'classification'")


def check_rows(X: Array, **columns: NDArray[Any]) -> None:
    """One entry of every column per row of X, and at least one row."""
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
        X = fill_in(X)
    if isinstance(X, pd.DataFrame):
        check_names(X.columns)
    values = matrix_of(X)
    if values.ndim != 2:
        shape = f"has shape {values.shape}"
        remedy = "it must be (rows, features). Reshape your data"
        raise InputError(shape, where="X", remedy=remedy)
    if values.shape[1] == 0:
        none = f"has 0 feature(s) (shape={values.shape}) while a minimum of 1 is required"
        raise InputError(none, where="X")
    if values.dtype.kind in NUMBER_KINDS and not has_categories(X):
        return values.astype(np.float64, copy=False)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(values, columns=column_names(values))
    matrix = np.empty(values.shape)
    for d, name in enumerate(frame.columns):
        column = numeric_vector(frame.iloc[:, d])
        if column is None:
            where = f"Column {shorten(repr(name))} of X"
            more = ". Complex data not supported" if np.iscomplexobj(frame.iloc[:, d]) else ""
            raise InputError("is not numeric", where=where, remedy=f"encode or drop it{more}")
        matrix[:, d] = column
    return matrix


def fill_in(X: Any) -> NDArray[Any]:
    """A sparse matrix as an array, as the solver centres features."""
    if X.ndim == 2 and 8 * X.shape[0] * X.shape[1] > MOST_BYTES:
        size = f"{8 * X.shape[0] * X.shape[1] / 1e9:.0f} GB of memory"
        raise InputError(
            f"is sparse, and its {X.shape[0]} x {X.shape[1]} values would take {size}",
            where="X",
            remedy="keep fewer features first, by SelectKBest or TruncatedSVD for example",
        )
    return np.asarray(X.toarray())


def matrix_of(X: Any) -> NDArray[Any]:
    """What is masked is missing; a list of rows is not made text where some of it is."""
    if np.ma.isMaskedArray(X):
        return show_mask(X)
    try:
        values = np.asarray(X)
    except ValueError:
        remedy = "give every row the same features"
        raise InputError("has rows of unequal length", where="X", remedy=remedy) from None
    in_list = values.dtype.kind in "US" and isinstance(X, Sequence)
    return np.array(X, dtype=object) if in_list else values


def has_categories(X: Any) -> bool:
    """Whether a data frame has categories, which may hide behind numbers."""
    dtypes = X.dtypes if isinstance(X, pd.DataFrame) else ()
    return any(isinstance(dtype, pd.CategoricalDtype) for dtype in dtypes)


def numeric_vector(values: ArrayLike) -> Array | None:
    """Numbers and booleans as floats, missing values as NaN; None for text, dates and others."""
    column = pd.Series(values)
    if pd.api.types.infer_dtype(column, skipna=True) not in NUMBER_TYPES and not (
        column.dtype == object and column.dropna().map(lambda x: isinstance(x, NUMBERS)).all()
    ):
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
