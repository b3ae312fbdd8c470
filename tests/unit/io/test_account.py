"""What was understood, encoded, dropped and guessed, and that it is said."""

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import csv_bytes, mat_bytes, npz_bytes, parquet_bytes, zip_bytes
from stcmtl import Account, ReadError, TaskSet, read
from tests.unit.cases import together

FRAME = pd.DataFrame(
    {
        "school": np.repeat(["north", "south"], 4),
        "sex": ["f", "m", "f", "m", "m", "f", "m", "f"],
        "age": [11, 12, 13, 14, 15, 16, 17, 18],
        "score": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5],
    }
)


def read_frame(frame: pd.DataFrame, **options: Any) -> tuple[TaskSet, Account]:
    return read(("a.csv", csv_bytes(frame)), **options)


def test_text_becomes_indicators_and_is_said() -> None:
    data, account = read_frame(FRAME)
    assert data.feature_names == ("sex=f", "sex=m", "age")
    np.testing.assert_array_equal(data.X[:, 0], [1, 0, 1, 0, 0, 1, 0, 1])
    np.testing.assert_array_equal(data.X[:, 1], 1 - data.X[:, 0])
    assert account.encoded == {"sex": ("f", "m")}
    assert account.rows_per_task == {"north": 4, "south": 4}
    assert account.guessed == (
        "the task is column 'school', by its name",
        "the target is column 'score', by its name",
    )
    assert str(account).splitlines()[:3] == [
        "Read a.csv as CSV, long (a task column and a target column).",
        "2 tasks, 8 rows (4 per task), 3 features; the target is for regression.",
        "Encoded 'sex': f, m.",
    ]


def test_blanks_around_the_names_of_tasks_are_removed_and_said() -> None:
    schools = ["Nord", "Nord ", " Nord", "Nord", "Ost", "Ost", "Ost", "Ost"]
    data, account = read(("a.parquet", parquet_bytes(FRAME.assign(school=schools))))
    assert data.tasks.tolist() == ["Nord"] * 4 + ["Ost"] * 4
    assert account.notes == ("In column 'school' ' Nord' was read without blanks",)


def test_tasks_that_differ_in_capitals_are_said() -> None:
    data, account = read_frame(FRAME.assign(school=np.repeat(["Nord", "nord"], 4)))
    assert len(data) == 2
    assert account.notes == ("The tasks 'Nord' and 'nord' differ in capitals only, and are two",)


def test_one_missing_cell_was_filled() -> None:
    _, account = read_frame(FRAME.assign(age=[None, *range(7)]), missing="median")
    assert account.notes[0].startswith("1 missing cell in 1 column was filled")


def test_caller_overrides_the_guesses() -> None:
    data, account = read_frame(FRAME, task="sex", target="age")
    assert data.task_names.tolist() == ["f", "m"]
    np.testing.assert_array_equal(data.y, FRAME["age"])
    assert account.guessed == ()


def test_rows_without_target_are_dropped_and_counted() -> None:
    frame = FRAME.copy()
    frame.loc[[1, 6], "score"] = np.nan
    data, account = read_frame(frame)
    np.testing.assert_array_equal(data.y, FRAME["score"].drop([1, 6]))
    assert account.dropped == {"rows without a target": 2}


def test_missing_features_are_named_or_filled() -> None:
    frame = FRAME.astype({"age": float})
    frame.loc[[0, 1], "age"] = np.nan
    with pytest.raises(ReadError, match=r"missing values in column 'age' \(2\): .*'median'"):
        read_frame(frame)
    data, account = read_frame(frame, missing="median")
    np.testing.assert_array_equal(data.X[:2, 2], [15.5, 15.5])
    assert "2 missing cells" in str(account)


@together("labels", [(0, 1), (-1, 1), (1, 2), (False, True), ("no", "yes"), (0.5, 2.5)])
def test_two_labels_of_any_kind_are_a_classification(labels: tuple[Any, Any]) -> None:
    truth = np.array([0, 1, 1, 0, 1, 0, 0, 1])
    frame = FRAME.assign(score=[labels[t] for t in truth])
    data, account = read_frame(frame)
    assert data.task_type == account.target_type == "classification"
    np.testing.assert_array_equal(data.y, frame["score"])
    assert account.classes == labels
    assert f"{labels[1]!r} is the positive one" in str(account)


def test_two_numbers_can_be_a_regression() -> None:
    data, _ = read_frame(FRAME.assign(score=[0, 1] * 4), task_type="regression")
    np.testing.assert_array_equal(data.y, [0.0, 1.0] * 4)


def test_few_values_are_offered_as_classification_and_taken() -> None:
    frame = pd.concat([FRAME] * 3).assign(score=[1, 2, 3] * 8)
    _, account = read_frame(frame)
    assert account.target_type == "regression"
    assert "task_type='classification'" in str(account)
    data, _ = read_frame(frame, task_type="classification")
    assert data.task_names.tolist() == [f"{s}: {k}" for s in ("north", "south") for k in (1, 2, 3)]
    north = frame["school"].to_numpy() == "north"
    second = data.y[data.tasks == "north: 2"]
    np.testing.assert_array_equal(second, np.where(frame["score"][north] == 2, 1.0, -1.0))


def test_wide_table_without_hints_in_its_names() -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 3], "math": [1.5, np.nan, 2.5], "art": [np.nan, 4.5, 5.5]})
    data, account = read_frame(frame)
    assert data.tasks.tolist() == ["math", "math", "art", "art"]
    np.testing.assert_array_equal(data.X[:, 0], [1, 3, 2, 3])
    assert account.layout == "wide (2 target columns, 2 cells empty)"


def test_wide_targets_told_by_the_caller() -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [3.5, 1, 2], "c": [2.5, 4, 5]})
    data, _ = read_frame(frame, target=["b", "c"])
    assert data.tasks.tolist() == ["b"] * 3 + ["c"] * 3


def test_wrong_extension_is_read_and_said() -> None:
    data, account = read(("a.csv", parquet_bytes(FRAME)))
    assert len(data) == 2
    assert account.format == "Parquet"
    assert any("whatever its extension" in note for note in account.notes)


def test_file_objects_and_paths(tmp_path: Any) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(csv_bytes(FRAME))
    from_path, account = read(path)
    from_object, _ = read(("scores.csv", io.BytesIO(csv_bytes(FRAME))))
    np.testing.assert_array_equal(from_path.X, from_object.X)
    assert account.files == ("scores.csv",)


def test_files_are_tasks_in_the_order_people_count() -> None:
    members = {f"{n}.csv": f"x,y\n{n},1.5\n{n},2.5\n{n},3\n".encode() for n in (10, 9, 1)}
    data, _ = read(("a.zip", zip_bytes({**members, "__MACOSX/._1.csv": b"\0"})))
    assert data.tasks.tolist() == [1] * 3 + [9] * 3 + [10] * 3
    with pytest.raises(ReadError, match=r"b\.csv and a\.csv differ in the columns x, z"):
        read([("a.csv", b"x,y\n1,2\n"), ("b.csv", b"z,y\n1,2\n")])


def test_integers_are_cast_before_any_product() -> None:
    X = np.full((6, 2), 200, dtype=np.uint8)
    data, _ = read(("a.mat", mat_bytes(X=X, y=np.arange(6.0), sid=[1, 1, 1, 2, 2, 2])))
    assert data.X.dtype == np.float64
    assert (data.X.T @ data.X).max() == 6 * 200.0**2


def test_names_in_array_files_are_kept() -> None:
    arrays = {"X": np.eye(4), "y": np.arange(4.0), "tasks": np.array(["a", "a", "b", "b"])}
    data, _ = read(("a.npz", npz_bytes(**arrays, feature_names=np.array(list("pqrs")))))
    assert data.feature_names == ("p", "q", "r", "s")
    assert data.task_names.tolist() == ["a", "b"]


@together(
    ("options", "words"),
    [
        ({"task": "pupil"}, "no column 'pupil': it has school"),
        ({"target": "school", "task": "school"}, "both the task and the target"),
        ({"target": ["score", "grade"]}, "no column 'grade'"),
        ({"layout": "wide"}, "which columns are the targets"),
    ],
)
def test_wrong_columns_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ReadError, match=words):
        read_frame(FRAME, **options)


@pytest.mark.parametrize("option", ["layout", "task_type", "missing"])
def test_options_are_checked(option: str) -> None:
    with pytest.raises(ValueError, match=f"{option} is 'odd'"):
        read_frame(FRAME, **{option: "odd"})


def test_a_long_name_of_a_file_is_quoted_in_part() -> None:
    """In what was understood of it, and in what is wrong with it."""
    name, rows = "L" * 3000, "x,y\n1,1.5\n2,2.5\n3,3\n"
    table = pd.DataFrame({"task": list("aabb"), "y": [1.0, 2.0, 3.0, 4.5], "x": ["é", "b"] * 2})
    data = table.to_csv(index=False).encode("latin-1")
    _, account = read((f"{name}.xlsx", data), task="task", target="y")
    assert "encoded in" in str(account)
    assert "whatever its extension says" in str(account)
    assert "L" * 81 not in str(account)
    other = rows.replace("x", name)
    with pytest.raises(ReadError, match="differ in the columns") as caught:
        read(("a.zip", zip_bytes({f"{name}1.csv": rows.encode(), f"{name}2.csv": other.encode()})))
    assert "L" * 81 not in str(caught.value)
    assert len(str(caught.value)) < 400
