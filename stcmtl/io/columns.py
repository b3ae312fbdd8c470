"""What each column of a table holds: cells as they stand to numbers, dates, truth values, texts.

Nothing is refused here: a column that cannot be told carries its fault, which is raised where the
column is used. What is decided is kept as a small record, so that a further file is read alike.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import NUMBER_KINDS, numeric_vector
from stcmtl.errors import Setting
from stcmtl.io.account import Case, list_names
from stcmtl.io.dates import (
    ORDERS,
    Dates,
    Times,
    read_dates,
    read_numbers_as_dates,
    read_times,
)
from stcmtl.io.notation import (
    CODE,
    MANY_DIGITS,
    NOT_WHOLE,
    SHARES,
    Bodies,
    Evidence,
    Fault,
    Setup,
    Style,
    convert,
    decide,
    find_odd,
    list_bodies,
    tidy,
    weigh,
)
from stcmtl.io.parsing import How, Table
from stcmtl.phrases import counted

# Marks of missing values: in a column of numbers or dates; and those that are no words either.
NO_WORDS = {"", ".", "..", "...", "-", "--", "---", "?", "??", "*", "#n/a", "n/a", "nan", "-nan"}
NO_WORDS |= {
    "<na>",
    "\\n",
    "null",
    "(null)",
    "missing",
    "#nv",
    "#na",
    "#div/0!",
    "#value!",
    "#ref!",
}
NO_WORDS |= {"#name?", "#num!", "#null!", "#wert!", "#bezug!", "1.#qnan", "1.#ind", "-1.#ind"}
NO_NUMBERS = NO_WORDS | {"na", "none", "nil"}
USUAL = {"", "na", "nan", "n/a", "null", "<na>", "#n/a"}  # need not be told in a column of numbers
PERHAPS = ("NA", "None", "none", "na")  # levels, as a country or an alley may be called so
TRUTHS = {"true": True, "false": False}
PAIRS = ({"yes", "no"}, {"y", "n"}, {"ja", "nein"}, {"oui", "non"}, {"sí", "no"}, {"si", "no"})
FEWEST_NAMES = 10  # so many different texts or more, one per row, name the rows
FEW_LEVELS = 12  # of a text that become a column of 0 and 1 each without being asked for
MOST_FOLDED = 50  # levels among which two spellings are one
LONG_TEXT = 40  # characters on average, of a text that says something
MOSTLY = 0.8  # share of numbers from which a column of texts is a column of numbers with slips
RARE = 0.05  # share of rows with words, up to which they are slips among numbers
WHOLE_FLOAT = 2**53
NAMES_ROWS = re.compile(
    r"(?i)(^|[\W_])(id|ids|key|uuid|guid|no|nr|number|code|index|row)$|[a-z]ID$"
)
HALF_NUMBER = re.compile(r"[<>~≈≤≥*=]{0,2}\s*[+-]?\d")
SENTINELS = [-9.0, *(sign * (10.0**k - 1) for k in range(2, 10) for sign in (-1, 1))]
SENTINELS += [-99.9, -999.9, -9999.9, -999.25, -1e20, 1e20, -1e30, 1e30, -1e34, -9.96921e36]


@dataclass(frozen=True, eq=False)
class Column:
    """What one column is, and what becomes of it.

    ``kind`` is one of number, yes/no, date, time, span, text, identifier, free text, constant,
    empty, row number. ``notation`` says how its cells were written, for a further file; ``doubt``
    what they could also have meant; ``fault`` why they cannot be used, raised where they are.
    ``said`` are remarks for the account.
    """

    name: str
    kind: str
    example: str = ""
    missing: int = 0
    becomes: str = ""
    notation: dict[str, Any] = field(default_factory=dict)
    doubt: tuple[str | Setting, ...] = ()
    fault: Fault | None = None
    said: tuple[str, ...] = ()

    def check(self, place: str, case: Case) -> None:
        """``place`` is "column 'x'" or "the target 'x'"."""
        if self.fault is not None:
            raise case.fault(self.fault.at(place), self.fault.remedy)


@dataclass(eq=False)
class Cells:
    """A column by its distinct cells: ``codes`` say which a row has, -1 for none.

    ``texts`` are those that are texts and no marks of missing values, and have ``bodies`` and
    ``evidence``.
    """

    name: str
    codes: NDArray[np.int64]
    levels: list[Any]
    texts: list[str]
    at: list[int]  # the levels that are texts, and not missing
    typed: dict[int, Any]  # the levels that are no texts
    marks: dict[str, int]  # of missing values, with how often they occur
    bodies: Bodies = field(default_factory=lambda: Bodies([], {}))
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def numeric(self) -> int:
        return self.bodies.count()

    @property
    def looks_numeric(self) -> bool:
        return bool(self.texts) and self.numeric >= MOSTLY * len(self.texts)


Known = dict[str, dict[str, Any]]  # how columns of an earlier file were written


def interpret(table: Table, how: How, case: Case, known: Known | None = None) -> Table:
    """The table with its texts as the numbers and dates that they spell."""
    known = known or {}
    frame, written = table.frame, table.written
    cells = {n: list_cells(column, how) for n, column in frame.items() if holds_texts(column)}
    others = Evidence()
    for each in cells.values():
        if each.looks_numeric:
            others.add(each.evidence)
    if (sign := written.get("decimal")) and sign not in others.decimals:
        others.add(find_plain_fractions(frame, sign))
    setup = Setup(written.get("delimiter", ""), others, how.decimal, how.thousands)
    reader = Reader(how, setup, written, known, find_date_order(cells, how))
    columns, changed = {}, {}
    for name, column in frame.items():
        if name in cells:
            columns[name], values = reader.read_cells(cells[name], known.get(name, {}), len(frame))
        else:
            columns[name], values = reader.read_typed(column, known.get(name, {}))
        if values is not column:
            changed[name] = values
    tell_signs(columns.values(), case)
    if changed:
        whole = {name: changed.get(name, column) for name, column in frame.items()}
        frame = pd.DataFrame(whole, index=frame.index, copy=False)
    return replace(table, frame=frame, columns=columns)


def interpret_all(
    tables: Sequence[Table], how: How, case: Case, known: Known | None = None
) -> tuple[Table, ...]:
    """Tables of the same columns, together if written alike: what decides may stand in one only."""
    if len(tables) < 2 or len({frozenset(table.frame.columns) for table in tables}) > 1:
        return tuple(
            interpret(table, how, case if n == 0 else case.aside(table.name), known)
            for n, table in enumerate(tables)
        )
    alike: dict[tuple[str, str], list[int]] = {}
    for place, table in enumerate(tables):
        signs = table.written.get("delimiter", ""), table.written.get("decimal", "")
        alike.setdefault(signs, []).append(place)
    found = {
        place: table
        for places in alike.values()
        for place, table in zip(
            places, interpret_alike([tables[p] for p in places], how, case, known), strict=True
        )
    }
    columns = merge_columns([found[places[0]].columns for places in alike.values()])
    return tuple(replace(found[place], columns=columns) for place in range(len(tables)))


def interpret_alike(
    tables: list[Table], how: How, case: Case, known: Known | None
) -> Iterable[Table]:
    names = list(tables[0].frame.columns)
    whole = pd.concat([table.frame[names] for table in tables], ignore_index=True)
    one = interpret(Table(case.name, whole, tables[0].written), how, case, known)
    ends = np.cumsum([len(table.frame) for table in tables])
    parts = np.split(np.arange(len(whole)), ends[:-1])
    for table, rows in zip(tables, parts, strict=True):
        frame = one.frame.iloc[rows].reset_index(drop=True)
        yield replace(table, frame=frame, columns=one.columns)


def merge_columns(found: list[dict[str, Column]]) -> dict[str, Column]:
    """Of each column the record with a fault, or with a doubt, or the first."""
    merged = {}
    for name, first in found[0].items():
        all_of_it = [columns[name] for columns in found]
        kinds = {column.notation.get("kind") for column in all_of_it if column.kind != "empty"}
        worst = max(
            all_of_it, key=lambda c: (c.fault is not None, c.kind != "empty", bool(c.doubt))
        )
        if len(kinds) > 1 and worst.fault is None:
            one, two = sorted(map(str, kinds))[:2]
            fault = Fault(
                f"has {one}s in one file and {two}s in another in", "", "write them alike"
            )
            worst = replace(first, fault=fault)
        merged[name] = worst
    return merged


def holds_texts(column: pd.Series) -> bool:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return all(isinstance(level, str) for level in column.cat.categories)
    return column.dtype.kind not in NUMBER_KINDS + "Mm" or column.dtype == object


def list_cells(column: pd.Series, how: How) -> Cells:
    codes, uniques = pd.factorize(column)
    levels = uniques.tolist()
    typed = {n: level for n, level in enumerate(levels) if not isinstance(level, str)}
    odd = find_odd([level for level in levels if isinstance(level, str)] if typed else levels)
    given = {tidy(mark) for mark in how.missing_marks or ()}
    marks: dict[str, int] = {}
    texts, at = levels, list(range(len(levels)))
    tidied = set()
    if odd or typed or given:  # most cells of most columns are numbers, and need no look
        counts = np.bincount(codes[codes >= 0], minlength=len(levels))
        texts, at = [], []
        for number, level in enumerate(levels):
            if number in typed:
                continue
            text = tidy(level) if level in odd else level
            if text in given or (level in odd and text.casefold() in NO_NUMBERS):
                marks[text] = marks.get(text, 0) + int(counts[number])
                continue
            if level in odd:
                tidied.add(text)
            texts.append(text)
            at.append(number)
    cells = Cells(str(column.name), codes, levels, texts, at, typed, marks)
    if texts:
        cells.bodies = list_bodies(texts, tidied)
        if cells.looks_numeric:
            cells.evidence = weigh(cells.bodies.bodies)
    return cells


def find_plain_fractions(frame: pd.DataFrame, sign: str) -> Evidence:
    """Plain fractions show that their sign is decimal, as far as they are no 1.050."""
    for _, column in frame.items():
        if column.dtype.kind == "f":
            values = column.to_numpy()
            for part in (values[:1000], values):
                fractions = part[np.isfinite(part)]
                fractions = fractions[fractions % 1 != 0]
                clear = fractions[(np.abs(fractions) < 1) | (np.round(fractions, 3) != fractions)]
                if len(clear):
                    return Evidence(decimals={sign: f"{clear[0]:g}".replace(".", sign)})
    return Evidence()


def find_date_order(cells: dict[str, Cells], how: How) -> str:
    """The order that some column of dates proves, for those that prove none."""
    for each in cells.values():
        if each.texts and not each.looks_numeric and any(sign in each.texts[0] for sign in "/-"):
            dates = read_dates(each.texts)
            if dates is not None and dates.order and dates.fault is None:
                return dates.order
    return ""


def find_order(how: How) -> str:
    """``dmy`` of dates="day first"."""
    said = [ORDERS[word] for word in split_dates(how.dates) if word in ORDERS]
    return said[0] if said else ""


def split_dates(dates: str | None) -> list[str]:
    return [word.strip() for word in (dates or "").split(",") if word.strip()]


@dataclass(frozen=True)
class Reader:
    """Columns of one table, each with what is known of all."""

    how: How
    setup: Setup
    written: dict[str, Any]
    known: Known
    date_order: str

    # Typed cells

    def read_typed(self, column: pd.Series, like: dict[str, Any]) -> tuple[Column, Any]:
        name = str(column.name)
        if isinstance(column.dtype, pd.CategoricalDtype):
            return describe_text(column, name, {}), column
        if column.dtype.kind == "M":
            return describe_times(column, name, "date", {}, self.how), column
        if column.dtype.kind == "m":
            return describe_times(column, name, "span", {}, self.how), column
        if column.dtype.kind == "b":
            return describe_truths(column, name), column
        if column.dtype.kind == "u" and len(column) and column.max() > np.iinfo(np.int64).max:
            texts = column.astype(str)
            return describe_text(texts, name, {}), texts
        if like.get("kind") == "text":  # whole numbers among texts come back as 1.0 with holes
            return describe_text(column, name, {}), column
        column = self.drop_number_marks(column)
        return self.finish_numbers(column, name, Style(), Bodies([], {}), {}, like)

    def drop_number_marks(self, column: pd.Series) -> pd.Series:
        numbers = [float(m) for m in self.how.missing_marks or () if is_float(m)]
        if numbers and column.isin(numbers).any():
            return column.astype(np.float64).mask(column.isin(numbers))
        return column

    # Texts

    def read_cells(self, cells: Cells, like: dict[str, Any], n_rows: int) -> tuple[Column, Any]:
        """What a column of texts, or of cells of several kinds, holds."""
        kind = like.get("kind", "")
        if not cells.texts and not cells.typed and kind != "text":
            nothing = pd.Series(np.full(n_rows, np.nan))
            return Column(cells.name, "empty", missing=n_rows, becomes="left out"), nothing
        readers = (self.try_truths, self.try_numbers, self.try_dates, self.try_times)
        if kind != "text":
            for reader in readers:
                if (found := reader(cells, like)) is not None:
                    return found
        return self.take_texts(cells, like)

    def try_truths(self, cells: Cells, like: dict[str, Any]) -> tuple[Column, Any] | None:
        present = [*cells.typed.values(), *cells.texts]
        if not present or not all(str(level).casefold() in TRUTHS for level in present):
            return None
        truths = [TRUTHS.get(str(level).strip().casefold(), np.nan) for level in cells.levels]
        column = pd.Series(np.array([*truths, np.nan], dtype=np.float64)[cells.codes])
        if not column.isna().any():
            column = column.astype(bool)
        return describe_truths(column, cells.name, cells.marks), column

    def try_numbers(self, cells: Cells, like: dict[str, Any]) -> tuple[Column, Any] | None:
        typed = list(cells.typed.values())
        numbers = numeric_vector(pd.Series(typed, dtype=object)) if typed else np.empty(0)
        if numbers is None or like.get("kind") == "date":
            return None
        if not cells.texts:
            return self.join_numbers(cells, numbers, np.empty(0), Style(), like) if typed else None
        if self.is_code(cells, like):
            return None
        n_words = len(cells.texts) - cells.numeric
        if n_words and not self.are_slips(cells, n_words, len(typed)):
            return None
        if n_words:
            return self.keep_as_text(cells, tell_slip(cells, self.texts_without_body(cells)))
        if cells.bodies.fault is not None:
            return self.keep_as_text(cells, cells.bodies.fault)
        evidence = cells.evidence if cells.looks_numeric else weigh(cells.bodies.bodies)
        style = decide(evidence, replace(self.setup, like=like or None))
        fault = style.fault or self.compare_units(cells, like)
        if fault is not None:
            return self.keep_as_text(cells, fault)
        values = convert(cells.bodies.bodies, style)
        if np.isnan(values).any():
            return self.settle_misfits(cells, values, style)
        return self.join_numbers(cells, numbers, values, style, like)

    def settle_misfits(
        self, cells: Cells, values: NDArray[np.float64], style: Style
    ) -> tuple[Column, Any] | None:
        """Digits with signs that make no number, such as 1.2.3: words, unless they are few."""
        wrong = [text for text, value in zip(cells.texts, values, strict=True) if np.isnan(value)]
        if self.are_slips(cells, len(wrong), 0) or self.how.decimal or self.how.thousands:
            return self.keep_as_text(cells, tell_slip(cells, wrong))
        return None

    def are_slips(self, cells: Cells, n_words: int, n_typed: int) -> bool:
        total = len(cells.texts) + n_typed
        if total > 2 and n_words <= (1 - MOSTLY) * total:
            return True
        words = [cells.at[i] for i, body in enumerate(cells.bodies.bodies) if body is None]
        rows = int(np.isin(cells.codes, words).sum())
        return total - n_words > 2 and rows <= RARE * len(cells.codes)

    def texts_without_body(self, cells: Cells) -> list[str]:
        pairs = zip(cells.texts, cells.bodies.bodies, strict=True)
        return [text for text, body in pairs if body is None]

    def is_code(self, cells: Cells, like: dict[str, Any]) -> bool:
        """Digits that are a name: with leading zeros, too many for a number, or in quotes."""
        if like.get("kind") == "number" or cells.numeric < len(cells.texts):
            return False
        joined = "\n".join(cells.texts)
        if NOT_WHOLE.search(joined):
            return False
        if MANY_DIGITS.search(joined):
            return True
        as_text = cells.name in self.written.get("quoted", ())
        as_text |= "delimiter" not in self.written and len(cells.at) == len(cells.levels)
        return as_text or CODE.search(joined) is not None

    def compare_units(self, cells: Cells, like: dict[str, Any]) -> Fault | None:
        """Percent in one file and not in the other, or two currencies, are no small matter."""
        before, now = set(like.get("units", ())), set(cells.bodies.units)
        shares = (before & set(SHARES)) != (now & set(SHARES))
        if not like or (not shares and (before == now or not before or not now)):
            return None
        shown = next(iter(cells.bodies.units.values()), cells.texts[0])
        after = f", where the model was fitted on numbers such as {like.get('example', '')!r}"
        return Fault(f"has {shown!r} in", after, "write them as in the fitted file")

    def keep_as_text(self, cells: Cells, fault: Fault) -> tuple[Column, Any]:
        column, values = self.take_texts(cells, {})
        return replace(column, kind="text", fault=fault, becomes="in doubt"), values

    def join_numbers(
        self,
        cells: Cells,
        typed: NDArray[np.float64],
        values: NDArray[np.float64],
        style: Style,
        like: dict[str, Any],
    ) -> tuple[Column, Any]:
        numbers = np.full(len(cells.levels) + 1, np.nan)
        numbers[cells.at] = values
        numbers[list(cells.typed)] = typed
        column = self.drop_number_marks(pd.Series(numbers[cells.codes]))
        marks = {m: n for m, n in cells.marks.items() if m.casefold() not in USUAL}
        return self.finish_numbers(column, cells.name, style, cells.bodies, marks, like, cells)

    def finish_numbers(
        self,
        column: pd.Series,
        name: str,
        style: Style,
        bodies: Bodies,
        marks: dict[str, int],
        like: dict[str, Any],
        cells: Cells | None = None,
    ) -> tuple[Column, Any]:
        """Numbers as they are; dates where whole numbers such as 20210305 are."""
        values = column.to_numpy()
        whole = is_whole(values)
        if whole and like.get("kind") != "number":
            dated = self.try_number_dates(column, name, like)
            if dated is not None:
                return dated
        if cells is not None and whole and not column.isna().any():
            column = column.astype(np.int64)
        cell = next(iter(bodies.units.values()), "") or (
            cells.texts[0] if cells and cells.texts else ""
        )
        example = cell or show_first(column)
        point = style.decimal or ("" if whole else self.written.get("decimal", ""))
        notation: dict[str, Any] = {"kind": "number", "decimal": point}
        notation |= {"thousands": style.thousands, "units": list(bodies.units), "whole": whole}
        notation["example"] = example
        if "delimiter" in self.written:
            notation["delimiter"] = self.written["delimiter"]
        said = [tell_units(name, bodies, cells, column)] if bodies.units else []
        said += tell_marks(name, marks)
        typed_text = cells is not None and "delimiter" not in self.written and cells.texts
        if (typed_text or name in self.written.get("quoted", ())) and not bodies.units:
            said.append(f"Column {name!r} holds numbers as text, and was read as numbers")
        doubt = style.doubt or find_sentinel(column) or find_months(column, name)
        kind = find_number_kind(column, name, whole)
        becomes = "left out: a name of something" if kind == "identifier" else "as it is"
        n_missing = count_missing(column)
        doubt = (f"In column {name!r} ", *doubt) if doubt else ()
        told = tuple(filter(None, said))
        found = Column(name, kind, example, n_missing, becomes, notation, doubt, None, told)
        return found, column

    def try_number_dates(
        self, column: pd.Series, name: str, like: dict[str, Any]
    ) -> tuple[Column, Any] | None:
        values = column.to_numpy()
        first = values[:1000][~np.isnan(values[:1000].astype(np.float64))]
        if len(first) == 0 or first.min() < 190_000 or first.max() > 21_001_231:
            return None
        codes, levels = pd.factorize(column)
        dates, sure = read_numbers_as_dates(np.asarray(levels), name)
        if dates is None:
            return None
        if not sure and like.get("kind") != "date":
            return None
        times = pd.Series(np.append(dates, np.datetime64("NaT"))[codes])
        said = (f"Column {name!r} was read as dates, {levels[0]:.0f} as {dates[0]!s:.10}",)
        found = describe_times(times, name, "date", {}, self.how)
        return replace(found, example=f"{levels[0]:.0f}", said=said), times

    def try_dates(self, cells: Cells, like: dict[str, Any]) -> tuple[Column, Any] | None:
        if like.get("kind") == "number":
            return None
        typed = list(cells.typed.values())
        dates = pd.Series([to_date(level) for level in typed], dtype="datetime64[us]")
        if typed and dates.isna().any():
            return None
        found = Dates(np.empty(0, "datetime64[us]"))
        if cells.texts:
            order = find_order(self.how) or self.recall_order(cells, like)
            maybe = read_dates(cells.texts, order, "" if like else self.date_order)
            if maybe is None:
                return None
            found = maybe
        elif not typed:
            return None
        if found.fault is not None:
            return self.keep_as_text(cells, found.fault)
        wrong = [t for t, bad in zip(cells.texts, np.isnat(found.values), strict=True) if bad]
        if wrong and len(cells.texts) > 2:
            return self.keep_as_text(cells, tell_slip(cells, wrong, "dates"))
        if wrong:
            return None
        if typed and found.order:  # a spreadsheet took some for dates, maybe in the wrong order
            after = f" as dates and {cells.texts[0]!r} as text"
            remedy = "make all of them dates, or all of them text"
            return self.keep_as_text(cells, Fault("has cells in", after, remedy))
        times = self.join_times(cells, dates.to_numpy(), found.values)
        notation = {"order": found.order, "sign": found.sign} if found.order else {}
        if found.order and "delimiter" in self.written:
            notation["delimiter"] = self.written["delimiter"]
        column = describe_times(times, cells.name, "date", notation, self.how)
        doubt = (f"In column {cells.name!r} ", *found.doubt) if found.doubt else ()
        said = tell_marks(cells.name, {m: n for m, n in cells.marks.items() if m})
        example = cells.texts[0] if cells.texts else column.example
        return replace(column, doubt=doubt, said=tuple(said), example=example), times

    def recall_order(self, cells: Cells, like: dict[str, Any]) -> str:
        """The order of an earlier file that was written alike: 05/03 may differ from 05.03."""
        alike = like.get("delimiter") == self.written.get("delimiter")
        known = any(sign in cells.texts[0] for sign in like.get("sign", ""))
        return str(like.get("order", "")) if alike and known else ""

    def try_times(self, cells: Cells, like: dict[str, Any]) -> tuple[Column, Any] | None:
        if like.get("kind") == "number":
            return None
        typed = list(cells.typed.values())
        spans = [to_span(level) for level in typed]
        if any(span is None for span in spans):
            return None
        times = read_times(cells.texts) if cells.texts else np.empty(0, "timedelta64[us]")
        if times is None or not len(cells.texts) + len(typed):
            return None
        wrong = [t for t, bad in zip(cells.texts, np.isnat(times), strict=True) if bad]
        if len(wrong) > (1 - MOSTLY) * len(cells.texts):
            return None
        if wrong:
            return self.keep_as_text(cells, tell_slip(cells, wrong, "times"))
        known = np.array(spans, dtype="timedelta64[us]")
        values = self.join_times(cells, known, times)
        spread = values.max() >= pd.Timedelta(1, "D") or values.min() < pd.Timedelta(0)
        column = describe_times(values, cells.name, "span" if spread else "time", {}, self.how)
        said = tuple(tell_marks(cells.name, {m: n for m, n in cells.marks.items() if m}))
        example = cells.texts[0] if cells.texts else column.example
        return replace(column, said=said, example=example), values

    def join_times(self, cells: Cells, typed: Times, texts: Times) -> pd.Series:
        whole = np.full(len(cells.levels) + 1, np.array("NaT", dtype=texts.dtype))
        whole[cells.at] = texts
        whole[list(cells.typed)] = typed
        return pd.Series(whole[cells.codes])

    def take_texts(self, cells: Cells, like: dict[str, Any]) -> tuple[Column, Any]:
        """Levels without blanks around them, spellings of one word together."""
        spelled = ["" if level is None else str(level).strip() for level in cells.levels]
        counts = np.bincount(cells.codes[cells.codes >= 0], minlength=len(spelled))
        absent = self.find_absent(spelled, like)
        names, merged = fold_levels(spelled, counts, absent, like)
        said = tell_trimmed(cells) + tell_merged(cells.name, merged)
        said += tell_marks(cells.name, count_by_text(spelled, counts, absent))
        values = pd.Series(np.array([*names, None], dtype=object)[cells.codes], dtype=str)
        column = describe_text(values, cells.name, like)
        doubt: tuple[str | Setting, ...] = ()
        for mark in PERHAPS:
            rows = int(counts[[k for k, name in enumerate(names) if name == mark]].sum())
            if rows and not like.get("levels"):
                what = (
                    f"In column {cells.name!r} {mark!r} ({counted(rows, 'row')}) is kept as a text"
                )
                doubt = (
                    f"{what}; if it means missing, ",
                    Setting("missing_marks", [mark], "pass {}"),
                )
        doubt = doubt or find_half_numbers(column, names)
        return replace(column, doubt=doubt, said=tuple(said)), values

    def find_absent(self, spelled: list[str], like: dict[str, Any]) -> set[str]:
        """Texts of a column of words that mean missing, unless an earlier file had such a level."""
        if self.how.missing_marks is not None:
            return {*map(tidy, self.how.missing_marks), ""}
        marks = {text for text in spelled if tidy(text).casefold() in NO_WORDS}
        if self.written.get("na_unquoted"):
            marks |= {"NA"}
        words = [text for text in spelled if text not in marks]
        if not all(any(char.isalnum() for char in word) for word in words) or not words:
            marks = {mark for mark in marks if any(char.isalnum() for char in mark)}
        return (marks - set(like.get("levels", ()))) | {""}


def is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_whole(values: NDArray[Any]) -> bool:
    """Whether all numbers of an array that are there are whole."""
    if values.dtype.kind in "iub":
        return True
    for part in (values[:1000], values):
        present = part[~np.isnan(part)]
        if not np.isfinite(present).all() or (present % 1).any():
            return False
    return True


def to_date(level: Any) -> Any:
    if isinstance(level, (pd.Timestamp, datetime.datetime, datetime.date)):
        return pd.Timestamp(level).tz_localize(None)
    return pd.NaT


def to_span(level: Any) -> Any:
    if isinstance(level, datetime.time):
        seconds = 3600 * level.hour + 60 * level.minute + level.second
        return np.timedelta64(1_000_000 * seconds + level.microsecond, "us")
    if isinstance(level, (pd.Timedelta, datetime.timedelta)):
        return np.timedelta64(pd.Timedelta(level).to_pytimedelta())
    return None


def tell_slip(cells: Cells, wrong: list[str], kind: str = "numbers") -> Fault:
    shown = "".join(sign if sign.isprintable() else "?" for sign in wrong[0][:40])
    remedy = "correct such cells, empty them, or ", Setting("missing_marks", [shown], "pass {}")
    return Fault(f"has {kind} in", f" but also {shown!r}", remedy)


def tell_units(name: str, bodies: Bodies, cells: Cells | None, column: pd.Series) -> str:
    unit, cell = next(iter(bodies.units.items()))
    if cells is None:
        return ""
    number = cells.at[cells.texts.index(cell)] if cell in cells.texts else -1
    rows = np.flatnonzero(cells.codes == number)
    value = f", {cell!r} as {column.iloc[rows[0]]:.10g}" if len(rows) else ""
    return f"Column {name!r} was read without the sign {unit}{value}"


def tell_marks(name: str, marks: dict[str, int]) -> list[str]:
    """What was taken as missing; blank cells need no word."""
    shown = [f"{mark!r} ({counted(number, 'cell')})" for mark, number in marks.items() if mark]
    return [f"In column {name!r} {', '.join(shown[:5])} was taken as missing"] if shown else []


def find_half_numbers(column: Column, names: list[str | None]) -> tuple[str | Setting, ...]:
    """A remark on levels such as 12*, <5 or 1.2K, which may be numbers to a person."""
    texts = sorted({name for name in names if name is not None})
    begin = [text for text in texts if HALF_NUMBER.match(text)]
    odd = [text for text in begin if not text.isdecimal()]
    codes = len({len(text) for text in texts}) == 1
    if codes or not odd or len(texts) < 3 or len(begin) < MOSTLY * len(texts):
        return ()
    return (f"Column {column.name!r} was read as text, as {odd[0][:40]!r} is no number",)


def count_by_text(spelled: list[str], counts: NDArray[Any], absent: set[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text, count in zip(spelled, counts, strict=True):
        if tidy(text) in absent or text in absent:
            found[text] = found.get(text, 0) + int(count)
    return found


def fold_levels(
    spelled: list[str], counts: NDArray[Any], absent: set[str], like: dict[str, Any]
) -> tuple[list[str | None], dict[str, list[str]]]:
    """The name of each level, None for missing; and the spellings that became one, by their name.

    Genotypes AA, Aa and aa are three: where nothing but one level would be left, case counts.
    """
    weight: dict[str, int] = {}
    for text, count in zip(spelled, counts, strict=True):
        if text not in absent and tidy(text) not in absent:
            weight[text] = weight.get(text, 0) + int(count)
    groups: dict[str, list[str]] = {}
    for text in weight:
        groups.setdefault(" ".join(text.casefold().split()), []).append(text)
    levels = [str(level) for level in like.get("levels", ())]
    by_fold = {" ".join(level.casefold().split()): level for level in levels}
    chosen: dict[str, str] = {}
    merged: dict[str, list[str]] = {}
    apart = len({*by_fold}) < len(levels) or (len(groups) < 2 and not levels)
    for folded, texts in groups.items():
        best = by_fold.get(folded) or max(texts, key=lambda text: (weight[text], text))
        exact = apart or len(groups) > MOST_FOLDED
        chosen |= {text: text if exact or text in levels else best for text in texts}
        others = [text for text in texts if chosen[text] != text]
        if others:
            merged[best] = others
    return [chosen.get(text) for text in spelled], merged


def tell_trimmed(cells: Cells) -> list[str]:
    """Blanks matter only where there is the same text without them."""
    texts = {level for level in cells.levels if isinstance(level, str)}
    padded = [text for text in texts if text != text.strip() and text.strip()]
    stripped = Counter(text.strip() for text in texts)
    same = sorted(text for text in padded if stripped[text.strip()] > 1)
    return [f"In column {cells.name!r} {same[0][:40]!r} was read without blanks"] if same else []


def tell_merged(name: str, merged: dict[str, list[str]]) -> list[str]:
    return [
        f"In column {name!r} {', '.join(map(repr, others[:5]))} was read as {best!r}"
        for best, others in merged.items()
    ]


def count_missing(column: pd.Series) -> int:
    values = column.to_numpy()
    if values.dtype.kind == "f":
        return int(np.isnan(values).sum()) if np.isnan(np.add.reduce(values)) else 0
    return int(column.isna().sum())


def find_range(values: NDArray[Any]) -> tuple[float, float]:
    """The smallest and the largest number, NaN where there is none."""
    if len(values) == 0:
        return np.nan, np.nan
    return float(np.fmin.reduce(values)), float(np.fmax.reduce(values))


def find_number_kind(column: pd.Series, name: str, whole: bool) -> str:
    """Whole numbers that differ in all rows name the rows if they are called so, or too large."""
    values = column.to_numpy()
    low, high = find_range(values)
    if whole and max(-low, high) > WHOLE_FLOAT:
        return "identifier"
    if count_missing(column):
        return "number"
    many = whole and len(values) >= FEWEST_NAMES
    if many and NAMES_ROWS.search(name) and column.is_unique:
        return "identifier"
    return "constant" if len(values) > 1 and low == high else "number"


def find_sentinel(column: pd.Series) -> tuple[str | Setting, ...]:
    """A remark on -999 and the like, far from all other numbers."""
    for extreme in find_range(column.to_numpy()):
        if extreme not in SENTINELS:
            continue
        values = column.to_numpy().astype(np.float64)
        rest = values[np.isfinite(values) & (values != extreme)]
        count = int((values == extreme).sum())
        if len(rest) < 2 or count > len(rest):
            continue
        gap = max(extreme - rest.max(), rest.min() - extreme)
        if (extreme < 0 <= rest.min()) or gap > 0.5 * max(rest.max() - rest.min(), 1.0):
            mark = f"{extreme:.15g}"
            what = f"{mark} ({counted(count, 'row')}) is far from the rest"
            return f"{what}; if it means missing, ", Setting("missing_marks", [mark], "pass {}")
    return ()


def find_months(column: pd.Series, name: str) -> tuple[str | Setting, ...]:
    """A remark on 3.2021 and 2021.03, which may be months, and on 20210305, which may be a day."""
    values = column.to_numpy()
    if values.dtype.kind != "f":
        few = pd.unique(values[:1000])
        dates, _ = read_numbers_as_dates(few, name) if len(few) else (None, False)
        said = f"{few[0]} looks like a date and was read as a number" if dates is not None else ""
        return (said,) if said else ()
    head = values[:1000][np.isfinite(values[:1000])]
    if len(head) == 0:
        return ()
    whole, rest = np.floor(head), head - np.floor(head)
    first = ((whole >= 1) & (whole <= 12)).all() and months_like(rest * 10_000, 1900, 2100)
    last = ((whole >= 1900) & (whole <= 2100)).all() and months_like(rest * 100, 1, 12)
    if first or last:
        return (f"{head[0]:g} looks like a month and was read as a number",)
    return ()


def months_like(parts: NDArray[np.float64], low: int, high: int) -> bool:
    near = np.round(parts)
    inside = (near >= low) & (near <= high) & (np.abs(parts - near) < 1e-6)
    return bool(inside.all())


def describe_truths(column: pd.Series, name: str, marks: dict[str, int] | None = None) -> Column:
    n_missing = int(column.isna().sum())
    said = tuple(tell_marks(name, {m: n for m, n in (marks or {}).items() if m}))
    notation = {"kind": "yes/no"}
    return Column(name, "yes/no", show_first(column), n_missing, "0 and 1", notation, said=said)


def describe_times(
    column: pd.Series, name: str, kind: str, notation: dict[str, Any], how: How
) -> Column:
    use = next((word for word in split_dates(how.dates) if word not in ORDERS), "parts")
    becomes = {"time": "hours", "span": "days"}.get(kind, "year, season and days")
    if kind == "date" and use != "parts":
        becomes = "days" if use == "days" else "left out, as asked"
    n_missing = int(column.isna().sum())
    if n_missing == len(column):
        return Column(name, "empty", missing=n_missing, becomes="left out")
    record = {"kind": kind, **notation, **({"use": use} if kind == "date" else {})}
    return Column(name, kind, show_first(column), n_missing, becomes, record)


def describe_text(column: pd.Series, name: str, like: dict[str, Any]) -> Column:
    present = column.dropna()
    n_missing = len(column) - len(present)
    levels = present.unique()
    texts = [str(level) for level in levels]
    if not texts:
        return Column(name, "empty", missing=n_missing, becomes="left out")
    kind, becomes = "text", f"{counted(len(texts), 'column')} of 0 and 1"
    typical = sum(map(len, texts[:1000])) / len(texts[:1000])
    if len(texts) == len(column) >= FEWEST_NAMES:
        kind, becomes = "identifier", "left out: a different text in every row"
    elif typical > LONG_TEXT and len(texts) > max(FEW_LEVELS, len(column) / 2):
        kind, becomes = "free text", "left out: free text"
    elif {text.casefold() for text in texts} in PAIRS:
        kind = "yes/no"
    elif len(texts) == 1 and len(column) > 1 and not n_missing:
        kind = "constant"
    elif len(texts) > FEW_LEVELS:
        becomes = f"left out: {len(texts):,} different texts"
    notation: dict[str, Any] = {"kind": "text"}
    if len(texts) <= MOST_FOLDED:
        notation["levels"] = sorted(texts)
    return Column(name, kind, texts[0][:40], n_missing, becomes, notation)


def show_first(column: pd.Series) -> str:
    present = column.iloc[:1] if len(column) and pd.notna(column.iloc[0]) else column.dropna()
    if len(present) == 0:
        return ""
    first = present.iloc[0]
    if isinstance(first, pd.Timestamp):
        return f"{first:%Y-%m-%d}" if first == first.normalize() else f"{first:%Y-%m-%d %H:%M:%S}"
    return f"{first:.10g}" if isinstance(first, (float, np.floating)) else str(first)[:40]


def tell_signs(columns: Iterable[Column], case: Case) -> None:
    """What differs from a plain CSV, once for all columns."""
    numbers = [column.notation for column in columns if column.notation.get("kind") == "number"]
    if any(notation["decimal"] == "," for notation in numbers):
        case.guessed.append("numbers have a decimal comma")
    called = {",": "comma", ".": "dot", " ": "blank", "'": "apostrophe"}
    for sign, word in called.items():
        if any(sign in notation["thousands"] for notation in numbers):
            case.guessed.append(f"{'an' if word[0] == 'a' else 'a'} {word} separates thousands")


def check_columns(
    columns: dict[str, Column], features: Iterable[str], targets: Iterable[str], case: Case
) -> None:
    """Refuse what cannot be told, now that it is to be used."""
    for name in features:
        if name in columns:
            columns[name].check(f"column {name!r}", case)
    for name in targets:
        if name in columns:
            columns[name].check(f"the target {name!r}", case)


def tell_columns(columns: dict[str, Column], used: Collection[Any], case: Case) -> None:
    """What there is to say of the columns that are used."""
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
    """What became of each column in the end."""
    found, features = [], set(features)
    dropped = [what for what in case.dropped if what.startswith("column ")]
    for name, column in columns.items():
        becomes = column.becomes if name in features else "not used"
        left_out = [what for what in dropped if what.startswith(f"column {name!r}, ")]
        if name == task:
            becomes = "the task"
        elif name in targets:
            becomes = "the target"
        elif left_out:
            becomes = f"left out: {left_out[0].partition(', ')[2].removeprefix('which ')}"
        elif name in case.encoded:
            becomes = list_names(case.encoded[name])
        found.append(replace(column, becomes=becomes))
    return tuple(found)
