"""Formats of other programs: labels, dates, holes and wrappings; a folder of files."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import csv_bytes, feather_bytes, frame_of, per_task, school_like, spss_bytes
from stcmtl import ReadError, read
from stcmtl.io.reading import open_source
from tests.unit.cases import together

FRAME = pd.DataFrame(
    {
        "store": ["a", "b", "a", "b"],
        "y": [1.5, 2.0, np.nan, 4.0],
        "n": [1, 2, 3, 4],
        "day": pd.to_datetime(["2021-03-05", "2021-03-06", "2021-03-07", None]),
        "level": pd.Categorical(["low", "high", "low", None], ["low", "high"]),
    }
)
KINDS = {"store": "str", "y": "float64", "n": "int64", "day": "M", "level": "category"}


def open_frame(name: str, data: bytes) -> pd.DataFrame:
    return open_source((name, data)).parsed.tables[0].frame


def assert_is_frame(frame: pd.DataFrame) -> None:
    assert list(frame.columns) == list(FRAME.columns)
    for column, kind in KINDS.items():
        assert kind in (str(frame[column].dtype), frame[column].dtype.kind), column
        same = frame[column].astype(object).where(frame[column].notna(), None)
        there = FRAME[column].astype(object).where(FRAME[column].notna(), None)
        assert same.tolist() == there.tolist(), column


@pytest.mark.parametrize("version", [114, 117, 118, 119])
def test_stata(version: int) -> None:
    buffer = io.BytesIO()
    FRAME.to_stata(buffer, write_index=False, version=version, convert_dates={"day": "td"})
    assert_is_frame(open_frame("a.dta", buffer.getvalue()))


def test_stata_labels_of_some_values() -> None:
    buffer = io.BytesIO()
    frame = pd.DataFrame({"task": [1, 1, 2, 2], "x": [1, 2, 3, 99]})
    labels = {"x": {99: "refused"}}
    frame.to_stata(buffer, write_index=False, value_labels=labels)
    assert open_frame("a.dta", buffer.getvalue())["x"].tolist() == [1, 2, 3, "refused"]


@pytest.mark.parametrize("compress", [False, True])
def test_spss(compress: bool) -> None:
    plain = FRAME.assign(level=[1.0, 2.0, 1.0, np.nan], n=FRAME["n"].astype(float))
    labels = {"level": {1.0: "low", 2.0: "high"}}
    frame = open_frame("a.sav", spss_bytes(plain, compress, variable_value_labels=labels))
    assert_is_frame(frame.assign(n=frame["n"].astype(int)))


def test_feather() -> None:
    assert_is_frame(open_frame("a.feather", feather_bytes(FRAME)))


RECORDS = [{"store": "a", "y": 1.5, "x": 1}, {"store": "b", "y": None, "x": 2}, {"store": "a"}]
JSONS: dict[str, Any] = {
    "records": RECORDS,
    "under a key": {"count": 3, "results": RECORDS},
    "columns and data": {
        "columns": ["store", "y", "x"],
        "data": [["a", 1.5, 1], ["b", None, 2], ["a", None, None]],
    },
    "lists by column": {"store": ["a", "b", "a"], "y": [1.5, None, None], "x": [1, 2, None]},
    "rows by column": {
        "store": {"0": "a", "1": "b", "2": "a"},
        "y": {"0": 1.5},
        "x": {"0": 1, "1": 2},
    },
    "rows below names": [["store", "y", "x"], ["a", 1.5, 1], ["b", None, 2], ["a", None, None]],
}


@together("form", list(JSONS))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json(form: str, encoding: str) -> None:
    frame = open_frame("a.json", json.dumps(JSONS[form]).encode(encoding))
    assert frame["store"].tolist() == ["a", "b", "a"]
    assert frame["y"].fillna(-1).tolist() == [1.5, -1, -1]
    assert frame["x"].fillna(-1).tolist() == [1, 2, -1]


def test_json_lines() -> None:
    lines = "\n".join(json.dumps(record) for record in RECORDS) + "\n\n"
    assert open_frame("a.jsonl", lines.encode())["x"].fillna(-1).tolist() == [1, 2, -1]


@together(
    ("content", "words"),
    [
        ([{"a": {"b": 1}, "y": 2}], "lists or records in column 'a': make it plain columns"),
        ([{"a": [1], "y": 2}], "lists or records in column 'a'"),
        ({"a": 1, "b": 2}, "holds no table: save it as a list of records"),
        ({"a": [1, 2], "b": [1]}, "columns of different lengths"),
        ([[1, 2], [3, 4]], "rows without names"),
        ([["a", "b"], [1, 2], [3]], "has 1 cells in row 2 and 2 names"),
        ([["a", "a"], [1, 2]], "more than one column named 'a'"),
        ([{"a": 1}, 2], "holds no table"),
    ],
)
def test_json_that_is_no_table(content: Any, words: str) -> None:
    with pytest.raises(ReadError, match=words):
        open_frame("a.json", json.dumps(content).encode())


def test_json_that_is_broken() -> None:
    with pytest.raises(ReadError, match="damaged"):
        open_frame("a.json", b'[{"a": 1}, {"a":')
    with pytest.raises(ReadError, match="damaged"):
        open_frame("a.json", b"[" * 100_000)


@pytest.mark.parametrize("bounded", [False, True])
def test_a_folder_is_a_list_of_its_tables(tmp_path: Path, bounded: bool) -> None:
    data = school_like(12)
    for name, frame in per_task(data):
        (tmp_path / f"{name}.csv").write_bytes(csv_bytes(frame))
    (tmp_path / "README.md").write_text("about")
    (tmp_path / "fit.py").write_text("import stcmtl")
    (tmp_path / ".hidden.csv").write_text("x")
    (tmp_path / "older").mkdir()
    found, account = read(tmp_path, bounded=bounded)
    assert found.X.tobytes() == data.X.tobytes()
    assert found.tasks.tolist() == data.tasks.tolist()
    assert account.dropped["files beside the tables: README.md, fit.py, older"] == 3
    assert read(str(tmp_path))[1].dropped == account.dropped


def test_a_folder_of_one_table_or_none(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="is a folder without tables"):
        read(tmp_path)
    (tmp_path / "a.csv").write_bytes(csv_bytes(frame_of(school_like())))
    assert read(tmp_path)[0].X.tobytes() == school_like().X.tobytes()
