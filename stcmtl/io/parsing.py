"""Files to tables and arrays of cells as they stand, before anybody decides what is a task.

A file is parsed once; ``reading`` and ``read_like`` interpret what came out as often as they like.
"""

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import pandas as pd

from stcmtl.io.account import Case, Column, list_names, quote
from stcmtl.io.arrays import Value
from stcmtl.io.formats.archives import STREAMS, list_members, unpack_file
from stcmtl.io.formats.frames import check_texts, settle_frame
from stcmtl.io.limits import Limits, ReadError, fault
from stcmtl.io.names import SHEET
from stcmtl.io.sniffing import find_kind, note_extension
from stcmtl.io.sources import File

# Readers by kind, imported when such a file comes: not everybody has all libraries.
READERS = {
    "text": "text.read_text",
    "Parquet": "typed.read_parquet",
    "Arrow": "typed.read_arrow",
    "Excel": "excel.read_excel",
    "Stata": "typed.read_stata",
    "SPSS": "typed.read_spss",
    "JSON": "typed.read_json",
    "R data": "typed.read_r",
    "npz": "arrays.read_npz",
    "MAT v4": "arrays.read_mat",
    "MAT": "arrays.read_mat",
    "MAT v7.3": "hdf5.read_mat73",
}


@dataclass(frozen=True)
class How:
    """How a file is written, as far as the caller says it; what is None is found out."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    sheet: str | None = None
    missing_marks: tuple[str, ...] | None = None
    dates: str | None = None
    texts: frozenset[str] = frozenset()  # columns of a text file that are wanted as they stand


HOW = How()


@dataclass(frozen=True, eq=False)
class Table:
    """One table's cells as they stand: numbers where there is no doubt, texts where there is.

    ``written`` is what a text file tells about its cells (plain JSON): its ``delimiter``, columns
    that are ``quoted`` where numbers are not, whether NA goes without them. ``columns`` says what
    each column is, once the cells were interpreted. A sheet of a workbook has what there is to say
    if it is the one that is wanted: ``dropped`` and ``notes``, or a ``fault``.
    """

    name: str  # of the file
    frame: pd.DataFrame
    written: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, Column] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fault: ReadError | None = None


@dataclass(frozen=True, eq=False)
class Parsed:
    """What files hold: tables, one per file, the sheets of one workbook or the arrays of one file.

    ``case`` has what was found on the way; whoever interprets the cells goes on with a copy.
    ``choose_tables`` gives the tables of a workbook as well.
    """

    files: tuple[str, ...]
    format: str
    case: Case
    tables: tuple[Table, ...] = ()
    arrays: dict[str, Value] = field(default_factory=dict)
    sheets: dict[str, Table] = field(default_factory=dict)

    def choose_tables(self, how: How, case: Case) -> tuple[Table, ...]:
        if self.tables or self.arrays:
            return self.tables
        return (choose_sheet(self.sheets, how, case),)


def parse(files: list[File], how: How, limits: Limits) -> Parsed:
    case = Case.of_files(files, limits)
    given = tuple(file.name for file in files)
    try:
        files, kinds, format = unpack(files, case)
        if len(files) == 1 and kinds[0] in READERS:
            found = read_file(files[0], kinds[0], how, case.of(files[0].name))
            if isinstance(found, Table):
                return Parsed(given, format, case, (found,))
            return Parsed(
                given, format, case, **{"sheets" if kinds[0] == "Excel" else "arrays": found}
            )
        # what there is to say is said of the first
        cases = [case, *(case.aside(file.name) for file in files[1:])]
        tables = tuple(map(read_table, files, kinds, [how] * len(files), cases))
        unlike = {frozenset(table.frame.columns) for table in tables}
        case.check(columns=sum(map(len, unlike)))  # which cost their time one by one
        return Parsed(given, format, case, tables)
    except MemoryError:
        raise case.memory_fault() from None


def unpack(files: list[File], case: Case) -> tuple[list[File], list[str], str]:
    """The files themselves, the kind of each, and a name for their format."""
    beside = [file.name for file in files if file.beside]
    if beside:
        case.dropped[f"files beside the tables: {list_names(beside)}"] = len(beside)
    files = [unpack_stream(file, case.limits) for file in files if not file.beside]
    packed = ""
    if len(files) == 1 and find_kind(files[0], case.limits) == "zip":
        packed = "a zip of "
        case.notes += note_extension(files[0], "zip")
        files = [unpack_stream(file, case.limits) for file in list_members(files[0], case)]
    kinds = [find_kind(file, case.limits) for file in files]
    for file, kind in zip(files, kinds, strict=True):
        case.notes += note_extension(file, kind)
    text = "TSV" if files[0].extension in (".tsv", ".tab") else "CSV"
    return files, kinds, packed + (text if kinds[0] == "text" else kinds[0])


def unpack_stream(file: File, limits: Limits) -> File:
    kind = find_kind(file, limits)
    return unpack_file(file, kind, limits) if kind in STREAMS else file


def read_table(file: File, kind: str, how: How, case: Case) -> Table:
    found: Any = read_file(file, kind, how, case.of(file.name)) if kind in READERS else None
    if kind == "Excel":
        return choose_sheet(found, how, case.of(file.name))
    if not isinstance(found, Table):
        what = f"is {kind}, one of several files"
        raise fault(file.name, what, "only tables can be one per task")
    return found


def read_file(file: File, kind: str, how: How, case: Case) -> Any:
    """A table, the sheets of a workbook by title, or arrays by name."""
    said = (how, case) if kind == "text" else (case,)
    found = call_reader(READERS[kind], file, kind, *said)
    if isinstance(found, pd.DataFrame):
        if len(found.columns) == 0:
            raise case.fault("has no columns", "export it again")
        return Table(file.name, check_texts(settle_frame(found, case), case))
    if kind == "Excel":
        for sheet in found.values():
            check_texts(settle_frame(sheet.frame, case), case)
    elif isinstance(found, Table):
        check_texts(found.frame, case)
    return found


def choose_sheet(sheets: dict[str, Table], how: How, case: Case) -> Table:
    """The sheet that was asked for; all of them where they are alike; else the first."""
    if how.sheet is not None and how.sheet not in sheets:
        what = f"has no table on a sheet {quote(how.sheet)}"
        raise case.fault(what, f"it has tables on {list_names(list(sheets), 12)}")
    title = how.sheet or next(iter(sheets))
    chosen = sheets[title]
    if chosen.fault is not None:
        raise chosen.fault
    case.dropped |= chosen.dropped
    case.notes += chosen.notes
    columns = list(chosen.frame.columns)
    alike = all(list(sheet.frame.columns) == columns for sheet in sheets.values())
    if len(sheets) > 1 and how.sheet is None and alike:
        case.guessed.append(f"the {len(sheets)} sheets of one header are one table")
        frames = [sheet.frame.assign(**{SHEET: title}) for title, sheet in sheets.items()]
        whole = pd.concat(frames, ignore_index=True)
        return Table(chosen.name, settle_frame(whole, case))
    if len(sheets) > 1 and how.sheet is None:
        first = f"the sheet {quote(title)}, the first of {len(sheets)} with a table"
        case.guessed.append(f"the table is on {first}")
    return chosen


def call_reader(home: str, file: File, kind: str, *arguments: Any) -> Any:
    module, _, function = home.partition(".")
    try:
        return getattr(import_module(f"stcmtl.io.formats.{module}"), function)(file, *arguments)
    except ModuleNotFoundError as error:
        what = f"is {kind}, and {error.name}, which reads it, is not installed"
        extra = "r" if kind == "R data" else "files"
        raise fault(file.name, what, f"install stcmtl[{extra}], or save it as CSV") from None
