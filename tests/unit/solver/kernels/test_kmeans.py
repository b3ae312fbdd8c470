"""k-means: no worse than scikit-learn's, and the best there is where all splits can be tried."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from stcmtl.solver.kernels.kmeans import kmeans, lloyd, spread_centers
from stcmtl.stopping import NEVER
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.twins import Array


def draws(n_starts: int, n_clusters: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).uniform(size=(n_starts, n_clusters))


def blobs(n: int, K: int, D: int, spread: float, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(K, D))[np.arange(n) % K] + spread * rng.normal(size=(n, D))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("spread", [0.1, 0.4])
def test_no_worse_than_scikit_learn(seed: int, spread: float) -> None:
    K = 3 + seed % 4
    points = blobs(40, K, 8, spread, seed)
    labels = kmeans(points, K, draws(30, K, seed), NEVER)
    theirs = KMeans(K, n_init=10, random_state=seed, tol=0.0).fit(points)
    assert twins.inertia(points, labels) <= theirs.inertia_ * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_all_splits(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(7, 2))
    labels = kmeans(points, 3, draws(30, 3, seed), NEVER)
    assert twins.inertia(points, labels) == pytest.approx(
        twins.smallest_inertia(points, 3), rel=1e-12
    )


@together("seed", range(4))
def test_points_without_a_feature_in_common_tie_whatever_rounding_says(seed: int) -> None:
    points = np.eye(12)
    noise = 1e-11 * np.random.default_rng(seed).normal(size=points.shape)
    found = kmeans(points + noise, 3, draws(30, 3), NEVER)
    np.testing.assert_array_equal(found, kmeans(points, 3, draws(30, 3), NEVER))


def test_lloyd_ends_where_nothing_changes() -> None:
    points = blobs(50, 4, 3, 0.8, seed=6)
    centers, labels = points[:4].copy(), np.empty(50, dtype=np.int64)
    inertia = lloyd(points, centers, labels, NEVER)
    distances = ((points[:, None] - centers) ** 2).sum(axis=2)
    np.testing.assert_array_equal(labels, distances.argmin(axis=1))
    for k in range(4):
        np.testing.assert_allclose(centers[k], points[labels == k].mean(axis=0), atol=1e-14)
    assert inertia == pytest.approx(twins.inertia(points, labels), rel=1e-12)
    assert inertia < twins.inertia(points, ((points[:, None] - points[:4]) ** 2).sum(2).argmin(1))


def test_an_empty_group_keeps_its_center() -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    centers, labels = np.array([[0.3, 0.3], [9.0, 9.0]]), np.empty(3, dtype=np.int64)
    inertia = lloyd(points, centers, labels, NEVER)
    assert labels.tolist() == [0, 0, 0]
    np.testing.assert_allclose(centers, [[1 / 3, 1 / 3], [9.0, 9.0]])
    assert inertia == pytest.approx(twins.inertia(points, labels))


def test_centers_are_drawn_by_squared_distance() -> None:
    """k-means++ after the first of the points 0, 1 and 3: weights 0, 1 and 9."""
    points = np.array([[0.0], [1.0], [3.0]])
    for draw, expected in [(0.0, 1.0), (0.0999, 1.0), (0.1001, 3.0), (0.9999, 3.0)]:
        centers = spread_centers(points, 2, np.array([0.1, draw]))
        np.testing.assert_array_equal(centers, [[0.0], [expected]])


def test_later_centers_look_at_the_nearest() -> None:
    """With 0 and 10 taken, 9 weighs 1 and 4 weighs 16."""
    points = np.array([[0.0], [10.0], [9.0], [4.0]])
    first_two = [0.0, 0.3]  # the second: 100, 81 and 16 of 197 from point 1 on
    for draw, expected in [(0.05, 9.0), (0.07, 4.0)]:
        centers = spread_centers(points, 3, np.array([*first_two, draw]))
        np.testing.assert_array_equal(centers, [[0.0], [10.0], [expected]])


def test_the_first_center_is_uniform() -> None:
    points = np.arange(5.0)[:, None]
    firsts = [spread_centers(points, 1, np.array([u]))[0, 0] for u in (0.0, 0.19, 0.21, 0.99)]
    assert firsts == [0.0, 0.0, 1.0, 4.0]


def test_coinciding_points_leave_groups_empty() -> None:
    points = np.tile([[1.0, 2.0]], (6, 1))
    labels = kmeans(points, 3, draws(5, 3), NEVER)
    assert np.unique(labels).size == 1
    mixed = np.vstack([points, points + 1.0])
    labels = kmeans(mixed, 3, draws(5, 3), NEVER)
    assert np.unique(labels[:6]).size == np.unique(labels[6:]).size == 1
    assert labels[0] != labels[6]


def test_as_many_groups_as_points() -> None:
    points = np.random.default_rng(7).normal(size=(5, 2))
    assert sorted(kmeans(points, 5, draws(5, 5), NEVER)) == list(range(5))
