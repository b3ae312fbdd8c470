"""Arrays as NumPy and MATLAB users save them."""

import io
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from benchmarks.layouts import mat_bytes, npz_bytes
from stcmtl import ReadError, TaskSet, read
from stcmtl.io.limits import Limits

RNG = np.random.default_rng(0)
X, y, tasks = RNG.standard_normal((12, 2)), RNG.standard_normal(12), np.repeat([1, 2, 3], 4)


def assert_is_data(data: TaskSet) -> None:
    assert data.X.tobytes() == X.tobytes()
    assert data.y.tolist() == y.tolist()
    assert data.tasks.tolist() == tasks.tolist()


def mat4(**arrays: Any) -> tuple[str, bytes]:
    buffer = io.BytesIO()
    savemat(buffer, arrays, format="4")
    return "a.mat", buffer.getvalue()


def test_version_4_is_read() -> None:
    data, account = read(mat4(X=X, y=y, tasks=tasks, note="made in 1995"))
    assert_is_data(data)
    assert account.format == "MAT v4"
    assert_is_data(read(mat4(x=X.T, y=y, task_indexes=np.array([1, 5, 9])))[0])


def test_version_4_of_the_other_byte_order() -> None:
    """As MATLAB writes it on big-endian machines: 1000 in front, and all numbers turned."""
    arrays = {"X": X, "y": y[:, None], "tasks": tasks[:, None].astype(float)}
    content = b"".join(
        np.array([1000, *value.shape, 0, len(name) + 1], ">i4").tobytes()
        + name.encode()
        + b"\0"
        + value.astype(">f8").tobytes(order="F")
        for name, value in arrays.items()
    )
    assert_is_data(read(("a.mat", content))[0])


@pytest.mark.parametrize("cut", [10, 60, 200])
def test_version_4_cut_short(cut: int) -> None:
    name, content = mat4(X=X, y=y, tasks=tasks)
    with pytest.raises(ReadError, match=r"a\.mat"):
        read((name, content[:-cut]), limits=Limits(bytes_unpacked=2**20))


def test_version_4_complex_is_refused() -> None:
    with pytest.raises(ReadError, match="holds complex numbers in 'X'"):
        read(mat4(X=X + 1j, y=y, tasks=tasks))


def test_text_of_several_rows_names_tasks() -> None:
    """MATLAB keeps ['north'; 'south'] as a matrix of letters."""
    names = np.array(["north", "south", "west "])
    data, _ = read(("a.mat", mat_bytes(X=X, y=y, tasks=names[tasks - 1])))
    assert data.task_names.tolist() == ["north", "south", "west"]
    data, _ = read(mat4(X=X, y=y, tasks=names[tasks - 1]))
    assert data.task_names.tolist() == ["north", "south", "west"]


def test_arrays_saved_without_names() -> None:
    buffer = io.BytesIO()
    np.savez(buffer, X, y, tasks)
    data, account = read(("a.npz", buffer.getvalue()))
    assert_is_data(data)
    assert "the arrays are X, y and tasks, in this order" in account.guessed


def test_rows_to_train_and_to_test_are_joined() -> None:
    halves = {}
    for half, rows in (("train", slice(0, 7)), ("test", slice(7, 12))):
        halves |= {f"X_{half}": X[rows], f"y_{half}": y[rows], f"tasks_{half}": tasks[rows]}
    data, account = read(("a.npz", npz_bytes(**halves)))
    assert_is_data(data)
    assert any("were joined" in note for note in account.notes)


@pytest.mark.parametrize("kind", [">f8", "<f8", "longdouble"])
def test_byte_orders_and_long_doubles(kind: str) -> None:
    whole = np.dtype(">i2") if kind.startswith(">") else np.dtype("<u8")
    arrays = npz_bytes(X=X.astype(kind), y=y.astype(kind), tasks=tasks.astype(whole))
    assert_is_data(read(("a.npz", arrays))[0])


def test_stacked_targets_of_a_block() -> None:
    assert_is_data(read(("a.npz", npz_bytes(X=X.reshape(3, 4, 2), y=y)))[0])


@pytest.mark.parametrize(
    ("array", "what"),
    [(X + 1j, "complex numbers"), (np.array([{}], dtype=object), "Python objects")],
)
def test_what_is_not_loaded_is_named(array: Any, what: str) -> None:
    with pytest.raises(ReadError, match=f"holds {what}, which are never loaded"):
        read(("a.npz", npz_bytes(X=array, y=y, tasks=tasks)))


def test_targets_and_labels_are_one_a_row() -> None:
    with pytest.raises(ReadError, match="a target 12 and tasks 12 x 2: give a target and a task"):
        read(("a.npz", npz_bytes(X=X, y=y, tasks=np.stack([tasks, tasks], axis=1))))


def test_a_task_without_rows_to_train_on() -> None:
    """One row is too few to split: its training half is 0 x 1 in MATLAB."""
    halves = {"a_train": slice(0, 0), "a_test": slice(0, None)}
    values: dict[str, Any] = {}
    for half, rows in halves.items():
        boxes = np.empty((2, 1, 2), dtype=object)
        for t, own in enumerate((slice(0, 4), slice(4, 5))):
            kept = rows if t else slice(0, 2) if half == "a_train" else slice(2, None)
            boxes[0, 0, t], boxes[1, 0, t] = X[own][kept], y[own][kept, None]
        values |= {f"{half}_input": boxes[0], f"{half}_output": boxes[1]}
    data, _ = read(("a.mat", mat_bytes(**values)))
    assert data.X.tobytes() == X[:5].tobytes()
    assert data.tasks.tolist() == [1, 1, 1, 1, 2]
