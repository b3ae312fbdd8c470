"""What an opened file looks like before anything is chosen, as ``read`` would take it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

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


def test_arrays_have_weights_per_row_or_cell(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(9, 2)), rng.normal(size=9), np.arange(9.0)
    order = np.array([2, 0, 1] * 3)
    np.savez(tmp_path / "a.npz", X=X, y=y, tasks=order, w=w[:, None], short=w[1:], minus=w - 1)
    data, account = read(tmp_path / "a.npz", weight="w")
    np.testing.assert_array_equal(data.weight, w)
    assert "Rows count by the weight in array 'w', from 0 to 8" in account.notes
    cells = {name: np.empty(3, dtype=object) for name in ("X", "Y", "w", "other")}
    for k, part in enumerate((slice(0, 2), slice(2, 5), slice(5, 9))):
        cells["X"][k], cells["Y"][k], cells["w"][k] = X[part], y[part, None], w[part, None]
    cells["other"][:] = list(cells["w"][::-1])
    savemat(tmp_path / "a.mat", cells)
    np.testing.assert_array_equal(read(tmp_path / "a.mat", weight="w")[0].weight, w)
    for file, name, sentence in (
        (
            "a.npz",
            "short",
            "has an array 'short' that cannot be the weight of its 9 rows: give one",
        ),
        ("a.npz", "minus", "has an array 'minus' that cannot be the weight, as it has -1 in row 0"),
        ("a.npz", "none", "has no array 'none'"),
        ("a.mat", "other", "has an array 'other' that cannot be the weight of its 9 rows"),
    ):
        with pytest.raises(ReadError, match=sentence):
            read(tmp_path / file, weight=name)


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
