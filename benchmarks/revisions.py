"""Baselines beside those of another revision: processor seconds, and whether scores are the same.

    python benchmarks/revisions.py 5389a70 --method CMTL FLARCC --case sparse-200 --draws 3

Either code fits the same rows in a process of its own, one thread each, in turn. Columns are the
seconds of both and their ratio, the error on test rows (RMSE, or the share of wrong labels) of
both as a ratio, and in how many draws the same penalties were chosen. The last line of a case is
the yardstick of the run: scikit-learn's LassoCV per task.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from benchmarks.accuracy import draw
from benchmarks.baselines import fit_each_task, lasso_cv
from stcmtl import TaskSet, simulate

METHODS = ("VSTG", "CMTL", "TraceNorm", "FLARCC")
WORKER = """
import json, sys, time, warnings
import numpy as np
from stcmtl import baselines
warnings.simplefilter("ignore")
kind, folder, count = getattr(baselines, sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in [0, *range(count)]:  # the first loads the kernels
    part = np.load(f"{folder}/{number}.npz")
    model, start = kind(n_jobs=1, random_state=0), time.process_time()
    model.fit(part["X"], part["y"], part["tasks"], sample_weight=part["weight"])
    seconds = time.process_time() - start
    apart = model.predict(part["test_X"], part["test_tasks"]) - part["test_y"]
    found = {name: getattr(model, name + "_") for name in model._penalties}
    print(json.dumps([seconds, float(np.sqrt(np.mean(apart**2))), found]), flush=True)
"""


class Case:
    """Training rows with weights, and test rows."""

    def __init__(self, train: TaskSet, test: TaskSet, weight: np.ndarray | None = None) -> None:
        self.train, self.test = train, test
        self.weight = np.ones(train.y.size) if weight is None else weight

    @classmethod
    def simulated(cls, seed: int, **options) -> Case:
        sim = simulate(n_clusters=5, structure_seed=seed, random_state=seed, **options)
        return cls(sim.train, sim.test)

    def save(self, path: Path) -> None:
        parts = {"X": self.train.X, "y": self.train.y, "tasks": self.train.tasks}
        tests = {"X": self.test.X, "y": self.test.y, "tasks": self.test.tasks}
        named = {f"test_{name}": values for name, values in tests.items()}
        np.savez(path, weight=self.weight, **parts, **named)


def of_paper(setting: str) -> Callable[[int], Case]:
    def make(seed: int) -> Case:
        sim = draw(setting, 0, seed)
        return Case(sim.train, sim.test)

    return make


def of_size(**options) -> Callable[[int], Case]:
    return lambda seed: Case.simulated(seed, **options)


def unequal(seed: int) -> Case:
    """Tasks of 10 to 200 rows, of which some count thrice and some not at all."""
    whole = Case.simulated(seed, n_tasks=30, n_features=40, n_train=200)
    rng = np.random.default_rng(seed)
    sizes = dict(zip(whole.train.task_names, np.geomspace(10, 200, 30).astype(int), strict=True))
    place = pd.Series(whole.train.tasks).groupby(whole.train.tasks).cumcount().to_numpy()
    kept = place < np.array([sizes[name] for name in whole.train.tasks])
    train = TaskSet(whole.train.X[kept], whole.train.y[kept], whole.train.tasks[kept])
    return Case(train, whole.test, rng.choice([0.0, 1.0, 1.0, 3.0], kept.sum()))


def in_units(seed: int) -> Case:
    """Features of one unit and of another, a hundred times apart."""
    case = Case.simulated(seed, n_tasks=20, n_features=30, n_train=50)
    scale = np.where(np.arange(30) % 3 == 0, 30.0, 0.3)
    train, test = (TaskSet(data.X * scale, data.y, data.tasks) for data in (case.train, case.test))
    return Case(train, test)


CASES: dict[str, Callable[[int], Case]] = {
    "sparse-200": of_paper("sparse-200"),
    "logistic-100": of_paper("logistic-100"),
    "few rows": of_size(n_tasks=20, n_features=50, n_train=12),
    "many features": of_size(n_tasks=15, n_features=600, n_train=40),
    "more rows": of_size(n_tasks=20, n_features=30, n_train=150, mixing="dense"),
    "few labels": of_size(n_tasks=15, n_features=40, n_train=30, task_type="classification"),
    "unequal": unequal,
    "units": in_units,
}


def unpack(revision: str) -> Path:
    """The code as it was; kept, with its compiled kernels, for the next time."""
    name = subprocess.run(
        ["git", "rev-parse", revision], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    folder = Path(tempfile.gettempdir()) / f"stcmtl-{name}"
    if not folder.exists():
        packed = subprocess.run(["git", "archive", name], cwd=ROOT, check=True, capture_output=True)
        folder.mkdir()
        subprocess.run(["tar", "x", "-C", folder], input=packed.stdout, check=True)
    return folder


def fit_all(code: Path, method: str, folder: Path, count: int) -> list[tuple[float, float, dict]]:
    """Seconds, error and penalties of every draw."""
    command = [sys.executable, "-c", WORKER, method, str(folder), str(count)]
    out = subprocess.run(command, cwd=code, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in out.stdout.splitlines()][1:]


def are_close(one: dict, other: dict) -> bool:
    return all(np.isclose(one[name], other[name], rtol=1e-3) for name in one)


def yardstick(folder: Path, count: int) -> float:
    seconds = []
    for number in range(count):
        part = np.load(folder / f"{number}.npz")
        train, start = TaskSet(part["X"], part["y"], part["tasks"]), process_time()
        fit_each_task(lasso_cv, train, n_jobs=1)
        seconds.append(process_time() - start)
    return float(np.median(seconds))


def report(case: str, method: str, before: list, after: list) -> None:
    was, now = (np.median([fit[0] for fit in fits]) for fits in (before, after))
    pairs = list(zip(before, after, strict=True))
    errors = [new[1] / old[1] for old, new in pairs]
    same = sum(are_close(old[2], new[2]) for old, new in pairs)
    print(
        f"{case:14s} {method:10s} {was:6.2f} s -> {now:6.2f} s, ratio {now / was:.2f}; error "
        f"x {np.mean(errors):.5f} ({min(errors):.5f} to {max(errors):.5f}), "
        f"penalties the same in {same} of {len(pairs)}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("revision", help="of git, to compare with")
    parser.add_argument("--method", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--case", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--seed", type=int, default=100, help="of the first draw")
    options = parser.parse_args()
    code = unpack(options.revision)
    for case in options.case:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for number in range(options.draws):
                CASES[case](options.seed + number).save(folder / f"{number}.npz")
            for method in options.method:
                fits = (fit_all(tree, method, folder, options.draws) for tree in (code, ROOT))
                report(case, method, *fits)
            if CASES[case](0).train.task_type == "regression":
                print(f"{case:14s} LassoCV    {yardstick(folder, options.draws):6.2f} s")


if __name__ == "__main__":
    main()
