"""Loadings of one task on the cone and in the span: against scipy, and against all supports."""

import numpy as np
import pytest
from scipy.optimize import nnls

from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.kernels.simplex import (
    CONE,
    SPAN,
    fit_memberships,
    fit_on_support,
    free_quadratic,
    prune_memberships,
)
from tests.unit import twins
from tests.unit.cases import together
from tests.unit.solver.kernels.mixed_task import mixed, task
from tests.unit.twins import LOSSES, Array

BOTH = pytest.mark.parametrize("fit_intercept", [True, False])
EITHER_LOSS = pytest.mark.parametrize("loss", LOSSES)
EITHER_SHAPE = pytest.mark.parametrize("shape", [CONE, SPAN], ids=["cone", "span"])
TRUTH = np.array([1.8, -0.7, 0.4, 0.0])
WEIGHT = np.linspace(0.5, 1.5, 60) / 60
RIDGE = np.array([0.02, 0.3, 0.1, 0.05])
TOL = 1e-12


def least_squares(
    Z: Array, y: Array, shape: int, ridge: Array, fit_intercept: bool
) -> tuple[Array, float]:
    """The ridge as rows below Z, the intercept as weighted means: what is left is scipy's."""
    K, share = Z.shape[1], WEIGHT / WEIGHT.sum()
    z_mean, y_mean = (share @ Z, share @ y) if fit_intercept else (np.zeros(K), 0.0)
    root = np.sqrt(WEIGHT)
    A = np.vstack([root[:, None] * (Z - z_mean), np.diag(np.sqrt(ridge / 2.0))])
    target = np.concatenate([root * (y - y_mean), np.zeros(K)])
    v = nnls(A, target)[0] if shape == CONE else np.linalg.lstsq(A, target, rcond=None)[0]
    return v, float(y_mean - z_mean @ v)


class TestFit:
    @EITHER_SHAPE
    @BOTH
    @pytest.mark.parametrize("ridge", [np.zeros(4), RIDGE], ids=["free", "ridge"])
    @together("seed", range(3))
    def test_squared_loss_is_least_squares(
        self, shape: int, fit_intercept: bool, ridge: Array, seed: int
    ) -> None:
        Z, y = task(SQUARED, 4, seed, v=TRUTH)
        given, v = mixed(Z, y, SQUARED, fit_intercept, WEIGHT, shape, ridge), np.ones(4)
        b, value = fit_memberships(given, v, 0.0, TOL)
        expected, b_expected = least_squares(Z, y, shape, ridge, fit_intercept)
        np.testing.assert_allclose(v, expected, atol=1e-6)
        np.testing.assert_array_equal(v == 0.0, expected == 0.0)
        assert b == pytest.approx(b_expected, abs=1e-6)
        loss = twins.total_loss(SQUARED, y, Z @ expected + b_expected, WEIGHT)
        assert value == pytest.approx(loss + 0.5 * ridge @ expected**2, rel=1e-9)

    @EITHER_SHAPE
    @BOTH
    @pytest.mark.parametrize("ridge", [np.zeros(4), RIDGE], ids=["free", "ridge"])
    def test_logistic_loss_against_a_general_minimiser(
        self, shape: int, fit_intercept: bool, ridge: Array
    ) -> None:
        Z, y = task(LOGISTIC, 4, 1, v=TRUTH / 2.0)
        given, v = mixed(Z, y, LOGISTIC, fit_intercept, WEIGHT, shape, ridge), np.full(4, 0.1)
        b, value = fit_memberships(given, v, 0.0, TOL)
        expected = twins.fit_loadings(Z, y, WEIGHT, LOGISTIC, fit_intercept, ridge, shape == CONE)
        np.testing.assert_allclose(v, expected[0], atol=2e-4)
        assert b == pytest.approx(expected[1], abs=2e-4)
        assert value == pytest.approx(expected[2], rel=1e-7)
        assert (v.min() < 0.0) == (shape == SPAN)

    @EITHER_LOSS
    @EITHER_SHAPE
    def test_does_not_depend_on_its_start(self, loss: int, shape: int) -> None:
        Z, y = task(loss, 4, 11, v=TRUTH / 2.0)
        ends = []
        for start in [np.zeros(4), np.full(4, 3.0), *np.eye(4)]:
            v = start.copy()
            b, value = fit_memberships(mixed(Z, y, loss, shape=shape, ridge=RIDGE), v, 2.0, TOL)
            ends.append([*v, b, value])
        np.testing.assert_allclose(ends, np.tile(ends[0], (6, 1)), atol=1e-5)

    def test_a_ridge_keeps_separable_labels_finite(self) -> None:
        rng = np.random.default_rng(15)
        Z = 50.0 * rng.normal(size=(40, 3))
        y, weight, ridge = np.sign(Z[:, 1]), np.full(40, 1 / 40), np.full(3, 0.01)
        v = np.zeros(3)
        given = mixed(Z, y, LOGISTIC, shape=SPAN, ridge=ridge)
        _, value = fit_memberships(given, v, 0.0, 1e-9)
        expected = twins.fit_loadings(Z, y, weight, LOGISTIC, True, ridge, False)
        assert value == pytest.approx(expected[2], rel=1e-4)
        np.testing.assert_allclose(v, expected[0], atol=1e-2)

    @EITHER_SHAPE
    def test_on_a_support(self, shape: int) -> None:
        Z, y = task(SQUARED, 4, 16, v=TRUTH)
        support = np.array([0, 1, 3])
        given = mixed(Z, y, SQUARED, True, WEIGHT, shape, RIDGE)
        out, b, _ = fit_on_support(given, np.ones(4), 0.0, support, TOL)
        part, b_part = least_squares(Z[:, support], y, shape, RIDGE[support], True)
        np.testing.assert_allclose(out[support], part, atol=1e-6)
        assert out[2] == 0.0
        assert b == pytest.approx(b_part, abs=1e-6)

    def test_twin_clusters_do_no_harm(self) -> None:
        G = np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
        for only_positive in (True, False):
            v = np.array([0.1, 0.2, 0.7])
            free_quadratic(G, np.array([4.0, 4.0, 0.0]), v, only_positive, 1e-14, 500)
            np.testing.assert_allclose([v[0] + v[1], v[2]], [2.0, 0.7], atol=1e-9)


class TestPruning:
    @EITHER_LOSS
    @EITHER_SHAPE
    @pytest.mark.parametrize(
        "truth",
        [
            [1.7, 0.0, 0.0, 0.0],
            [0.0, 0.5, 0.9, 0.0],
            [0.0, 0.9, -0.8, 0.0],
            [0.6, 0.6, 0.0, 0.8],
            [0.5, 0.5, 0.5, 0.5],
        ],
        ids=["one", "two", "signed", "three", "all"],
    )
    def test_against_all_supports(self, loss: int, shape: int, truth: list[float]) -> None:
        Z, y = task(loss, 4, 0, n=150, v=np.array(truth))
        weight, ridge = np.full(150, 1 / 150), RIDGE / 150
        scale = 150 / 0.25 if loss == SQUARED else 300.0
        penalty = np.log(150) * np.arange(5.0)
        given = mixed(Z, y, loss, shape=shape, ridge=ridge)
        v, b, score = prune_memberships(given, np.ones(4), 0.0, penalty, scale, TOL)
        best, smallest = np.zeros(4), np.inf
        for support in twins.supports(4):
            part, _, value = twins.fit_loadings(
                Z[:, support], y, weight, loss, True, ridge[support], shape == CONE
            )
            if scale * value + penalty[np.count_nonzero(part)] < smallest:
                smallest = scale * value + penalty[np.count_nonzero(part)]
                best = np.zeros(4)
                best[support] = part
        np.testing.assert_array_equal(v != 0.0, best != 0.0)
        np.testing.assert_allclose(v, best, atol=2e-3)
        assert score == pytest.approx(smallest, rel=1e-6)
        value = twins.total_loss(loss, y, Z @ v + b, weight) + 0.5 * ridge @ v**2
        assert score == pytest.approx(scale * value + penalty[np.count_nonzero(v)], rel=1e-9)

    def test_a_task_against_all_clusters_has_no_place_on_the_cone(self) -> None:
        Z, _ = task(SQUARED, 3, 4)
        y = -Z @ np.array([1.0, 2.0, 0.5])
        penalty = np.arange(4.0)
        for shape, nothing in ((CONE, True), (SPAN, False)):
            v, _, _ = prune_memberships(
                mixed(Z, y, shape=shape), np.ones(3), 0.0, penalty, 1.0, TOL
            )
            assert (not v.any()) is nothing
