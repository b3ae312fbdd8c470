"""Which column names the task, and which is the target: by name first, then by content."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.errors import Setting
from stcmtl.io.account import Case, list_names
from stcmtl.io.limits import ReadError
from stcmtl.phrases import counted

# In order of how plainly they say it; "School Name", "schoolID" and "school_no" are "school" too.
SURE = ("task", "tasks", "sheet")  # whatever they hold
SHEET = "sheet"  # the column that says which sheet of a workbook a row is from
TASK_NAMES = (
    *(*SURE, "group", "groups", "sid"),
    *("school", "subject", "subj", "patient", "participant", "person", "individual"),
    *("site", "centre", "center", "hospital", "clinic", "study", "cohort", "lab", "batch"),
    *("country", "region", "state", "city", "store", "shop", "user", "customer", "client"),
    *("station", "sensor", "machine", "device", "plant", "speaker", "domain", "class_id"),
    *("firm", "company", "cell_line", "drug", "cluster"),
)
TARGET_NAMES = (
    *("target", "y", "response", "outcome", "label", "labels", "output", "score", "class"),
    *("dependent", "value", "result", "grade", "rating", "price", "sales"),
)
TARGET_WORDS = {*TARGET_NAMES} - {"y"}  # the last of several words, as in exam_score
LONGEST = 500  # characters of a text that names something
ENDINGS = ("_id", "_ids", "_name", "_names", "_code", "_number", "_no", "_nr", "_index", "id")
WIDE = re.compile(r"(y|target|task|output|response|label|outcome)s?[ _.:-]?(?=.)", re.IGNORECASE)


def simplify(name: Any) -> str:
    """``school_id`` of "School ID", "school.id" and "schoolID"."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name))
    return re.sub(r"[\W_]+", "_", words.lower()).strip("_")


def names_tasks(column: Any) -> str:
    """The known name for tasks that a column goes by, or nothing."""
    name = simplify(column)
    stem = next((name.removesuffix(end) for end in ENDINGS if name.endswith(end)), name)
    return next((known for known in (name, stem) if known in TASK_NAMES), "")


def guess_task(frame: pd.DataFrame, columns: list[str], case: Case) -> str:
    known = {c: TASK_NAMES.index(said) for c in columns if (said := names_tasks(c))}
    for column in sorted(known, key=known.__getitem__):
        if plausible_task(frame[column]):
            case.guessed.append(f"the task is column {column!r}, by its name")
            return column
    texts = [c for c in columns if is_text(frame[c]) and repeats(frame[c])]
    if texts:
        case.guessed.append(f"the task is column {texts[0]!r}, the first of repeated texts")
        return texts[0]
    blocks = [c for c in columns if in_blocks(frame[c])]
    if blocks:
        case.guessed.append(f"the task is column {blocks[0]!r}, whole numbers that come in blocks")
        return blocks[0]
    choose = Setting("task", "...", "Pass {}, one of")
    several = Setting("target", ["...", "..."])
    among = f" {list_names(columns, 12)}; or "
    what = "which column names the task? ", choose, among, several, " if every target is a task"
    raise case.question(what)


def guess_target(frame: pd.DataFrame, columns: list[str], case: Case) -> str:
    known = {c: TARGET_NAMES.index(said) for c in columns if (said := simplify(c)) in TARGET_NAMES}
    words = [c for c in reversed(columns) if simplify(c).rpartition("_")[2] in TARGET_WORDS]
    if by_name := [*sorted(known, key=known.__getitem__), *words]:
        case.guessed.append(f"the target is column {by_name[0]!r}, by its name")
        return by_name[0]
    if columns and frame[columns[-1]].nunique() == 2 and is_text(frame[columns[-1]]):
        case.guessed.append(f"the target is column {columns[-1]!r}, the last, with two labels")
        return columns[-1]
    numeric = [c for c in columns if frame[c].dtype.kind in "iuf" and frame[c].nunique() > 1]
    if numeric:
        case.guessed.append(f"the target is column {numeric[-1]!r}, the last with numbers")
        return numeric[-1]
    choose = Setting("target", "...", "Pass {}, one of")
    among = f" {list_names(columns, 12)}"
    raise case.question(("which column is the target? ", choose, among))


def guess_columns(
    frame: pd.DataFrame, columns: list[str], case: Case, one_per_file: bool
) -> tuple[str | None, tuple[str, ...]]:
    """The task column and the target columns, as far as ``read`` would find them."""
    task = target = None
    if one_per_file:
        task = next((c for c in columns if names_tasks(c) in SURE), None)
    elif wide := guess_wide(frame, columns):
        return None, tuple(wide)
    else:
        with suppress(ReadError):
            task = guess_task(frame, columns, case)
    with suppress(ReadError):
        target = guess_target(frame, [c for c in columns if c != task], case)
    return task, () if target is None else (target,)


def guess_wide(frame: pd.DataFrame, columns: list[str]) -> list[str]:
    """Two or more columns named y1, y2 or target_a, target_b; or the last ones, partly empty."""
    if any(names_tasks(c) and plausible_task(frame[c]) for c in columns):
        return []
    beginnings: dict[str, list[str]] = {}
    for column in columns:
        if match := WIDE.match(str(column)):
            beginnings.setdefault(match.group(0).lower(), []).append(column)
    named = max(beginnings.values(), key=len, default=[])
    if 1 < len(named) < len(columns):
        return named
    holes = [frame[c].dtype.kind in "iuf" and bool(frame[c].isna().any()) for c in columns]
    first = len(holes) - (holes[::-1].index(False) if False in holes else len(holes))
    last = columns[first:]
    return last if 1 < len(last) < len(columns) and not any(holes[:first]) else []


def plausible_task(values: pd.Series) -> bool:
    """Two rows per task or more on average, unless its name is plain; no continuous scale."""
    if values.dtype.kind == "f":
        present = values.dropna().to_numpy()
        if not np.isfinite(present).all() or (present % 1).any():
            return False
    return names_tasks(values.name) in SURE or repeats(values) or values.nunique() == 1


def is_text(values: pd.Series) -> bool:
    return not pd.api.types.is_numeric_dtype(values) and values.dtype.kind not in "mM"


def repeats(values: pd.Series) -> bool:
    return 2 <= values.nunique() <= len(values) // 2


def in_blocks(values: pd.Series) -> bool:
    """Equal whole numbers stand together, as rows sorted by task do."""
    if values.dtype.kind not in "iu" or not repeats(values):
        return False
    numbers = values.to_numpy()
    return 1 + np.count_nonzero(np.diff(numbers)) == values.nunique()


def label_tasks(values: pd.Series, case: Case) -> NDArray[Any]:
    """A label per row: whole numbers as such, anything else as text without blanks around it."""
    missing = int(values.isna().sum())
    if missing:
        what = f"has {counted(missing, 'row')} without a task in column {values.name!r}"
        raise case.fault(what, "fill or delete such rows")
    if values.dtype.kind in "iu":
        return values.to_numpy(np.int64)
    if values.dtype.kind == "f":
        numbers = values.to_numpy(np.float64)
        if not np.isfinite(numbers).all() or (numbers % 1).any() or np.abs(numbers).max() > 2**53:
            what = f"has fractions in the task column {values.name!r}"
            raise case.fault(what, "name the tasks by whole numbers or text")
        return numbers.astype(np.int64)
    codes, levels = pd.factorize(values)
    spelled = [str(level) for level in levels]
    texts = [text.strip() for text in spelled]
    check_not_long(texts, str(values.name), case)
    padded = [text for text in spelled if text != text.strip()]
    if padded:
        note = f"Blanks around the names of tasks were removed, as of {padded[0][:40]!r}"
        case.notes.append(note)
    return np.array(texts)[codes]


def check_not_long(levels: list[str], column: str, case: Case) -> None:
    if max(map(len, levels), default=0) > LONGEST:
        what = f"has texts of more than {LONGEST} characters in column {column!r}"
        raise case.fault(what, "shorten them, or leave the column out")
