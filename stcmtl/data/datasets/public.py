"""School, Isolet, USPS and MNIST: from a folder, else from OpenML, as the paper uses them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets

from stcmtl.data.datasets import formats
from stcmtl.data.datasets.bundled import digit_tasks
from stcmtl.data.datasets.formats import Collection
from stcmtl.data.splits import Seed, Split
from stcmtl.data.taskset import Array, TaskSet
from stcmtl.errors import InputError, Setting, Text, Worded

Folder = str | os.PathLike[str] | None
Reader = Callable[[list[Path]], Collection]

USPS_TRAIN, MNIST_TRAIN = 7291, 60000  # rows for training come first on OpenML
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


class Source(NamedTuple):
    """A collection: the groups of its rows, the files of its source, and its number on OpenML.

    ``wanted`` are the files as one gets them, ``arrange`` makes rows of what OpenML sends.
    """

    name: str
    group: str
    files: tuple[str, ...]
    wanted: str
    read: Reader
    openml: int = 0
    arrange: Callable[[Array, NDArray[np.int64]], Collection] | None = None


def arrange_digits(X: Array, labels: NDArray[np.int64], n_train: int) -> Collection:
    """Training rows, then test rows; USPS on OpenML counts its digits from 1."""
    if len(labels) <= n_train:
        raise InputError(f"OpenML sent {len(labels)} rows, more than {n_train} were expected")
    split = np.repeat(["train", "test"], [n_train, len(labels) - n_train])
    return Collection(X, labels - labels.min(), split)


SCHOOL = Source("School", "task", ("school.mat",), "school.mat", formats.read_school_mat)
ISOLET = Source(
    *("Isolet", "group", ("isolet1+2+3+4.data", "isolet5.data")),
    *("isolet1+2+3+4.data and isolet5.data", formats.read_isolet_data),
    *(300, formats.arrange_isolet),
)
USPS = Source(
    *("USPS", "split", ("zip.train", "zip.test")),
    *("zip.train.gz and zip.test.gz", formats.read_usps_text),
    *(41082, lambda X, y: arrange_digits(X, y, USPS_TRAIN)),
)
MNIST = Source(
    *("MNIST", "split", formats.MNIST_FILES),
    *(", ".join(f"{name}.gz" for name in formats.MNIST_FILES), formats.read_mnist_idx),
    *(554, lambda X, y: arrange_digits(X, y, MNIST_TRAIN)),
)


def load_school(data_home: Folder = None) -> TaskSet:
    """Exam scores of 15,362 pupils in 139 London schools, a task each, by 28 features.

    Reads ``school.npz``, or ``school.mat`` as distributed with MALSAR. Tasks are numbered 1 to
    139 in the order of the file. The names of the columns were inferred from their values. For
    the paper's protocol see ``split_rows``.
    """
    X, y, school = find_collection(SCHOOL, data_home)
    names = SCHOOL_COLUMNS if X.shape[1] == len(SCHOOL_COLUMNS) else ()
    return TaskSet(X, y.astype(np.float64), school.astype(np.int64), names)


def load_isolet(data_home: Folder = None) -> TaskSet:
    """Spoken letters: a task for each of five groups of 30 speakers, 7,797 rows, 617 features.

    The target is the letter's place in the alphabet divided by 26, as regression benchmarks use
    it. Reads ``isolet.npz``, or UCI's ``isolet1+2+3+4.data`` and ``isolet5.data``; row order
    within a group may differ between them. For the paper's protocol see ``split_rows``.
    """
    X, letter, speakers = find_collection(ISOLET, data_home)
    return TaskSet(X, letter / N_LETTERS, speakers.astype(np.int64))


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
    images = find_collection(USPS, data_home)
    return digit_tasks(images, n_components, n_rows, n_draws, random_state)


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
    X, digit, split = find_collection(MNIST, data_home)
    scaled = Collection(X * (1.0 / 255.0), digit, split)
    return digit_tasks(scaled, n_components, n_rows, n_draws, random_state)


def find_collection(source: Source, data_home: Folder) -> Collection:
    folder = find_folder(data_home)
    if folder is not None:
        layouts: list[tuple[tuple[str, ...], Reader]] = [
            ((f"{source.name.lower()}.npz",), partial(formats.read_npz, group=source.group)),
            (source.files, source.read),
        ]
        for names, read in layouts:
            if paths := formats.find_files(folder, names):
                return read_files(paths, read)
    if source.arrange is None:
        raise not_found(source, folder)
    try:
        sent: Any = sklearn_datasets.fetch_openml(
            data_id=source.openml, as_frame=False, parser="auto"
        )  # which scikit-learn keeps in its cache
    except (OSError, ValueError) as error:
        raise not_found(source, folder, " and OpenML did not answer") from error
    labels = np.array([int(float(str(label).strip("'\""))) for label in sent.target])
    return source.arrange(np.asarray(sent.data, dtype=np.float64), labels)


def read_files(paths: list[Path], read: Reader) -> Collection:
    try:
        return read(paths)
    except formats.UNREADABLE as error:
        files = " and ".join(path.name for path in paths) if len(paths) < 3 else "the idx files"
        raise InputError(
            f"cannot be read ({' '.join(str(error).split())[:120]})",
            where=f"{files} in {paths[0].parent}",
            remedy="get the file again",
        ) from error


def find_folder(data_home: Folder) -> Path | None:
    """The folder asked for, else that of ``STCMTL_DATA``; one that does not exist is an error."""
    named = os.environ.get("STCMTL_DATA") if data_home is None else os.fspath(data_home)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        source = "STCMTL_DATA" if data_home is None else Setting("data_home")
        raise DataNotFoundError(f"is {named!r}, which is not a folder", where=source)
    return folder


def not_found(source: Source, folder: Path | None, also: str = "") -> DataNotFoundError:
    """What is missing, and which file to put where; to be raised."""
    remedy: Text = f"put {source.wanted} in {folder}"
    if folder is None:
        name_it = Setting("data_home", clause="name it by {} or STCMTL_DATA")
        remedy = f"put {source.wanted} in a folder and ", name_it
    return DataNotFoundError(f"was not found{also}", where=source.name, remedy=remedy)
