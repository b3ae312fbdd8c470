"""A data frame as tasks: long (a task column and a target column) or wide (a target per task)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.errors import Setting
from stcmtl.io.account import Case, list_names, quote, shorten
from stcmtl.io.features import is_empty
from stcmtl.io.guess import (
    Candidate,
    guess_task,
    is_close,
    is_constant_within,
    label_tasks,
    rank_tasks,
)
from stcmtl.io.guess_target import counts_rows, guess_target, guess_wide, rank_targets
from stcmtl.io.limits import Limits
from stcmtl.io.names import SURE, find_role, simplify
from stcmtl.io.sources import number_names
from stcmtl.phrases import counted

LAYOUTS = ("long", "wide")
NAMELESS = re.compile(r"column \d+|Unnamed: \d+|")
INDEX = re.compile(r"__index_level_\d+__")  # as pandas saves an index without a name
ROW_NAMES = ("index", "id", "row", "row_id", "rownames", "row_names", "level_0", "x")  # R: X

TOTAL = re.compile(
    r"(grand |sub-?)?(total|sum|summe|gesamt|insgesamt|somme|mean|average|mittelwert|moyenne)s?:?",
    re.IGNORECASE,
)
MOST_TOTALS = 0.5  # of the rows of a task, above which a task may really be called so


@dataclass(frozen=True)
class Asked:
    """What the caller of ``read`` says about a file; what is None is guessed.

    ``features`` are the columns to use as such, and no others; those in ``exclude`` are neither
    features nor guessed to be anything else.
    """

    task: str | None = None
    target: str | list[str] | None = None
    layout: str | None = None
    task_type: str | None = None
    missing: str = "error"
    features: Sequence[str] | None = None
    exclude: Sequence[str] = ()
    weight: str | None = None

    @property
    def columns(self) -> set[str | None]:
        several = self.target if isinstance(self.target, list) else [self.target]
        return {self.task, *several}

    def leave_open(self, columns: Sequence[str]) -> list[str]:
        return [c for c in columns if c not in self.exclude and c not in (self.features or ())]

    def pick_features(self, columns: Sequence[str], case: Case) -> list[str]:
        """The features among columns that are neither task nor target; what is not, is said."""
        if self.features is not None:
            if taken := [name for name in self.features if name not in columns]:
                what = f"{quote(taken[0])} cannot be a feature and the task or the target too"
                raise case.question(what, "leave it out of one of them")
            others = [c for c in columns if c not in self.features and c not in self.exclude]
            if others:
                case.dropped[f"columns that were not asked for: {list_names(others)}"] = len(others)
        for column in columns:
            if column in self.exclude:
                case.leave_out(column, "as asked")
        wanted = set(columns if self.features is None else self.features)
        return [c for c in columns if c in wanted and c not in self.exclude]


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
    weight: NDArray[Any] | None = None
    beside: tuple[str, ...] = ()  # columns of ``features`` that are none, and may tell of tasks

    def keep(self, rows: NDArray[np.bool_]) -> Self:
        features = self.features[[*self.names, *self.beside]][rows].reset_index(drop=True)
        weight = None if self.weight is None else self.weight[rows]
        kept = replace(self, features=features, weight=weight)
        return replace(kept, y=self.y[rows], tasks=self.tasks[rows])


def take_table(
    frame: pd.DataFrame, asked: Asked, case: Case, ranked: list[Candidate] | None = None
) -> RawTasks:
    """Long or wide, as asked or as the columns look."""
    check_has_rows(frame, case)
    columns = choose_columns(frame, asked, case)
    layout, target = asked.layout, asked.target
    if isinstance(target, list):
        layout = "wide"
    elif layout is None and (asked.task or target):
        layout = "long"
    if layout != "long" and not target:
        left = asked.leave_open(columns)
        wide = guess_wide(frame, left, rank_again(frame, left, ranked))
        if layout is None and wide:
            case.guessed.append(f"one design with a target column per task: {list_names(wide)}")
        layout, asked = layout or ("wide" if wide else "long"), replace(asked, target=wide or None)
    if layout == "wide":
        return take_wide(frame, columns, asked, case)
    return take_long(frame, columns, asked, case, ranked)


def rank_again(
    frame: pd.DataFrame, columns: list[str], ranked: list[Candidate] | None
) -> list[Candidate]:
    """As ranked before, unless one of them is no longer to be chosen."""
    if ranked is None or any(candidate.name not in columns for candidate in ranked):
        return rank_tasks(frame, columns)
    return ranked


def check_has_rows(frame: pd.DataFrame, case: Case) -> None:
    if len(frame) == 0:
        raise case.fault("has a header but no rows", "export it again")


def check_there(column: Any, columns: list[str], case: Case) -> None:
    if column not in columns:
        raise case.fault(f"has no column {quote(column)}", f"it has {list_names(columns, 12)}")


def choose_columns(frame: pd.DataFrame, asked: Asked, case: Case) -> list[str]:
    """All but the weights, and what holds nothing, or is a saved index, and was not asked for."""
    weights = [] if asked.weight is None else [asked.weight]
    for name in (*(asked.features or ()), *asked.exclude, *weights):
        check_there(name, list(frame.columns), case)
    if twice := {*weights} & {*asked.columns, *(asked.features or ()), *asked.exclude}:
        raise case.question(f"{quote(twice.pop())} cannot be the weight and something else too")
    ignored = {c: "is empty" for c in frame.columns if NAMELESS.fullmatch(c) and is_empty(frame[c])}
    ignored |= dict.fromkeys(find_row_numbers(frame), "only numbers the rows")
    ignored |= {c: "is the index of a data frame" for c in frame.columns if INDEX.fullmatch(c)}
    wanted = {*asked.columns, *(asked.features or ()), *asked.exclude}
    ignored = {column: why for column, why in ignored.items() if column not in wanted}
    for column, why in ignored.items():
        case.leave_out(column, f"which {why}")
    return [column for column in frame.columns if column not in (*ignored, *weights)]


def find_row_numbers(frame: pd.DataFrame) -> list[str]:
    """First columns that only number the rows: as pandas and R save them, perhaps twice.

    Where other columns have names, one without need not count: the rows of R have names, and rows
    that were left out leave gaps.
    """
    found: list[str] = []
    while len(frame.columns) - len(found) > 3 and len(frame) > 1:
        first, *others = frame.columns[len(found) :]
        if not numbers_rows(frame[first], all(map(NAMELESS.fullmatch, others))):
            break
        found.append(first)
    return found


def numbers_rows(values: pd.Series, among_nameless: bool) -> bool:
    nameless = NAMELESS.fullmatch(str(values.name)) is not None
    if nameless and not among_nameless:
        if values.dtype.kind in "iu":  # 0, 1, 2, 0, 1, 2, ...: of several tables, one below another
            numbers = values.to_numpy()
            return bool(values.is_unique or ((np.diff(numbers) == 1) | (numbers[1:] == 0)).all())
        return bool(values.is_unique and values.notna().all())
    called = nameless or simplify(values.name) in ROW_NAMES
    return called and counts_rows(values) and values.iloc[0] in (0, 1)


def take_long(
    frame: pd.DataFrame,
    columns: list[str],
    asked: Asked,
    case: Case,
    ranked: list[Candidate] | None = None,
) -> RawTasks:
    task, target = asked.task, asked.target
    for name in filter(None, (task, target)):
        check_there(name, columns, case)
    left = asked.leave_open(columns)
    if task is None:
        left = [column for column in left if column != target]
        task = guess_task(rank_again(frame, left, ranked), left, case)
    if not isinstance(target, str):
        target = guess_target(frame, [c for c in left if c != task], case, frame[task])
    if task == target:
        raise case.question(f"{quote(task)} cannot be both the task and the target")
    others = [c for c in columns if c not in (task, target)]
    features = asked.pick_features(others, case)
    if not features:
        what = f"has no column left for features beside {quote(task)} and {quote(target)}"
        raise case.fault(what)
    taken = set(features)
    beside = tuple(c for c in others if c not in taken)
    labels = label_tasks(frame[task], case)
    layout = "long (a task column and a target column)"
    found = {"task": task, "target": target, "layout": "long"}
    y, weight = frame[target].to_numpy(), take_weight(frame, asked)
    rows = RawTasks(frame, features, y, labels, layout, target, understood=found, weight=weight)
    return replace(rows, beside=beside)


def take_weight(frame: pd.DataFrame, asked: Asked) -> NDArray[Any] | None:
    return None if asked.weight is None else frame[asked.weight].to_numpy()


def leave_totals_out(rows: RawTasks, case: Case) -> RawTasks:
    """Rows under a table, or under each task, that sum up the others: no task of their own."""
    codes, names = pd.factorize(rows.tasks)
    named = np.array([TOTAL.fullmatch(str(name)) is not None for name in names])[codes]
    sizes = pd.Series(rows.tasks[~named]).value_counts()
    if not named.any() or len(sizes) < 2 or named.sum() > MOST_TOTALS * sizes.median():
        return rows
    name = quote(rows.tasks[named][0])
    case.dropped[f"rows of {name}, which sum up others"] = int(named.sum())
    return rows.keep(~named)


def take_wide(frame: pd.DataFrame, columns: list[str], asked: Asked, case: Case) -> RawTasks:
    """The rows of the first target column that are not empty, then those of the second, ..."""
    targets = [asked.target] if isinstance(asked.target, str) else asked.target
    if not targets:
        choose = Setting("target", ["...", "..."], "Name them, one per task: {}")
        raise case.question(("which columns are the targets? ", choose))
    for name in targets:
        check_there(name, columns, case)
    features = asked.pick_features([c for c in columns if c not in targets], case)
    if not features:
        raise case.fault("has target columns only", "it needs features too")
    observed = [np.flatnonzero(frame[column].notna().to_numpy()) for column in targets]
    nothing = [column for column in targets if is_empty(frame[column])]
    if nothing:
        raise case.fault(f"has nothing in column {quote(nothing[0])}", "drop it, or fill it")
    case.check_shape(sum(rows.size for rows in observed), len(features))
    # of y1, y2 or target_math, target_art what follows the common beginning, if it is a name
    rests = [target[len(find_beginning(targets)) :] for target in targets]
    names = number_names(rests if all(rests) else targets)
    if [str(task) for task in names] != targets:
        case.notes.append(
            f"The task of column {quote(targets[0])} is called {shorten(names[0])}, and so on"
        )
    tasks = np.repeat(np.array(names), [rows.size for rows in observed])
    y = pd.concat([frame[c].iloc[r] for c, r in zip(targets, observed, strict=True)])
    order, weight = np.concatenate(observed), take_weight(frame, asked)
    design = frame[features].take(order).reset_index(drop=True)
    n_empty = len(frame) * len(targets) - len(tasks)
    layout = f"wide ({counted(len(targets), 'target column')}, {counted(n_empty, 'cell')} empty)"
    found = {"target": targets, "layout": "wide"}
    rows = RawTasks(design, features, y.to_numpy(), tasks, layout, "target", understood=found)
    return rows if weight is None else replace(rows, weight=weight[order])


def find_beginning(names: list[str]) -> str:
    """A shared word before a separator, or before numbers."""
    for separator in ("_", ".", "-", " ", ":"):
        words = {name.partition(separator)[0] + separator for name in names if separator in name}
        if len(words) == 1 and all(separator in name for name in names):
            return words.pop()
    words = {name.rstrip("0123456789") for name in names}
    return words.pop() if len(words) == 1 else ""


# What a person sees before anything is chosen


@dataclass(frozen=True, eq=False)
class Guess:
    """What a table looks like: ``task`` and ``targets`` as ``read`` would take them.

    ``tasks`` are the columns that could name the tasks, with what they would give ("30 tasks of 76
    to 88 rows"), the likeliest first; ``ask`` is set where the first two are about as good, or
    none is good enough. ``aims`` are the columns that could be the target. Several ``targets`` are
    a task each.
    """

    task: str | None = None
    targets: tuple[str, ...] = ()
    tasks: dict[str, str] = field(default_factory=dict)
    aims: tuple[str, ...] = ()
    ask: bool = False


def look_at_table(frame: pd.DataFrame, ranked: list[Candidate], one_per_file: bool) -> Guess:
    """The guesses of ``take_table``, or of ``take_files`` where each file is a task."""
    columns = choose_columns(frame, Asked(), Case("", Limits()))
    ranked = rank_again(frame, columns, ranked)
    tasks = {candidate.name: str(candidate) for candidate in ranked}
    if one_per_file:
        task = next((c for c in columns if find_role(c) in SURE), None)
    elif wide := guess_wide(frame, columns, ranked):
        return Guess(None, tuple(wide), tasks, tuple(columns))
    else:
        task = ranked[0].name if ranked and ranked[0].good else None
    rest = [column for column in columns if column != task]
    aims = tuple(rank_targets(frame, rest, None if task is None else frame[task]))
    ask = not one_per_file and (task is None or is_close(ranked))
    return Guess(task, aims[:1], tasks, aims, ask)


def find_task_columns(rows: RawTasks) -> dict[str, dict[Any, Any]]:
    """Columns that are the same in all rows of a task, with a value per task."""
    numbers, tasks = pd.factorize(rows.tasks)
    codes = numbers.astype(np.int32)
    if len(tasks) < 2:
        return {}
    # of thousands of columns two rows of the largest task tell nearly all
    largest = np.flatnonzero(codes == np.bincount(codes).argmax())
    names = [*rows.names, *rows.beside]
    one, other = rows.features.iloc[largest[[0, -1]]][names].to_numpy(object)
    found = {}
    for name, a, b in zip(names, one, other, strict=True):
        if not (pd.isna(a) or pd.isna(b) or a == b):
            continue
        values = rows.features[name]
        if values.nunique() > 1 and is_constant_within(codes, values):
            each = values.groupby(codes).first().reindex(range(len(tasks)))
            found[name] = dict(zip(tasks.tolist(), each.tolist(), strict=True))
    return found
