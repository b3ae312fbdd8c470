"""A bar for each task: shares, loadings around zero, and what is its own."""

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.figures.pieces.style import CLUSTERS, RULE, task_colours

#                 subtracts 1   adds 2   adds 1   none   adds 1, most
LOADINGS = np.array([[-1.5, 0.2, 0.5, 0.0, 2.0], [0.5, 0.9, -0.25, 0.0, 0.0]])
NAMES = list("abcde")
SHARES = np.array([[0.0, 0.6, 1.0, 0.0], [1.0, 0.4, 0.0, 0.0]])
SORTED = [4, 2, 0, 1, 3]  # by main pattern, from adding most of it to subtracting most


def test_every_cluster_has_bars_in_its_colour_in_the_order_of_clusters() -> None:
    bars = figures.membership_bars(SHARES, task_names="abcd").data
    assert [list(bar.x) for bar in bars] == [["c", "b", "a", "d"]] * 2
    np.testing.assert_array_equal([bar.y for bar in bars], SHARES[:, [2, 1, 0, 3]])
    assert [list(bar.customdata) for bar in bars] == [[2, 1, 0, 3]] * 2
    assert [bar.marker.color for bar in bars] == list(CLUSTERS[:2])


def test_words_of_bars() -> None:
    figure = figures.membership_bars(SHARES)
    assert figure.layout.title.text == "2 clusters of 1 to 2 tasks"
    assert "Mixed tasks share 2 clusters on average" in figures.describe(figure)
    assert (
        figures.membership_bars(np.ones((1, 3))).layout.title.text == "All 3 tasks in one cluster"
    )


def test_many_bars_are_thinned_out_and_it_says_so() -> None:
    figure = figures.membership_bars(np.eye(4)[:, np.arange(2000) % 4])
    np.testing.assert_array_equal([bar.y.sum() for bar in figure.data], [100] * 4)
    assert "400 of 2,000 tasks" in figures.describe(figure)


def test_a_bar_each_in_the_order_of_main_patterns_and_in_their_colours() -> None:
    figure = figures.loading_bars(LOADINGS, task_names=NAMES)
    for k, bar in enumerate(figure.data):
        assert list(bar.customdata) == SORTED
        assert list(bar.x) == [NAMES[i] for i in SORTED]
        np.testing.assert_array_equal(bar.y, LOADINGS[k, SORTED])
        assert bar.marker.color == CLUSTERS[k]
    assert figure.layout.barmode == "relative"
    assert (figure.layout.yaxis.zeroline, figure.layout.yaxis.zerolinecolor) == (True, RULE)


def test_the_hover_says_what_is_added_and_subtracted() -> None:
    first, second = figures.loading_bars(LOADINGS, task_names=NAMES).data
    assert list(first.hovertext) == [
        "adds <b>2</b> × pattern 1",
        "adds <b>0.5</b> × pattern 1",
        "subtracts <b>1.5</b> × pattern 1",
        "adds <b>0.2</b> × pattern 1",
        "nothing of pattern 1",
    ]
    assert second.hovertext[1] == "subtracts <b>0.25</b> × pattern 2"


@pytest.mark.parametrize(
    ("loadings", "title", "says_below"),
    [
        (LOADINGS, "2 of 4 tasks subtract a pattern", True),
        (np.abs(LOADINGS), "Strengths from 0.75 to 2", False),
        ([[1.0, 1.0]], "Strength 1", False),
        ([[-1.0, 1.0]], "1 of 2 tasks subtracts a pattern", True),
        ([[-1.0]], "It subtracts a pattern", True),
        (np.zeros((2, 3)), "No task follows any pattern", False),
    ],
)
def test_words_of_loadings(loadings: object, title: str, says_below: bool) -> None:
    figure = figures.loading_bars(loadings)
    assert figure.layout.title.text == title
    assert ("below it subtracted" in figures.describe(figure)) is says_below


def test_tasks_that_follow_no_pattern_are_counted() -> None:
    assert "In no cluster: 1 task." in figures.describe(figures.loading_bars(LOADINGS))
    assert "In no cluster" not in figures.describe(figures.loading_bars(LOADINGS[:, :3]))


def test_many_tasks_are_thinned_out_and_it_says_so() -> None:
    figure = figures.loading_bars(np.ones((1, 1000)))
    assert len(figure.data[0].x) == 400
    assert "400 of 1,000 tasks" in figures.describe(figure)


def test_own_shares_fall_and_have_the_colours_of_tasks() -> None:
    V = np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 0.0]])
    figure = figures.own_shares([0.1, 0.3, 1.0], V, task_names=list("abc"))
    (bar,) = figure.data
    assert list(bar.customdata) == [2, 1, 0]
    np.testing.assert_array_equal(bar.y, [1.0, 0.3, 0.1])
    assert list(bar.marker.color) == [task_colours(V)[i] for i in (2, 1, 0)]
    assert list(bar.hovertext) == ["c, in no cluster", "b, cluster 1", "a, cluster 1"]


def test_words_of_own_shares_leave_tasks_without_clusters_out_of_the_mean() -> None:
    V = np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 0.0]])
    figure = figures.own_shares([0.1, 0.3, 1.0], V)
    words = figures.describe(figure)
    assert "20% on average, from 10% to 30%" in words
    assert "1 task in no cluster" in words
    little = figures.own_shares([0.001, 0.002], np.eye(2))
    assert "Less than 1% of each" in figures.describe(little)


def test_one_pattern_needs_neither_numbers_nor_a_legend() -> None:
    figure = figures.loading_bars([[2.0, 1.0, 3.0]])
    assert not figure.layout.annotations
    assert figure.layout.showlegend is False
    assert "main pattern" not in figures.describe(figure)
    assert list(figure.data[0].y) == [3.0, 2.0, 1.0]


@pytest.mark.parametrize(("shares", "top"), [([0.1, 0.2], 0.23), ([0.1, 1.0], 1.0), ([0, 0], 1.0)])
def test_small_own_shares_fill_the_axis(shares: list[float], top: float) -> None:
    figure = figures.own_shares(shares, np.eye(2))
    assert figure.layout.yaxis.range == pytest.approx((0, top))
