"""Columns of dates, times of day and spans of time: what they are, and how they were written."""

import datetime
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.errors import Setting
from stcmtl.io.account import Column, Doubt, Fault, quote
from stcmtl.io.cells.columns import (
    MOSTLY,
    Cells,
    describe_empty,
    show_first,
    tell_marks,
    tell_slip,
)
from stcmtl.io.cells.dates import CLOCK, ORDERS, Dates, Times, make_clock, read_dates
from stcmtl.io.cells.levels import keep_as_text
from stcmtl.io.cells.signs import Context
from stcmtl.io.parsing import How

TIME = re.compile(CLOCK)
SPAN = re.compile(r"(?P<H>\d{1,4}):(?P<M>\d{2}):(?P<S>\d{2}(?:\.\d{1,9})?)")
FIRST_YEAR, LAST_YEAR = 1900, 2100  # of dates that are written as one number
ENOUGH = 3  # different numbers that are all dates by chance in one of 10,000 files
ENOUGH_MONTHS = 12
DATE_NAMES = re.compile(
    r"(?i)date|datum|^day$|tag$|time|fecha|jour|dato|month|monat|mois|period|ym"
)
NO_DAYS = np.array(["9999-12-31", "2999-12-31", "1900-01-01", "0001-01-01"], "datetime64[us]")
FAR = np.timedelta64(50 * 365, "D")
BECOMES = {"time": "hours", "span": "days", "parts": "year, season and days", "days": "days"}


def split_words(dates: str | None) -> list[str]:
    """The words of dates="day first, days": an order, and what becomes of them."""
    return [word.strip() for word in (dates or "").split(",") if word.strip()]


def describe_times(
    column: pd.Series, cells: Cells, kind: str, notation: dict[str, Any], how: How
) -> Column:
    n_missing = int(column.isna().sum())
    if n_missing == len(column):
        return describe_empty(cells.name, n_missing)
    use = next((word for word in split_words(how.dates) if word not in ORDERS), "parts")
    becomes = BECOMES.get(use if kind == "date" else kind, "left out: dates, as asked")
    record = {"kind": kind, **notation, **({"use": use} if kind == "date" else {})}
    example, said = next(iter(cells.texts), show_first(column)), tell_marks(cells.name, cells.marks)
    return Column(cells.name, kind, example, n_missing, becomes, record, said=said)


def try_dates(cells: Cells, context: Context) -> tuple[Column, pd.Series] | None:
    if cells.like.get("kind") == "number":
        return None
    typed = pd.Series(map(to_date, cells.typed.values()), dtype="datetime64[us]")
    if typed.isna().any():
        return None
    dates: Dates | None = Dates(np.empty(0, "datetime64[us]"))
    if cells.texts:
        said = [ORDERS[word] for word in split_words(context.how.dates) if word in ORDERS]
        order = said[0] if said else recall_order(cells, context)
        dates = read_dates(cells.texts, order, "" if cells.like else context.date_order)
    if dates is None:
        return None
    wrong = [t for t, bad in zip(cells.texts, np.isnat(dates.values), strict=True) if bad]
    fault = dates.fault
    if fault is None and wrong:
        if len(cells.texts) <= 2:
            return None
        fault = tell_slip(wrong, "dates")
    elif fault is None and cells.typed and dates.order:
        # a spreadsheet took some for dates, maybe in the wrong order
        after = f" as dates and {quote(cells.texts[0])} as text"
        fault = Fault("has cells in", after, "make all of them dates, or all of them text")
    if fault is not None:
        return keep_as_text(cells, fault, context)
    times = cells.spread(typed.to_numpy(), dates.values)
    notation = {}
    if dates.order:
        notation = {"order": dates.order, "sign": dates.sign}
        notation["delimiter"] = context.delimiter
    column = describe_times(times, cells, "date", notation, context.how)
    doubt = dates.doubt or find_far_day(cells.texts, dates.values)
    doubt = (f"In column {quote(cells.name)} ", *doubt) if doubt else ()
    return replace(column, doubt=doubt), times


def find_far_day(texts: list[str], days: Times) -> Doubt:
    """A remark on 9999-12-31 and the like, far from all other dates."""
    for sentinel in (days == day for day in NO_DAYS):
        others = days[~sentinel]
        if sentinel.any() and len(others) > 1:
            mark, day = texts[int(sentinel.argmax())], days[sentinel][0]
            if min(abs(others.min() - day), abs(others.max() - day)) > FAR:
                what = f"{quote(mark)} is far from the rest; if it means missing, "
                return what, Setting("missing_marks", [mark], "pass {}")
    return ()


def to_date(level: Any) -> Any:
    if isinstance(level, (pd.Timestamp, datetime.datetime, datetime.date)):
        return pd.Timestamp(level).tz_localize(None)
    return pd.NaT


def recall_order(cells: Cells, context: Context) -> str:
    """The order of an earlier file that was written alike: 05/03 may differ from 05.03."""
    alike = cells.like.get("delimiter", "") == context.delimiter
    known = any(sign in cells.texts[0] for sign in cells.like.get("sign", ""))
    return str(cells.like.get("order", "")) if alike and known else ""


def try_times(cells: Cells, context: Context) -> tuple[Column, pd.Series] | None:
    """Times of day, or spans such as 36:15:00, as a length of time."""
    typed = [to_span(level) for level in cells.typed.values()]
    if cells.like.get("kind") == "number" or None in typed:
        return None
    seconds = np.array([count_seconds(text) for text in cells.texts], dtype=np.float64)
    wrong = [t for t, bad in zip(cells.texts, np.isnan(seconds), strict=True) if bad]
    if len(cells.texts) - len(wrong) < MOSTLY * len(cells.texts):
        return None
    if wrong:
        return keep_as_text(cells, tell_slip(wrong, "times"), context)
    texts = np.round(seconds * 1e6).astype("timedelta64[us]")
    values = cells.spread(np.array(typed, dtype=texts.dtype), texts)
    long = values.max() >= pd.Timedelta(1, "D") or values.min() < pd.Timedelta(0)
    return describe_times(values, cells, "span" if long else "time", {}, context.how), values


def to_span(level: Any) -> Any:
    if isinstance(level, datetime.time):
        seconds = 3600 * level.hour + 60 * level.minute + level.second
        return datetime.timedelta(seconds=seconds, microseconds=level.microsecond)
    return level if isinstance(level, datetime.timedelta) else None


def count_seconds(text: str) -> float:
    """Of a time of day since midnight, or of a span; NaN of anything else."""
    match = TIME.fullmatch(text) or SPAN.fullmatch(text)
    if match is None:
        return np.nan
    part = {key: value for key, value in match.groupdict().items() if value}
    try:
        return make_clock(part)[0]
    except ValueError:
        span = "S" in part and int(part["M"]) < 60 and "half" not in part
        hours, minutes = int(part["H"]), int(part["M"])
        return 3600 * hours + 60 * minutes + float(part["S"]) if span else np.nan


def try_number_dates(column: pd.Series, cells: Cells, how: How) -> tuple[Column, pd.Series] | None:
    """Dates of whole numbers such as 20210305, if they are many, or called so."""
    head = column.to_numpy()[:1000].astype(np.float64)
    low, high = np.fmin.reduce(head, initial=np.inf), np.fmax.reduce(head, initial=0)
    if low < FIRST_YEAR * 100 or high >= (LAST_YEAR + 1) * 10_000 or high == 0:
        return None
    codes, levels = pd.factorize(column)
    dates, sure = read_numbers_as_dates(np.asarray(levels), cells.name)
    if dates is None or not (sure or cells.like.get("kind") == "date"):
        return None
    times = pd.Series(np.append(dates, np.datetime64("NaT"))[codes])
    said = (f"Column {quote(cells.name)} was read as dates, {levels[0]:.0f} as {dates[0]!s:.10}",)
    found = describe_times(times, cells, "date", {}, how)
    return replace(found, example=f"{levels[0]:.0f}", said=said), times


def read_numbers_as_dates(values: NDArray[Any], name: str) -> tuple[Times | None, bool]:
    """Dates of distinct whole numbers such as 20210305 or 202103, and whether that is sure.

    None where one of them is no date, or where so few could be anything and the name says nothing.
    """
    if len(values) == 0 or values.min() < FIRST_YEAR * 100:
        return None, False
    monthly = bool(values.max() < (LAST_YEAR + 1) * 100)
    days = values.astype(np.int64) * 100 + 1 if monthly else values.astype(np.int64)
    if days.min() < FIRST_YEAR * 10_000 or days.max() >= (LAST_YEAR + 1) * 10_000:
        return None, False
    columns = {"year": days // 10_000, "month": days // 100 % 100, "day": days % 100}
    dates = pd.to_datetime(pd.DataFrame(columns), errors="coerce")
    if dates.isna().any():
        return None, False
    enough = len(values) >= (ENOUGH_MONTHS if monthly else ENOUGH)
    return dates.to_numpy("datetime64[us]"), enough or DATE_NAMES.search(name) is not None


def find_months(column: pd.Series, name: str) -> Doubt:
    """A remark on 3.2021 and 2021.03, which may be months, and on 20210305, which may be a day."""
    head = column.to_numpy()[:1000]
    if head.dtype.kind != "f":
        few = pd.unique(head)
        dates, _ = read_numbers_as_dates(few, name)
        return () if dates is None else (f"{few[0]} looks like a date and was read as a number",)
    head = head[np.isfinite(head)]
    whole, rest = np.floor(head), head - np.floor(head)
    first = are_within(whole, 1, 12) and are_within(rest * 10_000, 1900, 2100)
    last = are_within(whole, 1900, 2100) and are_within(rest * 100, 1, 12)
    if len(head) and (first or last):
        return (f"{head[0]:g} looks like a month and was read as a number",)
    return ()


def are_within(parts: NDArray[np.float64], low: int, high: int) -> bool:
    near = np.round(parts)
    inside = (near >= low) & (near <= high) & (np.abs(parts - near) < 1e-6)
    return bool(inside.all())
