"""CSV, TSV and their relatives to a data frame, as pandas would read them."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from stcmtl.io.account import Findings
from stcmtl.io.blocks import WORTH_IT, parse_in_blocks
from stcmtl.io.dialects import Dialect, dialect_of
from stcmtl.io.encodings import Scan, scan
from stcmtl.io.limits import Limits, ReadError, fault
from stcmtl.io.sources import File
from stcmtl.io.spreadsheet import plain_cells, plain_text

SPOKEN = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", ".": "dot"}
SPOKEN |= {r"\s+": "white space", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
SPOKEN |= dict.fromkeys(("utf-16", "utf-16-le", "utf-16-be"), "UTF-16")
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
    if frame.index.nlevels > 1:
        raise fault(
            file.name,
            f"has {len(names)} names for {len(names) + frame.index.nlevels} columns",
            "name every column",
        )
    if dialect.row_names:
        findings.dropped["row names before the first column"] = 1
    return plain_cells(without_blank_rows(frame.reset_index(drop=True), findings))


def without_blank_rows(frame: pd.DataFrame, findings: Findings) -> pd.DataFrame:
    """Lines of delimiters alone, as spreadsheets write them below a table."""
    suspects = frame.index[frame.iloc[:, 0].isna()]
    if len(suspects) == 0:
        return frame
    blank = suspects[frame.loc[suspects].isna().all(axis=1)]
    if len(blank):
        findings.dropped["blank rows"] = len(blank)
    return frame.drop(index=blank).reset_index(drop=True)


def column_names(name: str, dialect: Dialect) -> list[str]:
    if not dialect.names:
        return [f"column {d + 1}" for d in range(dialect.columns)]
    return named_columns(name, dialect.names)


def named_columns(name: str, header: tuple[str, ...]) -> list[str]:
    """The names of a header, as they were before a spreadsheet's apostrophe, each of them once."""
    names = [plain_text(text) or f"column {d + 1}" for d, text in enumerate(header)]
    check_distinct(name, names)
    return names


def check_distinct(name: str, names: list[str]) -> None:
    twice = [text for text, count in Counter(names).items() if count > 1]
    if twice:
        raise fault(name, f"has more than one column named {twice[0]!r}", "rename one of them")


def parse(file: File, found: Scan, dialect: Dialect, names: list[str]) -> pd.DataFrame:
    """An upload in blocks where that is quicker, as pandas does it for a file on disk.

    The faults of a file are told from one piece.
    """

    def parse_part(part: BinaryIO | Path, first: bool) -> pd.DataFrame:
        return pd.read_csv(
            part,
            sep=dialect.delimiter,
            decimal=dialect.decimal,
            thousands=dialect.thousands,
            header=0 if first and dialect.names else None,
            skiprows=dialect.above if first else 0,
            names=names,
            dtype={names[d]: str for d in dialect.texts},
            encoding=found.encoding,
            compression=None,
            skipinitialspace=found.spaced,
            **EXACT,
        )

    def parse_block(block: BinaryIO, first: bool) -> pd.DataFrame:
        if not first:
            check_width(block, dialect)
        return parse_part(block, first)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)  # text among numbers is seen to
        warnings.simplefilter("ignore", pd.errors.ParserWarning)
        if file.path is None and file.size >= WORTH_IT and not found.encoding.startswith("utf-16"):
            with suppress(*FAULTS):
                frame = parse_in_blocks(file, parse_block)
                if frame is not None:
                    return frame
        try:
            with file.open() as handle:
                return parse_part(file.path or handle, True)
        except FAULTS as error:
            raise parser_fault(file.name, str(error)) from None


def check_width(part: BinaryIO, dialect: Dialect) -> None:
    """A block whose first line is too wide would be read with very many index columns."""
    line = part.readline()
    part.seek(0)
    if len(dialect.delimiter) == 1 and line.count(dialect.delimiter.encode()) > dialect.columns:
        raise ValueError("a line with too many cells")


def parser_fault(name: str, said: str) -> ReadError:
    if uneven := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", said):
        expected, line, saw = uneven.groups()
        what = f"has {saw} cells in line {line} where the lines before have {expected}"
        return fault(name, what, "correct that line")
    if "EOF inside string" in said:
        return fault(name, "has a quotation mark that is never closed", "correct or remove it")
    return fault(name, "cannot be read as a table of text", "check it, or export it again as CSV")


def tell(name: str, encoding: str, dialect: Dialect, findings: Findings) -> None:
    """Only what differs from a plain CSV is worth a sentence."""
    if encoding not in ("utf-8", "utf-8-sig"):
        findings.guessed.append(f"{name} is encoded in {SPOKEN.get(encoding, encoding)}")
    if (sign := dialect.delimiter) != ",":
        findings.guessed.append(f"cells are separated by {SPOKEN.get(sign, repr(sign))}")
    if dialect.decimal == ",":
        findings.guessed.append("numbers have a decimal comma")
    if dialect.thousands is not None:
        findings.guessed.append(f"a {SPOKEN[dialect.thousands]} separates thousands")
    if dialect.above:
        findings.dropped["lines above the header"] = dialect.above
    if not dialect.names:
        findings.guessed.append("there is no header: the first line is data")
