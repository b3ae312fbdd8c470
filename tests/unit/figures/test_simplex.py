"""The simplex on the page."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from stcmtl.figures.pieces import simplex


@pytest.mark.parametrize("K", [2, 3, 4])
def test_up_to_four_corners_are_equally_far_apart_around_the_centre(K: int) -> None:
    at = simplex.corners(K)
    assert np.ptp(pdist(at)) == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(at.mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("n", [2, 12, 300])
def test_coinciding_points_are_all_seen_and_stay_near(dimensions: int, n: int) -> None:
    points = np.vstack([np.ones((n, dimensions)), np.zeros((1, dimensions))])
    steps = simplex.fan_out(points, step=0.06, reach=0.2)
    assert steps[-1].tolist() == [0.0] * dimensions
    assert pdist(steps[:-1]).min() > 0.06 / n**0.5 / 2
    assert np.linalg.norm(steps, axis=1).max() <= 0.2


def test_a_segment_stacks_them_without_moving_their_share() -> None:
    steps = simplex.stack_up(np.zeros((5, 2)), step=0.1, reach=0.8)
    np.testing.assert_allclose(steps, np.c_[np.zeros(5), [-0.2, -0.1, 0, 0.1, 0.2]], atol=1e-12)


def test_grid_lines_join_places_of_equal_share() -> None:
    at = simplex.corners(3)
    lines = simplex.grid(at, shares=(0.25, 0.5))
    for corner, (start, end) in zip([0, 0, 1, 1, 2, 2], lines.reshape(6, 3, 2)[:, :2], strict=True):
        shares = [np.linalg.solve(np.vstack([at.T, np.ones(3)]), [*p, 1]) for p in (start, end)]
        assert shares[0][corner] == pytest.approx(shares[1][corner])


@pytest.mark.parametrize("at", [simplex.square(), *map(simplex.corners, (5, 7, 9))], ids=len)
def test_more_corners_make_a_regular_polygon(at: NDArray[np.float64]) -> None:
    sides = np.linalg.norm(at - np.roll(at, 1, axis=0), axis=1)
    np.testing.assert_allclose(sides, 2 * np.sin(np.pi / len(at)))
    np.testing.assert_allclose(np.linalg.norm(at, axis=1), 1.0)
    assert at[0, 1] == at[:, 1].max()
