"""A mixed model's EM: against the same in plain NumPy, task by task at once."""

import numpy as np
import pytest

from stcmtl.solver.kernels.slopes import NEARLY_FLAT, SlopeSums, climb, invert
from stcmtl.stopping import new_halt
from tests.unit.cases import together
from tests.unit.twins import Array

SMALLEST = 1e-10


def draw(T: int, q: int, n: int, seed: int) -> SlopeSums:
    """Tasks of one intercept and q - 1 slopes, each varying as much as it likes."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(T, n, q))
    Z[..., 0] = 1.0
    w = 1.0 + rng.normal(size=(T, q)) * rng.uniform(size=q)
    r = np.einsum("tnq,tq->tn", Z, w) + 0.5 * rng.normal(size=(T, n))
    G, c = Z.transpose(0, 2, 1) @ Z, np.einsum("tnq,tn->tq", Z, r)
    return SlopeSums(G, c, (r**2).sum(axis=1), np.full(T, float(n)))


def climb_twin(sums: SlopeSums, steps: int, unseen: float) -> tuple[Array, Array, float]:
    """Mean, inverse of Sigma, noise."""
    G, c, squares, counts = sums
    T, q = c.shape
    noise = squares.sum() / counts.sum()
    floor = SMALLEST * noise
    curvature = np.diagonal(G.mean(axis=0))
    mean, Sigma = np.zeros(q), np.diag(noise / curvature)
    for _ in range(steps):
        inverse = np.linalg.inv(Sigma)
        A = np.linalg.inv(G / noise + inverse)
        R = A @ inverse  # how far effects follow the mean
        information = inverse @ (A @ G).sum(axis=0) / noise
        C = np.linalg.inv(information + NEARLY_FLAT * np.diag(np.diag(information)))
        mean = C @ inverse @ np.einsum("tde,te->d", A, c) / noise
        m = np.einsum("tde,te->td", A, c / noise + inverse @ mean)
        apart, loose = m - mean, R - np.eye(q)
        vary = A + loose @ C @ loose.transpose(0, 2, 1) + apart[:, :, None] * apart[:, None]
        Sigma = vary.mean(axis=0)
        Sigma = (T * Sigma + unseen * np.diag(np.diag(Sigma))) / (T + unseen)
        Sigma += np.diag(floor / curvature)
        second = A + R @ C @ R.transpose(0, 2, 1) + m[:, :, None] * m[:, None]
        left = squares - 2.0 * (m * c).sum(axis=1) + np.einsum("tde,ted->t", G, second)
        noise = left.sum() / counts.sum()
    return mean, np.linalg.inv(Sigma), noise


def climbed(
    sums: SlopeSums, steps: int, unseen: float = 0.0, largest: float = np.inf
) -> tuple[Array, Array, float]:
    noise = sums.squares.sum() / sums.counts.sum()
    curvature = np.diagonal(sums.G.mean(axis=0)).copy()
    bounds = SMALLEST * noise, largest
    return climb(sums, curvature, noise, *bounds, unseen, steps, new_halt())


@together(("T", "q", "n"), [(32, 7, 16), (10, 3, 5), (5, 7, 3), (4, 1, 9)])
@pytest.mark.parametrize("steps", [1, 60])
def test_climb(T: int, q: int, n: int, steps: int) -> None:
    """As if no, or q, more tasks had been seen without correlations."""
    sums = draw(T, q, n, seed=T)
    for unseen in (0.0, float(q)):
        expected = climb_twin(sums, steps, unseen)
        for found, wanted in zip(climbed(sums, steps, unseen), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-12)


def test_climb_ends_before_noise_is_too_large() -> None:
    sums = draw(10, 3, 5, seed=0)
    mean, inverse, noise = climbed(sums, 60, largest=1e-9)
    assert not mean.any()
    assert noise == pytest.approx(sums.squares.sum() / sums.counts.sum())
    curvature = np.diagonal(sums.G.mean(axis=0))
    np.testing.assert_allclose(inverse, np.diag(curvature / noise))


def test_climb_ends_when_asked() -> None:
    sums, byte = draw(10, 3, 5, seed=0), new_halt()
    byte[0] = 1
    mean, _, _ = climb(sums, np.ones(3), 1.0, SMALLEST, np.inf, 3.0, 60, byte)
    assert not mean.any()


def test_invert_says_what_has_no_inverse() -> None:
    root = np.random.default_rng(0).normal(size=(5, 4))
    A = root.T @ root
    L, M, inverse = np.empty((4, 4)), np.empty((4, 4)), np.empty((4, 4))
    assert invert(A, L, M, inverse)
    np.testing.assert_allclose(inverse, np.linalg.inv(A), rtol=1e-10)
    for worse in (np.diag([1.0, 0.0, 1.0, 1.0]), np.diag([1.0, 1.0, -1e-3, 1.0]), A * np.nan):
        assert not invert(worse, L, M, inverse)
