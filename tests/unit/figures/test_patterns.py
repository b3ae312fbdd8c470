"""Patterns as bars, blocks below purity, and triangles that say where they were clicked."""

import numpy as np

from stcmtl import figures
from stcmtl.figures.pieces import placing
from stcmtl.figures.pieces.simplex import corners

U = np.array([[1.0, 0.0], [0.0, -2.0], [0.0, 0.0]])


def test_a_zero_has_no_bar_and_the_truth_has_dashes() -> None:
    true = np.array([[1.5, 0.0], [0.5, -2.0], [0.0, 0.0]])
    figure = figures.pattern_bars(U, true, names=["one", "two"], colours=["#111111", "#222222"])
    bars = [t.y for t in figure.data if t.name == "found"]
    dashes = [t.y for t in figure.data if t.name == "true"]
    np.testing.assert_array_equal(bars, np.where(U.T == 0, np.nan, U.T))
    np.testing.assert_array_equal(dashes, np.where(true.T == 0, np.nan, true.T))
    assert [a.text for a in figure.layout.annotations] == ["one", "two"]
    assert figure.layout.title.text == "2 of 6 weights are not zero"
    assert figure.layout.yaxis.range == (-2.2, 2.2) == figure.layout.yaxis2.range


def test_blocks_stand_in_the_order_of_clusters_below_their_purity() -> None:
    S, V = np.arange(9.0).reshape(3, 3) / 8, np.array([[0, 1, 0.6], [1, 0, 0.4]])
    figure = figures.blocks(
        S, [0.9, 0.8, 0.3], V, pure=[True, True, False], task_names=["a", "b", "c"]
    )
    bars, cells = figure.data
    assert list(bars.x) == list(cells.x) == ["b", "c", "a"]  # the first cluster's pure task first
    np.testing.assert_allclose(bars.y, [0.8, 0.3, 0.9])
    np.testing.assert_allclose(cells.z, S[np.ix_([1, 2, 0], [1, 2, 0])])
    assert bars.marker.opacity[0] == bars.marker.opacity[2] == 1.0 > bars.marker.opacity[1]


def test_a_click_anywhere_in_the_triangle_finds_shares_nearby() -> None:
    figure = figures.memberships(np.eye(3))
    placing.click_places(figure)
    (points,) = (t for t in figure.data if t.name == placing.PLACES)
    shares = np.array(points.customdata)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.column_stack([points.x, points.y]), shares @ corners(3))
    clicks = np.random.default_rng(0).dirichlet(np.ones(3), size=200)
    away = np.abs(clicks[:, None] - shares).max(axis=2).min(axis=1)
    assert away.max() < 0.05
    others = [t for t in figure.data if t.name != placing.PLACES]
    assert {(t.hoverinfo, t.hovertemplate) for t in others} == {
        ("skip", None)
    }  # none is in the way
