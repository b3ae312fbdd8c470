"""The same bits wherever a fit runs: one thread or two, other processes, a Dask cluster.

    python benchmarks/same_everywhere.py              # some minutes on two cores
    python benchmarks/same_everywhere.py --only labels

Sets of tasks of several sizes, with both losses, are fitted here as the defaults have it, the
model chosen. Then again with two threads, in two processes of joblib's, on a Dask cluster of two
processes, and in new processes with one and with two threads for linear algebra. The exit code is
1 if a number differs in any bit. (`endurance.py bits` has two servers, and the command line.)
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from distributed import Client, LocalCluster

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from stcmtl import STCMTLClassifier, STCMTLRegressor, simulate

# Tasks, features, clusters and rows of each task.
SIZES = {"small": (12, 20, 3, 40), "odd": (23, 21, 3, 31), "wide": (16, 90, 2, 30)}
LOSSES = {"": STCMTLRegressor, " labels": STCMTLClassifier}
CASES = {size + loss: (size, loss) for size in SIZES for loss in LOSSES}
LEARNT = ("coef_", "intercept_", "cluster_coef_", "loadings_", "memberships_", "purity_")
BLAS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def fit(case: str, n_jobs: int | None = None) -> str:
    """A digest of all that was learnt, and of what is predicted."""
    size, loss = CASES[case]
    kind = "classification" if loss else "regression"
    rows = simulate(*SIZES[size], n_test=1, random_state=4, task_type=kind).train
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LOSSES[loss](random_state=0, n_jobs=n_jobs).fit(rows.X, rows.y, rows.tasks)
    predict = model.predict_proba if loss else model.predict
    arrays = [getattr(model, name) for name in LEARNT] + [predict(rows.X, rows.tasks)]
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:12]


def fit_elsewhere(case: str, threads: int) -> str:
    own = os.environ | dict.fromkeys(BLAS, str(threads)) | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(Path(__file__).resolve()), "--fit", case]
    found = subprocess.run(command, env=own, check=True, stdout=subprocess.PIPE, text=True)
    return found.stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="sets of tasks whose name has this text")
    parser.add_argument("--fit", choices=list(CASES), help="print the digest of one, and no more")
    given = parser.parse_args()
    if given.fit:
        print(fit(given.fit))
        return 0
    shape: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**shape) as cluster, Client(cluster) as client:

        def within(context: Callable[[], AbstractContextManager[Any]], n_jobs: int | None) -> Any:
            def run(case: str) -> str:
                with context():
                    return fit(case, n_jobs)

            return run

        ways: dict[str, Callable[[str], str]] = {
            "here": within(nullcontext, None),
            "two threads": within(nullcontext, 2),
            "two processes": within(lambda: joblib.parallel_config("loky", n_jobs=2), None),
            "Dask": within(lambda: joblib.parallel_config("dask", client=client), None),
            "elsewhere, one thread": lambda case: fit_elsewhere(case, 1),
            "elsewhere, two threads": lambda case: fit_elsewhere(case, 2),
        }
        cases = [case for case in CASES if given.only in case]
        found = {}
        for case in cases:
            found[case] = {way: run(case) for way, run in ways.items()}
            print(pd.Series(found[case], name=case).to_string(), flush=True)
    differ = [case for case in cases if len(set(found[case].values())) > 1]
    print(f"{len(cases)} sets of tasks in {len(ways)} ways; other bits in {differ or 'none'}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
