"""Purity scores and the cut."""

from __future__ import annotations

import numpy as np

from stcmtl import figures
from stcmtl.figures.pieces.colours import task_colours

RNG = np.random.default_rng(0)
SCORES = RNG.uniform(0.2, 1, 40)
V = np.eye(3)[:, RNG.integers(0, 3, 40)]


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
