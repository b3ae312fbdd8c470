"""How a text table is written: encoding, delimiter, header, and which columns hold texts."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stcmtl.io.account import Case
from stcmtl.io.cells.dates import find_date
from stcmtl.io.cells.notation import take_apart
from stcmtl.io.limits import MIB, ReadError
from stcmtl.io.sources import File

DELIMITERS = ("\t", ";", "|", ",")
WHITESPACE = r"\s+"
VERY_WIDE = 10_000
MOST_RECORDS = 200
AGREEMENT = 0.9  # share of the lines that must have the same number of cells
SEPARATOR_LINE = re.compile(r"sep=(.)\s*")  # Excel's own first line
PLAIN = {
    sign: re.compile(rf" *[+-]?(?!0\d+ *$)(\d+{mark}?\d*|{mark}\d+)([eE][+-]?\d+)? *")
    for sign, mark in ((".", r"\."), (",", ","))
}
# With one, two or more than three digits behind, or none before: no thousands.
FRACTION = re.compile(r" *[+-]?(\d*([.,])(\d{1,2}|\d{4,})|0([.,])\d+)([eE][+-]?\d+)? *")
# What may stand for a missing number, and is as quick to read as one.
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
NO_TEXTS = {*MISSING, "TRUE", "FALSE", "True", "False", "true", "false"}
NO_TEXTS |= {sign + word for sign in ("", "-", "+") for word in ("inf", "Inf", "INF", "Infinity")}
SAMPLE = 256 * 1024
CACHED = 64 * 1024  # bytes, whose masks need no new memory
LONGEST_LINE = 32 * MIB
NEARLY_ALL = 0.9
NOT_IN_1252 = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
# As databases escape them; a backslash at the end of a cell in quotes is one.
ESCAPED_QUOTE = re.compile(rb'\\"[^,;\t|\r\n]')
SPACED = (b", ", b"; ", b"| ", b"\t ", b"\n ", b"\r ")

Records = list[list[str]]


@dataclass(frozen=True)
class Scan:
    """One pass over a file's bytes."""

    encoding: str
    lines: int
    spaced: bool  # blanks after delimiters, which cost time to skip
    padded: bool  # whole numbers with leading zeros, as far as one can tell


@dataclass(frozen=True)
class Dialect:
    """How a table is written; ``names`` is empty where the first line is data.

    ``decimal`` is the sign of its first fractions, which other columns may not share.
    ``above`` counts the lines before the header, ``texts`` are columns that hold texts from the
    start, ``quoted`` those that are all in quotes where numbers are not, None where texts go
    without quotes too; ``row_names`` says that rows begin with an unnamed cell.
    """

    delimiter: str
    decimal: str
    names: tuple[str, ...]
    columns: int
    above: int
    texts: tuple[int, ...]
    quoted: tuple[int, ...] | None
    row_names: bool


def scan(file: File, case: Case, encoding: str | None) -> Scan:
    """UTF-8 if all of it is, UTF-16 by its mark or its zeros, else Windows-1252 or Latin-1."""
    head = file.head(1024)
    if said := check_encoding(encoding, case) or find_utf16(head):
        with file.open() as handle:
            chunks = iter(lambda: handle.read(MIB), b"")
            lines = 1 + sum(count_sign(chunk, "\n") for chunk in chunks)
        return Scan(said, lines, spaced=True, padded=True)
    utf8 = codecs.getincrementaldecoder("utf-8")()
    found, lines, last, accents, spaced, padded = "utf-8", 0, b"", False, False, False
    with file.open() as handle:
        while chunk := handle.read(MIB):
            if b"\0" in chunk:
                zeros = f"it holds zero bytes near line {lines + 1}"
                raise case.fault("is no table of text", f"{zeros}; export it again as CSV")
            # one byte is looked for many times faster than two
            if b"\\" in chunk and (escaped := ESCAPED_QUOTE.search(chunk)):
                line = lines + 1 + chunk.count(b"\n", 0, escaped.start())
                what = f"has a quotation mark after a backslash in line {line:,}"
                raise case.fault(what, "export it with doubled quotation marks, as CSV has them")
            ascii = chunk.isascii()
            plain = ascii and not utf8.getstate()[0]
            if found == "utf-8" and not plain:
                try:
                    utf8.decode(chunk)
                except UnicodeDecodeError:
                    check_not_mixed(chunk, lines, accents, case)
                    found = "cp1252"
                accents = True
            elif not ascii:
                check_not_mixed(chunk, lines, False, case)
            if found == "cp1252" and len(chunk.translate(None, NOT_IN_1252)) < len(chunk):
                found = "latin-1"
            spaced = spaced or (b" " in chunk and any(sign in chunk for sign in SPACED))
            padded = padded or has_leading_zeros(chunk) or has_leading_zeros(last[-2:] + chunk[:2])
            lines += count_sign(chunk, "\n") or count_sign(chunk, "\r")
            last = chunk
    if found == "utf-8" and head.startswith(codecs.BOM_UTF8):
        found = "utf-8-sig"
    return Scan(found, lines + (not last.endswith((b"\n", b"\r"))), spaced, padded)


def count_sign(chunk: bytes, sign: str) -> int:
    """As ``bytes.count``, in a third of its time."""
    text = np.frombuffer(chunk, np.uint8)
    blocks = (text[start : start + CACHED] for start in range(0, len(text), CACHED))
    return int(sum(np.count_nonzero(block == ord(sign)) for block in blocks))


def check_encoding(encoding: str | None, case: Case) -> str:
    if not encoding:
        return ""
    try:
        "".encode(encoding)  # zlib and rot13 are codecs, but not of texts
        return codecs.lookup(encoding).name
    except LookupError:
        what = f"cannot be read in {encoding!r}, which is no encoding"
        raise case.fault(what, "name one such as 'utf-8' or 'cp1252'") from None


def has_leading_zeros(chunk: bytes) -> bool:
    """A zero and a digit after a delimiter or a line's end: pandas would make 7 of 007.

    Few signs that may stand before a cell are no smaller than a minus; they are looked for apart.
    """
    text = np.frombuffer(chunk, np.uint8)
    for start in range(0, len(text), CACHED):
        block = text[start : start + CACHED + 2]
        before, zero, after = block[:-2], block[1:-1], block[2:]
        hits = (zero == ord("0")) & (before < ord("-")) & (after - np.uint8(ord("0")) < 10)
        if hits.any() and (before[hits] != ord("+")).any():
            return True
    return (b";" in chunk or b"|" in chunk) and re.search(rb"[;|]0\d", chunk) is not None


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
    except UnicodeError:  # of UTF-16 without its mark, too
        raise case.fault("is damaged", f"its text is not {encoding}") from None
    if not whole and text.count("\n") > 1:
        text = text[: text.rindex("\n")]
    return text


def find_dialect(
    file: File, encoding: str, case: Case, delimiter: str | None, decimal: str | None
) -> Dialect:
    """As the first lines show it, where the caller does not say it."""
    text = take_sample(file, encoding, case)
    if not text.strip():
        raise case.fault("holds blank lines only", "export it again")
    check_not_very_wide(text, case)
    stated = SEPARATOR_LINE.fullmatch(text.partition("\n")[0])
    if not delimiter:
        delimiter = stated.group(1) if stated else find_delimiter(text, case)
    records = split_records(text, delimiter, case)
    above = 1 if stated else count_lines_above(records)
    cells = [record for record in records[above:] if any(cell.strip() for cell in record)]
    if not cells:
        raise case.fault("has no line with cells", "export it again")
    case.check(columns=max(len(row) for row in cells))
    first = tuple(cell.strip() for cell in cells[0])
    names = find_header(first, cells[1:])
    row_names = check_first_rows(cells, case)
    quoted = find_quoted_columns(text, delimiter, len(first) + row_names)
    body = cells[1:] if names else cells
    decimal = decimal or find_decimal(body)
    texts = {d for row in body for d, cell in enumerate(row) if is_text(cell, decimal)}
    if quoted is not None:
        texts |= quoted
    # the first cell of a row may be its name, which the header knows nothing of
    texts, own = ({d - row_names for d in columns or ()} for columns in (texts, quoted))
    width = range(len(first))
    return Dialect(
        delimiter,
        decimal,
        names,
        len(first),
        above,
        tuple(sorted(texts & {*width})),
        None if quoted is None else tuple(sorted(own & {*width})) if len(own) < len(first) else (),
        row_names,
    )


def find_decimal(body: Records) -> str:
    """A comma if fractions have one, and none a point: it is as quick to read, and no more."""
    matches = (FRACTION.fullmatch(cell) for row in body for cell in row)
    signs = {match[2] or match[4] for match in matches if match}
    return "," if signs == {","} else "."


def is_text(cell: str, decimal: str = ".") -> bool:
    return cell not in NO_TEXTS and PLAIN[decimal].fullmatch(cell) is None


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
    check_row_names([row[0] for row in rows if row], len(header), case)
    return True


def check_row_names(names: Sequence[Any], n_columns: int, case: Case) -> None:
    """Names of rows differ: a decimal comma between commas makes a cell more as well."""
    twice = [name for name, count in Counter(names).most_common(1) if count > 1]
    if twice:
        what = f"has {n_columns + 1} cells in a row under {n_columns} names, and no names of rows"
        remedy = "name every column, or put numbers with a decimal comma in quotes"
        raise case.fault(f"{what}, as {str(twice[0])[:40]!r} comes twice", remedy)


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


def find_quoted_columns(text: str, delimiter: str, width: int) -> set[int] | None:
    """Columns all in quotes; None where a text goes without, as then quotes tell nothing."""
    sign = r"[ \t]+" if delimiter == WHITESPACE else re.escape(delimiter)
    cell = re.compile(rf"""("(?:[^"]|"")*"|(?:(?!{sign})[^"\r\n])*)({sign}|\r?\n|\r|$)""")
    quoted, column = set(range(width)), 0
    for match in cell.finditer(text):
        bare = match[1].strip()
        if bare not in MISSING and bare[0] != '"':
            if is_text(bare):
                return None
            quoted.discard(column)
        column = 0 if match[2][:1] in ("\r", "\n", "") else column + 1
    return quoted


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


def find_header(first: tuple[str, ...], rows: list[list[str]]) -> tuple[str, ...]:
    """The first line as names; empty if it is all values, or texts that recur among values."""
    # numbers and dates, however they are written, are values
    texts = [d for d, c in enumerate(first) if take_apart(c)[0] is None and find_date(c) is None]
    recur = all(first[d] in {row[d].strip() for row in rows if d < len(row)} for d in texts)
    if recur and len(texts) < len(first):
        return ()
    return (first[0].removeprefix("#").strip(), *first[1:])
