"""Wild values: who is one, and Huber's loss by targets that are tamed in turn."""

import numpy as np
import pytest
from scipy.optimize import minimize

from stcmtl.solver.kernels.losses import SQUARED
from stcmtl.solver.problem import Rows
from stcmtl.solver.wild_rows import (
    HIGH_LIMIT,
    LOW_LIMIT,
    choose_limit,
    distances,
    find_wild,
    has_heavy_tails,
    robust_spreads,
    tame,
    tame_first,
    tame_levels,
)

N = 400


def some_rows(noise: np.ndarray, n_tasks: int = 10) -> Rows:
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.arange(noise.size) % n_tasks)
    X = rng.normal(size=(noise.size, 3))
    return Rows(X, noise, codes, SQUARED, True, False)


def normal(seed: int = 0, size: int = N) -> np.ndarray:
    return np.random.default_rng([seed, 1]).normal(size=size)


def are_heavy(rows: Rows) -> bool:
    return has_heavy_tails(rows, distances(rows, np.zeros(rows.y.size)))


def test_spreads_are_median_deviations_shrunken_to_those_of_all_rows() -> None:
    noise = normal()
    rows = some_rows(noise)
    centers, spreads = robust_spreads(rows, noise)
    apart = np.concatenate([np.abs(noise[rows.codes == i] - centers[i]) for i in range(10)])
    own = noise[rows.codes == 3]
    expected = 40.0 * np.median(np.abs(own - np.median(own))) ** 2 + 10.0 * np.median(apart) ** 2
    assert centers[3] == np.median(own)
    assert spreads[3] == pytest.approx(1.4826 * np.sqrt(expected / 50.0))


@pytest.mark.parametrize("size", [20.0, 1000.0, -1e6])
def test_a_wild_value_is_found_and_held_back(size: float) -> None:
    noise = normal()
    noise[17] += size
    rows = some_rows(noise)
    apart = distances(rows, np.zeros(N))
    assert find_wild(apart).tolist() == [17]
    assert has_heavy_tails(rows, apart)
    assert abs(tame_levels(rows)[17]) < 8.0
    tamed = tame_first(rows, np.zeros(N))
    assert tamed.y[17] == 0.0
    assert np.flatnonzero(tamed.row_counts < 1.0).tolist() == [17]


def test_normal_noise_has_no_heavy_tails_and_t3_has() -> None:
    for seed in range(50):
        assert not are_heavy(some_rows(normal(seed)))
        assert not are_heavy(some_rows(normal(seed, 200), n_tasks=40))  # of five rows each
    for seed in range(5):
        noise = np.random.default_rng(seed).standard_t(3, 4 * N)
        assert are_heavy(some_rows(noise))


def test_the_limit_is_high_for_normal_noise_and_low_for_heavy_tails() -> None:
    t3 = np.random.default_rng(0).standard_t(3, 2000)
    assert choose_limit(normal(size=2000), 50.0) == HIGH_LIMIT
    assert choose_limit(np.append(normal(size=2000), [1e3] * 5), 50.0) == HIGH_LIMIT
    assert choose_limit(t3, 50.0) == LOW_LIMIT
    skewed = np.random.default_rng(0).exponential(size=2000) * 2.0 - np.log(4.0)
    assert choose_limit(skewed, 50.0) == HIGH_LIMIT  # whose mean a low limit would shift


def test_fits_to_tamed_targets_in_turn_end_at_hubers_minimum() -> None:
    """Against a general minimiser of the loss itself."""
    rng = np.random.default_rng(3)
    X = np.column_stack([np.ones(80), rng.normal(size=(80, 2))])
    y = X @ [1.0, 2.0, -1.0] + rng.standard_t(2, 80)
    rows = Rows(X, y, np.zeros(80, dtype=np.int64), SQUARED, True, False)
    c = 1.3

    def huber(w: np.ndarray) -> float:
        r = np.abs(y - X @ w)
        fading = 7.0 * c**2 + 8.0 * c**2 * np.log(np.maximum(r, 4.0 * c) / (4.0 * c))
        loss = np.where(r <= c, r**2, 2.0 * c * r - c**2)
        return float(np.where(r <= 4.0 * c, loss, fading).sum())

    w = np.zeros(3)
    for _ in range(200):
        w = np.linalg.lstsq(X, tame(rows, X @ w, np.array([c])), rcond=None)[0]
    assert (np.abs(y - X @ w) > 4.0 * c).any()
    expected = minimize(huber, [1.0, 2.0, -1.0], method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose(w, expected, atol=1e-5)
