"""Tables of cells as they stand to numbers, dates, truth values and texts, column by column.

What one column proves, of decimal signs or of days and months, counts for those that prove nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from stcmtl.io.account import Case, Column, Fault, quote
from stcmtl.io.cells.columns import (
    Cells,
    Known,
    describe_empty,
    holds_texts,
    list_cells,
    show_first,
    tell_marks,
)
from stcmtl.io.cells.dates import read_dates
from stcmtl.io.cells.levels import describe_text, take_texts
from stcmtl.io.cells.numbers import finish_numbers, try_numbers
from stcmtl.io.cells.signs import Context, Evidence, Style
from stcmtl.io.cells.times import describe_times, try_dates, try_times
from stcmtl.io.parsing import How, Table

SPARSE = 0.9  # share of missing cells above which it is said
TRUTHS = {"true": 1.0, "false": 0.0}
CALLED = {",": "a comma", ".": "a dot", " ": "a blank", "'": "an apostrophe"}
Found = tuple[Column, pd.Series]


def interpret_all(tables: Sequence[Table], how: How, case: Case, known: Known) -> tuple[Table, ...]:
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


def interpret_alike(tables: list[Table], how: How, case: Case, known: Known) -> Iterable[Table]:
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


def interpret(table: Table, how: How, case: Case, known: Known) -> Table:
    """The table with its texts as the numbers and dates that they spell."""
    frame, written = table.frame, table.written
    series = dict(frame.items())
    texts = [name for name, column in series.items() if holds_texts(column)]
    case.check(texts=len(texts))
    cells = {name: list_cells(series[name], how, known.get(name, {})) for name in texts}
    others = Evidence()
    for each in cells.values():
        if each.looks_numeric:
            others.add(each.evidence)
    if (sign := written.get("decimal")) and sign not in others.decimals:
        others.add(find_plain_fractions(series.values(), sign))
    context = Context(how, written, others, find_date_order(cells.values()))
    columns, values = {}, {}
    for name, column in series.items():
        if name in cells:
            columns[name], values[name] = read_cells(cells[name], context)
        else:
            bare = Cells(str(name), known.get(name, {}))
            columns[name], values[name] = read_typed(column, bare, context)
        if SPARSE * len(frame) < (missing := columns[name].missing) < len(frame):
            said = f"Column {quote(name)} is empty in {missing:,} of {len(frame):,} rows"
            columns[name] = replace(columns[name], said=(*columns[name].said, said))
    tell_signs(columns.values(), case)
    if any(values[name] is not column for name, column in series.items()):
        frame = pd.DataFrame(values, index=frame.index, copy=False)
    return replace(table, frame=frame, columns=columns)


def find_plain_fractions(columns: Iterable[pd.Series], sign: str) -> Evidence:
    """Plain fractions show that their sign is decimal, as far as they are no 1.050."""
    for column in columns:
        if column.dtype.kind == "f":
            values = column.to_numpy()
            for part in (values[:1000], values):
                fractions = part[np.isfinite(part)]
                fractions = fractions[fractions % 1 != 0]
                clear = fractions[(np.abs(fractions) < 1) | (np.round(fractions, 3) != fractions)]
                if len(clear):
                    return Evidence(decimals={sign: f"{clear[0]:g}".replace(".", sign)})
    return Evidence()


def find_date_order(cells: Iterable[Cells]) -> str:
    """The order that some column of dates proves, for those that prove none."""
    for each in cells:
        if each.texts and not each.looks_numeric and any(sign in each.texts[0] for sign in "/-"):
            dates = read_dates(each.texts)
            if dates is not None and dates.order and dates.fault is None:
                return dates.order
    return ""


def read_typed(column: pd.Series, cells: Cells, context: Context) -> Found:
    """What a column is whose format says what its cells are."""
    kind = column.dtype.kind
    if isinstance(column.dtype, pd.CategoricalDtype):
        return describe_text(column, cells.name), column
    if kind in "Mm":
        times = {"M": "date", "m": "span"}[kind]
        return describe_times(column, cells, times, {}, context.how), column
    if kind == "b":
        return describe_truths(column, cells), column
    if kind == "u" and len(column) and column.max() > np.iinfo(np.int64).max:
        texts = column.astype(str)
        return describe_text(texts, cells.name), texts
    if cells.like.get("kind") == "text":  # whole numbers among texts come as 1.0 with holes
        return describe_text(column, cells.name), column
    return finish_numbers(column, cells, Style(), context)


def read_cells(cells: Cells, context: Context) -> Found:
    """What a column of texts, or of cells of several kinds, holds."""
    if cells.like.get("kind") != "text":
        if not cells.texts and not cells.typed:
            n_rows = len(cells.codes)
            return describe_empty(cells.name, n_rows), pd.Series(np.full(n_rows, np.nan))
        for read in READERS:
            if (found := read(cells, context)) is not None:
                return found
    return take_texts(cells, context)


def try_truths(cells: Cells, context: Context) -> Found | None:
    typed, texts = (
        [TRUTHS.get(str(level).casefold()) for level in levels]
        for levels in (cells.typed.values(), cells.texts)
    )
    if None in typed or None in texts:
        return None
    column = cells.spread(typed, np.array(texts, dtype=np.float64))
    if not column.isna().any():
        column = column.astype(bool)
    return describe_truths(column, cells), column


def describe_truths(column: pd.Series, cells: Cells) -> Column:
    said, n_missing = tell_marks(cells.name, cells.marks), int(column.isna().sum())
    notation, example = {"kind": "yes/no"}, show_first(column)
    return Column(cells.name, "yes/no", example, n_missing, "0 and 1", notation, said=said)


READERS: tuple[Callable[[Cells, Context], Found | None], ...]
READERS = (try_truths, try_numbers, try_dates, try_times)


def tell_signs(columns: Iterable[Column], case: Case) -> None:
    """What differs from a plain CSV, once for all columns."""
    numbers = [column.notation for column in columns if column.notation.get("kind") == "number"]
    if any(notation["decimal"] == "," for notation in numbers):
        case.guessed.append("numbers have a decimal comma")
    for sign, called in CALLED.items():
        if any(sign in notation["thousands"] for notation in numbers):
            case.guessed.append(f"{called} separates thousands")
