"""The replay of a short history."""

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.figures.plots.replay import MAX_FRAMES
from tests.unit.figures.histories import HISTORY, state


def test_replay_has_a_frame_an_iteration_with_its_places_and_coefficients() -> None:
    figure = figures.replay(HISTORY, task_names=["a", "b", "c"])
    assert [frame.name for frame in figure.frames] == ["1", "2", "3"]
    order = list(figure.layout.meta["tasks across"])
    for frame, own in zip(figure.frames, HISTORY, strict=True):
        points, cells = frame.data
        np.testing.assert_allclose(points.x, own.V[1] - own.V[0])  # from corner 1 to corner 2
        np.testing.assert_allclose(cells.z, own.W[:2, order])  # the third feature is unused
    tasks, heatmap = (figure.data[i] for i in figure.frames[0].traces)
    assert (tasks.name, heatmap.name) == ("tasks", "coefficients")
    np.testing.assert_allclose(heatmap.z, HISTORY[-1].W[:2, order])
    assert figure.layout.sliders[0].active == 2


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
    assert figure.frames[-1].name == "60"
    assert len(figure.to_json()) < 2_000_000
    assert "20 iterations in between" in figures.describe(figure)
    assert "with the largest coefficients" in figures.describe(figure)


def test_replay_multiplies_by_the_spread_of_features() -> None:
    scale = np.array([2.0, 0.5, 1.0])
    figure, plain = figures.replay(HISTORY, feature_scale=scale), figures.replay(HISTORY)
    for frame, other in zip(figure.frames, plain.frames, strict=True):
        np.testing.assert_allclose(frame.data[1].z, other.data[1].z * scale[:2, None])
