"""The files in which the public collections are handed round, as plain rows.

Two layouts each: a ``.npz`` of arrays, and the files of the original source, packed by gzip or
not. Every reader takes the paths of its files; a ValueError says what is wrong in them.
"""

from __future__ import annotations

import gzip
import zipfile
import zlib
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from stcmtl.data.taskset import Array

# Rows per group of 30 speakers in UCI's order; three recordings are lost there.
ISOLET_ROWS = (1560, 1560, 1560, 1558, 1559)
ISOLET_UNIT, USPS_UNIT = 1e-4, 1e-3  # their last decimals
MNIST_FILES = (
    *("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    *("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
)
UNREADABLE = (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, zlib.error, MatReadError)


class Collection(NamedTuple):
    """Features, a target and a group per row: a school, a set of speakers, or train and test."""

    X: Array
    y: NDArray[Any]
    group: NDArray[Any]


def read_npz(paths: list[Path], group: str) -> Collection:
    """Arrays ``X``, ``y`` and the one named by ``group``; ``X_scale`` is the unit of whole X."""
    with np.load(paths[0], allow_pickle=False) as archive:
        X, y, groups = archive["X"], archive["y"], archive[group]
        unit = float(archive["X_scale"]) if "X_scale" in archive else 1.0
    return pair_up(X.astype(np.float64) * unit, y, groups)


def read_school_mat(paths: list[Path]) -> Collection:
    """MALSAR's cells ``X`` and ``Y``, one per school, of bytes, which overflow in products."""
    cells = loadmat(BytesIO(read_bytes(paths[0])))
    X = [np.asarray(cell, dtype=np.float64) for cell in cells["X"].ravel()]
    y = [np.asarray(cell, dtype=np.float64).ravel() for cell in cells["Y"].ravel()]
    task = np.repeat(np.arange(1, len(y) + 1), [len(cell) for cell in y])
    return pair_up(np.concatenate(X), np.concatenate(y), task)


def read_isolet_data(paths: list[Path]) -> Collection:
    """UCI's two files: 617 features and the letter's number; the groups follow one another."""
    tables = [np.loadtxt(path, delimiter=",", ndmin=2) for path in paths]
    expected = (sum(ISOLET_ROWS[:4]), ISOLET_ROWS[4])
    if tuple(map(len, tables)) != expected:
        raise ValueError(f"{' and '.join(str(len(t)) for t in tables)} rows, not {expected}")
    table = np.vstack(tables)
    return arrange_isolet(snap_to(table[:, :-1], ISOLET_UNIT), table[:, -1].astype(np.int64))


def arrange_isolet(X: Array, letter: NDArray[np.int64]) -> Collection:
    """Rows in UCI's order with the number of their group, where every letter is said as often."""
    if len(X) != sum(ISOLET_ROWS):
        raise ValueError(f"{len(X)} rows, not {sum(ISOLET_ROWS)}")
    group = np.repeat(np.arange(1, 6), ISOLET_ROWS)
    counts = [np.bincount(letter[group == g], minlength=27)[1:] for g in range(1, 6)]
    if np.ptp(counts) > 2:
        raise ValueError("the rows are not in the order of the speakers")
    return Collection(X, letter, group)


def read_usps_text(paths: list[Path]) -> Collection:
    """``zip.train`` and ``zip.test`` of The Elements of Statistical Learning: digit, 256 values."""
    tables = [np.loadtxt(path, ndmin=2) for path in paths]
    table = np.vstack(tables)
    digit = table[:, 0].astype(np.int64)
    return Collection(snap_to(table[:, 1:], USPS_UNIT), digit, train_and_test(tables))


def read_mnist_idx(paths: list[Path]) -> Collection:
    """Images and digits of the training rows, then of the test rows."""
    images, digits = ([read_idx(path) for path in paths[half::2]] for half in (0, 1))
    X = np.concatenate(images).astype(np.float64)
    return pair_up(X.reshape(len(X), -1), np.concatenate(digits), train_and_test(digits))


def train_and_test(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.repeat(["train", "test"], [len(part) for part in parts])


def read_idx(path: Path) -> NDArray[np.uint8]:
    """Bytes with their sizes in front: 0, 0, 8 for bytes, the number of sizes, the sizes."""
    data, ndim = read_bytes(path), 3 if "idx3" in path.name else 1
    shape = tuple(int(n) for n in np.frombuffer(data[4 : 4 + 4 * ndim], ">u4"))
    if data[:4] != bytes([0, 0, 8, ndim]) or len(data) != 4 + 4 * ndim + prod(shape):
        raise ValueError(f"{path.name} is no idx file of {ndim} dimensions")
    return np.frombuffer(data, np.uint8, offset=4 + 4 * ndim).reshape(shape)


def find_files(folder: Path, names: tuple[str, ...]) -> list[Path]:
    """All of the files, packed or not, with a dash or, as some unpack them, a dot before ``idx``.

    None at all where one of them is missing.
    """
    found = []
    for name in names:
        dotted = name.replace("-idx", ".idx")
        forms = (name, f"{name}.gz", dotted, f"{dotted}.gz")
        found += [folder / form for form in forms if (folder / form).is_file()][:1]
    return found if len(found) == len(names) else []


def read_bytes(path: Path) -> bytes:
    if path.suffix == ".gz":
        with gzip.open(path) as stream:
            return stream.read()
    return path.read_bytes()


def snap_to(X: Array, unit: float) -> Array:
    """Decimals made multiples of their unit, to the last bit as the ``.npz`` layout gives them."""
    multiples = np.rint(X / unit) * unit
    return multiples if np.allclose(X, multiples, rtol=0, atol=1e-6 * unit) else X


def pair_up(X: Array, y: NDArray[Any], group: NDArray[Any]) -> Collection:
    if X.ndim != 2 or any(column.shape != (len(X),) for column in (y, group)):
        raise ValueError("features, targets and groups differ in their number of rows")
    return Collection(X, y, group)
