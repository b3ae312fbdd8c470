"""Semi-NMF under the l2,1 norm, and the fence."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls

from stcmtl.solver import outliers
from stcmtl.solver.outliers import (
    check_enough,
    factorisation_distances,
    lower_factors,
    robust_factorisation,
)
from stcmtl.solver.thresholds import beyond_fence, fence

Array = NDArray[np.float64]


def random_tasks(D: int, T: int, seed: int) -> Array:
    return np.random.default_rng(seed).normal(size=(D, T))


def two_directions(seed: int = 0) -> Array:
    """Twelve tasks in 6 features: mixtures of two directions, and a little noise."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(6, 2)) @ rng.dirichlet([1, 1], 12).T + 0.01 * rng.normal(size=(6, 12))


def norm_21(W: Array, C: Array, Theta: Array) -> float:
    return float(np.sqrt(((W - C @ Theta) ** 2).sum(axis=0)).sum())


class TestFactorisation:
    @pytest.mark.parametrize("seed", range(4))
    def test_the_norm_never_rises(self, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        W, norms = random_tasks(6, 15, seed), []
        for steps in range(1, 12):
            monkeypatch.setattr(outliers, "MAX_STEPS", steps)
            C, Theta = robust_factorisation(W, 3, 0)
            norms.append(norm_21(W, C, Theta))
            assert Theta.min() >= 0.0
        assert (np.diff(norms) <= 1e-12 * norms[0]).all()
        assert norms[-1] < norms[0]

    @pytest.mark.parametrize("seed", range(3))
    def test_ends_where_a_generic_optimiser_finds_nothing_lower(self, seed: int) -> None:
        W, K = random_tasks(3, 7, seed), 2
        C, Theta = robust_factorisation(W, K, 0)

        def value(point: Array) -> float:
            return norm_21(W, point[: C.size].reshape(C.shape), point[C.size :].reshape(K, 7))

        bounds = [(None, None)] * C.size + [(0.0, None)] * Theta.size
        start = np.concatenate([C.ravel(), Theta.ravel()])
        lowest = minimize(value, start, bounds=bounds, method="L-BFGS-B").fun
        assert value(start) <= lowest * 1.01

    @pytest.mark.parametrize(("rank", "K"), [(1, 1), (2, 2), (2, 4), (3, 3)])
    def test_is_exact_for_tasks_that_are_pure(self, rank: int, K: int) -> None:
        rng = np.random.default_rng(rank)
        U, size = rng.normal(size=(8, rank)), rng.uniform(0.5, 2.0, 12)
        W = U[:, np.arange(12) % rank] * size
        np.testing.assert_allclose(factorisation_distances(W, K, 0), 0.0, atol=1e-5)

    def test_one_wild_task_does_not_bend_the_clusters(self) -> None:
        wild = np.eye(6)[:, np.arange(12) % 2] + 0.01 * random_tasks(6, 12, 0)
        wild[:, 4] = 3.0 * np.eye(6)[2]  # less than the five others of its cluster together
        others = np.arange(12) != 4

        distances = factorisation_distances(wild, 2, 0)
        assert distances[4] > 20 * distances[others].max()

        left, values, right = np.linalg.svd(wild, full_matrices=False)
        squares = np.linalg.norm(wild - left[:, :2] * values[:2] @ right[:2], axis=0)
        assert squares[4] < squares[others].max()  # least squares serve the wild one first

    @pytest.mark.parametrize("factor", [1e-100, 1e-5, 1e5, 1e100])
    def test_distances_have_the_unit_of_the_coefficients(self, factor: float) -> None:
        W = random_tasks(5, 9, 1)
        np.testing.assert_allclose(
            factorisation_distances(factor * W, 2, 0),
            factor * factorisation_distances(W, 2, 0),
            rtol=1e-6,
        )

    def test_many_such_steps_are_nonnegative_least_squares(self) -> None:
        W, C = random_tasks(5, 7, 2), random_tasks(5, 3, 3)
        Theta = np.ones((3, 7))
        for _ in range(500):
            lower_factors(W, C, Theta)
        expected = np.stack([nnls(C, w)[0] for w in W.T], axis=1)
        np.testing.assert_allclose(Theta, expected, atol=1e-8)

    @pytest.mark.parametrize(
        ("W", "K"),
        [
            (np.zeros((4, 6)), 2),
            (np.ones((4, 6)), 3),
            (np.ones((4, 1)), 1),
            (random_tasks(4, 5, 0), 5),
            (np.hstack([np.zeros((4, 3)), np.ones((4, 3))]), 2),
        ],
        ids=["zero", "identical", "one task", "K = T", "zero and one"],
    )
    def test_nothing_is_left_over(self, W: Array, K: int) -> None:
        np.testing.assert_allclose(factorisation_distances(W, K, 0), 0.0, atol=1e-9)

    def test_what_was_given_stays_as_it_was(self) -> None:
        W = random_tasks(4, 6, 0)
        before = W.copy()
        factorisation_distances(W, 2, 0)
        np.testing.assert_array_equal(W, before)

    def test_one_cluster_is_the_geometric_median_of_a_line(self) -> None:
        """On a line, one centre fits any task of its own sign; the others have theta = 0."""
        W = np.array([[1.0, 2.0, 3.0, -1.5]])
        np.testing.assert_allclose(factorisation_distances(W, 1, 0), [0, 0, 0, 1.5], atol=1e-9)


class TestFence:
    def test_by_hand(self) -> None:
        distances = np.array([5.0, 1.0, 2.0, 3.0, 4.0])  # quartiles 2 and 4
        assert fence(distances, 4.5) == 13.0
        assert fence(distances, 0.0) == 4.0
        assert beyond_fence(distances, 0.0).tolist() == [True, False, False, False, False]
        assert not beyond_fence(distances, 0.5).any()  # 5 is on the fence

    def test_equal_distances_are_not_beyond_one_another(self) -> None:
        assert not beyond_fence(np.zeros(5), 4.5).any()
        assert not beyond_fence(np.full(7, 0.1) * (1.0 + 1e-15 * np.arange(7)), 4.5).any()
        assert not beyond_fence(np.array([3.0]), 0.0).any()

    def test_never_more_than_a_quarter(self) -> None:
        for seed in range(20):
            distances = np.random.default_rng(seed).pareto(0.3, size=17)
            assert beyond_fence(distances, 0.0).sum() <= 17 / 4

    def test_enough_tasks_must_be_left(self) -> None:
        some = np.array([True, True, False, False, False])
        check_enough(some, 3)
        with pytest.raises(
            ValueError,
            match=r"^2 of 5 tasks are outliers, which leaves 3 for 4 clusters: raise "
            r"outlier_factor or lower n_clusters\.$",
        ):
            check_enough(some, 4)
