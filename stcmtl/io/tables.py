"""A data frame as tasks: long (a task column and a target column) or wide (a target a task)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.errors import Setting
from stcmtl.io.account import Findings, listed
from stcmtl.io.columns import guess_target, guess_task, guess_wide, plain, task_labels
from stcmtl.io.limits import Limits, fault
from stcmtl.io.sources import whole_numbers_as_such
from stcmtl.phrases import counted

LAYOUTS = ("long", "wide")
NAMELESS = re.compile(r"column \d+|Unnamed: \d+|")
INDEX = re.compile(r"__index_level_\d+__")  # as pandas saves an index without a name
ROW_NAMES = ("index", "id", "row", "row_id", "rownames", "row_names", "level_0")


@dataclass(frozen=True, eq=False)
class Rows:
    """What every layout comes down to: features, a target and a task per row."""

    features: pd.DataFrame
    names: list[str]  # the columns of ``features`` that are features
    y: NDArray[Any]
    tasks: NDArray[Any]
    layout: str
    target: str
    task_type: str | None = None  # where the file says it
    understood: dict[str, Any] = field(default_factory=dict)  # arguments that name what was found


def rows_of_table(
    frame: pd.DataFrame,
    name: str,
    task: str | None,
    target: str | list[str] | None,
    layout: str | None,
    limits: Limits,
    findings: Findings,
) -> Rows:
    check_has_rows(frame, name)
    asked = {task, *([target] if isinstance(target, str) else target or ())}
    columns = usable_columns(frame, asked, findings)
    if layout is None and task is None and isinstance(target, str):
        layout = "long"
    if isinstance(target, list):
        layout = "wide"
    wide = guess_wide(frame, columns) if layout != "long" and task is None and not target else []
    if layout is None:
        layout = "wide" if wide else "long"
        if wide:
            findings.guessed.append(
                f"one design with a target column a task: {listed(tuple(wide))}"
            )
    if layout == "wide":
        targets = [target] if isinstance(target, str) else target or wide
        return wide_rows(frame, name, columns, targets, limits, findings)
    return long_rows(frame, name, columns, task, target, findings)


def check_has_rows(frame: pd.DataFrame, name: str) -> None:
    if len(frame) == 0:
        raise fault(name, "has a header but no rows", "export it again")


def usable_columns(frame: pd.DataFrame, asked: set[str | None], findings: Findings) -> list[str]:
    """All but what holds nothing, or is a saved index, and was not asked for."""
    ignored = {c: "is empty" for c in frame.columns if NAMELESS.fullmatch(c) and empty(frame[c])}
    ignored |= dict.fromkeys(row_numbers(frame), "only numbers the rows")
    ignored |= {c: "is the index of a data frame" for c in frame.columns if INDEX.fullmatch(c)}
    ignored = {column: why for column, why in ignored.items() if column not in asked}
    findings.dropped |= {f"column {column!r}, which {why}": 1 for column, why in ignored.items()}
    return [column for column in frame.columns if column not in ignored]


def empty(column: pd.Series) -> bool:
    return bool(column.isna().all())


def row_numbers(frame: pd.DataFrame) -> list[str]:
    """A first column that counts 0, 1, 2, ... and has no name or one for that: a saved index."""
    first = frame.columns[0]
    values = frame[first]
    if not (NAMELESS.fullmatch(first) or plain(first) in ROW_NAMES):
        return []
    if values.dtype.kind not in "iu" or len(frame) < 2 or len(frame.columns) < 4:
        return []
    numbers = values.to_numpy()
    return [first] if (np.diff(numbers) == 1).all() and numbers[0] in (0, 1) else []


def long_rows(
    frame: pd.DataFrame,
    name: str,
    columns: list[str],
    task: str | None,
    target: Any,
    findings: Findings,
) -> Rows:
    for asked in filter(None, (task, target)):
        check_there(name, asked, columns)
    if task is None:
        task = guess_task(frame, name, [c for c in columns if c != target], findings)
    if target is None:
        target = guess_target(frame, name, [c for c in columns if c != task], findings)
    if task == target:
        raise fault(f"{name}:", f"{task!r} cannot be both the task and the target")
    features = [column for column in columns if column not in (task, target)]
    if not features:
        raise fault(name, f"has no column left for features beside {task!r} and {target!r}")
    labels = task_labels(frame[task], name, findings)
    y = frame[target].to_numpy()
    layout = "long (a task column and a target column)"
    found = {"task": task, "target": target, "layout": "long"}
    return Rows(frame, features, y, labels, layout, target, understood=found)


def wide_rows(
    frame: pd.DataFrame,
    name: str,
    columns: list[str],
    targets: list[str],
    limits: Limits,
    findings: Findings,
) -> Rows:
    """The rows of the first target column that are not empty, then those of the second, ..."""
    if not targets:
        raise fault(
            f"{name}:",
            (
                "which columns are the targets? ",
                Setting("target", ["...", "..."], "Name them, one a task: {}"),
            ),
        )
    for asked in targets:
        check_there(name, asked, columns)
    features = [column for column in columns if column not in targets]
    if not features:
        raise fault(name, "has target columns only", "it needs features too")
    observed = [np.flatnonzero(frame[column].notna().to_numpy()) for column in targets]
    nothing = [column for column in targets if empty(frame[column])]
    if nothing:
        raise fault(name, f"has nothing in column {nothing[0]!r}", "drop it, or fill it")
    limits.check_shape(name, sum(rows.size for rows in observed), len(features))
    names = task_names(targets)
    if [str(task) for task in names] != targets:
        findings.notes.append(f"The task of column {targets[0]!r} is called {names[0]}, and so on")
    tasks = np.repeat(np.array(names), [rows.size for rows in observed])
    y = pd.concat([frame[c].iloc[r] for c, r in zip(targets, observed, strict=True)])
    design = frame[features].take(np.concatenate(observed)).reset_index(drop=True)
    n_empty = len(frame) * len(targets) - len(tasks)
    layout = f"wide ({counted(len(targets), 'target column')}, {counted(n_empty, 'cell')} empty)"
    found = {"target": targets, "layout": "wide"}
    return Rows(design, features, y.to_numpy(), tasks, layout, "target", understood=found)


def task_names(targets: list[str]) -> list[Any]:
    """y1, y2 or target_math, target_art: what follows the common beginning, if it is a name."""
    beginning = common_beginning(targets)
    rests = [target[len(beginning) :] for target in targets]
    return whole_numbers_as_such(rests if all(rests) else targets)


def common_beginning(names: list[str]) -> str:
    """A shared word before a separator, or before numbers."""
    for separator in ("_", ".", "-", " ", ":"):
        words = {name.partition(separator)[0] + separator for name in names if separator in name}
        if len(words) == 1 and all(separator in name for name in names):
            return words.pop()
    words = {name.rstrip("0123456789") for name in names}
    return words.pop() if len(words) == 1 else ""


def check_there(name: str, asked: str, columns: list[str]) -> None:
    if asked not in columns:
        raise fault(name, f"has no column {asked!r}", f"it has {listed(tuple(columns), 12)}")
