"""Picking: columns that answer to a click though nobody sees it, bright points, framed columns."""

from typing import Any

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.figures.pieces.picking import FADED

V = np.array([[1.0, 1.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.5]])
W = np.arange(12.0).reshape(3, 4) - 5.0
ORDER = [3, 1, 0, 2]


def points(figure: Any, name: str) -> list[Any]:
    return [t for t in figure.data if t.name == name]


def frames(figure: Any) -> set[tuple]:
    return {(s.xref, s.x0, s.x1, s.yref, s.y0, s.y1) for s in figure.layout.shapes}


def test_nothing_picked_changes_nothing() -> None:
    figure = figures.membership_bars(V)
    before = figure.to_json()
    figures.highlight(figure, ())
    assert figure.to_json() == before


def test_bars_of_other_tasks_fade() -> None:
    figure = figures.membership_bars(V)
    figures.highlight(figure, {2})
    for bar in figure.data:
        opacity = dict(zip(bar.customdata, bar.marker.opacity, strict=True))
        assert opacity == {0: FADED, 1: FADED, 2: 1.0, 3: FADED}


def test_lines_of_a_simplex_stay_as_they_are() -> None:
    figure = figures.memberships(V)
    figures.highlight(figure, {0})
    assert all(t.marker.opacity is None for t in figure.data if t.mode == "lines")


def test_neighbouring_columns_share_a_frame_in_every_panel() -> None:
    figure = figures.coefficients(W, W, task_order=ORDER)
    figures.highlight(figure, {1, 0})
    assert frames(figure) == {
        ("x", 0.5, 2.5, "y domain", 0, 1),
        ("x2", 0.5, 2.5, "y2 domain", 0, 1),
    }


def test_a_similarity_has_the_task_down_and_across() -> None:
    figure = figures.similarity(W.T @ W, V)
    before = frames(figure)
    figures.highlight(figure, {2})
    place = list(figure.layout.meta["tasks across"]).index(2)
    assert frames(figure) - before == {
        ("x", place - 0.5, place + 0.5, "y domain", 0, 1),
        ("x domain", 0, 1, "y", place - 0.5, place + 0.5),
    }


def test_clusters_across_are_no_tasks() -> None:
    figure = figures.cluster_coefficients(W)
    figures.highlight(figure, {0})
    assert not figure.layout.shapes


def test_a_tetrahedron_fades_by_colour() -> None:
    figure = figures.memberships(np.eye(4), flat=False)
    figures.highlight(figure, {3})
    (points,) = (t for t in figure.data if t.name == "tasks")
    assert [str(c).startswith("#") for c in points.marker.color] == [False, False, False, True]


@pytest.mark.parametrize(
    ("figure", "tasks"),
    [
        (figures.coefficients(W, W, task_order=ORDER), ORDER),
        (figures.selection_pattern(W, W, task_order=ORDER), ORDER),
        (figures.similarity(W.T @ W, V), [0, 1, 3, 2]),
        (figures.cluster_coefficients(W), []),
        (figures.memberships(V), []),
    ],
)
def test_a_heatmap_knows_its_tasks(figure: Any, tasks: list[int]) -> None:
    assert figures.tasks_across(figure) == tasks


def test_every_panel_has_a_point_in_every_column() -> None:
    figure = figures.coefficients(W, W, task_names=list("abcd"), task_order=ORDER)
    figures.click_columns(figure, ORDER)
    boxed, clicked = points(figure, "boxed"), points(figure, "clicked")
    assert [(t.xaxis, t.yaxis) for t in boxed] == [("x", "y"), ("x2", "y2")]
    for inside, outside in zip(boxed, clicked, strict=True):
        assert list(inside.x) == list("dbac")
        assert list(inside.customdata) == list(outside.customdata) == ORDER
        axis = figure.layout[outside.xaxis.replace("x", "xaxis")]
        assert axis.overlaying == inside.xaxis
        assert max(axis.range) < min(outside.x)  # out of sight, and of the pointer's reach
    assert {t.hoverinfo for t in boxed} == {"skip"}
    assert {t.hoverinfo for t in clicked} == {"none"}
    assert figure.layout.hovermode == "x"


def test_a_column_may_carry_several_tasks() -> None:
    figure = figures.cluster_coefficients(W)
    figures.click_columns(figure, [[0, 2], [1], [3], []])
    figures.highlight(figure, {2})  # leaves what is not seen as it is
    (found,) = points(figure, "clicked")
    assert [list(tasks) for tasks in found.customdata] == [[0, 2], [1], [3], []]
    assert found.marker.opacity is None
