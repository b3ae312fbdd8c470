"""Further files for a fitted model, matched by the names of its features."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import csv_bytes, npz_bytes
from stcmtl.io.encode_like import Reading
from stcmtl.io.read_like import read_tables_like

FRAME = pd.DataFrame(
    {"b": [3.0, 4.0], "shop": ["x", "y"], "note": ["?", "!"], "a": [1.0, 2.0], "sales": [5, 6]}
)


def sources(**frames: pd.DataFrame) -> list[tuple[str, bytes]]:
    return [(f"{name}.csv", csv_bytes(frame)) for name, frame in frames.items()]


def test_columns_are_found_by_name_in_any_order() -> None:
    rows = read_tables_like(sources(new=FRAME), Reading(("a", "b")))
    np.testing.assert_array_equal(rows.X, [[1, 3], [2, 4]])
    assert rows.tasks is not None
    assert rows.tasks.tolist() == ["x", "y"]
    assert rows.y is not None
    assert rows.y.tolist() == [5, 6]
    assert "sales" not in rows.frame


def test_the_columns_of_the_first_file_come_first() -> None:
    rows = read_tables_like(
        sources(new=FRAME), Reading(("a",), understood={"task": "note", "target": "b"})
    )
    assert rows.tasks is not None
    assert rows.tasks.tolist() == ["?", "!"]
    assert rows.y is not None
    assert rows.y.tolist() == [3, 4]


def test_neither_task_nor_target_is_needed() -> None:
    rows = read_tables_like(sources(new=FRAME[["a", "b"]]), Reading(("a", "b")))
    assert rows.tasks is None
    assert rows.y is None


def test_several_files_are_a_task_each() -> None:
    part = FRAME[["a", "b"]]
    rows = read_tables_like(sources(one=part, two=part), Reading(("a", "b")))
    assert rows.tasks is not None
    assert rows.tasks.tolist() == ["one", "one", "two", "two"]


def test_arrays_are_matched_by_their_number() -> None:
    X = np.arange(8.0).reshape(4, 2)
    packed = [("new.npz", npz_bytes(X=X, y=np.arange(4.0), tasks=np.array([1, 1, 2, 2])))]
    rows = read_tables_like(packed, Reading(("a", "b")))
    np.testing.assert_array_equal(rows.X, X)
    with pytest.raises(ValueError, match=r"new\.npz has 2 features: give it the 3 of the fit"):
        read_tables_like(packed, Reading(("a", "b", "c")))


def test_texts_are_encoded_as_in_the_first_file() -> None:
    rows = read_tables_like(sources(new=FRAME), Reading(("a", "note=!", "note=?")))
    np.testing.assert_array_equal(rows.X, [[1, 0, 1], [2, 1, 0]])


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (FRAME.drop(columns="a"), "^new lacks the feature 'a' that the model was fitted on"),
        (
            FRAME.assign(a=["u", "v"]),
            "^new has 'u' in column 'a', where the model was fitted",
        ),
        (FRAME.assign(shop=["x", None]), "new has 1 row without a task"),
    ],
)
def test_what_is_wrong_is_one_sentence(frame: pd.DataFrame, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_tables_like(sources(new=frame), Reading(("a", "b")))
