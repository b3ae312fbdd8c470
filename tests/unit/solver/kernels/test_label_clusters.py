"""Newton steps of the clusters of labels: how many, and which coefficients they touch."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.kernels.clusters import Clusters, set_concavity
from stcmtl.solver.kernels.label_clusters import (
    Around,
    choose_coefficients,
    fill_slopes,
    keep_used,
    solve_labels,
    sweep_labels,
)
from stcmtl.solver.kernels.losses import LOGISTIC, Mcp, loss_and_model
from tests.unit import twins
from tests.unit.problems import random_memberships, random_problem
from tests.unit.twins import Array

D, K, T = 12, 3, 5
PURE = np.eye(K)[[0, 1, 2, 1, 0]].T.copy()
MIXED = random_memberships(K, T, seed=1)
EITHER = pytest.mark.parametrize("V", [PURE, MIXED], ids=["pure", "mixed"])


def around(problem, f: Array) -> Around:
    found = Around(f, np.empty(f.size), np.empty(f.size), np.empty((D, K, K)))
    loss_and_model(problem.as_tasks().loss, f, found.e, found.h)
    return found


@EITHER
def test_a_level_of_a_path_takes_few_steps(V: Array) -> None:
    problem = random_problem(LOGISTIC)
    tasks, at = problem.as_tasks(), Clusters(np.zeros((D, K)), V, np.zeros(T))
    here, slopes = around(problem, np.zeros(problem.y.size)), np.empty((D, K))
    null = twins.total_loss(LOGISTIC, problem.y, here.f, problem.weight)
    fill_slopes(tasks, V, here.e, slopes)
    previous, counts = np.abs(slopes).max(), []
    for level in previous * 0.75 ** np.arange(1, 11):
        mcp = Mcp(np.full(K, level), np.zeros((D, K)))
        chosen = np.zeros((D, K), dtype=bool)
        choose_coefficients(at.U, slopes, np.full(K, 2.0 * level - previous), chosen)
        objective = twins.total_loss(LOGISTIC, problem.y, here.f, problem.weight)
        objective += twins.penalty_value(at.U, mcp.levels, mcp.concavity)
        counts.append(solve_labels(tasks, at, here, mcp, chosen, slopes, objective, 1e-5 * null))
        f = twins.predict_clusters(problem.X, at.U, V, at.b, problem.starts)
        np.testing.assert_allclose(here.f, f, atol=1e-10)
        e, _ = twins.pull_and_stiffness(LOGISTIC, problem.y, f, problem.weight)
        np.testing.assert_allclose(
            slopes, twins.cluster_slopes(problem.X, e, V, problem.starts), atol=1e-10
        )
        previous = level
    assert np.mean(counts) <= 5.0
    assert max(counts) <= 10


@EITHER
def test_a_sweep_touches_the_chosen_coefficients_alone(V: Array) -> None:
    problem, rng = random_problem(LOGISTIC), np.random.default_rng(2)
    at = Clusters(0.3 * rng.normal(size=(D, K)), V, np.zeros(T))
    f = twins.predict_clusters(problem.X, at.U, V, at.b, problem.starts)
    here, mcp = around(problem, f), Mcp(np.full(K, 0.01), np.zeros((D, K)))
    chosen, before, e = rng.random((D, K)) < 0.4, at.U.copy(), here.e.copy()
    sweep_labels(problem.as_tasks(), at, here, mcp, chosen, False)
    np.testing.assert_array_equal(at.U[~chosen], before[~chosen])
    assert (at.U[chosen] != before[chosen]).all()
    moved = twins.predict_clusters(problem.X, at.U - before, V, at.b, problem.starts)
    np.testing.assert_allclose(here.e, e - here.h * moved, atol=1e-12)


def test_choice_of_coefficients() -> None:
    U, slopes = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.5, 0.0], [-2.0, 0.9]])
    chosen = np.zeros((2, 2), dtype=bool)
    assert choose_coefficients(U, slopes, np.array([1.0, 1.0]), chosen)
    np.testing.assert_array_equal(chosen, [[False, True], [True, False]])
    assert not choose_coefficients(U, slopes, np.array([1.0, 1.0]), chosen)


def test_chosen_coefficients_that_are_zero_are_left_out() -> None:
    U, chosen = np.array([[0.0, 1.0], [-1e-9, 2.0]]), np.array([[True, True], [True, False]])
    keep_used(U, chosen)
    np.testing.assert_array_equal(chosen, [[False, True], [True, False]])


@pytest.mark.parametrize("seed", range(4))
def test_what_an_mcp_leaves_out_is_not_missed_at_the_end(seed: int) -> None:
    problem, V = random_problem(LOGISTIC, seed=seed), random_memberships(K, T, seed)
    at, slopes = Clusters(np.zeros((D, K)), V, np.zeros(T)), np.empty((D, K))
    here, mcp = around(problem, np.zeros(problem.y.size)), Mcp(np.full(K, 0.2), np.empty((D, K)))
    set_concavity(problem.squares, problem.loss, V, 0.5, mcp.concavity)
    objective = twins.total_loss(LOGISTIC, problem.y, here.f, problem.weight)
    chosen = np.full((D, K), True)
    solve_labels(problem.as_tasks(), at, here, mcp, chosen, slopes, objective, 1e-12)
    assert 0 < chosen.sum() < D
    assert (np.abs(slopes[~chosen]) <= 0.2 + 1e-9).all()
    assert twins.optimality_gap(slopes, at.U, mcp.levels, mcp.concavity) < 1e-4
