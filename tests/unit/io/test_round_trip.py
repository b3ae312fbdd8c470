"""Tasks that were written come back the same, in every format the writer knows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stcmtl import TaskSet, read
from stcmtl.io.write import write_tasks
from tests.unit.cases import naming

ENDINGS = (".csv", ".parquet", ".xlsx", ".npz")
NAMES = {
    "whole numbers": [1, 2, 10],
    "words": ["north", "south", "Zürich 東"],
    "formulas": ["=1+2", "@SUM(A1)", "-x"],
    "guarded already": ["'=1", "''+", "plain"],
    "quotes": ['say "hi"', "it's", "a;b,c|d"],
    "line ends": ["two\nlines", "tab\there", "x"],
    "digits": ["1", "2", "10"],
    "zeros": ["007", "07", "7"],
}
TARGETS: dict[str, tuple[str, Any]] = {
    "numbers": ("regression", None),
    "0 and 1": ("classification", [0, 1]),
    "-1 and 1": ("classification", [-1, 1]),
    "fractions": ("classification", [0.5, 2.5]),
    "truth": ("classification", [False, True]),
    "words": ("classification", ["no", "yes"]),
    "formulas": ("classification", ["+1", "-1"]),
    "digits": ("classification", ["0", "1"]),
}


def tasks(names: list[Any], target: str = "numbers", features: tuple[str, ...] = ()) -> TaskSet:
    """A few rows per task, the last task with one row, and numbers that need all 17 digits."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.array(names), [9, 7, 1])
    X = rng.standard_normal((17, 3)) * 10.0 ** rng.integers(-300, 300, (17, 3))
    kind, levels = TARGETS[target]
    y = rng.standard_normal(17) / 3 if levels is None else np.tile(levels, 9)[:17]
    return TaskSet(X, y, labels, features, kind)


def assert_same(found: TaskSet, data: TaskSet) -> None:
    assert found.X.tobytes() == data.X.tobytes()
    assert found.y.tolist() == data.y.tolist()
    assert found.y.dtype.kind == data.y.dtype.kind
    assert found.tasks.tolist() == data.tasks.tolist()
    assert found.task_names.tolist() == data.task_names.tolist()
    assert found.feature_names == data.feature_names
    assert found.task_type == data.task_type


@pytest.mark.parametrize("names", NAMES)
def test_names_come_back(tmp_path: Path, names: str) -> None:
    features = tuple(f"{name}" for name in NAMES[names]) if names != "whole numbers" else ()
    expect_back(tasks(NAMES[names], features=features), tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_targets_come_back(tmp_path: Path, target: str) -> None:
    expect_back(tasks(["a", "b", "c"], target), tmp_path)


def expect_back(data: TaskSet, folder: Path) -> None:
    for ending in ENDINGS:
        with naming(ending):
            write_tasks(data, folder / f"tasks{ending}")
            assert_same(read(folder / f"tasks{ending}")[0], data)


def test_arrays_say_what_their_target_is_for(tmp_path: Path) -> None:
    """Two different numbers are labels, unless the file says otherwise."""
    data = TaskSet(np.eye(4), [1.5, 2.5, 1.5, 2.5], [1, 1, 2, 2])
    write_tasks(data, tmp_path / "tasks.npz")
    assert_same(read(tmp_path / "tasks.npz")[0], data)
