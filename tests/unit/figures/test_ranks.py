"""Tasks ranked: by rows and targets, by distances with the fence, by purity with the cut."""

import numpy as np
import pytest

from stcmtl import TaskSet, figures
from stcmtl.figures.pieces.style import task_colours
from stcmtl.figures.plots.ranks import MOST_BEFORE

# quartiles 2 and 4: a factor of 0.25 puts the fence at 4.5
DISTANCES = np.array([3.0, 1.0, 5.0, 2.0, 4.0])
FAR = np.array([*range(1, 10), 30.0, 60.0])
RNG = np.random.default_rng(0)
SCORES = RNG.uniform(0.2, 1, 40)
V = np.eye(3)[:, RNG.integers(0, 3, 40)]


def tasks(sizes: list[int], names: list[str] | None = None, kind: str = "regression") -> TaskSet:
    rng = np.random.default_rng(0)
    labels = np.repeat(names or [f"t{i}" for i in range(len(sizes))], sizes)
    y = rng.normal(size=len(labels)) if kind == "regression" else np.arange(len(labels)) % 2
    return TaskSet(rng.normal(size=(len(labels), 2)), y, labels, task_type=kind)


def test_rows_most_first_with_those_for_testing_on_top() -> None:
    train, test = tasks([3, 9, 5]), tasks([1, 2, 2])
    figure = figures.task_rows(train, test)
    fit, kept = figure.data
    assert list(fit.customdata) == [1, 2, 0]
    assert list(fit.y) == [9, 5, 3]
    assert list(kept.y) == [2, 2, 1]
    assert figure.layout.title.text == "4 to 11 rows per task in all"
    assert list(figure.layout.xaxis.ticktext) == ["t1", "t2", "t0"]
    assert "Pale: rows kept for testing." in figures.describe(figure)


def test_a_task_that_the_test_rows_lack_has_none() -> None:
    figure = figures.task_rows(tasks([3, 3]), tasks([4], ["t1"]))
    assert list(figure.data[1].y) == [4, 0]
    assert list(figure.data[1].customdata) == [1, 0]
    assert figure.layout.title.text == "3 to 7 rows per task in all"


def test_tasks_with_as_many_rows_stand_by_cluster() -> None:
    V = np.array([[0, 1, 0, 1], [1, 0, 1, 0]])
    assert list(figures.task_rows(tasks([3, 3, 3, 5]), V=V).data[0].customdata) == [3, 1, 0, 2]


def test_equal_rows_without_test_rows_are_one_number() -> None:
    figure = figures.task_rows(tasks([4, 4]))
    assert figure.layout.title.text == "4 rows per task"
    assert len(figure.data) == 1


def test_the_spread_of_targets_is_that_of_every_task() -> None:
    data = tasks([40, 60, 50])
    figure = figures.task_targets(data)
    tenths, half, median = figure.data
    own = {name: y for name, _, y in data}
    for place, i in enumerate(median.customdata):
        y = own[data.task_names[i]]
        assert median.y[place] == np.median(y)
        spread = [*tenths.y[3 * place : 3 * place + 2], *half.y[3 * place : 3 * place + 2]]
        np.testing.assert_allclose(spread, np.quantile(y, [0.05, 0.95, 0.25, 0.75]))
    assert list(median.y) == sorted(median.y)


def test_the_share_of_the_label_that_sorts_last() -> None:
    labels = np.array(["no", "yes", "yes", "yes", "no", "no"])
    data = TaskSet(np.ones((6, 1)), labels, np.repeat(["a", "b"], 3), task_type="classification")
    figure = figures.task_targets(data)
    (share,) = figure.data
    np.testing.assert_allclose(share.y, [1 / 3, 2 / 3])
    assert list(share.customdata) == [1, 0]
    assert figure.layout.title.text == "33% to 67% of a task's rows are positive"
    assert "Positive: the label yes." in figures.describe(figure)


@pytest.mark.parametrize("draw", [figures.task_rows, figures.task_targets])
def test_memberships_colour_the_tasks(draw: object) -> None:
    V = np.array([[1, 0, 0.5], [0, 1, 0.5]])
    assert callable(draw)
    last = draw(tasks([5, 4, 3]), V=V).data[-1]
    assert list(last.marker.color) == [task_colours(V)[i] for i in last.customdata]


def test_very_many_tasks_are_thinned_and_it_says_so() -> None:
    data = tasks([2] * (MOST_BEFORE + 500))
    for figure in (figures.task_rows(data), figures.task_targets(data)):
        assert len(figure.data[-1].x) == MOST_BEFORE
        assert figure.data[-1].x[-1] == MOST_BEFORE + 500
        assert f"Shown: {MOST_BEFORE} of 2,500 tasks" in figures.describe(figure)


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
    assert f"Beyond the fence (×): {named}." in words


def test_tasks_set_aside_by_a_fit_are_named_wherever_they_lie() -> None:
    flagged = np.arange(5) == 3
    figure = figures.outliers(DISTANCES, flagged=flagged, task_names=["a", "b", "c", "<d>", "e"])
    assert "Set aside (×): &lt;d&gt;." in figure.layout.title.subtitle.text
    assert "Set aside (×): <d>." in figures.describe(figure)


def test_no_outliers() -> None:
    for flagged in (None, np.zeros(5, bool)):
        assert "×" not in figures.describe(figures.outliers(DISTANCES, flagged=flagged))


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


def test_tasks_that_tie_at_the_cut_are_counted() -> None:
    assert "tie" not in figures.describe(figures.purity(SCORES, V, theta=0.4))
    said = figures.describe(figures.purity(np.zeros(40), V, theta=0.4))
    assert said.startswith("40 of 40 tasks pass the purity cut")
    assert "40 tasks tie at the cut, and all that tie pass." in said


def test_hover_names_task_and_cluster() -> None:
    figure = figures.purity([0.5, 0.9], np.eye(2), task_names=["<i>", "b"])
    assert list(figure.data[0].hovertext) == ["b, cluster 2", "&lt;i&gt;, cluster 1"]


def test_outlier_tasks_take_no_part_in_the_cut() -> None:
    with_outliers = np.hstack([V, np.zeros((3, 5))])
    figure = figures.purity(np.r_[SCORES, np.zeros(5)], with_outliers, theta=0.4)
    assert figure.layout.shapes[0].y0 == np.sort(SCORES)[::-1][15]
    assert figure.layout.title.text == "16 of 40 tasks pass the purity cut"
    assert set(figure.data[0].customdata) == set(range(40))
    assert "5 tasks in no cluster" in figures.describe(figure)
