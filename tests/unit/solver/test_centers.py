"""The U step: its solution, and how its levels scale with the noise."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.centers import MCP, noise_scale, predictions, update_centers
from stcmtl.solver.problem import SQUARED, Problem
from tests.unit import twins
from tests.unit.problems import correlated_rows, random_memberships, random_problem, simulated
from tests.unit.twins import LOSSES

V3 = random_memberships(3, 5, seed=1)


class TestUpdate:
    levels = np.array([0.2, 0.35, 0.1])

    @pytest.mark.parametrize("loss", LOSSES)
    def test_solves_the_step_with_its_default_tolerance(self, loss: int) -> None:
        problem = random_problem(loss)
        U, b, penalty = update_centers(problem, V3, np.zeros((12, 3)), np.zeros(5), self.levels)
        f = predictions(problem, U, V3, b)
        np.testing.assert_allclose(
            f, twins.predict_clusters(problem.X, U, V3, b, problem.starts), atol=1e-11
        )
        e, _ = twins.pull_and_stiffness(loss, problem.y, f, problem.weight)
        slopes = twins.cluster_slopes(problem.X, e, V3, problem.starts)
        assert twins.optimality_gap(slopes, U, self.levels) < 0.02
        assert penalty == pytest.approx((np.abs(U) * self.levels).sum(), rel=1e-12)

    def test_what_was_given_stays_as_it_was(self) -> None:
        problem = random_problem(SQUARED)
        U, b = np.ones((12, 3)), np.ones(5)
        update_centers(problem, V3, U, b, self.levels)
        np.testing.assert_array_equal(U, 1.0)
        np.testing.assert_array_equal(b, 1.0)

    def test_memberships_may_lie_any_way_in_memory(self) -> None:
        problem = random_problem(SQUARED)
        start = np.zeros((12, 3)), np.zeros(5), self.levels
        U, _, _ = update_centers(problem, V3, *start)
        other, _, _ = update_centers(problem, np.asfortranarray(V3), *start)
        np.testing.assert_array_equal(other, U)

    def test_recovers_the_clusters_of_noiseless_tasks(self) -> None:
        sim, problem = simulated(noise=0.0)
        U, _, _ = update_centers(
            problem, sim.truth.V, np.zeros((30, 3)), np.zeros(18), np.full(3, 0.1), MCP, tol=1e-12
        )
        np.testing.assert_allclose(U, sim.truth.U, atol=0.03)
        np.testing.assert_array_equal(U == 0.0, sim.truth.U == 0.0)


class TestNoiseScale:
    def test_formula(self) -> None:
        problem = random_problem(SQUARED)
        V = np.array([[1, 0, 0.5, 0, 0], [0, 1, 0.5, 1, 0.3], [0, 0, 0, 0, 0.7]])
        variance = (V**2 / problem.n_rows).sum(axis=1)
        np.testing.assert_allclose(noise_scale(problem, V), np.sqrt(variance / variance.mean()))

    def test_is_one_for_clusters_alike(self) -> None:
        problem = random_problem(SQUARED, sizes=(20,) * 6)
        np.testing.assert_allclose(noise_scale(problem, np.eye(3)[:, [0, 1, 2] * 2]), 1.0)

    def test_is_how_noise_moves_the_slopes(self) -> None:
        sizes = (10, 80, 40, 20, 60)
        X = correlated_rows(210, 40, seed=0, correlation=0.0)
        problem = Problem.build(X, np.zeros(210), np.repeat(np.arange(5), sizes), SQUARED, False)
        V = np.array(
            [[1.0, 0.0, 0.0, 0.2, 0.0], [0.0, 1.0, 0.5, 0.4, 1.0], [0.0, 0.0, 0.5, 0.4, 0.0]]
        )
        noise = np.random.default_rng(1).normal(size=(200, 210)) * problem.weight
        slopes = np.stack([(noise * v[problem.task_of_row]) @ X for v in V])
        spread = np.sqrt((slopes**2).mean(axis=(1, 2)))
        np.testing.assert_allclose(
            noise_scale(problem, V) / noise_scale(problem, V)[0], spread / spread[0], rtol=0.06
        )

    def test_an_empty_cluster_has_none(self) -> None:
        problem = random_problem(SQUARED)
        scale = noise_scale(problem, np.vstack([np.ones(5), np.zeros(5)]))
        np.testing.assert_allclose(scale, [np.sqrt(2.0), 0.0])
