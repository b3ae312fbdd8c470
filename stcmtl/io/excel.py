"""The first sheet of an Excel workbook that holds a table, or all sheets if they are alike."""

from __future__ import annotations

import warnings
import zipfile
from posixpath import join, normpath
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pandas as pd

from stcmtl.io.account import Case
from stcmtl.io.archives import open_zip
from stcmtl.io.dialect import count_lines_above
from stcmtl.io.limits import MIB, Budget, damage_fault, library_faults
from stcmtl.io.names import SHEET
from stcmtl.io.sources import File
from stcmtl.io.text import name_columns
from stcmtl.io.write import plain_cells

MOST_SHEETS = 1000
TIGHTEST = 150  # times that a part of a workbook may shrink
HEAD = 4096  # bytes in which a document type would be declared
CELL_BYTES = 32  # of memory for a cell while it is an object of Python
LARGE, FEWEST_FILLED = 2**21, 0.01  # cells of a sheet, and the share that must not be empty
ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")

SheetRows = list[tuple[Any, ...]]


def read_excel(file: File, case: Case) -> pd.DataFrame:
    with open_zip(file, case.limits) as archive:
        members = archive.infolist()
        for info in members:
            check_packing(info.filename, info.file_size, info.compress_size, case)
        check_packing("its parts", sum(info.file_size for info in members), file.size, case)
        check_no_entities(archive, case)
        with library_faults(file.name):
            check_sheets(archive, case)
    with library_faults(file.name), file.open() as handle, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl's remarks on styles it does not know
        book = openpyxl.load_workbook(handle, read_only=True, data_only=True)
        sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "reset_dimensions")]
        budget = Budget(file.name, case.limits)
        rows = {sheet.title: list_rows(sheet, budget, case) for sheet in sheets}
    return choose_table(rows, case)


def choose_table(sheets: dict[str, SheetRows], case: Case) -> pd.DataFrame:
    """The first sheet that holds a table; all of them where they are alike, one per task."""
    above = {title: count_lines_above(rows) for title, rows in sheets.items()}
    tables = {title: rows[above[title] :] for title, rows in sheets.items()}
    tables = {t: rows for t, rows in tables.items() if len(rows) > 1 and len(rows[0]) > 1}
    if not tables:
        raise case.fault("has no sheet with a header and rows", "put the table on a sheet")
    first = next(iter(tables))
    if above[first]:
        case.dropped["lines above the header"] = above[first]
    header = tables[first][0]
    if len(tables) > 1 and all(rows[0] == header for rows in tables.values()):
        case.guessed.append(f"the {len(tables)} sheets of one header are one table")
        frames = [build_frame(rows, case).assign(**{SHEET: t}) for t, rows in tables.items()]
        return pd.concat(frames, ignore_index=True)
    if len(sheets) > 1:
        where = f"the sheet {first!r}, the first of {len(sheets)} that holds one"
        case.guessed.append(f"the table is on {where}")
    return build_frame(tables[first], case)


def check_packing(part: str, size: int, packed: int, case: Case) -> None:
    """XML is slow to parse: a small file that unpacks to very much of it is refused at once."""
    if size > MIB and size > TIGHTEST * max(1, packed):
        what = f"unpacks {part} to more than {TIGHTEST} times its size, as no workbook does"
        raise case.fault(what, "save it again from the spreadsheet program")


def check_sheets(archive: zipfile.ZipFile, case: Case) -> None:
    """Not very many, and each a part of its own: openpyxl looks at all of them to begin with."""
    sheets = find_elements(archive, "xl/workbook.xml", "sheet")
    if len(sheets) > MOST_SHEETS:
        what = f"has {len(sheets):,} sheets, more than the {MOST_SHEETS:,} that are read"
        raise case.fault(what, "keep the tables alone, or save them as CSV files")
    links = find_elements(archive, "xl/_rels/workbook.xml.rels", "Relationship")
    parts = {link["Id"]: normpath(join("/xl", link["Target"])) for link in links}
    used = [parts.get(sheet.get("id", "")) for sheet in sheets]
    if len(set(used)) < len(used):
        raise damage_fault(case.name)


def find_elements(archive: zipfile.ZipFile, part: str, name: str) -> list[dict[str, str]]:
    """The attributes of all elements of a name, without their name spaces."""
    elements = ElementTree.fromstring(archive.read(part)).iter()
    return [
        {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
        for element in elements
        if element.tag.rpartition("}")[2] == name
    ]


def check_no_entities(archive: zipfile.ZipFile, case: Case) -> None:
    """No workbook declares a document type, whose entities may grow without bound."""
    for info in archive.infolist():
        with library_faults(case.name), archive.open(info) as part:
            head = part.read(HEAD)
        if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
            raise damage_fault(case.name)


def list_rows(sheet: Any, budget: Budget, case: Case) -> SheetRows:
    """Every row that is not blank, counted while it streams: a sheet's own size is a claim."""
    sheet.reset_dimensions()
    rows: SheetRows = []
    cells = filled = 0
    for seen, row in enumerate(sheet.iter_rows(values_only=True)):
        cells += len(row)
        case.check(rows=seen, columns=len(row), cells=cells)
        budget.spend(CELL_BYTES * len(row))
        filled += len(row) - row.count(None)
        if cells > LARGE and filled < FEWEST_FILLED * cells:
            what = f"has {cells:,} cells in its first {seen + 1:,} rows, nearly all of them empty"
            remedy = "delete the empty columns, or move far cells beside the others"
            raise case.fault(what, remedy)
        if any(cell is not None for cell in row):
            rows.append(trim(row))
    return rows


def trim(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row without empty cells at its end; a formula's error is an empty cell."""
    row = tuple(None if cell in ERRORS else cell for cell in row)
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return row[:end]


def build_frame(rows: SheetRows, case: Case) -> pd.DataFrame:
    header = tuple("" if cell is None else str(cell).strip() for cell in rows[0])
    width = max(len(row) for row in rows)
    if width > len(header):
        what = f"has {width} cells in a row and {len(header)} column names"
        raise case.fault(what, "name every column")
    columns = {
        column: pd.Series([row[d] if d < len(row) else None for row in rows[1:]]).infer_objects()
        for d, column in enumerate(name_columns(header, case))
    }
    return plain_cells(pd.DataFrame(columns))
