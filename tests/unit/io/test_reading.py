"""What an opened file looks like before anything is chosen, as ``read`` would take it."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import csv_bytes, npz_bytes, zip_bytes
from stcmtl import ReadError, read
from stcmtl.io.reading import open_source
from tests.unit.cases import together

LONG = pd.DataFrame(
    {
        "school": np.repeat(["north", "south"], 6),
        "age": np.arange(12.0),
        "score": np.arange(12.0) ** 2,
    }
)
WIDE = pd.DataFrame({"age": np.arange(5.0), "y_a": np.ones(5), "y_b": np.arange(5.0)})


def test_the_guesses_are_those_of_read() -> None:
    look = open_source(("a.csv", csv_bytes(LONG))).guess
    assert (look.task, look.targets, look.ask) == ("school", ("score",), False)
    assert look.tasks["school"] == "2 tasks of 6 rows"
    _, account = read(("a.csv", csv_bytes(LONG)))
    assert account.guessed == (
        "the task is column 'school', by its name",
        "the target is column 'score', by its name",
    )


def test_several_targets_are_a_wide_table() -> None:
    look = open_source(("a.csv", csv_bytes(WIDE))).guess
    assert (look.task, look.targets) == (None, ("y_a", "y_b"))


def test_what_cannot_be_guessed_is_asked() -> None:
    frame = pd.DataFrame({"u": [0.1, 0.2, 0.3], "v": [1.5, 2, 3]})
    look = open_source(("a.csv", csv_bytes(frame))).guess
    assert (look.task, look.targets, look.ask) == (None, ("v",), True)


def test_a_file_per_task_needs_no_task_column() -> None:
    parts = LONG.drop(columns="school").groupby(LONG["school"])
    files = [(f"{name}.csv", csv_bytes(part)) for name, part in parts]
    for source in (files, ("a.zip", zip_bytes(dict(files)))):
        look = open_source(source).guess
        assert (look.task, look.targets, look.ask) == (None, ("score",), False)


def test_arrays_are_not_guessed() -> None:
    opened = open_source(("a.npz", npz_bytes(X=np.ones((4, 2)), y=np.ones(4))))
    assert [*opened.parsed.arrays] == ["X", "y"]
    assert opened.tables == ()
    assert (opened.guess.task, opened.guess.targets) == (None, ())


# A column of weights

WEIGHT = np.arange(12.0) % 3 + 1.0


def test_a_column_says_how_much_each_row_counts() -> None:
    frame = LONG.assign(weight=WEIGHT)
    frame.loc[4, "score"] = np.nan  # its weight goes with it
    data, account = read(("a.csv", csv_bytes(frame)), weight="weight")
    np.testing.assert_array_equal(data.weight, np.delete(WEIGHT, 4))
    assert data.feature_names == ("age",)
    assert "Rows count by the weight in column 'weight', from 1 to 3" in account.notes
    assert {c.name: c.becomes for c in account.columns}["weight"] == "the weight"
    guessed, _ = read(("a.csv", csv_bytes(frame)))  # never by its name alone
    assert guessed.weight is None
    assert guessed.feature_names == ("age", "weight")


def test_a_wide_table_has_one_weight_for_all_targets() -> None:
    wide = WIDE.assign(w=[1, 2, 3, 4, 5], y_b=[1.0, np.nan, 2.0, 3.0, 4.0])
    data, _ = read(("a.csv", csv_bytes(wide)), target=["y_a", "y_b"], weight="w")
    np.testing.assert_array_equal(data.weight, [1, 2, 3, 4, 5, 1, 3, 4, 5])
    assert data.feature_names == ("age",)


@together(
    ("weight", "sentence"),
    [
        ("mass", "a.csv has no column 'mass': it has school, age, score, less, none, words"),
        ("score", "a.csv: 'score' cannot be the weight and something else too"),
        ("less", "a.csv has a column 'less' that cannot be the weight, as it has -1 in row 0"),
        ("none", "a.csv has a column 'none' that cannot be the weight, as it has NaN in row 2"),
        ("words", "a.csv has a column 'words' that cannot be the weight, as it is not numeric"),
    ],
)
def test_a_bad_weight_is_told_in_a_sentence(weight: str, sentence: str) -> None:
    hole = np.where(np.arange(12) == 2, np.nan, 1.5)
    frame = LONG.assign(less=WEIGHT - 2.0, none=hole, words=[*"abcdefghijkl"])
    with pytest.raises(ReadError, match=f"^{sentence}"):
        read(("a.csv", csv_bytes(frame)), task="school", target="score", weight=weight)
