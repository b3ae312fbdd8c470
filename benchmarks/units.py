"""Features as they are, on one scale, and what standardize="auto" makes of them: test errors.

    python benchmarks/units.py --splits 5                    # about a quarter of an hour
    python benchmarks/units.py --data "wine" "raw units" --splits 2

School, Isolet, USPS and MNIST are looked for in the folder named by STCMTL_DATA and else left
out; all other tables are simulated or come with our dependencies.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_datasets

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from benchmarks.realdata import data_folder
from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, datasets, metrics, simulate
from stcmtl.baselines.registry import PLAIN
from stcmtl.data.datasets import Split

N_FEATURES = 80  # of simulated tasks
SHARES = (0.5, 0.3, 0.2, 0.1, 0.05, 0.02)  # of the rows with a simulated indicator set


def simulated(seed: int, **options: Any) -> Split:
    rows = simulate(32, N_FEATURES, 4, 50, random_state=seed, **options)
    return Split(rows.train, rows.test)


def in_units(split: Split, units: np.ndarray) -> Split:
    return Split(*(replace(part, X=part.X * units) for part in split))


def raw_units(seed: int, **options: Any) -> Split:
    """Columns multiplied by factors from 1e-3 to 1e3."""
    rng = np.random.default_rng(seed)
    return in_units(simulated(seed, **options), 10.0 ** rng.uniform(-3.0, 3.0, N_FEATURES))


def indicators(seed: int, n_numbers: int) -> Split:
    """Indicators of all shares, and perhaps numbers of spread one, all with effects alike."""
    rng = np.random.default_rng(seed)
    T, n, D = 20, 120, 30
    X = (rng.uniform(size=(T * n, D)) < np.resize(SHARES, D)).astype(float)
    X[:, :n_numbers] = rng.normal(size=(T * n, n_numbers))
    U = rng.normal(size=(D, 2)) * (rng.uniform(size=(D, 2)) < 0.4)
    tasks = np.repeat(np.arange(T), n)
    y = np.einsum("nd,nd->n", X, U.T[tasks % 2]) + 0.5 * rng.normal(size=T * n)
    return datasets.split_rows(TaskSet(X, y, tasks), random_state=seed)


def gapminder_raw(seed: int) -> Split:
    """Year, population and GDP a head as they stand in the table."""
    table = datasets.gapminder_table()
    X = table[["year", "pop", "gdpPercap"]].astype(float)
    tasks = table["country"].to_numpy(dtype=str)
    return datasets.split_rows(TaskSet(X, table["lifeExp"].to_numpy(), tasks), random_state=seed)


def diabetes(seed: int) -> Split:
    """Raw units (blood pressure, cells, ...), tasks by sex and age."""
    table = sklearn_datasets.load_diabetes(scaled=False, as_frame=True)
    X = table.data
    group = pd.qcut(X["age"], 3, labels=False).astype(str) + X["sex"].astype(int).astype(str)
    data = TaskSet(X.drop(columns=["age", "sex"]), table.target.to_numpy(), group.to_numpy())
    return datasets.split_rows(data, random_state=seed)


def tumours(seed: int) -> Split:
    """Breast cancer in raw units, tasks by texture."""
    table = sklearn_datasets.load_breast_cancer(as_frame=True)
    group = pd.qcut(table.data["mean texture"], 5, labels=False).to_numpy()
    X = table.data.drop(columns=["mean texture"])
    data = TaskSet(X, table.target.to_numpy(), group, task_type="classification")
    return datasets.split_rows(data, 0.5, seed)


def wine(seed: int) -> Split:
    """Three cultivars by thirteen measurements, each against the rest, four draws."""
    X, y = sklearn_datasets.load_wine(return_X_y=True)
    seen = np.random.default_rng(seed).uniform(size=len(y)) < 0.5
    return datasets.one_against_rest(X, y, seen, 15, 4, seed)


def school(seed: int) -> Split:
    return datasets.split_rows(datasets.load_school(data_folder()), random_state=seed)


def school_indicators(seed: int) -> Split:
    """Without the two percentages."""
    keep = np.setdiff1d(np.arange(28), [3, 4])
    return Split(*(TaskSet(part.X[:, keep], part.y, part.tasks) for part in school(seed)))


def isolet(seed: int) -> Split:
    return datasets.split_rows(datasets.load_isolet(data_folder()), random_state=seed)


def pixels(load: Callable[..., Split], **options: Any) -> Callable[[int], Split]:
    return lambda seed: load(random_state=seed, **options)


# Rows to fit on and to test on, and the number of clusters.
DATA: dict[str, tuple[Callable[[int], Split], int]] = {
    "simulated": (simulated, 4),
    "simulated labels": (lambda seed: simulated(seed, task_type="classification"), 4),
    "raw units": (raw_units, 4),
    "raw units, labels": (lambda seed: raw_units(seed, task_type="classification"), 4),
    "one column in thousandths": (
        lambda seed: in_units(simulated(seed), np.where(np.arange(N_FEATURES) == 3, 1e-3, 1.0)), 4,
    ),
    "one column in thousands": (
        lambda seed: in_units(simulated(seed), np.where(np.arange(N_FEATURES) == 3, 1e3, 1.0)), 4,
    ),
    "indicators": (lambda seed: indicators(seed, 0), 2),
    "indicators and numbers": (lambda seed: indicators(seed, 15), 2),
    "gapminder, prepared": (
        lambda seed: datasets.split_rows(datasets.load_gapminder(), random_state=seed), 4,
    ),
    "gapminder, raw": (gapminder_raw, 4),
    "diabetes": (diabetes, 2),
    "tumours": (tumours, 1),
    "wine": (wine, 3),
    "digits": (pixels(datasets.load_digits), 10),
    "digits, components": (pixels(datasets.load_digits, n_components=30), 10),
    "school": (school, 1),
    "school, K=3": (school, 3),
    "school, indicators": (school_indicators, 1),
    "isolet": (isolet, 2),
    "usps": (pixels(datasets.load_usps, n_components=None), 10),
    "usps, components": (pixels(datasets.load_usps), 10),
    "mnist": (pixels(datasets.load_mnist, n_components=None), 10),
    "mnist, components": (pixels(datasets.load_mnist), 10),
}  # fmt: skip
ON_FILE = ("school", "isolet", "usps", "mnist")
WAYS = {"as they are": False, "on one scale": True, "auto": "auto"}


def measure(name: str, seed: int, n_jobs: int) -> dict[str, Any]:
    """Test errors of one split, and what "auto" has found."""
    make, K = DATA[name]
    train, test = make(seed)
    kind = STCMTLClassifier if train.task_type == "classification" else STCMTLRegressor
    row: dict[str, Any] = {"data": name, "measure": "ER" if kind is STCMTLClassifier else "RMSE"}
    for way, standardize in WAYS.items():
        model = kind(K, **PLAIN, standardize=standardize, random_state=0, n_jobs=n_jobs)
        model.fit(train.X, train.y, train.tasks)
        predicted = model.predict(test.X, test.tasks)
        row[way] = metrics.prediction_error(test.y, predicted, train.task_type)
    spreads = model.feature_scale_[model.feature_scale_ > 0]
    return row | {"scaled": model.standardized_, "spreads differ by": spreads.max() / spreads.min()}


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per data set: means over splits, and in how many the one scale is better."""
    table = rows.groupby(["data", "measure"], sort=False).mean()
    better = rows["on one scale"] < rows["as they are"]
    table["better"] = better.groupby(rows["data"], sort=False).mean().to_numpy()
    table["ratio"] = table["on one scale"] / table["as they are"]
    return table[["spreads differ by", *WAYS, "ratio", "better", "scaled"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", choices=DATA, metavar="NAME", default=list(DATA))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--n-jobs", type=int, default=2)
    options = parser.parse_args()
    found = data_folder() is not None
    names = [name for name in options.data if found or not name.startswith(ON_FILE)]
    rows = []
    for name in names:
        rows += [measure(name, seed, options.n_jobs) for seed in range(options.splits)]
        print(f"{name}: done", file=sys.stderr)
    print("better, scaled: in which share of the splits one scale is better, and auto takes it")
    print(summarise(pd.DataFrame(rows)).to_string(float_format=lambda x: f"{x:.4g}"))


if __name__ == "__main__":
    main()
