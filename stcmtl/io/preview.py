"""A first look at a file: its columns, its first rows, and which look like task and target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from stcmtl.io.account import Findings
from stcmtl.io.columns import SURE, guess_target, guess_task, guess_wide, names_tasks
from stcmtl.io.limits import Limits, ReadError
from stcmtl.io.many import file_tasks
from stcmtl.io.reading import ARRAYS, DEFAULT_LIMITS, read_table, unpacked
from stcmtl.io.sources import files_of
from stcmtl.io.tables import usable_columns
from stcmtl.io.values import described

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
    files, (kind, *_), _ = unpacked(files_of(source, limits), limits, Findings())
    names = tuple(file.name for file in files)
    if kind in ARRAYS:
        values = ARRAYS[kind](files[0], limits)
        shapes = {name: [described({name: value})] for name, value in values.items()}
        return Preview(names, tuple(shapes), pd.DataFrame(shapes)[:0])
    frame = read_table(files[0], kind, limits, Findings())
    columns = usable_columns(frame, set(), Findings())
    task, targets = guesses(frame, columns, one_a_task=len(files) > 1)
    return Preview(names, tuple(frame.columns), frame.head(FIRST_ROWS), task, targets)


def tables(source: Any, *, limits: Limits = DEFAULT_LIMITS) -> dict[Any, pd.DataFrame]:
    """Every table of a source as it stands, by the name that its file gives a task."""
    files, kinds, _ = unpacked(files_of(source, limits), limits, Findings())
    return {
        name: read_table(file, kind, limits, Findings())
        for name, file, kind in zip(file_tasks(files).tolist(), files, kinds, strict=True)
    }


def guesses(
    frame: pd.DataFrame, columns: list[str], one_a_task: bool
) -> tuple[str | None, tuple[str, ...]]:
    """The task column and the target columns, as far as ``read`` would find them."""
    if one_a_task:
        task = next((c for c in columns if names_tasks(c) in SURE), None)
    elif wide := guess_wide(frame, columns):
        return None, tuple(wide)
    else:
        task = found(guess_task, frame, columns)
    target = found(guess_target, frame, [c for c in columns if c != task])
    return task, () if target is None else (target,)


def found(
    guess: Callable[[pd.DataFrame, str, list[str], Findings], str],
    frame: pd.DataFrame,
    columns: list[str],
) -> str | None:
    try:
        return guess(frame, "", columns, Findings())
    except ReadError:
        return None
