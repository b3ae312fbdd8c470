"""Memberships of one task: against exhaustive search over the faces of the simplex."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.kernels.simplex import (
    fit_memberships,
    fit_on_support,
    project_simplex,
    prune_memberships,
    simplex_quadratic,
)
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.solver.kernels.mixed_task import mixed, task
from tests.unit.twins import LOSSES, Array

BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)
TOL = 1e-12


def assert_on_simplex(v: Array) -> None:
    assert v.min() >= 0.0
    assert v.sum() == pytest.approx(1.0, abs=1e-12)


class TestProjection:
    @together("seed", range(20))
    def test_is_the_nearest_point(self, seed: int) -> None:
        """The nearest point minimises v'v / 2 - z'v."""
        rng = np.random.default_rng(seed)
        z = rng.normal(scale=rng.choice([0.1, 1.0, 10.0]), size=int(rng.integers(1, 6)))
        found = project_simplex(z)
        np.testing.assert_allclose(found, twins.simplex_quadratic(np.eye(z.size), z)[0], atol=1e-10)
        assert_on_simplex(found)

    @together(
        ("z", "expected"),
        [
            ([0.2, 0.5, 0.3], [0.2, 0.5, 0.3]),  # already there
            ([0.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]),
            ([5.0, 1.0, -2.0], [1.0, 0.0, 0.0]),
            ([-3.0, -3.0, -9.0], [0.5, 0.5, 0.0]),
            ([1.0, 0.8], [0.6, 0.4]),
            ([-7.0], [1.0]),
        ],
    )
    def test_by_hand(self, z: list[float], expected: list[float]) -> None:
        given = np.array(z)
        np.testing.assert_allclose(project_simplex(given), expected, atol=1e-15)
        np.testing.assert_array_equal(given, z)


class TestQuadratic:
    @together("seed", range(20))
    def test_against_all_faces(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        K = int(rng.integers(2, 6))
        root = rng.normal(size=(K + 2, K))
        G, c, v = root.T @ root, 3.0 * rng.normal(size=K), rng.dirichlet(np.ones(K))
        simplex_quadratic(G, c, v, 1e-12, 100 * K)
        best, smallest = twins.simplex_quadratic(G, c)
        assert_on_simplex(v)
        np.testing.assert_allclose(v, best, atol=1e-7)
        assert 0.5 * v @ G @ v - c @ v == pytest.approx(smallest, abs=1e-11)

    @together("seed", range(20))
    def test_clusters_that_are_nearly_alike(self, seed: int) -> None:
        """The same from every corner, to the last digits, in few steps."""
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(40, 1)) + 0.003 * rng.normal(size=(40, 5))
        truth = np.array([0.1, 0.2, 0.3, 0.4, 0.0])
        G, c = root.T @ root, root.T @ (root @ truth + 0.001 * rng.normal(size=40))
        ends = []
        for start in [np.full(5, 0.2), *np.eye(5)]:
            v = start.copy()
            simplex_quadratic(G, c, v, 1e-12, 500)
            assert_on_simplex(v)
            ends.append(v)
        np.testing.assert_allclose(ends, np.tile(ends[0], (6, 1)), atol=1e-4)
        best, _ = twins.simplex_quadratic(G, c)
        np.testing.assert_allclose(ends[0], best, atol=1e-4)

    def test_clusters_that_are_the_same(self) -> None:
        root = np.ones((6, 4))
        v = np.array([0.25, 0.25, 0.25, 0.25])
        simplex_quadratic(root.T @ root, np.full(4, 3.0), v, -1.0, 400)
        assert_on_simplex(v)

    def test_stops_within_its_tolerance(self) -> None:
        """The gap between the steepest and the flattest slope bounds the distance."""
        rng = np.random.default_rng(0)
        root = rng.normal(size=(6, 5))
        G, c = root.T @ root, rng.normal(size=5)
        smallest = twins.simplex_quadratic(G, c)[1]
        for tol in (1.0, 0.1, 1e-3):
            v = np.full(5, 0.2)
            simplex_quadratic(G, c, v, tol, 500)
            slope = G @ v - c
            assert slope[v > 0].max() - slope.min() <= tol * (1 + 1e-9)
            assert 0.5 * v @ G @ v - c @ v <= smallest + tol

    def test_linear_problems_end_on_a_vertex(self) -> None:
        v = np.array([0.25, 0.5, 0.25])
        simplex_quadratic(np.zeros((3, 3)), np.array([0.1, 0.3, 0.2]), v, 0.0, 300)
        np.testing.assert_array_equal(v, [0.0, 1.0, 0.0])

    def test_takes_no_more_steps_than_it_may(self) -> None:
        v = np.array([0.25, 0.5, 0.25])
        simplex_quadratic(np.zeros((3, 3)), np.array([0.1, 0.3, 0.2]), v, 0.0, 1)
        np.testing.assert_array_equal(v, [0.0, 0.75, 0.25])

    def test_twin_clusters_do_no_harm(self) -> None:
        G = np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
        v = np.array([0.1, 0.2, 0.7])
        simplex_quadratic(G, np.zeros(3), v, 1e-13, 300)
        np.testing.assert_allclose([v[0] + v[1], v[2]], [1 / 3, 2 / 3], atol=1e-10)


def prune(
    Z: Array, y: Array, penalty: Array, scale: float, loss: int = SQUARED
) -> tuple[Array, float, float]:
    K = Z.shape[1]
    return prune_memberships(mixed(Z, y, loss), np.full(K, 1.0 / K), 0.0, penalty, scale, TOL)


class TestFit:
    @EITHER_LOSS
    @BOTH
    @together("seed", range(5))
    def test_against_a_constrained_minimiser(
        self, loss: int, fit_intercept: bool, seed: int
    ) -> None:
        K = 2 + seed % 3
        Z, y = task(loss, K, seed)
        weight = np.linspace(0.5, 1.5, 60) / 60
        v = np.random.default_rng(seed).dirichlet(np.ones(K))
        b, value = fit_memberships(mixed(Z, y, loss, fit_intercept, weight), v, 0.0, TOL)
        v_twin, b_twin, value_twin = twins.fit_memberships(Z, y, weight, loss, fit_intercept)
        assert_on_simplex(v)
        np.testing.assert_allclose(v, v_twin, atol=2e-4)
        assert b == pytest.approx(b_twin, abs=2e-4)
        assert value == pytest.approx(value_twin, rel=1e-7)
        assert value == pytest.approx(twins.total_loss(loss, y, Z @ v + b, weight), rel=1e-9)
        assert (b == 0.0) is not fit_intercept

    @EITHER_LOSS
    def test_does_not_depend_on_its_start(self, loss: int) -> None:
        Z, y = task(loss, 4, seed=11)
        ends = []
        for start in [np.full(4, 0.25), *np.eye(4)]:
            v = start.copy()
            b, value = fit_memberships(mixed(Z, y, loss), v, 5.0, TOL)
            ends.append([*v, b, value])
        np.testing.assert_allclose(ends, np.tile(ends[0], (5, 1)), atol=1e-6)

    def test_noiseless_memberships_are_found(self) -> None:
        Z, _ = task(SQUARED, 4, seed=12)
        truth, v = np.array([0.0, 0.3, 0.7, 0.0]), np.full(4, 0.25)
        b, value = fit_memberships(mixed(Z, Z @ truth - 2.0), v, 0.0, TOL)
        np.testing.assert_allclose(v, truth, atol=1e-9)
        assert b == pytest.approx(-2.0, abs=1e-9)
        assert value == pytest.approx(0.0, abs=1e-12)

    def test_nearly_equal_clusters_are_told_apart(self) -> None:
        rng = np.random.default_rng(13)
        Z = rng.normal(size=(100, 1)) + 0.01 * rng.normal(size=(100, 4))
        truth, v = np.array([0.1, 0.4, 0.5, 0.0]), np.full(4, 0.25)
        fit_memberships(mixed(Z, Z @ truth, fit_intercept=False), v, 0.0, TOL)
        np.testing.assert_allclose(v, truth, atol=1e-3)

    @EITHER_LOSS
    def test_one_cluster_leaves_only_the_intercept(self, loss: int) -> None:
        Z, y = task(loss, 1, seed=14)
        v = np.ones(1)
        b, value = fit_memberships(mixed(Z, y, loss), v, 0.0, TOL)
        assert v[0] == 1.0
        e, _ = twins.pull_and_stiffness(loss, y, Z[:, 0] + b, np.full(60, 1 / 60))
        assert e.sum() == pytest.approx(0.0, abs=1e-6)
        assert value == pytest.approx(twins.row_losses(loss, y, Z[:, 0] + b).mean())

    def test_separable_labels_end(self) -> None:
        rng = np.random.default_rng(15)
        Z = 50.0 * rng.normal(size=(40, 3))
        y, weight, v = np.sign(Z[:, 1]), np.full(40, 1 / 40), np.full(3, 1 / 3)
        start = twins.total_loss(LOGISTIC, y, Z @ v, weight)
        _, value = fit_memberships(mixed(Z, y, LOGISTIC), v, 0.0, 1e-9)
        assert value == pytest.approx(
            twins.fit_memberships(Z, y, weight, LOGISTIC, True)[2], abs=1e-6
        )
        assert value < 1e-3 < 1.0 < start
        assert_on_simplex(v)

    @EITHER_LOSS
    @BOTH
    def test_on_a_support(self, loss: int, fit_intercept: bool) -> None:
        Z, y = task(loss, 4, seed=16)
        weight, support = np.full(60, 1 / 60), np.array([0, 2, 3])
        v = np.array([0.2, 0.8, 0.0, 0.0])
        out, b, value = fit_on_support(mixed(Z, y, loss, fit_intercept), v, 0.0, support, TOL)
        part, b_part, value_part = twins.fit_memberships(
            Z[:, support], y, weight, loss, fit_intercept
        )
        np.testing.assert_allclose(out[support], part, atol=2e-4)
        assert out[1] == 0.0
        assert b == pytest.approx(b_part, abs=2e-4)
        assert value == pytest.approx(value_part, rel=1e-7)
        np.testing.assert_array_equal(v, [0.2, 0.8, 0.0, 0.0])

    def test_a_support_without_mass_starts_even(self) -> None:
        Z, y = task(SQUARED, 3, seed=17)
        found, again = (
            fit_on_support(mixed(Z, y), np.array(start), 0.0, np.array([0, 2]), TOL)
            for start in ([0.0, 1.0, 0.0], [0.9, 0.0, 0.1])
        )
        assert_on_simplex(found[0])
        np.testing.assert_allclose(found[0], again[0], atol=1e-9)


class TestPruning:
    @EITHER_LOSS
    @pytest.mark.parametrize(
        "truth",
        [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 0.5, 0.5, 0.0],
            [0.3, 0.3, 0.0, 0.4],
            [0.25, 0.25, 0.25, 0.25],
        ],
        ids=["pure", "two", "three", "all"],
    )
    @pytest.mark.parametrize("seed", range(2))
    def test_against_all_supports(self, loss: int, truth: list[float], seed: int) -> None:
        Z, y = task(loss, 4, seed, n=150, v=np.array(truth))
        weight = np.full(150, 1 / 150)
        scale = 150 / 0.25 if loss == SQUARED else 300.0
        penalty = np.log(150) * np.arange(5.0)
        v, b, score = prune(Z, y, penalty, scale, loss)
        best, smallest = twins.best_support(Z, y, weight, penalty, scale, loss, True)
        np.testing.assert_allclose(v, best, atol=5e-4)
        np.testing.assert_array_equal(v > 0, best > 1e-6)
        assert score == pytest.approx(smallest, rel=1e-7)
        value = twins.total_loss(loss, y, Z @ v + b, weight)
        assert score == pytest.approx(scale * value + penalty[np.count_nonzero(v)], rel=1e-9)

    def test_a_clear_pure_task_is_exactly_on_its_vertex(self) -> None:
        for k in range(4):
            Z, y = task(SQUARED, 4, seed=20 + k, n=100, v=np.eye(4)[k])
            v, _, _ = prune(Z, y, 3.0 * np.log(100) * np.arange(5.0), 400.0)
            np.testing.assert_array_equal(v, np.eye(4)[k])

    def test_without_a_penalty_nothing_is_dropped(self) -> None:
        Z, y = task(SQUARED, 4, seed=30, v=np.full(4, 0.25))
        weight = np.full(60, 1 / 60)
        pruned, b, score = prune(Z, y, np.zeros(5), 7.0)
        full, b_full, value = twins.fit_memberships(Z, y, weight, SQUARED, True)
        np.testing.assert_allclose(pruned, full, atol=1e-5)
        assert b == pytest.approx(b_full, abs=1e-5)
        assert score == pytest.approx(7.0 * value, rel=1e-8)

    def test_a_huge_penalty_leaves_the_best_vertex(self) -> None:
        Z, y = task(SQUARED, 4, seed=31, v=np.array([0.2, 0.45, 0.35, 0.0]))
        weight = np.full(60, 1 / 60)
        v, _, _ = prune(Z, y, 1e9 * np.arange(5.0), 1.0)
        losses = [twins.fit_memberships(Z[:, [k]], y, weight, SQUARED, True)[2] for k in range(4)]
        np.testing.assert_array_equal(v, np.eye(4)[np.argmin(losses)])

    def test_the_penalty_is_that_of_the_size(self) -> None:
        """One that forbids all sizes but two."""
        Z, y = task(SQUARED, 4, seed=32, v=np.full(4, 0.25))
        v, _, _ = prune(Z, y, np.array([0.0, 1e6, 0.0, 1e6, 1e6]), 1.0)
        assert np.count_nonzero(v) == 2

    def test_one_cluster(self) -> None:
        Z, y = task(SQUARED, 1, seed=33)
        v, b, score = prune(Z, y, np.array([0.0, 2.0]), 3.0)
        residual = y - Z[:, 0]
        assert v.tolist() == [1.0]
        assert b == pytest.approx(residual.mean(), rel=1e-12)
        assert score == pytest.approx(3.0 * residual.var() + 2.0, rel=1e-12)
