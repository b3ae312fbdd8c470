"""The target: numbers for a regression, the labels themselves for a classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array, numeric_vector
from stcmtl.errors import Setting, Text
from stcmtl.io.account import Findings, listed
from stcmtl.io.levels import numbers_of, taken
from stcmtl.io.limits import ReadError, fault

FEW = 10  # distinct numbers up to which a target may be labels
MOST_LABELS = 100  # that may each become a task against the rest
EACH_LABEL = (
    Setting("task_type", "classification", "pass {}"),
    " to make every label a task against the rest",
)
MANY_ROWS = 5  # rows a distinct number, below which few numbers mean few rows


@dataclass(frozen=True, eq=False)
class Target:
    """Numbers or two labels, what they are for, and the labels in their order.

    Where every label became a task against the rest, ``rows`` are the rows of the file that
    the targets belong to, and ``tasks`` their new names.
    """

    y: NDArray[Any]
    task_type: str
    classes: tuple[Any, ...] = ()
    rows: NDArray[np.int64] | None = None
    tasks: NDArray[Any] | None = None


def target_of(
    values: NDArray[Any],
    tasks: NDArray[Any],
    name: str,
    file: str,
    task_type: str | None,
    findings: Findings,
) -> Target:
    """Two labels of any kind are a classification, unless the caller asks for a regression."""
    labels = pd.unique(pd.Series(values))
    numbers = numeric_vector(values)
    if numbers is None:
        numbers = spelled(values, name, file)
    if numbers is not None and not np.isfinite(numbers).all():
        raise fault(
            file,
            f"has {int(np.isinf(numbers).sum()):,} infinite values in the target {name!r}",
            "correct them",
        )
    if task_type == "regression" or (task_type is None and len(labels) != 2):
        if numbers is None:
            raise labels_sentence(file, name, labels, task_type)
        if task_type is None and 2 < len(labels) <= FEW and len(values) >= MANY_ROWS * len(labels):
            few = listed(tuple(plain(label) for label in sorted(labels)))
            note = f"The target has only {len(labels)} different values ({few})"
            findings.advice.append((f"{note}: if they are labels, ", *EACH_LABEL))
        return Target(numbers.astype(np.float64), "regression")
    if not 2 <= len(labels) <= MOST_LABELS:
        raise labels_sentence(file, name, labels, task_type)
    if len(labels) > 2:
        return against_the_rest(values, tasks, labels, findings)
    return two_labels(values, labels)


def two_labels(values: NDArray[Any], labels: Any) -> Target:
    """The labels as they are, which any classifier takes; the second is the positive one."""
    first, second = sorted(labels, key=lambda label: (str(type(label)), label))
    y = np.asarray(values)
    if y.dtype.kind in "iu":
        y = y.astype(np.int64)
    elif isinstance(first, str) and isinstance(second, str):
        y = y.astype(str)
    return Target(y, "classification", (native(first), native(second)))


def spelled(values: NDArray[Any], name: str, file: str) -> Array | None:
    """The numbers of a target that was written as text."""
    codes, labels = pd.factorize(pd.Series(values))
    numbers = numbers_of([str(label) for label in labels], f"the target {name!r}", file)
    return None if numbers is None else taken(numbers, codes)


def against_the_rest(
    values: NDArray[Any], tasks: NDArray[Any], labels: Any, findings: Findings
) -> Target:
    """Every task once a label that it has among others: 1 for the label, -1 for the rest."""
    rows, y, names = [], [], []
    for task in pd.unique(pd.Series(tasks)):
        own = np.flatnonzero(tasks == task)
        for label in sorted(labels, key=lambda label: (str(type(label)), label)):
            hit = np.asarray(values[own] == label)
            if hit.any() and not hit.all():
                rows.append(own)
                y.append(np.where(hit, 1.0, -1.0))
                names.append(np.full(own.size, f"{task}: {plain(label)}"))
    if not rows:
        raise ReadError("No task has more than one label", remedy="there is nothing to tell apart")
    findings.notes.append(
        f"Each of the {len(labels)} labels became a task: 1 for the label, -1 for the rest"
    )
    stacked = np.concatenate(rows), np.concatenate(names)
    return Target(np.concatenate(y), "classification", (-1, 1), *stacked)


def labels_sentence(file: str, name: str, labels: Any, task_type: str | None) -> ReadError:
    shown = listed(tuple(plain(label) for label in labels))
    if task_type == "regression":
        return fault(
            file,
            f"has text in the target {name!r} ({shown}), which cannot be the target of a "
            "regression",
            ("name a column of numbers, or leave out ", Setting("task_type")),
        )
    if len(labels) == 1:
        return fault(
            file, f"has only {plain(labels[0])!r} in the target {name!r}", "two labels are needed"
        )
    if len(labels) > MOST_LABELS:
        remedy: Text = f"name another column, or keep {MOST_LABELS} labels at most"
    else:
        remedy = "keep two of them, or ", *EACH_LABEL
    return fault(file, f"has {len(labels):,} labels in the target {name!r} ({shown})", remedy)


def native(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def plain(label: Any) -> str:
    return f"{label:g}" if isinstance(label, (int, float, np.number)) else str(label)[:40]
