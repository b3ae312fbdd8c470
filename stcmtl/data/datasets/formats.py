"""The files in which the public collections are handed round, as plain rows.

Every reader takes a folder and returns None where its files are not there. Two layouts each: a
``.npz`` of arrays, and the files of the original source, packed by gzip or not.
"""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from stcmtl.data.taskset import Array
from stcmtl.errors import InputError

# Rows per group of 30 speakers in UCI's order; three recordings are lost there.
ISOLET_ROWS = (1560, 1560, 1560, 1558, 1559)
ISOLET_UNIT, USPS_UNIT = 1e-4, 1e-3  # their last decimals
MNIST_FILES = (
    *("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    *("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
)
UNREADABLE = (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, zlib.error, MatReadError)


@dataclass(frozen=True, eq=False)
class Rows:
    """Features, a target and a group per row: a school, a set of speakers, or train and test."""

    X: Array
    y: NDArray[Any]
    group: NDArray[Any]


def read_folder(folder: Path, readers: dict[str, Callable[[Path], Rows | None]]) -> Rows | None:
    """What the first reader finds; a file that is there but unreadable is named."""
    for files, reader in readers.items():
        try:
            found = reader(folder)
        except UNREADABLE as error:
            reason = " ".join(str(error).split())[:120]
            raise InputError(
                f"cannot be read ({reason})",
                where=f"{files} in {folder}",
                remedy="get the file again",
            ) from error
        if found is not None:
            return found
    return None


def read_npz(folder: Path, name: str, group: str) -> Rows | None:
    """Arrays ``X``, ``y`` and the one named by ``group``; ``X_scale`` is the unit of whole X."""
    path = folder / name
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as archive:
        X, y, groups = archive["X"], archive["y"], archive[group]
        unit = float(archive["X_scale"]) if "X_scale" in archive else 1.0
    check_lengths(X, y, groups)
    return Rows(X.astype(np.float64) * unit, y, groups)


def read_school_mat(folder: Path) -> Rows | None:
    """MALSAR's cells ``X`` and ``Y``, one a school; they hold bytes, which overflow in products."""
    path = folder / "school.mat"
    if not path.is_file():
        return None
    cells = loadmat(path)
    X = [np.asarray(cell, dtype=np.float64) for cell in cells["X"].ravel()]
    y = [np.asarray(cell, dtype=np.float64).ravel() for cell in cells["Y"].ravel()]
    task = np.repeat(np.arange(1, len(y) + 1), [len(cell) for cell in y])
    rows = Rows(np.concatenate(X), np.concatenate(y), task)
    check_lengths(rows.X, rows.y, rows.group)
    return rows


def read_isolet_data(folder: Path) -> Rows | None:
    """UCI's two files: 617 features and the letter's number; the groups follow one another."""
    parts = [find(folder, name) for name in ("isolet1+2+3+4.data", "isolet5.data")]
    if any(part is None for part in parts):
        return None
    tables = [read_numbers(part, ",") for part in parts if part is not None]
    expected = (sum(ISOLET_ROWS[:4]), ISOLET_ROWS[4])
    if tuple(map(len, tables)) != expected:
        raise ValueError(f"{' and '.join(str(len(t)) for t in tables)} rows, not {expected}")
    table = np.vstack(tables)
    return isolet_rows(in_units(table[:, :-1], ISOLET_UNIT), table[:, -1].astype(np.int64))


def isolet_rows(X: Array, letter: NDArray[np.int64]) -> Rows:
    """Rows in UCI's order with the number of their group, where every letter is said as often."""
    if len(X) != sum(ISOLET_ROWS):
        raise ValueError(f"{len(X)} rows, not {sum(ISOLET_ROWS)}")
    group = np.repeat(np.arange(1, 6), ISOLET_ROWS)
    counts = [np.bincount(letter[group == g], minlength=27)[1:] for g in range(1, 6)]
    if np.ptp(counts) > 2:
        raise ValueError("the rows are not in the order of the speakers")
    return Rows(X, letter, group)


def read_usps_text(folder: Path) -> Rows | None:
    """``zip.train`` and ``zip.test`` of The Elements of Statistical Learning: digit, 256 values."""
    paths = [find(folder, name) for name in ("zip.train", "zip.test")]
    if any(path is None for path in paths):
        return None
    tables = [read_numbers(path, None) for path in paths if path is not None]
    split = np.repeat(["train", "test"], [len(table) for table in tables])
    table = np.vstack(tables)
    return Rows(in_units(table[:, 1:], USPS_UNIT), table[:, 0].astype(np.int64), split)


def read_mnist_idx(folder: Path) -> Rows | None:
    """The four idx files, with a dash or, as some unpack them, a dot before ``idx``."""
    paths = [find(folder, name, name.replace("-idx", ".idx")) for name in MNIST_FILES]
    if any(path is None for path in paths):
        return None
    parts = [read_idx(path) for path in paths if path is not None]
    X, labels = np.concatenate(parts[::2]).astype(np.float64), np.concatenate(parts[1::2])
    split = np.repeat(["train", "test"], [len(part) for part in parts[1::2]])
    rows = Rows(X.reshape(len(X), -1), labels, split)
    check_lengths(rows.X, rows.y, rows.group)
    return rows


def read_idx(path: Path) -> NDArray[np.uint8]:
    """Bytes with their sizes in front: 0, 0, 8 for bytes, the number of sizes, the sizes."""
    data, ndim = read_bytes(path), 3 if "idx3" in path.name else 1
    shape = tuple(int(n) for n in np.frombuffer(data[4 : 4 + 4 * ndim], ">u4"))
    if data[:4] != bytes([0, 0, 8, ndim]) or len(data) != 4 + 4 * ndim + prod(shape):
        raise ValueError(f"{path.name} is no idx file of {ndim} dimensions")
    return np.frombuffer(data, np.uint8, offset=4 + 4 * ndim).reshape(shape)


def find(folder: Path, *names: str) -> Path | None:
    """The first of the files that is there, as it is or packed."""
    paths = (folder / f"{name}{ending}" for name in names for ending in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)


def read_bytes(path: Path) -> bytes:
    if path.suffix == ".gz":
        with gzip.open(path) as stream:
            return stream.read()
    return path.read_bytes()


def read_numbers(path: Path, delimiter: str | None) -> Array:
    """A table of numbers as text, without a header."""
    lines = read_bytes(path).decode("ascii").splitlines()
    return np.loadtxt(lines, delimiter=delimiter, ndmin=2)


def in_units(X: Array, unit: float) -> Array:
    """Decimals as multiples of their unit, to the last bit as the ``.npz`` layout gives them."""
    multiples = np.rint(X / unit) * unit
    return multiples if np.allclose(X, multiples, rtol=0, atol=1e-6 * unit) else X


def check_lengths(X: NDArray[Any], *columns: NDArray[Any]) -> None:
    if X.ndim != 2 or any(column.shape != (len(X),) for column in columns):
        raise ValueError("features, targets and groups differ in their number of rows")
