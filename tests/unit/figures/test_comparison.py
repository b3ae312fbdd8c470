"""Bars of a measure by method."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.figures.plots.comparison import with_spread

MEAN = {"LASSO": 0.66, "<b>STCMTL": 0.505, "CMTL": 0.609}
SPREAD = {"LASSO": 0.01, "<b>STCMTL": 0.0031, "CMTL": 0.02}


def test_bars_stand_with_their_spread_the_best_first() -> None:
    figure = figures.method_bars(MEAN, SPREAD, "RMSE")
    (bars,) = figure.data
    np.testing.assert_array_equal(bars.x, [0.505, 0.609, 0.66])
    np.testing.assert_array_equal(bars.error_x.array, [0.0031, 0.02, 0.01])
    assert bars.error_x.visible
    assert bars.y[0] == "&lt;b&gt;STCMTL<br>0.5050 ± 0.0031"
    assert len(set(bars.marker.color[1:])) == 1
    assert bars.marker.color[0] != bars.marker.color[1]
    assert "CMTL 0.609 ± 0.020, LASSO 0.660 ± 0.010" in figures.describe(figure)


def test_a_larger_mcc_is_better() -> None:
    figure = figures.method_bars(MEAN, SPREAD, "MCC", larger_is_better=True)
    assert figure.layout.title.text == "LASSO is best in MCC"
    assert figure.data[0].x.tolist() == [0.66, 0.609, 0.505]


def test_one_repetition_has_no_spread() -> None:
    figure = figures.method_bars(MEAN, dict.fromkeys(MEAN, np.nan), "RMSE")
    assert not figure.data[0].error_x.visible
    assert figure.data[0].y[1] == "CMTL<br>0.609"


@pytest.mark.parametrize(
    ("mean", "spread", "said"),
    [
        (0.03, 0.00073, "0.03000 ± 0.00073"),
        (2.04, 0.42, "2.04 ± 0.42"),
        (1234.5, 56.0, "1,234 ± 56"),
        (0.5, 0.0, "0.5 ± 0"),
        (0.51234, float("nan"), "0.512"),
    ],
)
def test_a_mean_has_the_decimals_of_its_spread(mean: float, spread: float, said: str) -> None:
    assert with_spread(mean, spread) == said
