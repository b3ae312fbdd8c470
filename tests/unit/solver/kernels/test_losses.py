"""Losses as quadratic models: derivatives are derivatives, and a step never goes up."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from stcmtl.solver.kernels.losses import (
    LOGISTIC,
    SQUARED,
    Loss,
    Mcp,
    convex_step,
    dot,
    loss_and_model,
    penalty_value,
    pull_and_square,
    pull_and_stiffness,
    release,
    safe_step,
    soft_threshold,
    total_loss,
    weighted_square,
)
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.twins import LOSSES, Array

RNG = np.random.default_rng(0)
Y = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
F = np.array([0.3, 0.8, -1.7, -0.2, 4.0, 2.5])
WEIGHT = np.array([0.5, 0.25, 1.0, 0.0, 0.1, 2.0])


def model(loss: int, y: Array, f: Array, weight: Array) -> tuple[Array, Array]:
    e, h = np.full(y.size, np.nan), np.full(y.size, np.nan)
    pull_and_stiffness(Loss(loss, y, weight), f, e, h)
    return e, h


@pytest.mark.parametrize("loss", LOSSES)
def test_total_loss_is_the_weighted_sum(loss: int) -> None:
    expected = twins.total_loss(loss, Y, F, WEIGHT)
    assert total_loss(Loss(loss, Y, WEIGHT), F) == pytest.approx(expected, rel=1e-14)


def test_losses_by_hand() -> None:
    y, f, weight = np.array([1.0, -1.0]), np.array([0.0, 2.0]), np.array([1.0, 0.5])
    assert total_loss(Loss(SQUARED, y, weight), f) == pytest.approx(1.0 + 0.5 * 9.0)
    assert total_loss(Loss(LOGISTIC, y, weight), f) == pytest.approx(
        np.log(2.0) + 0.5 * np.log1p(np.exp(2.0))
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_pull_and_stiffness_are_derivatives(loss: int) -> None:
    e, h = model(loss, Y, F, WEIGHT)
    for r in range(Y.size):

        def value(f: float, r: int = r) -> float:
            return total_loss(Loss(loss, Y[r : r + 1], WEIGHT[r : r + 1]), np.array([f]))

        first = (value(F[r] + 1e-6) - value(F[r] - 1e-6)) / 2e-6
        assert e[r] == pytest.approx(-first, rel=1e-7, abs=1e-9)
        assert h[r] == pytest.approx(twins.second_difference(value, F[r], 1e-3), rel=1e-5, abs=1e-9)


def test_logistic_loss_stands_extreme_margins() -> None:
    y, f, weight = np.array([1.0, 1.0, -1.0]), np.array([1000.0, -1000.0, 800.0]), np.ones(3)
    assert total_loss(Loss(LOGISTIC, y, weight), f) == pytest.approx(1800.0, rel=1e-14)
    e, h = model(LOGISTIC, y, f, weight)
    np.testing.assert_allclose(e, [0.0, 1.0, -1.0], atol=1e-300)
    np.testing.assert_array_equal(h, 1e-4)  # never flat: the floor keeps Newton steps finite


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_loss_pull_and_stiffness_of_labels_in_one_go(scale: float) -> None:
    rng = np.random.default_rng(3)
    y, f = np.where(rng.random(900) < 0.5, 1.0, -1.0), scale * rng.normal(size=900)
    weight = np.repeat([0.5, 0.0, 0.2], 300)  # long enough for a product to grow
    e, h = np.empty(900), np.empty(900)
    value = loss_and_model(Loss(LOGISTIC, y, weight), f, e, h)
    assert value == pytest.approx(twins.total_loss(LOGISTIC, y, f, weight), rel=1e-12)
    expected = model(LOGISTIC, y, f, weight)
    np.testing.assert_allclose(e, expected[0], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(h, expected[1], rtol=1e-10)


@together("z", [-2.0, -0.5, -0.2, 0.0, 0.3, 0.5, 1.7])
def test_soft_threshold_minimises(z: float) -> None:
    found = soft_threshold(z, 0.5)
    best = minimize_scalar(
        lambda u: 0.5 * (u - z) ** 2 + 0.5 * abs(u), bounds=(-3, 3), options={"xatol": 1e-12}
    )
    assert found == pytest.approx(best.x, abs=1e-6)
    assert found == pytest.approx(twins.soft_threshold(z, 0.5), abs=1e-15)
    assert abs(z) > 0.5 or found == 0.0


def test_sums_over_rows() -> None:
    x, e, h = RNG.normal(size=(3, 37))
    assert dot(x, e) == pytest.approx(float(x @ e), rel=1e-13)
    assert weighted_square(x, h) == pytest.approx(float(h @ x**2), rel=1e-12)
    assert pull_and_square(x, e, h) == pytest.approx((float(x @ e), float(h @ x**2)), rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_release_leaves_the_pull_of_the_model(loss: int) -> None:
    x = RNG.normal(size=Y.size)
    e, h = model(loss, Y, F, WEIGHT)
    before = e.copy()
    release(e, h, x, 0.3)
    np.testing.assert_allclose(e, before - 0.3 * h * x, rtol=1e-14)
    if loss == SQUARED:  # whose model is exact
        np.testing.assert_allclose(e, model(loss, Y, F + 0.3 * x, WEIGHT)[0], atol=1e-14)


def test_penalty_is_the_integral_of_its_derivative() -> None:
    U = np.array([[0.0, 0.1], [-0.4, 2.0], [3.0, -0.05]])
    levels, concavity = np.array([0.5, 0.2]), np.array([[1.0, 0.5], [0.3, 0.4], [0.8, 0.0]])
    expected = 0.0
    for (d, k), u in np.ndenumerate(U):
        level, bend = levels[k], concavity[d, k]
        ends = [level / bend] if bend > 0 and level / bend < abs(u) else None
        expected += quad(lambda t, a=level, c=bend: max(a - c * t, 0.0), 0.0, abs(u), points=ends)[
            0
        ]
    assert penalty_value(U, Mcp(levels, concavity)) == pytest.approx(expected, rel=1e-10)
    assert penalty_value(U, Mcp(levels, concavity)) == pytest.approx(
        twins.penalty_value(U, levels, concavity), rel=1e-14
    )


def test_penalty_without_concavity_is_the_l1_norm() -> None:
    U, levels = RNG.normal(size=(6, 3)), np.array([0.5, 1.0, 2.0])
    expected = (np.abs(U) * levels).sum()
    assert penalty_value(U, Mcp(levels, np.zeros((6, 3)))) == pytest.approx(expected, rel=1e-14)


class TestSafeStep:
    """From (f, old) towards (target, new): one row per coefficient, so f = U."""

    levels, concavity = np.array([0.1]), np.zeros((6, 1))

    def objective(self, loss: int, f: Array) -> float:
        return twins.total_loss(loss, Y, f, WEIGHT) + 0.1 * float(np.abs(f).sum())

    def go(self, loss: int, target: Array) -> tuple[float, float, Array, Array]:
        f, old, new, end = F.copy(), F[:, None].copy(), target[:, None].copy(), target.copy()
        size, fall = safe_step(
            Loss(loss, Y, WEIGHT), f, end, old, new, Mcp(self.levels, self.concavity)
        )
        np.testing.assert_array_equal(f, F)
        np.testing.assert_array_equal(old[:, 0], F)
        return size, fall, end, new[:, 0]

    @pytest.mark.parametrize("loss", LOSSES)
    def test_a_step_down_is_taken_whole(self, loss: int) -> None:
        target = F + 0.1 * model(loss, Y, F, WEIGHT)[0]
        size, fall, end, new = self.go(loss, target)
        assert size == 1.0
        assert fall == pytest.approx(self.objective(loss, F) - self.objective(loss, target))
        np.testing.assert_array_equal(end, target)
        np.testing.assert_array_equal(new, target)

    @together("loss", LOSSES)
    @pytest.mark.parametrize("length", [3.0, 30.0, 300.0])
    def test_a_step_too_far_is_halved_until_it_does_not_rise(
        self, loss: int, length: float
    ) -> None:
        direction = length * model(loss, Y, F, WEIGHT)[0]
        expected = next(
            s for s in 0.5 ** np.arange(20)
            if self.objective(loss, F + s * direction) <= self.objective(loss, F)
        )  # fmt: skip
        size, fall, end, new = self.go(loss, F + direction)
        assert size == expected
        np.testing.assert_allclose(end, F + expected * direction, rtol=1e-12)
        np.testing.assert_allclose(new, F + expected * direction, rtol=1e-12)
        assert fall == pytest.approx(self.objective(loss, F) - self.objective(loss, end), abs=1e-12)

    @pytest.mark.parametrize("loss", LOSSES)
    def test_a_step_uphill_is_not_taken(self, loss: int) -> None:
        uphill = F - 10.0 * model(loss, Y, F, WEIGHT)[0] + 0.1 * np.sign(F)
        size, fall, end, new = self.go(loss, uphill)
        assert (size, fall) == (0.0, 0.0)
        np.testing.assert_array_equal(end, F)
        np.testing.assert_array_equal(new, F)


class TestConvexStep:
    @pytest.mark.parametrize("loss", LOSSES)
    def test_a_step_down_is_taken_whole(self, loss: int) -> None:
        target = F + 0.1 * model(loss, Y, F, WEIGHT)[0]
        end = target.copy()
        assert convex_step(Loss(loss, Y, WEIGHT), F, end, 0.0, 0.0) == 1.0
        np.testing.assert_array_equal(end, target)

    @together("loss", LOSSES)
    @pytest.mark.parametrize("rise", [-0.5, 0.0, 0.01])
    def test_a_step_too_far_is_halved_until_the_bound_does_not_rise(
        self, loss: int, rise: float
    ) -> None:
        direction = 30.0 * model(loss, Y, F, WEIGHT)[0]
        start = twins.total_loss(loss, Y, F, WEIGHT)
        expected = next(
            s for s in 0.5 ** np.arange(20)
            if twins.total_loss(loss, Y, F + s * direction, WEIGHT) + s * rise <= start
        )  # fmt: skip
        end = F + direction
        assert convex_step(Loss(loss, Y, WEIGHT), F, end, 1.0, 1.0 + rise) == expected
        np.testing.assert_allclose(end, F + expected * direction, rtol=1e-12)

    def test_no_step_where_none_is_safe(self) -> None:
        end = F - model(SQUARED, Y, F, WEIGHT)[0]  # uphill
        assert convex_step(Loss(SQUARED, Y, WEIGHT), F, end, 0.0, 0.0) == 0.0
        np.testing.assert_array_equal(end, F)
