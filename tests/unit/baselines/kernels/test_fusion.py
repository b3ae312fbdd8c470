"""One chain against its dual, a bounded least-squares problem, which scipy solves; chains of all
features by the optimality conditions of the lasso they are a form of.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from stcmtl.baselines.kernels.fusion import (
    Chains,
    anchored_chain,
    chain_entry,
    chain_penalty,
    fit_chains,
    fused_chain,
    fusion_penalty,
    start_chains,
)
from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.problem import Problem
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.problems import random_problem
from tests.unit.twins import LOSSES, Array

EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)
BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
D, T = 6, 5
SEEDS = range(30)


def links(T: int, r: int) -> Array:
    """Columns of differences w_t - w_{t+1}, and w_r in the last."""
    A = np.zeros((T, T))
    A[np.arange(T - 1), np.arange(T - 1)] = 1.0
    A[np.arange(1, T), np.arange(T - 1)] = -1.0
    A[r, T - 1] = 1.0
    return A


def by_duality(z: Array, c: Array, hold: Array, r: int) -> Array:
    """w = (z - A u) / c with the forces u in the links, |u| <= hold, that leave the least."""
    A, root = links(z.size, r), np.sqrt(c)
    hold = hold + 1e-12
    forces = lsq_linear(A / root[:, None], z / root, (-hold, hold), tol=1e-14, max_iter=1000).x
    return (z - A @ forces) / c


def random_chain(seed: int) -> tuple[Array, Array, Array, int, float]:
    """Some links have no force at all."""
    rng = np.random.default_rng(seed)
    T = int(rng.integers(1, 9))
    fusion = rng.uniform(0.0, 2.0, T - 1) * (rng.uniform(size=T - 1) > 0.1)
    z, c = 2.0 * rng.normal(size=T), rng.uniform(0.3, 3.0, T)
    return z, c, fusion, int(rng.integers(T)), float(rng.choice([0.0, 0.3, 3.0]))


def solved(z: Array, c: Array, fusion: Array, r: int, anchor: float) -> Array:
    w = np.empty(z.size)
    anchored_chain(z, c, fusion, r, anchor, w)
    return w


@together("seed", SEEDS)
def test_an_anchored_chain_solves_its_dual(seed: int) -> None:
    z, c, fusion, r, anchor = random_chain(seed)
    expected = by_duality(z, c, np.append(fusion, anchor), r)
    np.testing.assert_allclose(solved(z, c, fusion, r, anchor), expected, atol=1e-8)


@together("seed", SEEDS)
def test_a_fused_chain_is_anchored_at_what_follows_its_end(seed: int) -> None:
    z, c, fusion, _, anchor = random_chain(seed)
    w, hold = np.empty(z.size), np.append(fusion, anchor)
    fused_chain(z, c, hold, w)
    np.testing.assert_allclose(w, by_duality(z, c, hold, z.size - 1), atol=1e-8)


def test_without_links_every_task_is_on_its_own() -> None:
    z, c = np.array([1.0, -2.0, 3.0]), np.array([1.0, 2.0, 4.0])
    np.testing.assert_array_equal(solved(z, c, np.zeros(2), 1, 0.0), z / c)


def test_strong_links_give_the_common_mean_exactly_equal() -> None:
    z, c = np.array([1.0, 0.0, 3.0, -0.7]), np.array([1.0, 2.0, 0.3, 0.1])
    w = solved(z, c, np.full(3, 100.0), 2, 0.0)
    assert np.unique(w).size == 1
    assert w[0] == pytest.approx(z.sum() / c.sum())


@together("seed", SEEDS)
def test_entry_is_where_zero_ends_to_be_the_minimum(seed: int) -> None:
    z, c, fusion, r, _ = random_chain(seed)
    fusion, anchor = fusion + 0.1, 0.4
    entry = chain_entry(z, fusion, r, anchor)
    for factor, stays in ((1.001, True), (0.999, False)):
        w = by_duality(z, c, factor * entry * np.append(fusion, anchor), r)
        assert (np.abs(w).max() < 1e-8) == stays


def test_entry_without_pull_or_without_anchor() -> None:
    assert chain_entry(np.zeros(3), np.zeros(2), 0, 0.0) == 0.0
    assert chain_entry(np.ones(3), np.ones(2), 0, 0.0) == np.inf


def test_penalty() -> None:
    w, fusion = np.array([1.0, -1.0, 4.0]), np.array([0.5, 2.0])
    assert chain_penalty(w, fusion, 1, 10.0) == 0.5 * 2.0 + 2.0 * 5.0 + 10.0


def random_chains(level: float, seed: int = 0) -> Chains:
    """A random order of tasks for each of the features, with random weights."""
    rng = np.random.default_rng(seed)
    return Chains(
        order=np.stack([rng.permutation(T) for _ in range(D)]),
        fusion=level * rng.uniform(0.5, 1.5, (D, T - 1)),
        anchor_at=rng.integers(0, T, D),
        anchor=level * rng.uniform(0.5, 1.5, D),
    )


def solve(
    problem: Problem, chains: Chains, weight: Array | None = None
) -> tuple[Array, Array, list[float]]:
    tasks = problem.as_tasks(weight)
    at = start_chains(tasks, np.zeros(T))
    history, settled = fit_chains(tasks, chains, at, 1e-13)
    assert settled
    return at.W, at.b, list(history)


def objective(problem: Problem, chains: Chains, W: Array, b: Array) -> float:
    loss = twins.total_loss(problem.loss, problem.y, problem.predictions(W, b), problem.weight)
    for d in range(D):
        w, r = W[d, chains.order[d]], chains.anchor_at[d]
        loss += chains.fusion[d] @ np.abs(np.diff(w)) + chains.anchor[d] * abs(w[r])
    return loss


def slopes(problem: Problem, W: Array, b: Array, weight: Array) -> Array:
    """Minus the gradient (D, T)."""
    f = problem.predictions(W, b)
    e, _ = twins.pull_and_stiffness(problem.loss, problem.y, f, weight)
    parts = [problem.X[rows].T @ e[rows] for rows in map(problem.rows, range(T))]
    return np.stack(parts, axis=1)


def check_lasso(problem: Problem, chains: Chains, W: Array, b: Array, weight: Array) -> None:
    """In differences and the anchored coefficient, a slope meets its level, or zero is kept.

    A difference moves all tasks on the far side of the anchor.
    """
    slope = slopes(problem, W, b, weight)
    for d in range(D):
        g, w, r = slope[d, chains.order[d]], W[d, chains.order[d]], chains.anchor_at[d]
        moved = [-g[: t + 1].sum() if t < r else g[t + 1 :].sum() for t in range(T - 1)]
        pulls = np.append(moved, g.sum())
        levels, values = np.append(chains.fusion[d], chains.anchor[d]), np.append(np.diff(w), w[r])
        zero = values == 0.0
        assert (np.abs(pulls[zero]) <= levels[zero] * (1.0 + 1e-4)).all()
        np.testing.assert_allclose(pulls[~zero], (levels * np.sign(values))[~zero], rtol=1e-3)


@EITHER_LOSS
@BOTH
@pytest.mark.parametrize("level", [0.1, 0.3])
def test_optimality(loss: int, fit_intercept: bool, level: float) -> None:
    problem, chains = random_problem(loss, fit_intercept, D=D), random_chains(level)
    W, b, history = solve(problem, chains)
    check_lasso(problem, chains, W, b, problem.weight)
    assert any(np.unique(w).size < T for w in W)  # something is fused
    assert history[-1] == pytest.approx(objective(problem, chains, W, b))


@EITHER_LOSS
def test_a_level_goes_on_from_the_one_before(loss: int) -> None:
    """Its predictions, model and slopes are those of the coefficients it left."""
    problem = random_problem(loss, D=D)
    tasks = problem.as_tasks()
    at = start_chains(tasks, np.zeros(T))
    for level in (10.0, 0.3, 0.02):
        fit_chains(tasks, random_chains(level), at, 1e-13)
    W, b, _ = solve(problem, random_chains(0.02))
    np.testing.assert_allclose(at.W, W, atol=1e-5)
    np.testing.assert_allclose(at.b, b, atol=1e-5)
    np.testing.assert_allclose(at.f, problem.predictions(at.W, at.b), atol=1e-12)


@EITHER_LOSS
def test_rows_without_weight_are_not_seen(loss: int) -> None:
    problem, chains = random_problem(loss, D=D), random_chains(0.05)
    held_out = np.arange(problem.y.size) % 5 == 0
    weight = problem.training_weight(held_out)
    W, b, _ = solve(problem, chains, weight)
    check_lasso(problem, chains, W, b, weight)
    problem.y[held_out] *= -1.0
    again, _, _ = solve(problem, chains, weight)
    np.testing.assert_array_equal(W, again)


def test_intercepts_are_not_penalised() -> None:
    problem, chains = random_problem(LOGISTIC, D=D), random_chains(1e6)
    W, b, _ = solve(problem, chains)
    assert not W.any()
    share = np.array([(problem.y[problem.rows(i)] > 0).mean() for i in range(T)])
    np.testing.assert_allclose(b, np.log(share / (1.0 - share)), rtol=1e-6)


def test_the_objective_never_rises() -> None:
    problem = random_problem(LOGISTIC, D=D)
    _, _, history = solve(problem, random_chains(1e-2))
    assert len(history) > 4
    assert (np.diff(history) <= 0.0).all()


def test_a_feature_that_does_not_vary_in_a_task_takes_its_neighbours_value() -> None:
    problem, chains = random_problem(SQUARED, D=D), random_chains(0.02)
    problem.X[problem.rows(2), 1] = 0.0
    problem.X[:, 3] = 0.0
    W, b, _ = solve(problem, chains)
    assert not W[3].any()
    place = int(np.flatnonzero(chains.order[1] == 2)[0])
    neighbours = [chains.order[1, t] for t in (place - 1, place + 1) if 0 <= t < T]
    assert min(abs(W[1, 2] - W[1, i]) for i in neighbours) < 1e-6
    assert np.isfinite(b).all()


def test_penalty_of_all_features() -> None:
    problem, chains = random_problem(SQUARED, D=D), random_chains(0.3)
    W = np.random.default_rng(1).normal(size=(D, T))
    W[2] = 0.0
    null = twins.total_loss(SQUARED, problem.y, problem.predictions(W, np.zeros(T)), problem.weight)
    expected = objective(problem, chains, W, np.zeros(T)) - null
    assert fusion_penalty(W, chains) == pytest.approx(expected)
