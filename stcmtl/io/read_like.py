"""A further file for what was fitted on an earlier one: the same features, whatever their order.

``read`` works out what a file holds. Here that is known: columns are found by name, texts and
dates are encoded as they were before, and what does not fit is said.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array, TaskSet
from stcmtl.io.account import Account, Case, describe_dropped, quote
from stcmtl.io.arrays import Value
from stcmtl.io.cells.columns import check_columns, tell_columns
from stcmtl.io.encode_like import Reading, encode_features, encode_known, find_origin
from stcmtl.io.guess import guess_task, label_tasks, rank_tasks
from stcmtl.io.layouts import TASK_NAMES, Y_NAMES, take_arrays
from stcmtl.io.limits import Limits
from stcmtl.io.many import FILES, TASK, find_task, name_tasks_by_file, stack_tables
from stcmtl.io.names import names_tasks, weigh_target_name
from stcmtl.io.parsing import HOW, How
from stcmtl.io.reading import (
    DEFAULT_LIMITS,
    Opened,
    check_weight,
    drop_without_target,
    find_targets,
    finish,
    open_source,
    take_rows,
)
from stcmtl.io.tables import Asked, check_has_rows, check_there
from stcmtl.io.targets import find_known_target
from stcmtl.io.weights import tell_weight


@dataclass(frozen=True, eq=False)
class FurtherRows:
    """Rows of a further file, with targets and task labels only where it has them.

    ``frame`` are the columns as they stand, without the target.
    """

    name: str
    frame: pd.DataFrame
    X: Array
    y: NDArray[Any] | None
    tasks: NDArray[Any] | None
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> NDArray[Any]:
        """A task per row: a table that names none is one task, called after its file."""
        return np.repeat(self.name, len(self.X)) if self.tasks is None else self.tasks


def read_tasks_like(
    source: Any,
    reading: Reading,
    *,
    task: str | None = None,
    target: str | list[str] | None = None,
    weight: str | None = None,
    missing: str = "error",
    how: How = HOW,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[TaskSet, Account]:
    """As ``read``, with the features and labels of ``reading``, and its weight if that is here."""
    opened = open_source(source, reading.ask(how), limits, known=reading.columns)
    case = opened.case.copy()
    # the columns of a table are no names for arrays
    unlike = not opened.tables and "layout" in reading.understood
    known = {} if unlike else reading.understood
    asked = Asked(task or known.get("task"), target or known.get("target"), known.get("layout"))
    asked = replace(asked, weight=weight or find_weight(opened, reading, case))
    rows = drop_without_target(take_rows(opened, asked, case), case)
    used = [*find_used(rows.names, reading), *([asked.weight] if asked.weight else [])]
    check_columns(opened.columns, used, find_targets(rows), case)
    check_weight(rows, asked, case, "column" if opened.tables else "array")
    each_label = bool(reading.understood.get("each_label"))
    labels = find_known_target(rows, reading.classes, each_label, case)
    X = encode_features(rows.features[rows.names], set(), reading, missing, case)
    data, account = finish(rows, labels, X, reading.features, opened, case)
    return data, tell_weight(account, asked.weight)


def read_rows_like(
    source: Any,
    reading: Reading,
    *,
    task: str | None = None,
    missing: str = "error",
    how: How = HOW,
    limits: Limits = DEFAULT_LIMITS,
) -> FurtherRows:
    """Rows to predict, which need no target; a task each, unless ``reading`` is of a wide table."""
    opened = open_source(source, reading.ask(how), limits, known=reading.columns)
    case, tables = opened.case.copy(), opened.tables
    known_task = task or reading.understood.get("task")
    tasks: NDArray[Any] | None
    if not tables:
        values = opened.parsed.arrays
        task = known_task if known_task in values else task
        rows = take_arrays(add_target(values, task), Asked(task), case)
        frame, tasks = rows.features[rows.names], rows.tasks
    elif len(tables) > 1 or (reading.understood.get("layout") == FILES and task is None):
        frame = stack_tables(tables, case)
        task = find_task(frame, known_task)
        check_there(task, list(frame.columns), case)
        tasks = label_tasks(frame[task], case)
    else:
        frame, first = tables[0].frame, case.of(tables[0].name)
        check_has_rows(frame, first)
        task = find_task_column(frame, known_task, reading, first)
        tasks = None if task is None else label_tasks(frame[task], first)
    target = reading.understood.get("target") or ()
    weight = reading.understood.get("weight")
    known = {TASK, task, weight, *([target] if isinstance(target, str) else target)}
    used = find_used(list(frame.columns), reading)
    check_columns(opened.columns, used, (), case)
    X = encode_features(frame, known, reading, missing, case)
    tell_columns(opened.columns, [*used, task], case)
    notes = (*case.guessed, *describe_dropped(case.dropped), *case.notes)
    return FurtherRows(case.name, frame, X, None, tasks, notes)


def read_tables_like(
    source: Any,
    reading: Reading,
    *,
    missing: str = "error",
    how: How = HOW,
    limits: Limits = DEFAULT_LIMITS,
    bounded: bool = False,
) -> FurtherRows:
    """Rows of every table, whether or not it says their tasks and targets.

    Both may be called as in the first file or by a usual name. Of several files each is a task.
    Arrays seldom name their features: these must be as many, in the same order.
    """
    opened = open_source(source, reading.ask(how), limits, bounded, known=reading.columns)
    case = opened.case.copy()
    if not opened.tables:
        data, _ = opened.take(Asked())
        if len(data.feature_names) != len(reading.features):
            what = f"has {len(data.feature_names)} features"
            wanted = f"give it the {len(reading.features)} of the fit, in the same order"
            raise case.fault(what, wanted)
        frame = pd.DataFrame(data.X, columns=list(reading.features))
        return FurtherRows(case.name, frame, data.X, data.y, data.tasks)
    names = name_tasks_by_file([table.name for table in opened.tables])
    several = len(names) > 1
    case = case.aside(case.name if several else str(names[0]))
    for table in opened.tables:
        check_columns(table.columns, find_used(list(table.frame.columns), reading), (), case)
    frame = pd.concat([table.frame for table in opened.tables], ignore_index=True)
    X, used = encode_known(frame, reading, missing, case)
    weight = reading.understood.get("weight")
    others = [column for column in frame.columns if column not in used and column != weight]
    called = [column for column in others if names_tasks(column) not in ("", "id")]
    task = find_column(reading.understood.get("task"), others, called)
    aims = [column for column in others if weigh_target_name(column) > 0]
    aims = sorted(aims, key=weigh_target_name, reverse=True)
    target = find_column(reading.understood.get("target"), others, aims)
    tasks = np.repeat(names, [len(table.frame) for table in opened.tables]) if several else None
    if task is not None:
        tasks = label_tasks(frame[task], case)
    y = None if target is None or frame[target].isna().all() else frame[target].to_numpy()
    rest = frame if target is None else frame.drop(columns=target)
    return FurtherRows(case.name, rest, X, y, tasks)


def find_used(columns: list[str], reading: Reading) -> list[str]:
    there = set(columns)
    made = {find_origin(feature, there, reading)[0] for feature in reading.features}
    return [column for column in columns if column in made]


def find_weight(opened: Opened, reading: Reading, case: Case) -> str | None:
    """By what rows of the earlier file count, where rows of this one can; it is said if not."""
    known = reading.understood.get("weight")
    if not isinstance(known, str):
        return None
    tables = opened.tables
    if tables and all(known in table.frame.columns for table in tables):
        return known
    if not tables and known in opened.parsed.arrays:
        return known
    kind = "column" if tables else "array"
    case.notes.append(f"There is no {kind} {quote(known)} to count rows by: all count alike")
    return None


def find_column(known: Any, columns: list[str], by_name: list[str]) -> str | None:
    return known if isinstance(known, str) and known in columns else next(iter(by_name), None)


def find_task_column(
    frame: pd.DataFrame, task: str | None, reading: Reading, case: Case
) -> str | None:
    """As asked, as in the earlier file, or guessed among what is no feature."""
    if task is None and reading.understood.get("layout") == "wide":
        return None
    columns = list(frame.columns)
    if task is not None:
        check_there(task, columns, case)
        return task
    used = find_used(columns, reading)
    others = [c for c in columns if c not in used and c != reading.understood.get("weight")]
    return guess_task(rank_tasks(frame, others), others, case)


def add_target(values: dict[str, Value], task: str | None) -> dict[str, Value]:
    """Stacked rows with a task label each, and no target: one that nobody will look at."""
    lower = {name.lower(): name for name in values}
    names = [task] if task else [lower[name] for name in TASK_NAMES if name in lower]
    labels = values.get(names[0]) if names else None
    if lower.keys() & set(Y_NAMES) or not isinstance(labels, np.ndarray):
        return values
    return {**values, "y": np.zeros(labels.size)}
