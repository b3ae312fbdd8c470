"""Columns of any kind to a matrix of numbers: encoded, complete, and said so.

A ``Recipe`` says what becomes of a column. It is found once, on the file that is fitted, and
followed there and on every further file.
"""

import re
from collections import Counter, deque
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import NUMBER_KINDS, Array, numeric_vector
from stcmtl.errors import Setting, Text
from stcmtl.io.account import Case, Column, list_names, quote
from stcmtl.io.cells.notation import MOST_DIGITS
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
LEFT_OUT = "left out: "
DAY, HOUR = pd.Timedelta(1, "D"), pd.Timedelta(1, "h")

Columns = dict[str, NDArray[Any]]  # of the matrix, by the names of the features


class MissingValuesError(ReadError):
    """Empty cells among the features, which can be filled."""


@dataclass(frozen=True)
class Recipe:
    """What becomes of a column: itself as a number, or a feature for each of its parts.

    ``kind`` is number, date (days since ``first``, or the parts of a date), span (days), time
    (hours) or text (0 and 1 by level).
    """

    kind: str
    parts: tuple[str, ...] = ()
    first: str = ""

    def name_features(self, column: str) -> list[str]:
        sign = "=" if self.kind == "text" else ": "
        return [f"{column}{sign}{part}" for part in self.parts] or [column]

    def tell(self) -> tuple[str, ...]:
        """Levels or units, for the account."""
        if self.kind in ("span", "time"):
            return ("hours",) if self.kind == "time" else ("days",)
        parts = self.parts or (("days",) if self.kind == "date" else ())
        dated = self.kind == "date"
        return tuple(f"{SINCE}{self.first}" if dated and p == "days" else p for p in parts)


def build_matrix(
    frame: pd.DataFrame,
    names: list[str],
    missing: str,
    case: Case,
    known: dict[str, Column],
    wanted: Collection[str],
) -> tuple[Array, tuple[str, ...]]:
    """The columns ``names`` of a frame as one matrix, and the names of its columns.

    ``known`` is what the columns are, as far as it was found out; ``wanted`` are those that were
    asked for, whatever they hold.
    """
    recipes = find_recipes(frame[names], known, wanted, case)
    features = Counter(f for name, recipe in recipes.items() for f in recipe.name_features(name))
    if twice := [name for name, count in features.items() if count > 1]:
        raise case.fault(f"would have two features named {quote(twice[0])}", "rename one")
    if not features:
        raise case.fault("has no column that can be a feature", suggest_features(names, case))
    case.check_shape(len(frame), len(features))
    columns, holes = encode_columns(frame, recipes, case)
    if holes and missing == "error":
        raise missing_fault(holes, case)
    if holes:
        partly = {name: values for name, values in columns.items() if count_holes(values)}
        columns |= fill(partly, find_medians(partly, case.encoded))
        note = f"{count_filled(holes)} filled with the column's median, or its most frequent text"
        case.notes.append(note)
    return stack_columns(list(columns.values()), len(frame)), tuple(columns)


def find_recipes(
    frame: pd.DataFrame, known: dict[str, Column], wanted: Collection[str], case: Case
) -> dict[str, Recipe]:
    recipes = {}
    for name, values in frame.items():
        column = known.get(name) or Column(name, "")
        if is_empty(values):
            case.leave_out(name, "which is empty")
        elif column.becomes.startswith(LEFT_OUT) and name not in wanted:
            leave_out(column, case)
        else:
            recipes[name] = find_recipe(values, column, case)
            if told := recipes[name].tell():
                case.encoded[name] = told
    return recipes


def is_empty(column: pd.Series) -> bool:
    return len(column) > 0 and bool(pd.isna(column.iloc[0])) and bool(column.isna().all())


def leave_out(column: Column, case: Case) -> None:
    why = column.becomes.removeprefix(LEFT_OUT)
    case.leave_out(column.name, why)
    if column.kind == "text":
        take = Setting("features", [column.name], "name it in {}")
        note = f"Column {quote(column.name)} has {why} and was left out: "
        case.advice.append((note, take, " to have a column of 0 and 1 for each"))


def suggest_features(names: list[str], case: Case) -> Text:
    full = [name for name in names if case.left_out.get(name) != "is empty"]
    if not full:
        return "add one with numbers"
    why = f"column {quote(full[0])}, {case.left_out[full[0]]}"
    return f"{why}, was left out; name it in ", Setting("features", [full[0]]), " to use it"


def find_recipe(values: pd.Series, column: Column, case: Case) -> Recipe:
    if values.dtype.kind == "m":
        return Recipe("time" if column.kind == "time" else "span")
    if values.dtype.kind == "M":
        first = f"{values.min():%Y-%m-%d}"  # its midnight: a further file can count from there too
        use = column.notation.get("use", "parts")
        return Recipe("date", () if use == "days" else list_parts(values), first)
    if measure(values) is not None:
        return Recipe("number")
    texts = sorted(str(level) for level in values.dropna().unique())
    check_not_long(texts, column.name, case)
    return Recipe("text", tuple(texts))


def list_parts(dates: pd.Series) -> tuple[str, ...]:
    present = dates.dropna()
    of_year = present.dt.day_of_year.nunique() > 1
    # every 31 December is a day of the season, whether or not the year is a leap year
    seasonal = of_year and present.dt.strftime("%m-%d").nunique() > 1
    varying = {"year": present.dt.year.nunique() > 1, "days": present.nunique() > 1}
    varying |= dict.fromkeys(PARTS[1:3], seasonal)
    return tuple(part for part in PARTS if varying[part]) or ("days",)


def encode_columns(
    frame: pd.DataFrame, recipes: dict[str, Recipe], case: Case
) -> tuple[Columns, dict[str, int]]:
    """All features, and the missing cells of every column that has some."""
    columns: Columns = {}
    holes = {}
    for name, recipe in recipes.items():
        encoded = encode(frame[name], name, recipe, case)
        columns |= dict(zip(recipe.name_features(name), encoded, strict=True))
        if missing := count_holes(encoded[0]):
            holes[name] = missing
    return columns, holes


def encode(values: pd.Series, name: str, recipe: Recipe, case: Case) -> list[NDArray[Any]]:
    """An array per feature, NaN in rows where the column is empty."""
    if is_empty(values):
        return [np.full(len(values), np.nan)] * max(1, len(recipe.parts))
    if recipe.kind == "text":
        return mark_levels(values, name, recipe.parts, case)
    if recipe.kind == "number":
        return [encode_numbers(values, name, case)]
    dated = recipe.kind == "date"
    if values.dtype.kind != ("M" if dated else "m"):
        called = "dates" if dated else "spans of time"
        raise case.fault(f"has no {called} in column {quote(name)}", "save them as such")
    if not dated:
        return [measure_spans(values, HOUR if recipe.kind == "time" else DAY)]
    return [take_part(values, part, recipe.first) for part in recipe.parts or ("days",)]


def mark_levels(
    values: pd.Series, name: str, levels: tuple[str, ...], case: Case
) -> list[NDArray[Any]]:
    """1 for the level of a row, 0 for all others."""
    codes, found = pd.factorize(values)
    place = {level: k for k, level in enumerate(levels)}
    # whole numbers among texts come back as 1.0 from a file that has nothing else but holes
    texts = [text if text in place else text.removesuffix(".0") for text in map(str, found)]
    if unknown := [repr(text[:40]) for text in texts if text not in place]:
        known = f"where the model was fitted on {list_names([repr(level) for level in levels])}"
        what = f"has {list_names(unknown)} in column {quote(name)}, {known}"
        raise case.fault(what, "correct or leave out such rows")
    own = np.array([*(place[text] for text in texts), -1])[codes]
    marked = [own == k for k in range(len(levels))]
    return [np.where(own < 0, np.nan, mark) for mark in marked] if (own < 0).any() else marked


def encode_numbers(column: pd.Series, name: str, case: Case) -> NDArray[Any]:
    values = None if column.dtype.kind in "Mm" else measure(column)
    if values is None:
        texts = pd.to_numeric(column.astype(object), errors="coerce").isna() & column.notna()
        shown = str(column[texts].iloc[0] if texts.any() else column.dtype)[:40]
        what = f"has {quote(shown)} in column {quote(name)}, where the model was fitted on numbers"
        raise case.fault(what, "correct such cells")
    if column.dtype.kind not in NUMBER_KINDS and numeric_vector(column) is None:
        case.notes.append(f"Column {quote(name)} holds numbers as text, and was read as numbers")
    if not np.isfinite(np.add.reduce(values)) and (infinite := int(np.isinf(values).sum())):
        raise case.fault(
            f"has {infinite:,} infinite values in column {quote(name)}", "correct them"
        )
    return values


def measure(column: pd.Series) -> NDArray[Any] | None:
    """Numbers as an array, None for words and categories."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return None
    values = column.to_numpy() if column.dtype.kind in NUMBER_KINDS else None
    if values is None or values.dtype.kind == "O":  # nullable, with its own mark for missing
        values = numeric_vector(column)
    return values if values is not None else measure_digits(column)


def measure_digits(column: pd.Series) -> Array | None:
    """Whole numbers as text, which may name tasks, as numbers; None for codes such as 007."""
    codes, levels = pd.factorize(column)
    texts = [str(level) for level in levels]
    if not texts or not all(DIGITS.fullmatch(text) for text in texts):
        return None
    return np.array([*map(float, texts), np.nan])[codes]


def take_part(dates: pd.Series, part: str, first: str) -> Array:
    if part == "year":
        return dates.dt.year.to_numpy(np.float64, na_value=np.nan)
    if part == "days":
        return measure_spans(dates - pd.Timestamp(first), DAY)
    length = np.where(dates.dt.is_leap_year, 366.0, 365.0)
    angle = 2 * np.pi * (dates.dt.day_of_year.to_numpy(np.float64, na_value=np.nan) - 1) / length
    return np.sin(angle) if part == "season (sine)" else np.cos(angle)


def measure_spans(spans: pd.Series, unit: pd.Timedelta) -> Array:
    return (spans / unit).to_numpy(np.float64, na_value=np.nan)


# Missing cells


def count_holes(values: NDArray[Any]) -> int:
    if values.dtype.kind != "f" or not np.isnan(np.add.reduce(values)):
        return 0
    return int(np.isnan(values).sum())


def missing_fault(holes: dict[str, int], case: Case, remedy: Text = FILL) -> MissingValuesError:
    shown = ", ".join(f"{quote(name)} ({number:,})" for name, number in list(holes.items())[:5])
    more = f" and {len(holes) - 5} more columns" if len(holes) > 5 else ""
    what = "column" if len(holes) == 1 else "columns"
    said = f"has missing values in {what} {shown}{more}"
    return MissingValuesError(said, where=case.name, remedy=remedy)


def count_filled(holes: dict[str, int]) -> str:
    cells = sum(holes.values())
    verb = "was" if cells == 1 else "were"
    return f"{counted(cells, 'missing cell')} in {counted(len(holes), 'column')} {verb}"


def find_medians(
    columns: Mapping[str, NDArray[Any]], encoded: dict[str, tuple[str, ...]]
) -> dict[str, float]:
    """Medians, which stay so where they fill cells; of texts 1 for the first most frequent."""
    medians = {}
    for name, values in columns.items():
        present = values[~np.isnan(values)] if count_holes(values) else values
        medians[name] = float(np.median(present))
    for name, levels in encoded.items():
        own = [f"{name}={level}" for level in levels]
        if own[0] in columns:
            usual = min(own, key=lambda f: (-np.nansum(columns[f]), np.nanargmax(columns[f])))
            medians |= {feature: float(feature == usual) for feature in own}
    return medians


def fill(columns: Columns, medians: Mapping[str, float]) -> Columns:
    return {name: np.where(np.isnan(c), medians[name], c) for name, c in columns.items()}


def stack_columns(columns: list[NDArray[Any]], n_rows: int) -> Array:
    """The columns side by side; with all cores, as most of the time is for new memory."""
    X = np.empty((n_rows, len(columns)))

    def copy(start: int) -> None:
        rows = slice(start, start + ROW_BLOCK)
        for d, column in enumerate(columns):
            X[rows, d] = column[rows]

    if n_rows <= ROW_BLOCK:
        copy(0)
        return X
    with ThreadPoolExecutor() as pool:
        deque(pool.map(copy, range(0, n_rows, ROW_BLOCK)), maxlen=0)
    return X
