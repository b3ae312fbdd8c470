"""Which column names the task: by its name, by what it holds and by how it goes with others.

Every column gets points for what speaks for it; the best is taken if it has enough of them, and
what else it could have been is said. Nobody is ever served a guess without its alternatives.
"""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.errors import Setting, Text
from stcmtl.io.account import Case, list_names, quote
from stcmtl.io.cells.numbers import is_whole
from stcmtl.io.limits import ReadError, shorten
from stcmtl.io.names import SHEET, SURE, find_role, names_tasks
from stcmtl.phrases import counted

ENOUGH_ROWS = 5  # the median task has so many, or a fit of its own means little
ENOUGH_TASKS = 5  # to look for clusters among them
FIRST_ROWS = 2000  # most columns are ruled out by so many
LONGEST = 500  # characters of a text that names something
LONG = 60  # characters of a text that says something, on average
SURE_ENOUGH = 1.0  # points from which a column is taken as the task
POSSIBLE = 0.25  # points from which it is named as what it could also be
CLOSE = 1.0  # points between two columns that are about as good
MOST_YEARS = 100  # in a table that has a column of years
MOST_FIRST = 200  # columns at either end that may be a key or a target without being called so
MOST_COMPARED = 40  # candidates that are held against each other
SPARSE = 10  # times as far apart as they are many, of numbers that are codes
MOST_ASKED = 12  # columns that a question names
SHOWN = 3  # alternatives in a sentence
BY_NAME = {"sure": 10.0, SHEET: 5.0, "entity": 3.0, "id": 2.0, "group": 1.5, "": 0.0}
BY_NAME |= {"trait": -2.0, "either": -3.0, "measure": -3.0, "time": -5.0}
FEW_TASKS = {1: -2.5, 2: -1.5, 3: -0.75, 4: -0.25}
FEW_ROWS = {1: -3.0, 2: -1.0, 3: -0.75, 4: -0.5}  # of the median task
NO_NAMES = ("time", "trait", "either", "measure")
FEWEST_TWINS = 10  # rows that share their value with an earlier one, below which chance may do it

Codes = NDArray[np.int32]  # of a value per row, -1 for none


class ChoiceNeededError(ReadError):
    """A question with an answer per candidate: ``candidates`` are names with what they would give.

    ``setting`` is what to choose, "task" or "target".
    """

    def __init__(self, setting: str, candidates: dict[str, str], what: Text, where: str) -> None:
        super().__init__(what, where=where)
        self.setting, self.candidates = setting, candidates


@dataclass(frozen=True, eq=False)
class Candidate:
    """A column that could name the tasks, and the points that speak for it.

    ``twins`` name the same tasks in other words: the number and the name of a store.
    """

    name: str
    sizes: NDArray[np.intp]
    text: bool
    role: str
    in_blocks: bool
    points: float = 0.0
    twins: frozenset[str] = frozenset()

    @property
    def typical(self) -> float:
        return float(np.median(self.sizes))

    @property
    def good(self) -> bool:
        return self.points >= SURE_ENOUGH

    def __str__(self) -> str:
        """30 tasks of 76 to 88 rows."""
        few, most = self.sizes.min(), self.sizes.max()
        each = f"{few:,}" if few == most else f"{few:,} to {most:,}"
        return f"{counted(len(self.sizes), 'task')} of {each} row{'s' if most > 1 else ''}"

    def plus(self, points: float) -> Self:
        return replace(self, points=self.points + points)


def guess_task(ranked: list[Candidate], columns: list[str], case: Case) -> str:
    """The likeliest of the ranked, with what else it could have been in ``case.alternatives``."""
    if not ranked or not ranked[0].good:
        raise ask_task(ranked, columns, case)
    best = ranked[0]
    case.alternatives |= {other.name: str(other) for other in find_alternatives(ranked)}
    shown = [f"{quote(name)} ({counts})" for name, counts in case.alternatives.items()][:SHOWN]
    counts, also = (f" ({best})", f"; it could also be {' or '.join(shown)}") if shown else ("", "")
    texts = {candidate.name for candidate in ranked if candidate.text}
    why = tell_why(best, best.name == next((c for c in columns if c in texts), None))
    case.guessed.append(f"the task is column {quote(best.name)}{counts}, {why}{also}")
    return best.name


def find_alternatives(ranked: list[Candidate]) -> list[Candidate]:
    """What would give other tasks than the first candidate, and could be meant."""
    others = [other for other in ranked[1:] if other.name not in ranked[0].twins]
    named = [other for other in others if names_tasks(other.name) or other.points >= POSSIBLE]
    return [other for other in named if len(other.sizes) > 1]


def is_close(ranked: list[Candidate]) -> bool:
    """Whether another column, which would give other tasks, is about as good as the first."""
    return any(other.points > ranked[0].points - CLOSE for other in find_alternatives(ranked))


def ask_task(ranked: list[Candidate], columns: list[str], case: Case) -> ChoiceNeededError:
    possible = {candidate.name: str(candidate) for candidate in ranked}
    named = [f"{list_names([name])} ({counts})" for name, counts in possible.items()][:MOST_ASKED]
    among = ", ".join(named) or list_names(columns, MOST_ASKED)
    choose = Setting("task", "...", "Pass {}, one of")
    several = Setting("target", ["...", "..."]), " if every target is a task"
    what = "which column names the task? ", choose, f" {among}; or ", *several
    return ChoiceNeededError("task", possible, what, f"{shorten(case.name)}:")


def tell_why(best: Candidate, first_text: bool) -> str:
    if names_tasks(best.name):
        return "by its name"
    if best.text:
        return "the first of repeated texts" if first_text else "texts that repeat"
    return "whole numbers that come in blocks" if best.in_blocks else "whole numbers that repeat"


def rank_tasks(frame: pd.DataFrame, columns: list[str]) -> list[Candidate]:
    codes: dict[str, Codes] = {}
    found = []
    for name in pick_worthy(frame, columns):
        own = encode(frame[name])
        if candidate := weigh_alone(frame[name], own, name == columns[0]):
            codes[name] = own
            found.append(candidate)
    if len(texts := [candidate for candidate in found if candidate.text]) == 1:
        found = [candidate.plus(1.0 * (candidate is texts[0])) for candidate in found]
    found.sort(key=lambda candidate: -candidate.points)
    first = {c: frame[c] for c in columns[:MOST_COMPARED]}
    dated = [c for c, v in first.items() if v.dtype.kind == "M" or role_of(v, c) == "time"]
    clocks = [encode(frame[c]) for c in dated]
    best, rest = found[:MOST_COMPARED], found[MOST_COMPARED:]
    best = [candidate.plus(weigh_order(candidate, codes, clocks)) for candidate in best]
    found = sorted([*weigh_nesting(best, codes), *rest], key=lambda candidate: -candidate.points)
    several = [candidate for candidate in found if len(candidate.sizes) > 1]
    # one school is a task where nothing else is called like one
    return several if any(c.good and names_tasks(c.name) for c in several) else found


def pick_worthy(frame: pd.DataFrame, columns: list[str]) -> list[str]:
    """Of thousands of columns the first, and those that are texts or called like tasks."""
    first, dtypes = set(columns[:MOST_FIRST]), dict(frame.dtypes)
    likely = [c for c in columns if c in first or is_text_kind(dtypes[c]) or names_tasks(c)]
    return [column for column in likely if can_name(frame[column])]


def weigh_alone(values: pd.Series, codes: Codes, first: bool) -> Candidate | None:
    """Points of a column by itself: its name, its kind, its tasks and their rows.

    None for measures and for what has a value of its own in every row.
    """
    name = str(values.name)
    sizes = np.bincount(codes[codes >= 0])
    named = names_tasks(name) not in ("", "id")
    if len(sizes) < (1 if named else 2) or len(values) > 2 * sizes.sum():
        return None
    if len(sizes) > len(values) // 2 and find_role(name) not in SURE:
        return None
    # rows sorted by task
    in_blocks = bool(1 + np.count_nonzero(np.diff(codes)) == len(sizes))
    found = Candidate(name, sizes, is_text(values), role_of(values, name), in_blocks)
    points = BY_NAME[found.role] + 0.5 * first + 1.0 * found.text
    points += FEW_TASKS.get(len(sizes), 0.0) + FEW_ROWS.get(int(found.typical), 0.0)
    if in_blocks:
        points += 1.0 if found.text or found.role else 3.0
    elif not found.role and len(sizes) >= ENOUGH_TASKS and are_codes(values, len(sizes)):
        points += 1.0
    return found.plus(points - 0.5 * bool((codes < 0).any()))


def are_codes(values: pd.Series, n_levels: int) -> bool:
    """Few whole numbers far apart, by irregular steps: 1043, 2206, 2209, ... number something."""
    if values.dtype.kind not in "iu":
        return False
    steps = np.diff(np.sort(values.dropna().unique()).astype(np.int64))
    return bool(steps.sum() >= SPARSE * n_levels and np.gcd.reduce(steps) == 1)


def role_of(values: pd.Series, name: str) -> str:
    """What the name says, or the values where they are years or it says a thing in the plural."""
    role = find_role(name)
    if role == "either" and is_text(values):
        return "group"  # words are no counts
    return "time" if role in ("", "id", SHEET) and are_years(values) else role


def are_years(values: pd.Series) -> bool:
    if values.dtype.kind not in "iu" and not is_text(values):
        return False
    levels = pd.to_numeric(pd.Series(values.dropna().unique()), errors="coerce")
    return len(levels) <= MOST_YEARS and bool(levels.between(1900, 2100).all())


def can_name(values: pd.Series) -> bool:
    """Whole numbers and short texts can; the first rows rule out most of what cannot."""
    if values.dtype.kind in "mMc":
        return False
    if values.dtype.kind == "f":
        return is_whole(values.to_numpy())
    if not is_text(values):
        return True
    return bool(values[:FIRST_ROWS].dropna().astype(str).str.len().mean() <= LONG)


def is_text(values: pd.Series) -> bool:
    return is_text_kind(values.dtype)


def is_text_kind(dtype: Any) -> bool:
    return not pd.api.types.is_numeric_dtype(dtype) and dtype.kind not in "mM"


def encode(values: pd.Series) -> Codes:
    return pd.factorize(values)[0].astype(np.int32)


def weigh_order(candidate: Candidate, codes: dict[str, Codes], clocks: list[Codes]) -> float:
    """Points for a key of a panel; fewer for what only counts rows within something else."""
    own = codes[candidate.name]
    if any(is_panel(own, clock) for clock in clocks):
        return 2.0
    if candidate.text or candidate.role:
        return 0.0
    counts_up = np.mean(np.diff(own[:FIRST_ROWS]) == 1) > 0.8  # 1, 2, 3, ..., 1, 2, 3, ...
    return -3.0 if counts_up else 0.0


def is_panel(codes: Codes, clock: Codes) -> bool:
    """Whether every row is another date, year or visit of its task."""
    levels = int(clock.max()) + 1
    if levels > len(clock) // 2:
        return False  # a date of its own per row says nothing of the tasks
    pairs = codes.astype(np.int64) * levels + clock
    return all(len(np.unique(part)) == len(part) for part in (pairs[:FIRST_ROWS], pairs))


def weigh_nesting(found: list[Candidate], codes: dict[str, Codes]) -> list[Candidate]:
    """Of a key and the groups of its values the finer, as long as its tasks have enough rows."""
    gains: dict[str, set[float]] = {candidate.name: set() for candidate in found}
    twins: dict[str, set[str]] = {candidate.name: set() for candidate in found}
    for fine, coarse in permutations(found, 2):
        if not 2 <= len(coarse.sizes) <= len(fine.sizes):
            continue
        if not is_function(codes[fine.name], codes[coarse.name]):
            continue
        # of three clinics nobody asks which go together, of thirty schools one does
        enough = ENOUGH_ROWS if len(coarse.sizes) >= ENOUGH_TASKS else 3
        if len(fine.sizes) == len(coarse.sizes):
            twins[fine.name].add(coarse.name)
            if fine.text and fine.role == coarse.role:  # a name rather than a number
                gains[fine.name].add(max(coarse.points - fine.points, 0.0) + 0.25)
        elif coarse.role == "entity" != fine.role and len(coarse.sizes) >= ENOUGH_TASKS:
            continue  # the classes of a school are no schools
        elif fine.typical >= enough and fine.role not in NO_NAMES:
            gains[fine.name].add(1.5)
            gains[coarse.name].add(-2.5)
        elif coarse.typical >= ENOUGH_ROWS and coarse.role not in NO_NAMES:
            gains[fine.name].add(-2.5)
    return [replace(c.plus(sum(gains[c.name])), twins=frozenset(twins[c.name])) for c in found]


def is_function(of: Codes, values: Codes) -> bool:
    """Whether all rows of one code have one value, and not by chance; -1 is no code and no value.

    The first rows settle it for most pairs of columns.
    """
    if len(of) > FIRST_ROWS and not goes_with(of[:FIRST_ROWS], values[:FIRST_ROWS]):
        return False
    return goes_with(of, values) and len(of) - int(of.max()) > FEWEST_TWINS


def is_constant_within(tasks: Codes, values: pd.Series) -> bool:
    """The same of a column as it stands; of numbers a difference soon shows."""
    first = slice(FIRST_ROWS)
    return goes_with(tasks[first], encode(values[first])) and is_function(tasks, encode(values))


def goes_with(of: Codes, values: Codes) -> bool:
    known = np.flatnonzero((of >= 0) & (values >= 0))
    of, values = of[known], values[known]
    first = np.zeros(int(of.max(initial=0)) + 1, dtype=np.intp)
    first[of[::-1]] = np.arange(len(of))[::-1]
    return bool((values[first[of]] == values).all())


def label_tasks(values: pd.Series, case: Case) -> NDArray[Any]:
    """A label per row: whole numbers as such, anything else as text without blanks around it."""
    missing = int(values.isna().sum())
    if missing:
        what = f"has {counted(missing, 'row')} without a task in column {quote(values.name)}"
        raise case.fault(what, "fill or delete such rows")
    if values.dtype.kind in "iu":
        return values.to_numpy(np.int64)
    if values.dtype.kind == "f":
        numbers = values.to_numpy(np.float64)
        if not np.isfinite(numbers).all() or (numbers % 1).any() or np.abs(numbers).max() > 2**53:
            what = f"has fractions in the task column {quote(values.name)}"
            raise case.fault(what, "name the tasks by whole numbers or text")
        return numbers.astype(np.int64)
    if values.dtype.kind == "M":
        days = bool((values == values.dt.normalize()).all())
        values = values.dt.strftime("%Y-%m-%d" if days else "%Y-%m-%d %H:%M:%S")
    codes, levels = pd.factorize(values)
    spelled = [str(level) for level in levels]
    texts = [text.strip() for text in spelled]
    check_not_long(texts, str(values.name), case)
    if len({text.casefold() for text in texts}) < len(set(texts)):
        alike = Counter(text.casefold() for text in set(texts)).most_common(1)[0][0]
        two = sorted({quote(text) for text in texts if text.casefold() == alike})
        case.notes.append(f"The tasks {' and '.join(two[:2])} differ in capitals only, and are two")
    padded = [text for text in spelled if text != text.strip()]
    if padded:
        note = f"Blanks around the names of tasks were removed, as of {padded[0][:40]!r}"
        case.notes.append(note)
    return np.array(texts)[codes]


def check_not_long(levels: list[str], column: str, case: Case) -> None:
    if max(map(len, levels), default=0) > LONGEST:
        what = f"has texts of more than {LONGEST} characters in column {quote(column)}"
        raise case.fault(what, "shorten them, or leave the column out")
