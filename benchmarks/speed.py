"""Speed as ratios within one run: against scikit-learn, by threads, of choosing, and by size.

    python benchmarks/speed.py                      # everything, some ten minutes
    python benchmarks/speed.py --quick              # smaller sizes, a minute or two
    python benchmarks/speed.py --only lasso threads

    lasso     a whole fit at a given K and shape, over LassoCV per task alone
    threads   two against one, 240 tasks
    choosing  the curve over K, and everything automatic, in such fits (on one thread)
    growth    the exponent of the processor's seconds in tasks, rows and features; peak memory
    labels    40 digit tasks, over LogisticRegressionCV per task
    fresh     what loading kernels adds to the first fit of a process

scikit-learn is tried in three ways to use the cores. Wall seconds are medians, and say little on a
machine that does other work; seconds of the processor do. Kernels are compiled first.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LassoCV, LogisticRegressionCV

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from stcmtl import (
    STCMTLClassifier,
    STCMTLRegressor,
    TaskSet,
    datasets,
    select_n_clusters,
    simulate,
)
from stcmtl.baselines.registry import PLAIN

ONE_FIT = """
import json, resource, sys
from time import process_time
from stcmtl import STCMTLRegressor, simulate
from stcmtl.baselines.registry import PLAIN
sizes = json.loads(sys.argv[1])
def fit(**given):
    data = simulate(n_clusters=5, n_test=1, **given).train
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = process_time()
    STCMTLRegressor(5, **PLAIN, n_jobs=1, random_state=0).fit(data.X, data.y, data.tasks)
    spent = process_time() - start
    return spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, data.X.nbytes
fit(n_tasks=10, n_features=60, n_train=50)  # kernels are loaded
print(*fit(**sizes))
"""
FIRST_AND_SECOND = """
from time import perf_counter
from stcmtl import STCMTLRegressor, simulate
from stcmtl.baselines.registry import PLAIN
data = simulate().train
for _ in range(2):
    start = perf_counter()
    STCMTLRegressor(5, **PLAIN, n_jobs=2, random_state=0).fit(data.X, data.y, data.tasks)
    print(perf_counter() - start)
"""
GROWTH: dict[str, tuple[dict[str, int], list[int]]] = {
    "n_tasks": ({"n_train": 100, "n_features": 50}, [60, 600, 6000]),
    "n_train": ({"n_tasks": 60, "n_features": 200}, [100, 1000, 10000]),
    "n_features": ({"n_tasks": 30, "n_train": 100}, [100, 400, 1600]),
}
SPARE = 300.0  # MB of memory beside twice the data


def fit(data: TaskSet, n_jobs: int) -> STCMTLRegressor:
    model = STCMTLRegressor(5, **PLAIN, n_jobs=n_jobs, random_state=0)
    return model.fit(data.X, data.y, data.tasks)


def run_python(code: str, *arguments: str) -> list[float]:
    """What a new process prints."""
    command = [sys.executable, "-W", "ignore", "-c", code, *arguments]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return list(map(float, out.stdout.split()))


def lasso_cv_ways(data: TaskSet, n_jobs: int) -> dict[str, Callable[[], object]]:
    tasks = [(X, y) for _, X, y in data]

    def folds_in_parallel() -> None:
        for X, y in tasks:
            LassoCV(cv=5, alphas=100, n_jobs=n_jobs).fit(X, y)

    def tasks_in_parallel(prefer: str) -> None:
        Parallel(n_jobs=n_jobs, prefer=prefer)(
            delayed(LassoCV(cv=5, alphas=100).fit)(X, y) for X, y in tasks
        )

    return {
        "LassoCV(n_jobs)": folds_in_parallel,
        "tasks in threads": lambda: tasks_in_parallel("threads"),
        "tasks in processes": lambda: tasks_in_parallel("processes"),
    }


def measure(actions: dict[str, Callable[[], object]], repeats: int) -> dict[str, tuple[float, ...]]:
    """Median seconds by the wall and of the processor, all actions in turn ``repeats`` times.

    Those of other processes are not in the processor's.
    """
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in actions}
    for _ in range(repeats):
        for name, action in actions.items():
            wall, spent = perf_counter(), process_time()
            action()
            times[name].append((perf_counter() - wall, process_time() - spent))
    return {name: tuple(np.median(found, axis=0)) for name, found in times.items()}


def beside_lasso(options: argparse.Namespace) -> None:
    for n_features in options.features:
        data = simulate(n_features=n_features).train
        model = fit(data, options.n_jobs)
        ours, others = "whole fit", lasso_cv_ways(data, options.n_jobs)
        seconds = measure({ours: lambda: fit(data, options.n_jobs), **others}, options.repeats)  # noqa: B023
        wall, spent = seconds[ours]
        print(f"\nD={n_features}: {ours} {wall:.2f} s, of the processor {spent:.2f} s")
        for name in others:
            other, busy = seconds[name]
            print(f"  {name:20s} {other:6.2f} s, {ours} / LassoCV = 1/{other / wall:.1f}", end="")
            print("" if "processes" in name else f" (processor: 1/{busy / spent:.1f})")
        steps: dict[str, float] = {}
        for it in model.history_:
            for step, part in it.seconds.items():
                key = f"{it.stage} {step}"
                steps[key] = steps.get(key, 0.0) + part
        print("  steps: " + ", ".join(f"{key} {1000 * s:.0f} ms" for key, s in steps.items()))


def by_threads(options: argparse.Namespace) -> None:
    data = simulate(n_tasks=240, n_features=200).train
    fit(data, 2)
    seconds = measure({str(n): lambda n=n: fit(data, n) for n in (1, 2)}, options.repeats)
    (one, _), (two, spent) = seconds["1"], seconds["2"]
    print(f"\n240 tasks, D=200: two threads are {one / two:.2f} times as fast as one", end="")
    print(f" ({one:.2f} and {two:.2f} s; two threads got {spent / two:.2f} processors)")


def of_choosing(options: argparse.Namespace) -> None:
    data = simulate().train
    rows = data.X, data.y, data.tasks
    actions = {
        "one fit": lambda: fit(data, 1),
        "curve": lambda: select_n_clusters(*rows, range(1, 10), cv=5, n_jobs=1, random_state=0),
        "everything": lambda: STCMTLRegressor(n_jobs=1, random_state=0).fit(*rows),
    }
    seconds = {name: spent for name, (_, spent) in measure(actions, options.repeats).items()}
    one = seconds["one fit"]
    print(f"\nIn fits at a given K and shape (D=200, {one:.2f} s of the processor):")
    print(f"  curve over K=1..9, 5 folds: {seconds['curve'] / one:.1f}")
    print(f"  everything automatic: {seconds['everything'] / one:.1f}")


def by_size(options: argparse.Namespace) -> None:
    print("\nGrowth on one thread, seconds of the processor")
    for name, (others, sizes) in GROWTH.items():
        sizes = sizes[:-1] if options.quick else sizes
        found = [run_python(ONE_FIT, json.dumps({name: size, **others})) for size in sizes]
        seconds, kilobytes, data = np.array(found).T
        memory, data = kilobytes / 1024, data / 2**20
        exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        print(f"  {name} {sizes}: {seconds.round(2)} s, exponent {exponent:.2f}", end="")
        print(f"; peak memory {memory[-1]:.0f} MB beside data of {data[-1]:.0f} MB", end="")
        print(f" ({(memory[-1] - SPARE) / data[-1]:.1f} times and {SPARE:.0f} MB)")


def beside_logistic(options: argparse.Namespace) -> None:
    train = datasets.load_digits(n_draws=4, random_state=0).train
    rows = train.X, train.y, train.tasks

    def ours() -> Any:
        return STCMTLClassifier(10, **PLAIN, n_jobs=1, random_state=0).fit(*rows)

    def theirs() -> None:
        for _, X, y in train:
            LogisticRegressionCV(
                Cs=12, cv=5, l1_ratios=(1,), solver="liblinear", use_legacy_attributes=False
            ).fit(X, y)

    ours()
    seconds = measure({"ours": ours, "theirs": theirs}, options.repeats)
    (wall, spent), (other, busy) = seconds["ours"], seconds["theirs"]
    print(f"\n40 digit tasks: whole fit {wall:.2f} s, LogisticRegressionCV {other:.2f} s: ", end="")
    print(f"1/{other / wall:.1f} (processor: 1/{busy / spent:.1f})")


def in_fresh_processes(options: argparse.Namespace) -> None:
    added = [run_python(FIRST_AND_SECOND) for _ in range(options.repeats)]
    more = np.median([first - second for first, second in added])
    print(f"\nfirst fit in a fresh process, kernel cache warm: adds {more:.2f} s")


PARTS = {
    "lasso": beside_lasso,
    "threads": by_threads,
    "choosing": of_choosing,
    "growth": by_size,
    "labels": beside_logistic,
    "fresh": in_fresh_processes,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--features", type=int, nargs="+", default=[200, 600])
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--quick", action="store_true", help="once, and without the largest sizes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.quick:
        options.repeats, options.features = 1, options.features[:1]
    for name in options.only:
        PARTS[name](options)


if __name__ == "__main__":
    main()
