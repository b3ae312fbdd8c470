"""Tables as spreadsheets, R and people write them."""

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import csv_bytes, excel_bytes, parquet_bytes, zip_bytes
from stcmtl import Account, ReadError, TaskSet, read
from stcmtl.io.features import ROW_BLOCK, stack_columns
from tests.unit.cases import together

SIZE = 12
FRAME = pd.DataFrame(
    {
        "clinic": np.repeat(["Genève", "Zürich", "Œnsingen"], 4),
        "dose": np.arange(SIZE) / 4 + 1000.5,
        "visits": np.arange(SIZE) % 5,
        "outcome": np.arange(SIZE) ** 2 / 8,
    }
)


def assert_is_frame(data: TaskSet, frame: pd.DataFrame = FRAME) -> None:
    assert data.tasks.tolist() == frame["clinic"].tolist()
    assert data.y.tolist() == frame["outcome"].tolist()
    assert data.feature_names == ("dose", "visits")
    np.testing.assert_array_equal(data.X, frame[["dose", "visits"]])


def text(**options: Any) -> str:
    return FRAME.to_csv(index=False, **options)


def test_bytes_that_windows_does_not_know_are_latin() -> None:
    data, account = read(("a.csv", text().replace("Œ", "\x81").encode("latin-1")))
    assert data.task_names.tolist() == ["Genève", "Zürich", "\x81nsingen"]
    assert "encoded in Latin-1" in str(account)


def test_line_ends_in_quotes_end_no_row() -> None:
    frame = FRAME.assign(note=["one\nline", 'said "so"', "x,y"] * 4)
    data, account = read(("a.csv", csv_bytes(frame.rename(columns={"dose": "dose\n(mg)"}))))
    assert data.feature_names[:2] == ("dose\n(mg)", "visits")
    assert account.encoded["note"] == ("one\nline", 'said "so"', "x,y")
    assert len(data.y) == SIZE


def test_first_line_of_data_is_no_header() -> None:
    data, account = read(("a.csv", text(header=False).encode()))
    assert data.tasks.tolist() == FRAME["clinic"].tolist()
    assert data.y.tolist() == FRAME["outcome"].tolist()
    assert "there is no header: the first line is data" in account.guessed
    years = FRAME.rename(columns={"dose": "1990", "visits": "2000"})
    assert read(("a.csv", csv_bytes(years)))[0].feature_names == ("1990", "2000")


@pytest.mark.parametrize(
    ("task", "target"),
    [
        ("School Name", "Exam Score"),
        ("schoolID", "finalGrade"),
        ("taskid", "target"),
        ("hospital_code", "log_price"),
        ("Task #", "Y"),
        ("subj", "response"),
    ],
)
def test_columns_are_known_by_their_words(task: str, target: str) -> None:
    frame = FRAME.rename(columns={"clinic": task, "outcome": target}).assign(pos_y=1.0, z=2.0)
    frame[task] = np.tile([1, 2, 3], 4)
    data, _ = read(("a.csv", csv_bytes(frame)))
    assert data.feature_names == ("dose", "visits", "pos_y", "z")
    assert data.tasks.tolist() == frame[task].tolist()
    assert data.y.tolist() == frame[target].tolist()


def test_two_labels_in_the_last_column_are_the_target() -> None:
    frame = FRAME.assign(outcome=["ill", "well"] * 6).rename(columns={"outcome": "state after"})
    data, account = read(("a.csv", csv_bytes(frame)))
    assert data.y.tolist() == frame["state after"].tolist()
    assert account.target_type == "classification"


def test_a_column_called_task_may_have_a_row_a_task() -> None:
    frame = FRAME.rename(columns={"clinic": "task"}).assign(task=range(SIZE))
    assert len(read(("a.csv", csv_bytes(frame)))[0]) == SIZE


def test_names_of_wide_targets_are_said() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3], "y1": [1.5, 2, 3], "y2": [3.5, 2, 1]})
    data, account = read(("a.csv", csv_bytes(frame)))
    assert data.task_names.tolist() == [1, 2]
    assert "The task of column 'y1' is called 1, and so on" in account.notes


# Kinds of columns


def read_with(column: Any, **options: Any) -> tuple[TaskSet, Account]:
    return read(("a.parquet", parquet_bytes(FRAME.assign(dose=column))), **options)


DATES = pd.date_range("2024-02-28", periods=SIZE)


@pytest.mark.parametrize(
    "column", [DATES, DATES.date, DATES.strftime("%Y-%m-%d"), DATES.tz_localize("UTC")]
)
def test_dates_become_season_and_days_since_the_first(column: Any) -> None:
    data, account = read_with(column)
    turn = 2 * np.pi * (np.arange(SIZE) + 31 + 27) / 366
    assert data.feature_names[:3] == ("dose: season (sine)", "dose: season (cosine)", "dose: days")
    np.testing.assert_allclose(data.X[:, 0], np.sin(turn), atol=1e-12)
    np.testing.assert_allclose(data.X[:, 1], np.cos(turn), atol=1e-12)
    assert data.X[:, 2].tolist() == list(range(SIZE))
    parts = ("season (sine)", "season (cosine)", "days since 2024-02-28")
    assert account.encoded == {"dose": parts}
    data, account = read_with(column, dates="days")
    assert data.X[:, 0].tolist() == list(range(SIZE))
    assert account.encoded == {"dose": ("days since 2024-02-28",)}


@together(
    ("form", "said"),
    [
        ("{}", "Column 'dose' holds numbers as text, and was read as numbers"),
        ("{} %", "Column 'dose' was read without the sign %"),
        ("$ {}", "Column 'dose' was read without the sign $"),
        ("{} €", "Column 'dose' was read without the sign €"),
    ],
)
def test_numbers_as_text_are_numbers(form: str, said: str) -> None:
    data, account = read_with([form.format(value / 4) for value in range(SIZE)])
    assert data.X[:, 0].tolist() == [value / 4 for value in range(SIZE)]
    assert any(note.startswith(said) for note in account.notes)


def test_target_as_text_is_numbers_too() -> None:
    frame = FRAME.assign(outcome=FRAME["outcome"].astype(str))
    assert_is_frame(read(("a.xlsx", excel_bytes(frame)))[0])


def test_missing_texts_are_filled_with_the_most_frequent() -> None:
    column = ["a", "b", "b", None] * 3
    with pytest.raises(ReadError, match=r"missing values in column 'dose' \(3\)"):
        read_with(column)
    data, account = read_with(column, missing="median")
    assert data.feature_names[:2] == ("dose=a", "dose=b")
    assert data.X[:, 1].tolist() == [0, 1, 1, 1] * 3
    assert "3 missing cells in 1 column were filled" in str(account)


def test_a_column_of_nothing_is_left_out_and_said() -> None:
    data, account = read_with(pd.array([None] * SIZE, dtype="string"))
    assert data.feature_names == ("visits",)
    assert account.dropped == {"column 'dose', which is empty": 1}


def test_a_slip_in_a_target_of_a_workbook_is_named() -> None:
    frame = FRAME.astype({"outcome": object})
    frame.loc[3, "outcome"] = "n.a."
    with pytest.raises(ReadError, match=r"the target 'outcome' but also 'n\.a\.'"):
        read(("a.xlsx", excel_bytes(frame)))


# Workbooks


def book(**sheets: tuple[pd.DataFrame, dict[str, int]]) -> bytes:
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as writer:
        for name, (frame, place) in sheets.items():
            frame.to_excel(writer, sheet_name=name, index=False, **place)
            if place:
                writer.sheets[name]["A1"] = "Doses and outcomes"
    return buffer.getvalue()


def test_titles_and_sheets_of_remarks_are_passed_over() -> None:
    remarks = pd.DataFrame({"Read me": ["made by hand", "in 2024"]})
    place = {"startrow": 3, "startcol": 2}
    data, account = read(("a.xlsx", book(remarks=(remarks, {}), data=(FRAME, place))))
    assert_is_frame(data)
    assert account.dropped["lines above the header"] == 1
    assert account.dropped["sheets without a table: remarks"] == 1


def test_sheets_alike_are_tasks() -> None:
    parts = {name: (part.drop(columns="clinic"), {}) for name, part in FRAME.groupby("clinic")}
    assert_is_frame(read(("a.xlsx", book(**parts)))[0])


def test_errors_of_formulas_are_empty_cells() -> None:
    frame = FRAME.astype({"dose": object})
    frame.loc[3, "dose"] = "#DIV/0!"
    with pytest.raises(ReadError, match=r"missing values in column 'dose' \(1\)"):
        read(("a.xlsx", excel_bytes(frame)))


# Several files


def test_files_beside_the_tables_are_left_out() -> None:
    members = {
        f"clinics/{name}.csv": csv_bytes(part.drop(columns="clinic"))
        for name, part in FRAME.groupby("clinic")
    }
    data, account = read(("a.zip", zip_bytes({**members, "clinics/README.txt": b"Please cite."})))
    assert_is_frame(data)
    assert "README" in str(account)


def test_files_with_a_task_column_are_one_table() -> None:
    frame = FRAME.rename(columns={"clinic": "ward"})
    parts = [("1.csv", csv_bytes(frame[:5])), ("2.csv", csv_bytes(frame[5:]))]
    data, account = read(parts, task="ward")
    assert_is_frame(data)
    assert account.layout == "parts of one long table"


def test_files_called_alike_are_told_by_their_folders() -> None:
    part = csv_bytes(FRAME.drop(columns="clinic"))
    data, _ = read(("a.zip", zip_bytes({"north/data.csv": part, "south/data.csv": part})))
    assert data.task_names.tolist() == ["north/data", "south/data"]


@together("word", ["Total", "Summe", "grand total", "Mean:", "Subtotal"])
def test_rows_that_sum_up_others_are_left_out_and_said(word: str) -> None:
    rows = [f"{task},{k},{k * k}" for task in "ab" for k in range(6)]
    data, account = read(("a.csv", "\n".join(["task,x,y", *rows, f"{word},30,110"]).encode()))
    assert data.task_names.tolist() == ["a", "b"]
    assert len(data.X) == 12
    assert f"rows of '{word}', which sum up others" in str(account)


def test_a_task_may_be_called_total() -> None:
    rows = [f"{task},{k},{k * k}" for task in ("Shell", "Total", "Esso") for k in range(6)]
    data, _ = read(("a.csv", "\n".join(["station,x,y", *rows]).encode()))
    assert data.task_names.tolist() == ["Esso", "Shell", "Total"]


@pytest.mark.parametrize("index", [["", 0.5], ["X", 1], ["", 7]])
def test_what_numbers_the_rows_is_no_feature(index: list[Any]) -> None:
    name, first = index
    header = f"{name},task,x,y"
    rows = [f"{first + k},{'ab'[k % 2]},{k * k % 7},{k * 3 % 5}" for k in range(12)]
    data, account = read(("a.csv", "\n".join([header, *rows]).encode()), task="task", target="y")
    assert data.feature_names == ("x",)
    assert "which only numbers the rows" in str(account)


def test_quotation_marks_after_backslashes_are_refused() -> None:
    rows = [f'"a{t}",{k},{k * t}' for t in (1, 2) for k in range(6)]
    odd = "\n".join(["task,x,y", *rows, '"a\\"3",1,2']).encode()
    with pytest.raises(ReadError, match=r"after a backslash in line 14: export it with doubled"):
        read(("a.csv", odd))
    path = "\n".join(["task,folder,x,y", *(f'"a","C:\\{k}\\",{k},{k}' for k in range(12))]).encode()
    data, _ = read(("a.csv", path), task="task", target="y", features=["x"])
    assert len(data.X) == 12


@pytest.mark.parametrize(("encoding", "said"), [
    ("utf-16", "is damaged: its text is not utf-16"),
    ("zlib", "cannot be read in 'zlib', which is no encoding"),
])  # fmt: skip
def test_an_encoding_that_does_not_fit_is_a_sentence(encoding: str, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        read(("a.csv", b"task,x,y\na,1,2\nb,2,3\n"), encoding=encoding)


@pytest.mark.parametrize(("name", "step", "named"), [("mrn", 977, True), ("customer", 3, True),
                                                     ("rainfall", 3, False)])  # fmt: skip
def test_numbers_that_may_name_rows_are_pointed_out(name: str, step: int, named: bool) -> None:
    first = 100_000 if name == "mrn" else 5
    rows = [f"{'ab'[k % 2]},{first + step * k},{k * k % 7},{k % 5}" for k in range(20)]
    content = "\n".join([f"school,{name},x,score", *rows]).encode()
    _, account = read(("a.csv", content), task="school", target="score")
    said = f"In column '{name}' every row has another whole number; if they name rows, pass exclude"
    assert (said in str(account)) is named


def test_many_rows_are_stacked_block_by_block() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.normal(size=ROW_BLOCK + 3), rng.integers(9, size=ROW_BLOCK + 3)]
    np.testing.assert_array_equal(
        stack_columns(columns, ROW_BLOCK + 3), np.column_stack(columns).astype(np.float64)
    )
