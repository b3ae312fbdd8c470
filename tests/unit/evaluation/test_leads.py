"""Leads are paired by repetition, and tell chance from help."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import sem

from stcmtl.evaluation.leads import lead

ROWS = np.array([0.5, 0.7, 0.9, 0.6])  # repetitions differ more than methods do


def test_size_share_and_standard_error() -> None:
    other = ROWS + np.array([0.10, 0.12, 0.11, 0.09])
    ahead = lead(ROWS, other)
    assert ahead.size == pytest.approx(0.105)
    assert ahead.share == pytest.approx(0.105 / other.mean())
    assert ahead.chance == pytest.approx(sem(other - ROWS))


@pytest.mark.parametrize(
    ("gains", "clear", "worth"),
    [
        ([0.10, 0.12, 0.11, 0.09], True, True),
        ([0.30, -0.10, 0.25, -0.05], False, True),  # within chance
        ([0.002, 0.003, 0.002, 0.002], True, False),  # steady, and too little to matter
        ([-0.10, -0.12, -0.11, -0.09], False, False),
        ([0.0, 0.0, 0.0, 0.0], False, False),
    ],
)
def test_help_is_clear_and_worth_it(gains: list[float], clear: bool, worth: bool) -> None:
    ahead = lead(ROWS, ROWS + gains)
    assert (ahead.is_clear, ahead.is_worth) == (clear, worth)
    assert ahead.helps == (clear and worth)


def test_there_is_no_lead_over_one_that_never_errs() -> None:
    ahead = lead(np.array([0.1, 0.0]), np.zeros(2))
    assert (ahead.share, ahead.helps) == (0.0, False)


def test_one_repetition_makes_nothing_clear() -> None:
    ahead = lead(np.array([0.5]), np.array([1.0]))
    assert ahead.share == 0.5
    assert np.isnan(ahead.chance)
    assert not ahead.helps
