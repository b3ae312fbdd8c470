"""Chains: against their dual, a bounded least-squares problem, which scipy solves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from stcmtl.baselines.kernels.chains import anchored_chain, chain_entry, chain_penalty, fused_chain
from tests.unit.twins import Array

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


@pytest.mark.parametrize("seed", SEEDS)
def test_an_anchored_chain_solves_its_dual(seed: int) -> None:
    z, c, fusion, r, anchor = random_chain(seed)
    expected = by_duality(z, c, np.append(fusion, anchor), r)
    np.testing.assert_allclose(solved(z, c, fusion, r, anchor), expected, atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
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


@pytest.mark.parametrize("seed", SEEDS)
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
