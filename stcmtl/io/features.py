"""Columns of any kind to a matrix of numbers: encoded, complete, and said so."""

from __future__ import annotations

import re
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import NUMBER_KINDS, Array, numeric_vector
from stcmtl.errors import Setting, Text
from stcmtl.io.account import Case
from stcmtl.io.guess import check_not_long
from stcmtl.io.limits import ReadError
from stcmtl.phrases import counted

MISSING = ("error", "median")
FILL = "fill them, or ", Setting("missing", "median", "pass {}")
ROW_BLOCK = 8192  # rows copied at a time, so that columns and rows both stay in the cache
FEWEST_NAMES = 10  # so many different texts or more, one per row, name the rows
MOSTLY = 0.8  # share of numbers from which a column of texts is a column of numbers with slips
UNIT = re.compile(r"^[$€£]\s*|\s*[%€]$")  # 12 % is read as 12
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?")
DAY = np.timedelta64(1, "D")
SINCE = "days since "

Columns = dict[str, NDArray[Any]]


def build_matrix(
    frame: pd.DataFrame, names: list[str], missing: str, case: Case
) -> tuple[Array, tuple[str, ...]]:
    """The columns ``names`` of a frame as one matrix, and the names of its columns."""
    columns: Columns = {}
    holes: dict[str, int] = {}
    for name in names:
        if frame[name].isna().all():
            case.dropped[f"column {name!r}, which is empty"] = 1
            continue
        for new, values in encode_column(frame[name], name, holes, case).items():
            if new in columns:
                raise case.fault(f"would have two features named {new!r}", "rename one")
            columns[new] = values
        case.check_shape(len(frame), len(columns))
    if not columns:
        raise case.fault("has no column that can be a feature", "add one with numbers")
    if holes and missing == "error":
        raise missing_fault(holes, case)
    for name in holes.keys() & columns.keys():
        columns[name] = impute(columns[name], name, case)
    if holes:
        note = f"{count_filled(holes)} filled with the column's median, or its most frequent text"
        case.notes.append(note)
    return stack_columns(list(columns.values()), len(frame)), tuple(columns)


def encode_column(column: pd.Series, name: str, holes: dict[str, int], case: Case) -> Columns:
    """One column of numbers, days since the first for dates, or a column per level of text."""
    values = measure(column, name, case)
    if values is None:
        return encode_levels(column, name, holes, case)
    if isinstance(values, pd.Series):
        values = count_days(values, name, case)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        check_no_infinity(values, name, case)
        holes[name] = int(np.isnan(values).sum())
    return {name: values}


def measure(column: pd.Series, name: str, case: Case) -> NDArray[Any] | pd.Series | None:
    """Numbers as an array, dates and spans of time as a series, None for words and categories."""
    if column.dtype.kind in "Mm":
        return column
    if not is_category(column):
        values = column.to_numpy() if column.dtype.kind in NUMBER_KINDS else None
        if values is None or values.dtype.kind == "O":  # nullable, with its own mark for missing
            values = numeric_vector(column)
        if values is not None:
            return values
    return measure_texts(column, name, case)


def is_category(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


def measure_texts(column: pd.Series, name: str, case: Case) -> Array | pd.Series | None:
    """Numbers, or dates, that a column of texts spells; None for words and categories."""
    codes, levels = pd.factorize(column)
    if len(levels) == 0:
        return np.full(len(column), np.nan)
    if is_category(column) and not all(isinstance(level, str) for level in levels):
        return None
    texts = [str(level) for level in levels]
    numbers = parse_numbers(texts, f"column {name!r}", case)
    if numbers is not None:
        case.notes.append(f"Column {name!r} holds numbers as text, and was read as numbers")
        return take_levels(numbers, codes)
    dates = parse_dates(texts)
    return None if dates is None else dates.reindex(codes)  # no date where there is no level


def parse_numbers(levels: list[str], what: str, case: Case) -> Array | None:
    """The numbers that texts spell, None for words; a slip among numbers is named."""
    bare = pd.Series([UNIT.sub("", level) for level in levels], dtype=object)
    numbers = pd.to_numeric(bare, errors="coerce").to_numpy(np.float64)
    words = np.isnan(numbers)
    if not words.any():
        return numbers
    if len(levels) > 2 and words.sum() <= (1 - MOSTLY) * len(levels):
        slip = levels[int(np.argmax(words))][:40]
        remedy = "correct such cells, or empty them"
        raise case.fault(f"has numbers in {what} but also {slip!r}", remedy)
    return None


def parse_dates(levels: list[str]) -> pd.Series | None:
    """The dates that texts such as 2024-12-31 spell, None for anything else."""
    if not all(DATE.fullmatch(level) for level in levels):
        return None
    dates = pd.to_datetime(pd.Series(levels), format="ISO8601", errors="coerce")
    return None if dates.isna().any() else dates


def take_levels(values: NDArray[np.float64], codes: NDArray[np.int64]) -> Array:
    """The value of every row's level, NaN where it has none."""
    return np.where(codes < 0, np.nan, values[codes])


def count_days(times: pd.Series, name: str, case: Case) -> Array:
    """Dates as days since the first, spans of time as days."""
    if times.dtype.kind == "m":
        case.encoded[name] = ("days",)
        return in_days(times)
    first = times.min().normalize()  # midnight: a further file can count from there too
    case.encoded[name] = (f"{SINCE}{first:%Y-%m-%d}",)
    return in_days(times - first)


def in_days(spans: pd.Series) -> Array:
    return (spans / DAY).to_numpy(np.float64, na_value=np.nan)


def check_no_infinity(values: NDArray[Any], name: str, case: Case) -> None:
    infinite = int(np.isinf(values).sum())
    if infinite:
        raise case.fault(f"has {infinite:,} infinite values in column {name!r}", "correct them")


def encode_levels(column: pd.Series, name: str, holes: dict[str, int], case: Case) -> Columns:
    """A column of 0 and 1 per level; missing cells are counted as the most frequent."""
    codes, levels = pd.factorize(column)
    texts = [str(level) for level in levels]
    missing = codes < 0
    if missing.any():
        holes[name] = int(missing.sum())
        codes = np.where(missing, np.bincount(codes[~missing]).argmax(), codes)
    if len(texts) == len(column) >= FEWEST_NAMES:
        case.dropped[f"column {name!r}, a different text in every row"] = 1
        return {}
    check_not_long(texts, name, case)
    case.check_shape(len(column), len(texts))
    order = sorted(range(len(texts)), key=texts.__getitem__)
    case.encoded[name] = tuple(texts[k] for k in order)
    return {f"{name}={texts[k]}": codes == k for k in order}


def missing_fault(holes: dict[str, int], case: Case, remedy: Text = FILL) -> ReadError:
    shown = ", ".join(f"{name!r} ({number:,})" for name, number in list(holes.items())[:5])
    more = f" and {len(holes) - 5} more columns" if len(holes) > 5 else ""
    what = "column" if len(holes) == 1 else "columns"
    return case.fault(f"has missing values in {what} {shown}{more}", remedy)


def count_filled(holes: dict[str, int]) -> str:
    cells = sum(holes.values())
    verb = "was" if cells == 1 else "were"
    return f"{counted(cells, 'missing cell')} in {counted(len(holes), 'column')} {verb}"


def impute(values: NDArray[Any], name: str, case: Case) -> Array:
    holes = np.isnan(values)
    if holes.all():
        raise case.fault(f"has nothing in column {name!r}", "drop it")
    return np.where(holes, np.median(values[~holes]), values)


def stack_columns(columns: list[NDArray[Any]], n_rows: int) -> Array:
    """The columns side by side; with all cores, as most of the time is for new memory."""
    X = np.empty((n_rows, len(columns)))

    def fill(start: int) -> None:
        rows = slice(start, start + ROW_BLOCK)
        for d, column in enumerate(columns):
            X[rows, d] = column[rows]

    with ThreadPoolExecutor() as pool:
        deque(pool.map(fill, range(0, n_rows, ROW_BLOCK)), maxlen=0)
    return X
