"""A further file for what was fitted on an earlier one: the same features, whatever their order.

``read`` works out what a file holds. Here that is known: columns are found by name, texts and
dates are encoded as they were before, and what does not fit is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array, TaskSet
from stcmtl.io.account import Account, Findings, left_out, listed
from stcmtl.io.bundles import TASK_NAMES, Y_NAMES, rows_of_arrays
from stcmtl.io.columns import guess_task, task_labels
from stcmtl.io.known import Reading, known_matrix, known_target, text_column
from stcmtl.io.limits import Limits
from stcmtl.io.many import FILES, TASK, stacked_files, task_among
from stcmtl.io.reading import (
    ARRAYS,
    DEFAULT_LIMITS,
    opened,
    read_table,
    table_reader,
    title,
    told,
    understood,
    unpacked,
    with_targets,
)
from stcmtl.io.sniffing import kind_of
from stcmtl.io.sources import File, files_of
from stcmtl.io.tables import check_has_rows, check_there
from stcmtl.io.values import Value


@dataclass(frozen=True, eq=False)
class FurtherRows:
    """Rows to predict: features, a task label each, and what was noticed.

    ``tasks`` is None where rows have no task of their own: a wide table, one design for all.
    """

    X: Array
    tasks: NDArray[Any] | None
    notes: tuple[str, ...]


def read_rows(
    source: Any,
    reading: Reading,
    *,
    task: str | None = None,
    missing: str = "error",
    limits: Limits = DEFAULT_LIMITS,
) -> FurtherRows:
    """Rows of a file that need not have a target, with the features of ``reading``."""
    findings = Findings()
    files, kinds, _ = unpacked(files_of(source, limits), limits, findings)
    known_task = task or reading.understood.get("task")
    tasks: NDArray[Any] | None
    if len(files) > 1 or (reading.understood.get("layout") == FILES and task is None):
        frame, _ = stacked_files(files, table_reader(files, kinds, limits, findings), limits)
        task = task_among(frame, known_task)
        check_there(title(files), task, list(frame.columns))
        tasks = task_labels(frame[task], title(files), findings)
    elif kinds[0] in ARRAYS:
        values = ARRAYS[kinds[0]](files[0], limits)
        task = known_task if known_task in values else task
        values = with_a_target(values, task)
        rows = rows_of_arrays(values, files[0].name, task, None, limits, findings)
        frame, tasks = rows.features[rows.names], rows.tasks
    else:
        frame = read_table(files[0], kinds[0], limits, findings)
        check_has_rows(frame, files[0].name)
        task = task_column(frame, files[0], known_task, reading, findings)
        tasks = None if task is None else task_labels(frame[task], files[0].name, findings)
    target = reading.understood.get("target") or ()
    known = {TASK, task, *([target] if isinstance(target, str) else target)}
    X = features_of(frame, known, reading, title(files), missing, limits, findings)
    notes = (*findings.guessed, *left_out(findings.dropped), *findings.notes)
    return FurtherRows(X, tasks, notes)


def read_further(
    source: Any,
    reading: Reading,
    *,
    task: str | None = None,
    target: str | list[str] | None = None,
    missing: str = "error",
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[TaskSet, Account]:
    """As ``read``, with the features and the labels of ``reading``."""
    findings = Findings()
    files = files_of(source, limits)
    asked = {"task": task, "target": target}
    options = options_for(files, asked, reading, limits)
    rows, kind = understood(files, **options, limits=limits, findings=findings)
    name = title(files)
    rows = with_targets(rows, name, findings)
    labels = known_target(rows.y, rows.tasks, rows.target, name, reading, findings)
    X = features_of(rows.features[rows.names], set(), reading, name, missing, limits, findings)
    return told(rows, labels, X, reading.features, kind, files, limits, findings)


def options_for(
    files: list[File], asked: dict[str, Any], reading: Reading, limits: Limits
) -> dict[str, Any]:
    """As asked, else as in the earlier file; the columns of a table are no names for arrays."""
    arrays = len(files) == 1 and kind_of(opened(files[0], limits), limits) in ARRAYS
    known = {} if arrays and "layout" in reading.understood else reading.understood
    return {name: asked.get(name) or known.get(name) for name in ("task", "target", "layout")}


def task_column(
    frame: pd.DataFrame, file: File, task: str | None, reading: Reading, findings: Findings
) -> str | None:
    """As asked, as in the earlier file, or guessed among what is no feature."""
    if task is None and reading.understood.get("layout") == "wide":
        return None
    columns = list(frame.columns)
    if task is not None:
        check_there(file.name, task, columns)
        return task
    used = {text_column(feature, set(columns)) for feature in reading.features}
    others = [c for c in columns if c not in reading.features and c not in used]
    return guess_task(frame, file.name, others, findings)


def with_a_target(values: dict[str, Value], task: str | None) -> dict[str, Value]:
    """Stacked rows with a task label each, and no target: one that nobody will look at."""
    lower = {name.lower(): name for name in values}
    names = [task] if task else [lower[name] for name in TASK_NAMES if name in lower]
    labels = values.get(names[0]) if names else None
    if lower.keys() & set(Y_NAMES) or not isinstance(labels, np.ndarray):
        return values
    return {**values, "y": np.zeros(labels.size)}


def features_of(
    frame: pd.DataFrame,
    known: set[Any],
    reading: Reading,
    name: str,
    missing: str,
    limits: Limits,
    findings: Findings,
) -> Array:
    limits.check_shape(name, len(frame), len(reading.features))
    X, used = known_matrix(frame, reading, name, missing, findings)
    extra = tuple(repr(c) for c in frame.columns if c not in used and c not in known)
    if extra:
        what = "Column" if len(extra) == 1 else f"{len(extra):,} columns"
        verb = "is no feature" if len(extra) == 1 else "are no features"
        findings.notes.append(f"{what} {listed(extra)} {verb} of the model and not used")
    return X
