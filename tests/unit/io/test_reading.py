"""What an opened file looks like before anything is chosen, as ``read`` would take it."""

import numpy as np
import pandas as pd

from benchmarks.layouts import csv_bytes, npz_bytes, zip_bytes
from stcmtl import read
from stcmtl.io.reading import open_source

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
