"""Every method on the paper's synthetic protocol, beside the figures that the paper prints.

    python benchmarks/comparison.py --method lasso cmtl trace --setting sparse-200 --reps 5

All methods choose their penalties by cross-validation; those that need a number of clusters
are given the true one. MCC is on exact zeros, "MCC 0.005" counts |w| <= 0.005 as zero, as the
paper does. After +- is the standard deviation over the repetitions.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from benchmarks.accuracy import N_CLUSTERS, SETTINGS, chosen_settings, draw, scores
from stcmtl import STCMTLClassifier, STCMTLRegressor
from stcmtl.baselines import METHODS
from stcmtl.simulate import Simulation

BASELINES = {name.lower().removesuffix("-mtl"): kind for name, kind in METHODS.items()}
# The paper's Table 2: RMSE, REE and MCC.
PAPER = {
    "sparse-200": {
        "lasso": (0.659, 0.030, 0.481),
        "cmtl": (0.651, 0.029, 0.109),
        "trace": (0.911, 0.054, 0.071),
        "flarcc": (0.591, 0.019, 0.583),
        "vstg": (0.543, 0.011, 0.705),
        "stcmtl": (0.510, 0.007, 0.779),
    },
    "dense-200": {
        "lasso": (0.665, 0.031, 0.470),
        "cmtl": (0.650, 0.029, 0.111),
        "trace": (0.897, 0.053, 0.071),
        "flarcc": (0.590, 0.019, 0.613),
        "vstg": (0.515, 0.009, 0.722),
        "stcmtl": (0.515, 0.009, 0.783),
    },
    "sparse-600": {
        "lasso": (0.743, 0.022, 0.400),
        "cmtl": (0.829, 0.027, 0.083),
        "trace": (1.038, 0.036, 0.070),
        "flarcc": (0.635, 0.016, 0.660),
        "vstg": (0.525, 0.006, 0.477),
        "stcmtl": (0.516, 0.010, 0.715),
    },
    "dense-600": {
        "lasso": (0.734, 0.022, 0.386),
        "cmtl": (0.824, 0.026, 0.088),
        "trace": (1.017, 0.036, 0.073),
        "flarcc": (0.624, 0.018, 0.643),
        "vstg": (0.525, 0.010, 0.542),
        "stcmtl": (0.526, 0.005, 0.717),
    },
}


def build(method: str, task_type: str, n_jobs: int) -> Any:
    common = {"n_jobs": n_jobs, "random_state": 0}
    ours = STCMTLRegressor if task_type == "regression" else STCMTLClassifier
    kind = ours if method == "stcmtl" else BASELINES[method]
    if "n_clusters" in kind().get_params():
        common["n_clusters"] = N_CLUSTERS
    return kind(**common)


def run(method: str, sim: Simulation, n_jobs: int) -> dict:
    model = build(method, sim.train.task_type, n_jobs)
    start = perf_counter()
    model.fit(sim.train.X, sim.train.y, sim.train.tasks)
    seconds = perf_counter() - start
    values = model.decision_values(sim.test.X, sim.test.tasks)
    return {"method": method, **scores(sim, model.coef_.T, values), "seconds": seconds}


def report(results: pd.DataFrame, setting: str) -> None:
    """Mean and spread of every measure, and what the paper has for it."""
    groups = results.groupby("method", sort=False)
    mean, spread = groups.mean(), groups.std(ddof=0)
    table = pd.DataFrame(index=mean.index)
    paper = pd.DataFrame(PAPER.get(setting, {}), index=["RMSE", "REE", "MCC 0.005"]).T
    for name in mean:
        digits = 1 if name == "seconds" else 4
        pairs = zip(mean[name], spread[name], strict=True)
        table[name] = [f"{m:.{digits}f} +- {s:.{digits}f}" for m, s in pairs]
        if setting in PAPER and name in paper:
            table[f"paper's {name}"] = [f"{p:.3f}" for p in paper[name].reindex(mean.index)]
    if setting in PAPER:
        ratio = mean["RMSE"] / paper["RMSE"].reindex(mean.index)
        table["RMSE / paper's"] = [f"{r:.3f}" for r in ratio]
    print(f"\n{setting}: mean of {int(groups.size().max())} repetitions")
    print(table.replace("nan", "").to_string(), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    methods = [*BASELINES, "stcmtl"]
    parser.add_argument("--method", nargs="+", choices=methods, default=methods)
    parser.add_argument(
        "--setting", nargs="+", choices=[*SETTINGS, "sparse", "dense"], default=["sparse-200"],
        help="a setting, or all that begin so",
    )  # fmt: skip
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="first structure and first draw")
    parser.add_argument("--n-jobs", type=int, default=2)
    options = parser.parse_args()
    warm_up(options.method, options.n_jobs)
    for setting in chosen_settings(options.setting):
        rows = []
        for repetition in range(options.reps):
            sim = draw(setting, repetition, options.seed)
            rows += [run(method, sim, options.n_jobs) for method in options.method]
        report(pd.DataFrame(rows), setting)


def warm_up(methods: list[str], n_jobs: int) -> None:
    """Compile or load the kernels, so that no repetition is charged for it."""
    rng = np.random.default_rng(0)
    X, tasks = rng.normal(size=(120, 15)), np.repeat(np.arange(6), 20)
    for method in methods:
        build(method, "regression", n_jobs).fit(X, X[:, 0] + rng.normal(size=120), tasks)


if __name__ == "__main__":
    main()
