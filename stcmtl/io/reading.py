"""``read``: any multi-task file to a TaskSet and an account of what was understood."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.data.taskset import TASK_TYPES, Array, TaskSet, row_weights
from stcmtl.errors import InputError, Setting, bad_value
from stcmtl.io.account import Account, Case, Column, quote
from stcmtl.io.bounded import parse_bounded
from stcmtl.io.cells.columns import Known, check_columns, conclude_columns, tell_columns
from stcmtl.io.cells.dates import ORDERS, USES
from stcmtl.io.cells.interpret import interpret_all
from stcmtl.io.features import MISSING, build_matrix
from stcmtl.io.guess import Candidate, is_text, rank_tasks
from stcmtl.io.layouts import take_arrays
from stcmtl.io.limits import Limits, ReadError
from stcmtl.io.many import FILES, take_files
from stcmtl.io.names import names_tasks
from stcmtl.io.parsing import HOW, How, Parsed, Table, parse
from stcmtl.io.sources import list_files
from stcmtl.io.tables import (
    LAYOUTS,
    Asked,
    Guess,
    RawTasks,
    check_there,
    find_task_columns,
    leave_totals_out,
    look_at_table,
    take_table,
)
from stcmtl.io.targets import Target, find_target
from stcmtl.io.weights import tell_weight, without_idle_tasks
from stcmtl.phrases import digits

DEFAULT_LIMITS = Limits()


def read(
    source: Any,
    *,
    task: str | None = None,
    target: str | list[str] | None = None,
    layout: str | None = None,
    task_type: str | None = None,
    missing: str = "error",
    features: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] = (),
    weight: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | None = None,
    missing_marks: str | float | Sequence[str | float] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    bounded: bool = False,
) -> tuple[TaskSet, Account]:
    """Read tasks from a file as it is, and say how it was understood.

    Returns a ``TaskSet`` and an ``Account``.

    Parameters
    ----------
    source : a path, a folder or a list of paths (one file per task), or a pair of a name and
        bytes or a file object. CSV, TSV, Excel, Parquet, feather, Stata, SPSS, JSON, R data, zip,
        .npz and .mat files are recognised by their content.
    task, target : columns (or arrays) that hold the task and the target; guessed by default.
        A list of targets means one task for each, with the same features.
    layout : "long" or "wide"; guessed by default.
    task_type : "regression" or "classification"; by default a target with two labels is a
        classification, and the labels stay as they are.
    missing : "error" refuses empty cells among the features; "median" fills them with the
        column's median, or with its most frequent text.
    features : the columns to use as features, and no others. They may include what is left out by
        default, such as a text with many levels.
    exclude : columns to leave out.
    weight : the column of a table, or the array, that says how much each row counts; never guessed.
    decimal, thousands : the signs in numbers, such as "," and "."; detected by default.
    dates : "parts" turns a date into year, season and days since the first date, "days" into days
        only, and "leave out" drops it. "day first", "month first" or "year first" says how dates
        are written, if the file does not show it. Join two of these with a comma.
    missing_marks : texts or numbers that mean missing, such as ["-999", "NA"].
    delimiter, encoding, sheet : of a text file, and of a workbook; detected by default.
    limits : how large the file may be.
    bounded : whether to parse the file in a process of its own, within ``limits.seconds`` and
        ``limits.memory``. Use it for files that somebody else sent.

    Raises
    ------
    ReadError
        One sentence that names the file, the column or the limit, and what to do.

    >>> from stcmtl import read
    >>> text = b"shop,x,y\\nA,1,2\\nA,2,3\\nB,1,1\\nB,4,2\\n"
    >>> data, account = read(("tiny.csv", text), task="shop")
    >>> len(data), data.feature_names, account.rows
    (2, ('x',), 4)
    """
    target = list(target) if isinstance(target, tuple) else target
    features = [features] if isinstance(features, str) else features
    exclude = [exclude] if isinstance(exclude, str) else exclude
    asked = Asked(task, target, layout, task_type, missing, features, exclude, weight)
    check_options(asked)
    if isinstance(missing_marks, (str, float, int)):
        missing_marks = [missing_marks]
    marks = None if missing_marks is None else tuple(map(str, missing_marks))
    how = How(delimiter, encoding, decimal, thousands, sheet, marks, dates)
    return open_source(source, how, limits, bounded).take(asked)


@dataclass(frozen=True, eq=False)
class Opened:
    """Files that were parsed once, to be interpreted as often as one likes."""

    parsed: Parsed
    how: How
    tables: tuple[Table, ...]
    case: Case

    @property
    def columns(self) -> dict[str, Column]:
        """What each column of the first table is; of several tables, of all."""
        return self.tables[0].columns if self.tables else {}

    def take(self, asked: Asked) -> tuple[TaskSet, Account]:
        """Tasks, and an account of what was understood; ReadError says why there are none."""
        check_options(asked)
        case = self.case.copy()
        try:
            rows = take_rows(self, asked, case)
            if self.tables:
                rows = leave_totals_out(rows, case)
            rows = drop_without_target(rows, case)
            case.check(tasks=len(pd.unique(rows.tasks)))
            if self.tables:  # what an array X holds was chosen by someone
                rows = set_task_columns_aside(rows, asked, case)
            columns = self.columns
            weights = [asked.weight] if asked.weight else []
            check_columns(columns, [*rows.names, *weights], find_targets(rows), case)
            check_weight(rows, asked, case, "column" if self.tables else "array")
            rows = restore_truths(rows, columns)
            found = find_target(rows, asked.task_type or rows.task_type, case)
            X, features = build_matrix(
                rows.features, rows.names, asked.missing, case, columns, asked.features or ()
            )
            used = [*rows.names, *find_targets(rows), rows.understood.get("task"), *weights]
            tell_columns(columns, used, case)
            if len(alone := pd.unique(rows.tasks)) == 1:
                said = (
                    f"Only one task ({quote(alone[0])}) was found, and one task has no clusters: "
                )
                choose = Setting("task", "...", "pass {}"), " if another column names the tasks"
                case.advice.append((said, *choose))
            data, account = finish(rows, found, X, features, self, case)
            return data, tell_weight(account, asked.weight)
        except MemoryError:
            raise case.memory_fault() from None

    @cached_property
    def guess(self) -> Guess:
        """What ``take`` would find by itself in the first table, and what else there could be."""
        if not self.tables:
            return Guess()
        return look_at_table(self.tables[0].frame, self.ranked, len(self.tables) > 1)

    @cached_property
    def ranked(self) -> list[Candidate]:
        frame = self.tables[0].frame
        return rank_tasks(frame, list(frame.columns))


def open_source(
    source: Any,
    how: How = HOW,
    limits: Limits = DEFAULT_LIMITS,
    bounded: bool = False,
    known: Known | None = None,
) -> Opened:
    """Parse a source that ``read`` takes, once; ``known`` is how an earlier one was written."""
    check_how(how)
    parser = parse_bounded if bounded else parse
    return open_parsed(parser(list_files(source, limits), how, limits), how, known)


def open_parsed(parsed: Parsed, how: How, known: Known | None = None) -> Opened:
    """Interpret the cells of parsed files, again where ``how`` says something else."""
    case = parsed.case.copy()
    tables = interpret_all(parsed.choose_tables(how, case), how, case, known or {})
    return Opened(parsed, how, tables, case)


def check_weight(rows: RawTasks, asked: Asked, case: Case, kind: str) -> None:
    """One number of 0 or more for every row."""
    if asked.weight is None:
        return
    if rows.weight is None:
        leave_out = "leave out ", Setting("weight")
        raise case.fault("has no columns, of which one could be the weight", leave_out)
    a = "an" if kind == "array" else "a"
    column = f"has {a} {kind} {quote(asked.weight)} that cannot be the weight"
    try:
        weight = row_weights(rows.weight, asked.weight, len(rows.y))
    except InputError as error:
        remedy = error.remedy
        raise case.fault(f"{column}, as it {error.what}", remedy) from error
    said = f"from {digits(weight.min(), 4)} to {digits(weight.max(), 4)}"
    case.notes.append(f"Rows count by the weight in {kind} {quote(asked.weight)}, {said}")


def find_targets(rows: RawTasks) -> list[str]:
    targets = rows.understood.get("target") or []
    return [targets] if isinstance(targets, str) else list(targets)


def check_options(asked: Asked) -> None:
    options = {"layout": (*LAYOUTS, None), "task_type": (*TASK_TYPES, None), "missing": MISSING}
    for name, allowed in options.items():
        if (value := getattr(asked, name)) not in allowed:
            raise bad_value(name, value, f"use one of {', '.join(map(repr, allowed))}")


def check_how(how: How) -> None:
    """What the caller says about signs and dates is checked before a file is opened."""
    dates = [word.strip() for word in how.dates.split(",")] if how.dates else []
    for word in dates:
        if word not in (*USES, *ORDERS):
            raise bad_value("dates", how.dates, f"use one of {', '.join((*USES, *ORDERS))}")
    if how.decimal not in (None, ".", ","):
        raise bad_value("decimal", how.decimal, "use '.' or ','")
    if how.thousands not in (None, ".", ",", " ", "'"):
        raise bad_value("thousands", how.thousands, "use one of '.', ',', ' ' and \"'\"")
    if how.decimal and how.decimal == how.thousands:
        raise bad_value("thousands", how.thousands, "the decimal sign must be another")


def take_rows(opened: Opened, asked: Asked, case: Case) -> RawTasks:
    tables = opened.tables
    if len(tables) > 1 or (tables and asked.layout == FILES and asked.task is None):
        if asked.layout == "wide" or isinstance(asked.target, list):
            what = "Of several files each is a task, or a part of one long table"
            end = " and name one target, or read the files one by one"
            raise ReadError(what, remedy=("leave out ", Setting("layout"), end))
        return take_files(tables, asked, case)
    if not tables:
        rows = take_arrays(opened.parsed.arrays, asked, case)
        for name in (*(asked.features or ()), *asked.exclude):
            check_there(name, rows.names, case)
        names = asked.pick_features(rows.names, case)
        found = {"task": asked.task, "target": asked.target}
        return replace(rows, names=names, understood=found)
    ranked = None if asked.task else opened.ranked
    return take_table(tables[0].frame, asked, case.of(tables[0].name), ranked)


def drop_without_target(rows: RawTasks, case: Case) -> RawTasks:
    absent = np.asarray(pd.isna(rows.y))
    n_absent = int(absent.sum())
    if n_absent == 0:
        return rows
    if n_absent == len(absent):
        raise case.fault(f"has nothing in the target {quote(rows.target)}", "fill it")
    case.dropped["rows without a target"] = n_absent
    gone = set(pd.unique(rows.tasks)) - set(pd.unique(rows.tasks[~absent]))
    if gone:
        case.dropped["tasks without any target"] = len(gone)
    return rows.keep(~absent)


def restore_truths(rows: RawTasks, columns: dict[str, Column]) -> RawTasks:
    """Truth values of a target that had holes, as they are without."""
    is_truth = rows.target in columns and columns[rows.target].notation.get("kind") == "yes/no"
    return replace(rows, y=rows.y.astype(bool)) if is_truth else rows


def set_task_columns_aside(rows: RawTasks, asked: Asked, case: Case) -> RawTasks:
    """Columns that are the same in all rows of a task say something of the task, not of its rows.

    The intercept of a task, which every fit has and no penalty touches, takes up all that such a
    column could add, be it a name or a number: no slope can be told from it. Whoever fits without
    intercepts names it among the features. Where nothing else is left, numbers stay.
    """
    constant = find_task_columns(rows)
    case.task_columns |= constant
    of_tasks = constant.keys() - {*(asked.features or ()), *rows.beside}
    texts = {name for name in of_tasks if is_text(rows.features[name]) or names_tasks(name)}
    for names in (of_tasks, texts):
        stay = [name for name in rows.names if name not in names]
        if stay and names:
            for name in sorted(names, key=rows.names.index):
                case.leave_out(name, "the same in all rows of a task; kept to compare tasks by")
            return replace(rows, names=stay)
    return rows


def frame_task_columns(columns: dict[str, dict[Any, Any]]) -> pd.DataFrame | None:
    """One row per task, by its name."""
    return pd.DataFrame(columns) if columns else None


def finish(
    rows: RawTasks,
    target: Target,
    X: Array,
    features: tuple[str, ...],
    opened: Opened,
    case: Case,
) -> tuple[TaskSet, Account]:
    tasks, understood, weight = rows.tasks, rows.understood, rows.weight
    if target.rows is not None and target.tasks is not None:
        case.check_shape(len(target.rows), len(features))
        X, tasks = X[target.rows], target.tasks
        weight = None if weight is None else weight[target.rows]
        understood = {**understood, "each_label": True}
    columns = None if target.tasks is not None else frame_task_columns(case.task_columns)
    data = without_idle_tasks(
        TaskSet(X, target.y, tasks, features, target.task_type, weight=weight), case
    )
    data = replace(data, task_columns=columns)
    case.check(tasks=len(data))
    account = Account(
        files=opened.parsed.files,
        format=opened.parsed.format,
        layout=rows.layout,
        tasks=len(data),
        rows_per_task=dict(zip(data.task_names.tolist(), data.n_rows.tolist(), strict=True)),
        features=features,
        target_type=target.task_type,
        classes=target.classes,
        understood=understood,
        columns=conclude_columns(
            opened.columns, rows.names, understood.get("task"), find_targets(rows), case
        ),
        **case.found(),
    )
    return data, account
