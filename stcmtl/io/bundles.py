"""Named arrays as tasks: cells, stacked rows with labels or starts, 3-D arrays, many targets."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import TASK_TYPES
from stcmtl.errors import Setting
from stcmtl.io.account import Findings
from stcmtl.io.columns import task_labels
from stcmtl.io.limits import Limits, fault
from stcmtl.io.orientation import oriented_block, oriented_pairs, oriented_rows, spoken, vector
from stcmtl.io.sources import whole_numbers_as_such
from stcmtl.io.starts import labels_from_starts, look_like_starts
from stcmtl.io.tables import Rows, wide_rows
from stcmtl.io.values import Cells, Value, described, native

X_NAMES = ("x", "data", "features", "input", "inputs", "design", "xs")
Y_NAMES = ("y", "target", "targets", "label", "labels", "output", "outputs", "response", "ys")
TASK_NAMES = (
    *("task", "tasks", "group", "groups", "sid", "task_id", "task_ids", "task_index"),
    *("task_indexes", "task_indices", "taskindexes", "starts", "index", "indexes"),
)
VSTG = re.compile(r"(train|test).*(input|output)", re.IGNORECASE)
JOINED = "Rows to train on and to test on were joined, in this order"
NUMBERED = re.compile(r"([xy])[ _-]?(\w+)", re.IGNORECASE)


class Bundle:
    """The arrays of one file, and what the caller says about them."""

    def __init__(
        self, values: dict[str, Value], name: str, limits: Limits, findings: Findings
    ) -> None:
        self.values, self.name, self.limits, self.findings = values, name, limits, findings

    def pick(self, asked: str | None, known: tuple[str, ...]) -> Value | None:
        if asked is not None:
            if asked not in self.values:
                raise fault(
                    self.name, f"has no array {asked!r}", f"it has {described(self.values)}"
                )
            return self.filled(asked)
        lower = {name.lower(): name for name in reversed(self.values)}
        return next((self.filled(lower[name]) for name in known if name in lower), None)

    def filled(self, key: str) -> Value:
        value = self.values[key]
        if isinstance(value, np.ndarray) and value.size == 0:
            raise fault(
                self.name,
                f"has nothing in its array {key!r} ({spoken(value)})",
                "save it again with rows",
            )
        return value

    def names_of(self, kind: str, count: int) -> list[Any] | None:
        """``feature_names`` or ``task_names`` where the file has as many as there are."""
        value = self.values.get(kind)
        names = None if value is None else vector(value)
        if names is None or len(names) != count or len(set(names.tolist())) != count:
            return None
        return [str(name) for name in names] if kind == "feature_names" else names.tolist()


def rows_of_arrays(
    values: dict[str, Value],
    name: str,
    task: str | None,
    target: Any,
    limits: Limits,
    findings: Findings,
) -> Rows:
    values = {key: native(value) for key, value in values.items()}
    values = named(joined(values, findings), findings)
    rows = arranged(Bundle(values, name, limits, findings), task, target)
    stated = str(values.get("task_type", ""))
    return replace(rows, task_type=stated) if stated in TASK_TYPES else rows


def joined(values: dict[str, Value], findings: Findings) -> dict[str, Value]:
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
        findings.notes.append(JOINED)
    return values | found


def named(values: dict[str, Value], findings: Findings) -> dict[str, Value]:
    """Arrays that ``numpy.savez`` was given without names, in the order of ``fit``."""
    if list(values) != [f"arr_{k}" for k in range(len(values))] or not 2 <= len(values) <= 3:
        return values
    findings.guessed.append("the arrays are X, y and tasks, in this order")
    return dict(zip(("X", "y", "tasks"), values.values(), strict=False))


def arranged(bundle: Bundle, task: str | None, target: Any) -> Rows:
    """The rows, by whichever of the known ways the arrays are laid out."""
    name, values = bundle.name, bundle.values
    if isinstance(target, list):
        raise fault(name, "holds arrays", "name one of them as the target, not a list")
    halves = {key: value for key, value in values.items() if VSTG.search(key)}
    if halves and target is None and all(isinstance(half, Cells) for half in halves.values()):
        return train_and_test(bundle, halves)
    X, y = bundle.pick(None, X_NAMES), bundle.pick(target, Y_NAMES)
    tasks = bundle.pick(task, TASK_NAMES)
    if X is None and y is None and (numbered := numbered_pairs(values)):
        return from_pairs(bundle, *numbered, "numbered arrays, a pair a task")
    if X is None or y is None:
        pair = two_cells(values)
        if pair is None:
            raise fault(
                name,
                f"has {described(values)}",
                "name the features X, the target y and the tasks of the rows tasks",
            )
        X, y = pair
    if isinstance(X, Cells) and isinstance(y, Cells):
        return from_pairs(bundle, X, y, "cells, one a task")
    if isinstance(X, Cells):
        raise fault(name, "has cells of features but no cells of targets", "save Y as cells")
    if X.ndim == 3:
        return from_block(bundle, X, vector(y) if isinstance(y, Cells) else y)
    if tasks is not None:
        return from_stacked(bundle, X, vector(y), vector(tasks))
    if not isinstance(y, Cells) and y.ndim == 2 and min(y.shape) > 1:
        return from_wide(bundle, X, y)
    remedy = "which array names the tasks? ", Setting("task", "...", "Pass {}")
    raise fault(name, f"has {described(values)}", remedy)


def two_cells(values: dict[str, Value]) -> tuple[Cells, Cells] | None:
    """Two cell arrays of the same length, whatever their names: the wider holds the features."""
    cells = [value for value in values.values() if isinstance(value, Cells)]
    if len(cells) != 2 or len(cells[0]) != len(cells[1]):
        return None
    wide, narrow = sorted(cells, key=lambda cell: -sum(item.size for item in cell.items))
    return wide, narrow


def numbered_pairs(values: dict[str, Value]) -> tuple[Cells, Cells] | None:
    """X1, y1, X2, y2, ...: arrays in pairs, the task's name after the letter."""
    found: dict[str, dict[str, NDArray[Any]]] = {"x": {}, "y": {}}
    for key, value in values.items():
        if (match := NUMBERED.fullmatch(key)) and isinstance(value, np.ndarray):
            found[match.group(1).lower()][match.group(2)] = value
    names = list(found["x"])
    if not names or set(names) != set(found["y"]):
        return None
    return (
        Cells([found["x"][name] for name in names], tuple(names)),
        Cells([found["y"][name] for name in names], tuple(names)),
    )


def train_and_test(bundle: Bundle, halves: dict[str, Value]) -> Rows:
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
            raise fault(bundle.name, f"has {half} cells that do not pair", "save both in full")
        pairs.append(oriented_pairs(bundle.name, inputs, outputs, bundle.findings))
    if len(pairs) == 2 and len(pairs[0]) != len(pairs[1]):
        raise fault(
            bundle.name,
            f"has {len(pairs[0])} tasks to train on and {len(pairs[1])} to test",
            "save the same tasks in both",
        )
    both = [list(task) for task in zip(*pairs, strict=True)]
    joined = [
        (np.concatenate([x for x, _ in task]), np.concatenate([y for _, y in task]))
        for task in check_same_width(bundle.name, both)
    ]
    if len(pairs) == 2:
        bundle.findings.notes.append(JOINED)
    return rows_from(bundle, joined, (), "train and test cells, one a task")


def check_same_width(name: str, tasks: list[Any]) -> list[Any]:
    if len({x.shape[1] for task in tasks for x, _ in task}) > 1:
        raise fault(name, "has different features to train on and to test", "save the same")
    return tasks


def from_pairs(bundle: Bundle, X: Cells, y: Cells, layout: str) -> Rows:
    if len(X) != len(y):
        raise fault(bundle.name, f"has {len(X)} cells X and {len(y)} cells Y", "pair them")
    pairs = oriented_pairs(bundle.name, X, y, bundle.findings)
    return rows_from(bundle, pairs, X.names, layout)


def from_block(bundle: Bundle, X: NDArray[Any], y: NDArray[Any]) -> Rows:
    X, y = oriented_block(bundle.name, X, y, bundle.findings)
    pairs = [(X[t], y[t]) for t in range(len(X))]
    return rows_from(bundle, pairs, (), "a 3-D array of tasks, rows and features")


def rows_from(
    bundle: Bundle, pairs: list[tuple[NDArray[Any], NDArray[Any]]], names: Any, layout: str
) -> Rows:
    """Pairs of features and target, stacked; tasks are numbered from 1 unless they have names."""
    bundle.limits.check(bundle.name, tasks=len(pairs))
    if not sum(len(y) for _, y in pairs):
        raise fault(bundle.name, "has no rows in any task", "save it again")
    given = bundle.names_of("task_names", len(pairs)) or whole_numbers_as_such(names)
    labels = np.array(given or np.arange(1, len(pairs) + 1))
    sizes = [len(y) for _, y in pairs]
    if 0 in sizes:
        bundle.findings.dropped["tasks without any row"] = sizes.count(0)
    bundle.limits.check_shape(bundle.name, sum(sizes), pairs[0][0].shape[1])
    X = np.concatenate([np.asarray(x, np.float64) for x, _ in pairs])
    y = np.concatenate([y for _, y in pairs])
    return stacked_rows(bundle, X, y, np.repeat(labels, sizes), layout)


def from_stacked(bundle: Bundle, X: NDArray[Any], y: NDArray[Any], tasks: NDArray[Any]) -> Rows:
    if y.ndim != 1 or tasks.ndim != 1:
        raise fault(
            bundle.name,
            f"has a target {spoken(y)} and tasks {spoken(tasks)}",
            "give a target and a task label a row",
        )
    X = oriented_rows(bundle.name, X, len(y), bundle.findings)
    if look_like_starts(tasks, len(y)):
        labels = labels_from_starts(tasks, len(y))
        names = bundle.names_of("task_names", int(labels.max()))
        named = labels if names is None else np.array(names)[labels - 1]
        return stacked_rows(bundle, X, y, named, "stacked rows and where each task starts")
    if len(tasks) != len(y):
        raise fault(
            bundle.name,
            f"has {len(tasks)} task labels for {len(y)} rows",
            "give one a row, or the row at which each task starts",
        )
    labels = task_labels(pd.Series(tasks, name="tasks"), bundle.name, bundle.findings)
    return stacked_rows(bundle, X, y, labels, "stacked rows with a task label each")


def from_wide(bundle: Bundle, X: NDArray[Any], Y: NDArray[Any]) -> Rows:
    """One design and a column of targets a task, NaN where a row has none."""
    n_rows = next((n for n in Y.shape if n in X.shape), 0)
    X = oriented_rows(bundle.name, X, n_rows, bundle.findings)
    Y = Y if len(Y) == n_rows else Y.T
    bundle.limits.check(bundle.name, tasks=Y.shape[1])
    bundle.limits.check_shape(bundle.name, *X.shape)
    features = feature_names(bundle, X.shape[1])
    given = bundle.names_of("task_names", Y.shape[1])
    targets = [f"target {name}" for name in given or range(1, Y.shape[1] + 1)]
    frame = pd.concat(
        [
            pd.DataFrame(np.asarray(X, np.float64), columns=features),
            pd.DataFrame(Y, columns=targets),
        ],
        axis=1,
    )
    unsaid = Findings()  # the names of the columns are ours, not the file's
    return wide_rows(frame, bundle.name, list(frame.columns), targets, bundle.limits, unsaid)


def stacked_rows(
    bundle: Bundle, X: NDArray[Any], y: NDArray[Any], tasks: NDArray[Any], layout: str
) -> Rows:
    bundle.limits.check_shape(bundle.name, *X.shape)
    if len(X) == 0 or X.shape[1] == 0:
        raise fault(bundle.name, "has no rows or no features", "save it again")
    names = feature_names(bundle, X.shape[1])
    frame = pd.DataFrame(np.asarray(X, np.float64), columns=names)
    return Rows(frame, names, y, tasks, layout, "y")


def feature_names(bundle: Bundle, count: int) -> list[str]:
    return bundle.names_of("feature_names", count) or [f"x{d}" for d in range(count)]
