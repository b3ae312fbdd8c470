"""CSV, TSV and their relatives to a data frame, as pandas would read them."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from typing import Any

import pandas as pd

from stcmtl.io.account import Case
from stcmtl.io.dialect import Dialect, Scan, find_dialect, scan
from stcmtl.io.limits import ReadError
from stcmtl.io.sources import File
from stcmtl.io.write import plain_cells, plain_text

CALLED = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", ".": "dot"}
CALLED |= {r"\s+": "white space", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
CALLED |= dict.fromkeys(("utf-16", "utf-16-le", "utf-16-be"), "UTF-16")
FAULTS = (ValueError, OverflowError, LookupError)  # of pandas, on a table it cannot read
# Before 3.1 only this option gave the float nearest to the text; there it is the default.
EXACT: dict[str, Any] = (
    {"float_precision": "round_trip"} if pd.__version__.startswith("3.0.") else {}
)


def read_text(file: File, case: Case) -> pd.DataFrame:
    found = scan(file, case)
    dialect = find_dialect(file, found.encoding, case)
    case.check(rows=found.lines - bool(dialect.names))
    case.check(cells=found.lines * dialect.columns)
    names = [f"column {d + 1}" for d in range(dialect.columns)]
    if dialect.names:
        names = name_columns(dialect.names, case)
    frame = parse(file, found, dialect, names, case)
    tell(found.encoding, dialect, case)
    if frame.index.nlevels > 1:
        what = f"has {len(names)} names for {len(names) + frame.index.nlevels} columns"
        raise case.fault(what, "name every column")
    if dialect.row_names:
        case.dropped["row names before the first column"] = 1
    return plain_cells(drop_blank_rows(frame.reset_index(drop=True), case))


def drop_blank_rows(frame: pd.DataFrame, case: Case) -> pd.DataFrame:
    """Lines of delimiters alone, as spreadsheets write them below a table."""
    suspects = frame.index[frame.iloc[:, 0].isna()]
    if len(suspects) == 0:
        return frame
    blank = suspects[frame.loc[suspects].isna().all(axis=1)]
    if len(blank):
        case.dropped["blank rows"] = len(blank)
    return frame.drop(index=blank).reset_index(drop=True)


def name_columns(header: tuple[str, ...], case: Case) -> list[str]:
    """The names of a header, as they were before a spreadsheet's apostrophe, each of them once."""
    names = [plain_text(text) or f"column {d + 1}" for d, text in enumerate(header)]
    check_distinct(names, case)
    return names


def check_distinct(names: list[str], case: Case) -> None:
    twice = [text for text, count in Counter(names).items() if count > 1]
    if twice:
        raise case.fault(f"has more than one column named {twice[0]!r}", "rename one of them")


def parse(file: File, found: Scan, dialect: Dialect, names: list[str], case: Case) -> pd.DataFrame:
    with warnings.catch_warnings(), file.open() as handle:
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)  # text among numbers is seen to
        warnings.simplefilter("ignore", pd.errors.ParserWarning)
        try:
            return pd.read_csv(
                file.path or handle,  # pandas is quicker with a file of its own
                sep=dialect.delimiter,
                decimal=dialect.decimal,
                thousands=dialect.thousands,
                header=0 if dialect.names else None,
                skiprows=dialect.above,
                names=names,
                dtype={names[d]: str for d in dialect.texts},
                encoding=found.encoding,
                compression=None,
                skipinitialspace=found.spaced,
                **EXACT,
            )
        except FAULTS as error:
            raise parser_fault(str(error), case) from None


def parser_fault(said: str, case: Case) -> ReadError:
    if uneven := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", said):
        expected, line, saw = uneven.groups()
        what = f"has {saw} cells in line {line} where the lines before have {expected}"
        return case.fault(what, "correct that line")
    if "EOF inside string" in said:
        return case.fault("has a quotation mark that is never closed", "correct or remove it")
    return case.fault("cannot be read as a table of text", "check it, or export it again as CSV")


def tell(encoding: str, dialect: Dialect, case: Case) -> None:
    """Only what differs from a plain CSV is worth a sentence."""
    if encoding not in ("utf-8", "utf-8-sig"):
        case.guessed.append(f"{case.name} is encoded in {CALLED.get(encoding, encoding)}")
    if (sign := dialect.delimiter) != ",":
        case.guessed.append(f"cells are separated by {CALLED.get(sign, repr(sign))}")
    if dialect.decimal == ",":
        case.guessed.append("numbers have a decimal comma")
    if dialect.thousands is not None:
        case.guessed.append(f"a {CALLED[dialect.thousands]} separates thousands")
    if dialect.above:
        case.dropped["lines above the header"] = dialect.above
    if not dialect.names:
        case.guessed.append("there is no header: the first line is data")
