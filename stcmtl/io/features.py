"""Columns of any kind to a matrix of numbers: encoded, complete, and said so."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import NUMBER_KINDS, Array, numeric_vector
from stcmtl.errors import Setting, Text
from stcmtl.io.account import Findings
from stcmtl.io.levels import SINCE, check_not_long, dates_of, in_days, numbers_of, taken
from stcmtl.io.limits import Limits, ReadError, fault
from stcmtl.phrases import counted

MISSING = ("error", "median")
FILL = "fill them, or ", Setting("missing", "median", "pass {}")
ROW_BLOCK = 8192  # rows copied at a time, so that columns and rows both stay in the cache
FEWEST_NAMES = 10  # so many different texts or more, one a row, name the rows

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
        if frame[name].isna().all():
            findings.dropped[f"column {name!r}, which is empty"] = 1
            continue
        for new, values in encoded(frame[name], name, file, limits, findings, holes).items():
            if new in columns:
                raise fault(file, f"would have two features named {new!r}", "rename one")
            columns[new] = values
        limits.check_shape(file, len(frame), len(columns))
    if not columns:
        raise fault(file, "has no column that can be a feature", "add one with numbers")
    if holes and missing == "error":
        raise missing_sentence(file, holes)
    for name in holes.keys() & columns.keys():
        columns[name] = imputed(columns[name], name, file)
    if holes:
        findings.notes.append(
            f"{filled_cells(holes)} filled with the column's median, or its most frequent text"
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
    values = measured(column, name, file, findings)
    if values is None:
        return one_hot(column, name, file, limits, findings, holes)
    if isinstance(values, pd.Series):
        values = days(values, name, findings)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        check_no_infinity(values, name, file)
        holes[name] = int(np.isnan(values).sum())
    return {name: values}


def measured(
    column: pd.Series, name: str, file: str, findings: Findings
) -> NDArray[Any] | pd.Series | None:
    """Numbers as an array, dates and spans of time as a series, None for words and categories."""
    if column.dtype.kind in "Mm":
        return column
    if not is_category(column):
        values = column.to_numpy() if column.dtype.kind in NUMBER_KINDS else None
        if values is None or values.dtype.kind == "O":  # nullable, with its own mark for missing
            values = numeric_vector(column)
        if values is not None:
            return values
    return from_levels(column, name, file, findings)


def is_category(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


def days(times: pd.Series, name: str, findings: Findings) -> Array:
    """Dates as days since the first, spans of time as days."""
    if times.dtype.kind == "m":
        findings.encoded[name] = ("days",)
        return in_days(times)
    first = times.min().normalize()  # midnight: a further file can count from there too
    findings.encoded[name] = (f"{SINCE}{first:%Y-%m-%d}",)
    return in_days(times - first)


def from_levels(
    column: pd.Series, name: str, file: str, findings: Findings
) -> Array | pd.Series | None:
    """Numbers, or dates, that a column of texts spells; None for words and categories."""
    codes, levels = pd.factorize(column)
    if len(levels) == 0:
        return np.full(len(column), np.nan)
    if is_category(column) and not all(isinstance(level, str) for level in levels):
        return None
    texts = [str(level) for level in levels]
    numbers = numbers_of(texts, f"column {name!r}", file)
    if numbers is not None:
        findings.notes.append(f"Column {name!r} holds numbers as text, and was read as numbers")
        return taken(numbers, codes)
    dates = dates_of(texts)
    return None if dates is None else dates.reindex(codes)  # no date where there is no level


def check_no_infinity(values: NDArray[Any], name: str, file: str) -> None:
    infinite = int(np.isinf(values).sum())
    if infinite:
        raise fault(file, f"has {infinite:,} infinite values in column {name!r}", "correct them")


def one_hot(
    column: pd.Series,
    name: str,
    file: str,
    limits: Limits,
    findings: Findings,
    holes: dict[str, int],
) -> Columns:
    """A column of 0 and 1 per level; missing cells are counted as the most frequent."""
    codes, levels = pd.factorize(column)
    texts = [str(level) for level in levels]
    missing = codes < 0
    if missing.any():
        holes[name] = int(missing.sum())
        codes = np.where(missing, np.bincount(codes[~missing]).argmax(), codes)
    if len(texts) == len(column) >= FEWEST_NAMES:
        findings.dropped[f"column {name!r}, a different text in every row"] = 1
        return {}
    check_not_long(texts, name, file)
    limits.check_shape(file, len(column), len(texts))
    order = sorted(range(len(texts)), key=texts.__getitem__)
    findings.encoded[name] = tuple(texts[k] for k in order)
    return {f"{name}={texts[k]}": codes == k for k in order}


def missing_sentence(file: str, holes: dict[str, int], remedy: Text = FILL) -> ReadError:
    shown = ", ".join(f"{name!r} ({number:,})" for name, number in list(holes.items())[:5])
    more = f" and {len(holes) - 5} more columns" if len(holes) > 5 else ""
    what = "column" if len(holes) == 1 else "columns"
    return fault(file, f"has missing values in {what} {shown}{more}", remedy)


def filled_cells(holes: dict[str, int]) -> str:
    cells = sum(holes.values())
    verb = "was" if cells == 1 else "were"
    return f"{counted(cells, 'missing cell')} in {counted(len(holes), 'column')} {verb}"


def imputed(values: NDArray[Any], name: str, file: str) -> Array:
    holes = np.isnan(values)
    if holes.all():
        raise fault(file, f"has nothing in column {name!r}", "drop it")
    return np.where(holes, np.median(values[~holes]), values)


def stacked(columns: list[NDArray[Any]], n_rows: int) -> Array:
    """The columns side by side; with all cores, as most of the time is for new memory."""
    X = np.empty((n_rows, len(columns)))

    def fill(start: int) -> None:
        rows = slice(start, start + ROW_BLOCK)
        for d, column in enumerate(columns):
            X[rows, d] = column[rows]

    with ThreadPoolExecutor() as pool:
        deque(pool.map(fill, range(0, n_rows, ROW_BLOCK)), maxlen=0)
    return X
