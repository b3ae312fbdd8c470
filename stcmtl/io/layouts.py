"""Named arrays as tasks: cells, stacked rows with labels or starts, 3-D arrays, many targets."""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import TASK_TYPES
from stcmtl.errors import Setting
from stcmtl.io.account import Case, quote
from stcmtl.io.arrays import (
    Cells,
    Pair,
    Value,
    describe,
    describe_shape,
    make_native,
    make_vector,
    orient_block,
    orient_pairs,
    orient_rows,
)
from stcmtl.io.guess import label_tasks
from stcmtl.io.sources import number_names
from stcmtl.io.tables import Asked, RawTasks, take_wide

X_NAMES = ("x", "data", "features", "input", "inputs", "design", "xs")
Y_NAMES = ("y", "target", "targets", "label", "labels", "output", "outputs", "response", "ys")
TASK_NAMES = (
    *("task", "tasks", "group", "groups", "sid", "task_id", "task_ids", "task_index"),
    *("task_indexes", "task_indices", "taskindexes", "starts", "index", "indexes"),
)
VSTG = re.compile(r"(train|test).*(input|output)", re.IGNORECASE)
JOINED = "Rows to train on and to test on were joined, in this order"
NUMBERED = re.compile(r"([xy])[ _-]?(\w+)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Bundle:
    """The arrays of one file, and the case they belong to."""

    values: dict[str, Value]
    case: Case

    def pick(self, asked: str | None, known: tuple[str, ...]) -> Value | None:
        if asked is not None:
            if asked not in self.values:
                what = f"has no array {quote(asked)}"
                raise self.case.fault(what, f"it has {describe(self.values)}")
            return self.take(asked)
        lower = {name.lower(): name for name in reversed(self.values)}
        return next((self.take(lower[name]) for name in known if name in lower), None)

    def take(self, key: str) -> Value:
        value = self.values[key]
        if isinstance(value, np.ndarray) and value.size == 0:
            what = f"has nothing in its array {quote(key)} ({describe_shape(value)})"
            raise self.case.fault(what, "save it again with rows")
        return value

    def find_names(self, kind: str, count: int) -> list[Any] | None:
        """``feature_names`` or ``task_names`` where the file has as many as there are."""
        value = self.values.get(kind)
        names = None if value is None else make_vector(value)
        if names is None or len(names) != count or len(set(names.tolist())) != count:
            return None
        return [str(name) for name in names] if kind == "feature_names" else names.tolist()


def take_arrays(values: dict[str, Value], asked: Asked, case: Case) -> RawTasks:
    """The rows of a file of arrays, by whichever of the known ways they are laid out."""
    values = {key: make_native(value) for key, value in values.items()}
    values = name_unnamed(join_halves(values, case), case)
    bundle = Bundle(values, case)
    rows = arrange(bundle, asked)
    if asked.weight is not None:
        rows = replace(rows, weight=take_weights(bundle, asked.weight, rows.tasks))
    stated = str(values.get("task_type", ""))
    return replace(rows, task_type=stated) if stated in TASK_TYPES else rows


def take_weights(bundle: Bundle, name: str, tasks: NDArray[Any]) -> NDArray[Any]:
    """One per row: an array in the order of the rows, or cells, one per task."""
    value = bundle.pick(name, ())
    fits = False
    if isinstance(value, Cells):
        starts = np.flatnonzero(tasks[1:] != tasks[:-1]) + 1  # of tasks in one piece each
        sizes = [item.size for item in value.items if item.size]
        fits = sizes == np.diff([0, *starts, len(tasks)]).tolist()
        value = np.concatenate([item.ravel() for item in value.items])
    elif value is not None:
        value = make_vector(value)
        fits = value.shape == tasks.shape
    if value is None or not fits:
        what = f"has an array {quote(name)} that cannot be the weight of its {len(tasks)} rows"
        raise bundle.case.fault(what, "give one number per row, stacked as the rows are")
    return value


def join_halves(values: dict[str, Value], case: Case) -> dict[str, Value]:
    """``X_train`` and ``X_test`` as ``X``, and so on: the rows of one after those of the other."""
    bases = [key.removesuffix("_train") for key in values if key.endswith("_train")]
    found = {}
    for base in bases:
        halves = [values.get(f"{base}_{half}") for half in ("train", "test")]
        arrays = [half for half in halves if isinstance(half, np.ndarray) and half.ndim]
        if len(arrays) < 2 or len({(half.ndim, half.shape[1:]) for half in arrays}) > 1:
            return values
        found[base] = np.concatenate(arrays)
    if found:
        case.notes.append(JOINED)
    return values | found


def name_unnamed(values: dict[str, Value], case: Case) -> dict[str, Value]:
    """Arrays that ``numpy.savez`` was given without names, in the order of ``fit``."""
    if list(values) != [f"arr_{k}" for k in range(len(values))] or not 2 <= len(values) <= 3:
        return values
    case.guessed.append("the arrays are X, y and tasks, in this order")
    return dict(zip(("X", "y", "tasks"), values.values(), strict=False))


def arrange(bundle: Bundle, asked: Asked) -> RawTasks:
    case, values, target = bundle.case, bundle.values, asked.target
    if isinstance(target, list):
        raise case.fault("holds arrays", "name one of them as the target, not a list")
    halves = {key: value for key, value in values.items() if VSTG.search(key)}
    if halves and target is None and all(isinstance(half, Cells) for half in halves.values()):
        return from_halves(bundle, halves)
    X, y = bundle.pick(None, X_NAMES), bundle.pick(target, Y_NAMES)
    tasks = bundle.pick(asked.task, TASK_NAMES)
    if X is None and y is None and (numbered := pair_numbered(values)):
        return from_cells(bundle, *numbered, "numbered arrays, a pair per task")
    if X is None or y is None:
        pair = pair_cells(values)
        if pair is None:
            remedy = "name the features X, the target y and the tasks of the rows tasks"
            raise case.fault(f"has {describe(values)}", remedy)
        X, y = pair
    if isinstance(X, Cells) and isinstance(y, Cells):
        return from_cells(bundle, X, y, "cells, one per task")
    if isinstance(X, Cells):
        raise case.fault("has cells of features but no cells of targets", "save Y as cells")
    if X.ndim == 3:
        X, y = orient_block(X, make_vector(y) if isinstance(y, Cells) else y, case)
        pairs = list(zip(X, y, strict=True))
        return from_pairs(bundle, pairs, (), "a 3-D array of tasks, rows and features")
    if tasks is not None:
        return from_stacked(bundle, X, make_vector(y), make_vector(tasks))
    if not isinstance(y, Cells) and y.ndim == 2 and min(y.shape) > 1:
        return from_wide(bundle, X, y)
    choose = "which array names the tasks? ", Setting("task", "...", "Pass {}")
    raise case.fault(f"has {describe(values)}", choose)


def pair_cells(values: dict[str, Value]) -> tuple[Cells, Cells] | None:
    """Two cell arrays of the same length, whatever their names: the wider holds the features."""
    cells = [value for value in values.values() if isinstance(value, Cells)]
    if len(cells) != 2 or len(cells[0]) != len(cells[1]):
        return None
    wide, narrow = sorted(cells, key=lambda cell: -sum(item.size for item in cell.items))
    return wide, narrow


def pair_numbered(values: dict[str, Value]) -> tuple[Cells, Cells] | None:
    """X1, y1, X2, y2, ...: arrays in pairs, the task's name after the letter."""
    found: dict[str, dict[str, NDArray[Any]]] = {"x": {}, "y": {}}
    for key, value in values.items():
        if (match := NUMBERED.fullmatch(key)) and isinstance(value, np.ndarray):
            found[match.group(1).lower()][match.group(2)] = value
    names = tuple(found["x"])
    if not names or set(names) != set(found["y"]):
        return None
    X, y = (Cells([found[letter][name] for name in names], names) for letter in "xy")
    return X, y


def from_halves(bundle: Bundle, halves: dict[str, Value]) -> RawTasks:
    """Training rows and test rows of every task, one after the other."""
    parts: dict[tuple[str, str], Cells] = {}
    for key, value in halves.items():
        match = VSTG.search(key)
        if match and isinstance(value, Cells):
            parts[match.group(1).lower(), match.group(2).lower()] = value
    pairs = []
    for half in ("train", "test"):
        inputs, outputs = parts.get((half, "input")), parts.get((half, "output"))
        if inputs is None and outputs is None:
            continue
        if inputs is None or outputs is None or len(inputs) != len(outputs):
            raise bundle.case.fault(f"has {half} cells that do not pair", "save both in full")
        pairs.append(orient_pairs(inputs, outputs, bundle.case))
    if len(pairs) == 2:
        if len(pairs[0]) != len(pairs[1]):
            what = f"has {len(pairs[0])} tasks to train on and {len(pairs[1])} to test"
            raise bundle.case.fault(what, "save the same tasks in both")
        if len({x.shape[1] for half in pairs for x, _ in half}) > 1:
            what = "has different features to train on and to test"
            raise bundle.case.fault(what, "save the same")
        bundle.case.notes.append(JOINED)
    joined = [
        (np.concatenate([x for x, _ in task]), np.concatenate([y for _, y in task]))
        for task in zip(*pairs, strict=True)
    ]
    return from_pairs(bundle, joined, (), "train and test cells, one per task")


def from_cells(bundle: Bundle, X: Cells, y: Cells, layout: str) -> RawTasks:
    if len(X) != len(y):
        raise bundle.case.fault(f"has {len(X)} cells X and {len(y)} cells Y", "pair them")
    return from_pairs(bundle, orient_pairs(X, y, bundle.case), X.names, layout)


def from_pairs(bundle: Bundle, pairs: list[Pair], names: Any, layout: str) -> RawTasks:
    """Pairs of features and target, stacked; tasks are numbered from 1 unless they have names."""
    case = bundle.case
    case.check(tasks=len(pairs))
    sizes = [len(y) for _, y in pairs]
    if not sum(sizes):
        raise case.fault("has no rows in any task", "save it again")
    given = bundle.find_names("task_names", len(pairs)) or number_names(names)
    labels = np.array(given or np.arange(1, len(pairs) + 1))
    if 0 in sizes:
        case.dropped["tasks without any row"] = sizes.count(0)
    case.check_shape(sum(sizes), pairs[0][0].shape[1])
    X = np.concatenate([np.asarray(x, np.float64) for x, _ in pairs])
    y = np.concatenate([y for _, y in pairs])
    return from_rows(bundle, X, y, np.repeat(labels, sizes), layout)


def from_stacked(bundle: Bundle, X: NDArray[Any], y: NDArray[Any], tasks: NDArray[Any]) -> RawTasks:
    case = bundle.case
    if y.ndim != 1 or tasks.ndim != 1:
        what = f"has a target {describe_shape(y)} and tasks {describe_shape(tasks)}"
        raise case.fault(what, "give a target and a task label per row")
    X = orient_rows(X, len(y), case)
    if look_like_starts(tasks, len(y)):
        labels = label_from_starts(tasks, len(y))
        names = bundle.find_names("task_names", int(labels.max()))
        named = labels if names is None else np.array(names)[labels - 1]
        return from_rows(bundle, X, y, named, "stacked rows and where each task starts")
    if len(tasks) != len(y):
        what = f"has {len(tasks)} task labels for {len(y)} rows"
        raise case.fault(what, "give one per row, or the row at which each task starts")
    labels = label_tasks(pd.Series(tasks, name="tasks"), case)
    return from_rows(bundle, X, y, labels, "stacked rows with a task label each")


def look_like_starts(tasks: NDArray[Any], n_rows: int) -> bool:
    """Rows at which tasks start, counted from 1 or 0, with or without the end.

    Whole numbers that rise from 1 (or 0) and stay within the rows, fewer than the rows.
    """
    if tasks.ndim != 1 or tasks.dtype.kind not in "iuf" or not 1 <= tasks.size <= n_rows + 1:
        return False
    numbers = tasks.astype(np.float64)
    if not np.isfinite(numbers).all() or (numbers % 1).any() or numbers[0] not in (0.0, 1.0):
        return False
    rising = bool((np.diff(numbers) > 0).all())
    return rising and tasks.size != n_rows and numbers[-1] <= n_rows + numbers[0]


def label_from_starts(starts: NDArray[Any], n_rows: int) -> NDArray[np.int64]:
    """A label per row, 1 for the first task; an end one past the last row is no start."""
    first = starts.astype(np.int64) - int(starts[0])
    first = first[first < n_rows]
    return np.repeat(np.arange(1, first.size + 1), np.diff(np.append(first, n_rows)))


def from_wide(bundle: Bundle, X: NDArray[Any], Y: NDArray[Any]) -> RawTasks:
    """One design and a column of targets per task, NaN where a row has none."""
    case = bundle.case
    n_rows = next((n for n in Y.shape if n in X.shape), 0)
    X = orient_rows(X, n_rows, case)
    Y = Y if len(Y) == n_rows else Y.T
    case.check(tasks=Y.shape[1])
    case.check_shape(*X.shape)
    given = bundle.find_names("task_names", Y.shape[1])
    targets = [f"target {name}" for name in given or range(1, Y.shape[1] + 1)]
    design = pd.DataFrame(np.asarray(X, np.float64), columns=name_features(bundle, X.shape[1]))
    frame = pd.concat([design, pd.DataFrame(Y, columns=targets)], axis=1)
    # nothing is told of the names of the columns, which are ours, not the file's
    return take_wide(frame, list(frame.columns), Asked(target=targets), case.aside(case.name))


def from_rows(
    bundle: Bundle, X: NDArray[Any], y: NDArray[Any], tasks: NDArray[Any], layout: str
) -> RawTasks:
    bundle.case.check_shape(*X.shape)
    if len(X) == 0 or X.shape[1] == 0:
        raise bundle.case.fault("has no rows or no features", "save it again")
    names = name_features(bundle, X.shape[1])
    frame = pd.DataFrame(np.asarray(X, np.float64), columns=names)
    return RawTasks(frame, names, y, tasks, layout, "y")


def name_features(bundle: Bundle, count: int) -> list[str]:
    return bundle.find_names("feature_names", count) or [f"x{d}" for d in range(count)]
