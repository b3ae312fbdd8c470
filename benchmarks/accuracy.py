"""The paper's synthetic protocol: paper, per-task l1, Algorithm 1, refined, and the oracle.

    python benchmarks/accuracy.py --setting sparse-200 dense-200 --reps 10

The oracle is the least-squares fit that knows V and the support of U. Our fits use the
defaults, and so estimate an intercept for every task; the oracle knows there is none.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from benchmarks.baselines import fit_each_task, lasso_cv, linear_values, logistic_cv
from stcmtl import metrics, simulate
from stcmtl.baselines.registry import PLAIN
from stcmtl.data.simulation import Simulation
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.paper.experiments import oracle_coefficients
from stcmtl.paper.table import cells as paper_cells

SETTINGS = {
    "sparse-200": {"n_features": 200, "mixing": "sparse"},
    "dense-200": {"n_features": 200, "mixing": "dense"},
    "sparse-600": {"n_features": 600, "mixing": "sparse"},
    "dense-600": {"n_features": 600, "mixing": "dense"},
    "logistic-100": {"n_features": 100, "mixing": "sparse", "task_type": "classification"},
}
PRINTED = {"RMSE": "RMSE", "REE": "REE", "MCC": "MCC 0.005"}  # the paper's names and ours
N_CLUSTERS = 5
STRUCTURES = 5  # true (U, V); repetitions go round them with new rows


def draw(setting: str, repetition: int, seed: int) -> Simulation:
    return simulate(
        n_clusters=N_CLUSTERS,
        structure_seed=seed + repetition % STRUCTURES,
        random_state=seed + repetition,
        **SETTINGS[setting],
    )


def chosen_settings(wanted: list[str]) -> list[str]:
    return [name for name in SETTINGS if name.startswith(tuple(wanted))]


def run(setting: str, repetition: int, seed: int, n_jobs: int) -> list[dict]:
    sim = draw(setting, repetition, seed)
    rows = [per_task(sim, n_jobs)]
    for refine in (False, True):
        rows.append(ours(sim, refine, n_jobs))
    if sim.train.task_type == "regression":
        W = oracle_coefficients(sim.train)
        rows.append({"method": "oracle", **scores(sim, W, linear_values(sim.test, W))})
    return [{"setting": setting, "repetition": repetition, **row} for row in rows]


def per_task(sim: Simulation, n_jobs: int) -> dict:
    model = lasso_cv if sim.train.task_type == "regression" else logistic_cv
    start = perf_counter()
    W, b = fit_each_task(model, sim.train, n_jobs)
    seconds = perf_counter() - start
    return {
        "method": "per-task l1",
        **scores(sim, W, linear_values(sim.test, W, b)),
        "seconds": seconds,
    }


def ours(sim: Simulation, refine: bool, n_jobs: int) -> dict:
    kind = pick_estimator(sim.train.task_type)
    model = kind(N_CLUSTERS, **PLAIN, refine=refine, n_jobs=n_jobs, random_state=0)
    start = perf_counter()
    model.fit(sim.train.X, sim.train.y, sim.train.tasks)
    seconds = perf_counter() - start
    W = model.coef_.T
    row = {
        "method": "refined" if refine else "Algorithm 1",
        **scores(sim, W, linear_values(sim.test, W, model.intercept_)),
        "membership": metrics.membership_error(sim.truth.V, model.memberships_.T),
        "iterations": model.n_iter_,
        "seconds": seconds,
    }
    if refine:
        row["pure/mixed"] = metrics.pure_accuracy(sim.truth.pure, model.pure_)
    return row


def scores(sim: Simulation, W: np.ndarray, values: np.ndarray) -> dict:
    if sim.train.task_type == "regression":
        error = {"RMSE": metrics.rmse(sim.test.y, values)}
    else:
        error = {"ER": metrics.error_rate(sim.test.y, np.where(values > 0, 1.0, -1.0))}
    return error | {
        "REE": metrics.ree(sim.truth.W, W),
        "MCC": metrics.mcc(sim.truth.W, W),
        "MCC 0.005": metrics.mcc(sim.truth.W, W, threshold=0.005),
    }


def paper_table(setting: str, methods: list[str]) -> pd.DataFrame:
    """What the paper's Table 2 has for methods; all of ours are its STCMTL."""
    cells = paper_cells()
    rows = {
        method: {
            ours: cells[key].mean
            for printed, ours in PRINTED.items()
            if (key := (setting, "STCMTL" if "STCMTL" in method else method, printed)) in cells
        }
        for method in methods
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def report(results: pd.DataFrame, setting: str) -> None:
    part = results[results["setting"] == setting].drop(columns=["setting", "repetition"])
    groups = part.dropna(axis=1, how="all").groupby("method", sort=False)
    table = groups.mean()
    paper = paper_table(setting, ["STCMTL"]).rename(index={"STCMTL": "paper"})
    if not paper.empty:
        table = pd.concat([paper, table])[table.columns]
    print(f"\n{setting}: mean of {int(groups.size().max())} repetitions")
    print(table.to_string(float_format=lambda x: f"{x:.4f}", na_rep=""))
    refined, single = table.loc["refined"], table.loc["per-task l1"]
    if "oracle" in table.index:
        best = table.loc["oracle"]
        print(
            f"refined / oracle: RMSE {refined['RMSE'] / best['RMSE']:.4f}, "
            f"REE {refined['REE'] / best['REE']:.3f}"
        )
    error = "RMSE" if "RMSE" in table else "ER"
    for method in ("Algorithm 1", "refined"):
        below = 1.0 - table.loc[method, error] / single[error]
        print(f"{method}: {error} {below:.1%} below per-task l1")
    iterations = part.loc[part["method"] == "Algorithm 1", "iterations"]
    print(f"Algorithm 1: at most {int(iterations.max())} iterations")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--setting",
        nargs="+",
        choices=[*SETTINGS, "sparse", "dense", "logistic"],
        default=list(SETTINGS),
        help="a setting, or all that begin so (default: every setting)",
    )
    parser.add_argument("--reps", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="first structure and first draw")
    parser.add_argument("--n-jobs", type=int, default=2)
    options = parser.parse_args()
    for setting in chosen_settings(options.setting):
        repetitions = range(options.reps)
        rows = [row for r in repetitions for row in run(setting, r, options.seed, options.n_jobs)]
        report(pd.DataFrame(rows), setting)


if __name__ == "__main__":
    main()
