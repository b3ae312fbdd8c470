"""Very many tasks as Parquet files: one process beside the workers of a Dask cluster.

    python benchmarks/scale.py                       # 200,000 tasks of 20 rows and 20 features
    python benchmarks/scale.py --tasks 20000 --files 8 --workers 2

Each fit is in a process of its own, whose peak memory is told (that of workers beside it), with
seconds on the clock and of the processor. Both must give the same coefficients, and the truth is
known: a task's own lasso has several times the error of the clusters.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from stcmtl import fit_partitions, load

NOISE, MIXED = 0.5, 0.2  # standard deviation; share of tasks that are halves of two clusters


def true_patterns(features: int, clusters: int) -> np.ndarray:
    """(D, K), a third of the entries not zero."""
    rng = np.random.default_rng(0)
    used = rng.uniform(size=(features, clusters)) < 1 / 3
    return used * rng.choice([-1.0, 1.0], (features, clusters)) * rng.uniform(0.5, 1.5, used.shape)


def true_memberships(tasks: np.ndarray, clusters: int) -> np.ndarray:
    """(T, K), of tasks by their numbers."""
    draws = np.stack([np.random.default_rng(task).uniform(size=3) for task in tasks])
    first, second = (np.eye(clusters)[(draw * clusters).astype(int)] for draw in draws.T[:2])
    return np.where(draws[:, 2:] < MIXED, (first + second) / 2, first)


def write_files(folder: Path, args: argparse.Namespace) -> None:
    """Every file has all rows of its tasks."""
    U = true_patterns(args.features, args.clusters)
    for i, tasks in enumerate(np.array_split(np.arange(args.tasks), args.files)):
        rng, n = np.random.default_rng([1, i]), tasks.size * args.rows
        X = rng.normal(size=(n, args.features))
        W = np.repeat(true_memberships(tasks, args.clusters) @ U.T, args.rows, axis=0)
        frame = pd.DataFrame(X, columns=[f"x{d}" for d in range(args.features)])
        frame["task"] = np.repeat(tasks, args.rows)
        level = np.repeat(rng.normal(size=tasks.size), args.rows)
        frame["y"] = np.sum(X * W, axis=1) + level + rng.normal(size=n, scale=NOISE)
        frame.to_parquet(folder / f"part-{i:04}.parquet")


def fit(folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    """One fit, by this process or by a cluster that it starts, saved beside the files."""
    given: dict[str, Any] = {"task": "task", "target": "y", "n_clusters": args.clusters}
    given["random_state"] = 0
    if not args.workers:
        start, cpu = perf_counter(), process_time()
        model = fit_partitions(folder, **given)
        told = {"seconds": perf_counter() - start, "processor": process_time() - cpu}
    else:
        from dask.distributed import Client, LocalCluster

        shape = {"n_workers": args.workers, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**shape) as cluster, Client(cluster) as client:
            client.run(warm_up)  # processes that serve for days have their kernels loaded
            cpu, before = process_time(), sum(client.run(process_time).values())
            start = perf_counter()
            model = fit_partitions(folder, **given, client=client)
            told = {"seconds": perf_counter() - start, "processor": process_time() - cpu}
            told["of workers"] = sum(client.run(process_time).values()) - before
            told["MB of workers"] = max(client.run(peak_memory).values())
    told["MB"] = peak_memory()
    model.save(folder / f"model-{args.workers}.stcmtl")
    return told


def warm_up() -> None:
    """Load the kernels, by a small fit."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 4)), columns=["a", "b", "c", "y"])
    frame["task"] = np.repeat(np.arange(10), 20)
    fit_partitions([frame], task="task", target="y", n_clusters=2, random_state=0)


def peak_memory() -> float:
    """Of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_apart(folder: Path, args: argparse.Namespace, workers: int) -> dict[str, Any]:
    """In a process of its own."""
    sizes = [f"--{name}={getattr(args, name)}" for name in SIZES]
    command = [sys.executable, __file__, *sizes, f"--workers={workers}", f"--folder={folder}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=one_thread())
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def one_thread() -> dict[str, str]:
    """A process is one core, so that two can be compared with one."""
    return os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def compare(folder: Path, args: argparse.Namespace) -> None:
    alone, together = (run_apart(folder, args, workers) for workers in (0, args.workers))
    models = [load(folder / f"model-{workers}.stcmtl") for workers in (0, args.workers)]
    for name, told in {"one process": alone, f"{args.workers} workers": together}.items():
        print(f"{name}: " + ", ".join(f"{value:.1f} {key}" for key, value in told.items()))
    print(f"{args.workers} workers: {alone['seconds'] / together['seconds']:.2f} x faster")
    apart = np.abs(models[0].loadings_ - models[1].loadings_).max()
    print(f"largest difference of memberships {apart:.1e}")
    sample = np.arange(0, args.tasks, max(1, args.tasks // 2000))
    truth = true_memberships(sample, args.clusters) @ true_patterns(args.features, args.clusters).T
    found = models[0].loadings_[sample] @ models[0].cluster_coef_
    error = np.sqrt(np.mean((found - truth) ** 2))
    print(f"REE {error:.4f}, {error / truth.std():.1%} of the coefficients' spread")


SIZES = {"tasks": 200_000, "rows": 20, "features": 20, "clusters": 5, "files": 40}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in SIZES.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.folder is not None:
        print(json.dumps(fit(args.folder, args)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, args)
        size = sum(file.stat().st_size for file in folder.iterdir()) / 2**20
        print(f"{args.tasks} tasks x {args.rows} rows x {args.features} features: {size:.0f} MB")
        compare(folder, args)


if __name__ == "__main__":
    main()
