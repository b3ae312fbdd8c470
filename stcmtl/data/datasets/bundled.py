"""Real data that ships inside our own dependencies: no files to find, no network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_datasets

from stcmtl.data.datasets.formats import Collection
from stcmtl.data.splits import Seed, Split, one_against_rest, principal_components
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import bad_value, require

TABLE = "package_data/datasets/gapminder.csv.gz"  # inside plotly
MIDDLE_YEAR = 1980
MIDDLE_GDP = 3.5  # log10: about 3,200 dollars a head, the median over countries and years
MIDDLE_POPULATION = 7.0  # log10


def load_digits(
    n_draws: int = 4,
    n_rows: int = 80,
    n_components: int | None = None,
    random_state: Seed = 0,
) -> Split:
    """Handwritten digits, each against the rest: 10 x ``n_draws`` tasks, training and test rows.

    scikit-learn's 1,797 images of 8 x 8 pixels, scaled to [0, 1]. A random half of every digit
    is for training; ``n_rows`` of the digit and as many of the others are drawn for each task.

    Parameters
    ----------
    n_draws : int
        Tasks per digit, each with rows of its own draw; they should end up together.
    n_rows : int
        Rows of the digit, and of the others, in a task: at most 87.
    n_components : int or None
        Principal components of the training half in place of pixels.
    random_state : int or Generator
        Seed of the halves and the draws.
    """
    known = sklearn_datasets.load_digits()
    X, digit = known.data / 16.0, known.target
    rng = np.random.default_rng(random_state)
    seen = np.zeros(len(digit), dtype=bool)
    for d in range(10):
        rows = rng.permutation(np.flatnonzero(digit == d))
        seen[rows[: len(rows) // 2]] = True
    images = Collection(X, digit, np.where(seen, "train", "test"))
    return digit_tasks(images, n_components, n_rows, n_draws, rng)


def digit_tasks(
    images: Collection, n_components: int | None, n_rows: int, n_draws: int, random_state: Seed
) -> Split:
    """Every digit against the rest, by pixels or by principal components of the training rows."""
    X, digit, split = images
    seen, side = split == "train", int(np.sqrt(X.shape[1]))
    names = tuple(f"pixel {d // side},{d % side}" for d in range(X.shape[1]))
    if n_components is not None:
        X = principal_components(X, n_components, seen)
        names = tuple(f"component {d + 1}" for d in range(n_components))
    return one_against_rest(X, digit, seen, n_rows, n_draws, random_state, names, noun="digit")


def load_gapminder(continent: str | None = None) -> TaskSet:
    """Life expectancy by country, 1952 to 2007 in steps of five years: 142 tasks of 12 rows.

    The features are centred at fixed values (1980, about 3,200 dollars a head, 10 million
    people), so that a country's intercept is its life expectancy there:

    - ``decades``: since 1980, and ``decades squared``, for progress that slows or turns;
    - ``log GDP``: ten-fold steps of GDP a head, and ``log GDP squared``, for the flattening of
      life expectancy among the rich;
    - ``log population``: ten-fold steps;
    - ``log GDP x decades``: what wealth buys, as it changes with time.

    ``continent`` keeps one of Africa, Americas, Asia, Europe, Oceania.
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
    tasks = table["country"].to_numpy(dtype=str)
    return TaskSet(pd.DataFrame(features), table["lifeExp"].to_numpy(), tasks)


def gapminder_table() -> pd.DataFrame:
    """The table as it is: country, continent, year, lifeExp, pop, gdpPercap and codes."""
    # plotly ships the file; finding it does not load plotly, which is heavy and for figures only
    package = require("plotly", "Gapminder", extra="figures")
    return pd.read_csv(Path(str(package.origin)).parent / TABLE, keep_default_na=False)
