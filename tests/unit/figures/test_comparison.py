"""Methods side by side: bars of a measure, and zero coefficients against the truth."""

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.figures.plots.comparison import with_spread

MEAN = {"LASSO": 0.66, "<b>STCMTL": 0.505, "CMTL": 0.609}
SPREAD = {"LASSO": 0.01, "<b>STCMTL": 0.0031, "CMTL": 0.02}
TRUE = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
ESTIMATED = np.array([[0.9, 0.1], [0.0, 0.0], [0.0, 0.0]])
FITS = {"A": ESTIMATED, "B": np.ones((3, 2)), "C": TRUE}


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
    assert figure.layout.title.text == "Highest MCC: LASSO"
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


def test_patterns_stand_beside_the_truth() -> None:
    """1 found, 2 missed, 3 extra, 0 rightly zero."""
    figure = figures.method_patterns(FITS, TRUE, captions={"A": "MCC 0.25"})
    maps = {t.name: t.z.tolist() for t in figure.data if t.type == "heatmap"}
    assert maps == {
        "Truth": [[1, 0], [1, 0], [0, 0]],
        "A": [[1, 3], [2, 0], [0, 0]],
        "B": [[1, 3], [1, 3], [3, 3]],
        "C": [[1, 0], [1, 0], [0, 0]],
    }
    assert [t.name for t in figure.data if t.type == "scatter"] == ["found", "missed", "extra"]
    assert [a.text for a in figure.layout.annotations][:2] == ["Truth<br>", "A<br>MCC 0.25"]
    assert len({(t.xaxis, t.yaxis) for t in figure.data if t.type == "heatmap"}) == 4


def test_without_the_truth_every_method_found_what_is_not_zero() -> None:
    figure = figures.method_patterns(FITS, captions={}, task_order=[1, 0])
    assert figure.data[0].z.tolist() == [[1, 1], [0, 0], [0, 0]]
    assert list(figure.data[0].x) == ["2", "1"]
    assert all(t.type == "heatmap" for t in figure.data)


def test_a_whole_number_has_a_colour_of_its_own() -> None:
    figure = figures.method_patterns(FITS, TRUE, captions={})
    scale = figure.data[0].colorscale
    colours = dict.fromkeys(colour for _, colour in scale)
    assert len(colours) == 4
    for state, colour in enumerate(colours):
        low, high = (edge for edge, c in scale if c == colour)
        assert low <= state / 3 <= high


def test_ten_methods_at_the_papers_largest_size_stay_under_two_megabytes() -> None:
    W = np.random.default_rng(0).standard_normal((600, 60))
    names = [f"feature {d}" for d in range(600)]
    figure = figures.method_patterns(
        {f"method {i}": W for i in range(10)}, W, captions={}, feature_names=names
    )
    assert len(figure.to_json()) < 2e6
