"""Memberships refitted on the data: the best of all supports, by the stated criterion."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pytest

from stcmtl.solver.centers import predictions
from stcmtl.solver.memberships import (
    SMALLEST_NOISE,
    noise_variance,
    support_penalty,
    support_shares,
    update_memberships,
)
from stcmtl.solver.problem import LOGISTIC, SQUARED
from tests.unit import twins
from tests.unit.problems import random_problem, simulated
from tests.unit.twins import LOSSES

EVEN = np.full(3, 1 / 3)  # no size of support is likelier than another


class TestUpdate:
    @pytest.mark.parametrize("loss", LOSSES)
    def test_every_task_gets_the_best_support(self, loss: int) -> None:
        sim, problem = simulated(loss, n_tasks=8, noise=0.3, scale=2.0)
        noise = 0.09 if loss == SQUARED else 1.0
        start = np.full((3, 8), 1 / 3)
        V, b = update_memberships(problem, sim.truth.U, start, np.zeros(8), noise, EVEN)
        Z = problem.X @ sim.truth.U
        scale = 50 / noise if loss == SQUARED else 2.0 * 50  # twice the log-likelihood
        for i in range(8):
            rows = problem.rows(i)
            best, _ = twins.best_support(
                Z[rows], problem.y[rows], problem.weight[rows], support_penalty(50, EVEN), scale,
                loss, True,
            )  # fmt: skip
            np.testing.assert_allclose(V[:, i], best, atol=1e-3)
            np.testing.assert_array_equal(V[:, i] > 0, best > 1e-6)
        f = predictions(problem, sim.truth.U, V, b)
        e, _ = twins.pull_and_stiffness(loss, problem.y, f, problem.weight)
        np.testing.assert_allclose(np.bincount(problem.task_of_row, e), 0.0, atol=1e-5)

    @pytest.mark.parametrize("mixing", ["sparse", "dense"])
    def test_noiseless_memberships_are_found(self, mixing: str) -> None:
        sim, problem = simulated(noise=0.0, mixing=mixing)
        start = np.full((3, 18), 1 / 3)
        V, b = update_memberships(problem, sim.truth.U, start, np.zeros(18), 1e-6, EVEN)
        np.testing.assert_allclose(V, sim.truth.V, atol=1e-4)
        np.testing.assert_array_equal(V[:, sim.truth.pure], sim.truth.V[:, sim.truth.pure])
        # zero on the original scale, where means are not taken off
        np.testing.assert_allclose(problem.original_intercepts(sim.truth.U @ V, b), 0.0, atol=1e-4)

    def test_clear_pure_tasks_are_exactly_on_their_vertices(self) -> None:
        sim, problem = simulated(noise=0.2)
        shares = np.array([0.8, 0.1, 0.1])
        V, _ = update_memberships(
            problem, sim.truth.U, np.full((3, 18), 1 / 3), np.zeros(18), 0.04, shares
        )
        np.testing.assert_array_equal(V[:, sim.truth.pure], sim.truth.V[:, sim.truth.pure])
        assert (V[:, ~sim.truth.pure].max(axis=0) < 1.0).all()

    def test_rare_sizes_need_more_evidence(self) -> None:
        sim, problem = simulated(noise=1.0, mixing="dense", n_tasks=24, n_mixed=12)
        sizes = []
        for shares in ([0.98, 0.01, 0.01], [1 / 3, 1 / 3, 1 / 3], [0.01, 0.01, 0.98]):
            V, _ = update_memberships(
                problem, sim.truth.U, np.full((3, 24), 1 / 3), np.zeros(24), 1.0, np.array(shares)
            )
            sizes.append(np.count_nonzero(V))
        assert sizes[0] < sizes[1] < sizes[2]

    def test_what_was_given_stays_as_it_was(self) -> None:
        sim, problem = simulated()
        V, b = np.full((3, 18), 1 / 3), np.zeros(18)
        update_memberships(problem, sim.truth.U, V, b, 0.25, EVEN)
        np.testing.assert_array_equal(V, 1 / 3)
        np.testing.assert_array_equal(b, 0.0)

    def test_without_intercepts_there_are_none(self) -> None:
        sim, problem = simulated(fit_intercept=False)
        _, b = update_memberships(
            problem, sim.truth.U, np.full((3, 18), 1 / 3), np.zeros(18), 0.25, EVEN
        )
        np.testing.assert_array_equal(b, 0.0)


class TestCriterion:
    def test_price_of_a_support(self) -> None:
        shares = np.array([0.5, 0.2, 0.2, 0.1])
        expected = [
            s * log(30) + 2 * log(comb(4, s)) - 2 * log(p) for s, p in enumerate(shares, start=1)
        ]
        found = support_penalty(30, shares)
        assert found[0] == 0.0
        np.testing.assert_allclose(found[1:], expected, rtol=1e-12)

    def test_price_where_patterns_are_dense(self) -> None:
        shares = np.array([0.7, 0.2, 0.1])
        expected = [0.0, *(np.arange(1, 4) - 2.0 * np.log(shares))]
        np.testing.assert_allclose(support_penalty(30, shares, dense=True), expected)

    def test_shares_count_one_imaginary_task_a_size(self) -> None:
        V = np.array([[1, 0, 0.5, 0.2, 0.9], [0, 1, 0.5, 0.3, 0.0], [0, 0, 0, 0.5, 0.1]])
        np.testing.assert_allclose(support_shares(V), [3 / 8, 3 / 8, 2 / 8])

    def test_shares_of_sizes_that_do_not_occur(self) -> None:
        np.testing.assert_allclose(support_shares(np.eye(4)), [5 / 8, 1 / 8, 1 / 8, 1 / 8])
        np.testing.assert_allclose(support_shares(np.ones((1, 7))), [1.0])


class TestNoise:
    def test_residual_variance_per_degree_of_freedom(self) -> None:
        problem = random_problem(SQUARED)
        f = np.zeros(problem.y.size)
        squares, N = float(problem.y @ problem.y), problem.y.size
        assert noise_variance(problem, f, 0) == pytest.approx(squares / N)
        assert noise_variance(problem, f, 30) == pytest.approx(squares / (N - 30))

    def test_half_the_rows_are_left_whatever_the_parameters(self) -> None:
        problem = random_problem(SQUARED)
        f, N = np.zeros(problem.y.size), problem.y.size
        assert noise_variance(problem, f, 10 * N) == pytest.approx(2 * problem.y @ problem.y / N)

    def test_finds_the_noise_of_simulated_rows(self) -> None:
        sim, problem = simulated(n_train=200)
        f = predictions(problem, sim.truth.U, sim.truth.V, np.zeros(18))
        assert noise_variance(problem, f, 18) == pytest.approx(0.25, rel=0.07)

    def test_is_positive_for_a_perfect_fit_and_one_for_labels(self) -> None:
        problem = random_problem(SQUARED)
        assert noise_variance(problem, problem.y, 5) == SMALLEST_NOISE
        labels = random_problem(LOGISTIC)
        assert noise_variance(labels, np.zeros(labels.y.size), 5) == 1.0
