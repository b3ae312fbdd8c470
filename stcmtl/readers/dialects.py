"""Encoding, delimiter, decimal comma and header of a text table."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass

from stcmtl.readers.limits import MIB, Limits, ReadError
from stcmtl.readers.sources import File

SAMPLE = 256 * 1024
LONGEST_LINE = 32 * MIB
DELIMITERS = ("\t", ";", "|", ",")
WHITESPACE = r"\s+"
VERY_WIDE = 10_000
AGREEMENT = 0.9  # share of the lines that must have the same number of cells
COMMA_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?")
DOTTED_THOUSANDS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+")


@dataclass(frozen=True)
class Scan:
    """One pass over a file's bytes."""

    encoding: str
    lines: int
    quoted: bool  # so that a line end may be within a cell


@dataclass(frozen=True)
class Dialect:
    """How a table is written; ``names`` is empty where the first line is data."""

    delimiter: str
    decimal: str
    thousands: str | None
    names: tuple[str, ...]
    columns: int


def scan(file: File) -> Scan:
    """UTF-8 if all of it is, UTF-16 by its mark, else Latin-1; a mixture is refused."""
    head = file.head(4)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Scan("utf-16", count_lines(file), quoted=True)
    utf8 = codecs.getincrementaldecoder("utf-8")()
    encoding, lines, last, accents, quoted = "utf-8", 0, b"", False, False
    with file.open() as handle:
        while chunk := handle.read(MIB):
            if b"\0" in chunk:
                raise ReadError(
                    f"{file.name} is no table of text: it holds zero bytes near line {lines + 1}; "
                    "export it again as CSV."
                )
            if encoding == "utf-8":
                try:
                    utf8.decode(chunk)
                except UnicodeDecodeError:
                    check_not_mixed(file.name, chunk, lines, accents)
                    encoding = "latin-1"
                accents = accents or not chunk.isascii()
            elif not chunk.isascii():
                check_not_mixed(file.name, chunk, lines, False)
            quoted = quoted or b'"' in chunk
            lines += chunk.count(b"\n") or chunk.count(b"\r")
            last = chunk
    if encoding == "utf-8" and head.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    return Scan(encoding, lines + (not last.endswith((b"\n", b"\r"))), quoted)


def count_lines(file: File) -> int:
    with file.open() as handle:
        lines = 1
        while chunk := handle.read(MIB):
            lines += chunk.count(b"\n")
    return lines


def check_not_mixed(name: str, chunk: bytes, lines: int, accents: bool) -> None:
    """Letters that are good UTF-8 beside bytes that are not: two encodings in one file."""
    text = chunk[4:-4].decode("utf-8", errors="replace")  # a cut at the ends is no fault
    if accents or any(char not in "\ufffd" and ord(char) > 127 for char in text):
        bad = lines + 1 + text.partition("\ufffd")[0].count("\n")
        raise ReadError(
            f"{name} mixes encodings (UTF-8 and another, near line {bad:,}): "
            "save all of it as UTF-8."
        )


def sample_of(file: File, encoding: str) -> str:
    """Some whole lines from the start, the first two of them however long they are."""
    with file.open() as handle:
        raw = handle.read(SAMPLE)
        if len(raw) == SAMPLE:
            for _ in range(2 - min(2, raw.count(b"\n") or raw.count(b"\r"))):
                raw += handle.readline(LONGEST_LINE)
        if len(raw) > LONGEST_LINE:
            raise ReadError(
                f"{file.name} has a line of more than {LONGEST_LINE:,} bytes: "
                "export it as CSV with one row a line."
            )
        whole = len(raw) < SAMPLE
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(raw, final=whole)
    except UnicodeDecodeError:
        raise ReadError(f"{file.name} is damaged: its text is not {encoding}.") from None
    if not whole and text.count("\n") > 1:
        text = text[: text.rindex("\n")]
    return text


def dialect_of(file: File, encoding: str, limits: Limits) -> Dialect:
    lines = [line for line in sample_of(file, encoding).splitlines() if line.strip()][:200]
    if not lines:
        raise ReadError(f"{file.name} holds blank lines only: export it again.")
    for line in lines[:2]:  # by a count, before very many cells are split
        most = 1 + max(line.count(delimiter) for delimiter in DELIMITERS)
        if most > VERY_WIDE and '"' not in line:
            limits.check(file.name, columns=most)
    delimiter = delimiter_of(lines)
    cells = [split(file.name, line, delimiter) for line in lines]
    width = max(len(row) for row in cells)
    limits.check(file.name, columns=width)
    decimal, thousands = decimal_of(cells, delimiter)
    first = tuple(cell.strip() for cell in cells[0])
    names = () if all(is_number(cell, decimal) for cell in first) else first
    check_first_rows(file.name, cells)
    return Dialect(delimiter, decimal, thousands, names, len(first))


def check_first_rows(name: str, cells: list[list[str]]) -> None:
    """pandas takes what the first row has beyond the header for names of the rows: one at most."""
    header, rows = cells[0], cells[1:]
    if not rows or len(rows[0]) <= len(header):
        return
    if len(rows[0]) > len(header) + 1:
        raise ReadError(
            f"{name} has {len(rows[0]):,} cells in its first row under {len(header):,} names: "
            "name every column."
        )
    if all(len(row) == len(header) + 1 and not row[-1].strip() for row in rows):
        raise ReadError(
            f"{name} has a delimiter after the last cell of every row but not of the header: "
            "remove it, or name the empty column."
        )


def delimiter_of(lines: list[str]) -> str:
    """The first delimiter that gives (nearly) every line the same number of cells, two or more."""
    for delimiter in (*DELIMITERS, WHITESPACE):
        if len(delimiter) == 1 and delimiter not in lines[0]:
            continue
        try:
            widths = Counter(len(split("", line, delimiter)) for line in lines)
        except ReadError:
            continue
        width, agreeing = widths.most_common(1)[0]
        if width > 1 and agreeing >= AGREEMENT * len(lines):
            return delimiter
    counts = {delimiter: lines[0].count(delimiter) for delimiter in DELIMITERS}
    return max(counts, key=lambda delimiter: (counts[delimiter], delimiter == ","))


def split(name: str, line: str, delimiter: str) -> list[str]:
    if delimiter == WHITESPACE:
        return line.split()
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        raise ReadError(f"{name} has a cell too long to be one: check its quotes.") from None


def decimal_of(cells: list[list[str]], delimiter: str) -> tuple[str, str | None]:
    """A decimal comma where some cells need it and no cell has a decimal point."""
    if delimiter == ",":
        return ".", None
    body = [cell.strip() for row in cells[1:] or cells for cell in row]
    commas = [cell for cell in body if COMMA_NUMBER.fullmatch(cell)]
    if not commas:
        return ".", None
    thousands = any(DOTTED_THOUSANDS.fullmatch(cell) for cell in commas)
    points = any(is_number(cell, ".") and "." in cell for cell in body)
    if points and not thousands:
        return ".", None
    return ",", "." if thousands else None


def is_number(cell: str, decimal: str) -> bool:
    try:
        float(cell.replace(decimal, ".") if decimal != "." else cell)
    except ValueError:
        return False
    return True
