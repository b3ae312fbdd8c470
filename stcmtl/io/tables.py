"""A data frame as tasks: long (a task column and a target column) or wide (a target per task)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.errors import Setting
from stcmtl.io.account import Case, list_names
from stcmtl.io.guess import guess_target, guess_task, guess_wide, label_tasks, simplify
from stcmtl.io.sources import number_names
from stcmtl.phrases import counted

LAYOUTS = ("long", "wide")
NAMELESS = re.compile(r"column \d+|Unnamed: \d+|")
INDEX = re.compile(r"__index_level_\d+__")  # as pandas saves an index without a name
ROW_NAMES = ("index", "id", "row", "row_id", "rownames", "row_names", "level_0")


@dataclass(frozen=True)
class Asked:
    """What the caller of ``read`` says about a file; what is None is guessed."""

    task: str | None = None
    target: str | list[str] | None = None
    layout: str | None = None
    task_type: str | None = None
    missing: str = "error"

    @property
    def columns(self) -> set[str | None]:
        several = self.target if isinstance(self.target, list) else [self.target]
        return {self.task, *several}


@dataclass(frozen=True, eq=False)
class RawTasks:
    """What every layout comes down to: features, a target and a task per row, as they stand."""

    features: pd.DataFrame
    names: list[str]  # the columns of ``features`` that are features
    y: NDArray[Any]
    tasks: NDArray[Any]
    layout: str
    target: str
    task_type: str | None = None  # where the file says it
    understood: dict[str, Any] = field(default_factory=dict)  # arguments that name what was found


def take_table(frame: pd.DataFrame, asked: Asked, case: Case) -> RawTasks:
    check_has_rows(frame, case)
    columns = choose_columns(frame, asked, case)
    task, target, layout = asked.task, asked.target, asked.layout
    if layout is None and task is None and isinstance(target, str):
        layout = "long"
    if isinstance(target, list):
        layout = "wide"
    wide = guess_wide(frame, columns) if layout != "long" and task is None and not target else []
    if layout is None and wide:
        case.guessed.append(f"one design with a target column per task: {list_names(wide)}")
    if layout == "wide" or (layout is None and wide):
        targets = [target] if isinstance(target, str) else target or wide
        return take_wide(frame, columns, targets, case)
    return take_long(frame, columns, task, target, case)


def check_has_rows(frame: pd.DataFrame, case: Case) -> None:
    if len(frame) == 0:
        raise case.fault("has a header but no rows", "export it again")


def check_there(column: Any, columns: list[str], case: Case) -> None:
    if column not in columns:
        raise case.fault(f"has no column {column!r}", f"it has {list_names(columns, 12)}")


def choose_columns(frame: pd.DataFrame, asked: Asked, case: Case) -> list[str]:
    """All but what holds nothing, or is a saved index, and was not asked for."""
    ignored = {c: "is empty" for c in frame.columns if NAMELESS.fullmatch(c) and empty(frame[c])}
    ignored |= dict.fromkeys(find_row_numbers(frame), "only numbers the rows")
    ignored |= {c: "is the index of a data frame" for c in frame.columns if INDEX.fullmatch(c)}
    ignored = {column: why for column, why in ignored.items() if column not in asked.columns}
    case.dropped |= {f"column {column!r}, which {why}": 1 for column, why in ignored.items()}
    return [column for column in frame.columns if column not in ignored]


def empty(column: pd.Series) -> bool:
    return bool(column.isna().all())


def find_row_numbers(frame: pd.DataFrame) -> list[str]:
    """A first column that counts 0, 1, 2, ... and has no name or one for that: a saved index."""
    first = frame.columns[0]
    values = frame[first]
    if not (NAMELESS.fullmatch(first) or simplify(first) in ROW_NAMES):
        return []
    if values.dtype.kind not in "iu" or len(frame) < 2 or len(frame.columns) < 4:
        return []
    numbers = values.to_numpy()
    return [first] if (np.diff(numbers) == 1).all() and numbers[0] in (0, 1) else []


def take_long(
    frame: pd.DataFrame, columns: list[str], task: str | None, target: Any, case: Case
) -> RawTasks:
    for asked in filter(None, (task, target)):
        check_there(asked, columns, case)
    if task is None:
        task = guess_task(frame, [c for c in columns if c != target], case)
    if target is None:
        target = guess_target(frame, [c for c in columns if c != task], case)
    if task == target:
        raise case.question(f"{task!r} cannot be both the task and the target")
    features = [column for column in columns if column not in (task, target)]
    if not features:
        raise case.fault(f"has no column left for features beside {task!r} and {target!r}")
    labels = label_tasks(frame[task], case)
    layout = "long (a task column and a target column)"
    found = {"task": task, "target": target, "layout": "long"}
    y = frame[target].to_numpy()
    return RawTasks(frame, features, y, labels, layout, target, understood=found)


def take_wide(frame: pd.DataFrame, columns: list[str], targets: list[str], case: Case) -> RawTasks:
    """The rows of the first target column that are not empty, then those of the second, ..."""
    if not targets:
        choose = Setting("target", ["...", "..."], "Name them, one per task: {}")
        raise case.question(("which columns are the targets? ", choose))
    for asked in targets:
        check_there(asked, columns, case)
    features = [column for column in columns if column not in targets]
    if not features:
        raise case.fault("has target columns only", "it needs features too")
    observed = [np.flatnonzero(frame[column].notna().to_numpy()) for column in targets]
    nothing = [column for column in targets if empty(frame[column])]
    if nothing:
        raise case.fault(f"has nothing in column {nothing[0]!r}", "drop it, or fill it")
    case.check_shape(sum(rows.size for rows in observed), len(features))
    names = name_tasks(targets)
    if [str(task) for task in names] != targets:
        case.notes.append(f"The task of column {targets[0]!r} is called {names[0]}, and so on")
    tasks = np.repeat(np.array(names), [rows.size for rows in observed])
    y = pd.concat([frame[c].iloc[r] for c, r in zip(targets, observed, strict=True)])
    design = frame[features].take(np.concatenate(observed)).reset_index(drop=True)
    n_empty = len(frame) * len(targets) - len(tasks)
    layout = f"wide ({counted(len(targets), 'target column')}, {counted(n_empty, 'cell')} empty)"
    found = {"target": targets, "layout": "wide"}
    return RawTasks(design, features, y.to_numpy(), tasks, layout, "target", understood=found)


def name_tasks(targets: list[str]) -> list[Any]:
    """y1, y2 or target_math, target_art: what follows the common beginning, if it is a name."""
    beginning = find_beginning(targets)
    rests = [target[len(beginning) :] for target in targets]
    return number_names(rests if all(rests) else targets)


def find_beginning(names: list[str]) -> str:
    """A shared word before a separator, or before numbers."""
    for separator in ("_", ".", "-", " ", ":"):
        words = {name.partition(separator)[0] + separator for name in names if separator in name}
        if len(words) == 1 and all(separator in name for name in names):
            return words.pop()
    words = {name.rstrip("0123456789") for name in names}
    return words.pop() if len(words) == 1 else ""
