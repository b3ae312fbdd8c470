"""The parts of the U step, each against its twin in plain NumPy or brute force."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.kernels.clusters import (
    Clusters,
    Model,
    block_curvature,
    descend_clusters,
    penalised_minimum,
    predict_clusters,
    predict_each,
    predict_rows,
    set_concavity,
    shift_intercepts,
    strong_rule,
    sweep_clusters,
    task_squares,
)
from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED, Loss, Mcp, Tasks
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.problems import correlated_rows, random_memberships, random_problem
from tests.unit.twins import Array, Indices

L1, MCP = 0.0, 0.5
D, K, T = 12, 3, 5
PURE = np.eye(K)[[0, 1, 2, 1, 0]].T.copy()
MIXED = random_memberships(K, T, seed=1)


@pytest.fixture
def rows() -> tuple[Array, Array, Array, Indices]:
    """X with a zero column, a pull and stiffnesses with held-out rows, and five tasks."""
    X = correlated_rows(40, 7, seed=2)
    X[:, 4] = 0.0
    rng = np.random.default_rng(3)
    h = rng.uniform(0.1, 1.0, 40) * (np.arange(40) % 6 > 0)
    return X, 3.0 * h * rng.normal(size=40), h, np.array([0, 5, 15, 22, 33, 40])


def tasks(X: Array, starts: Indices) -> Tasks:
    """For parts that do not look at the loss itself."""
    return Tasks(X, starts, Loss(SQUARED, np.zeros(len(X)), np.ones(len(X))), True)


@pytest.mark.parametrize("V", [PURE, MIXED], ids=["pure", "mixed"])
def test_block_curvature(rows: tuple[Array, Array, Array, Indices], V: Array) -> None:
    X, _, h, starts = rows
    squares, out = np.full((7, T), np.nan), np.full((7, K, K), np.nan)
    task_squares(X, h, starts, squares)
    block_curvature(squares, 1.0, V, out)
    np.testing.assert_allclose(out, twins.block_curvature(X, h, V, starts), atol=1e-13)


@pytest.mark.parametrize(("loss", "stiffness"), [(SQUARED, 2.0), (LOGISTIC, 0.125)])
def test_concavity_is_a_share_of_a_fixed_curvature(loss: int, stiffness: float) -> None:
    problem, V = random_problem(loss), random_memberships(K, T, 0)
    concavity = np.empty((D, K))
    set_concavity(problem.squares, problem.loss, V, 0.5, concavity)
    full = twins.block_curvature(problem.X, stiffness * problem.weight, V, problem.starts)
    np.testing.assert_allclose(concavity, 0.5 * np.einsum("dkk->dk", full))


@together("z", [-3.0, -1.2, -0.6, -0.1, 0.0, 0.4, 0.51, 0.9, 1.01, 5.0])
@pytest.mark.parametrize(("curvature", "bend"), [(1.0, 0.0), (1.0, 0.5), (2.5, 2.0), (0.3, 0.1)])
def test_penalised_minimum_is_the_minimum(z: float, curvature: float, bend: float) -> None:
    found = penalised_minimum(z, curvature, 0.5, bend)
    assert found == pytest.approx(twins.penalised_minimum(z, curvature, 0.5, bend), abs=1e-6)
    assert abs(z) > 0.5 or found == 0.0


@pytest.mark.parametrize("z", [0.4, 0.7, 1.5])
def test_a_bend_beyond_the_curvature_is_a_hard_threshold(z: float) -> None:
    found = penalised_minimum(z, 1.0, 0.5, 3.0)
    assert found in (0.0, z)
    assert found == pytest.approx(twins.penalised_minimum(z, 1.0, 0.5, 3.0), abs=1e-6)


@pytest.mark.parametrize("V", [PURE, MIXED], ids=["pure", "mixed"])
@pytest.mark.parametrize("inverse_a", [L1, MCP], ids=["l1", "mcp"])
@pytest.mark.parametrize("left_out", [[], [1, 3]], ids=["all", "some"])
def test_sweep_matches_its_twin(
    rows: tuple[Array, Array, Array, Indices],
    V: Array,
    inverse_a: float,
    left_out: list[int],
) -> None:
    X, e, h, starts = rows
    rng = np.random.default_rng(4)
    U = rng.normal(size=(7, K)) * (rng.uniform(size=(7, K)) < 0.4)
    U[[1, 4]] = 0.0
    before, levels = U.copy(), np.array([0.3, 0.8, 1.5])
    chosen, left = ~np.isin(np.arange(7), left_out), np.full((7, K), np.inf)
    curvature = twins.block_curvature(X, h, V, starts)
    concavity = inverse_a * np.einsum("dkk->dk", curvature)
    expected = twins.sweep_clusters(X, e, h, U, V, starts, levels, concavity, chosen)
    largest = sweep_clusters(
        tasks(X, starts),
        Clusters(U, V, np.zeros(T)),
        Model(e, h, curvature),
        Mcp(levels, concavity),
        chosen,
        left,
    )
    np.testing.assert_allclose(U, expected[0], atol=1e-6)
    np.testing.assert_allclose(e, expected[1], atol=1e-6)
    assert largest == pytest.approx(expected[2], rel=1e-5)
    np.testing.assert_array_equal(U[left_out], before[left_out])
    assert np.isinf(left[left_out]).all()
    # no feature after the last can have changed its slopes
    np.testing.assert_allclose(left[-1], twins.cluster_slopes(X, e, V, starts)[-1], atol=1e-12)


def test_descent_ends_at_the_optimum(rows: tuple[Array, Array, Array, Indices]) -> None:
    X, e, h, starts = rows
    pull, U, b, levels = e.copy(), np.zeros((7, K)), np.zeros(T), np.array([0.3, 0.8, 1.5])
    curvature = twins.block_curvature(X, h, MIXED, starts)
    nothing, left = np.zeros(7, dtype=np.bool_), np.full((7, K), np.nan)  # chosen at first
    descend_clusters(
        tasks(X, starts),
        Clusters(U, MIXED, b),
        Model(e, h, curvature),
        Mcp(levels, np.zeros((7, K))),
        nothing,
        left,
        1e-22,
    )
    remaining = pull - h * twins.predict_clusters(X, U, MIXED, b, starts)
    np.testing.assert_allclose(e, remaining, atol=1e-9)
    expected = twins.cluster_slopes(X, remaining, MIXED, starts)
    assert twins.optimality_gap(expected, U, levels) < 1e-8
    np.testing.assert_allclose(left, expected, atol=1e-8)
    np.testing.assert_allclose(np.add.reduceat(remaining, starts[:-1]), 0.0, atol=1e-9)
    assert 0 < np.count_nonzero(U) < U.size


def test_strong_rule() -> None:
    """Features in use, or with a slope of at least 2 level - previous in some cluster."""
    U = np.array([[0.0, 0.0], [0.0, -1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    slopes = np.array([[0.5, 0.21], [0.0, 0.0], [-0.61, 0.0], [0.59, 0.19], [np.inf, 0.0]])
    levels, previous = np.array([0.8, 0.4]), np.array([1.0, 0.6])  # thresholds 0.6 and 0.2
    chosen = strong_rule(U, slopes, levels, previous)
    assert chosen.tolist() == [True, True, True, False, True]


def test_intercepts_of_all_tasks(rows: tuple[Array, Array, Array, Indices]) -> None:
    _, e, h, starts = rows
    h[starts[2] : starts[3]] = e[starts[2] : starts[3]] = 0.0  # a task held out altogether
    before, b = e.copy(), np.arange(5.0)
    shift_intercepts(e, h, starts, b)
    sums = np.add.reduceat(np.stack([before, h]), starts[:-1], axis=1)
    steps = np.divide(sums[0], sums[1], out=np.zeros(5), where=sums[1] > 0)
    np.testing.assert_allclose(b, np.arange(5.0) + steps, rtol=1e-12)
    np.testing.assert_allclose(e, before - h * steps[twins.task_of_row(starts)], atol=1e-13)


def test_predictions(rows: tuple[Array, Array, Array, Indices]) -> None:
    X, _, _, starts = rows
    rng = np.random.default_rng(5)
    U, b, f = rng.normal(size=(7, K)), rng.normal(size=5), np.full(40, np.nan)
    U[2] = 0.0
    predict_clusters(tasks(X, starts), Clusters(U, MIXED, b), f)
    expected = twins.predict_clusters(X, U, MIXED, b, starts)
    np.testing.assert_allclose(f, expected, rtol=1e-11)
    for some in ([], [0], [39], np.flatnonzero(rng.uniform(size=40) < 0.3), range(40)):
        few = np.array(some, dtype=np.intp)
        f = np.full(few.size, np.nan)
        predict_rows(tasks(X, starts), Clusters(U, MIXED, b), few, f)
        np.testing.assert_allclose(f, expected[few], rtol=1e-11)


def test_predictions_of_each_cluster(rows: tuple[Array, Array, Array, Indices]) -> None:
    X, _, _, starts = rows
    U = np.where(np.arange(7 * K).reshape(7, K) % 3, np.arange(7.0)[:, None] - 2.5, 0.0)
    U[:, 1] = 0.0  # an empty cluster
    Z = np.full((40, K), np.nan)
    predict_each(tasks(X, starts), U, Z)
    np.testing.assert_allclose(Z, X @ U, rtol=1e-11, atol=1e-12)
