"""How a file was read, and the columns of a further one encoded as they were there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.data.taskset import Array, TaskSet
from stcmtl.errors import Setting
from stcmtl.io.account import Account, Case, list_names
from stcmtl.io.cells.columns import Column, Known
from stcmtl.io.cells.dates import ORDERS, USES
from stcmtl.io.features import (
    PARTS,
    SINCE,
    check_no_infinity,
    count_filled,
    measure,
    measure_spans,
    missing_fault,
    take_part,
)
from stcmtl.io.parsing import How
from stcmtl.phrases import counted

DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
SPANS, HOURS = "", "hours"  # of time, which count from no day


@dataclass(frozen=True, eq=False)
class Reading:
    """How a file was read, which a further file is to be read like.

    ``classes`` are the two labels, empty for a regression; ``understood`` is the account's;
    ``dates`` the day from which a column of dates counts, empty for spans of time; ``medians``
    a value per feature for cells that are missing, of texts 1 for the most frequent; ``columns``
    how each column was written and understood, plain JSON.
    """

    features: tuple[str, ...]
    classes: tuple[Any, ...] = ()
    understood: dict[str, Any] = field(default_factory=dict)
    dates: dict[str, str] = field(default_factory=dict)
    medians: Array | None = None
    columns: Known = field(default_factory=dict)

    @classmethod
    def of(cls, data: TaskSet, account: Account) -> Reading:
        """What the reading of one file says about the next."""
        units = {name: to[0] for name, to in account.encoded.items() if name in data.feature_names}
        dates = {
            name: unit.removeprefix(SINCE) if unit.startswith((SINCE, HOURS)) else SPANS
            for name, unit in units.items()
        }
        features, medians = tuple(data.feature_names), find_medians(data, account)
        columns = {
            column.name: remember(column, account) | remember_range(column.name, data)
            for column in account.columns
            if column.notation and not column.becomes.startswith(("left out", "not used"))
        }
        return cls(features, account.classes, account.understood, dates, medians, columns)

    def ask(self, how: How) -> How:
        """How a further file is read: columns whose cells may be in doubt as they stand."""
        texts = {name for name, record in self.columns.items() if not is_plain(record)}
        return replace(how, texts=frozenset(texts))


# What a record of a column may hold, and nothing else: a model's file may come from anywhere.
RECORD: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("kind", "example", "sign", "delimiter"), lambda value: isinstance(value, str)),
    **dict.fromkeys(("units", "levels"), lambda value: is_texts(value)),
    "decimal": lambda value: value in ("", ".", ","),
    "thousands": lambda value: isinstance(value, str) and set(value) <= set("., '"),
    "whole": lambda value: isinstance(value, bool),
    "order": lambda value: value in ORDERS.values(),
    "use": lambda value: value in USES,
    **dict.fromkeys(("low", "high"), lambda value: isinstance(value, float)),
    "first": lambda value: isinstance(value, str) and DAY.fullmatch(value) is not None,
}


def is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def are_records(columns: Any) -> bool:
    """Whether something is what ``Reading.columns`` holds."""
    return isinstance(columns, dict) and all(
        isinstance(record, dict)
        and all(key in RECORD and RECORD[key](value) for key, value in record.items())
        for record in columns.values()
    )


def remember(column: Column, account: Account) -> dict[str, Any]:
    """What a further file must know of a column; of dates the day that they count from."""
    days = [u for u in account.encoded.get(column.name, ()) if u.startswith(SINCE)]
    if column.kind != "date" or not days:
        return column.notation
    return {**column.notation, "first": days[0].removeprefix(SINCE)}


def remember_range(name: str, data: TaskSet) -> dict[str, float]:
    """Between what a feature lay in the fit, so that what is far from it is told."""
    if name not in data.feature_names:
        return {}
    values = data.X[:, data.feature_names.index(name)]
    return {"low": float(values.min()), "high": float(values.max())}


def is_plain(record: dict[str, Any]) -> bool:
    """Fractions with points: such a column says by itself how it is written."""
    plain = record.get("kind") == "number" and not record.get("whole") and not record.get("units")
    return plain and record.get("decimal") != "," and not record.get("thousands")


def find_medians(data: TaskSet, account: Account) -> Array:
    """Medians, which stay as they were where they filled cells; of texts the most frequent."""
    values = np.array([np.median(column) for column in data.X.T])
    position = {name: d for d, name in enumerate(data.feature_names)}
    for name, levels in account.encoded.items():
        if name not in position and f"{name}={levels[0]}" in position:
            own = [position[f"{name}={level}"] for level in levels]
            values[own] = np.arange(len(own)) == data.X[:, own].sum(axis=0).argmax()
    return values


def encode_features(
    frame: pd.DataFrame, known: set[Any], reading: Reading, missing: str, case: Case
) -> Array:
    """The features of ``reading``; columns that are neither features nor known are named."""
    case.check_shape(len(frame), len(reading.features))
    X, used = encode_known(frame, reading, missing, case)
    extra = [repr(c) for c in frame.columns if c not in used and c not in known]
    if extra:
        what = "Column" if len(extra) == 1 else f"{len(extra):,} columns"
        verb = "is no feature" if len(extra) == 1 else "are no features"
        case.notes.append(f"{what} {list_names(extra)} {verb} of the model and not used")
    return X


def encode_known(
    frame: pd.DataFrame, reading: Reading, missing: str, case: Case
) -> tuple[Array, set[str]]:
    """The features of ``reading`` from a frame that has them, and the columns they came from."""
    numbers, indicators, parts = match_features(frame, reading, case)
    X = np.empty((len(frame), len(reading.features)))
    for d, name in numbers.items():
        X[:, d] = encode_numbers(frame[name], name, reading, case)
        compare_range(X[:, d], name, reading.columns.get(name, {}), case)
        if reading.medians is not None:
            check_thousands(X[:, d], reading.medians[d], name, case)
    for d, (name, part) in parts.items():
        first = str(reading.columns.get(name, {}).get("first", ""))
        X[:, d] = encode_times(frame[name], name, part, first, case)
    for name, levels in indicators.items():
        fill_indicators(X, frame[name], name, levels, case)
    feature = {name: d for d, name in numbers.items()}
    feature |= {name: d for d, (name, _) in parts.items()}
    feature |= {name: next(iter(levels.values())) for name, levels in indicators.items()}
    holes = {name: int(np.isnan(X[:, d]).sum()) for name, d in feature.items()}
    holes = {name: count for name, count in holes.items() if count}
    if holes:
        fill_holes(X, holes, reading, missing, case)
    return X, set(feature)


def match_features(
    frame: pd.DataFrame, reading: Reading, case: Case
) -> tuple[dict[int, str], dict[str, dict[str, int]], dict[int, tuple[str, str]]]:
    """Features that are columns, columns of text with the feature of each level, parts of dates."""
    columns = set(frame.columns)
    known = {f"{c}: {part}": (c, part) for c in columns for part in PARTS}
    parts: dict[int, tuple[str, str]] = {}
    numbers: dict[int, str] = {}
    indicators: dict[str, dict[str, int]] = {}
    absent: list[str] = []
    for d, feature in enumerate(reading.features):
        if feature in columns:
            numbers[d] = feature
        elif feature in known and knows_part(*known[feature], reading):
            parts[d] = known[feature]
        elif column := find_text_column(feature, columns):
            indicators.setdefault(column, {})[feature[len(column) + 1 :]] = d
        else:
            absent.append(repr(feature))
    if absent:
        what, them = ("feature", "it") if len(absent) == 1 else (f"{len(absent)} features", "them")
        lacks = f"lacks the {what} {list_names(absent)} that the model was fitted on"
        raise case.fault(lacks, f"add {them}")
    return numbers, indicators, parts


def knows_part(column: str, part: str, reading: Reading) -> bool:
    """Days count from the first, which only the fitted file knows."""
    return part != "days" or "first" in reading.columns.get(column, {})


def find_text_column(feature: str, columns: set[str]) -> str | None:
    """The column of which ``column=level`` is a level; either may hold more equals signs."""
    parts = feature.split("=")
    beginnings = ("=".join(parts[:n]) for n in range(1, len(parts)))
    return next((column for column in beginnings if column in columns), None)


def encode_numbers(column: pd.Series, name: str, reading: Reading, case: Case) -> Array:
    if column.isna().all():
        return np.full(len(column), np.nan)
    if name in reading.dates:
        since = reading.dates[name]
        return encode_times(column, name, since if since in (SPANS, HOURS) else "days", since, case)
    values = None if column.dtype.kind in "Mm" else measure(column, name, case)
    if values is None:
        texts = pd.to_numeric(column.astype(object), errors="coerce").isna() & column.notna()
        shown = str(column[texts].iloc[0] if texts.any() else column.dtype)[:40]
        what = f"has {shown!r} in column {name!r}, where the model was fitted on numbers"
        raise case.fault(what, "correct such cells")
    check_no_infinity(values, name, case)
    return values


def compare_range(values: Array, name: str, record: dict[str, Any], case: Case) -> None:
    """What lies far from all that the model has seen is told: a mark, a code or another unit."""
    low, high = record.get("low", -np.inf), record.get("high", np.inf)
    far = values[(values < low - (high - low) / 2) | (values > high + (high - low) / 2)]
    if far.size:
        seen = f"where the model was fitted on {low:g} to {high:g}"
        case.notes.append(f"Column {name!r} has {far[0]:g} ({counted(far.size, 'row')}), {seen}")


def check_thousands(values: Array, median: float, name: str, case: Case) -> None:
    """43.113 for all that used to be 43113: a sign was read as it was not meant."""
    present = values[np.isfinite(values)]
    if present.size == 0 or not is_thousandth(np.median(present), median):
        return
    if (present % 1).any() and np.allclose(present * 1000, np.round(present * 1000), rtol=0):
        what = f"has {present[present % 1 > 0][0]:g} in column {name!r}, where the model was fitted"
        remedy = "write it as there, or ", Setting("thousands", ".", "pass {}")
        raise case.fault(f"{what} on numbers such as {median:g}", remedy)


def is_thousandth(value: float, of: float) -> bool:
    return value != 0 and 200 < of / value < 5000


def encode_times(times: pd.Series, name: str, part: str, first: str, case: Case) -> Array:
    """A part of dates, days since the ``first``; or spans of time as hours or days."""
    kind, called = ("m", "spans of time") if part in (SPANS, HOURS) else ("M", "dates")
    if times.isna().all():
        return np.full(len(times), np.nan)
    if times.dtype.kind != kind:
        raise case.fault(f"has no {called} in column {name!r}", "save them as such")
    return take_part(times, part, first) if kind == "M" else measure_spans(times, part == HOURS)


def fill_indicators(
    X: Array, column: pd.Series, name: str, levels: dict[str, int], case: Case
) -> None:
    """1 in the feature of each row's level, 0 in those of the others, NaN where it has none."""
    codes, found = pd.factorize(column)
    texts = [str(level) for level in found]
    # whole numbers among texts come back as 1.0 from a file that has nothing else but holes
    texts = [text if text in levels else text.removesuffix(".0") for text in texts]
    unknown = [repr(text[:40]) for text in texts if text not in levels]
    if unknown:
        known = f"where the model was fitted on {list_names([repr(level) for level in levels])}"
        what = f"has {list_names(unknown)} in column {name!r}, {known}"
        raise case.fault(what, "correct or leave out such rows")
    X[:, list(levels.values())] = np.where(codes < 0, np.nan, 0.0)[:, None]
    feature = np.array([levels[text] for text in texts], dtype=np.int64)
    rows = np.flatnonzero(codes >= 0)
    X[rows, feature[codes[rows]]] = 1.0


def fill_holes(X: Array, holes: dict[str, int], reading: Reading, missing: str, case: Case) -> None:
    if missing == "error":
        raise missing_fault(holes, case)
    if reading.medians is None:
        raise missing_fault(holes, case, "fill them, as the model knows no medians")
    X[:] = np.where(np.isnan(X), reading.medians, X)
    case.notes.append(
        f"{count_filled(holes)} filled with the medians, or the most frequent texts, of the data "
        "that the model was fitted on"
    )
