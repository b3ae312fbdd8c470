"""Files to tables and arrays of cells as they stand, before anybody decides what is a task.

A file is parsed once; ``reading`` and ``read_like`` interpret what came out as often as they like.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pandas as pd

from stcmtl.io.account import Case
from stcmtl.io.archives import gunzip, list_members
from stcmtl.io.arrays import Value
from stcmtl.io.cells import settle_frame
from stcmtl.io.limits import Limits, fault
from stcmtl.io.sniffing import find_kind, note_extension
from stcmtl.io.sources import File

if TYPE_CHECKING:
    from stcmtl.io.columns import Column

# Readers by kind, imported when such a file comes: not everybody has all libraries.
TABLES = {
    "text": "text.read_text",
    "Parquet": "columnar.read_parquet",
    "Arrow": "columnar.read_arrow",
    "Excel": "excel.read_excel",
}
ARRAYS = {
    "npz": "npz.read_npz",
    "MAT v4": "matlab.read_mat",
    "MAT": "matlab.read_mat",
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
    each column is, once the cells were interpreted.
    """

    name: str
    frame: pd.DataFrame
    written: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, Column] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Parsed:
    """What files hold: tables, one per file, or the arrays of one file.

    ``case`` has what was found on the way; whoever interprets the cells goes on with a copy.
    """

    files: tuple[str, ...]
    format: str
    case: Case
    tables: tuple[Table, ...] = ()
    arrays: dict[str, Value] = field(default_factory=dict)


def parse(files: list[File], how: How, limits: Limits) -> Parsed:
    case = Case.of_files(files, limits)
    given = tuple(file.name for file in files)
    try:
        files, kinds, format = unpack(files, case)
        if len(files) == 1 and kinds[0] in ARRAYS:
            reader = import_reader(ARRAYS[kinds[0]], files[0], kinds[0])
            return Parsed(given, format, case, arrays=reader(files[0], case.of(files[0].name)))
        # what there is to say is said of the first
        cases = [case, *(case.aside(file.name) for file in files[1:])]
        tables = tuple(map(read_table, files, kinds, [how] * len(files), cases))
        return Parsed(given, format, case, tables)
    except MemoryError:
        raise case.memory_fault() from None


def unpack(files: list[File], case: Case) -> tuple[list[File], list[str], str]:
    """The files themselves, the kind of each, and a name for their format."""
    files = [unpack_gzip(file, case.limits) for file in files]
    packed = ""
    if len(files) == 1 and find_kind(files[0], case.limits) == "zip":
        packed = "a zip of "
        case.notes += note_extension(files[0], "zip")
        files = [unpack_gzip(file, case.limits) for file in list_members(files[0], case)]
    kinds = [find_kind(file, case.limits) for file in files]
    for file, kind in zip(files, kinds, strict=True):
        case.notes += note_extension(file, kind)
    text = "TSV" if files[0].extension in (".tsv", ".tab") else "CSV"
    return files, kinds, packed + (text if kinds[0] == "text" else kinds[0])


def unpack_gzip(file: File, limits: Limits) -> File:
    return gunzip(file, limits) if find_kind(file, limits) == "gzip" else file


def read_table(file: File, kind: str, how: How, case: Case) -> Table:
    if kind not in TABLES:
        what = f"is {kind}, one of several files"
        raise fault(file.name, what, "only tables can be one per task")
    case = case.of(file.name)
    reader = import_reader(TABLES[kind], file, kind)
    if kind == "text":
        found: Table = reader(file, how, case)
        return found
    return Table(file.name, settle_frame(reader(file, case), case))


def import_reader(home: str, file: File, kind: str) -> Callable[..., Any]:
    module, _, function = home.partition(".")
    try:
        reader: Callable[..., Any] = getattr(import_module(f"stcmtl.io.{module}"), function)
    except ModuleNotFoundError as error:
        what = f"is {kind}, and {error.name}, which reads it, is not installed"
        raise fault(file.name, what, "install stcmtl[files]") from None
    return reader
