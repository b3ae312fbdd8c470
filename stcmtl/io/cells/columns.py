"""What is known of a column: a record for the account and for further files, and its cells.

Nothing is refused while a table is interpreted: a column that cannot be told carries its fault,
which is raised where the column is used.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import NUMBER_KINDS
from stcmtl.errors import Setting
from stcmtl.io.account import Case, Column, Fault, list_names, quote
from stcmtl.io.cells.notation import Bodies, find_odd, list_bodies, tidy
from stcmtl.io.cells.signs import Evidence, weigh
from stcmtl.io.parsing import How
from stcmtl.phrases import counted

# Marks of missing values: those that are no words either; and in a column of numbers or dates.
NO_WORDS = {
    *("", ".", "..", "...", "-", "--", "---", "?", "??", "*", "n/a", "nan", "-nan", "<na>", "\\n"),
    *("null", "(null)", "missing", "#n/a", "#nv", "#na", "#div/0!", "#value!", "#ref!", "#name?"),
    *("#num!", "#null!", "#wert!", "#bezug!", "1.#qnan", "1.#ind", "-1.#ind"),
}
NO_NUMBERS = NO_WORDS | {"na", "none", "nil"}
MOSTLY = 0.8  # share of numbers from which a column of texts is a column of numbers with slips

Known = dict[str, dict[str, Any]]  # how columns of an earlier file were written


@dataclass(eq=False)
class Cells:
    """A column by its distinct cells: ``codes`` say which a row has, -1 for none.

    ``texts`` are those that are texts and no marks of missing values, and have ``bodies`` and
    ``evidence``. A column of numbers has none. ``like`` is the record of the same column in an
    earlier file.
    """

    name: str
    like: dict[str, Any]
    codes: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    levels: list[Any] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    at: list[int] = field(default_factory=list)  # the levels that are texts, and not missing
    typed: dict[int, Any] = field(default_factory=dict)  # the levels that are no texts
    marks: dict[str, int] = field(default_factory=dict)  # of missing values: how often they occur
    bodies: Bodies = field(default_factory=lambda: Bodies([], {}))
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def looks_numeric(self) -> bool:
        return bool(self.texts) and self.bodies.count() >= MOSTLY * len(self.texts)

    def count_rows(self) -> NDArray[np.int64]:
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    def spread(self, typed: Any, texts: NDArray[Any]) -> pd.Series:
        """The value of every row, from those of the levels that are no texts and that are."""
        values = np.full(len(self.levels) + 1, None, dtype=texts.dtype)
        values[self.at] = texts
        values[list(self.typed)] = typed
        return pd.Series(values[self.codes])


def holds_texts(column: pd.Series) -> bool:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return all(isinstance(level, str) for level in column.cat.categories)
    return column.dtype.kind not in NUMBER_KINDS + "Mm" or column.dtype == object


def list_whole_numbers(column: pd.Series) -> tuple[NDArray[np.int64], list[Any]]:
    """Codes and levels, by digits: whole numbers can be made to share one hash, and then 60,000 of
    them take twenty seconds.
    """
    keys = column.map(lambda value: f"\0{value}" if type(value) is int else value)
    codes, _ = pd.factorize(keys)
    found, first = np.unique(codes, return_index=True)
    return codes, column.iloc[first[found >= 0]].tolist()


def list_cells(column: pd.Series, how: How, like: dict[str, Any]) -> Cells:
    if "integer" in pd.api.types.infer_dtype(column):
        codes, levels = list_whole_numbers(column)
    else:
        codes, uniques = pd.factorize(column)
        levels = uniques.tolist()
    cells = Cells(str(column.name), like, codes, levels, levels, list(range(len(levels))))
    cells.typed = {n: level for n, level in enumerate(levels) if not isinstance(level, str)}
    odd = find_odd([t for t in levels if isinstance(t, str)] if cells.typed else levels)
    given = {tidy(mark) for mark in how.missing_marks or ()}
    if odd or cells.typed or given:  # most cells of most columns are numbers, and need no look
        counts = cells.count_rows()
        cells.texts, cells.at = [], []
        for number, level in enumerate(levels):
            if number in cells.typed:
                continue
            text = tidy(level) if level in odd else level
            if text in given or (level in odd and text.casefold() in NO_NUMBERS):
                cells.marks[text] = cells.marks.get(text, 0) + int(counts[number])
            else:
                cells.texts.append(text)
                cells.at.append(number)
    if cells.texts:
        cells.bodies = list_bodies(cells.texts, {*map(tidy, odd)} - cells.marks.keys())
        if cells.looks_numeric:
            cells.evidence = weigh(cells.bodies.bodies)
    return cells


def tell_slip(wrong: list[str], kind: str = "numbers") -> Fault:
    shown = "".join(sign if sign.isprintable() else "?" for sign in wrong[0][:40])
    remedy = "correct such cells, empty them, or ", Setting("missing_marks", [shown], "pass {}")
    return Fault(f"has {kind} in", f" but also {quote(shown)}", remedy)


def tell_marks(name: str, marks: dict[str, int]) -> tuple[str, ...]:
    """What was taken as missing; blank cells need no word."""
    shown = [f"{quote(mark)} ({counted(number, 'cell')})" for mark, number in marks.items() if mark]
    return (
        (f"In column {quote(name)} {', '.join(shown[:5])} was taken as missing",) if shown else ()
    )


def describe_empty(name: str, missing: int) -> Column:
    return Column(name, "empty", missing=missing, becomes="left out")


def show_first(column: pd.Series) -> str:
    first = column.iloc[0] if len(column) else None
    if pd.isna(first):
        first = next(iter(column.dropna()), None)
    if first is None:
        return ""
    if isinstance(first, pd.Timestamp):
        return f"{first:%Y-%m-%d}" if first == first.normalize() else f"{first:%Y-%m-%d %H:%M:%S}"
    return f"{first:.10g}" if isinstance(first, (float, np.floating)) else str(first)[:40]


def check_columns(
    columns: dict[str, Column], features: Iterable[str], targets: Iterable[str], case: Case
) -> None:
    """Refuse what cannot be told, now that it is to be used."""
    for called, names in (("column", features), ("the target", targets)):
        for name in names:
            if name in columns and (fault := columns[name].fault) is not None:
                raise case.fault(fault.at(f"{called} {quote(name)}"), fault.remedy)


def tell_columns(columns: dict[str, Column], used: Collection[Any], case: Case) -> None:
    used = set(used)
    for name, column in columns.items():
        if name in used:
            case.notes += column.said
            if column.doubt:
                case.advice.append(column.doubt)


def conclude_columns(
    columns: dict[str, Column],
    features: Collection[str],
    task: Any,
    targets: Collection[str],
    case: Case,
) -> tuple[Column, ...]:
    becomes = {name: columns[name].becomes for name in features if name in columns}
    becomes |= {name: list_names(parts) for name, parts in case.encoded.items()}
    becomes |= {name: f"left out: {why}" for name, why in case.left_out.items()}
    becomes |= {**dict.fromkeys(targets, "the target"), task: "the task"}
    return tuple(replace(c, becomes=becomes.get(name, "not used")) for name, c in columns.items())
