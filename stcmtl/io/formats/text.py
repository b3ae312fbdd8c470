"""CSV, TSV and their relatives to a table: plain numbers, and texts exactly as they stand.

pandas reads the file once. What it may have misread is read again as text, those columns only.
"""

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.io.account import Case, shorten
from stcmtl.io.cells.numbers import WHOLE_FLOAT, find_range, is_whole
from stcmtl.io.formats.dialect import (
    MISSING,
    WHITESPACE,
    Dialect,
    Scan,
    check_row_names,
    find_dialect,
    scan,
)
from stcmtl.io.formats.frames import check_distinct
from stcmtl.io.limits import ReadError
from stcmtl.io.parsing import How, Table
from stcmtl.io.sources import File
from stcmtl.io.write import plain_cells, plain_text

ROW_NAMES = "\0row names"  # no file has a column of this name
DECIMAL_COMMA = r"^\D{0,5}\d[\d.]*,(?:\d{1,2}|\d{4,})\s*\D{0,4}$"
CALLED = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma", ".": "dot"}
CALLED |= {r"\s+": "white space", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
CALLED |= dict.fromkeys(("utf-16", "utf-16-le", "utf-16-be"), "UTF-16")
FAULTS = (ValueError, OverflowError, LookupError)  # of pandas, on a table it cannot read
# Before 3.1 only this option gave the float nearest to the text; there it is the default.
EXACT: dict[str, Any] = (
    {"float_precision": "round_trip"} if pd.__version__.startswith("3.0.") else {}
)


def read_text(file: File, how: How, case: Case) -> Table:
    """Numbers where nothing is in doubt; all other columns as the texts that they are."""
    found = scan(file, case, how.encoding)
    delimiter = {"tab": "\t", "\\t": "\t", " ": WHITESPACE}.get(how.delimiter or "", how.delimiter)
    decimal = how.decimal or {".": ",", ",": "."}.get(how.thousands or "")
    dialect = find_dialect(file, found.encoding, case, delimiter, decimal)
    case.check(rows=found.lines - bool(dialect.names))
    case.check(cells=found.lines * dialect.columns)
    names = [f"column {d + 1}" for d in range(dialect.columns)]
    if dialect.names:
        names = name_columns(dialect.names, case)
    parser = Parser(file, found, dialect, names, case)
    wanted = [name for name in names if name in how.texts]
    frame = parser.parse([names[d] for d in dialect.texts] + wanted)
    if not isinstance(frame.index, pd.RangeIndex):
        what = f"has {len(names)} names for {len(names) + frame.index.nlevels} columns"
        raise case.fault(what, "name every column")
    frame = keep_doubtful_texts(frame, parser, how)
    tell(found.encoding, dialect, case)
    if dialect.row_names:
        check_row_names(parser.parse([ROW_NAMES], only=[ROW_NAMES])[ROW_NAMES], len(names), case)
        case.dropped["row names before the first column"] = 1
    written: dict[str, Any] = {"delimiter": dialect.delimiter, "decimal": dialect.decimal}
    if dialect.quoted is not None:
        written["quoted"] = [names[d] for d in dialect.quoted]
        written["na_unquoted"] = not_in_quotes(frame, file)
    frame = drop_blank_rows(frame, case)
    # as we write texts that would act as formulas
    if any(c.str.startswith("'").any() for _, c in frame.items() if is_string(c)):
        frame = plain_cells(frame)
    return Table(file.name, frame, written)


def keep_doubtful_texts(frame: pd.DataFrame, parser: "Parser", how: How) -> pd.DataFrame:
    """Columns that may not be what pandas made of them, as they stand in the file."""
    columns = dict(frame.items())
    commas = parser.dialect.delimiter != "," or parser.dialect.decimal == ","
    commas = commas or any(
        c.str.contains(DECIMAL_COMMA, regex=True).any() for c in columns.values() if is_string(c)
    )
    texts = set(parser.texts)
    in_doubt = commas and not how.decimal and not how.thousands
    doubtful = {n for n, c in columns.items() if is_doubtful(c, n in texts, in_doubt)}
    padded = {n for n, c in columns.items() if parser.found.padded and is_count(c)}
    again = [name for name in columns if name in doubtful | padded]
    if not again:
        return frame
    found = parser.parse(again, only=again)
    kept = {n: c for n, c in found.items() if n in doubtful or c.str.match("0[0-9]").any()}
    return pd.DataFrame({**columns, **kept})


def is_string(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.StringDtype)


def is_count(column: pd.Series) -> bool:
    """Whole numbers, maybe with holes: pandas would drop leading zeros of such."""
    return column.dtype.kind in "iu" or (column.dtype.kind == "f" and is_whole(column.to_numpy()))


def is_doubtful(column: pd.Series, read_as_text: bool, commas: bool) -> bool:
    """What pandas took in parts, large numbers, and 1.050 where there are decimal commas."""
    if read_as_text:
        return False
    if column.dtype == object:
        return True
    if is_string(column) or column.dtype.kind != "f":
        return bool(column.isna().any())
    values = column.to_numpy()
    low, high = find_range(values)
    if np.isnan(low) or (max(-low, high) >= WHOLE_FLOAT and is_whole(values)):
        return True
    return commas and all(in_thousandths(part) for part in (values[:1000], values))


def in_thousandths(values: NDArray[np.float64]) -> bool:
    """Whether three decimals say all, as of 1.050 and 30.000."""
    present = values[np.isfinite(values)]
    return bool((np.abs(present) < 1000).all() and (np.round(present, 3) == present).all())


def not_in_quotes(frame: pd.DataFrame, file: File) -> bool:
    """Whether NA stands for missing, as R writes it: without quotes, where texts have them."""
    if not any((frame[c] == "NA").any() for c in frame.columns if is_string(frame[c])):
        return False
    with file.open() as handle:
        return all(b'"NA"' not in line for line in handle)


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


class Parser:
    """pandas' own, with what is known of the file."""

    def __init__(
        self, file: File, found: Scan, dialect: Dialect, names: list[str], case: Case
    ) -> None:
        self.file, self.found, self.dialect, self.case = file, found, dialect, case
        self.names = [ROW_NAMES, *names] if dialect.row_names else names
        self.texts: list[str] = []

    def parse(self, texts: list[str], only: list[str] | None = None) -> pd.DataFrame:
        """The columns ``texts`` as they stand, all others as pandas understands them."""
        self.texts = texts
        wanted = only if only is not None else [n for n in self.names if n != ROW_NAMES]
        missing: Any = list(MISSING)
        if texts:
            as_text = set(texts)
            missing = {name: [""] if name in as_text else MISSING for name in self.names}
        dialect = self.dialect
        with warnings.catch_warnings(), self.file.open() as handle:
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)  # such columns are read again
            warnings.simplefilter("ignore", pd.errors.ParserWarning)
            try:
                return pd.read_csv(
                    self.file.path or handle,  # pandas is quicker with a file of its own
                    sep=dialect.delimiter,
                    decimal=dialect.decimal,
                    header=0 if dialect.names else None,
                    skiprows=dialect.above,
                    names=self.names,
                    usecols=None if wanted == self.names else wanted,
                    dtype=dict.fromkeys(texts, str),
                    encoding=self.found.encoding,
                    compression=None,
                    skipinitialspace=self.found.spaced,
                    keep_default_na=False,
                    na_values=missing,
                    **EXACT,
                )
            except FAULTS as error:
                raise parser_fault(str(error), self.case) from None


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
        case.guessed.append(f"{shorten(case.name)} is encoded in {CALLED.get(encoding, encoding)}")
    if (sign := dialect.delimiter) != ",":
        case.guessed.append(f"cells are separated by {CALLED.get(sign, repr(sign))}")
    if dialect.above:
        case.dropped["lines above the header"] = dialect.above
    if not dialect.names:
        case.guessed.append("there is no header: the first line is data")
