"""The different texts of a column: labels, or numbers and dates that were written as text."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.io.limits import fault

LONGEST = 500  # characters of a text that names something
MOSTLY = 0.8  # share of numbers from which a column of texts is a column of numbers with slips
UNIT = re.compile(r"^[$€£]\s*|\s*[%€]$")  # 12 % is read as 12
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?")
DAY = np.timedelta64(1, "D")
SINCE = "days since "


def check_not_long(levels: list[str], column: str, file: str) -> None:
    if max(map(len, levels), default=0) > LONGEST:
        raise fault(
            file,
            f"has texts of more than {LONGEST} characters in column {column!r}",
            "shorten them, or leave the column out",
        )


def numbers_of(levels: list[str], what: str, file: str) -> Array | None:
    """The numbers that texts spell, None for words; a slip among numbers is named."""
    bare = pd.Series([UNIT.sub("", level) for level in levels], dtype=object)
    numbers = pd.to_numeric(bare, errors="coerce").to_numpy(np.float64)
    words = np.isnan(numbers)
    if not words.any():
        return numbers
    if len(levels) > 2 and words.sum() <= (1 - MOSTLY) * len(levels):
        raise fault(
            file,
            f"has numbers in {what} but also {levels[int(np.argmax(words))][:40]!r}",
            "correct such cells, or empty them",
        )
    return None


def dates_of(levels: list[str]) -> pd.Series | None:
    """The dates that texts such as 2024-12-31 spell, None for anything else."""
    if not all(DATE.fullmatch(level) for level in levels):
        return None
    dates = pd.to_datetime(pd.Series(levels), format="ISO8601", errors="coerce")
    return None if dates.isna().any() else dates


def in_days(spans: pd.Series) -> Array:
    return (spans / DAY).to_numpy(np.float64, na_value=np.nan)


def taken(values: NDArray[np.float64], codes: NDArray[np.int64]) -> Array:
    """The value of every row's level, NaN where it has none."""
    return np.where(codes < 0, np.nan, values[codes])
