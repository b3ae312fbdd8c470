"""Zero and other coefficients against the truth, of one method and of several."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import figures

TRUE = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
ESTIMATED = np.array([[0.9, 0.1], [0.0, 0.0], [0.0, 0.0]])
FITS = {"A": ESTIMATED, "B": np.ones((3, 2)), "C": TRUE}


def cells(figure: object) -> dict[str, list[list[int]]]:
    return {t.name: np.argwhere(~np.isnan(t.z)).tolist() for t in figure.data}


def test_found_missed_and_extra() -> None:
    figure = figures.selection_pattern(ESTIMATED, TRUE)
    assert cells(figure) == {
        "found": [[0, 0]],
        "missed": [[1, 0]],
        "extra": [[0, 1]],
        "zero": [[1, 1], [2, 0], [2, 1]],
    }
    assert figure.layout.title.text == "66.7% of zeros and non-zeros match"
    assert "Missed: 1 that are not zero. Extra: 1 that are." in figures.describe(figure)


def test_without_the_truth_all_that_is_not_zero_is_found() -> None:
    figure = figures.selection_pattern(ESTIMATED)
    assert cells(figure) == {
        "found": [[0, 0], [0, 1]],
        "zero": [[1, 0], [1, 1], [2, 0], [2, 1]],
    }
    assert figure.layout.title.text == "33.3% of coefficients are not zero"


def test_only_selected_keeps_what_either_uses() -> None:
    figure = figures.selection_pattern(ESTIMATED, TRUE, feature_names="abc", only_selected=True)
    assert [list(t.y) for t in figure.data] == [["a", "b"]] * 4


def test_the_papers_largest_setting_stays_under_two_megabytes() -> None:
    W = np.random.default_rng(0).standard_normal((600, 60))
    assert len(figures.selection_pattern(W, W).to_json()) < 2e6


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


def test_shapes_must_agree() -> None:
    with pytest.raises(ValueError, match="differ in shape"):
        figures.method_patterns({"A": np.ones((2, 2))}, TRUE, captions={})
