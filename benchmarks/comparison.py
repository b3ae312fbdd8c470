"""Every method on the paper's synthetic protocol, beside the figures that the paper prints.

    python benchmarks/comparison.py --method LASSO CMTL "STCMTL refined" --setting sparse-200
    python benchmarks/comparison.py --times      # how long fits take, against what is expected

All methods choose their penalties by cross-validation; those that need a number of clusters
are given the true one. MCC is on exact zeros, "MCC 0.005" counts |w| <= 0.005 as zero, as the
paper does. After +- is the standard deviation over the repetitions.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from benchmarks.accuracy import N_CLUSTERS, SETTINGS, chosen_settings, draw, paper_table
from stcmtl import metrics
from stcmtl.baselines.registry import REGISTRY, expect_seconds
from stcmtl.evaluation.comparison import Outcome, compare, simulate_each, table
from stcmtl.evaluation.summary import ERROR_NAMES
from stcmtl.paper.results import list_shipped, read_shipped
from stcmtl.paper.settings import NoData, draw_rows

NAMES = {"ree": "REE", "mcc": "MCC", "mcc 0.005": "MCC 0.005", "seconds": "seconds"}
TINY = {"n_tasks": 12, "n_features": 20, "n_clusters": 3, "n_train": 20, "n_test": 5}


def run(method: str, setting: str, repetitions: int, seed: int, n_jobs: int) -> list[Outcome]:
    return compare(
        method, lambda r: draw(setting, r, seed), repetitions, N_CLUSTERS, n_jobs=n_jobs
    )  # fmt: skip


def nearly_zero(outcomes: list[Outcome], setting: str, seed: int) -> pd.Series:
    """MCC as the paper counts zeros."""
    truths = [draw(setting, r, seed).truth.W for r in range(len(outcomes))]
    return pd.Series(
        [metrics.mcc(W, o.coef, threshold=0.005) for W, o in zip(truths, outcomes, strict=True)]
    )


def report(results: dict[str, list[Outcome]], setting: str, seed: int) -> None:
    """Mean and spread of every measure, and what the paper has for it."""
    found = table(results)
    for method, outcomes in results.items():
        mcc = nearly_zero(outcomes, setting, seed)
        found.loc[method, ["mcc 0.005", "mcc 0.005 sd"]] = mcc.mean(), mcc.std()
    error = ERROR_NAMES[SETTINGS[setting].get("task_type", "regression")]
    paper = paper_table(setting, list(found.index))
    shown = pd.DataFrame(index=found.index)
    for own, name in {"error": error, **NAMES}.items():
        digits = 1 if name == "seconds" else 4
        pairs = zip(found[own], found[f"{own} sd"], strict=True)
        shown[name] = [
            f"{m:.{digits}f} +- {s:.{digits}f}".removesuffix(" +- nan") for m, s in pairs
        ]
        if name in paper:
            shown[f"paper's {name}"] = [f"{p:.3f}" for p in paper[name]]
    if "RMSE" in paper:
        shown["RMSE / paper's"] = [f"{r:.3f}" for r in found["error"] / paper["RMSE"]]
    print(f"\n{setting}: mean of {int(found['repetitions'].max())} repetitions")
    print(shown.replace("nan", "").to_string(), flush=True)


def print_times(chosen: list[str]) -> None:
    """What is said beforehand, beside the median of the seconds that ship with the package; and
    the constant of each method (see ``registry``) that these seconds speak for.
    """
    found, constants = pd.DataFrame(index=pd.Index(chosen, name="expected / taken")), {}
    for setting in settings_at_hand():
        train = draw_rows(setting, 0, 0).train
        for run in read_shipped(setting):
            if run.method in chosen:
                taken = np.median([score.seconds for score in run.scores])
                sizes = (len(train.X), train.X.shape[1]), len(train)
                expected = expect_seconds(run.method, *sizes, train.task_type)
                found.loc[run.method, setting] = expected / taken
    for method, ratios in found.iterrows():
        typical = np.exp(np.log(ratios.dropna()).mean())
        constants[method] = REGISTRY[method].seconds / typical
    print(found.round(2).to_string(na_rep=""))
    print("seconds per unit of work:", {m: float(f"{c:.2g}") for m, c in constants.items()})
    ratios = found.stack().dropna().to_numpy()
    for factor in (2.0, 3.0):
        share = np.mean((ratios < factor) & (ratios > 1.0 / factor))
        print(f"within a factor of {factor:g}: {share:.0%}")


def settings_at_hand() -> list[str]:
    """Those with shipped results whose data are here."""
    found = []
    for setting in list_shipped():
        with suppress(NoData):
            draw_rows(setting, 0, 0)
            found.append(setting)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--method", nargs="+", choices=REGISTRY, default=list(REGISTRY))
    parser.add_argument(
        "--setting", nargs="+", choices=[*SETTINGS, "sparse", "dense"], default=["sparse-200"],
        help="a setting, or all that begin so",
    )  # fmt: skip
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="first structure and first draw")
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--times", action="store_true", help="print how long methods take")
    options = parser.parse_args()
    if options.times:
        print_times(options.method)
        return
    warm_up(options.method, options.n_jobs)
    for setting in chosen_settings(options.setting):
        results = {
            method: run(method, setting, options.reps, options.seed, options.n_jobs)
            for method in options.method
        }
        report(results, setting, options.seed)


def warm_up(chosen: list[str], n_jobs: int) -> None:
    """Compile or load the kernels, so that no repetition is charged for it."""
    for method in chosen:
        compare(method, simulate_each(**TINY), 1, TINY["n_clusters"], n_jobs=n_jobs)


if __name__ == "__main__":
    main()
