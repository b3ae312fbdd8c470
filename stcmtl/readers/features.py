"""Columns of any kind to a matrix of numbers: encoded, complete, and said so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.readers.account import Findings
from stcmtl.readers.limits import Limits, ReadError
from stcmtl.tasks import NUMBER_KINDS, Array, numeric_vector

MISSING = ("error", "median")
ROW_BLOCK = 8192  # rows copied at a time, so that columns and rows both stay in the cache
MOSTLY = 0.8  # share of numbers from which a column of texts is a column of numbers with slips
FEWEST_NAMES = 10  # so many different texts or more, one a row, name the rows
DAY = np.timedelta64(1, "D")

Columns = dict[str, NDArray[Any]]


def design_matrix(
    frame: pd.DataFrame,
    names: list[str],
    file: str,
    missing: str,
    limits: Limits,
    findings: Findings,
) -> tuple[Array, tuple[str, ...]]:
    """The columns ``names`` of a frame as one matrix, and the names of its columns."""
    columns: Columns = {}
    holes: dict[str, int] = {}
    for name in names:
        for new, values in encoded(frame[name], name, file, limits, findings, holes).items():
            if new in columns:
                raise ReadError(f"{file} would have two features named {new!r}: rename one.")
            columns[new] = values
        limits.check_shape(file, len(frame), len(columns))
    if not columns:
        raise ReadError(f"{file} has no column that can be a feature: add one with numbers.")
    if holes and missing == "error":
        raise missing_sentence(file, holes)
    for name in holes:
        columns[name] = imputed(columns[name], name, file)
    if holes:
        total = sum(holes.values())
        findings.notes.append(
            f"{total:,} missing cells in {len(holes)} columns were filled with the column's median"
        )
    return stacked(list(columns.values()), len(frame)), tuple(columns)


def encoded(
    column: pd.Series,
    name: str,
    file: str,
    limits: Limits,
    findings: Findings,
    holes: dict[str, int],
) -> Columns:
    """One column of numbers, days since the first for dates, or a column per level of text."""
    kind = column.dtype.kind
    if kind == "M":
        first = column.min()
        findings.encoded[name] = (f"days since {first:%Y-%m-%d}",)
        values = ((column - first) / DAY).to_numpy(np.float64, na_value=np.nan)
    elif isinstance(column.dtype, pd.CategoricalDtype) or kind not in NUMBER_KINDS:
        numbers = None if is_category(column) else numeric_vector(column)
        if numbers is None:
            return one_hot(column, name, file, limits, findings)
        values = numbers
    else:
        values = column.to_numpy()
    if values.dtype.kind == "O":  # a nullable number, with its own mark for missing
        values = column.to_numpy(np.float64, na_value=np.nan)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        check_no_infinity(values, name, file)
        holes[name] = int(np.isnan(values).sum())
    return {name: values}


def is_category(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


def check_no_infinity(values: NDArray[Any], name: str, file: str) -> None:
    infinite = int(np.isinf(values).sum())
    if infinite:
        raise ReadError(
            f"{file} has {infinite:,} infinite values in column {name!r}: correct them."
        )


def one_hot(column: pd.Series, name: str, file: str, limits: Limits, findings: Findings) -> Columns:
    codes, levels = pd.factorize(column)
    texts = [str(level) for level in levels]
    missing = int((codes < 0).sum())
    if missing:
        raise missing_sentence(file, {name: missing}, remedy="fill or delete them")
    check_not_numbers(column, name, file, texts)
    if len(texts) == len(column) >= FEWEST_NAMES:
        findings.dropped[f"column {name!r}, a different text in every row"] = 1
        return {}
    limits.check_shape(file, len(column), len(texts))
    order = sorted(range(len(texts)), key=texts.__getitem__)
    findings.encoded[name] = tuple(texts[k] for k in order)
    return {f"{name}={texts[k]}": codes == k for k in order}


def check_not_numbers(column: pd.Series, name: str, file: str, levels: list[str]) -> None:
    """Nearly all numbers, and some slips: encoding each number as a level would hide them."""
    numbers = pd.to_numeric(pd.Series(levels, dtype=object), errors="coerce").notna().to_numpy()
    if len(levels) > 2 and MOSTLY * len(levels) <= numbers.sum() < len(levels):
        slip = levels[int(np.argmin(numbers))]
        raise ReadError(
            f"{file} has numbers in column {name!r} but also {slip[:40]!r}: "
            "correct such cells, or empty them."
        )


def missing_sentence(
    file: str, holes: dict[str, int], remedy: str = "fill them, or pass missing='median'"
) -> ReadError:
    shown = ", ".join(f"{name!r} ({number:,})" for name, number in list(holes.items())[:5])
    more = f" and {len(holes) - 5} more columns" if len(holes) > 5 else ""
    what = "column" if len(holes) == 1 else "columns"
    return ReadError(f"{file} has missing values in {what} {shown}{more}: {remedy}.")


def imputed(values: NDArray[Any], name: str, file: str) -> Array:
    holes = np.isnan(values)
    if holes.all():
        raise ReadError(f"{file} has nothing in column {name!r}: drop it.")
    return np.where(holes, np.median(values[~holes]), values)


def stacked(columns: list[NDArray[Any]], n_rows: int) -> Array:
    X = np.empty((n_rows, len(columns)))
    for start in range(0, n_rows, ROW_BLOCK):
        rows = slice(start, start + ROW_BLOCK)
        for d, column in enumerate(columns):
            X[rows, d] = column[rows]
    return X
