"""The time that a method needs, said beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import TaskSet, paces
from stcmtl.comparison import methods
from stcmtl.paces import PACES, Pace, expected_seconds
from stcmtl.tasks import TASK_TYPES


def task_set(n_rows: int, task_type: str = "regression") -> TaskSet:
    y = np.arange(n_rows) % 2
    return TaskSet(np.zeros((n_rows, 20)), y, np.repeat("only", n_rows), task_type=task_type)


def test_it_grows_with_the_data_from_what_any_fit_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(paces.PACES, "LASSO", {"regression": Pace(0.5, 2.0)})
    assert expected_seconds("LASSO", task_set(50_000)) == pytest.approx(0.5 + 2.0)
    assert expected_seconds("LASSO", task_set(100)) == pytest.approx(0.5, abs=0.01)
    assert expected_seconds("LASSO", task_set(100, "classification")) is None
    assert expected_seconds("unheard of", task_set(100)) is None


def test_every_method_was_timed() -> None:
    for method in methods():
        assert set(PACES[method]) == set(TASK_TYPES)
        assert all(seconds > 0 for pace in PACES[method].values() for seconds in pace)
