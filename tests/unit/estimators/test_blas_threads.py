"""Estimators compute with one BLAS thread, and leave the process with what it had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

from stcmtl import STCMTLRegressor, select_n_clusters, stability
from stcmtl.estimators import clustering, resampling
from stcmtl.solver import refinement, single_task
from tests.unit.plain import plain_model
from tests.unit.small import K, fit, small
from tests.unit.solver.test_machine import blas_threads

DATA = small(STCMTLRegressor)
ROWS = DATA.X, DATA.y, DATA.tasks
SEED: dict[str, Any] = {"n_jobs": 2, "random_state": 0}


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    with threadpool_limits(2, user_api="blas"):
        yield


def fit_plain() -> None:
    plain_model(STCMTLRegressor, K, **SEED).fit(*ROWS)


@pytest.mark.parametrize(
    ("action", "module", "step"),
    [
        (fit_plain, single_task, "fit_task"),
        (fit_plain, refinement, "update_memberships"),
        (fit_plain, clustering, "fitted_attributes"),
        (lambda: select_n_clusters(*ROWS, [1, 2], **SEED), single_task, "fit_task"),
        (lambda: select_n_clusters(*ROWS, [1, 2], **SEED), refinement, "update_memberships"),
        (lambda: stability(fit(STCMTLRegressor, DATA), *ROWS, 2, **SEED), resampling, "refit"),
        (lambda: fit(STCMTLRegressor, DATA).assign(*ROWS), clustering, "assign_tasks"),
    ],
)
def test_one_in_every_step_and_as_many_as_before_after_it(
    action: Callable[[], Any], module: Any, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit(STCMTLRegressor, DATA)
    original, seen = getattr(module, step), []

    def spy(*arguments: Any) -> Any:
        seen.append(blas_threads())
        return original(*arguments)

    monkeypatch.setattr(module, step, spy)
    action()
    assert seen
    assert set().union(*seen) == {1}
    assert blas_threads() == {2}


def test_whoever_waits_between_two_steps_has_them_all() -> None:
    steps = plain_model(STCMTLRegressor, K, random_state=0).fit_steps(*ROWS)
    for _ in steps:
        assert blas_threads() == {2}
    assert blas_threads() == {2}
