"""Where two solutions are as good, the model says so."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLRegressor, load, simulate
from stcmtl.estimators import clustering
from stcmtl.evaluation import summary
from stcmtl.solver import refinement
from tests.unit.plain import plain_model
from tests.unit.small import fit, small

DATA = simulate(12, 20, 3, n_train=20, noise=2.0, random_state=1).train


def fit_with_tied_starts(monkeypatch: pytest.MonkeyPatch, by: float) -> Any:
    """The second start has nothing but noise for coefficients, and a criterion as good."""
    calls: list[int] = []
    usual = refinement.refine_briefly

    def tied(problem: Any, initial: Any, V: Any, settings: Any) -> Any:
        calls.append(1)
        _, found = usual(problem, initial, V, settings)
        if len(calls) % 2:
            return 100.0, found
        loadings = np.roll(found.V, 1, axis=1)  # those of another task
        return 100.0 + by, found._replace(V=loadings)

    with monkeypatch.context() as patched:
        patched.setattr(refinement, "refine_briefly", tied)
        return plain_model(STCMTLRegressor, 3, random_state=0).fit(DATA.X, DATA.y, DATA.tasks)


def test_a_start_that_ties_and_leads_elsewhere_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fit_with_tied_starts(monkeypatch, 1e-3)
    (other,) = model.alternatives_
    assert other.what == "another start"
    assert other.behind == pytest.approx(1e-3)
    assert other.differ > 1e-3
    assert set(other.tasks) <= set(DATA.task_names)
    assert other.tasks
    assert "as good, with other predictions: another start." in summary.method_account(model)
    buffer = BytesIO()
    model.save(buffer)
    assert load(BytesIO(buffer.getvalue())).alternatives_ == [other]


def test_a_start_that_is_worse_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fit_with_tied_starts(monkeypatch, 1.0).alternatives_ == []


def test_rounds_of_huber_look_for_them_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(clustering, "find_alternatives", lambda *_: looked.append(1) or [])
    model = plain_model(STCMTLRegressor, 3, loss="huber", random_state=0)
    model.fit(DATA.X, DATA.y, DATA.tasks)
    assert model.loss_ == "huber"
    assert len(looked) == 1


def test_as_a_rule_there_is_none() -> None:
    model = fit(STCMTLRegressor, small(STCMTLRegressor))
    assert model.alternatives_ == []
    assert "as good" not in summary.method_account(model)
