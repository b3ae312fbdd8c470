"""Distances and the fence."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import figures

# quartiles 2 and 4: a factor of 0.25 puts the fence at 4.5
DISTANCES = np.array([3.0, 1.0, 5.0, 2.0, 4.0])
FAR = np.array([*range(1, 10), 30.0, 60.0])


def test_distances_are_sorted_and_keep_their_task() -> None:
    figure = figures.outliers(DISTANCES, factor=0.25)
    points = figure.data[0]
    assert list(points.y) == [1, 2, 3, 4, 5]
    assert list(points.customdata) == [1, 3, 0, 4, 2]
    assert list(points.marker.symbol) == ["circle"] * 4 + ["x"]
    band, line = figure.layout.shapes
    assert (band.y0, band.y1, line.y0) == (2, 4, 4.5)


@pytest.mark.parametrize(("factor", "named"), [(3.0, "11 and 10"), (6.0, "11")])
def test_the_factor_moves_the_fence_without_a_fit(factor: float, named: str) -> None:
    words = figures.describe(figures.outliers(FAR, factor=factor))
    assert f"Beyond (×): {named}." in words


def test_tasks_set_aside_by_a_fit_are_named_wherever_they_lie() -> None:
    flagged = np.arange(5) == 3
    figure = figures.outliers(DISTANCES, flagged=flagged, task_names=["a", "b", "c", "<d>", "e"])
    assert figure.layout.title.text == "1 outlier task"
    assert "Set aside (×): &lt;d&gt;." in figure.layout.title.subtitle.text
    assert "Set aside (×): <d>." in figures.describe(figure)


def test_no_outliers() -> None:
    assert figures.outliers(DISTANCES).layout.title.text == "No task beyond the fence"
    clean = figures.outliers(DISTANCES, flagged=np.zeros(5, bool))
    assert clean.layout.title.text == "No outlier tasks"


def test_many_tasks_are_thinned_out_but_for_the_flagged() -> None:
    distances = np.r_[np.linspace(1, 2, 20_000), 50.0, 51.0]
    flagged = distances > 40
    flagged[7] = True
    points = figures.outliers(distances, flagged=flagged).data[0]
    assert len(points.x) < 4_100
    assert {7, 20_000, 20_001} <= set(points.customdata)
    np.testing.assert_array_equal(points.y, distances[points.customdata])
