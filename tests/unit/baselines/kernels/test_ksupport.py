"""The squared k-support norm and its proximal operator: against brute force and known cases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from stcmtl.baselines.kernels.ksupport import (
    fit_columns,
    shrink_ksupport,
    squared_ksupport,
    squared_norms,
)
from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED, Loss, Tasks
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.twins import Array

SIZES = [(K, k) for K in (1, 2, 3, 5) for k in range(1, K + 1)]
EVERY_SIZE = together(("K", "k"), SIZES)


def by_sorting(v: Array, k: int) -> float:
    """Argyriou, Foygel and Srebro (2012), Proposition 2.1."""
    size = np.append(np.inf, np.sort(np.abs(v))[::-1])  # size[1] is the largest
    for r in range(k):
        tail = size[k - r :].sum()
        if size[k - r - 1] > tail / (r + 1) >= size[k - r]:
            return float((size[1 : k - r] ** 2).sum() + tail**2 / (r + 1))
    raise AssertionError("one r fits")


def shrunk(z: Array, level: float, k: int) -> Array:
    v = np.empty(z.size)
    shrink_ksupport(z, level, k, v)
    return v


@EVERY_SIZE
def test_norm_is_that_of_the_closed_form(K: int, k: int) -> None:
    rng = np.random.default_rng(K + 10 * k)
    for _ in range(30):
        v = rng.normal(size=K) * rng.choice([0.1, 1.0, 10.0], K)
        assert squared_ksupport(v, k) == pytest.approx(by_sorting(v, k))


def test_norm_lies_between_the_l2_and_the_l1_norm() -> None:
    v = np.array([3.0, -1.0, 0.0, 2.0])
    values = [squared_ksupport(v, k) for k in (1, 2, 3, 4)]
    assert values[0] == pytest.approx(np.abs(v).sum() ** 2)
    assert values[2:] == pytest.approx([v @ v, v @ v])
    assert values[0] > values[1] > values[2]
    assert squared_ksupport(np.zeros(4), 2) == 0.0
    assert squared_norms(np.stack([v, 2.0 * v], axis=1), 1) == pytest.approx(5.0 * values[0])


@EVERY_SIZE
@pytest.mark.parametrize("level", [0.01, 0.5, 5.0])
def test_proximal_operator_is_a_minimum(K: int, k: int, level: float) -> None:
    """Of a convex function: if nothing near is lower, nothing is."""
    rng = np.random.default_rng(K + 10 * k)

    def objective(v: Array) -> float:
        return float(0.5 * (v - z) @ (v - z)) + 0.5 * level * by_sorting(v, k)

    for _ in range(5):
        z = rng.normal(size=K)
        v = shrunk(z, level, k)
        reached = objective(v)
        for radius in (1e-1, 1e-3):
            near = [objective(v + radius * rng.normal(size=K)) for _ in range(50)]
            assert min(near) >= reached - 1e-12
        found = minimize(objective, z, method="Powell", options={"ftol": 1e-12})
        assert reached <= found.fun + 1e-9


class TwoTasks:
    """Two tasks with latent columns Z (K, n) and an offset."""

    def __init__(self, loss: int, K: int = 3) -> None:
        rng = np.random.default_rng(3)
        self.starts = np.array([0, 30, 50])
        self.Z = rng.normal(size=(K, 50))
        signal = self.Z.T @ np.array([1.0, -0.5, 0.0])[:K] + 0.8
        noisy = signal + 0.3 * rng.normal(size=50)
        self.y = noisy if loss == SQUARED else np.where(noisy > 0.3 * rng.normal(size=50), 1.0, -1)
        self.weight = np.repeat([1.0 / 30, 1.0 / 20], [30, 20])
        self.loss = loss

    def start(self) -> tuple[Array, Array, Array]:
        return np.zeros((len(self.Z), 2)), np.zeros(2), np.zeros(50)

    def step(self, V: Array, b: Array, f: Array, mu: float, k: int, intercept: bool) -> float:
        loss = Loss(self.loss, self.y, self.weight)
        tasks = Tasks(np.empty((50, 2), order="F"), self.starts, loss, intercept)
        return fit_columns(tasks, self.Z, V, b, f, mu, k)

    def objective(self, V: Array, b: Array, mu: float, k: int) -> float:
        task = np.repeat([0, 1], [30, 20])
        f = np.einsum("kn,kn->n", self.Z, V[:, task]) + b[task]
        penalty = sum(by_sorting(v, k) for v in V.T)
        return twins.total_loss(self.loss, self.y, f, self.weight) + mu * penalty


def test_columns_with_all_in_the_support_are_ridge_regressions() -> None:
    tasks, mu = TwoTasks(SQUARED), 0.2
    V, b, f = tasks.start()
    norms = tasks.step(V, b, f, mu, 3, True)
    for i, rows in enumerate((slice(0, 30), slice(30, 50))):
        Z, y = tasks.Z[:, rows], tasks.y[rows]
        Zc = Z - Z.mean(axis=1, keepdims=True)
        expected = np.linalg.solve(Zc @ Zc.T / y.size + mu * np.eye(3), Zc @ y / y.size)
        np.testing.assert_allclose(V[:, i], expected, rtol=1e-6)
        assert b[i] == pytest.approx(y.mean() - Z.mean(axis=1) @ expected)
        np.testing.assert_allclose(f[rows], Z.T @ V[:, i] + b[i])
    assert norms == pytest.approx((V**2).sum())


@pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("k", [1, 2])
def test_columns_end_at_a_minimum_and_never_rise(loss: int, intercept: bool, k: int) -> None:
    tasks, mu, rng = TwoTasks(loss), 0.1, np.random.default_rng(0)
    V, b, f = tasks.start()
    values = [tasks.objective(V, b, mu, k)]
    for _ in range(20):
        tasks.step(V, b, f, mu, k, intercept)
        values.append(tasks.objective(V, b, mu, k))
    assert (np.diff(values) <= 1e-12).all()
    assert bool(b.any()) == intercept
    for _ in range(200):
        shift = 1e-3 * rng.normal(size=2) * intercept
        near = tasks.objective(V + 1e-3 * rng.normal(size=V.shape), b + shift, mu, k)
        assert near >= values[-1] - 1e-12


def test_columns_of_zeros_have_no_weight() -> None:
    tasks = TwoTasks(SQUARED)
    tasks.Z[:] = 0.0
    V, b, f = np.ones((3, 2)), np.zeros(2), np.zeros(50)
    assert tasks.step(V, b, f, 0.1, 1, False) == 0.0
    assert not V.any()
