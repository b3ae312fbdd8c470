"""A TaskSet keeps rows, targets and tasks together, and says what does not fit."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl.data.splits import take_rows
from stcmtl.data.taskset import TaskSet, task_codes
from tests.unit.cases import together

X = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0], [5.0, 50.0]])
Y = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
TASKS = np.array(["b", "a", "b", "c", "b"])


def test_tasks_are_listed_in_sorted_order_with_their_rows() -> None:
    data = TaskSet(X, Y, TASKS)
    assert len(data) == 3
    assert data.task_names.tolist() == ["a", "b", "c"]
    assert data.n_rows.tolist() == [1, 3, 1]
    names, rows, targets = zip(*data, strict=True)
    assert names == ("a", "b", "c")
    np.testing.assert_array_equal(rows[1], [[1, 10], [3, 30], [5, 50]])
    np.testing.assert_array_equal(targets[1], [0.1, 0.3, 0.5])
    np.testing.assert_array_equal(rows[2], [[4, 40]])


def test_features_are_named_by_number_unless_named() -> None:
    assert TaskSet(X, Y, TASKS).feature_names == ("x0", "x1")
    assert TaskSet(X, Y, TASKS, feature_names=["age", "size"]).feature_names == ("age", "size")
    named = TaskSet(X, Y, TASKS, feature_names=pd.Index(["age", "size"]))
    assert named.feature_names == ("age", "size")


def test_lists_and_pandas_objects_become_arrays() -> None:
    frame = pd.DataFrame(X, columns=["age", "size"], index=[9, 8, 7, 6, 5])
    data = TaskSet(frame, pd.Series(Y), TASKS.tolist())
    assert data.feature_names == ("age", "size")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, Y)
    for (_, rows, targets), (_, wanted, wanted_targets) in zip(
        data, TaskSet(X, Y, TASKS), strict=True
    ):
        np.testing.assert_array_equal(rows, wanted)
        np.testing.assert_array_equal(targets, wanted_targets)


def test_a_frame_with_numbered_columns_gets_the_default_names() -> None:
    assert TaskSet(pd.DataFrame(X), Y, TASKS).feature_names == ("x0", "x1")


def test_small_integers_become_floats() -> None:
    # uint8 products overflow: 200 * 200 would come out as 64.
    data = TaskSet(np.full((5, 2), 200, dtype=np.uint8), Y, TASKS)
    assert data.X.dtype == np.float64
    assert (data.X[0] ** 2).tolist() == [40_000.0, 40_000.0]


def test_float_rows_are_not_copied() -> None:
    assert TaskSet(X, Y, TASKS).X is X


def test_to_frame_has_one_row_a_row() -> None:
    frame = TaskSet(X, Y, TASKS, feature_names=["age", "size"]).to_frame()
    assert frame.columns.tolist() == ["task", "target", "age", "size"]
    assert frame.iloc[3].tolist() == ["c", 0.4, 4.0, 40.0]
    assert frame["task"].tolist() == TASKS.tolist()


def test_equality_is_identity() -> None:
    data = TaskSet(X, Y, TASKS)
    assert data == data
    assert data != TaskSet(X, Y, TASKS)
    assert {data: 1}[data] == 1


@together(
    ("labels", "names", "codes"),
    [
        ([3, 1, 3, 10], [1, 3, 10], [1, 0, 1, 2]),
        (["t10", "t2", "t10"], ["t10", "t2"], [0, 1, 0]),
        ([True, False, True], [False, True], [1, 0, 1]),
        (np.array([2, "a", 1, 2], dtype=object), [1, 2, "a"], [1, 2, 0, 1]),
        (pd.Series(["y", "x"], index=[5, 3]), ["x", "y"], [1, 0]),
        (pd.Categorical(["lo", "hi"], categories=["lo", "hi"]), ["hi", "lo"], [1, 0]),
    ],
)
def test_task_codes(labels: Any, names: list[Any], codes: list[int]) -> None:
    found_names, found_codes = task_codes(labels)
    assert found_names.tolist() == names
    assert found_codes.tolist() == codes


def test_labels_that_cannot_be_sorted_keep_their_order() -> None:
    labels = np.empty(4, dtype=object)
    labels[:] = [2j, "b", 1, 2j]
    names, codes = task_codes(labels)
    assert names.tolist() == [2j, "b", 1]
    assert codes.tolist() == [0, 1, 2, 0]


@together(
    ("changes", "message"),
    [
        ({"y": Y[:4]}, "X has 5 rows, y 4 and tasks 5: give every row one target"),
        ({"tasks": TASKS[:3]}, "X has 5 rows, y 5 and tasks 3: give every row one target"),
        ({"y": np.c_[Y, Y]}, r"y has shape \(5, 2\): it must be one value per row"),
        ({"tasks": np.c_[TASKS, TASKS]}, r"tasks has shape \(5, 2\): it must be one value per row"),
        (
            {"X": [[1.0, 2.0]] * 4 + [[1.0]]},
            "X has rows of unequal length: give every row",
        ),
        ({"X": [[1.0, "a"]] * 5}, "Column 'x1' of X is not numeric: encode or drop it"),
        ({"X": X[:0], "y": Y[:0], "tasks": TASKS[:0]}, "There are no rows: X is empty"),
        ({"feature_names": ["age", "age"]}, "X has 2 columns named 'age': rename them"),
        ({"X": pd.DataFrame(X, columns=["a", "a"])}, "X has 2 columns named 'a': rename them"),
        ({"X": pd.DataFrame(X, columns=["a", 1])}, "X has columns of which some are named by text"),
        ({"X": Y}, r"X has shape \(5,\): it must be \(rows, features\)"),
        ({"feature_names": ["age"]}, "1 feature names for 2 columns of X"),
        ({"task_type": "ranking"}, "task_type is 'ranking': use 'regression' or 'classif"),
        ({"X": X.astype(str)[:, [0, 0]] + "kg"}, "Column 'x0' of X is not numeric"),
        (
            {"X": pd.DataFrame({"size": Y, "colour": list("rgbrg")})},
            "Column 'colour' of X is not numeric: encode or drop it",
        ),
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        TaskSet(**{"X": X, "y": Y, "tasks": TASKS, **changes})


@pytest.mark.parametrize("name", ["task", "target"])
def test_a_feature_must_not_hide_a_column_of_the_frame(name: str) -> None:
    data = TaskSet(X, Y, TASKS, feature_names=["age", name])
    with pytest.raises(ValueError, match=f"Rename the feature '{name}'"):
        data.to_frame()


def test_weights_go_with_their_rows() -> None:
    data = TaskSet(X, Y, TASKS, weight=[1, 2, 3, 4, 5])
    np.testing.assert_array_equal(take_rows(data, np.array([3, 0])).weight, [4.0, 1.0])
    assert data.to_frame().columns.tolist() == ["task", "target", "weight", "x0", "x1"]
    assert take_rows(TaskSet(X, Y, TASKS), np.array([3, 0])).weight is None


def test_rows_keep_their_numbers_through_every_part() -> None:
    some = take_rows(TaskSet(X, Y, TASKS), np.array([3, 0, 2]))
    np.testing.assert_array_equal(take_rows(some, np.array([2, 0])).row_numbers, [2, 3])
    with pytest.raises(ValueError, match=r"^weight has -1 in row 1: give every row a number of 0"):
        TaskSet(X, Y, TASKS, weight=[1, -1, 1, 1, 1])
    with pytest.raises(ValueError, match=r"^weight has 2 values for 5 rows"):
        TaskSet(X, Y, TASKS, weight=[1, 2])


REGIONS = pd.DataFrame({"region": ["north", "south", "west"], "size": [1, 2, 3]}, list("cab"))


def test_columns_of_tasks_go_with_their_tasks() -> None:
    data = TaskSet(X, Y, TASKS, task_columns=REGIONS)
    assert data.task_columns is not None
    assert data.task_columns["region"].to_dict() == {"a": "south", "b": "west", "c": "north"}
    assert data.task_columns.index.tolist() == data.task_names.tolist()
    some = take_rows(data, TASKS != "a")
    assert some.task_columns is not None
    assert some.task_columns["region"].tolist() == ["west", "north"]
    frame = data.to_frame()
    assert frame["region"].tolist() == ["west", "south", "west", "north", "west"]
    assert "size" not in frame  # a number would become a feature when it is read again


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (REGIONS.drop("a"), "has no row for task a"),
        (pd.concat([REGIONS, REGIONS.loc[["b"]]]), "has two rows for task b"),
        ({"a": 1}, "is of type dict"),
    ],
)
def test_columns_of_tasks_that_do_not_fit(columns: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TaskSet(X, Y, TASKS, task_columns=columns)
