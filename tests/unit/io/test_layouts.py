"""The same data in every layout is the same TaskSet."""

import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks.layouts import LAYOUTS, NAMED, clinics, school_like
from stcmtl import TaskSet, read
from stcmtl.data.taskset import task_codes
from tests.unit.cases import naming


def assert_same(data: TaskSet, other: TaskSet) -> None:
    np.testing.assert_array_equal(data.X, other.X)
    np.testing.assert_array_equal(data.y, other.y)
    np.testing.assert_array_equal(data.tasks, other.tasks)
    np.testing.assert_array_equal(data.task_names, other.task_names)
    assert data.X.dtype == other.X.dtype == np.float64
    assert data.tasks.dtype == other.tasks.dtype
    assert data.feature_names == other.feature_names
    assert data.task_type == other.task_type


EACH = pytest.mark.parametrize("layout", LAYOUTS)


@EACH
def test_layout_reads_back_identically(layout: str) -> None:
    data = school_like()
    source, told = LAYOUTS[layout](data)
    found, account = read(source, **told)
    assert_same(found, data)
    assert account.tasks == len(data)
    assert list(account.rows_per_task.values()) == data.n_rows.tolist()


@EACH
def test_labels_and_names_read_back(layout: str) -> None:
    data = clinics()
    source, told = LAYOUTS[layout](data)
    found, account = read(source, **told)
    assert found.X.tobytes() == data.X.tobytes()
    assert found.y.tolist() == data.y.tolist()
    assert found.task_type == "classification"
    assert account.classes == (0, 1)
    numbers = 1 + task_codes(data.tasks)[1]
    assert found.tasks.tolist() == (data.tasks if layout in NAMED else numbers).tolist()


def test_real_school_reads_back_identically() -> None:
    folder = os.environ.get("STCMTL_DATA")
    path = Path(folder or ".") / "school.npz"
    if not folder or not path.is_file():
        pytest.skip("STCMTL_DATA names no folder with school.npz")
    every, _ = read(path)
    assert len(every) == 139
    # in a table, what is the same in all rows of a school is no feature but tells of the school
    spreads = [np.ptp(every.X[every.tasks == i], axis=0) for i in np.unique(every.tasks)]
    varies = (np.max(spreads, axis=0) > 0) | (np.ptp(every.X, axis=0) == 0)
    assert varies.tolist().count(False) == 6
    every = TaskSet(every.X[:, varies], every.y, every.tasks)
    few = every.tasks <= 15  # Excel is written a hundred times slower than the rest
    some = TaskSet(every.X[few], every.y[few], every.tasks[few])
    for layout, write in LAYOUTS.items():
        data = some if "Excel" in layout else every
        source, told = write(data)
        with naming(layout):
            assert_same(read(source, **told)[0], data)
