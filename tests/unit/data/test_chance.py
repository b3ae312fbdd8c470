"""How far the largest of many numbers without meaning may lie from zero."""

import numpy as np
import pytest
from scipy.stats import norm

from stcmtl.data.chance import ONCE_IN, beyond_chance


@pytest.mark.parametrize("n_features", [1, 5, 60])
def test_chance_gets_beyond_it_once_in_twenty_fits(n_features: int) -> None:
    within = (2.0 * norm.cdf(beyond_chance(n_features)) - 1.0) ** n_features
    assert 1.0 - within == pytest.approx(1.0 / ONCE_IN, rel=0.03)


def test_draws_say_the_same() -> None:
    largest = np.abs(np.random.default_rng(0).normal(size=(20_000, 30))).max(axis=1)
    assert np.mean(largest > beyond_chance(30)) == pytest.approx(1.0 / ONCE_IN, abs=0.005)


def test_nothing_to_look_at_is_one_thing_at_least() -> None:
    assert beyond_chance(0) == beyond_chance(1) == pytest.approx(1.96, abs=1e-3)
