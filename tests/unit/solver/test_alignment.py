"""The matching of clusters is the best there is, and the same one every time."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from stcmtl.solver.alignment import match_clusters, pad_clusters
from stcmtl.solver.records import Array


def memberships(K: int, T: int, seed: int) -> Array:
    return np.random.default_rng(seed).dirichlet(np.full(K, 0.3), T).T


def distance(V: Array, reference: Array) -> float:
    return float(np.abs(V - reference).sum())


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0], [2, 0, 3, 1]])
def test_finds_the_permutation_that_was_applied(order: list[int]) -> None:
    reference = memberships(4, 30, seed=1)
    V = reference[order]
    np.testing.assert_array_equal(match_clusters(V, reference), np.argsort(order))
    np.testing.assert_array_equal(V[match_clusters(V, reference)], reference)


@pytest.mark.parametrize("seed", range(8))
def test_no_permutation_is_better(seed: int) -> None:
    # Unrelated memberships: the greedy choice is often not the best one.
    V, reference = memberships(5, 7, seed), memberships(5, 7, seed + 100)
    found = match_clusters(V, reference)
    best = min(permutations(range(5)), key=lambda p: distance(V[list(p)], reference))
    assert tuple(found) == best


def test_clusters_without_a_partner_go_last_in_their_order() -> None:
    reference = memberships(2, 20, seed=2)
    spare = np.full((3, 20), 0.01)
    V = np.vstack([spare[0], reference[1], spare[1], reference[0], spare[2]])
    assert match_clusters(V, reference).tolist() == [3, 1, 0, 2, 4]


def test_fewer_clusters_follow_the_order_of_their_partners() -> None:
    reference = memberships(5, 20, seed=3)
    assert match_clusters(reference[[4, 0, 2]], reference).tolist() == [1, 2, 0]


@pytest.mark.parametrize("seed", range(4))
def test_best_also_with_different_numbers_of_clusters(seed: int) -> None:
    V, reference = memberships(5, 6, seed), memberships(3, 6, seed + 50)
    found = match_clusters(V, reference)
    assert sorted(found) == list(range(5))
    padded = pad_clusters(reference, 5)
    best = min(distance(V[list(p)], padded) for p in permutations(range(5)))
    assert distance(V[found], padded) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("K", [1, 2, 6])
def test_a_tie_leaves_clusters_in_place(K: int) -> None:
    uniform = np.full((K, 9), 1 / K)
    assert match_clusters(uniform, uniform).tolist() == list(range(K))


def test_rounding_does_not_settle_a_tie() -> None:
    # The last two clusters are twins up to the last bits.
    reference = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]])
    V = reference.copy()
    V[1] += [0.0, 2e-16, -2e-16]
    V[2] -= [0.0, 1e-16, -1e-16]
    assert match_clusters(V, reference).tolist() == [0, 1, 2]
    assert match_clusters(V[[0, 2, 1]], reference).tolist() == [0, 1, 2]


def test_a_real_difference_beats_staying_in_place() -> None:
    # Two near twins, and a third cluster so far off that it sets the scale of the costs.
    reference = np.array([[0.5 + 1e-6, 0.5, 0.0], [0.5 - 1e-6, 0.5, 0.0], [0.0, 0.0, 1.0]])
    assert match_clusters(reference[[1, 0, 2]], reference).tolist() == [1, 0, 2]


def test_lists_are_welcome_and_inputs_stay_as_they_were() -> None:
    V, reference = memberships(3, 8, seed=4), memberships(3, 8, seed=5)
    before = V.copy(), reference.copy()
    np.testing.assert_array_equal(
        match_clusters(V.tolist(), reference.tolist()), match_clusters(V, reference)
    )
    np.testing.assert_array_equal(V, before[0])
    np.testing.assert_array_equal(reference, before[1])


@pytest.mark.parametrize(
    ("V", "reference"),
    [
        (np.ones((2, 4)), np.ones((2, 5))),
        (np.ones((4, 2)), np.ones((2, 4))),
        (np.ones(4), np.ones((1, 4))),
        (np.ones((2, 0)), np.ones((2, 0))),
    ],
)
def test_shapes_that_do_not_fit_are_named(V: Array, reference: Array) -> None:
    with pytest.raises(ValueError, match=r"V has shape .* and reference .*needs \.T") as caught:
        match_clusters(V, reference)
    assert str(V.shape) in str(caught.value)
    assert str(reference.shape) in str(caught.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_argument_with_nan_is_named(bad: float) -> None:
    good, poor = np.eye(2), np.array([[1.0, bad], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"^V has NaN or infinite"):
        match_clusters(poor, good)
    with pytest.raises(ValueError, match=r"^reference has NaN or infinite"):
        match_clusters(good, poor)
