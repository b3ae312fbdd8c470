"""Text that a spreadsheet shows and does not run, and the way back.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break may be taken for a
formula, so it gets a leading apostrophe. So does one that has apostrophes before such a sign,
which makes ``plain_text`` the exact inverse of ``safe_text``.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

FORMULA = re.compile(r"'*[=+\-@\t\r\n]")


def safe_text(value: Any) -> Any:
    """A text made safe; anything else, numbers above all, as it is."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def plain_text(value: Any) -> Any:
    """What ``safe_text`` was given."""
    escaped = isinstance(value, str) and value.startswith("'") and FORMULA.match(value)
    return value[1:] if escaped else value


def safe_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy with safe cells and safe column names."""
    copy = frame.copy()
    for i, dtype in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(dtype):
            copy.isetitem(i, frame.iloc[:, i].astype(object).map(safe_text))
    copy.columns = pd.Index([safe_text(name) for name in frame.columns])
    return copy


def plain_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """The way back for the cells of a frame that was read, which is changed."""
    for i, dtype in enumerate(frame.dtypes):
        if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype):
            column = frame.iloc[:, i]
            if any(plain_text(level) is not level for level in column.unique()):
                frame.isetitem(i, column.map(plain_text))
    return frame
