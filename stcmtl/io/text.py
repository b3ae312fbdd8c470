"""CSV, TSV and their relatives to a data frame, as pandas would read them.

A large upload is parsed in blocks of lines by a few threads, in little memory.
"""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
from joblib import cpu_count

from stcmtl.io.account import Case
from stcmtl.io.dialect import Dialect, Scan, find_dialect, scan
from stcmtl.io.limits import MIB, ReadError
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
BLOCK = 8 * MIB
WORTH_IT = 4 * BLOCK  # a smaller file is parsed sooner in one piece
MOST_THREADS = 4

Parse = Callable[[io.BytesIO, bool], pd.DataFrame]  # of a block, and whether it is the first


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
            raise parser_fault(str(error), case) from None


def check_width(part: BinaryIO, dialect: Dialect) -> None:
    """A block whose first line is too wide would be read with very many index columns."""
    line = part.readline()
    part.seek(0)
    if len(dialect.delimiter) == 1 and line.count(dialect.delimiter.encode()) > dialect.columns:
        raise ValueError("a line with too many cells")


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


def parse_in_blocks(file: File, parse_block: Parse) -> pd.DataFrame | None:
    """The whole table, or None where a block does not stand on its own.

    For encodings in which the byte of a line end is nothing else. What a block raises is raised
    here, with line numbers that are the block's: also that it ends within a quoted cell.
    """
    frames: list[pd.DataFrame] = []
    pending: deque[Future[pd.DataFrame]] = deque()
    n_threads = min(MOST_THREADS, cpu_count())
    with ThreadPoolExecutor(n_threads) as pool:
        for number, block in enumerate(split_blocks(file)):
            pending.append(pool.submit(parse_block, io.BytesIO(block), number == 0))
            if len(pending) > n_threads:
                frames.append(pending.popleft().result())
        frames += [future.result() for future in pending]
    if not all(isinstance(frame.index, pd.RangeIndex) for frame in frames):
        return None
    return pd.concat(frames, ignore_index=True)


def split_blocks(file: File) -> Iterator[bytes]:
    """Whole lines, some megabytes at a time."""
    with file.open() as handle:
        rest = b""
        while chunk := handle.read(BLOCK):
            end = chunk.rfind(b"\n") + 1
            if end:
                yield rest + chunk[:end]
                rest = chunk[end:]
            else:
                rest += chunk
        if rest.strip():
            yield rest
