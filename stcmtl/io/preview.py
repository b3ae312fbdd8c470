"""A first look at a file: its columns, its first rows, and which look like task and target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from stcmtl.io.arrays import describe
from stcmtl.io.limits import Limits
from stcmtl.io.reading import DEFAULT_LIMITS, open_source

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
    opened = open_source(source, limits=limits)
    if not opened.tables:
        arrays = opened.parsed.arrays
        shapes = {name: [describe({name: value})] for name, value in arrays.items()}
        return Preview(opened.parsed.files, tuple(shapes), pd.DataFrame(shapes)[:0])
    frame, guess = opened.tables[0].frame, opened.guess
    names = tuple(table.name for table in opened.tables)
    first = frame.head(FIRST_ROWS)
    return Preview(names, tuple(frame.columns), first, guess.task, guess.targets)
