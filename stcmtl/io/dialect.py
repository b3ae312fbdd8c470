"""How a text table is written: encoding, delimiter, decimal sign, header, and texts of digits."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from stcmtl.io.account import Case
from stcmtl.io.limits import MIB, ReadError
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
SAMPLE = 256 * 1024
LONGEST_LINE = 32 * MIB
NEARLY_ALL = 0.9
NOT_IN_1252 = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
SPACED = (b", ", b"; ", b"| ", b"\t ", b"\n ", b"\r ")

Records = list[list[str]]


@dataclass(frozen=True)
class Scan:
    """One pass over a file's bytes."""

    encoding: str
    lines: int
    spaced: bool  # blanks after delimiters, which cost time to skip


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


def scan(file: File, case: Case) -> Scan:
    """UTF-8 if all of it is, UTF-16 by its mark or its zeros, else Windows-1252 or Latin-1."""
    head = file.head(1024)
    if utf16 := find_utf16(head):
        with file.open() as handle:
            lines = 1 + sum(chunk.count(b"\n") for chunk in iter(lambda: handle.read(MIB), b""))
        return Scan(utf16, lines, spaced=True)
    utf8 = codecs.getincrementaldecoder("utf-8")()
    encoding, lines, last, accents, spaced = "utf-8", 0, b"", False, False
    with file.open() as handle:
        while chunk := handle.read(MIB):
            if b"\0" in chunk:
                zeros = f"it holds zero bytes near line {lines + 1}"
                raise case.fault("is no table of text", f"{zeros}; export it again as CSV")
            plain = chunk.isascii() and not utf8.getstate()[0]
            if encoding == "utf-8" and not plain:
                try:
                    utf8.decode(chunk)
                except UnicodeDecodeError:
                    check_not_mixed(chunk, lines, accents, case)
                    encoding = "cp1252"
                accents = True
            elif not chunk.isascii():
                check_not_mixed(chunk, lines, False, case)
            if encoding == "cp1252" and len(chunk.translate(None, NOT_IN_1252)) < len(chunk):
                encoding = "latin-1"
            spaced = spaced or (b" " in chunk and any(sign in chunk for sign in SPACED))
            lines += chunk.count(b"\n") or chunk.count(b"\r")
            last = chunk
    if encoding == "utf-8" and head.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    return Scan(encoding, lines + (not last.endswith((b"\n", b"\r"))), spaced)


def find_utf16(head: bytes) -> str:
    """The kind of UTF-16 that begins so, or nothing: every other byte of its Latin text is zero."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for zeros, letters, kind in ((1, 0, "utf-16-le"), (0, 1, "utf-16-be")):
        half = head[zeros::2]
        if len(half) > 3 and half.count(0) > NEARLY_ALL * len(half) and 0 not in head[letters::2]:
            return kind
    return ""


def check_not_mixed(chunk: bytes, lines: int, accents: bool, case: Case) -> None:
    """Letters that are good UTF-8 beside bytes that are not: two encodings in one file."""
    text = chunk[4:-4].decode("utf-8", errors="replace")  # a cut at the ends is no fault
    if accents or any(char not in "\ufffd" and ord(char) > 127 for char in text):
        bad = lines + 1 + text.partition("\ufffd")[0].count("\n")
        what = f"mixes encodings (UTF-8 and another, near line {bad:,})"
        raise case.fault(what, "save all of it as UTF-8")


def take_sample(file: File, encoding: str, case: Case) -> str:
    """Some whole lines from the start, the first two of them however long they are."""
    with file.open() as handle:
        raw = handle.read(SAMPLE)
        if len(raw) == SAMPLE:
            for _ in range(2 - min(2, raw.count(b"\n") or raw.count(b"\r"))):
                raw += handle.readline(LONGEST_LINE)
        if len(raw) > LONGEST_LINE:
            what = f"has a line of more than {LONGEST_LINE:,} bytes"
            raise case.fault(what, "export it as CSV with one row per line")
        whole = len(raw) < SAMPLE
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(raw, final=whole)
    except UnicodeDecodeError:
        raise case.fault("is damaged", f"its text is not {encoding}") from None
    if not whole and text.count("\n") > 1:
        text = text[: text.rindex("\n")]
    return text


def find_dialect(file: File, encoding: str, case: Case) -> Dialect:
    text = take_sample(file, encoding, case)
    if not text.strip():
        raise case.fault("holds blank lines only", "export it again")
    check_not_very_wide(text, case)
    stated = SEPARATOR_LINE.fullmatch(text.partition("\n")[0])
    delimiter = stated.group(1) if stated else find_delimiter(text, case)
    records = split_records(text, delimiter, case)
    above = 1 if stated else count_lines_above(records)
    cells = [record for record in records[above:] if any(cell.strip() for cell in record)]
    if not cells:
        raise case.fault("has no line with cells", "export it again")
    case.check(columns=max(len(row) for row in cells))
    decimal, thousands = find_decimal(cells, delimiter)
    first = tuple(cell.strip() for cell in cells[0])
    names = find_header(first, cells[1:], lambda cell: is_number(cell, decimal))
    row_names = check_first_rows(cells, case)
    texts = () if row_names else find_text_columns(text, delimiter, thousands, cells)
    return Dialect(delimiter, decimal, thousands, names, len(first), above, texts, row_names)


def check_not_very_wide(text: str, case: Case) -> None:
    """By a count, before very many cells are split."""
    for line in [line for line in text.splitlines() if line.strip()][:2]:
        most = 1 + max(line.count(delimiter) for delimiter in DELIMITERS)
        if most > VERY_WIDE and '"' not in line:
            case.check(columns=most)


def check_first_rows(cells: Records, case: Case) -> bool:
    """Whether rows have a name before the first column, which pandas sees by one cell more."""
    header, rows = cells[0], cells[1:]
    if not rows or len(rows[0]) <= len(header):
        return False
    if len(rows[0]) > len(header) + 1:
        what = f"has {len(rows[0]):,} cells in its first row under {len(header):,} names"
        raise case.fault(what, "name every column")
    if all(len(row) == len(header) + 1 and not row[-1].strip() for row in rows):
        what = "has a delimiter after the last cell of every row but not of the header"
        raise case.fault(what, "remove it, or name the empty column")
    return True


def find_delimiter(text: str, case: Case) -> str:
    """The first that gives (nearly) every line the same number of cells, two or more.

    Where none does, as with titles above a small table, the one that most lines agree on.
    """
    shares = {}
    for delimiter in (*DELIMITERS, WHITESPACE):
        try:
            records = [record for record in split_records(text, delimiter, case) if record]
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


def split_records(text: str, delimiter: str, case: Case) -> Records:
    """The first lines of a table as cells; a line end in quotes ends no line."""
    lines: Iterable[str] = io.StringIO(text, newline="")
    if delimiter == WHITESPACE:
        lines, delimiter = (line.strip().replace("\t", " ") for line in lines), " "
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        return [record for _, record in zip(range(MOST_RECORDS), reader, strict=False)]
    except csv.Error:
        raise case.fault("has a cell too long to be one", "check its quotes") from None


def find_text_columns(
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
    quoted = find_quoted_columns(text, delimiter, width)
    if len(quoted) < width:
        texts |= quoted
    return tuple(sorted(d for d in texts if d < width))


def find_quoted_columns(text: str, delimiter: str, width: int) -> set[int]:
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


def find_decimal(cells: Records, delimiter: str) -> tuple[str, str | None]:
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


def count_lines_above(rows: Sequence[Sequence[Any]]) -> int:
    """How many lines stand above a table of two columns or more: titles, remarks, blank lines."""
    filled = [sum(cell is not None and str(cell).strip() != "" for cell in row) for row in rows]
    usual = Counter(count for count in filled if count).most_common(1)
    if not usual or usual[0][0] < 2:
        return 0
    for number, (row, count) in enumerate(zip(rows, filled, strict=True)):
        remark = count > 0 and str(row[0]).startswith("#") and count != usual[0][0]
        if count > 1 and not remark:
            return number
    return 0


def find_header(
    first: tuple[str, ...], rows: list[list[str]], is_number: Callable[[str], bool]
) -> tuple[str, ...]:
    """The first line as names; empty if it is all numbers, or texts that recur among numbers."""
    texts = [d for d, cell in enumerate(first) if not is_number(cell)]
    recur = all(first[d] in {row[d].strip() for row in rows if d < len(row)} for d in texts)
    if recur and len(texts) < len(first):
        return ()
    return (first[0].removeprefix("#").strip(), *first[1:])
