"""Targets and task labels as people hand them in: one value per row, as an array.

Left to numpy, a hole in a list of texts becomes the text 'nan', a 1 beside texts becomes '1', and
the mask of a masked array is forgotten. Here a hole stays a hole, and a label what it was.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.errors import InputError
from stcmtl.phrases import listed

LABEL_KINDS = "biufcmMUST"  # of numpy's dtypes
LABEL_TYPES = (str, bytes, int, float, complex, np.number, np.bool_, np.datetime64)
NUMBERS = (int, float, np.integer, np.floating)
TEXT = {"U": str, "S": bytes}  # by kind
NESTED = (list, tuple, set, frozenset, Mapping, np.ndarray, pd.Series)
SHOWN_ROWS = 5


def one_per_row(values: Any, name: str) -> NDArray[Any]:
    """An array of one dimension; a column is flattened, as scikit-learn does."""
    if isinstance(values, (str, bytes, Mapping)) or not is_ordered(values):
        what = "is None" if values is None else f"is of type {type(values).__name__}"
        remedy = f"{name} should be a 1d array or a list, with one value per row"
        raise InputError(what, where=name, remedy=remedy)
    if np.ma.isMaskedArray(values):
        array = show_mask(values)
    elif isinstance(values, Sequence):
        array = from_sequence(values, name)
    else:
        array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        what = f"has shape {array.shape}"
        raise InputError(what, where=name, remedy="it must be one value per row")
    return narrow(array) if array.dtype == object else array


def is_ordered(values: Any) -> bool:
    """Not a set, a generator or a lone value, of which numpy makes an array of nothing else."""
    return isinstance(values, Sequence) or hasattr(values, "__array__")


def show_mask(values: Any) -> NDArray[Any]:
    """What is masked is missing: NaN among floats, None among all else."""
    array, mask = np.asarray(values.data), np.ma.getmaskarray(values)
    if mask.any():
        array = array.astype(float if array.dtype.kind == "f" else object)
        array[mask] = None
    return array


def from_sequence(values: Sequence[Any], name: str) -> NDArray[Any]:
    """A list or tuple, without numpy's translation of all to text where some of it is text."""
    try:
        array = np.asarray(values)
    except ValueError:  # of unequal lengths
        array = np.empty((len(values), 0))
    if array.ndim == 2 and array.shape[1] == 1:
        return from_sequence([value[0] for value in values], name)
    kind = array.dtype.kind if array.ndim == 1 else "O"
    if kind not in "USO" or all(isinstance(value, TEXT.get(kind, ())) for value in values):
        return array
    items = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        if isinstance(value, NESTED) and value is not np.ma.masked:
            remedy = "it must be one value per row; join its parts into one text"
            raise InputError(f"holds {show(value)} in row {row}", where=name, remedy=remedy)
        items[row] = None if value is np.ma.masked else value
    return items


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Objects that are all truth values, all numbers or all times, as an array of these."""
    kinds = set(map(type, array))

    def are(*wanted: type) -> bool:
        return all(issubclass(kind, wanted) for kind in kinds)

    if are(bool, np.bool_) or (are(*NUMBERS) and not kinds & {bool}):
        return np.array(array.tolist())
    if are(datetime.datetime) and not any(value.tzinfo for value in array):
        return pd.Series(array.tolist()).to_numpy()
    return array


def check_labels(labels: NDArray[Any], name: str) -> None:
    """Of a kind that can be compared, sorted, shown and saved."""
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        row = int(np.isinf(labels).argmax())
        raise InputError(f"is infinite in row {row}", where=name, remedy="give that row a label")
    if labels.dtype.kind in LABEL_KINDS:
        return
    for row, label in enumerate(labels):
        if not isinstance(label, LABEL_TYPES) and type(label) is not datetime.date:
            raise InputError(
                f"holds {show(label)} in row {row}",
                where=name,
                remedy="use text, numbers, truth values or dates; str makes text of it",
            )


def check_tasks_present(tasks: NDArray[Any]) -> None:
    missing = np.asarray(pd.isna(tasks))
    if missing.any():
        rows, count = np.flatnonzero(missing).tolist(), int(missing.sum())
        if count == 1:
            where, what, remedy = f"Row {rows[0]}", "has no task label", "name its task or drop it"
        else:
            where = f"Rows {listed(rows, SHOWN_ROWS)}"
            what = f"have no task label ({count} of {missing.size})"
            remedy = "name their tasks or drop them"
        raise InputError(what, where=where, remedy=remedy)


def count_rows(chosen: NDArray[np.bool_]) -> str:
    """``2 of 36 rows: 3 and 8``."""
    rows = np.flatnonzero(chosen).tolist()
    return f"{len(rows)} of {chosen.size} rows: {listed(rows, SHOWN_ROWS)}"


def show(value: Any) -> str:
    """With its type, if that is not plain to see: ``Decimal('1')``, ``datetime.time(8, 30)``."""
    return " ".join(repr(value).split())[:60]
