"""Messy files are read right, or refused in a sentence that names the remedy: none in silence."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from stcmtl import ReadError, TaskSet, read
from stcmtl.io.encode_like import Reading
from stcmtl.io.read_like import read_rows_like, read_tasks_like
from tests.unit.cases import naming, together
from tests.unit.io.messy_files import NOTATIONS, Messy, Notation, list_cases, make_table

CASES = list_cases()
TABLE, LATE = make_table(), make_table(late=True)


def test_there_are_enough() -> None:
    assert len(CASES) >= 120
    assert len({case.name for case in CASES}) == len(CASES)
    assert len(NOTATIONS) >= 40


@pytest.mark.parametrize("family", sorted({case.family for case in CASES}))
def test_file_is_read_right_or_refused(family: str) -> None:
    for case in CASES:
        if case.family == family:
            with naming(case.name):
                check_case(case)


def check_case(case: Messy) -> None:
    options = {"task": "store", "target": "sales", **case.options}
    if case.says:
        with pytest.raises(ReadError, match=case.says):
            read(case.file, **options)
        return
    data, account = read(case.file, **options)
    assert case.means is not None
    assert data.feature_names == tuple(case.means)
    np.testing.assert_allclose(data.X, np.transpose(list(case.means.values())), rtol=0, atol=1e-12)
    assert data.y.tolist() == list(case.y)
    assert data.tasks.tolist() == list(case.tasks)
    assert case.told in str(account)


# The same table, however it is written


def read_notation(notation: Notation, table: pd.DataFrame) -> TaskSet:
    return read(("a.csv", notation.write(table)), task="Filiale", target="sales")[0]


@pytest.mark.parametrize("table", [TABLE, LATE], ids=["at once", "late"])
def test_all_notations_give_the_same_tasks(table: pd.DataFrame) -> None:
    plain = read_notation(Notation(), table)
    parts = ("year", "season (sine)", "season (cosine)", "days")
    assert plain.feature_names[:4] == tuple(f"day: {part}" for part in parts)
    assert plain.feature_names[4:] == ("price", "pieces", "kind=new", "kind=none left", "kind=old")
    np.testing.assert_array_equal(plain.X[:, 4], table["price"])
    np.testing.assert_array_equal(plain.X[:, 5], table["pieces"])
    for name, notation in NOTATIONS.items():
        with naming(name):
            found = read_notation(notation, table)
            assert found.feature_names == plain.feature_names
            assert found.X.tobytes() == plain.X.tobytes()
            assert found.y.tobytes() == plain.y.tobytes()
            assert found.tasks.tolist() == plain.tasks.tolist()


def test_files_of_different_notation_are_parts_of_one_table() -> None:
    parts = [("a.csv", NOTATIONS["German"].write(TABLE[:20]))]
    parts += [("b.csv", NOTATIONS["US dollars"].write(TABLE[20:].reset_index(drop=True)))]
    plain = read_notation(Notation(), TABLE)
    found, _ = read(parts, task="Filiale", target="sales")
    assert found.X.tobytes() == plain.X.tobytes()
    assert found.y.tobytes() == plain.y.tobytes()


# A further file, in whatever notation

FITTED = ("plain", "US dollars", "German", "French", "one number", "write.csv2")
ONE_ROW, FOUR_ROWS = (9,), (0, 3, 6, 9)


@cache
def write_rows(name: str, rows: tuple[int, ...]) -> bytes:
    return NOTATIONS[name].write(TABLE.iloc[list(rows)].reset_index(drop=True))


@pytest.mark.parametrize(
    ("fitted", "rows"),
    [*((name, ONE_ROW) for name in FITTED), ("plain", FOUR_ROWS), ("German", FOUR_ROWS)],
)
def test_a_further_file_is_read_right_or_refused(fitted: str, rows: tuple[int, ...]) -> None:
    data, account = read(("a.csv", NOTATIONS[fitted].write(TABLE)), task="Filiale", target="sales")
    reading = Reading.of(data, account)
    refused, wanted = [], list(rows)
    for name in NOTATIONS:
        try:
            found, _ = read_tasks_like(("b.csv", write_rows(name, rows)), reading)
        except ReadError:
            refused.append(name)
        else:
            assert np.array_equal(found.X, data.X[wanted]), name
            assert np.array_equal(found.y, data.y[wanted]), name
            assert found.tasks.tolist() == data.tasks[wanted].tolist(), name
    assert fitted not in refused
    assert len(refused) < len(NOTATIONS) // 2


def write_sizes(cells: list[str], delimiter: str = ",") -> tuple[str, bytes]:
    stores = [f"s{n % 2}" for n in range(len(cells))]
    rows = [delimiter.join(['"' + c + '"' for c in row]) for row in zip(stores, cells, strict=True)]
    lines = [delimiter.join(["store", "size", "y"])]
    lines += [f"{row}{delimiter}{n}" for n, row in enumerate(rows)]
    return "a.csv", "\n".join(lines).encode()


@together(
    ("fitted", "later", "delimiter", "means"),
    [
        (["17161", "950", "23"], ["17161", "8"], ",", [17161, 8]),
        (["17161", "950", "23"], ["17.161", "8.250"], ",", None),
        (["17161", "950", "23"], ["17,161", "8,250"], ",", None),
        (["17161", "950", "23"], ["17.161", "8.250"], ";", None),
        (["17161", "950", "23"], ["17.161.000", "8.250"], ";", [17161000, 8250]),
        (["17161", "950", "23"], ["17.5", "8.25"], ",", [17.5, 8.25]),
        (["17,161", "950", "2,300"], ["17,161", "8,250"], ",", [17161, 8250]),
        (["17,161", "950", "2,300"], ["17,161", "8,250"], "\t", [17161, 8250]),
        (["17,161", "950", "2,300"], ["17,161", "8,250"], ";", None),
        (["17,161", "950", "2,300"], ["17.161", "8.250"], ",", None),
        (["1.5", "2.25", "3.125"], ["1.125", "2.250"], ",", [1.125, 2.25]),
        (["1.5", "2.25", "3.125"], ["1,125", "2,250"], ",", None),
        (["1.5", "2.25", "3.125"], ["1,5", "2,250"], ";", [1.5, 2.25]),
        (["12%", "7.5%", "3%"], ["12%", "4%"], ",", [12, 4]),
        (["12%", "7.5%", "3%"], ["0.12", "0.04"], ",", None),
        (["12", "7.5", "3"], ["12%", "4%"], ",", None),
        (["$12", "$7.5", "$3"], ["12", "4"], ",", [12, 4]),
        (["$12", "$7.5", "$3"], ["€12", "€4"], ",", None),
    ],
)
def test_what_was_decided_is_remembered(
    fitted: list[str], later: list[str], delimiter: str, means: list[float] | None
) -> None:
    data, account = read(write_sizes(fitted * 4), task="store", target="y")
    reading = Reading.of(data, account)
    if means is None:
        with pytest.raises(ReadError, match=r"has '[^']*' in column 'size', where the model was"):
            read_rows_like(write_sizes(later, delimiter), reading)
    else:
        assert read_rows_like(write_sizes(later, delimiter), reading).X[:, 0].tolist() == means


def read_cells(cells: list[str], delimiter: str = ",") -> tuple[TaskSet, str]:
    """A file of 24 rows whose column x has these cells, again and again."""
    rows = [["store", "size", "x", "sales"]]
    for n in range(24):
        rows.append([f"S{n // 8}", str(n * 5 % 7), cells[n * 5 % len(cells)], f"{n * 7 % 24}.25"])
    text = "\n".join(delimiter.join(row) for row in rows)
    data, account = read(("a.csv", text.encode()), task="store", target="sales", missing="median")
    return data, str(account)


@together(
    ("cells", "features", "told"),
    [
        (["caf\u00e9", "cafe\u0301", "tea"], ("x=caf\u00e9", "x=tea"), "was read as 'caf\u00e9'"),
        (["don't", "don\u2019t", "do"], ("x=do", "x=don\u2019t"), "was read as 'don\u2019t'"),
        (["yes", "yes", "y", "no", "no", "n", "no"], ("x=no", "x=yes"), "'y' was read as 'yes'"),
        (['="12"', '="7"', '="3.5"'], ("x",), ""),
        (["1_234", "5_678", "999"], ("x=1_234", "x=5_678", "x=999"), "as '1_234' is no number"),
        ([*[""] * 23, "3.5"], ("x",), "Column 'x' is empty in 23 of 24 rows"),
    ],
)
def test_what_a_person_would_see_is_seen_or_said(
    cells: list[str], features: tuple[str, ...], told: str
) -> None:
    data, account = read_cells(cells)
    assert data.feature_names == ("size", *features)
    assert told in account


def test_text_of_a_spreadsheet_is_the_number_in_it() -> None:
    data, _ = read_cells(['="12"', '="7"', '="3.5"'])
    assert data.X[:3, 1].tolist() == [12.0, 3.5, 7.0]


@pytest.mark.parametrize(
    ("cells", "years", "told"),
    [
        (["Mar-21", "Apr-19", "Nov-20"], {2019, 2020, 2021}, "'Mar-21' was read as the month 2021"),
        (["2021年3月5日", "2019年12月31日"], {2019, 2021}, ""),
        (["2021-03-05", "2020-01-31", "9999-12-31"], {2020, 2021, 9999}, "'9999-12-31' is far"),
    ],
)
def test_dates_are_seen(cells: list[str], years: set[int], told: str) -> None:
    data, account = read_cells(cells)
    assert set(data.X[:, data.feature_names.index("x: year")]) == years
    assert told in account


@pytest.mark.parametrize(
    ("cells", "value", "told"),
    [
        (["1.234", "5.678"], 1.234, "if it means 1234, pass thousands='.'"),
        (["1,234", "5,678"], 1234, "if it means 1.234, pass decimal=','"),
    ],
)
def test_three_digits_beside_semicolons_are_in_doubt(
    cells: list[str], value: float, told: str
) -> None:
    data, account = read_cells(cells, ";")
    assert data.X[0, 1] == value
    assert told in account
