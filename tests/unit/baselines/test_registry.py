"""One table of all methods: light to read, and true to the classes it names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from stcmtl import baselines
from stcmtl.baselines.registry import OURS, REGISTRY, Method, expect_seconds


def test_baselines_are_found_by_the_names_of_the_paper() -> None:
    assert [*OURS, *baselines.METHODS] == list(REGISTRY)
    assert baselines.METHODS["VSTG-MTL"] is baselines.VSTG
    for name, method in baselines.METHODS.items():
        assert issubclass(method, baselines.Baseline)
        assert ("n_clusters" in method().get_params()) == REGISTRY[name].needs_clusters


def test_only_what_is_there_can_be_asked_for() -> None:
    assert set(baselines.__all__) == set(dir(baselines))
    assert all(hasattr(baselines, name) for name in baselines.__all__)
    with pytest.raises(AttributeError, match="no attribute 'OLS'"):
        _ = baselines.OLS


def test_names_cost_no_library() -> None:
    heavy = "{'numpy', 'numba', 'sklearn', 'pandas'} & set(sys.modules)"
    code = f"import sys, stcmtl.baselines.registry; print({heavy})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_time_grows_with_the_data_and_with_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "LASSO", Method(2.0, (), ""))
    assert expect_seconds("LASSO", (0, 9), 0, "regression") == pytest.approx(2.0 * 0.1)
    assert expect_seconds("LASSO", (1000, 900), 5, "regression") == pytest.approx(2.0 * 1.1)
    assert expect_seconds("LASSO", (1000, 900), 5, "classification") == pytest.approx(3.4 * 1.1)
    monkeypatch.setitem(REGISTRY, "LASSO", Method(2.0, (), "", more=0.1))
    assert expect_seconds("LASSO", (1000, 900), 5, "regression") == pytest.approx(2.0 * 1.6)
