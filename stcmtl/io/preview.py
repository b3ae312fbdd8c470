"""A first look at a file: its columns, its first rows, and which look like task and target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from stcmtl.io.arrays import describe
from stcmtl.io.guess import guess_columns
from stcmtl.io.limits import Limits
from stcmtl.io.reading import (
    ARRAYS,
    DEFAULT_LIMITS,
    open_case,
    read_arrays,
    read_table,
    unpack,
)
from stcmtl.io.sources import list_files
from stcmtl.io.tables import Asked, choose_columns

FIRST_ROWS = 8


@dataclass(frozen=True, eq=False)
class Preview:
    """The first of a source's files, and what ``read`` would guess of it.

    ``targets`` are several where each is a task, none where nothing looks like one. A file of
    arrays has their names for columns and no rows.
    """

    files: tuple[str, ...]
    columns: tuple[str, ...]
    rows: pd.DataFrame
    task: str | None = None
    targets: tuple[str, ...] = ()


def preview(source: Any, *, limits: Limits = DEFAULT_LIMITS) -> Preview:
    """Look at a source that ``read`` takes; a ReadError says what is wrong with it."""
    files = list_files(source, limits)
    case = open_case(files, limits)
    files, (kind, *_), _ = unpack(files, case)
    names = tuple(file.name for file in files)
    if kind in ARRAYS:
        values = read_arrays(files[0], kind, case)
        shapes = {name: [describe({name: value})] for name, value in values.items()}
        return Preview(names, tuple(shapes), pd.DataFrame(shapes)[:0])
    frame = read_table(files[0], kind, case)
    columns = choose_columns(frame, Asked(), case)
    task, targets = guess_columns(frame, columns, case, one_per_file=len(files) > 1)
    return Preview(names, tuple(frame.columns), frame.head(FIRST_ROWS), task, targets)
