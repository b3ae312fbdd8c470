"""Real data: School by K (K=1 is one pooled model), and forty digit tasks, beside l1 per task.

    python benchmarks/real.py --data school usps mnist --splits 5

School, USPS and MNIST are looked for in the folder named by STCMTL_DATA, in any layout that
``stcmtl.datasets`` reads; USPS and MNIST are else asked from OpenML.
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
from benchmarks.realdata import digits, school
from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, metrics

SCHOOL_KS = range(1, 6)


def school_split(seed: int, n_jobs: int) -> dict:
    train, test = school(seed)
    row = {"split": seed}
    W, b = fit_each_task(lasso_cv, train, n_jobs)
    row["per-task l1"] = metrics.rmse(test.y, linear_values(test, W, b))
    for K in SCHOOL_KS:
        row[f"K={K}"] = school_error(train, test, K, n_jobs)
    row["chosen K"] = choose_k(train, seed, n_jobs)
    row["ours"] = row[f"K={row['chosen K']}"]
    return row


def school_error(train: TaskSet, test: TaskSet, K: int, n_jobs: int) -> float:
    model = STCMTLRegressor(K, standardize=False, n_jobs=n_jobs, random_state=0)  # as the paper
    model.fit(train.X, train.y, train.tasks)
    return metrics.rmse(test.y, model.predict(test.X, test.tasks))


def choose_k(train: TaskSet, seed: int, n_jobs: int, n_folds: int = 5) -> int:
    """The K of smallest error by cross-validation over rows within schools."""
    fold = np.empty(len(train.y), dtype=int)
    rng = np.random.default_rng(seed)
    for name in train.task_names:
        rows = rng.permutation(np.flatnonzero(train.tasks == name))
        fold[rows] = np.arange(rows.size) % n_folds
    errors = {
        K: np.mean([school_error(*parts(train, fold == c), K, n_jobs) for c in range(n_folds)])
        for K in SCHOOL_KS
    }
    return min(errors, key=errors.__getitem__)


def parts(data: TaskSet, held_out: np.ndarray) -> tuple[TaskSet, TaskSet]:
    kept, held = (
        TaskSet(data.X[rows], data.y[rows], data.tasks[rows]) for rows in (~held_out, held_out)
    )
    return kept, held


def digits_split(name: str, seed: int, n_jobs: int) -> dict:
    train, test = digits(name, seed)
    W, b = fit_each_task(logistic_cv, train, n_jobs)
    row = {
        "split": seed,
        "per-task l1": metrics.error_rate(test.y, linear_values(test, W, b) > 0),
    }
    for label, refine in (("Algorithm 1", False), ("ours", True)):
        start = perf_counter()
        model = STCMTLClassifier(10, refine=refine, n_jobs=n_jobs, random_state=0)
        model.fit(train.X, train.y, train.tasks)
        row[label] = metrics.error_rate(test.y, model.predict(test.X, test.tasks))
        row[f"{label}, seconds"] = perf_counter() - start
    row["iterations"] = model.n_iter_
    digit = [int(task.split()[1].rstrip(",")) for task in model.task_names_]
    row["digits kept together"] = sum(
        np.ptp(model.labels_[np.equal(digit, d)]) == 0 for d in range(10)
    )
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    known = ["school", "usps", "mnist"]
    parser.add_argument("--data", nargs="+", choices=known, default=known)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the first split")
    parser.add_argument("--n-jobs", type=int, default=2)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.splits)
    for name in options.data:
        if name == "school":
            rows = [school_split(seed, options.n_jobs) for seed in seeds]
        else:
            rows = [digits_split(name, seed, options.n_jobs) for seed in seeds]
        table = pd.DataFrame(rows).set_index("split")
        print(f"\n{name}: {'RMSE' if name == 'school' else 'error rate'} on test rows")
        print(table.to_string(float_format=lambda x: f"{x:.4f}"))
        mean = table.mean()
        print(
            f"mean: ours {mean['ours']:.4f}, per-task l1 {mean['per-task l1']:.4f}, "
            f"{1.0 - mean['ours'] / mean['per-task l1']:.1%} below"
        )


if __name__ == "__main__":
    main()
