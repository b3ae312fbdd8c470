"""What a column is in several files together."""

from stcmtl.io.account import Column
from stcmtl.io.cells.interpret import merge_columns


def column(kind: str, of: str = "") -> dict[str, Column]:
    return {"x": Column("x", kind, notation={"kind": of} if of else {})}


def test_a_column_is_one_kind_of_thing_in_all_files_that_have_some_of_it() -> None:
    number, date, empty = column("number", "number"), column("date", "date"), column("empty")
    fault = merge_columns([number, date])["x"].fault
    assert fault is not None
    assert fault.at("y") == "has dates in one file and numbers in another in y"
    assert merge_columns([empty, number])["x"] == number["x"]
    assert merge_columns([date, empty, date])["x"] == date["x"]
