"""What a column is in several files together."""

from itertools import cycle, islice

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import csv_bytes
from stcmtl import ReadError, read
from stcmtl.io.account import Column
from stcmtl.io.cells.interpret import find_plain_fractions, merge_columns
from stcmtl.io.cells.signs import Evidence


def column(kind: str, of: str = "") -> dict[str, Column]:
    return {"x": Column("x", kind, notation={"kind": of} if of else {})}


def test_a_column_is_one_kind_of_thing_in_all_files_that_have_some_of_it() -> None:
    number, date, empty = column("number", "number"), column("date", "date"), column("empty")
    fault = merge_columns([number, date])["x"].fault
    assert fault is not None
    assert fault.at("y") == "has dates in one file and numbers in another in y"
    assert merge_columns([empty, number])["x"] == number["x"]
    assert merge_columns([date, empty, date])["x"] == date["x"]


def test_a_fraction_beside_is_one_that_no_grouped_number_reads_as() -> None:
    shown = {"decimals": {",": "1,0505"}}
    for values, found in (([1.0, 1.0505], shown), ([1.05, 2.0], {}), ([1.0, np.inf], {})):
        columns = [pd.Series([1, 2]), pd.Series(values)]
        assert find_plain_fractions(columns, ",") == Evidence(**found)


def read_columns(**texts: list[str]) -> dict[str, Column]:
    """A table of three tasks beside columns that repeat some texts."""
    rng = np.random.default_rng(0)
    numbers = {name: rng.normal(size=60).round(3) for name in ("y", "x")}
    own = {name: list(islice(cycle(values), 60)) for name, values in texts.items()}
    frame = pd.DataFrame({"task": np.repeat(list("abc"), 20), **numbers, **own})
    _, account = read(("a.csv", csv_bytes(frame)), task="task", target="y")
    return {column.name: column for column in account.columns}


OPEN = [f"{1 + i % 12:02d}/{1 + 5 * i % 12:02d}/2021" for i in range(60)]


def test_dates_with_another_sign_do_not_say_which_is_the_day() -> None:
    days = range(1, 29)
    slashes = read_columns(d=[f"{day:02d}/03/2021" for day in days], e=OPEN)
    assert slashes["e"].notation["order"] == "dmy"
    with pytest.raises(ReadError, match="nothing tells which is the day and the month"):
        read_columns(d=[f"{day:02d}.03.2021" for day in days], e=OPEN)
