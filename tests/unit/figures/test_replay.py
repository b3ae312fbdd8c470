"""The replay of a short history."""

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.figures.plots.replay import MAX_FRAMES
from tests.unit.figures.histories import HISTORY, state


def test_replay_has_a_frame_for_every_step_with_its_places_and_coefficients() -> None:
    initial = np.array([[1.0, 0.5, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    figure = figures.replay(HISTORY, initial, task_names=["a", "b", "c"])
    first, second, third = HISTORY
    # the three steps of an iteration: V beside the last W, the mixtures U V, then W
    expected = [
        ("Iteration 0: ", None, initial),
        ("Iteration 1, V: ", first.V, initial),
        ("Iteration 1, U: ", first.V, first.U @ first.V),
        ("Iteration 1, W: ", first.V, first.W),
        ("Iteration 2, V: ", second.V, first.W),
        ("Iteration 2, U: ", second.V, second.U @ second.V),
        ("Iteration 2, W: ", second.V, second.W),
        ("Iteration 3, refinement: ", third.V, third.W),
    ]
    order = list(figure.layout.meta["tasks across"])
    for frame, (opening, V, W) in zip(figure.frames, expected, strict=True):
        assert frame.name.startswith(opening)
        points, cells = frame.data
        along = np.zeros(3) if V is None else V[1] - V[0]  # from corner 1 to corner 2
        np.testing.assert_allclose(points.x, along)
        np.testing.assert_allclose(cells.z, W[:2, order])  # the third feature is unused
    assert {text.split("<br>")[1] for text in figure.frames[0].data[0].hovertext} == {
        "no place yet"
    }
    tasks, heatmap = (figure.data[i] for i in figure.frames[0].traces)
    assert (tasks.name, heatmap.name) == ("tasks", "coefficients")
    np.testing.assert_allclose(heatmap.z, initial[:2, order])  # it opens at the separate fits
    assert figure.layout.sliders[0].active == 0
    later = figures.replay(HISTORY, initial, start=7)
    np.testing.assert_allclose(later.data[figure.frames[0].traces[1]].z, third.W[:2, order])
    assert "Shown: 2 of 3 features; the others are zero" in figures.describe(figure)


def test_replay_tells_features_that_the_final_fit_has_dropped() -> None:
    initial = np.array([[1.0, 0.5, 0.0], [0.0, 0.0, 3.0], [0.0, 0.2, 0.0]])
    figure = figures.replay(HISTORY, initial, feature_names=["price", "promo", "rain"])
    cells = figure.data[figure.frames[0].traces[1]]
    assert list(cells.y) == ["price", "promo", "rain"]
    told = "Rows: all 3 features, each used by some step; the final fit uses 2."
    assert told in figures.describe(figure)
    without = figures.describe(figures.replay(HISTORY[-1:]))
    assert "some step uses" not in without


def test_an_outlier_has_no_place_in_the_replay() -> None:
    V = [[1, 0, 0], [0, 0, 1]]
    last = figures.replay([state(1, np.ones((2, 2)), V)]).frames[0].data[0]
    assert np.isnan(last.x[1])
    assert last.hovertext[1] == "2<br>in no cluster"


@pytest.mark.parametrize("K", [1, 2, 3, 4, 5])
def test_replay_is_flat_for_any_number_of_clusters(K: int) -> None:
    figure = figures.replay([state(1, np.ones((3, K)), np.eye(K))])
    assert {trace.type for trace in figure.data} == {"scatter", "heatmap"}


def test_a_long_history_of_a_large_fit_stays_small_and_says_so() -> None:
    rng = np.random.default_rng(0)
    V = rng.dirichlet(np.ones(3), size=100).T
    history = [state(i, rng.normal(size=(600, 3)), V) for i in range(1, 61)]
    figure = figures.replay(history)
    assert len(figure.frames) == MAX_FRAMES
    assert figure.frames[-1].name.startswith("Iteration 60, W: ")
    assert len(figure.to_json()) < 2_000_000
    assert "119 steps in between" in figures.describe(figure)
    rows = "Rows: the 30 with the largest coefficients of 600 features that are used"
    assert rows in figures.describe(figure)


def test_replay_multiplies_by_the_spread_of_features() -> None:
    scale = np.array([2.0, 0.5, 1.0])
    figure, plain = figures.replay(HISTORY, feature_scale=scale), figures.replay(HISTORY)
    for frame, other in zip(figure.frames, plain.frames, strict=True):
        np.testing.assert_allclose(frame.data[1].z, other.data[1].z * scale[:2, None])
