"""Tasks of many kinds: everything automatic beside the best alternative, cell by cell.

    python benchmarks/regimes.py --first 500 --draws 5        # an hour; --out: as it is shipped
    python benchmarks/regimes.py --cells signed --draws 2
    python benchmarks/regimes.py --first 1300 --draws 5       # draws that nobody has looked at
    python benchmarks/regimes.py --counts 20                  # what is chosen, draw by draw

A cell is a kind of tasks; a draw has tasks, rows and noise of its own. Scores are RMSE, or the
share of wrong labels, on 200 new rows of each task. With --cache they are kept in a folder, and a
second run fits only what is not there.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that it runs as a script
from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, baselines, metrics, simulate

N_TEST = 200
OURS = "everything automatic"
ALTERNATIVES: dict[str, Callable[[int], Any]] = {
    "LASSO": lambda K: baselines.SingleTaskLasso(random_state=0),
    "ridge": lambda K: baselines.SingleTaskRidge(random_state=0),
    "ridge to pooled": lambda K: baselines.RidgeToPooled(random_state=0),
    "random slopes": lambda K: baselines.RandomSlopes(random_state=0),
    "CMTL": lambda K: baselines.CMTL(n_clusters=K, random_state=0),
    "trace": lambda K: baselines.TraceNorm(random_state=0),
    "FLARCC": lambda K: baselines.FLARCC(random_state=0),
    "VSTG-MTL": lambda K: baselines.VSTG(n_clusters=K, random_state=0),
}


@dataclass(frozen=True)
class Kind:
    """What tasks are like. ``mixture``: simplex, cone (with strengths), span (signed), or none
    (every task on its own). Patterns have ``n_used`` features each; deviations are each task's own.
    """

    mixture: str = "simplex"
    n_tasks: int = 32
    n_features: int = 80
    n_clusters: int = 4
    n_rows: int | tuple[int, int] = 50
    n_used: int = 12
    pure: float = 0.5  # share of tasks
    deviations: str = ""  # dense, sparse, or few (large ones, of one task in eight)
    strength: float = 0.5  # spread of the logarithm of a task's strength
    units: float = 0.0  # features have units of 10 to the power of up to this, and minus this
    correlation: float = 0.0
    noise: float = 0.5
    signal: float = 1.0
    labels: bool = False


CELLS: dict[str, Kind] = {
    "the model's own": Kind(),
    "no pure task": Kind(pure=0.0),
    "strengths": Kind("cone"),
    "strengths, no pure task": Kind("cone", pure=0.0),
    "signed": Kind("span", pure=0.0),
    "dense deviations": Kind(deviations="dense"),
    "dense deviations, n=200": Kind(deviations="dense", n_rows=200),
    "sparse deviations, n=200": Kind(deviations="sparse", n_rows=200),
    "few tasks deviate, n=200": Kind(deviations="few", n_rows=200),
    "dense patterns": Kind(n_used=80),
    "dense patterns, n=30": Kind(n_used=80, n_rows=30),
    "dense patterns, signed": Kind("span", n_used=80, pure=0.0),
    "raw units": Kind(units=3.0),
    "correlated features": Kind(correlation=0.7),
    "n=30": Kind(n_rows=30),
    "n=200": Kind(n_rows=200),
    "much noise": Kind(noise=1.5),
    "15 tasks": Kind(n_tasks=15),
    "96 tasks, 12 clusters": Kind(n_tasks=96, n_clusters=12, n_rows=60, pure=0.7),
    "10 to 100 rows": Kind(n_rows=(10, 100)),
    "identical": Kind(n_clusters=1),
    "few features": Kind(n_features=6, n_used=6, n_rows=20, n_clusters=3),
    "independent, sparse": Kind("none"),
    "independent, dense": Kind("none", n_used=80),
    "around one, dense": Kind("none", n_used=80, n_clusters=1, deviations="dense"),
    "two labels": Kind(labels=True, n_rows=100, signal=2.0),
    "two labels, strengths": Kind("cone", labels=True, n_rows=100, signal=2.0),
    "two labels, signed": Kind("span", pure=0.0, labels=True, n_rows=100, signal=2.0),
    "two labels, dense patterns": Kind(labels=True, n_used=80, n_rows=100, signal=2.0),
    "two labels, independent": Kind("none", labels=True, n_rows=100, signal=2.0),
}  # fmt: skip


def draw_patterns(kind: Kind, count: int, rng: np.random.Generator) -> np.ndarray:
    """Columns of length about one."""
    U = np.zeros((kind.n_features, count))
    for k in range(count):
        used = rng.choice(kind.n_features, kind.n_used, replace=False)
        U[used, k] = rng.normal(size=kind.n_used)
    return U / np.linalg.norm(U, axis=0)


def draw_loadings(kind: Kind, rng: np.random.Generator) -> np.ndarray:
    """One column per task; some tasks are pure, the others mix two patterns or more."""
    K, T = kind.n_clusters, kind.n_tasks
    V = np.zeros((K, T))
    for i in range(T):
        if K == 1 or i < kind.pure * T:
            V[i % K, i] = 1.0
        else:
            chosen = rng.choice(K, rng.integers(2, min(K, 3) + 1), replace=False)
            V[chosen, i] = rng.dirichlet(np.ones(chosen.size))
    if kind.mixture == "span":
        V = rng.normal(size=(K, T)) / np.sqrt(K)
    if kind.mixture == "cone":
        V *= np.exp(kind.strength * rng.normal(size=T))
    return V


def draw_coefficients(kind: Kind, rng: np.random.Generator) -> np.ndarray:
    T, D = kind.n_tasks, kind.n_features
    if kind.mixture == "none" and not kind.deviations:
        return draw_patterns(kind, T, rng)
    V = np.ones((1, T)) if kind.mixture == "none" else draw_loadings(kind, rng)
    W = draw_patterns(kind, kind.n_clusters, rng) @ V
    if kind.deviations == "dense":
        W += rng.normal(size=(D, T)) * 0.5 / np.sqrt(D)
    if kind.deviations == "sparse":
        W += 0.5 * draw_patterns(replace(kind, n_used=4), T, rng)
    if kind.deviations == "few":
        W[:, ::8] += draw_patterns(kind, W[:, ::8].shape[1], rng)
    return W


def draw(kind: Kind, seed: int) -> tuple[TaskSet, TaskSet]:
    """Training and test rows."""
    rng = np.random.default_rng([seed, 2026])
    T, D = kind.n_tasks, kind.n_features
    W = kind.signal * draw_coefficients(kind, rng)
    units = 10.0 ** rng.uniform(-kind.units, kind.units, D)
    decay = kind.correlation ** np.abs(np.subtract.outer(np.arange(D), np.arange(D)))
    root = np.linalg.cholesky(decay + 1e-12 * np.eye(D)) if kind.correlation else np.eye(D)
    level = rng.normal(size=T)
    parts = []
    for wanted in (kind.n_rows, N_TEST):
        sizes = rng.integers(*wanted, T) if isinstance(wanted, tuple) else np.full(T, wanted)
        tasks = np.repeat(np.arange(T), sizes)
        X = rng.normal(size=(tasks.size, D)) @ root.T
        f = np.einsum("nd,dn->n", X, W[:, tasks]) + (0.5 if kind.labels else 1.0) * level[tasks]
        y = f + kind.noise * rng.normal(size=f.size)
        if kind.labels:
            y = (rng.uniform(size=f.size) < expit(2.0 * f)).astype(int)
        parts.append(TaskSet(X * units, y, tasks))
    return parts[0], parts[1]


def fit_ours(train: TaskSet, labels: bool) -> tuple[Any, dict[str, Any]]:
    model = (STCMTLClassifier if labels else STCMTLRegressor)(random_state=0)
    model.fit(train.X, train.y, train.tasks)
    return model, {"chose": f"K={model.n_clusters_} {model.shape_} {model.own_}"}


def score(name: str, kind: Kind, seed: int) -> dict[str, Any]:
    """Test error, seconds, and what was chosen."""
    train, test = draw(kind, seed)
    started, more = perf_counter(), {}
    if name == OURS:
        model, more = fit_ours(train, kind.labels)
    else:
        model = ALTERNATIVES[name](kind.n_clusters).fit(train.X, train.y, train.tasks)
    seconds = perf_counter() - started
    predicted = model.predict(test.X, test.tasks)
    wrong = metrics.error_rate if kind.labels else metrics.rmse
    return {"error": wrong(test.y, predicted), "seconds": seconds, **more}


def scores(cell: str, methods: list[str], seeds: range, cache: Path | None) -> pd.DataFrame:
    rows = []
    for name in methods:
        for seed in seeds:
            kept = cache / f"{cell} {name} {seed}.json" if cache else None
            if kept and kept.exists():
                found = json.loads(kept.read_text())
            else:
                found = score(name, CELLS[cell], seed)
                if kept:
                    kept.write_text(json.dumps(found))
            rows.append({"cell": cell, "method": name, "seed": seed, **found})
    return pd.DataFrame(rows)


def summarise(table: pd.DataFrame) -> dict[str, Any]:
    """One row per cell."""
    mean = table.groupby("method")["error"].mean()
    others = mean.drop(OURS)
    chose = table.loc[table["method"] == OURS, "chose"].value_counts()
    return {
        "cell": table["cell"].iloc[0],
        "ours": mean[OURS],
        "best": others.min(),
        "by": others.idxmin(),
        "ours / best": mean[OURS] / others.min(),
        "chose": ", ".join(f"{name} ({count})" for name, count in chose.items()),
    }


PAPER = {  # settings of simulate, and of the fit
    "sparse, D=200": ({"mixing": "sparse"}, {}),
    "dense, D=200": ({"mixing": "dense"}, {}),
    "sparse, D=600": ({"mixing": "sparse", "n_features": 600}, {}),
    "dense, D=600": ({"mixing": "dense", "n_features": 600}, {}),
    "outliers, D=200": ({"n_outliers": 3}, {"robust": True}),
    "outliers, D=600": ({"n_outliers": 3, "n_features": 600}, {"robust": True}),
}
COUNTED = ("independent, sparse", "independent, dense", "two labels, independent", "identical")


def count_paper(name: str, seeds: range) -> dict[str, Any]:
    """How often the paper's own model is chosen, and what that does to the error."""
    options, given = PAPER[name]
    rows = []
    for seed in seeds:
        rows_of = simulate(structure_seed=seed % 5, random_state=seed, **options)
        train, test = rows_of.train, rows_of.test
        plain = STCMTLRegressor(5, shape="simplex", own="none", random_state=0, **given)
        errors = []
        for model in (plain, STCMTLRegressor(random_state=0, **given)):
            model.fit(train.X, train.y, train.tasks)
            errors.append(metrics.rmse(test.y, model.predict(test.X, test.tasks)))
        plainly = model.shape_ == "simplex" and model.own_ == "none"
        rows.append(
            {"simplex, none": plainly, "K": model.n_clusters_ == 5, "ratio": errors[1] / errors[0]}
        )
    return {"tasks": name, "draws": len(seeds), **pd.DataFrame(rows).mean().to_dict()}


def count_cells(cell: str, seeds: range) -> dict[str, Any]:
    chosen = [
        fit_ours(draw(CELLS[cell], seed)[0], CELLS[cell].labels)[1]["chose"] for seed in seeds
    ]
    counts = pd.Series(chosen).value_counts()
    return {
        "tasks": cell,
        "draws": len(seeds),
        "chose": ", ".join(f"{k} ({n})" for k, n in counts.items()),
    }


def measure_cost(cell: str) -> dict[str, Any]:
    """Seconds of the processor, on one thread: everything automatic, and shape and own at its K,
    in fits at the K and shape chosen.
    """
    train, _ = draw(CELLS[cell], 0)
    kind = STCMTLClassifier if CELLS[cell].labels else STCMTLRegressor

    def seconds(**given: Any) -> tuple[float, Any]:
        """The smallest of three: what else the machine does comes on top."""
        times = []
        for _ in range(3):
            model = kind(random_state=0, n_jobs=1, **given)
            started = process_time()
            model.fit(train.X, train.y, train.tasks)
            times.append(process_time() - started)
        return min(times), model

    automatic, model = seconds()
    K = model.n_clusters_
    one, _ = seconds(n_clusters=K, shape=model.shape_, own="none" if K else "alone")
    at_k, _ = seconds(n_clusters=K)
    return {"tasks": cell, "one": one, "automatic": automatic / one, "shape and own": at_k / one}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cells", nargs="*", default=list(CELLS))
    parser.add_argument("--methods", nargs="*", default=[OURS, *ALTERNATIVES])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="seed of the first draw")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--out", type=Path, help="CSV with one row per cell")
    parser.add_argument("--counts", type=int, help="draws of which the choices are counted")
    parser.add_argument("--paper", nargs="*", default=list(PAPER))
    parser.add_argument("--counted", nargs="*", default=list(COUNTED))
    parser.add_argument("--cost", action="store_true", help="seconds, in fits of what was chosen")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.cost:
        measure_cost(options.cells[0])  # kernels are loaded
        print(pd.DataFrame(map(measure_cost, options.cells)).round(2).to_string(index=False))
        return
    seeds = range(options.first, options.first + (options.counts or options.draws))
    if options.counts:
        for name in options.paper:
            print(count_paper(name, seeds), flush=True)
        for cell in options.counted:
            print(count_cells(cell, seeds), flush=True)
        return
    found = []
    for cell in options.cells:
        table = scores(cell, options.methods, seeds, options.cache)
        if OURS in options.methods and len(options.methods) > 1:
            found.append(summarise(table))
            print(
                pd.DataFrame(found[-1:]).round(4).to_string(index=False, header=len(found) == 1),
                flush=True,
            )
        else:
            print(
                table.groupby(["cell", "method"])[["error", "seconds"]].mean().round(4), flush=True
            )
    if options.out:
        pd.DataFrame(found).round(4).to_csv(options.out, index=False)


if __name__ == "__main__":
    main()
