"""Methods on a setting's repetitions, step by step: scores for tables, and what figures show.

The oracle, which nobody can beat, is least squares with the memberships and the zeros known.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stcmtl.baselines.registry import find_method
from stcmtl.data.taskset import Array, TaskSet
from stcmtl.errors import InputError, bad_value
from stcmtl.estimators.base import linear_values
from stcmtl.estimators.choose_k import selection_steps
from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.estimators.semisoft import pick_estimator
from stcmtl.evaluation import metrics
from stcmtl.evaluation.comparison import Outcome, TrainTest, build, outcome_steps
from stcmtl.paper.settings import SETTINGS, draw_rows, is_synthetic, pick_ours
from stcmtl.progress import Progress, map_steps
from stcmtl.solver.records import Iteration, KSelection

ORACLE = "oracle"
PAPER_ZERO = 0.005  # the authors' code takes what is not larger for zero
PAPER_UNITS: dict[str, Any] = {"standardize": False}  # features as they are


@dataclass(frozen=True)
class Score:
    """A method on one repetition. What needs the truth, and K where none is needed, is None."""

    setting: str
    method: str
    repetition: int  # from 0
    error: float
    ree: float | None
    mcc: float | None  # as the paper counts: what is at most PAPER_ZERO is zero
    mcc_exact: float | None
    clusters: int | None
    seconds: float | None


def experiment_steps(
    setting: str,
    methods: Sequence[str],
    repetitions: int,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Generator[Progress, None, list[Score]]:
    """Every method on every repetition, and the oracle where the truth is known.

    Where a setting does not say how many clusters there are, the curve over K of the training
    rows does, once for all methods that have to be told.
    """
    known = [find_method(method) for method in methods]
    if repetitions < 1:
        raise bad_value("repetitions", repetitions, "there must be at least one")
    scores = []
    total = repetitions * len(methods)
    for r in range(repetitions):
        now = Progress(r * len(methods), total, f"repetition {r + 1} of {repetitions}")
        yield now
        rows = draw_rows(setting, seed, r)
        K = SETTINGS[setting].n_clusters
        if K is None and any(method.needs_clusters for method in known):
            K = yield from choose_clusters(rows, now, seed, n_jobs)
        for i, method in enumerate(methods):
            steps = outcome_steps(method, rows, K or 1, seed, n_jobs=n_jobs, **PAPER_UNITS)
            now = Progress(r * len(methods) + i, total, f"{method}, repetition {r + 1}")
            outcome = yield from report_within(steps, now)
            scores.append(score_outcome(setting, r, outcome, rows))
        if is_synthetic(setting):
            oracle = score_outcome(setting, r, oracle_outcome(rows), rows)
            scores.append(replace(oracle, seconds=None))
    return scores


def report_within(
    steps: Generator[Progress, None, Outcome], now: Progress
) -> Generator[Progress, None, Outcome]:
    """A fit's own progress as part of the whole."""
    return map_steps(steps, lambda own: replace(now, what=f"{now.what}: {own.what}"))


def choose_clusters(
    rows: TrainTest, now: Progress, seed: int, n_jobs: int | None
) -> Generator[Progress, None, int]:
    """K by the one-standard-error rule, from training rows alone."""
    train = rows.train
    model = pick_estimator(train.task_type)(n_jobs=n_jobs, random_state=seed, **PAPER_UNITS)
    steps = selection_steps(model, train.X, train.y, train.tasks)
    named = map_steps(steps, lambda point: replace(now, what=f"{now.what}: tried K = {point.k}"))
    return (yield from named).one_se


def score_outcome(setting: str, repetition: int, outcome: Outcome, rows: TrainTest) -> Score:
    truth = rows.train.truth
    return Score(
        setting,
        outcome.method,
        repetition,
        error=outcome.error,
        ree=outcome.ree,
        mcc=None if truth is None else metrics.mcc(truth.W, outcome.coef, PAPER_ZERO),
        mcc_exact=outcome.mcc,
        clusters=outcome.n_clusters,
        seconds=outcome.seconds,
    )


def oracle_outcome(rows: TrainTest) -> Outcome:
    W, truth = oracle_coefficients(rows.train), rows.train.truth
    assert truth is not None  # the oracle has asked for it
    ree, mcc = metrics.ree(truth.W, W), metrics.mcc(truth.W, W)
    return Outcome(ORACLE, oracle_error(rows, W), ree, mcc, np.nan, W, n_clusters=None)


def oracle_coefficients(train: TaskSet) -> Array:
    """W (D, T): U by least squares on its true support given V; an outlier task on its own."""
    truth = train.truth
    if truth is None:
        raise InputError("The oracle needs the truth, which only simulated tasks have")
    task = np.searchsorted(train.task_names, train.tasks)
    inside = ~truth.outliers[task]
    used, cluster = np.nonzero(truth.U)
    design = train.X[np.ix_(inside, used)] * truth.V[:, task[inside]][cluster].T
    U = np.zeros_like(truth.U)
    U[used, cluster] = least_squares(design, train.y[inside])
    W = U @ truth.V
    for i in np.flatnonzero(truth.outliers):
        own, features = task == i, np.flatnonzero(truth.W[:, i])
        W[features, i] = least_squares(train.X[np.ix_(own, features)], train.y[own])
    return W


def least_squares(X: Array, y: Array) -> Array:
    return np.asarray(np.linalg.lstsq(X, y, rcond=None)[0], dtype=np.float64)


def oracle_error(rows: TrainTest, W: Array) -> float:
    test, none = rows.test, np.zeros(W.shape[1])  # the truth has no intercepts
    values = linear_values(test.X, test.tasks, test.task_names, W.T, none)
    return metrics.rmse(test.y, values)


# What the paper's three figures are drawn from, on one repetition

RIVAL = "VSTG-MTL"
ALGORITHM_1 = "STCMTL paper"
CURVE, PATTERNS, OBJECTIVE = "Figure 1, error by K", "Figure 2, zeros", "Figure 3, objective"


@dataclass(frozen=True, eq=False)
class Patterns:
    """True coefficients (D, T) and those of each method."""

    true: Array
    estimated: dict[str, Array]


def list_figures(setting: str) -> tuple[str, ...]:
    """Zero patterns need the truth."""
    return (CURVE, PATTERNS, OBJECTIVE) if is_synthetic(setting) else (CURVE, OBJECTIVE)


def picture_steps(
    figure: str, setting: str, seed: int = 0, n_jobs: int | None = None
) -> Generator[Progress, None, Any]:
    """The data of a figure: a ``KSelection``, ``Patterns``, or a list of ``Iteration``."""
    steps = {CURVE: curve_steps, PATTERNS: pattern_steps, OBJECTIVE: objective_steps}[figure]
    return (yield from steps(setting, draw_rows(setting, seed, 0), seed, n_jobs))


def curve_steps(
    setting: str, rows: TrainTest, seed: int, n_jobs: int | None
) -> Generator[Progress, None, KSelection]:
    """Figure 1: the cross-validated error for every number of clusters."""
    train = rows.train
    model = build_ours(pick_ours(setting), train, 1, seed, n_jobs)  # K is what it is about
    steps = selection_steps(model, train.X, train.y, train.tasks)
    return map_steps(steps, lambda point: Progress(0, 1, f"tried K = {point.k}"))


def pattern_steps(
    setting: str, rows: TrainTest, seed: int, n_jobs: int | None
) -> Generator[Progress, None, Patterns]:
    """Figure 2: which coefficients are zero."""
    truth = rows.train.truth
    if truth is None:
        raise InputError(
            "has no truth", where=setting, remedy="which coefficients are zero is not known"
        )
    shown = (pick_ours(setting), RIVAL)
    found = {}
    for i, method in enumerate(shown):
        steps = outcome_steps(method, rows, SETTINGS[setting].n_clusters or 1, seed, n_jobs=n_jobs)
        outcome = yield from report_within(steps, Progress(i, len(shown), method))
        found[method] = outcome.coef
    return Patterns(truth.W, found)


def objective_steps(
    setting: str, rows: TrainTest, seed: int, n_jobs: int | None
) -> Generator[Progress, None, list[Iteration]]:
    """Figure 3: the objective of Algorithm 1 by iteration."""
    train, K = rows.train, SETTINGS[setting].n_clusters
    if K is None:
        K = yield from choose_clusters(rows, Progress(0, 2, "number of clusters"), seed, n_jobs)
    model = build_ours(ALGORITHM_1, train, K, seed, n_jobs)
    for step in model.fit_steps(train.X, train.y, train.tasks):
        assert isinstance(step, Iteration)  # K is given
        yield Progress(1, 2, f"iteration {step.iteration}")
    return list(model.history_)


def build_ours(
    method: str, train: TaskSet, K: int, seed: int, n_jobs: int | None
) -> SemisoftTaskClustering:
    model = build(method, train.task_type, K, seed, n_jobs=n_jobs, **PAPER_UNITS)
    assert isinstance(model, SemisoftTaskClustering)
    return model
