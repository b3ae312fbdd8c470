"""Heatmaps carry the values they were given, and say what they leave out."""

from typing import Any

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.figures.pieces.heatmaps import MAX_CELLS
from stcmtl.figures.pieces.style import DIVERGING, LONGEST_TICK

TRUE = np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 0.0], [0.0, -0.25, 0.0], [0.0, 0.0, 0.0]])
ESTIMATED = np.array([[0.4, 0.0, 0.6], [0.0, 0.0, 0.0], [0.0, -0.2, 0.0], [0.0, 0.1, 0.0]])

SHOULD = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
ZEROS = np.array([[0.9, 0.1], [0.0, 0.0], [0.0, 0.0]])


def rgba(colour: str) -> list[float]:
    return [float(part) for part in colour.removeprefix("rgba(").removesuffix(")").split(",")]


def test_panels_hold_both_values_on_one_scale_and_zoom_together() -> None:
    figure = figures.coefficients(ESTIMATED, TRUE)
    layout, (true, estimated) = figure.layout, figure.data
    np.testing.assert_array_equal(true.z, TRUE)
    np.testing.assert_array_equal(estimated.z, ESTIMATED)
    assert (true.name, estimated.name) == ("True", "Estimated")
    assert [note.text for note in layout.annotations] == [
        "True: 25% not zero", "Estimated: 33% not zero",
    ]  # fmt: skip
    assert {panel.coloraxis for panel in figure.data} == {"coloraxis"}
    assert (layout.coloraxis.cmin, layout.coloraxis.cmax) == (-0.6, 0.6)
    assert (layout.xaxis2.matches, layout.yaxis2.matches) == ("x", "y")


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (None, ["1", "2", "3"]),
        (["a", "a", "b"], ["a (1)", "a (2)", "b (3)"]),
        (["<b>a</b>", "b & c", "d"], ["&lt;b&gt;a&lt;/b&gt;", "b &amp; c", "d"]),
    ],
)
def test_names_stay_apart_and_are_no_markup(names: list[str] | None, labels: list[str]) -> None:
    panel = figures.coefficients(ESTIMATED, task_names=names).data[0]
    assert list(panel.x) == labels
    assert list(panel.y) == ["1", "2", "3", "4"]


def test_only_an_exact_zero_is_transparent() -> None:
    opacity = {position: rgba(colour)[3] for position, colour in DIVERGING}
    assert opacity.pop(0.5) == 0
    assert min(opacity.values()) > 0.25
    beside = [position for position in opacity if abs(position - 0.5) < 1e-6]
    assert len(beside) == 2


@pytest.mark.parametrize("draw", [figures.coefficients, figures.selection_pattern])
def test_only_selected_keeps_features_used_in_either_panel(draw: Any) -> None:
    figure = draw(ESTIMATED, TRUE, feature_names="abcd", only_selected=True)
    assert {tuple(panel.y) for panel in figure.data} == {("a", "c", "d")}
    if draw is figures.coefficients:
        np.testing.assert_array_equal(figure.data[1].z, ESTIMATED[[0, 2, 3]])
    told = "Shown: 3 of 4 features; the others are zero in all of these."
    assert told in figure.layout.title.subtitle.text.replace("<br>", " ")


def test_all_zero_coefficients_still_draw() -> None:
    figure = figures.coefficients(np.zeros((4, 3)), only_selected=True)
    assert figure.data[0].z.shape == (4, 3)
    assert figure.layout.coloraxis.cmax == 1


def test_long_names_are_short_on_the_axis_and_whole_in_the_data() -> None:
    name = "the share of pupils with free meals"
    figure = figures.coefficients(ESTIMATED, feature_names=[name, "b", "c", "d"])
    assert figure.data[0].y[0] == name
    alias = figure.layout.yaxis.labelalias
    assert set(alias) == {name}
    assert len(alias[name]) == LONGEST_TICK


@pytest.mark.parametrize("draw", [figures.coefficients, figures.selection_pattern])
def test_the_papers_largest_setting_stays_under_two_megabytes(draw: Any) -> None:
    W = np.random.default_rng(0).standard_normal((600, 60))
    figure = draw(W, W)
    assert figure.data[0].z.shape == (600, 60)
    assert len(figure.to_json()) < 2e6


def test_too_many_features_leave_the_strongest_in_their_order() -> None:
    W = np.zeros((5_000, 100))
    strong = np.arange(0, 5_000, 10)
    W[strong, 3] = 1.0 + strong
    figure = figures.coefficients(W, W)
    room = MAX_CELLS // 100
    assert figure.data[0].z.shape == (room, 100)
    shown = [int(name) - 1 for name in figure.data[0].y]
    assert shown == sorted(shown)
    assert set(strong) <= set(shown)
    assert f"the {room} of 5000" in figure.layout.title.subtitle.text
    assert len(figure.to_json()) < 2e6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"estimated": np.ones(3)}, "features down and tasks across"),
        ({"true": TRUE[:2]}, r"true \(2, 3\) and estimated \(4, 3\)"),
        ({"task_names": ["a"]}, "task_names has 1 names where 3 are needed"),
        ({"task_order": [0, 0, 1]}, "task_order must name each of 0 to 2 once"),
        ({"feature_names": ["a"]}, "feature_names has 1 names where 4 are needed"),
    ],
)
def test_what_does_not_fit_is_named(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        figures.coefficients(**{"estimated": ESTIMATED} | arguments)


def test_orders_move_values_and_names_together() -> None:
    figure = figures.coefficients(
        ESTIMATED, TRUE, task_names="xyz", task_order=[2, 0, 1], feature_order=[3, 2, 1, 0]
    )
    estimated = figure.data[1]
    assert list(estimated.x) == ["z", "x", "y"]
    assert list(estimated.y) == ["4", "3", "2", "1"]
    np.testing.assert_array_equal(estimated.z, ESTIMATED[::-1][:, [2, 0, 1]])


def test_errors_are_estimated_minus_true() -> None:
    figure = figures.coefficient_errors(ESTIMATED, TRUE)
    np.testing.assert_array_equal(figure.data[0].z, ESTIMATED - TRUE)
    assert figure.layout.title.text == "Errors of at most 0.1"
    assert "largest true coefficient is 0.5" in figures.describe(figure)


def test_clusters_stand_side_by_side_with_their_numbers() -> None:
    U = np.array([[1.0, 0.0], [0.0, 0.0], [-2.0, 0.5]])
    figure = figures.cluster_coefficients(U, feature_names="abc", only_selected=True)
    panel = figure.data[0]
    assert (list(panel.x), list(panel.y)) == (["1", "2"], ["a", "c"])
    np.testing.assert_array_equal(panel.z, U[[0, 2]])
    assert figure.layout.title.text == "1 to 2 features per cluster"


def cells(figure: object) -> dict[str, list[list[int]]]:
    return {t.name: np.argwhere(~np.isnan(t.z)).tolist() for t in figure.data}


def test_found_missed_and_extra() -> None:
    figure = figures.selection_pattern(ZEROS, SHOULD)
    assert cells(figure) == {
        "found": [[0, 0]],
        "missed": [[1, 0]],
        "extra": [[0, 1]],
        "zero": [[1, 1], [2, 0], [2, 1]],
    }
    assert figure.layout.title.text == "1 missed, 1 extra of 6 coefficients"


def test_without_the_truth_all_that_is_not_zero_is_found() -> None:
    figure = figures.selection_pattern(ZEROS)
    assert cells(figure) == {
        "found": [[0, 0], [0, 1]],
        "zero": [[1, 0], [1, 1], [2, 0], [2, 1]],
    }
    assert figure.layout.title.text == "33.3% of coefficients are not zero"


SCALE = np.array([1.0, 2.0, 4.0, 100.0])


@pytest.mark.parametrize(
    ("draw", "values"),
    [
        (figures.coefficients, ESTIMATED),
        (figures.cluster_coefficients, ESTIMATED),
        (lambda W, **scale: figures.coefficient_errors(W, TRUE, **scale), ESTIMATED - TRUE),
    ],
)
def test_coefficients_of_different_units_are_drawn_times_the_spread(draw: Any, values: Any) -> None:
    figure = draw(ESTIMATED, feature_scale=SCALE)
    np.testing.assert_allclose(figure.data[0].z, values * SCALE[:, None])
    assert figure.layout.coloraxis.cmax == 10.0
    assert "coefficient × standard deviation" in figures.describe(figure)
    assert "standard deviation" not in figures.describe(draw(ESTIMATED))


def test_the_strongest_of_too_many_are_those_per_standard_deviation() -> None:
    W = np.zeros((5_000, 100))
    W[:, 3] = 1.0
    scale = np.r_[np.full(2_500, 1e-6), np.ones(2_500)]
    for draw in (figures.coefficients, figures.selection_pattern):
        figure = draw(W, feature_scale=scale)
        assert min(int(name) for name in figure.data[0].y) == 2_501


def test_a_scale_has_a_number_for_every_feature() -> None:
    with pytest.raises(ValueError, match=r"^feature_scale has shape \(3,\): give one number for e"):
        figures.coefficients(ESTIMATED, feature_scale=[1.0, 2.0, 3.0])
