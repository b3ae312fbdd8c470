"""Columns of numbers: what they are, how they were written, and what in them may mean otherwise."""

import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import numeric_vector
from stcmtl.errors import Setting
from stcmtl.io.account import Column, Doubt, Fault, quote
from stcmtl.io.cells.columns import (
    MOSTLY,
    Cells,
    show_first,
    tell_marks,
    tell_slip,
)
from stcmtl.io.cells.levels import FEWEST_NAMES, keep_as_text
from stcmtl.io.cells.notation import MOST_DIGITS, SHARES
from stcmtl.io.cells.signs import Context, Style, convert, decide, weigh
from stcmtl.io.cells.times import find_months, try_number_dates
from stcmtl.io.names import find_role
from stcmtl.phrases import counted

USUAL = {"", "na", "nan", "n/a", "null", "<na>", "#n/a"}  # marks that need not be told
RARE = 0.05  # share of rows with words, up to which they are slips among numbers
WHOLE_FLOAT = 2**53
LARGEST = 2.0**63  # of whole numbers that are kept as such
LEAST_NAME = 1e5  # six digits, from which whole numbers of one length may name something
NAMES_ROWS = re.compile(
    r"(?i)(^|[\W_])(id|ids|key|uuid|guid|no|nr|number|code|index|row)$|[a-z]ID$"
)
NOT_WHOLE = re.compile(r"(?m)^(?![+-]?\d+$).+$")
CODE = re.compile(rf"(?m)^0\d+$|^[+-]?[1-9]\d{{{MOST_DIGITS},}}$")
SENTINELS = [-9.0, *(sign * (10.0**k - 1) for k in range(2, 10) for sign in (-1, 1))]
SENTINELS += [-99.9, -999.9, -9999.9, -999.25, -1e20, 1e20, -1e30, 1e30, -1e34, -9.96921e36]


def try_numbers(cells: Cells, context: Context) -> tuple[Column, pd.Series] | None:
    """Numbers, if all cells are, or so nearly all that the others are slips."""
    typed: Any = np.empty(0)
    if cells.typed:
        typed = numeric_vector(pd.Series([*cells.typed.values()], dtype=object))
    if typed is None or cells.like.get("kind") == "date":
        return None
    if not cells.texts:
        return finish_numbers(cells.spread(typed, np.empty(0)), cells, Style(), context)
    bodies = cells.bodies.bodies
    words = [text for text, body in zip(cells.texts, bodies, strict=True) if body is None]
    if words:
        slips = are_slips(cells, len(words))
        return keep_as_text(cells, tell_slip(words), context) if slips else None
    if is_code(cells, context):
        return None
    evidence = cells.evidence if cells.looks_numeric else weigh(bodies)
    style = decide(evidence, cells.like, context)
    fault = cells.bodies.fault or style.fault or compare_units(cells)
    if fault is not None:
        return keep_as_text(cells, fault, context)
    values = convert(bodies, style)
    # digits with signs that make no number in this style: words, unless they are few
    wrong = [text for text, value in zip(cells.texts, values, strict=True) if np.isnan(value)]
    if wrong:
        few = len(values) - len(wrong) > 2 or context.how.decimal or context.how.thousands
        return keep_as_text(cells, tell_slip(wrong), context) if few else None
    return finish_numbers(cells.spread(typed, values), cells, style, context)


def are_slips(cells: Cells, n_words: int) -> bool:
    total = len(cells.texts) + len(cells.typed)
    if total > 2 and total - n_words >= MOSTLY * total:
        return True
    words = [cells.at[i] for i, body in enumerate(cells.bodies.bodies) if body is None]
    return total - n_words > 2 and np.isin(cells.codes, words).sum() <= RARE * len(cells.codes)


def is_code(cells: Cells, context: Context) -> bool:
    """Digits that are a name: with leading zeros, too many for a number, or in quotes."""
    joined = "\n".join(cells.texts)
    if cells.like.get("kind") == "number" or NOT_WHOLE.search(joined):
        return False
    as_text = cells.name in context.written.get("quoted", ())
    as_text |= not context.delimiter and len(cells.at) == len(cells.levels)
    return as_text or CODE.search(joined) is not None


def compare_units(cells: Cells) -> Fault | None:
    """Percent in one file and not in the other, or two currencies, are no small matter."""
    like, before, now = cells.like, set(cells.like.get("units", ())), set(cells.bodies.units)
    shares = (before & set(SHARES)) != (now & set(SHARES))
    if not like or (not shares and (before == now or not before or not now)):
        return None
    shown = next(iter(cells.bodies.units.values()), cells.texts[0])
    after = f", where the model was fitted on numbers such as {quote(like.get('example', ''))}"
    return Fault(f"has {quote(shown)} in", after, "write them as in the fitted file")


def finish_numbers(
    column: pd.Series, cells: Cells, style: Style, context: Context
) -> tuple[Column, pd.Series]:
    """Numbers as they are; dates where whole numbers such as 20210305 are."""
    name, units = cells.name, cells.bodies.units
    if context.how.missing_marks:
        marks = pd.to_numeric(pd.Series(context.how.missing_marks, dtype=object), errors="coerce")
        missing = column.isin(marks.dropna().astype(np.float64))
        column = column.astype(np.float64).mask(missing) if missing.any() else column
    whole = is_whole(column.to_numpy())
    if whole and cells.like.get("kind") != "number":
        dated = try_number_dates(column, cells, context.how)
        if dated is not None:
            return dated
    n_missing = count_missing(column)
    if cells.levels and whole and not n_missing and column.abs().max() < LARGEST:
        column = column.astype(np.int64)
    example = next(iter([*units.values(), *cells.texts[:1]]), "") or show_first(column)
    notation = {
        "kind": "number",
        "decimal": style.decimal or ("" if whole else context.written.get("decimal", "")),
        "thousands": style.thousands,
        "units": list(units),
        "whole": whole,
        "example": example,
        "delimiter": context.delimiter,
    }
    odd = {mark: n for mark, n in cells.marks.items() if mark.casefold() not in USUAL}
    said = tell_marks(name, odd)
    if units:
        said = (tell_units(cells, column), *said)
    elif (cells.texts and not context.delimiter) or name in context.written.get("quoted", ()):
        said = (*said, f"Column {quote(name)} holds numbers as text, and was read as numbers")
    doubt = style.doubt or find_sentinel(column) or find_months(column, name)
    doubt = doubt or (find_names(column, name) if whole else ())
    doubt = (f"In column {quote(name)} ", *doubt) if doubt else ()
    kind, becomes = find_number_kind(column, name, whole)
    found = Column(name, kind, example, n_missing, becomes, notation, doubt, None, said)
    return found, column


def is_whole(values: NDArray[Any]) -> bool:
    """Whether all numbers of an array that are there are whole."""
    if values.dtype.kind in "iub":
        return True
    for part in (values[:1000], values):
        present = part[~np.isnan(part)]
        if not np.isfinite(present).all() or (present % 1).any():
            return False
    return True


def tell_units(cells: Cells, column: pd.Series) -> str:
    unit, cell = next(iter(cells.bodies.units.items()))
    row = np.argmax(cells.codes == cells.at[cells.texts.index(cell)])
    read = f", {quote(cell)} as {column.iloc[row]:.10g}"
    return f"Column {quote(cells.name)} was read without the sign {unit}{read}"


def count_missing(column: pd.Series) -> int:
    values = column.to_numpy()
    if values.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # infinities of both signs
            all_there = not np.isnan(np.add.reduce(values))
        return 0 if all_there else int(np.isnan(values).sum())
    return int(column.isna().sum())


def find_range(values: NDArray[Any]) -> tuple[float, float]:
    """The smallest and the largest number, NaN where there is none."""
    if len(values) == 0:
        return np.nan, np.nan
    return float(np.fmin.reduce(values)), float(np.fmax.reduce(values))


def find_number_kind(column: pd.Series, name: str, whole: bool) -> tuple[str, str]:
    """Whole numbers that differ in all rows name the rows if they are called so, or too large."""
    values = column.to_numpy()
    low, high = find_range(values)
    if whole and max(-low, high) > WHOLE_FLOAT:
        return "identifier", "left out: too large to be exact"
    complete = not count_missing(column)
    if complete and whole and names_rows(column, name):
        return "identifier", "left out: a different value in every row"
    return "constant" if complete and len(values) > 1 and low == high else "number", "as it is"


def names_rows(column: pd.Series, name: str) -> bool:
    return len(column) >= FEWEST_NAMES and bool(NAMES_ROWS.search(name)) and column.is_unique


def find_names(column: pd.Series, name: str) -> Doubt:
    """A remark on whole numbers that may name rows: of equal length, or called after somebody."""
    values = column.to_numpy()
    low, high = find_range(values)
    alike = low >= LEAST_NAME and len(f"{low:.0f}") == len(f"{high:.0f}")
    if len(values) < FEWEST_NAMES or not (alike or find_role(name) in ("entity", "id")):
        return ()
    if NAMES_ROWS.search(name) or not column.is_unique:
        return ()
    return "every row has another whole number; if they name rows, ", Setting(
        "exclude", [name], "pass {}"
    )


def find_sentinel(column: pd.Series) -> Doubt:
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
