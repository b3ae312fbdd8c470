"""Cells as libraries give them, in the few kinds that everybody downstream knows.

A column is int64, uint64, float64, bool, datetime64, timedelta64, text, a category of texts; or,
where cells differ or are of no such kind (times of day, truth values with holes), objects that are
plain texts, numbers, truth values, dates, times and spans, and None.
"""

import datetime
import math
import sys
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.io.account import Case, quote

LONGEST = 100_000  # letters of a cell
NO_NAME = 500  # letters from which on a text names no task and no level
MOST_LETTERS = 16 * 2**20  # of such texts in a table, which are of no use to anybody
LARGEST = int(sys.float_info.max)  # a whole number beyond is infinite, as 1e999 is
DATES = (datetime.datetime, datetime.date)


def settle_frame(frame: pd.DataFrame, case: Case) -> pd.DataFrame:
    """The frame, which is changed, with columns of these kinds, each of a name of its own."""
    frame.columns = pd.Index([str(name) for name in frame.columns], dtype="str")
    check_distinct(list(frame.columns), case)
    for place, dtype in enumerate(frame.dtypes):
        if not is_settled(dtype):
            frame.isetitem(place, settle_column(frame.iloc[:, place]))
    return frame


def is_settled(dtype: Any) -> bool:
    if isinstance(dtype, np.dtype):
        return dtype.kind in "bmM" or dtype in (np.int64, np.uint64, np.float64)
    return isinstance(dtype, pd.StringDtype) and dtype.na_value is np.nan


def settle_column(column: pd.Series) -> pd.Series:
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        words = is_settled(dtype.categories.dtype) and dtype.categories.dtype.kind == "O"
        return column if words else settle_column(column.astype(dtype.categories.dtype))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return column.dt.tz_localize(None)  # as a clock there showed it
    if dtype.kind in "iuf" and not column.hasnans:
        return column.astype(np.float64 if dtype.kind == "f" else np.int64)
    if dtype.kind in "iuf":
        return pd.Series(column.to_numpy(np.float64, na_value=np.nan), name=column.name)
    return settle_objects(column.astype(object))


def settle_objects(column: pd.Series) -> pd.Series:
    cells = [
        None if missing else simplify(cell)
        for cell, missing in zip(column, column.isna(), strict=True)
    ]
    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds <= {int, float}:
        return pd.Series(pd.to_numeric(pd.Series(cells, dtype=object)).to_numpy())
    if kinds == {str}:
        return pd.Series(cells, dtype="str")
    if kinds <= {*DATES}:
        return pd.Series(np.array(cells, "datetime64[us]"))
    if kinds == {datetime.timedelta}:
        return pd.Series(np.array(cells, "timedelta64[us]"))
    whole = kinds == {bool} and None not in cells
    return pd.Series(cells, dtype=bool if whole else object)


def simplify(cell: Any) -> Any:
    """A cell as a plain object of Python; what is no cell as the text that it prints as."""
    if isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) > LARGEST:
        return math.inf if cell > 0 else -math.inf
    if isinstance(cell, (str, bool, int, float, *DATES, datetime.time, datetime.timedelta)):
        return cell.to_pydatetime() if isinstance(cell, pd.Timestamp) else cell
    if isinstance(cell, np.generic):
        return cell.item()
    if isinstance(cell, Decimal):
        return float(cell)
    return cell.decode(errors="replace") if isinstance(cell, bytes) else str(cell)


def check_texts(frame: pd.DataFrame, case: Case) -> pd.DataFrame:
    """The frame, if its texts are no longer than anybody has a use for."""
    letters = 0
    for name, column in frame.items():
        if column.dtype.kind not in "biufMm":
            letters += count_letters(column, case)
        if letters > MOST_LETTERS:
            what = f"has long texts of {letters:,} letters in all up to column {quote(name)}"
            raise case.fault(what, "leave such columns out, or shorten their cells")
    return frame


def count_letters(column: pd.Series, case: Case) -> int:
    """Of texts that are too long to name anything; none may be longer still."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = pd.Series(column.cat.categories, name=column.name)
    if isinstance(column.dtype, pd.StringDtype):
        lengths = column.str.len().to_numpy(np.float64, na_value=0.0)
    else:
        lengths = np.array([len(cell) for cell in column if isinstance(cell, str)], np.float64)
    if lengths.max(initial=0.0) > LONGEST:
        what = f"has a cell of {int(lengths.max()):,} letters in column {quote(column.name)}"
        raise case.fault(what, "leave that column out, or shorten its cells")
    return int(lengths[lengths > NO_NAME].sum())


def check_distinct(names: list[str], case: Case) -> None:
    twice = [text for text, count in Counter(names).items() if count > 1]
    if twice:
        raise case.fault(f"has more than one column named {quote(twice[0])}", "rename one of them")
