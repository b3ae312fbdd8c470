"""How a file was read, and the columns of a further one encoded as they were there."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from stcmtl.data.taskset import Array, TaskSet
from stcmtl.errors import Setting
from stcmtl.io.account import Account, Case, Column, list_names, quote
from stcmtl.io.cells.columns import Known
from stcmtl.io.cells.dates import ORDERS, USES
from stcmtl.io.features import (
    PARTS,
    SINCE,
    Recipe,
    count_filled,
    encode_columns,
    fill,
    find_medians,
    missing_fault,
    stack_columns,
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
    def of(cls, data: TaskSet, account: Account) -> Self:
        by_name = dict(zip(data.feature_names, data.X.T, strict=True))
        units = {name: to[0] for name, to in account.encoded.items() if name in by_name}
        dates = {
            name: unit.removeprefix(SINCE) if unit.startswith((SINCE, HOURS)) else SPANS
            for name, unit in units.items()
        }
        medians = np.array(list(find_medians(by_name, account.encoded).values()))
        columns = {
            column.name: remember(column, account, by_name.get(column.name))
            for column in account.columns
            if column.notation and not column.becomes.startswith(("left out", "not used"))
        }
        features = tuple(data.feature_names)
        return cls(features, account.classes, account.understood, dates, medians, columns)

    def ask(self, how: How) -> How:
        """How a further file is read: columns whose cells may be in doubt as they stand."""
        texts = {name for name, record in self.columns.items() if not is_plain(record)}
        return replace(how, texts=frozenset(texts))


def remember(column: Column, account: Account, values: Array | None) -> dict[str, Any]:
    """What a further file must know: how it is written, the first day, between what it lay."""
    record = dict(column.notation)
    days = [u for u in account.encoded.get(column.name, ()) if u.startswith(SINCE)]
    if column.kind == "date" and days:
        record["first"] = days[0].removeprefix(SINCE)
    if values is not None:
        record |= {"low": float(values.min()), "high": float(values.max())}
    return record


def is_plain(record: dict[str, Any]) -> bool:
    """Fractions with points: such a column says by itself how it is written."""
    plain = record.get("kind") == "number" and not record.get("whole") and not record.get("units")
    return plain and record.get("decimal") != "," and not record.get("thousands")


# What a record of a column may hold, and nothing else: a model's file may come from anywhere.
RECORD: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("kind", "example", "sign", "delimiter"), lambda value: isinstance(value, str)),
    **dict.fromkeys(
        ("units", "levels"),
        lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    ),
    **dict.fromkeys(("low", "high"), lambda value: isinstance(value, float)),
    "decimal": lambda value: value in ("", ".", ","),
    "thousands": lambda value: isinstance(value, str) and set(value) <= set("., '"),
    "whole": lambda value: isinstance(value, bool),
    "order": lambda value: value in ORDERS.values(),
    "use": lambda value: value in USES,
    "first": lambda value: isinstance(value, str) and DAY.fullmatch(value) is not None,
}


def are_records(columns: Any) -> bool:
    return isinstance(columns, dict) and all(
        isinstance(record, dict)
        and all(key in RECORD and RECORD[key](value) for key, value in record.items())
        for record in columns.values()
    )


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
    recipes = recall_recipes(set(frame.columns), reading, case)
    columns, holes = encode_columns(frame, recipes, case)
    medians = None
    if reading.medians is not None:
        medians = dict(zip(reading.features, reading.medians, strict=True))
    for name in recipes.keys() & columns.keys():
        compare_range(columns[name], name, reading.columns.get(name, {}), case)
        if medians is not None:
            check_thousands(columns[name], medians[name], name, case)
    if holes and missing == "error":
        raise missing_fault(holes, case)
    if holes and medians is None:
        raise missing_fault(holes, case, "fill them, as the model knows no medians")
    if holes and medians is not None:
        columns = fill(columns, medians)
        said = "the medians, or the most frequent texts, of the data that the model was fitted on"
        case.notes.append(f"{count_filled(holes)} filled with {said}")
    return stack_columns([columns[f] for f in reading.features], len(frame)), set(recipes)


def recall_recipes(columns: set[str], reading: Reading, case: Case) -> dict[str, Recipe]:
    """What became of each column of a further file in the first one."""
    kinds: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    absent = []
    for feature in reading.features:
        column, kind, part = find_origin(feature, columns, reading)
        kinds[column] = kind
        if part:
            parts.setdefault(column, []).append(part)
        if not kind:
            absent.append(repr(feature))
    if absent:
        what, them = ("feature", "it") if len(absent) == 1 else (f"{len(absent)} features", "them")
        lacks = f"lacks the {what} {list_names(absent)} that the model was fitted on"
        raise case.fault(lacks, f"add {them}")
    return {
        column: Recipe(kind, tuple(parts.get(column, ())), find_first_day(column, reading))
        for column, kind in kinds.items()
    }


def find_origin(feature: str, columns: set[str], reading: Reading) -> tuple[str, str, str]:
    """The column that a feature is made of, the kind of its recipe, and which part of it.

    In ``column=level`` either may hold more equals signs. All are empty where there is no column.
    """
    if feature in columns:
        since = reading.dates.get(feature)
        kind = "number" if since is None else {SPANS: "span", HOURS: "time"}.get(since, "date")
        return feature, kind, ""
    column, _, part = feature.rpartition(": ")
    if column in columns and part in PARTS and (part != "days" or find_first_day(column, reading)):
        return column, "date", part
    words = feature.split("=")
    for n in range(1, len(words)):
        if (column := "=".join(words[:n])) in columns:
            return column, "text", feature[len(column) + 1 :]
    return "", "", ""


def find_first_day(column: str, reading: Reading) -> str:
    """From which dates count, which only the fitted file knows."""
    return reading.columns.get(column, {}).get("first") or reading.dates.get(column, "")


def compare_range(values: Array, name: str, record: dict[str, Any], case: Case) -> None:
    """What lies far from all that the model has seen is told: a mark, a code or another unit."""
    low, high = record.get("low", -np.inf), record.get("high", np.inf)
    far = values[(values < low - (high - low) / 2) | (values > high + (high - low) / 2)]
    if far.size:
        seen = f"where the model was fitted on {low:.10g} to {high:.10g}"
        case.notes.append(
            f"Column {quote(name)} has {far[0]:.10g} ({counted(far.size, 'row')}), {seen}"
        )


def check_thousands(values: Array, median: float, name: str, case: Case) -> None:
    """43.113 for all that used to be 43113: a sign was read as it was not meant."""
    present = values[np.isfinite(values)]
    middle = np.median(present) if present.size else 0.0
    if middle == 0 or not 200 < median / middle < 5000:
        return
    if (present % 1).any() and np.allclose(present * 1000, np.round(present * 1000), rtol=0):
        part = present[present % 1 > 0][0]
        what = f"has {part:g} in column {quote(name)}, where the model was fitted"
        remedy = "write it as there, or ", Setting("thousands", ".", "pass {}")
        raise case.fault(f"{what} on numbers such as {median:g}", remedy)
