"""Rows and targets of tasks before any fit."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import TaskSet, figures
from stcmtl.figures.pieces.colours import task_colours
from stcmtl.figures.plots.overview import MAX_TASKS


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
    assert figure.layout.title.text == "4 to 11 rows per task"
    assert list(figure.layout.xaxis.ticktext) == ["t1", "t2", "t0"]
    assert "Pale: rows kept for testing." in figures.describe(figure)


def test_a_task_that_the_test_rows_lack_has_none() -> None:
    figure = figures.task_rows(tasks([3, 3]), tasks([4], ["t1"]))
    assert list(figure.data[1].y) == [4, 0]
    assert list(figure.data[1].customdata) == [1, 0]
    assert figure.layout.title.text == "3 to 7 rows per task"


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
    data = tasks([2] * (MAX_TASKS + 500))
    for figure in (figures.task_rows(data), figures.task_targets(data)):
        assert len(figure.data[-1].x) == MAX_TASKS
        assert figure.data[-1].x[-1] == MAX_TASKS + 500
        assert f"Shown: {MAX_TASKS} of 2,500 tasks" in figures.describe(figure)


def test_names_are_no_markup() -> None:
    figure = figures.task_rows(tasks([3, 3], ["<b>a</b>", "c"]))
    assert figure.data[0].hovertext[0] == "&lt;b&gt;a&lt;/b&gt;"
