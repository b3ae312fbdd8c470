"""A setting of the paper with tasks small enough to be fitted in a test."""

from collections.abc import Generator
from typing import Any

import pytest

from stcmtl.data.simulation import simulate
from stcmtl.evaluation.comparison import TrainTest
from stcmtl.paper import settings
from stcmtl.paper.experiments import Score
from stcmtl.paper.results import Run, group_runs
from stcmtl.progress import drain, map_steps


def tiny_rows(seed: int, repetition: int) -> TrainTest:
    return simulate(
        n_tasks=6,
        n_features=20,
        n_clusters=2,
        n_train=20,
        n_test=15,
        structure_seed=seed,
        random_state=seed + repetition,
    )


def shrink(monkeypatch: pytest.MonkeyPatch, name: str = "sparse-200") -> None:
    """Put the tiny tasks in the place of a setting's own."""
    small = settings.PaperSetting("Tiny tasks", "RMSE", tiny_rows, 2)
    monkeypatch.setitem(settings.SETTINGS, name, small)


def drained(steps: Generator[Any, None, Any]) -> tuple[list[Any], Any]:
    seen: list[Any] = []
    result = drain(map_steps(steps, seen.append))
    return seen, result


def run_of(setting: str, method: str, *errors: float, **known: float) -> Run:
    """A run with given errors; every other measure is known or absent in all of them."""
    absent = dict.fromkeys(("ree", "mcc", "mcc_exact", "clusters", "seconds"))
    measures: dict[str, Any] = {**absent, **known}
    scores = [Score(setting, method, r, error, **measures) for r, error in enumerate(errors)]
    (run,) = group_runs(scores, seed=0)
    return run
