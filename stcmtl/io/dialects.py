"""Delimiter, decimal comma, header and texts of a table that is text."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from stcmtl.io.encodings import sample_of
from stcmtl.io.headers import header_of, lines_above
from stcmtl.io.limits import Limits, ReadError, fault
from stcmtl.io.sources import File

DELIMITERS = ("\t", ";", "|", ",")
WHITESPACE = r"\s+"
VERY_WIDE = 10_000
MOST_RECORDS = 200
AGREEMENT = 0.9  # share of the lines that must have the same number of cells
SEPARATOR_LINE = re.compile(r"sep=(.)\s*")  # Excel's own first line
COMMA_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?")
DOTTED_THOUSANDS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+")
DOTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?")  # 30.000, which may be a fraction too
COMMA_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
LEADING_ZERO = re.compile(r"0\d+")

Records = list[list[str]]


@dataclass(frozen=True)
class Dialect:
    """How a table is written; ``names`` is empty where the first line is data.

    ``above`` counts the lines before the header, ``texts`` are the columns whose cells are text
    though they may look like numbers, ``row_names`` says that rows begin with an unnamed cell.
    """

    delimiter: str
    decimal: str
    thousands: str | None
    names: tuple[str, ...]
    columns: int
    above: int
    texts: tuple[int, ...]
    row_names: bool


def dialect_of(file: File, encoding: str, limits: Limits) -> Dialect:
    text = sample_of(file, encoding)
    if not text.strip():
        raise fault(file.name, "holds blank lines only", "export it again")
    check_not_very_wide(file.name, text, limits)
    stated = SEPARATOR_LINE.fullmatch(text.partition("\n")[0])
    delimiter = stated.group(1) if stated else delimiter_of(text)
    records = records_of(file.name, text, delimiter)
    above = 1 if stated else lines_above(records)
    cells = [record for record in records[above:] if any(cell.strip() for cell in record)]
    if not cells:
        raise fault(file.name, "has no line with cells", "export it again")
    limits.check(file.name, columns=max(len(row) for row in cells))
    decimal, thousands = decimal_of(cells, delimiter)
    first = tuple(cell.strip() for cell in cells[0])
    names = header_of(first, cells[1:], lambda cell: is_number(cell, decimal))
    row_names = check_first_rows(file.name, cells)
    texts = () if row_names else text_columns(text, delimiter, thousands, cells)
    return Dialect(delimiter, decimal, thousands, names, len(first), above, texts, row_names)


def check_not_very_wide(name: str, text: str, limits: Limits) -> None:
    """By a count, before very many cells are split."""
    for line in [line for line in text.splitlines() if line.strip()][:2]:
        most = 1 + max(line.count(delimiter) for delimiter in DELIMITERS)
        if most > VERY_WIDE and '"' not in line:
            limits.check(name, columns=most)


def check_first_rows(name: str, cells: Records) -> bool:
    """Whether rows have a name before the first column, which pandas sees by one cell more."""
    header, rows = cells[0], cells[1:]
    if not rows or len(rows[0]) <= len(header):
        return False
    if len(rows[0]) > len(header) + 1:
        raise fault(
            name,
            f"has {len(rows[0]):,} cells in its first row under {len(header):,} names",
            "name every column",
        )
    if all(len(row) == len(header) + 1 and not row[-1].strip() for row in rows):
        raise fault(
            name,
            "has a delimiter after the last cell of every row but not of the header",
            "remove it, or name the empty column",
        )
    return True


def delimiter_of(text: str) -> str:
    """The first that gives (nearly) every line the same number of cells, two or more.

    Where none does, as with titles above a small table, the one that most lines agree on.
    """
    shares = {}
    for delimiter in (*DELIMITERS, WHITESPACE):
        try:
            records = [record for record in records_of("", text, delimiter) if record]
        except ReadError:
            continue
        widths = Counter(len(record) for record in records)
        width, agreeing = widths.most_common(1)[0] if widths else (0, 0)
        if width > 1 and agreeing >= AGREEMENT * len(records):
            return delimiter
        if delimiter != WHITESPACE:
            shares[delimiter] = agreeing if width > 1 else 0
    counts = {delimiter: text.count(delimiter) for delimiter in DELIMITERS}
    return max(DELIMITERS, key=lambda d: (shares.get(d, 0), counts[d], d == ","))


def records_of(name: str, text: str, delimiter: str) -> Records:
    """The first lines of a table as cells; a line end in quotes ends no line."""
    lines: Iterable[str] = io.StringIO(text, newline="")
    if delimiter == WHITESPACE:
        lines, delimiter = (line.strip().replace("\t", " ") for line in lines), " "
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        return [record for _, record in zip(range(MOST_RECORDS), reader, strict=False)]
    except csv.Error:
        raise fault(name, "has a cell too long to be one", "check its quotes") from None


def text_columns(
    text: str, delimiter: str, thousands: str | None, cells: Records
) -> tuple[int, ...]:
    """Columns in quotes where others have none, and those of numbers with leading zeros.

    Where dots separate thousands, those with other dots too: pandas would drop them from a date.
    """
    width = len(cells[0])
    body = [(d, cell.strip()) for row in cells[1:] for d, cell in enumerate(row)]
    texts = {d for d, cell in body if LEADING_ZERO.fullmatch(cell)}
    if thousands == ".":
        texts |= {d for d, cell in body if "." in cell and not DOTS.fullmatch(cell)}
    quoted = quoted_columns(text, delimiter, width)
    if len(quoted) < width:
        texts |= quoted
    return tuple(sorted(d for d in texts if d < width))


def quoted_columns(text: str, delimiter: str, width: int) -> set[int]:
    """Columns all in quotes; none where a text goes without, as then quotes tell nothing."""
    if delimiter == WHITESPACE:
        return set()
    quoted = set(range(width))
    lines = io.StringIO(text, newline="")
    try:
        for row in csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC):
            if len(row) == width:
                quoted &= {d for d, cell in enumerate(row) if isinstance(cell, str)}
    except (ValueError, csv.Error):
        return set()
    return quoted


def decimal_of(cells: Records, delimiter: str) -> tuple[str, str | None]:
    """Decimal sign and thousands sign, where the cells with commas leave no doubt.

    Semicolons are there because the comma is a decimal sign: 30.000 beside 35,2 has thousands.
    """
    body = [cell.strip() for row in cells[1:] or cells for cell in row]
    commas = [cell for cell in body if COMMA_NUMBER.fullmatch(cell)]
    grouped = [cell for cell in body if COMMA_THOUSANDS.fullmatch(cell)]
    dots = delimiter == ";" and any(DOTS.fullmatch(cell) for cell in body)
    points = any(
        "." in cell and is_number(cell, ".") and not (dots and DOTS.fullmatch(cell))
        for cell in body
    )
    if grouped and set(commas) <= set(grouped) and (points or any("." in g for g in grouped)):
        return ".", ","
    thousands = dots or any(DOTTED_THOUSANDS.fullmatch(cell) for cell in commas)
    if not commas or (points and not thousands and delimiter != ";"):
        return ".", None
    return ",", "." if thousands else None


def is_number(cell: str, decimal: str) -> bool:
    try:
        float(cell.replace(decimal, ".") if decimal != "." else cell)
    except ValueError:
        return False
    return True
