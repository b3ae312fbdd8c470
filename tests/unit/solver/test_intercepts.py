"""Intercepts that borrow strength: shrunk where noise explains their spread, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.intercepts import FEWEST_SPARE_TASKS, intercept_information, pool_intercepts
from stcmtl.solver.problem import LOGISTIC, SQUARED
from tests.unit.problems import random_memberships, random_problem
from tests.unit.twins import Array

ONE = np.ones((1, 12))


def classical(b: Array, information: Array) -> tuple[float, float]:
    """DerSimonian and Laird's mean and tau^2 for one group of studies."""
    w = information
    mean = float(w @ b / w.sum())
    excess = w @ (b - mean) ** 2 - (b.size - 1)
    return mean, max(0.0, float(excess / (w.sum() - w @ w / w.sum())))


class TestPooling:
    @pytest.mark.parametrize("seed", range(4))
    def test_one_cluster_is_the_classical_random_effects_model(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        information = rng.uniform(5.0, 50.0, 12)
        b = 3.0 + 0.3 * rng.normal(size=12) + rng.normal(size=12) / np.sqrt(information)
        mean, tau2 = classical(b, information)
        expected = mean + (b - mean) * tau2 / (tau2 + 1.0 / information)
        np.testing.assert_allclose(pool_intercepts(b, ONE, information), expected, rtol=1e-10)

    def test_less_spread_than_noise_means_one_intercept(self) -> None:
        information = np.linspace(1.0, 4.0, 12)
        b = 2.0 + 0.1 * np.cos(np.arange(12.0))
        expected = information @ b / information.sum()
        np.testing.assert_allclose(pool_intercepts(b, ONE, information), expected, rtol=1e-12)

    def test_pure_noise_is_pulled_to_the_common_mean(self) -> None:
        rng = np.random.default_rng(0)
        information = np.full(200, 25.0)
        b = 1.0 + rng.normal(size=200) / 5.0
        pooled = pool_intercepts(b, np.ones((1, 200)), information)
        assert np.sqrt(np.mean((pooled - 1.0) ** 2)) < 0.35 * np.sqrt(np.mean((b - 1.0) ** 2))

    def test_true_differences_are_left_alone(self) -> None:
        b = np.linspace(-10.0, 10.0, 12)
        pooled = pool_intercepts(b, ONE, np.full(12, 100.0))
        np.testing.assert_allclose(pooled, b, rtol=0.01)
        assert (np.abs(pooled) < np.abs(b)).all()

    def test_noisier_intercepts_move_more(self) -> None:
        b = np.array([1.0, -1.0] * 6)
        information = np.repeat([2.0, 40.0], 6)
        moved = np.abs(pool_intercepts(b, ONE, information) - b)
        assert moved[:6].min() > 2 * moved[6:].max()

    def test_clusters_have_their_own_centers(self) -> None:
        V = np.eye(2)[:, np.arange(12) % 2]
        b = np.where(np.arange(12) % 2, 7.0, -3.0) + 0.01 * np.sin(np.arange(12.0))
        pooled = pool_intercepts(b, V, np.full(12, 4.0))
        np.testing.assert_allclose(pooled[::2], b[::2].mean(), rtol=1e-12)
        np.testing.assert_allclose(pooled[1::2], b[1::2].mean(), rtol=1e-12)

    def test_mixed_tasks_lie_between_their_clusters(self) -> None:
        V = random_memberships(3, 20, seed=1)
        b = V.T @ np.array([1.0, 5.0, -2.0])
        np.testing.assert_allclose(pool_intercepts(b, V, np.full(20, 9.0)), b, rtol=1e-10)

    def test_mixed_memberships_against_matrix_algebra(self) -> None:
        rng = np.random.default_rng(2)
        V, information = random_memberships(3, 20, seed=3), rng.uniform(2.0, 30.0, 20)
        b = V.T @ np.array([1.0, 5.0, -2.0]) + rng.normal(size=20)
        P = np.diag(information)
        hat = V.T @ np.linalg.solve(V @ P @ V.T, V @ P)
        center = hat @ b
        # the expectation of Q under tau^2 is spare + tau^2 trace(P (I - hat))
        Q, spare = information @ (b - center) ** 2, 20 - 3
        tau2 = (Q - spare) / np.trace(P @ (np.eye(20) - hat))
        assert tau2 > 0.3
        expected = center + (b - center) * tau2 / (tau2 + 1.0 / information)
        np.testing.assert_allclose(pool_intercepts(b, V, information), expected, rtol=1e-9)

    @pytest.mark.parametrize("shift", [-50.0, 1e4])
    def test_shifts_go_through(self, shift: float) -> None:
        rng = np.random.default_rng(4)
        V, information = random_memberships(3, 20, seed=5), rng.uniform(2.0, 30.0, 20)
        b = rng.normal(size=20)
        pooled = pool_intercepts(b, V, information)
        np.testing.assert_allclose(
            pool_intercepts(b + shift, V, information), pooled + shift, atol=1e-8
        )

    def test_units_go_through(self) -> None:
        rng = np.random.default_rng(6)
        V, information, b = random_memberships(2, 15, seed=7), np.full(15, 3.0), rng.normal(size=15)
        scaled = pool_intercepts(1000.0 * b, V, information / 1000.0**2)
        np.testing.assert_allclose(scaled, 1000.0 * pool_intercepts(b, V, information), rtol=1e-9)

    def test_too_few_tasks_are_left_alone(self) -> None:
        for T in range(1, 8):
            b = np.arange(T, dtype=float)
            pooled = pool_intercepts(b, np.ones((1, T)), np.full(T, 0.01))
            if T - 1 < FEWEST_SPARE_TASKS:
                np.testing.assert_array_equal(pooled, b)
            else:
                np.testing.assert_allclose(pooled, b.mean())

    def test_as_many_clusters_as_tasks(self) -> None:
        b = np.arange(6.0)
        np.testing.assert_array_equal(pool_intercepts(b, np.eye(6), np.ones(6)), b)

    def test_an_empty_cluster_costs_nothing(self) -> None:
        information, b = np.full(12, 3.0), np.sin(np.arange(12.0)) * 2.0
        with_empty = np.vstack([ONE, np.zeros((1, 12))])
        np.testing.assert_allclose(
            pool_intercepts(b, with_empty, information), pool_intercepts(b, ONE, information)
        )


class TestInformation:
    def test_of_a_mean(self) -> None:
        problem = random_problem(SQUARED)
        found = intercept_information(problem, np.zeros(problem.y.size), 0.7)
        np.testing.assert_allclose(found, problem.n_rows / 0.7, rtol=1e-12)

    def test_of_log_odds(self) -> None:
        problem = random_problem(LOGISTIC)
        f = np.random.default_rng(8).normal(size=problem.y.size)
        p = 1.0 / (1.0 + np.exp(-f))
        expected = [(p * (1 - p))[problem.rows(i)].sum() for i in range(problem.n_tasks)]
        np.testing.assert_allclose(intercept_information(problem, f, 1.0), expected, rtol=1e-12)
