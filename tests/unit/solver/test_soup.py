"""SOUP: exact on noiseless coefficients, and sensible where there is little to go on."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.data.simulation import simulate
from stcmtl.solver import soup as soup_module
from stcmtl.solver import thresholds
from stcmtl.solver.alignment import match_clusters
from stcmtl.solver.soup import normalise, partition, soup
from stcmtl.solver.thresholds import pure_tasks, purity_scores
from tests.unit import twins
from tests.unit.twins import Array


def aligned(V: Array, truth: Array) -> Array:
    return V[match_clusters(V, truth)]


def purity_by_hand(S: Array, epsilon: float) -> Array:
    """The formula of DESIGN.md, one task after the other."""
    T = len(S)
    extreme = [max(abs(S[j, i]) for i in range(T) if i != j) for j in range(T)]
    scores = []
    for i in range(T):
        others = sorted((j for j in range(T) if j != i), key=lambda j: -abs(S[i, j]))
        neighbours = others[: max(5, round(epsilon * T))]
        scores.append(np.mean([abs(S[i, j]) / extreme[j] for j in neighbours]))
    return np.array(scores)


class TestNoiseless:
    @pytest.mark.parametrize("structure_seed", range(5))
    @pytest.mark.parametrize("mixing", ["sparse", "dense"])
    def test_recovers_the_memberships(self, mixing: str, structure_seed: int) -> None:
        truth = simulate(n_train=1, n_test=1, mixing=mixing, structure_seed=structure_seed).truth
        found = soup(truth.W, 5, theta=5 / 6, epsilon=0.1, seed=0)
        np.testing.assert_allclose(aligned(found.V, truth.V), truth.V, atol=1e-8)
        assert truth.pure[found.pure].all()
        np.testing.assert_allclose(found.purity, purity_by_hand(truth.W.T @ truth.W, 0.1))

    @pytest.mark.parametrize("T", [5, 10, 15])
    def test_few_tasks(self, T: int) -> None:
        truth = simulate(
            n_tasks=T, n_features=30, n_clusters=3, n_train=1, n_test=1, n_mixed=0
        ).truth
        found = soup(truth.W, 3, theta=1.0, epsilon=0.1, seed=0)
        np.testing.assert_allclose(aligned(found.V, truth.V), truth.V, atol=1e-8)

    def test_the_sign_of_coefficients_does_not_matter(self) -> None:
        truth = simulate(n_tasks=30, n_features=30, n_clusters=3, n_train=1, n_test=1).truth
        found, flipped = (soup(sign * truth.W, 3, 0.5, 0.1, 0) for sign in (1.0, -1.0))
        np.testing.assert_allclose(found.V, flipped.V, atol=1e-8)

    def test_one_cluster_takes_all(self) -> None:
        W = np.random.default_rng(0).normal(size=(20, 8)) + 1.0
        np.testing.assert_array_equal(soup(W, 1, 0.5, 0.1, 0).V, np.ones((1, 8)))

    def test_one_task(self) -> None:
        found = soup(np.array([[1.0], [2.0]]), 1, 0.5, 0.1, 0)
        assert found.V.tolist() == [[1.0]]
        assert found.purity.tolist() == [1.0]
        assert found.pure.tolist() == [0]

    def test_as_many_clusters_as_tasks(self) -> None:
        W = np.random.default_rng(1).normal(size=(20, 6))
        V = soup(W, 6, 0.5, 0.1, 0).V
        np.testing.assert_allclose(aligned(V, np.eye(6)), np.eye(6), atol=1e-8)


class TestDegenerate:
    @pytest.mark.parametrize(
        "W",
        [
            np.zeros((6, 12)),
            np.ones((6, 12)),
            np.random.default_rng(2).normal(size=(6, 12)) * (np.arange(12) % 3 > 0),
            1e-160 * np.random.default_rng(3).normal(size=(6, 12)),
        ],
        ids=["zero", "identical", "zero-columns", "tiny"],
    )
    @pytest.mark.parametrize("K", [1, 3, 12])
    def test_memberships_stay_on_the_simplex(self, W: Array, K: int) -> None:
        found = soup(W, K, 0.5, 0.1, 0)
        assert found.V.shape == (K, 12)
        assert found.V.min() >= 0.0
        np.testing.assert_allclose(found.V.sum(axis=0), 1.0)
        assert np.isfinite(found.purity).all()

    def test_identical_tasks_share_one_membership(self) -> None:
        truth = simulate(n_tasks=24, n_features=30, n_clusters=3, n_train=1, n_test=1).truth
        V = soup(np.hstack([truth.W, truth.W]), 3, 0.5, 0.1, 0).V
        np.testing.assert_allclose(V[:, :24], V[:, 24:], atol=1e-8)
        np.testing.assert_allclose(aligned(V[:, :24], truth.V), truth.V, atol=1e-8)


class TestPurity:
    @pytest.mark.parametrize(
        ("T", "epsilon"), [(2, 0.1), (5, 0.1), (10, 0.1), (40, 0.1), (40, 0.5)]
    )
    def test_is_the_formula(self, T: int, epsilon: float) -> None:
        W = np.random.default_rng(T).normal(size=(15, T))
        S = W.T @ W
        np.testing.assert_allclose(purity_scores(S, epsilon), purity_by_hand(S, epsilon))

    def test_of_neighbours_that_tie_the_first_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(thresholds, "BLOCK", 7)
        W = np.random.default_rng(3).integers(-2, 3, size=(3, 40)).astype(float)
        S = W.T @ W
        np.testing.assert_allclose(purity_scores(S, 0.2), purity_by_hand(S, 0.2), rtol=1e-12)

    def test_is_one_for_clear_pure_tasks_and_less_for_mixed_ones(self) -> None:
        truth = simulate(n_tasks=60, n_train=1, n_test=1).truth
        purity = purity_scores(truth.W.T @ truth.W, 0.1)
        assert purity[truth.pure].min() > purity[~truth.pure].max()
        assert purity.max() == pytest.approx(1.0)

    def test_does_not_depend_on_units(self) -> None:
        W = np.random.default_rng(4).normal(size=(15, 20))
        S = W.T @ W
        np.testing.assert_allclose(purity_scores(S, 0.1), purity_scores(1e6 * S, 0.1))

    def test_leaves_the_similarity_alone(self) -> None:
        S = np.eye(8) + 0.1
        purity_scores(S, 0.1)
        np.testing.assert_array_equal(S, np.eye(8) + 0.1)


class TestManyTasks:
    """Eigenvectors of S are singular vectors of W."""

    W = simulate(n_tasks=75, n_features=20, n_clusters=3, n_train=1, n_test=1).truth.W

    def test_memberships_are_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        expected = soup(self.W, 3, 0.5, 0.1, 0).V
        monkeypatch.setattr(soup_module, "MANY", 30)
        np.testing.assert_allclose(soup(self.W, 3, 0.5, 0.1, 0).V, expected, atol=1e-8)

    def test_fewer_features_than_clusters(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(soup_module, "MANY", 30)
        vectors = soup_module.leading_vectors(np.random.default_rng(0).normal(size=(2, 75)), 4)
        assert vectors.shape == (75, 4)
        assert not vectors[:, 2:].any()
        np.testing.assert_allclose(vectors[:, :2].T @ vectors[:, :2], np.eye(2), atol=1e-12)


class TestSample:
    """Of very many tasks a sample tells the clusters, and the others follow."""

    W = np.repeat(np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 1.0]]), 20, axis=1)

    def test_all_tasks_as_long_as_there_is_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(soup_module, "MOST_TASKS", 10)
        assert soup_module.sample_tasks(10, 0).tolist() == list(range(10))
        some = soup_module.sample_tasks(11, 0)
        assert some.size == 10
        assert (np.diff(some) > 0).all()

    def test_the_others_go_to_the_nearest_center(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(soup_module, "MOST_TASKS", 30)
        V = soup_module.direction_clusters(self.W, 3, 0)
        truth = np.repeat(np.eye(3), 20, axis=1)
        np.testing.assert_array_equal(aligned(V, truth), truth)

    def test_a_center_of_many_directions_is_short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The nearest is not the one of the largest product."""
        rng = np.random.default_rng(0)
        angles = np.concatenate([rng.uniform(0.0, 2.0, 600), rng.uniform(2.1, 2.3, 600)])
        W = np.stack([np.cos(angles), np.sin(angles)])
        monkeypatch.setattr(soup_module, "MOST_TASKS", 60)
        V = soup_module.direction_clusters(W, 2, 0)
        chosen = soup_module.sample_tasks(1200, 0)
        labels = V.argmax(axis=0)
        centers = np.stack([W[:, chosen[labels[chosen] == k]].mean(axis=1) for k in range(2)])
        apart = ((W.T[:, None] - centers) ** 2).sum(axis=2)
        np.testing.assert_array_equal(labels, apart.argmin(axis=1))

    @pytest.mark.parametrize("many", [True, False])
    def test_vectors_that_are_rounding_are_zeros(
        self, many: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """By eigenvalues of S, which are squares: of sizes 1, 1e-5 and 1e-7 the last is lost."""
        monkeypatch.setattr(soup_module, "MANY", 5 if many else 500)
        left, right = (
            np.linalg.qr(np.random.default_rng(1).normal(size=(n, 3)))[0] for n in (6, 40)
        )
        W = left @ np.diag([1.0, 1e-5, 1e-7]) @ right.T
        found = soup_module.leading_vectors(W, 3)
        assert found.any(axis=0).tolist() == [True, True, False]


class TestPureTasks:
    purity = np.random.default_rng(5).permutation(np.linspace(0.1, 0.9, 40))

    def test_tasks_that_tie_are_all_in(self) -> None:
        purity = np.concatenate([[0.9, 0.8], np.full(12, 0.5), [0.4]])
        assert pure_tasks(purity, 2, 0.1).tolist() == list(range(14))
        assert pure_tasks(np.zeros(12), 2, 0.5).tolist() == list(range(12))

    def test_the_share_theta_of_highest_purity(self) -> None:
        pure = pure_tasks(self.purity, 5, 0.5)
        np.testing.assert_array_equal(pure, np.flatnonzero(self.purity > np.median(self.purity)))

    @pytest.mark.parametrize(
        ("T", "K", "theta", "n_pure"),
        [(40, 5, 0.1, 10), (40, 15, 0.1, 15), (5, 3, 0.5, 5), (12, 3, 0.5, 10), (40, 3, 1.0, 40)],
    )
    def test_at_least_ten_and_one_a_cluster_as_far_as_there_are_tasks(
        self, T: int, K: int, theta: float, n_pure: int
    ) -> None:
        assert pure_tasks(self.purity[:T], K, theta).size == n_pure


def test_partition_is_the_best_k_means_and_follows_its_seed() -> None:
    rng = np.random.default_rng(6)
    points = rng.normal(size=(4, 30))[np.arange(28) % 4] + 0.2 * rng.normal(size=(28, 30))
    labels = partition(points, 4, seed=0)
    assert twins.inertia(points, labels) == pytest.approx(
        twins.inertia(points, np.arange(28) % 4), rel=1e-12
    )
    np.testing.assert_array_equal(labels, partition(np.asfortranarray(points), 4, seed=0))


def test_partition_of_few_points_in_many_dimensions() -> None:
    rng = np.random.default_rng(7)
    points = np.zeros((12, 30))
    points[:, ::6] = rng.normal(size=(4, 5))[np.arange(12) % 4] + 0.3 * rng.normal(size=(12, 5))
    few = partition(points[:, ::6], 4, seed=0)
    np.testing.assert_array_equal(partition(points, 4, seed=0), few)


def test_normalise_by_hand() -> None:
    V = np.array([[0.5, -1.0, -1.0, 0.0], [1.5, 3.0, -3.0, 0.0], [-4.0, 1.0, -1.0, 0.0]])
    expected = [[0.25, 0.0, 0.5, 1 / 3], [0.75, 0.75, 0.0, 1 / 3], [0.0, 0.25, 0.5, 1 / 3]]
    np.testing.assert_allclose(normalise(V), expected)
