"""Tasks ranked by a value: distances and the fence, purity scores and the cut."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.figures.pieces.colours import task_colours

# quartiles 2 and 4: a factor of 0.25 puts the fence at 4.5
DISTANCES = np.array([3.0, 1.0, 5.0, 2.0, 4.0])
FAR = np.array([*range(1, 10), 30.0, 60.0])
RNG = np.random.default_rng(0)
SCORES = RNG.uniform(0.2, 1, 40)
V = np.eye(3)[:, RNG.integers(0, 3, 40)]


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


def test_tasks_are_ranked_and_keep_their_number_and_colour() -> None:
    points = figures.purity(SCORES, V).data[0]
    order = np.argsort(-SCORES)
    np.testing.assert_array_equal(points.y, SCORES[order])
    np.testing.assert_array_equal(points.customdata, order)
    np.testing.assert_array_equal(points.x, np.arange(1, 41))
    assert list(points.marker.color) == [task_colours(V)[i] for i in order]


def test_the_cut_lies_at_the_last_task_of_the_share_theta() -> None:
    figure = figures.purity(SCORES, V, theta=0.4)
    assert figure.layout.shapes[0].y0 == np.sort(SCORES)[::-1][15]
    assert figure.layout.title.text == "16 of 40 tasks pass the purity cut"


def test_hover_names_task_and_cluster() -> None:
    figure = figures.purity([0.5, 0.9], np.eye(2), task_names=["<i>", "b"])
    assert list(figure.data[0].hovertext) == ["b, cluster 2", "&lt;i&gt;, cluster 1"]


def test_outlier_tasks_take_no_part_in_the_cut() -> None:
    with_outliers = np.hstack([V, np.zeros((3, 5))])
    figure = figures.purity(np.r_[SCORES, np.zeros(5)], with_outliers, theta=0.4)
    assert figure.layout.shapes[0].y0 == np.sort(SCORES)[::-1][15]
    assert figure.layout.title.text == "16 of 40 tasks pass the purity cut"
    assert set(figure.data[0].customdata) == set(range(40))
    assert "5 outlier tasks" in figures.describe(figure)
