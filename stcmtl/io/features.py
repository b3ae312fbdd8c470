"""Columns of any kind to a matrix of numbers: encoded, complete, and said so."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import NUMBER_KINDS, Array, numeric_vector
from stcmtl.errors import Setting, Text
from stcmtl.io.account import Case
from stcmtl.io.cells.columns import Column
from stcmtl.io.cells.levels import FEW_LEVELS, FEWEST_NAMES
from stcmtl.io.cells.notation import MOST_DIGITS
from stcmtl.io.cells.numbers import WHOLE_FLOAT
from stcmtl.io.guess import check_not_long
from stcmtl.io.limits import ReadError
from stcmtl.phrases import counted

MISSING = ("error", "median")
FILL = "fill them, or ", Setting("missing", "median", "pass {}")
ROW_BLOCK = 8192  # rows copied at a time, so that columns and rows both stay in the cache
# Two digits may begin with 0, as months, days and hours do; more of them are a code such as 007.
DIGITS = re.compile(rf"0\d|[+-]?(0|[1-9]\d{{0,{MOST_DIGITS - 1}}})")
SINCE = "days since "
PARTS = ("year", "season (sine)", "season (cosine)", "days")
LEFT_OUT = {
    "identifier": "a different value in every row",
    "free text": "free text",
}

Columns = dict[str, NDArray[Any]]


class MissingValuesError(ReadError):
    """Empty cells among the features, which can be filled."""


def build_matrix(
    frame: pd.DataFrame,
    names: list[str],
    missing: str,
    case: Case,
    known: dict[str, Column] | None = None,
    wanted: Collection[str] = (),
) -> tuple[Array, tuple[str, ...]]:
    """The columns ``names`` of a frame as one matrix, and the names of its columns.

    ``known`` is what the columns are, as far as it was found out; ``wanted`` are those that were
    asked for, whatever they hold.
    """
    columns: Columns = {}
    holes: dict[str, int] = {}
    for name, values in frame[names].items():
        if is_empty(values):
            case.dropped[f"column {name!r}, which is empty"] = 1
            continue
        column = (known or {}).get(name) or Column(name, "")
        encoded = encode_column(values, column, holes, name in wanted, case)
        for new, numbers in encoded.items():
            if new in columns:
                raise case.fault(f"would have two features named {new!r}", "rename one")
            columns[new] = numbers
        case.check_shape(len(frame), len(columns))
    if not columns:
        raise case.fault("has no column that can be a feature", suggest_features(names, case))
    if holes and missing == "error":
        raise missing_fault(holes, case)
    if holes:
        columns = {name: impute(column, name, case) for name, column in columns.items()}
        note = f"{count_filled(holes)} filled with the column's median, or its most frequent text"
        case.notes.append(note)
    return stack_columns(list(columns.values()), len(frame)), tuple(columns)


def suggest_features(names: list[str], case: Case) -> Text:
    """What to do where every column was left out."""
    full = [name for name in names if f"column {name!r}, which is empty" not in case.dropped]
    if not full:
        return "add one with numbers"
    why = next(what for what in case.dropped if what.startswith(f"column {full[0]!r}, "))
    return f"{why}, was left out; name it in ", Setting("features", [full[0]]), " to use it"


def is_empty(column: pd.Series) -> bool:
    return len(column) > 0 and bool(pd.isna(column.iloc[0])) and bool(column.isna().all())


def encode_column(
    values: pd.Series, column: Column, holes: dict[str, int], wanted: bool, case: Case
) -> Columns:
    """One column of numbers, the parts of dates, or a column per level of text."""
    name = column.name
    if values.dtype.kind in "Mm":
        return encode_times(values, column, holes, wanted, case)
    numbers = measure(values, name, case)
    if numbers is None:
        return encode_levels(values, column, holes, wanted, case)
    if column.kind == "identifier" and not wanted:
        exact = np.abs(numbers).max() <= WHOLE_FLOAT
        leave_out(name, LEFT_OUT["identifier"] if exact else "too large to be exact", case)
        return {}
    if numbers.dtype.kind == "f" and not np.isfinite(np.add.reduce(numbers)):
        check_no_infinity(numbers, name, case)
        if missing := int(np.isnan(numbers).sum()):
            holes[name] = missing
    return {name: numbers}


def measure(column: pd.Series, name: str, case: Case) -> NDArray[Any] | None:
    """Numbers as an array, None for words and categories."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return None
    values = column.to_numpy() if column.dtype.kind in NUMBER_KINDS else None
    if values is None or values.dtype.kind == "O":  # nullable, with its own mark for missing
        values = numeric_vector(column)
    return values if values is not None else measure_digits(column, name, case)


def measure_digits(column: pd.Series, name: str, case: Case) -> Array | None:
    """Whole numbers as text, which may name tasks, as numbers; None for codes such as 007."""
    codes, levels = pd.factorize(column)
    texts = [str(level) for level in levels]
    if not texts or not all(DIGITS.fullmatch(text) for text in texts):
        return None
    case.notes.append(f"Column {name!r} holds numbers as text, and was read as numbers")
    return np.array([*map(float, texts), np.nan])[codes]


def encode_times(
    times: pd.Series, column: Column, holes: dict[str, int], wanted: bool, case: Case
) -> Columns:
    """Dates as year, season and days since the first; times of day as hours, spans as days."""
    name, use = column.name, column.notation.get("use", "parts")
    if use == "leave out" and not wanted:
        leave_out(name, "dates, as asked", case)
        return {}
    if times.isna().any():
        holes[name] = int(times.isna().sum())
    if times.dtype.kind == "m":
        clock = column.kind == "time"
        case.encoded[name] = ("hours",) if clock else ("days",)
        return {name: measure_spans(times, clock)}
    first = f"{times.min():%Y-%m-%d}"  # its midnight: a further file can count from there too
    if use == "days":
        case.encoded[name] = (f"{SINCE}{first}",)
        return {name: take_part(times, "days", first)}
    parts = list_parts(times)
    case.encoded[name] = tuple(f"{SINCE}{first}" if part == "days" else part for part in parts)
    return {f"{name}: {part}": take_part(times, part, first) for part in parts}


def list_parts(dates: pd.Series) -> list[str]:
    """Parts of a date that vary in a column."""
    present = dates.dropna()
    of_year = present.dt.day_of_year.nunique() > 1
    # every 31 December is a day of the season, whether or not the year is a leap year
    seasonal = of_year and present.dt.strftime("%m-%d").nunique() > 1
    varying = {"year": present.dt.year.nunique() > 1, "days": present.nunique() > 1}
    varying |= dict.fromkeys(PARTS[1:3], seasonal)
    return [part for part in PARTS if varying[part]] or ["days"]


def take_part(dates: pd.Series, part: str, first: str) -> Array:
    """One part of every date, NaN where there is none."""
    if part == "year":
        return dates.dt.year.to_numpy(np.float64, na_value=np.nan)
    if part == "days":
        return measure_spans(dates - pd.Timestamp(first))
    length = np.where(dates.dt.is_leap_year, 366.0, 365.0)
    angle = 2 * np.pi * (dates.dt.day_of_year.to_numpy(np.float64, na_value=np.nan) - 1) / length
    return np.sin(angle) if part == "season (sine)" else np.cos(angle)


def measure_spans(spans: pd.Series, hourly: bool = False) -> Array:
    """Days, or hours."""
    unit = np.timedelta64(1, "h" if hourly else "D")
    return (spans / unit).to_numpy(np.float64, na_value=np.nan)


def leave_out(name: str, why: str, case: Case) -> None:
    case.dropped[f"column {name!r}, {why}"] = 1


def check_no_infinity(values: NDArray[Any], name: str, case: Case) -> None:
    infinite = int(np.isinf(values).sum())
    if infinite:
        raise case.fault(f"has {infinite:,} infinite values in column {name!r}", "correct them")


def encode_levels(
    values: pd.Series, column: Column, holes: dict[str, int], wanted: bool, case: Case
) -> Columns:
    """A column of 0 and 1 per level; missing cells are counted as the most frequent."""
    name = column.name
    codes, levels = pd.factorize(values)
    texts = [str(level) for level in levels]
    if not wanted and (why := tell_why_not(texts, column, len(values))):
        leave_out(name, why, case)
        if len(texts) < len(values):
            take = Setting("features", [name], "name it in {}")
            note = f"Column {name!r} has {len(texts):,} different texts and was left out: "
            case.advice.append((note, take, " to have a column of 0 and 1 for each"))
        return {}
    missing = codes < 0
    if missing.any():
        holes[name] = int(missing.sum())
        codes = np.where(missing, np.bincount(codes[~missing]).argmax(), codes)
    check_not_long(texts, name, case)
    case.check_shape(len(values), len(texts))
    order = sorted(range(len(texts)), key=texts.__getitem__)
    case.encoded[name] = tuple(texts[k] for k in order)
    return {f"{name}={texts[k]}": codes == k for k in order}


def tell_why_not(texts: list[str], column: Column, n_rows: int) -> str:
    """Why a text would be no good feature, or nothing."""
    if len(texts) == n_rows >= FEWEST_NAMES:
        return "a different text in every row"
    if column.kind == "free text":
        return LEFT_OUT[column.kind]
    return f"{len(texts):,} different texts" if len(texts) > FEW_LEVELS else ""


def missing_fault(holes: dict[str, int], case: Case, remedy: Text = FILL) -> MissingValuesError:
    shown = ", ".join(f"{name!r} ({number:,})" for name, number in list(holes.items())[:5])
    more = f" and {len(holes) - 5} more columns" if len(holes) > 5 else ""
    what = "column" if len(holes) == 1 else "columns"
    said = f"has missing values in {what} {shown}{more}"
    return MissingValuesError(said, where=case.name, remedy=remedy)


def count_filled(holes: dict[str, int]) -> str:
    cells = sum(holes.values())
    verb = "was" if cells == 1 else "were"
    return f"{counted(cells, 'missing cell')} in {counted(len(holes), 'column')} {verb}"


def impute(values: NDArray[Any], name: str, case: Case) -> Array:
    holes = np.isnan(values) if values.dtype.kind == "f" else np.False_
    if not holes.any():
        return values
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
