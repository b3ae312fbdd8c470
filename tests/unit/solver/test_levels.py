"""Where paths begin: units of features must not decide what is looked at."""

import numpy as np
import pytest

from stcmtl import STCMTLRegressor, select_n_clusters
from stcmtl.solver.levels import AHEAD, path_start


def test_one_unit_needs_no_jump() -> None:
    np.testing.assert_array_equal(path_start(np.array([1.0, 3.0, 2.0]), np.ones(3)), [3.0])


def test_a_large_unit_is_jumped_over() -> None:
    # the third feature is as strong as the first, and too weak to notice is the second
    slopes, spread = np.array([500.0, 0.1, 4.0]), np.array([100.0, 1.0, 1.0])
    np.testing.assert_array_equal(path_start(slopes, spread), [500.0, AHEAD * 4.0])


def test_a_strong_feature_of_a_large_unit_needs_none() -> None:
    slopes, spread = np.array([500.0, 4.0]), np.array([10.0, 1.0])
    np.testing.assert_array_equal(path_start(slopes, spread), [500.0])


def test_nothing_to_explain() -> None:
    np.testing.assert_array_equal(path_start(np.zeros(3), np.zeros(3)), [0.0])


@pytest.mark.parametrize("unit", [200.0, 5e4])
@pytest.mark.parametrize("effect", [0.0, 1.0], ids=["noise", "signal"])
def test_clusters_are_found_beside_a_column_in_another_unit(unit: float, effect: float) -> None:
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(12), 40)
    X = rng.normal(size=(480, 6))
    sign = np.where(tasks < 6, 1.0, -1.0)
    y = sign * (X[:, 1:4] @ [1.5, -1.0, 0.5]) + effect * X[:, 0] + 0.3 * rng.normal(size=480)
    X[:, 0] *= unit
    path = select_n_clusters(X, y, tasks, range(1, 4), random_state=0)
    assert path.one_se == 2
    assert path.error[1] < 0.36
    model = STCMTLRegressor(2, random_state=0).fit(X, y, tasks)
    assert model.pure_.all()
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 6))
    np.testing.assert_allclose(model.cluster_coef_[0, 1:4], [1.5, -1.0, 0.5], atol=0.1)
