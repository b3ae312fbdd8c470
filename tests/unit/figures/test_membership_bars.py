"""Memberships as stacked bars."""

from __future__ import annotations

import numpy as np

from stcmtl import figures
from stcmtl.figures.pieces.colours import CLUSTERS

V = np.array([[0.0, 0.6, 1.0, 0.0], [1.0, 0.4, 0.0, 0.0]])


def test_a_bar_a_cluster_with_its_colour_in_the_order_of_clusters() -> None:
    bars = figures.membership_bars(V, task_names="abcd").data
    assert [list(bar.x) for bar in bars] == [["c", "b", "a", "d"]] * 2
    np.testing.assert_array_equal([bar.y for bar in bars], V[:, [2, 1, 0, 3]])
    assert [list(bar.customdata) for bar in bars] == [[2, 1, 0, 3]] * 2
    assert [bar.marker.color for bar in bars] == list(CLUSTERS[:2])


def test_words() -> None:
    figure = figures.membership_bars(V)
    assert figure.layout.title.text == "2 clusters of 1 to 2 tasks"
    assert "Mixed tasks share 2 clusters on average" in figures.describe(figure)
    assert (
        figures.membership_bars(np.ones((1, 3))).layout.title.text == "All 3 tasks in one cluster"
    )


def test_many_tasks_are_thinned_out_and_it_says_so() -> None:
    figure = figures.membership_bars(np.eye(4)[:, np.arange(2000) % 4])
    np.testing.assert_array_equal([bar.y.sum() for bar in figure.data], [100] * 4)
    assert "400 of 2,000 tasks" in figures.describe(figure)
