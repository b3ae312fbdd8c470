"""Further files for a fitted model: read like the first, with or without tasks and targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.io.account import Findings
from stcmtl.io.columns import TARGET_NAMES, names_tasks, plain, task_labels
from stcmtl.io.known import Reading, known_matrix
from stcmtl.io.limits import ReadError
from stcmtl.io.preview import tables
from stcmtl.io.reading import read
from stcmtl.studio.state.uploads import LIMITS, Sources, spoken

ARRAYS = (".npz", ".mat")


@dataclass(frozen=True, eq=False)
class Further:
    """Rows of a further file; targets and task labels only where it has them."""

    name: str
    frame: pd.DataFrame
    X: Array
    y: NDArray[Any] | None
    tasks: NDArray[Any] | None


def further_rows(sources: Sources, known: Reading, missing: str = "error") -> Further:
    """Every table of an upload, as rows for a model that was fitted on what ``known`` tells of.

    Features are found by name, texts and dates encoded as before. Task and target may be called
    as in the first file or by a usual name. Of several files each is a task.
    """
    try:
        if sources[0][0].lower().endswith(ARRAYS):
            return from_arrays(sources, known.features)
        found = tables(list(sources), limits=LIMITS)
        parts = [one_table(str(name), frame, known, missing) for name, frame in found.items()]
    except ReadError as error:
        raise ValueError(spoken(error)) from None
    if len(parts) > 1:
        parts = [replace(part, tasks=task_of_rows(part)) for part in parts]
    return Further(
        parts[0].name,
        pd.concat([part.frame for part in parts], ignore_index=True),
        np.concatenate([part.X for part in parts]),
        stacked([part.y for part in parts]),
        stacked([part.tasks for part in parts]),
    )


def one_table(name: str, frame: pd.DataFrame, known: Reading, missing: str) -> Further:
    X, used = known_matrix(frame, known, name, missing, Findings())
    others = [column for column in frame.columns if column not in used]
    first = known.understood
    task = column_for(others, first.get("task"), lambda c: bool(names_tasks(c)))
    target = column_for(others, first.get("target"), lambda c: plain(c) in TARGET_NAMES)
    return Further(
        name,
        frame if target is None else frame.drop(columns=target),
        X,
        None if target is None or frame[target].isna().all() else frame[target].to_numpy(),
        None if task is None else task_labels(frame[task], name, Findings()),
    )


def column_for(columns: list[str], known: Any, by_name: Callable[[str], bool]) -> str | None:
    if isinstance(known, str) and known in columns:
        return known
    return next((column for column in columns if by_name(column)), None)


def from_arrays(sources: Sources, features: tuple[str, ...]) -> Further:
    """Arrays seldom name their features: as many as the fit has, in the same order."""
    data, _ = read(list(sources), limits=LIMITS)
    if len(data.feature_names) != len(features):
        raise ValueError(
            f"{sources[0][0]} has {len(data.feature_names)} features: give it the "
            f"{len(features)} of the fit, in the same order."
        )
    frame = pd.DataFrame(data.X, columns=list(features))
    return Further(sources[0][0], frame, data.X, data.y, data.tasks)


def task_of_rows(rows: Further) -> NDArray[Any]:
    """A label per row: a table without any is one task, named after its file."""
    return np.repeat(rows.name, len(rows.X)) if rows.tasks is None else rows.tasks


def stacked(columns: list[NDArray[Any] | None]) -> NDArray[Any] | None:
    present = [column for column in columns if column is not None]
    return np.concatenate(present) if len(present) == len(columns) else None
