"""Outliers, the number of clusters, new tasks, and how sure: each question on simulated tasks.

    python benchmarks/questions.py            # all of them, the paper's sizes
    python benchmarks/questions.py k --quick  # one of them, fewer draws
    python benchmarks/questions.py sure --draws 4 --first 500  # such as nobody has looked at

Costs are ratios to one default fit within the same run, both on one thread.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from stcmtl import STCMTLRegressor, metrics, select_n_clusters, simulate, stability
from stcmtl.baselines.registry import PLAIN
from stcmtl.data.simulation import Simulation
from stcmtl.estimators.resampling import Stability
from stcmtl.solver.alignment import match_clusters
from stcmtl.solver.refinement import fix_scale

K = 5
NEW_ROWS = 20


def draws(seeds: range, **options: object) -> Iterator[Simulation]:
    """Every draw has a structure of its own."""
    for seed in seeds:
        yield simulate(**options, structure_seed=1000 + seed, random_state=seed)


def fitted(sim: Simulation, **options: object) -> STCMTLRegressor:
    model = STCMTLRegressor(**({"n_clusters": K, "random_state": 0, **PLAIN} | options))
    return model.fit(sim.train.X, sim.train.y, sim.train.tasks)


def outliers(seeds: range, sizes: tuple[int, ...] = (100, 200)) -> pd.DataFrame:
    """The paper's outlier data: are all five found, and nothing else?"""
    rows = []
    for n_features in sizes:
        for rule in ("paper", "checked"):
            for sim in draws(seeds, n_features=n_features, n_outliers=5):
                model = fitted(sim, robust=True, outlier_rule=rule)
                truth, W = sim.truth, model.coef_.T
                rows.append(
                    {
                        "D": n_features,
                        "rule": rule,
                        "exactly right": np.array_equal(model.outliers_, truth.outliers),
                        "RMSE": metrics.rmse(sim.test.y, model.predict(sim.test.X, sim.test.tasks)),
                        "REE": metrics.ree(truth.W, W),
                        "MCC": metrics.mcc(truth.W, W),
                    }
                )
    return pd.DataFrame(rows).groupby(["D", "rule"]).mean()


def clean(seeds: range) -> pd.DataFrame:
    """Data without outliers: is no task flagged?"""
    rows = []
    for mixing in ("sparse", "dense"):
        for rule in ("paper", "checked"):
            for sim in draws(seeds, mixing=mixing):
                model = fitted(sim, robust=True, outlier_rule=rule)
                rows.append(
                    {"mixing": mixing, "rule": rule, "none flagged": not model.outliers_.any()}
                )
    return pd.DataFrame(rows).groupby(["mixing", "rule"]).mean()


def few_rows(seeds: range) -> pd.DataFrame:
    """Outliers, few rows: are all found and nothing else, with K given and all automatic?"""
    rows = []
    for n_outliers, n_tasks, n_train in ((4, 28, 50), (5, 60, 60)):
        for n_features in (80, 200):
            for mixing in ("sparse", "dense"):
                sizes = {"n_tasks": n_tasks, "n_train": n_train, "n_features": n_features}
                for sim in draws(seeds, **sizes, mixing=mixing, n_outliers=n_outliers):
                    found = {
                        name: np.array_equal(model.outliers_, sim.truth.outliers)
                        for name, model in robust_fits(sim).items()
                    }
                    rows.append({"n": n_train, "D": n_features, "mixing": mixing} | found)
    return pd.DataFrame(rows).groupby(["n", "D", "mixing"]).mean()


def noise_differs(seeds: range) -> pd.DataFrame:
    """Noise differs, with sd from 0.3 to 1.5 by task: is no task flagged in clean data?"""
    rows = []
    for n_tasks, n_train, n_features in ((32, 50, 80), (32, 50, 200), (60, 100, 200)):
        sizes = {"n_tasks": n_tasks, "n_train": n_train, "n_features": n_features}
        for seed, sim in zip(seeds, draws(seeds, **sizes, noise=0.0), strict=True):
            rng = np.random.default_rng(seed)
            spread = np.repeat(rng.uniform(0.3, 1.5, n_tasks), n_train)
            sim.train.y[:] += spread * rng.normal(size=spread.size)
            found = {name: not model.outliers_.any() for name, model in robust_fits(sim).items()}
            rows.append({"T": n_tasks, "n": n_train, "D": n_features} | found)
    return pd.DataFrame(rows).groupby(["T", "n", "D"]).mean()


def robust_fits(sim: Simulation) -> dict[str, STCMTLRegressor]:
    automatic = STCMTLRegressor(robust=True, random_state=0).fit(*arrays(sim))
    return {"K given": fitted(sim, robust=True), "automatic": automatic}


def k(seeds: range, true_ks: tuple[int, ...] = (3, 4, 5, 6), **options: object) -> pd.DataFrame:
    """The one-standard-error choice, the smallest error and the largest singular ratio."""
    rows = []
    for mixing in ("sparse", "dense"):
        for true in true_ks:
            for sim in draws(seeds, mixing=mixing, n_clusters=true, **options):
                path = select_n_clusters(*arrays(sim), random_state=0)
                rows.append(
                    {
                        "mixing": mixing,
                        "K": true,
                        "one SE": path.one_se == true,
                        "smallest error": path.best == true,
                        "singular values": path.singular_ratios[:9].argmax() + 2 == true,
                    }
                )
    table = pd.DataFrame(rows).groupby(["mixing", "K"]).mean()
    return pd.concat([table, pd.concat({("all", ""): table.mean()}, axis=1).T])


def new(seeds: range) -> pd.DataFrame:
    """Memberships of new tasks from a few rows: with our U, and with the true U."""
    rows = []
    for mixing in ("sparse", "dense"):
        for sim in draws(seeds, mixing=mixing, n_test=NEW_ROWS):
            model = fitted(sim)
            X, y, tasks = sim.test.X, sim.test.y, sim.test.tasks
            found = model.assign(X, y, tasks)
            order = match_clusters(model.cluster_coef_, sim.truth.U.T)
            ours = found.memberships[:, order]
            model.cluster_coef_ = sim.truth.U.T
            given_truth = model.assign(X, y, tasks).memberships
            for kind, chosen in (("pure", sim.truth.pure), ("mixed", ~sim.truth.pure)):
                V = sim.truth.V.T[chosen]
                rows.append(
                    {
                        "mixing": mixing,
                        "tasks": kind,
                        "error": np.mean((ours[chosen] - V) ** 2),
                        "given the true U": np.mean((given_truth[chosen] - V) ** 2),
                        "flagged": found.outliers[chosen].mean(),
                    }
                )
    table = pd.DataFrame(rows).groupby(["mixing", "tasks"]).mean()
    errors = ["error", "given the true U"]
    table[errors] = np.sqrt(table[errors])
    table["ratio"] = table["error"] / table["given the true U"]
    return table


def sure(seeds: range, sizes: tuple[tuple[int, int], ...] = ((200, 5), (100, 3))) -> pd.DataFrame:
    """Do 90 % intervals hold the truth? Memberships strictly between 0 and 1, coefficients of
    clusters that are not zero (those found, and all of them), and strengths: shares, and their
    standard errors over draws (coefficients of a cluster share the error of its units). A cone is
    fitted to mixtures whose strengths are one, and to others. Seconds are those of ``stability``.
    """
    rows = []
    kinds = (("simplex", 0.0), ("cone", 0.0), ("cone", 0.4))
    for (shape, spread), mixing, n in product(kinds, ("sparse", "dense"), (50, 100)):
        for D, n_clusters in sizes:
            options = {"n_features": D, "n_clusters": n_clusters, "n_train": n}
            for seed, drawn in zip(seeds, draws(seeds, mixing=mixing, **options), strict=True):
                sim = with_strengths(drawn, spread, seed)
                model = fitted(sim, n_clusters=n_clusters, shape=shape)
                start = process_time()
                found = stability(model, *arrays(sim), random_state=0, n_jobs=1)
                seconds = {"seconds": process_time() - start}
                case = {"shape": shape, "spread": spread, "mixing": mixing, "n": n}
                rows.append(case | held_by(found, model, sim) | seconds)
    each = pd.DataFrame(rows).groupby(["shape", "spread", "mixing", "n"], sort=False)
    return each.mean().join(each.sem().drop(columns="seconds").add_suffix(" +-"))


def with_strengths(sim: Simulation, spread: float, seed: int) -> Simulation:
    """Each task's coefficients times a strength whose logarithm has a standard deviation."""
    truth, train = sim.truth, sim.train
    strength = np.exp(spread * np.random.default_rng(seed).normal(size=truth.V.shape[1]))
    V = truth.V * strength
    code = np.searchsorted(train.task_names, train.tasks)
    more = np.einsum("nd,dn->n", train.X, (truth.U @ (V - truth.V))[:, code])
    truth, train = replace(truth, V=V, W=truth.U @ V), replace(train, y=train.y + more)
    return replace(sim, truth=truth, train=train)


def held_by(found: Stability, model: STCMTLRegressor, sim: Simulation) -> dict[str, float]:
    """Which share of each kind lies in its interval; the truth is put into the model's units."""
    order = match_clusters(sim.truth.V, model.memberships_.T)
    U, V = sim.truth.U[:, order], sim.truth.V[order]
    if model.shape_ != "simplex":
        U, V = fix_scale(U, V)
    strength = np.abs(V).sum(axis=0)
    shares, used = (np.abs(V) / strength).T, U.T != 0
    of_coef = holds(found.coef_lower, U.T, found.coef_upper)
    return {
        "memberships": holds(found.lower, shares, found.upper)[(shares > 0) & (shares < 1)].mean(),
        "coefficients found": of_coef[used & (model.cluster_coef_ != 0)].mean(),
        "all coefficients": of_coef[used].mean(),
        "strengths": holds(found.strength_lower, strength, found.strength_upper).mean(),
    }


def holds(lower: np.ndarray, truth: np.ndarray, upper: np.ndarray) -> np.ndarray:
    rounding = 1e-9
    return (lower - rounding <= truth) & (upper + rounding >= truth)


def cost(seeds: range) -> pd.DataFrame:
    """Seconds of the curve over K = 1, ..., 9 and of 50 resamples, over one default fit's."""
    sim = next(draws(seeds))
    model = fitted(sim)
    ways: dict[str, Callable[[], object]] = {
        "default fit": lambda: fitted(sim),
        "K = 1, ..., 9": lambda: select_n_clusters(*arrays(sim), random_state=0),
        "50 resamples": lambda: stability(model, *arrays(sim), random_state=0),
    }
    seconds = pd.DataFrame([{name: timed(way) for name, way in ways.items()} for _ in seeds])
    table = seconds.median().to_frame("seconds")
    table["over a fit"] = seconds.div(seconds["default fit"], axis=0).median()
    return table


def timed(way: Callable[[], object]) -> float:
    start = perf_counter()
    way()
    return perf_counter() - start


def arrays(sim: Simulation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return sim.train.X, sim.train.y, sim.train.tasks


# Question: how it is asked, draws in full, draws in the quick form.
QUESTIONS = {
    "outliers": (outliers, 10, 2),
    "clean": (clean, 20, 3),
    "few-rows": (few_rows, 10, 1),
    "noise-differs": (noise_differs, 20, 1),
    "k": (k, 5, 1),
    "new": (new, 10, 2),
    "sure": (sure, 10, 2),
    "cost": (cost, 7, 1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("questions", nargs="*", default=list(QUESTIONS), metavar="QUESTION")
    parser.add_argument("--quick", action="store_true", help="fewer draws")
    parser.add_argument("--draws", type=int, help="just so many")
    parser.add_argument("--first", type=int, default=0, help="seed of the first draw")
    arguments = parser.parse_args()
    for name in arguments.questions:
        if name not in QUESTIONS:
            parser.error(f"{name} is not one of {', '.join(QUESTIONS)}")
        ask, full, quick = QUESTIONS[name]
        print(f"\n{ask.__doc__}")
        count = arguments.draws or (quick if arguments.quick else full)
        table = ask(range(arguments.first, arguments.first + count))
        print(table.to_string(float_format=lambda x: f"{x:.4g}"), flush=True)


if __name__ == "__main__":
    main()
