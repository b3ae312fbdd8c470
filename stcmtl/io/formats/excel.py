"""Every sheet of an Excel workbook that holds a table, in one go."""

import re
import warnings
import zipfile
from dataclasses import dataclass, field
from posixpath import join, normpath
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pandas as pd
from openpyxl.utils import column_index_from_string

from stcmtl.io.account import Case, list_names
from stcmtl.io.formats.archives import open_zip
from stcmtl.io.formats.dialect import count_lines_above
from stcmtl.io.formats.text import name_columns
from stcmtl.io.limits import MIB, Budget, ReadError, damage_fault, library_faults
from stcmtl.io.parsing import Table
from stcmtl.io.sources import File
from stcmtl.io.write import plain_cells

MOST_SHEETS = 1000
TIGHTEST = 150  # times that a part of a workbook may shrink
HEAD = 4096  # bytes in which a document type would be declared
CELL_BYTES = 32  # of memory for a cell while it is an object of Python
LARGE, FEWEST_FILLED = 2**21, 0.01  # cells of a sheet, and the share that must not be empty
ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
YEARS = range(1900, 2101)
SAMPLE = 20  # rows below a header that show whether it is one

MERGED = re.compile(
    rb'<(?:\w+:)?mergeCell\b[^>]*\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"'
)
# A cell with a formula and nothing that it came to; an empty text is something.
UNCOMPUTED = re.compile(
    rb'<(?:\w+:)?c\b(?![^>]*\bt="str")[^>]*\br="([A-Z]{1,3}\d{1,7})"[^>]*>\s*'
    rb"<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Part:
    """What openpyxl does not tell of a sheet: cells that are merged, and one without its value.

    ``down`` maps a row to the columns that a merged cell begins in there and the rows it ends in;
    ``across`` maps a row to the first and last columns of its merged cells. All count from 0.
    """

    down: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    across: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    uncomputed: str = ""


@dataclass
class Sizes:
    """How much the sheets so far hold, together: many small ones take as long as a large one."""

    budget: Budget
    rows: int = 0
    columns: int = 0


@dataclass(frozen=True)
class Rows:
    """The rows of a sheet that are not blank, and the merged cells of each."""

    cells: list[Row]
    across: list[list[tuple[int, int]]]


def read_excel(file: File, case: Case) -> dict[str, Table]:
    with open_zip(file, case.limits) as archive:
        members = archive.infolist()
        for info in members:
            check_packing(info.filename, info.file_size, info.compress_size, case)
        check_packing("its parts", sum(info.file_size for info in members), file.size, case)
        check_no_entities(archive, case)
        with library_faults(file.name):
            paths = find_parts(archive, case)
            parts = {title: scan_part(archive.read(path)) for title, path in paths.items()}
    with library_faults(file.name), file.open() as handle, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl's remarks on styles it does not know
        book = openpyxl.load_workbook(handle, read_only=True, data_only=True)
        sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "reset_dimensions")]
        sizes, rows = Sizes(Budget(file.name, case.limits)), dict[str, Rows]()
        for sheet in sheets:
            part = parts.get(sheet.title, Part())
            rows[sheet.title] = found = list_rows(sheet, part, sizes, case)
            sizes.columns += max(map(len, found.cells), default=0)
    made = {title: make_sheet(rows[title], parts.get(title, Part()), case) for title in rows}
    others = [title for title, sheet in made.items() if sheet is None]
    if len(others) == len(made):
        raise case.fault("has no sheet with a header and rows", "put the table on a sheet")
    if others:
        case.dropped[f"sheets without a table: {list_names(others)}"] = len(others)
    return {title: sheet for title, sheet in made.items() if sheet is not None}


def check_packing(part: str, size: int, packed: int, case: Case) -> None:
    """XML is slow to parse: a small file that unpacks to very much of it is refused at once."""
    if size > MIB and size > TIGHTEST * max(1, packed):
        what = f"unpacks {part} to more than {TIGHTEST} times its size, as no workbook does"
        raise case.fault(what, "save it again from the spreadsheet program")


def check_no_entities(archive: zipfile.ZipFile, case: Case) -> None:
    """No workbook declares a document type, whose entities may grow without bound."""
    for info in archive.infolist():
        with library_faults(case.name), archive.open(info) as part:
            head = part.read(HEAD)
        if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
            raise damage_fault(case.name)


def find_parts(archive: zipfile.ZipFile, case: Case) -> dict[str, str]:
    """Which part of the archive each sheet is: not very many, and each a part of its own.

    openpyxl looks at all of them to begin with, as often as they are named.
    """
    sheets = find_elements(archive, "xl/workbook.xml", "sheet")
    if len(sheets) > MOST_SHEETS:
        what = f"has {len(sheets):,} sheets, more than the {MOST_SHEETS:,} that are read"
        raise case.fault(what, "keep the tables alone, or save them as CSV files")
    links = find_elements(archive, "xl/_rels/workbook.xml.rels", "Relationship")
    targets = {link["Id"]: normpath(join("/xl", link["Target"]))[1:] for link in links}
    parts = {sheet["name"]: targets.get(sheet.get("id", ""), "") for sheet in sheets}
    if len(set(parts.values())) < len(sheets):
        raise damage_fault(case.name)
    return {title: part for title, part in parts.items() if part in archive.NameToInfo}


def find_elements(archive: zipfile.ZipFile, part: str, name: str) -> list[dict[str, str]]:
    """The attributes of all elements of a name, without their name spaces."""
    elements = ElementTree.fromstring(archive.read(part)).iter()
    return [
        {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
        for element in elements
        if element.tag.rpartition("}")[2] == name
    ]


def scan_part(xml: bytes) -> Part:
    down: dict[int, list[tuple[int, int]]] = {}
    across: dict[int, list[tuple[int, int]]] = {}
    for left, top, right, bottom in MERGED.findall(xml):
        first, last = (column_index_from_string(text.decode()) - 1 for text in (left, right))
        if int(bottom) > int(top):
            down.setdefault(int(top) - 1, []).append((first, int(bottom) - 1))
        if last > first:
            across.setdefault(int(top) - 1, []).append((first, last))
    found = UNCOMPUTED.search(xml)
    return Part(down, across, found.group(1).decode() if found else "")


def list_rows(sheet: Any, part: Part, sizes: Sizes, case: Case) -> Rows:
    """Every row that is not blank, counted while it streams: a sheet's own size is a claim.

    What is merged over several rows stands in each of them, and counts there.
    """
    sheet.reset_dimensions()
    found = Rows([], [])
    spans: dict[int, tuple[int, Any]] = {}  # by column: the last row, and what stands there
    cells = filled = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        full = fill_down(row, spans, number)
        cells += len(full)
        filled += len(full) - full.count(None)
        case.check(rows=sizes.rows, columns=sizes.columns + len(full), cells=cells)
        texts = sum(len(cell) for cell in row if isinstance(cell, str))
        sizes.budget.spend(CELL_BYTES * len(full) + texts)
        sizes.rows += 1
        if cells > LARGE and filled < FEWEST_FILLED * cells:
            what = f"has {cells:,} cells in its first {number + 1:,} rows, nearly all of them empty"
            remedy = "delete the empty columns, or move far cells beside the others"
            raise case.fault(what, remedy)
        if any(cell is not None for cell in row):
            found.cells.append(trim(full))
            found.across.append(part.across.get(number, []))
        for column, last in part.down.get(number, []):
            if column < len(row):
                spans[column] = last, row[column]
    return found


def fill_down(row: Row, spans: dict[int, tuple[int, Any]], number: int) -> Row:
    if not spans:
        return row
    width = max(len(row), 1 + max(spans))
    full = [*row, *[None] * (width - len(row))]
    for column, (last, value) in list(spans.items()):
        if number > last:
            del spans[column]
        elif full[column] is None:
            full[column] = value
    return tuple(full)


def trim(row: Row) -> Row:
    """A row without empty cells at its end; a formula's error is an empty cell."""
    row = tuple(None if cell in ERRORS else cell for cell in row)
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return row[:end]


def make_sheet(rows: Rows, part: Part, case: Case) -> Table | None:
    """The table of a sheet, or what is wrong with it; None where it holds none."""
    start = count_lines_above(rows.cells)
    own = case.aside(case.name)
    try:
        header, first = find_header(rows, start)
        body = rows.cells[first:]
        if not body or len(header) < 2:
            return None
        if part.uncomputed:
            what = f"has a formula without its value in cell {part.uncomputed}"
            raise case.fault(what, "open it in a spreadsheet program and save it there")
        frame = build_frame(header, body, own)
    except ReadError as error:
        return Table(case.name, pd.DataFrame(), fault=error)
    if above := min(start, first - 1):
        own.dropped["lines above the header"] = above
    if part.down.keys() - range(first):
        own.notes.append("Cells that are merged over several rows stand in each of them")
    return Table(case.name, frame, dropped=own.dropped, notes=own.notes)


def find_header(rows: Rows, start: int) -> tuple[Row, int]:
    """The names of the columns, and the first row below: names have two rows under groups."""
    for top in (start - 1, start):
        if top >= 0 and is_group_row(rows, top, sure=top < start):
            return join_names(rows.cells[top], rows.cells[top + 1], rows.across[top]), top + 2
    return rows.cells[start] if rows.cells else (), start + 1


def is_group_row(rows: Rows, top: int, sure: bool) -> bool:
    """Whether a row names groups of columns, and the next one the columns of each.

    Groups are merged, or are blank after their first column. Lines above a table may be
    anything: they must be ``sure``.
    """
    if len(rows.cells) < top + 3:
        return False
    groups, names, below = rows.cells[top], rows.cells[top + 1], rows.cells[top + 2 :][:SAMPLE]
    merged = [(a, b) for a, b in rows.across[top] if b - a + 1 < len(names)]
    blank = [d for d in range(len(names)) if get(groups, d) is None and names[d] is not None]
    if not blank or not (merged or not sure):
        return False
    under = [cell for cell in names if cell is not None]
    years = any(cell is None for cell in names) or bool(merged)
    if not all(isinstance(cell, str) or (years and cell in YEARS) for cell in under):
        return False
    numbers = (int, float)
    return any(all(isinstance(get(row, d), (*numbers, type(None))) for row in below) for d in blank)


def get(row: Row, place: int) -> Any:
    return row[place] if place < len(row) else None


def join_names(groups: Row, names: Row, merged: list[tuple[int, int]]) -> Row:
    """sales over 2020 and 2021: 'sales 2020' and 'sales 2021'."""
    joined: list[Any] = []
    group = None
    for place in range(max(len(groups), len(names))):
        top, name = get(groups, place), get(names, place)
        inside = any(first < place <= last for first, last in merged)
        if top is not None or (merged and not inside):
            group = top
        parts = [group if name is not None else top, name]
        told = dict.fromkeys(str(part).strip() for part in parts if part is not None)
        joined.append(" ".join(told) or None)
        if name is None:
            group = None
    return tuple(joined)


def build_frame(header: Row, body: list[Row], case: Case) -> pd.DataFrame:
    names = tuple("" if cell is None else str(cell).strip() for cell in header)
    width = max(len(row) for row in body)
    if width > len(names):
        what = f"has {width} cells in a row and {len(names)} column names"
        raise case.fault(what, "name every column")
    columns = {
        column: pd.Series([get(row, d) for row in body]).infer_objects()
        for d, column in enumerate(name_columns(names, case))
    }
    return plain_cells(pd.DataFrame(columns))
