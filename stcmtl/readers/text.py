"""CSV, TSV and their relatives to a data frame, as pandas would read them."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from contextlib import suppress
from typing import Any, BinaryIO

import pandas as pd

from stcmtl.readers.account import Findings
from stcmtl.readers.blocks import WORTH_IT, parse_in_blocks
from stcmtl.readers.dialects import Dialect, Scan, dialect_of, scan
from stcmtl.readers.limits import Limits, ReadError
from stcmtl.readers.sources import File

SPOKEN = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", r"\s+": "white space"}
FAULTS = (ValueError, OverflowError, LookupError)  # of pandas, on a table it cannot read
# Before 3.1 only this option gave the float nearest to the text; there it is the default.
EXACT: dict[str, Any] = (
    {"float_precision": "round_trip"} if pd.__version__.startswith("3.0.") else {}
)


def read_text(file: File, limits: Limits, findings: Findings) -> pd.DataFrame:
    found = scan(file)
    dialect = dialect_of(file, found.encoding, limits)
    limits.check(file.name, rows=found.lines - bool(dialect.names))
    limits.check(file.name, cells=found.lines * dialect.columns)
    names = column_names(file.name, dialect)
    frame = parse(file, found, dialect, names)
    tell(file.name, found.encoding, dialect, findings)
    if not isinstance(frame.index, pd.RangeIndex):  # one cell more than the header: row names
        if frame.index.nlevels > 1:
            raise ReadError(
                f"{file.name} has {len(names)} names for {len(names) + frame.index.nlevels} "
                "columns: name every column."
            )
        findings.dropped["row names before the first column"] = 1
        frame = frame.reset_index(drop=True)
    return frame


def column_names(name: str, dialect: Dialect) -> list[str]:
    if not dialect.names:
        return [f"column {d + 1}" for d in range(dialect.columns)]
    check_distinct(name, dialect.names)
    return [text or f"column {d + 1}" for d, text in enumerate(dialect.names)]


def check_distinct(name: str, names: tuple[str, ...]) -> None:
    twice = [text for text, count in Counter(names).items() if count > 1 and text]
    if twice:
        raise ReadError(f"{name} has more than one column named {twice[0]!r}: rename one of them.")


def parse(file: File, found: Scan, dialect: Dialect, names: list[str]) -> pd.DataFrame:
    """In blocks where that is quicker; the faults of a file are told from one piece."""

    def parse_part(part: BinaryIO, first: bool) -> pd.DataFrame:
        if not first:
            check_width(part, dialect)
        return pd.read_csv(
            part,
            sep=dialect.delimiter,
            decimal=dialect.decimal,
            thousands=dialect.thousands,
            header=0 if first and dialect.names else None,
            names=names,
            encoding=found.encoding,
            compression=None,
            skipinitialspace=True,
            **EXACT,
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)  # text among numbers is seen to
        warnings.simplefilter("ignore", pd.errors.ParserWarning)
        if file.size >= WORTH_IT and not found.quoted:
            with suppress(*FAULTS):
                frame = parse_in_blocks(file, parse_part)
                if frame is not None:
                    return frame
        try:
            with file.open() as handle:
                return parse_part(handle, True)
        except FAULTS as fault:
            raise ReadError(parser_sentence(file.name, str(fault))) from None


def check_width(part: BinaryIO, dialect: Dialect) -> None:
    """A block whose first line is too wide would be read with very many index columns."""
    line = part.readline()
    part.seek(0)
    if len(dialect.delimiter) == 1 and line.count(dialect.delimiter.encode()) > dialect.columns:
        raise ValueError("a line with too many cells")


def parser_sentence(name: str, fault: str) -> str:
    uneven = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", fault)
    if uneven:
        expected, line, saw = uneven.groups()
        return (
            f"{name} has {saw} cells in line {line} where the lines before have {expected}: "
            "correct that line."
        )
    if "EOF inside string" in fault:
        return f"{name} has a quotation mark that is never closed: correct or remove it."
    return f"{name} cannot be read as a table of text: check it, or export it again as CSV."


def tell(name: str, encoding: str, dialect: Dialect, findings: Findings) -> None:
    """Only what differs from a plain CSV is worth a sentence."""
    if encoding not in ("utf-8", "utf-8-sig"):
        findings.guessed.append(f"{name} is encoded in {encoding}")
    if dialect.delimiter != ",":
        findings.guessed.append(f"cells are separated by {SPOKEN[dialect.delimiter]}")
    if dialect.decimal == ",":
        findings.guessed.append("numbers have a decimal comma")
    if not dialect.names:
        findings.guessed.append("there is no header: the first line is all numbers")
