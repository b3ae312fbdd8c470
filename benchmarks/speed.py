"""Speed as ratios within one run: a whole default fit against LassoCV per task alone.

    python benchmarks/speed.py

scikit-learn is tried in three ways to use the cores. Kernels are compiled first;
``--fresh`` then starts new processes to see what loading them adds to a first fit.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LassoCV

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from stcmtl import STCMTLRegressor, TaskSet, simulate
from stcmtl.baselines.registry import PLAIN

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


def fit(data: TaskSet, n_jobs: int) -> STCMTLRegressor:
    model = STCMTLRegressor(5, **PLAIN, n_jobs=n_jobs, random_state=0)
    return model.fit(data.X, data.y, data.tasks)


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


def median_seconds(actions: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Median seconds of each action, all of them in turn ``repeats`` times."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(repeats):
        for name, action in actions.items():
            start = perf_counter()
            action()
            times[name].append(perf_counter() - start)
    return {name: float(np.median(seconds)) for name, seconds in times.items()}


def compare(n_features: int, n_jobs: int, repeats: int) -> None:
    data = simulate(n_features=n_features).train
    model = fit(data, n_jobs)
    ours = "whole fit"
    actions = {ours: lambda: fit(data, n_jobs), **lasso_cv_ways(data, n_jobs)}
    seconds = median_seconds(actions, repeats)
    print(f"\nD={n_features}, medians of {repeats}: {ours} {seconds[ours]:.2f} s")
    for name in lasso_cv_ways(data, n_jobs):
        ratio = seconds[name] / seconds[ours]
        print(f"  {name:20s} {seconds[name]:6.2f} s, {ours} / LassoCV = 1/{ratio:.1f}")
    steps: dict[str, float] = {}
    for it in model.history_:
        for step, spent in it.seconds.items():
            key = f"{it.stage} {step}"
            steps[key] = steps.get(key, 0.0) + spent
    print("  steps: " + ", ".join(f"{key} {1000 * s:.0f} ms" for key, s in steps.items()))


def fresh_processes(repeats: int) -> None:
    added = []
    for _ in range(repeats):
        command = [sys.executable, "-c", FIRST_AND_SECOND]
        out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        first, second = map(float, out.stdout.split())
        added.append(first - second)
    print(f"\nfirst fit in a fresh process, kernel cache warm: adds {np.median(added):.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--features", type=int, nargs="+", default=[200, 600])
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--fresh", type=int, default=3, help="fresh processes to start")
    options = parser.parse_args()
    for n_features in options.features:
        compare(n_features, options.n_jobs, options.repeats)
    if options.fresh:
        fresh_processes(options.fresh)


if __name__ == "__main__":
    main()
