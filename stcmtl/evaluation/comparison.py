"""Methods side by side: each fitted on the same rows and judged by the same measures.

One generator, several users: the dashboard drains it with live progress, scripts at once.

    outcomes = compare("LASSO", simulate_each(n_features=200), repetitions=5, n_clusters=5)
    table({"LASSO": outcomes})                 # mean and standard deviation of every measure
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np
import pandas as pd

from stcmtl import baselines
from stcmtl.baselines.base import Baseline
from stcmtl.baselines.registry import OURS, find_method
from stcmtl.data.simulation import simulate
from stcmtl.data.splits import split_rows
from stcmtl.data.taskset import Array, TaskSet
from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.evaluation import metrics
from stcmtl.evaluation.predictions import counting_rows
from stcmtl.progress import Progress, drain, map_steps
from stcmtl.solver.records import Iteration, KPoint

MEASURES = ("error", "ree", "mcc", "seconds")


class TrainTest(Protocol):
    """Rows to fit on and rows to judge by; the truth, if any, is that of ``train``."""

    @property
    def train(self) -> TaskSet: ...
    @property
    def test(self) -> TaskSet: ...


Redraw = Callable[[int], TrainTest]  # the rows of a repetition, from 0


@dataclass(frozen=True)
class Step:
    """Where a method has got to: its repetition, from 1, and the least share of all that is done.

    The share stands still where a method cannot say how many steps it will take.
    """

    repetition: int
    repetitions: int
    what: str
    share: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """One fit of a method. ``error`` is RMSE or error rate on the test rows, ``coef`` (D, T).

    ``ree`` and ``mcc`` (on exact zeros) are None where the truth is not known, ``n_clusters``
    where the method is not told any.
    """

    method: str
    error: float
    ree: float | None
    mcc: float | None
    seconds: float
    coef: Array
    n_clusters: int | None


def build(
    method: str, task_type: str, n_clusters: int, seed: int = 0, **common: Any
) -> SemisoftTaskClustering | Baseline:
    """The method at its defaults, which leave its penalties to cross-validation.

    ``common`` are parameters that all methods have, such as ``n_jobs`` and ``standardize``,
    by default "auto" for all of them.
    """
    common = {"standardize": "auto", **common, "random_state": seed}
    if find_method(method).needs_clusters:
        common["n_clusters"] = n_clusters
    if method in OURS:
        return pick_estimator(task_type)(**common, **OURS[method])
    return baselines.METHODS[method](**common, task_type=task_type)


def outcome_steps(
    method: str, rows: TrainTest, n_clusters: int, seed: int = 0, **common: Any
) -> Generator[Progress, None, Outcome]:
    """Fit a method once, step by step, and judge it on the test rows."""
    train, test, truth = rows.train, counting_rows(rows.test), rows.train.truth
    model = build(method, train.task_type, n_clusters, seed, **common)
    start = perf_counter()
    for step in model.fit_steps(train.X, train.y, train.tasks, train.weight):
        yield step if isinstance(step, Progress) else Progress(0, 1, name_step(step))
    seconds = perf_counter() - start
    W = model.coef_.T
    predicted = model.predict(test.X, test.tasks)
    return Outcome(
        method=method,
        error=metrics.prediction_error(test.y, predicted, test.task_type, test.weight),
        ree=None if truth is None else metrics.ree(truth.W, W),
        mcc=None if truth is None else metrics.mcc(truth.W, W),
        seconds=seconds,
        coef=W,
        n_clusters=n_clusters if find_method(method).needs_clusters else None,
    )


def name_step(step: KPoint | Iteration) -> str:
    """How many of them there are is not known before."""
    return f"K = {step.k}" if isinstance(step, KPoint) else f"iteration {step.iteration}"


def compare_steps(
    method: str,
    redraw: Redraw,
    repetitions: int,
    n_clusters: int,
    seed: int = 0,
    *,
    recall: Callable[[int], Outcome | None] = lambda r: None,
    keep: Callable[[int, Outcome], None] = lambda r, outcome: None,
    **common: Any,
) -> Generator[Step, None, list[Outcome]]:
    """An outcome for every repetition, each on rows of its own.

    A repetition that ``recall`` knows is not computed again; ``keep`` is given all others.
    """
    find_method(method)
    outcomes = []
    for r in range(repetitions):
        outcome = recall(r)
        if outcome is None:
            steps = outcome_steps(method, redraw(r), n_clusters, seed, **common)
            outcome = yield from number_steps(steps, r, repetitions)
            keep(r, outcome)
        outcomes.append(outcome)
    return outcomes


def number_steps(
    steps: Generator[Progress, None, Outcome], r: int, repetitions: int
) -> Generator[Step, None, Outcome]:
    """Progress of a repetition as that of all; it never falls back."""
    share = 0.0

    def of_all(progress: Progress) -> Step:
        nonlocal share
        share = max(share, min(1.0, progress.done / progress.total))
        return Step(r + 1, repetitions, progress.what, (r + share) / repetitions)

    return map_steps(steps, of_all)


def compare(
    method: str, redraw: Redraw, repetitions: int, n_clusters: int, seed: int = 0, **options: Any
) -> list[Outcome]:
    """All repetitions at once."""
    return drain(compare_steps(method, redraw, repetitions, n_clusters, seed, **options))


def simulate_each(random_state: int = 0, **options: Any) -> Redraw:
    """New rows and noise for one simulated structure; ``options`` are those of ``simulate``."""
    return lambda r: simulate(**options, random_state=random_state + r)


def split_each(data: TaskSet, train_share: float = 0.75, random_state: int = 0) -> Redraw:
    """Other rows of the same data for training and for testing."""
    return lambda r: split_rows(data, train_share, random_state + r)


def table(results: Mapping[str, Sequence[Outcome]]) -> pd.DataFrame:
    """One row per method: mean and standard deviation of every measure over its repetitions.

    A measure that is not known, and the spread of a single repetition, are NaN.
    """
    columns: dict[str, list[float]] = {"repetitions": [*map(len, results.values())]}
    for name in MEASURES:
        found = [values_of(outcomes, name) for outcomes in results.values()]
        columns |= {name: [v.mean() for v in found], f"{name} sd": [spread(v) for v in found]}
    return pd.DataFrame(columns, index=pd.Index(results, name="method"))


def values_of(outcomes: Sequence[Outcome], measure: str) -> Array:
    """A measure in every repetition, NaN where it is not known."""
    return np.array([getattr(outcome, measure) for outcome in outcomes], dtype=np.float64)


def spread(values: Array) -> float:
    """The standard deviation of repetitions; of a single one there is none."""
    return float(values.std(ddof=1)) if values.size > 1 else float("nan")
