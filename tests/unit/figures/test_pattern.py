"""Zero and other coefficients against the truth."""

from __future__ import annotations

import numpy as np

from stcmtl import figures

TRUE = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
ESTIMATED = np.array([[0.9, 0.1], [0.0, 0.0], [0.0, 0.0]])


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
