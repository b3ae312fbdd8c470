"""Columns that answer to a click: what they carry, where they stand, and that nobody sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stcmtl import figures

V = np.array([[1.0, 1.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.5]])
W = np.arange(12.0).reshape(3, 4) - 5.0
ORDER = [3, 1, 0, 2]


def points(figure: Any, name: str) -> list[Any]:
    return [t for t in figure.data if t.name == name]


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


def test_every_panel_has_a_point_a_column() -> None:
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
