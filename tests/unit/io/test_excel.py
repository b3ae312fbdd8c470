"""Workbooks as people make them: several sheets, names in two rows, merged cells, formulas."""

import io
from datetime import datetime
from typing import Any

import openpyxl
import pytest

from stcmtl import ReadError
from stcmtl.io.parsing import How
from stcmtl.io.reading import Opened, open_parsed, open_source
from tests.unit.cases import together

Rows = list[list[Any]]


def make_book(merged: tuple[str, ...] = (), **sheets: Rows) -> tuple[str, bytes]:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        for cells in merged:
            sheet.merge_cells(cells)
    buffer = io.BytesIO()
    book.save(buffer)
    return "a.xlsx", buffer.getvalue()


def open_book(merged: tuple[str, ...] = (), **sheets: Rows) -> Opened:
    return open_source(make_book(merged, **sheets))


DATA = [["a", 1.5, 2], ["b", 2.5, 3], ["a", 4.5, 5], ["b", 0.5, 1]]


@pytest.mark.parametrize("bounded", [False, True])
def test_every_sheet_comes_out_of_one_parse(bounded: bool) -> None:
    source = make_book(
        old=[["store", "y", "x"], *DATA], new=[["shop", "y", "z"], *DATA], notes=[["none"]]
    )
    opened = open_source(source, bounded=bounded)
    assert list(opened.parsed.sheets) == ["old", "new"]
    assert list(opened.tables[0].frame.columns) == ["store", "y", "x"]
    assert opened.case.guessed == ["the table is on the sheet 'old', the first of 2 with a table"]
    assert opened.case.dropped == {"sheets without a table: notes": 1}
    again = open_parsed(opened.parsed, How(sheet="new"))
    assert list(again.tables[0].frame.columns) == ["shop", "y", "z"]
    assert again.case.guessed == []
    with pytest.raises(
        ReadError, match=r"no table on a sheet 'notes': it has tables on old, new\."
    ):
        open_parsed(opened.parsed, How(sheet="notes"))


def test_sheets_alike_are_one_table_unless_one_is_asked_for() -> None:
    opened = open_book(first=[["y", "x"], [1, 2], [3, 4]], second=[["y", "x"], [5, 6]])
    assert opened.tables[0].frame["sheet"].tolist() == ["first", "first", "second"]
    again = open_parsed(opened.parsed, How(sheet="second"))
    assert again.tables[0].frame.to_numpy().tolist() == [[5, 6]]


@pytest.mark.parametrize("merged", [(), ("B1:C1", "D1:E1")], ids=["blank", "merged"])
@together("years", [(2020, 2021), ("2020", "2021"), ("y1", "y2")])
def test_names_in_two_rows_are_joined(merged: tuple[str, ...], years: tuple[Any, Any]) -> None:
    groups = ["store", "sales", None, "costs", None]
    rows = [groups, [None, *years, *years], ["a", 1, 2, 3, 4], ["b", 5, 6, 7, 8]]
    frame = open_book(merged, s=rows).tables[0].frame
    first, second = years
    names = [f"{group} {year}" for group in ("sales", "costs") for year in (first, second)]
    assert list(frame.columns) == ["store", *names]
    assert frame["costs " + str(second)].tolist() == [4, 8]


def test_names_in_two_rows_below_a_title() -> None:
    rows = [["Report"], [None, None, "sales", None], ["store", "day", "north", "south"]]
    body = [["a", 1, 2, 3], ["b", 2, 4, 5]]
    frame = open_book(("A1:D1", "C2:D2"), s=[*rows, *body]).tables[0].frame
    assert list(frame.columns) == ["store", "day", "sales north", "sales south"]
    assert len(frame) == 2


def test_a_title_or_a_nameless_column_is_no_group() -> None:
    title = [["Sales of all stores"], ["store", "y", "x"], *DATA]
    assert list(open_book(("A1:C1",), s=title).tables[0].frame.columns) == ["store", "y", "x"]
    nameless = [["store", None, "x"], *DATA]
    assert list(open_book(s=nameless).tables[0].frame.columns) == ["store", "column 2", "x"]


def test_merged_task_cells_stand_in_every_row() -> None:
    rows = [["store", "y", "x"], ["a", 1, 2], [None, 3, 4], ["b", 5, 6], [None, 7, 8], [None, 9, 1]]
    opened = open_book(("A2:A3", "A4:A6"), s=rows)
    assert opened.tables[0].frame["store"].tolist() == ["a", "a", "b", "b", "b"]
    assert "Cells that are merged over several rows stand in each of them" in opened.case.notes
    holes = open_book(s=rows)  # blank cells that are not merged stay blank
    assert holes.tables[0].frame["store"].isna().sum() == 3


def test_a_formula_without_its_value_is_named() -> None:
    rows = [["store", "y", "x"], ["a", 1, "=B2*2"], ["b", 2, "=B3*2"]]
    with pytest.raises(ReadError) as caught:
        open_book(s=rows)
    said = "a.xlsx has a formula without its value in cell C2: "
    assert str(caught.value) == f"{said}open it in a spreadsheet program and save it there."
    other = open_book(good=[["store", "y", "x"], *DATA], s=rows)  # on a sheet that nobody wants
    assert len(other.tables[0].frame) == 4


def test_cells_keep_their_kinds() -> None:
    day = datetime(2021, 3, 5)
    rows = [["a", "b", "c", "d", "e"], ["1,5", day, True, 1, " x "], [2.5, day, None, 2.5, "NA"]]
    frame = open_book(s=[*rows, ["3", day, False, 3, "y"]]).parsed.sheets["s"].frame
    assert frame["a"].tolist() == ["1,5", 2.5, "3"]
    kinds = ["object", "datetime64[us]", "object", "float64", "str"]
    assert [str(dtype) for dtype in frame.dtypes] == kinds
    assert frame["e"].tolist() == [" x ", "NA", "y"]
