"""A first look at files, in agreement with what ``read`` makes of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.layouts import csv_bytes, npz_bytes, zip_bytes
from stcmtl import Limits, ReadError, read
from stcmtl.io.preview import preview

LONG = pd.DataFrame(
    {
        "school": np.repeat(["north", "south"], 6),
        "age": np.arange(12.0),
        "score": np.arange(12.0) ** 2,
    }
)
WIDE = pd.DataFrame({"age": np.arange(5.0), "y_a": np.ones(5), "y_b": np.arange(5.0)})


def test_the_guesses_are_those_of_read() -> None:
    look = preview(("a.csv", csv_bytes(LONG)))
    assert (look.task, look.targets) == ("school", ("score",))
    assert look.columns == ("school", "age", "score")
    pd.testing.assert_frame_equal(look.rows, LONG.head(8), check_dtype=False)
    _, account = read(("a.csv", csv_bytes(LONG)))
    assert account.guessed == (
        "the task is column 'school', by its name",
        "the target is column 'score', by its name",
    )


def test_several_targets_are_a_wide_table() -> None:
    look = preview(("a.csv", csv_bytes(WIDE)))
    assert (look.task, look.targets) == (None, ("y_a", "y_b"))


def test_what_cannot_be_guessed_is_left_open() -> None:
    look = preview(("a.csv", csv_bytes(pd.DataFrame({"u": [0.1, 0.2, 0.3], "v": [1.5, 2, 3]}))))
    assert (look.task, look.targets) == (None, ("v",))


def test_a_file_a_task_needs_no_task_column() -> None:
    files = [(f"{name}.csv", csv_bytes(part)) for name, part in LONG.drop(columns="school").groupby(
        LONG["school"])]  # fmt: skip
    look = preview(files)
    assert look.files == ("north.csv", "south.csv")
    assert (look.task, look.targets) == (None, ("score",))
    packed = zip_bytes(dict(files))
    assert preview(("a.zip", packed)).columns == look.columns


def test_arrays_have_names_and_no_rows() -> None:
    look = preview(("a.npz", npz_bytes(X=np.ones((4, 2)), y=np.ones(4))))
    assert look.columns == ("X", "y")
    assert len(look.rows) == 0


def test_faults_and_limits_are_one_sentence() -> None:
    with pytest.raises(ReadError, match=r"^a\.csv is empty"):
        preview(("a.csv", b""))
    with pytest.raises(ReadError, match="more than the limit of 3"):
        preview(("a.csv", csv_bytes(LONG)), limits=Limits(rows=3))
