"""The target: numbers for a regression, the labels themselves for a classification."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import numeric_vector
from stcmtl.errors import Setting
from stcmtl.io.account import Case, list_names, quote
from stcmtl.io.features import measure_digits
from stcmtl.io.limits import ReadError
from stcmtl.io.tables import RawTasks

FEW = 10  # distinct numbers up to which a target may be labels
MOST_LABELS = 100  # that may each become a task against the rest
MANY_ROWS = 5  # rows per distinct number, below which few numbers mean few rows
EACH_LABEL = (
    Setting("task_type", "classification", "pass {}"),
    " to make every label a task against the rest",
)


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


def find_target(rows: RawTasks, task_type: str | None, case: Case) -> Target:
    """Two labels of any kind are a classification, unless the caller asks for a regression."""
    rows = replace(rows, y=tidy_labels(rows, case))
    labels = pd.unique(pd.Series(rows.y))
    numbers = numeric_vector(rows.y)
    if numbers is None:
        if pd.Series(rows.y).dtype.kind in "Mm":
            what = f"has dates or times in the target {quote(rows.target)}, which are no numbers"
            raise case.fault(what, ("name another column by ", Setting("target")))
        numbers = measure_digits(pd.Series(rows.y))
        if numbers is not None:
            said = f"Column {quote(rows.target)} holds numbers as text, and was read as numbers"
            case.notes.append(said)
    if numbers is not None and not np.isfinite(numbers).all():
        count = int(np.isinf(numbers).sum())
        what = f"has {count:,} infinite values in the target {quote(rows.target)}"
        raise case.fault(what, "correct them")
    if task_type == "regression" or (task_type is None and len(labels) != 2):
        if numbers is None:
            raise labels_fault(rows.target, labels, task_type, case)
        if task_type is None and 2 < len(labels) <= FEW and len(rows.y) >= MANY_ROWS * len(labels):
            few = list_names([show(label) for label in sorted(labels)])
            note = f"The target has only {len(labels)} different values ({few})"
            case.advice.append((f"{note}: if they are labels, ", *EACH_LABEL))
        return Target(numbers.astype(np.float64), "regression")
    if not 2 <= len(labels) <= MOST_LABELS:
        raise labels_fault(rows.target, labels, task_type, case)
    if len(labels) > 2:
        return set_against_the_rest(rows, case)
    return take_two_labels(rows.y, labels)


def tidy_labels(rows: RawTasks, case: Case) -> NDArray[Any]:
    """Yes, yes and "Yes " as the one that is most frequent; truth values that had holes as such."""
    y = np.asarray(rows.y)
    codes, labels = pd.factorize(pd.Series(y))
    if y.dtype == object and all(isinstance(label, (bool, np.bool_)) for label in labels):
        return y.astype(bool)
    if len(labels) > MOST_LABELS or not all(isinstance(label, str) for label in labels):
        return y
    spellings: dict[str, list[int]] = {}
    for code in np.argsort(-np.bincount(codes), kind="stable").tolist():
        spellings.setdefault(" ".join(labels[code].split()).casefold(), []).append(code)
    if len(spellings) in (1, len(labels)):  # A and a are two, where there is nothing else
        return y
    usual = {code: labels[same[0]].strip() for same in spellings.values() for code in same}
    odd = next(labels[same[1]] for same in spellings.values() if len(same) > 1)
    case.notes.append(f"Labels that differ in blanks or capitals are one, such as {quote(odd)}")
    return np.array([usual[code] for code in range(len(labels))])[codes]


def take_two_labels(values: NDArray[Any], labels: Any) -> Target:
    """The labels as they are, which any classifier takes; the second is the positive one."""
    y = np.asarray(values)
    if y.dtype.kind in "iu" or (y.dtype.kind == "f" and not (y % 1).any()):
        y = y.astype(np.int64)  # 1.0 and 2.0 are 1 and 2, in a column that had holes
        labels = pd.unique(y)
    first, second = sort_labels(labels)
    if isinstance(first, str) and isinstance(second, str):
        y = y.astype(str)
    return Target(y, "classification", (native(first), native(second)))


def set_against_the_rest(rows: RawTasks, case: Case) -> Target:
    """Every task once per label that it has among others: 1 for the label, -1 for the rest."""
    labels = sort_labels(pd.unique(pd.Series(rows.y)))
    found, y, names = [], [], []
    for task in pd.unique(pd.Series(rows.tasks)):
        own = np.flatnonzero(rows.tasks == task)
        for label in labels:
            hit = np.asarray(rows.y[own] == label)
            if hit.any() and not hit.all():
                found.append(own)
                y.append(np.where(hit, 1.0, -1.0))
                names.append(np.full(own.size, f"{task}: {show(label)}"))
    if not found:
        what = "No task has more than one label"
        raise ReadError(what, remedy="there is nothing to tell apart")
    note = f"Each of the {len(labels)} labels became a task: 1 for the label, -1 for the rest"
    case.notes.append(note)
    stacked = np.concatenate(found), np.concatenate(names)
    return Target(np.concatenate(y), "classification", (-1, 1), *stacked)


def find_known_target(
    rows: RawTasks, classes: tuple[Any, ...], each_label: bool, case: Case
) -> Target:
    """Numbers, or the labels of an earlier file as they are."""
    if not classes:
        return find_target(rows, "regression", case)
    if each_label:
        return set_against_the_rest(rows, case)
    return Target(match_labels(rows, classes, case), "classification", classes)


def match_labels(rows: RawTasks, classes: tuple[Any, ...], case: Case) -> NDArray[Any]:
    """Labels by what they read as, so that 1, 1.0 and '1' are the same."""
    position = {show(native(label)): k for k, label in enumerate(classes)}
    codes, found = pd.factorize(rows.y)
    texts = [show(native(label)) for label in found]
    unknown = [repr(text) for text in texts if text not in position]
    if unknown:
        known = f"where the model knows {' and '.join(map(quote, position))}"
        what = f"has {list_names(unknown)} in the target {quote(rows.target)}, {known}"
        raise case.fault(what, "correct or leave out such rows")
    return np.array(classes)[np.array([position[text] for text in texts])[codes]]


def labels_fault(target: str, labels: Any, task_type: str | None, case: Case) -> ReadError:
    shown = list_names([show(label) for label in labels])
    if task_type == "regression":
        what = f"has text in the target {quote(target)} ({shown}), which cannot be the target of"
        remedy = "name a column of numbers, or leave out ", Setting("task_type", task_type)
        return case.fault(f"{what} a regression", remedy)
    if len(labels) == 1:
        what = f"has only {show(labels[0])!r} in the target {quote(target)}"
        return case.fault(what, "two labels are needed")
    what = f"has {len(labels):,} labels in the target {quote(target)} ({shown})"
    if len(labels) > MOST_LABELS:
        return case.fault(what, f"name another column, or keep {MOST_LABELS} labels at most")
    return case.fault(what, ("keep two of them, or ", *EACH_LABEL))


def sort_labels(labels: Any) -> list[Any]:
    return sorted(labels, key=lambda label: (str(type(label)), label))


def native(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def show(label: Any) -> str:
    return f"{label:g}" if isinstance(label, (int, float, np.number)) else str(label)[:40]
