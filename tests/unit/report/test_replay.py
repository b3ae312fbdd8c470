"""The replay as a page: small, alone in the world, and the same numbers as the figure."""

import json
import re
from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stcmtl import figures
from stcmtl.report import replay_html
from tests.unit.figures.histories import HISTORY, state

INITIAL = np.array([[1.0, -0.5, 0.0], [0.0, 1e-9, 3.0], [0.0, 0.0, 0.0]])


def film(html: str) -> dict[str, Any]:
    (block,) = re.findall(r"<script type=application/json id=film>(.*?)</script>", html)
    return json.loads(block)


def test_every_frame_has_the_places_and_coefficients_of_the_figure() -> None:
    figure = figures.replay(HISTORY, INITIAL, task_names=["a", "b", "c"])
    shown = film(replay_html(figure))
    assert [frame["label"] for frame in shown["frames"]] == [f.name for f in figure.frames]
    assert shown["limit"] == 3.0
    for frame, drawn in zip(shown["frames"], figure.frames, strict=True):
        points, cells = drawn.data
        np.testing.assert_allclose(frame["x"], points.x, atol=5e-4)
        assert frame["c"] == list(points.marker.color)
        z = np.frombuffer(b64decode(frame["z"]), dtype=np.int8).reshape(cells.z.shape)
        np.testing.assert_allclose(3.0 / 127 * z, cells.z, atol=3.0 / 127)
        np.testing.assert_array_equal(np.sign(z), np.sign(cells.z))  # only a zero is zero
    assert shown["tasks"] == ["a", "b", "c"]
    assert [corner[2] for corner in shown["corners"]] == ["1", "2"]


def test_it_is_small_and_asks_nobody_for_anything() -> None:
    html = replay_html(figures.replay(HISTORY, INITIAL), "A <title>")
    assert len(html) < 30_000  # plotly's library alone has 4.8 million letters
    assert "default-src 'none'" in html
    assert not re.findall(r"https?://|src=", html)
    assert "<h1>A &lt;title&gt;</h1>" in html


def test_names_cannot_close_their_block_and_outliers_have_no_place() -> None:
    V = [[1, 0, 0], [0, 0, 1]]
    names = ["</script><b>", "b & c", "d"]
    shown = film(replay_html(figures.replay([state(1, np.ones((2, 2)), V)], task_names=names)))
    assert shown["tasks"] == names
    assert shown["frames"][-1]["x"][1] is None


@pytest.mark.parametrize("K", [1, 2, 4, 5])
def test_it_has_a_corner_for_every_cluster(K: int) -> None:
    clusters = [f"group {k}" for k in range(K)]
    figure = figures.replay([state(1, np.ones((3, K)), np.eye(K))], cluster_names=clusters)
    shown = film(replay_html(figure))
    assert [name for _, _, name in shown["corners"]] == clusters
    assert len(shown["lines"]) == K * (K - 1) // 2
    places = np.array([corner[:2] for corner in shown["corners"]])
    last = shown["frames"][-1]
    np.testing.assert_allclose(np.column_stack([last["x"], last["y"]]), places, atol=1e-3)


def test_without_clusters_it_says_that_nothing_moved() -> None:
    alone = replace(HISTORY[0], U=np.ones((3, 0)), V=np.ones((0, 3)))
    html = replay_html(figures.replay([alone]), theme="dark")
    assert "No clusters: nothing moved. Every task was fitted on its own, at once." in html
    assert "<html lang=en data-theme=dark>" in html


def test_it_begins_at_the_separate_fits_and_says_what_colours_stand_for() -> None:
    html = replay_html(figures.replay(HISTORY, INITIAL))
    assert "value=0 data-start=0" in html
    assert "<span id=colours></span>" in html
    assert "Shown: 2 of 3 features; the others are zero" in html
