"""Real data: everything automatic beside all alternatives, over random splits.

    python benchmarks/real.py --splits 5
    python benchmarks/real.py --data school "digits, 10 tasks" --methods LASSO ridge

Panels need the extra `panels`. School, Isolet, USPS and MNIST are looked for in the folder named
by STCMTL_DATA and else left out. CMTL and VSTG-MTL are given as many clusters as ours has chosen,
three at least. The last column is the difference to the best alternative, with its standard error
over the splits.
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from benchmarks.realdata import data_folder
from benchmarks.regimes import ALTERNATIVES, OURS, fit_ours
from stcmtl import datasets, metrics
from stcmtl.data.datasets import Split

Draw = Callable[[int], Split]


def panel(name: str, growth: bool = False) -> Draw:
    """Three quarters of every task's rows are learnt from."""
    load = getattr(datasets, f"load_{name}")
    return lambda seed: datasets.split_rows(load(growth=growth), random_state=seed)


def from_files(name: str) -> Draw:
    load = getattr(datasets, f"load_{name}")
    return lambda seed: datasets.split_rows(load(data_folder()), random_state=seed)


def handwritten(name: str, n_draws: int) -> Draw:
    """Each digit against the others; ``n_draws`` times with new rows."""
    load = partial(getattr(datasets, f"load_{name}"), data_folder(), n_draws=n_draws)
    return lambda seed: load(random_state=seed)


DATA: dict[str, Draw] = {
    "school": from_files("school"),
    "isolet": from_files("isolet"),
    "USPS, 10 tasks": handwritten("usps", 1),
    "MNIST, 10 tasks": handwritten("mnist", 1),
    "digits, 10 tasks": lambda seed: datasets.load_digits(n_draws=1, random_state=seed),
    "digits, 40 tasks": lambda seed: datasets.load_digits(n_draws=4, random_state=seed),
    **{name: panel(name) for name in ("produc", "gasoline", "cigar", "driving", "employment")},
    **{f"{name}, growth": panel(name, True) for name in ("produc", "gasoline", "cigar")},
}
NEEDS_FILES = ("school", "isolet", "USPS", "MNIST")


def run_split(draw: Draw, seed: int, methods: list[str]) -> dict[str, float | str]:
    """Test errors by method, and what ours has chosen."""
    train, test = draw(seed)
    labels = train.task_type == "classification"
    wrong = metrics.error_rate if labels else metrics.rmse
    model, chosen = fit_ours(train, labels)
    row = {**chosen, OURS: wrong(test.y, model.predict(test.X, test.tasks))}
    for name in methods:
        other = ALTERNATIVES[name](max(3, model.n_clusters_))
        other.fit(train.X, train.y, train.tasks)
        row[name] = wrong(test.y, other.predict(test.X, test.tasks))
    return row


def summarise(name: str, table: pd.DataFrame) -> str:
    errors = table.drop(columns="chose").astype(float)
    mean = errors.mean()
    best = mean.drop(OURS).idxmin()
    apart = errors[OURS] - errors[best]
    chose = ", ".join(f"{what} ({n})" for what, n in table["chose"].value_counts().items())
    listed = "  ".join(f"{method} {error:.4f}" for method, error in mean.items())
    se = apart.std(ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else np.nan
    return f"{name}: {listed}\n    {apart.mean():+.4f} +- {se:.4f} to {best}; chose {chose}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="+", choices=list(DATA), default=list(DATA))
    parser.add_argument("--methods", nargs="*", default=list(ALTERNATIVES))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="seed of the first split")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.data:
        if name.startswith(NEEDS_FILES) and data_folder() is None:
            print(f"{name}: left out, STCMTL_DATA does not name a folder")
            continue
        seeds = range(options.first, options.first + options.splits)
        rows = [run_split(DATA[name], seed, options.methods) for seed in seeds]
        print(summarise(name, pd.DataFrame(rows)), flush=True)


if __name__ == "__main__":
    main()
