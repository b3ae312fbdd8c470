"""Units are told by spreads, and by nothing that chance, ranges or indicators can do to them."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2
from sklearn.decomposition import PCA
from sklearn.preprocessing import MinMaxScaler

from stcmtl import datasets, simulate
from stcmtl.data.spreads import chance_ratio, measure_spreads, units_differ
from tests.unit.cases import together

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=(300, 12))


def differ(X: NDArray[Any]) -> bool:
    return units_differ(X, measure_spreads(X))


def with_column(column: NDArray[Any]) -> NDArray[Any]:
    return np.c_[NORMAL, column]


def test_spreads_are_standard_deviations_and_0_for_a_constant() -> None:
    X = np.c_[NORMAL, np.full(300, 0.1)]  # whose standard deviation is 1e-17, by rounding
    np.testing.assert_array_equal(measure_spreads(X), [*NORMAL.std(axis=0), 0.0])


@pytest.mark.parametrize("correlation", [0.0, 0.9])
@pytest.mark.parametrize("kind", ["regression", "classification"])
@pytest.mark.parametrize("n", [2, 3, 5, 10, 40])
def test_simulated_features_never_differ(n: int, kind: str, correlation: float) -> None:
    """However few the rows: two tasks of two rows, hundreds of features."""
    options: dict[str, Any] = {"task_type": kind, "correlation": correlation, "n_train": n}
    for seed in range(10):
        for n_tasks, n_features in ((2, 200), (4, 15), (12, 60)):
            drawn = simulate(n_tasks, n_features, 2, random_state=seed, **options)
            assert not differ(drawn.train.X)


def test_chance_is_that_of_normal_features() -> None:
    """Variances of n rows are chi-squared with n - 1 degrees of freedom."""
    level = 1e-6 / 60
    wanted = np.sqrt(chi2.isf(level, 9) / chi2.ppf(level, 9))
    assert chance_ratio(10, 30) == pytest.approx(wanted)
    drawn = np.random.default_rng(1).normal(size=(4000, 10, 30)).std(axis=1)
    assert (drawn.max(axis=1) / drawn.min(axis=1)).max() < wanted
    assert chance_ratio(100_000, 50) < 1.05
    assert chance_ratio(1, 5) == np.inf


@together("factor", [1e-3, 1e3, 0.2, 5.0])
def test_one_column_in_another_unit_is_enough(factor: float) -> None:
    assert differ(with_column(factor * RNG.normal(size=300)))


@pytest.mark.parametrize("factor", [0.45, 2.2])
def test_a_factor_of_two_is_none(factor: float) -> None:
    assert not differ(with_column(factor * RNG.normal(size=300)))


@pytest.mark.parametrize("factors", [np.geomspace(1e-3, 1e3, 12), np.geomspace(1e3, 1e-3, 12)])
def test_columns_in_all_units(factors: NDArray[Any]) -> None:
    assert differ(NORMAL * factors)


def test_indicators_are_in_one_unit_whatever_their_shares() -> None:
    shares = np.resize([0.5, 0.2, 0.05, 0.01], 12)
    indicators = (RNG.uniform(size=(300, 12)) < shares).astype(float)
    assert indicators.std(axis=0).max() > 3 * indicators.std(axis=0).min()
    assert not differ(indicators)
    assert not differ(np.c_[indicators, NORMAL])
    assert differ(np.c_[indicators, 2e4 + 1e4 * NORMAL[:, 0]])  # an income beside them
    assert differ(np.c_[indicators, 1e-3 * NORMAL[:, 0]])


def test_pixels_and_components_are_in_one_unit() -> None:
    pixels = datasets.load_digits().train.X
    spreads = pixels.std(axis=0)
    assert spreads.max() > 50 * spreads[spreads > 0].min()
    assert not differ(pixels)
    components = PCA(20).fit_transform(pixels)
    assert components[:, 0].std() > 3 * components[:, -1].std()
    assert not differ(components)
    assert differ(components[:, RNG.permutation(20)])  # nobody can tell them any more


def test_what_was_brought_to_one_range_is_left_alone() -> None:
    heavy = np.exp(2.5 * NORMAL[:, :6])
    assert differ(np.c_[NORMAL, heavy])
    scaled = MinMaxScaler().fit_transform(np.c_[NORMAL, heavy])
    assert scaled.std(axis=0).max() > 3 * scaled.std(axis=0).min()
    assert not differ(scaled)


def test_one_column_or_none_that_varies_differs_from_nothing() -> None:
    assert not differ(1e6 * NORMAL[:, :1])
    assert not differ(np.c_[1e6 * NORMAL[:, 0], np.ones(300)])
    assert not differ(np.ones((300, 3)))
