"""School, Isolet, USPS and MNIST: from a folder, else from OpenML, as the paper uses them."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets

from stcmtl.data.datasets import formats
from stcmtl.data.datasets.bundled import component_names
from stcmtl.data.datasets.formats import Rows
from stcmtl.data.splits import Seed, Split, one_against_rest, principal_components
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError, Setting, Text, Worded

Folder = str | os.PathLike[str] | None

ISOLET_ID, USPS_ID, MNIST_ID = 300, 41082, 554  # on OpenML; School is not there
USPS_TRAIN, MNIST_TRAIN = 7291, 60000  # rows for training come first there
N_LETTERS = 26
SCHOOL_COLUMNS = (
    *(f"exam year {i}" for i in (1, 2, 3)),
    "free meals in school, %",
    "VR band 1 in school, %",
    *(f"gender {i}" for i in (1, 2)),
    *(f"VR band {i}" for i in (1, 2, 3)),
    *(f"ethnic group {i}" for i in range(1, 12)),
    *(f"school gender {i}" for i in (1, 2, 3)),
    *(f"school denomination {i}" for i in (1, 2, 3)),
    "constant",
)


class DataNotFoundError(Worded, FileNotFoundError):
    """A collection is neither in a folder nor on OpenML."""


def load_school(data_home: Folder = None) -> TaskSet:
    """Exam scores of 15,362 pupils in 139 London schools, a task each, by 28 features.

    Reads ``school.npz``, or ``school.mat`` as distributed with MALSAR. Tasks are numbered 1 to
    139 in the order of the file. The names of the columns were inferred from their values. For
    the paper's protocol see ``split_rows``.
    """
    readers = {
        "school.npz": partial(formats.read_npz, name="school.npz", group="task"),
        "school.mat": formats.read_school_mat,
    }
    rows = from_folder(data_home, readers)
    if rows is None:
        raise missing("School", "school.mat", data_home)
    names = SCHOOL_COLUMNS if rows.X.shape[1] == len(SCHOOL_COLUMNS) else ()
    return TaskSet(rows.X, rows.y.astype(np.float64), rows.group.astype(np.int64), names)


def load_isolet(data_home: Folder = None) -> TaskSet:
    """Spoken letters: a task for each of five groups of 30 speakers, 7,797 rows, 617 features.

    The target is the letter's place in the alphabet divided by 26, as regression benchmarks use
    it. Reads ``isolet.npz``, or UCI's ``isolet1+2+3+4.data`` and ``isolet5.data``; row order
    within a group may differ between them. For the paper's protocol see ``split_rows``.
    """
    readers = {
        "isolet.npz": partial(formats.read_npz, name="isolet.npz", group="group"),
        "isolet1+2+3+4.data and isolet5.data": formats.read_isolet_data,
    }
    rows = from_folder(data_home, readers)
    if rows is None:
        files = "isolet1+2+3+4.data and isolet5.data"
        X, letter = from_openml("Isolet", ISOLET_ID, files, data_home)
        rows = formats.isolet_rows(X, letter)
    return TaskSet(rows.X, rows.y / N_LETTERS, rows.group.astype(np.int64))


def load_usps(
    data_home: Folder = None,
    n_components: int | None = 87,
    n_rows: int = 100,
    n_draws: int = 1,
    random_state: Seed = 0,
) -> Split:
    """Postal digits of 16 x 16 pixels, each against the rest, by the paper's protocol.

    Reads ``usps.npz``, or ``zip.train`` and ``zip.test`` (packed by gzip or not) of The Elements
    of Statistical Learning, with their division into training and test images.

    Parameters
    ----------
    data_home : path or None
        Folder of the files; the environment variable ``STCMTL_DATA`` if None.
    n_components : int or None
        Principal components of the training images; pixels if None.
    n_rows, n_draws, random_state
        As in ``one_against_rest``: the paper's ten tasks, or more where digits are drawn again.
    """
    readers = {
        "usps.npz": partial(formats.read_npz, name="usps.npz", group="split"),
        "zip.train and zip.test": formats.read_usps_text,
    }
    rows = from_folder(data_home, readers)
    if rows is None:
        X, y = from_openml("USPS", USPS_ID, "zip.train.gz and zip.test.gz", data_home)
        rows = Rows(X, y - y.min(), split_after(USPS_TRAIN, len(y)))  # 1 to 10 stand for 0 to 9
    return digit_tasks(rows.X, rows, n_components, n_rows, n_draws, random_state)


def load_mnist(
    data_home: Folder = None,
    n_components: int | None = 64,
    n_rows: int = 100,
    n_draws: int = 1,
    random_state: Seed = 0,
) -> Split:
    """Digits of 28 x 28 pixels, scaled to [0, 1], each against the rest, by the paper's protocol.

    Reads ``mnist.npz``, or the four idx files (``train-images-idx3-ubyte`` and so on, packed by
    gzip or not). Parameters are those of ``load_usps``.
    """
    readers = {
        "mnist.npz": partial(formats.read_npz, name="mnist.npz", group="split"),
        "the idx files": formats.read_mnist_idx,
    }
    rows = from_folder(data_home, readers)
    if rows is None:
        files = ", ".join(f"{name}.gz" for name in formats.MNIST_FILES)
        X, y = from_openml("MNIST", MNIST_ID, files, data_home)
        rows = Rows(X, y, split_after(MNIST_TRAIN, len(y)))
    return digit_tasks(rows.X * (1.0 / 255.0), rows, n_components, n_rows, n_draws, random_state)


def digit_tasks(
    X: NDArray[Any],
    rows: Rows,
    n_components: int | None,
    n_rows: int,
    n_draws: int,
    random_state: Seed,
) -> Split:
    seen = rows.group == "train"
    side = int(np.sqrt(X.shape[1]))
    names = tuple(f"pixel {d // side},{d % side}" for d in range(X.shape[1]))
    if n_components is not None:
        X, names = principal_components(X, n_components, seen), component_names(n_components)
    return one_against_rest(X, rows.y, seen, n_rows, n_draws, random_state, names, noun="digit")


def from_folder(data_home: Folder, readers: dict[str, Any]) -> Rows | None:
    folder = data_folder(data_home)
    return None if folder is None else formats.read_folder(folder, readers)


def data_folder(data_home: Folder) -> Path | None:
    """The folder asked for, else that of ``STCMTL_DATA``; one that does not exist is an error."""
    named = os.environ.get("STCMTL_DATA") if data_home is None else os.fspath(data_home)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        source = "STCMTL_DATA" if data_home is None else Setting("data_home")
        raise DataNotFoundError(f"is {named!r}, which is not a folder", where=source)
    return folder


def from_openml(
    name: str, data_id: int, files: str, data_home: Folder
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Features and whole-number labels of a collection on OpenML, kept in scikit-learn's cache."""
    try:
        found = sklearn_datasets.fetch_openml(data_id=data_id, as_frame=False, parser="auto")
    except (OSError, ValueError) as error:
        raise missing(name, files, data_home, " and OpenML did not answer") from error
    labels = np.array([int(float(str(label).strip("'\""))) for label in found.target])
    return np.asarray(found.data, dtype=np.float64), labels


def split_after(n_train: int, n_rows: int) -> NDArray[Any]:
    if n_rows <= n_train:
        raise InputError(f"OpenML sent {n_rows} rows, more than {n_train} were expected")
    return np.repeat(["train", "test"], [n_train, n_rows - n_train])


def missing(name: str, files: str, data_home: Folder, also: str = "") -> DataNotFoundError:
    """What is missing, and which file to put where; to be raised."""
    folder = data_folder(data_home)
    remedy: Text = f"put {files} in {folder}"
    if folder is None:
        home = Setting("data_home", clause="name it by {} or STCMTL_DATA")
        remedy = f"put {files} in a folder and ", home
    return DataNotFoundError(f"was not found{also}", where=name, remedy=remedy)
