"""Cells as libraries give them, in the few kinds that everybody downstream knows.

A column is int64, uint64, float64, bool, datetime64, timedelta64, text, a category of texts; or,
where cells differ or are of no such kind (times of day, truth values with holes), objects that are
plain texts, numbers, truth values, dates, times and spans, and None.
"""

import datetime
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.io.account import Case, quote

LONGEST = 100_000  # letters of a cell
DATES = (datetime.datetime, datetime.date)


def settle_frame(frame: pd.DataFrame, case: Case) -> pd.DataFrame:
    """The frame, which is changed, with columns of these kinds, each of a name of its own."""
    frame.columns = pd.Index([str(name) for name in frame.columns], dtype="str")
    check_distinct(list(frame.columns), case)
    for place, dtype in enumerate(frame.dtypes):
        if not is_settled(dtype):
            frame.isetitem(place, settle_column(frame.iloc[:, place]))
        if dtype.kind not in "biufMm":
            check_lengths(frame.iloc[:, place], case)
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
    if isinstance(cell, (str, bool, int, float, *DATES, datetime.time, datetime.timedelta)):
        return cell.to_pydatetime() if isinstance(cell, pd.Timestamp) else cell
    if isinstance(cell, np.generic):
        return cell.item()
    if isinstance(cell, Decimal):
        return float(cell)
    return cell.decode(errors="replace") if isinstance(cell, bytes) else str(cell)


def check_lengths(column: pd.Series, case: Case) -> None:
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = pd.Series(column.cat.categories, name=column.name)
    if isinstance(column.dtype, pd.StringDtype):
        longest = column.str.len().max()
    else:
        longest = max((len(cell) for cell in column if isinstance(cell, str)), default=0)
    if longest > LONGEST:
        what = f"has a cell of {int(longest):,} letters in column {quote(column.name)}"
        raise case.fault(what, "leave that column out, or shorten its cells")


def check_distinct(names: list[str], case: Case) -> None:
    twice = [text for text, count in Counter(names).items() if count > 1]
    if twice:
        raise case.fault(f"has more than one column named {quote(twice[0])}", "rename one of them")
