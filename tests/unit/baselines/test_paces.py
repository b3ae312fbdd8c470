"""The time that a method needs, said beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import TaskSet
from stcmtl.baselines import paces
from stcmtl.baselines.paces import PACES, Pace, Workload, expected_seconds, main_share
from stcmtl.data.taskset import TASK_TYPES
from stcmtl.evaluation.comparison import methods


def test_it_grows_with_the_data_and_with_one_large_direction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(paces.PACES, "LASSO", {"regression": Pace(0.5, 2.0, 10.0)})
    assert expected_seconds("LASSO", Workload("regression", 10**6, 0.0)) == pytest.approx(2.5)
    assert expected_seconds("LASSO", Workload("regression", 0, 0.0)) == pytest.approx(0.5)
    assert expected_seconds("LASSO", Workload("regression", 10**6, 0.2)) == pytest.approx(7.5)


def test_every_method_was_timed() -> None:
    for method in methods():
        assert set(PACES[method]) == set(TASK_TYPES)
        assert all(pace.least > 0 and pace.a_million > 0 for pace in PACES[method].values())


@pytest.mark.parametrize("n_rows", [300, 7000])
def test_the_share_is_that_of_the_first_principal_component(n_rows: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 1)) * rng.normal(size=30) + rng.normal(3.0, 1.0, (n_rows, 30))
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    assert main_share(X) == pytest.approx(values[0] / values.sum(), rel=0.05)
    data = TaskSet(X, X[:, 0], np.repeat("only", n_rows))
    assert Workload.of(data) == Workload("regression", X.size, main_share(X))


def test_the_share_of_odd_features_is_a_number() -> None:
    assert main_share(np.ones((5, 3))) == 0.0
    assert main_share(np.full((5, 3), 1e200) * np.arange(5)[:, None]) == 0.0
    assert main_share(np.arange(5.0)[:, None]) == pytest.approx(1.0)
