"""What the paper's three figures are drawn from, computed step by step on one repetition."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from stcmtl.data.taskset import Array
from stcmtl.errors import InputError
from stcmtl.estimators.choose_k import KSelection, selection_steps
from stcmtl.estimators.semisoft import SemisoftTaskClustering
from stcmtl.evaluation.comparison import build, outcome_steps
from stcmtl.paper.experiments import choose_clusters, report_within
from stcmtl.paper.settings import SETTINGS, draw_rows, is_synthetic, pick_ours
from stcmtl.progress import Progress, map_steps
from stcmtl.solver.records import Iteration

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
    return (yield from steps(setting, seed, n_jobs))


def curve_steps(
    setting: str, seed: int, n_jobs: int | None
) -> Generator[Progress, None, KSelection]:
    """Figure 1: the cross-validated error for every number of clusters."""
    train = draw_rows(setting, seed, 0).train
    # K is what the curve is about
    model = build(pick_ours(setting), train.task_type, 1, seed, n_jobs=n_jobs)
    assert isinstance(model, SemisoftTaskClustering)
    steps = selection_steps(model, train.X, train.y, train.tasks)
    return map_steps(steps, lambda point: Progress(0, 1, f"tried K = {point.k}"))


def pattern_steps(
    setting: str, seed: int, n_jobs: int | None
) -> Generator[Progress, None, Patterns]:
    """Figure 2: which coefficients are zero."""
    rows = draw_rows(setting, seed, 0)
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
    setting: str, seed: int, n_jobs: int | None
) -> Generator[Progress, None, list[Iteration]]:
    """Figure 3: the objective of Algorithm 1 by iteration."""
    rows = draw_rows(setting, seed, 0)
    train, K = rows.train, SETTINGS[setting].n_clusters
    if K is None:
        K = yield from choose_clusters(rows, Progress(0, 2, "number of clusters"), seed, n_jobs)
    model = build(ALGORITHM_1, train.task_type, K, seed, n_jobs=n_jobs)
    assert isinstance(model, SemisoftTaskClustering)  # Algorithm 1 is ours
    for step in model.fit_steps(train.X, train.y, train.tasks):
        assert isinstance(step, Iteration)  # K is given
        yield Progress(1, 2, f"iteration {step.iteration}")
    return list(model.history_)
