"""Standard errors and intervals, against least squares, simulated truths and closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLRegressor, simulate, stability
from stcmtl.estimators.intervals import Estimate, coefficient_errors, find_precision
from stcmtl.estimators.whitened import moderate
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Iteration
from stcmtl.solver.refinement import fix_scale
from tests.unit.plain import plain_model

T, D, N_ROWS = 8, 4, 30
SHARES = np.array([[1, 1, 1, 0, 0, 0, 0.6, 0.3], [0, 0, 0, 1, 1, 1, 0.4, 0.7]])
CENTERS = np.array([[1.0, 0.0], [-1.0, 0.5], [0.0, 1.0], [0.0, 0.0]])


def state_of(U: Any, V: Any, **others: Any) -> Iteration:
    none = np.zeros(V.shape[1])
    fields = {
        "iteration": 1, "stage": "refine", "objective": 0.0, "loss": 0.0, "penalty": "mcp",
        "gamma": 0.1, "W": U @ V, "b": none, "pure": none > 0, "purity": none,
        "outliers": none > 0, "seconds": {},
    }  # fmt: skip
    return Iteration(U=U, V=V, **(fields | others))


def problem_of(U: Any, V: Any, rng: Any, units: Any = 1.0, noise: Any = 0.5) -> Problem:
    codes = np.repeat(np.arange(V.shape[1]), N_ROWS)
    X = rng.normal(size=(codes.size, len(U)))
    y = np.einsum("nd,dn->n", X, (U @ V)[:, codes]) + 3.0 * codes
    y += np.broadcast_to(noise, V.shape[1])[codes] * rng.normal(size=codes.size)
    return Problem.build(X * units, y, codes, SQUARED, True)


def by_least_squares(problem: Problem, weight: Any, used: list[int]) -> tuple[Any, Any]:
    """Coefficients of one model for all rows, and their standard errors."""
    X, root = problem.X[:, used], np.sqrt(weight)
    solution = np.linalg.lstsq(X * root[:, None], problem.y * root, rcond=None)[0]
    return solution, np.sqrt(np.diag(np.linalg.inv((X * weight[:, None]).T @ X)))


def test_one_cluster_is_one_regression_and_a_zero_is_freed_alone() -> None:
    U, V = CENTERS[:, :1], np.ones((1, T))
    problem = problem_of(U, V, np.random.default_rng(0))
    found = find_precision(problem, state_of(0.9 * U, V), "simplex").coef
    squares = [np.sum((problem.y - problem.X @ (0.9 * U[:, 0]))[problem.rows(i)] ** 2)
               for i in range(T)]  # fmt: skip
    variance, freedom = moderate(np.array(squares), np.full(T, N_ROWS - 1 - 2 / T))
    weight = (1.0 / variance)[problem.task_of_row]
    value, se = by_least_squares(problem, weight, [0, 1])
    np.testing.assert_allclose(found.value[:2, 0], value)
    np.testing.assert_allclose(found.se[:2, 0], se)
    assert found.freedom == pytest.approx(freedom.max())
    for zero in (2, 3):
        value, se = by_least_squares(problem, weight, [0, 1, zero])
        assert found.value[zero, 0] == pytest.approx(value[2])
        assert found.se[zero, 0] == pytest.approx(se[2])


def test_a_cluster_that_nobody_uses_is_uncertain_and_harms_no_other() -> None:
    V = np.vstack([np.ones(T), np.zeros(T)])
    problem = problem_of(CENTERS, V, np.random.default_rng(0))
    both = coefficient_errors(problem, state_of(CENTERS, V), "simplex")
    alone = coefficient_errors(problem, state_of(CENTERS[:, :1], V[:1]), "simplex")
    np.testing.assert_allclose(both[:2, 0], alone[:2, 0], rtol=0.01)
    assert (both[1:3, 1] > 1e100).all()
    assert np.isfinite(both[1:3, 1]).all()


@pytest.mark.parametrize("shape", ["simplex", "cone", "span"])
def test_errors_are_as_large_as_they_are_said_to_be(shape: str) -> None:
    """z = (estimate - truth) / standard error has mean 0 and standard deviation 1.

    A bit less off the simplex: who uses a cluster is uncertain to a fit, and known here.
    """
    U, V = CENTERS, SHARES
    if shape != "simplex":
        U, V = fix_scale(U, V * np.linspace(0.8, 1.6, T))
    strength, mixed = V.sum(axis=0), (V > 0) & (V.sum(axis=0) > V)
    truths = {"coef": (U, U != 0), "memberships": (V / strength, mixed)}
    if shape != "simplex":
        truths["strength"] = strength, strength > 0
    rng, z = np.random.default_rng(1), {name: [] for name in truths}
    for _ in range(50):
        found = find_precision(problem_of(U, V, rng), state_of(U, V), shape)
        for name, (truth, chosen) in truths.items():
            estimate = getattr(found, name)
            z[name].append((estimate.value - truth)[chosen] / estimate.se[chosen])
    for name, values in z.items():
        assert (0.88 if shape == "simplex" else 0.75) < np.std(values) < 1.12, name
        assert np.mean(values) == pytest.approx(0.0, abs=0.2), name


def test_noise_of_every_task_its_own() -> None:
    noise = np.array([0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 2.0])
    rng, state = np.random.default_rng(2), state_of(CENTERS, SHARES)
    problem = problem_of(CENTERS, SHARES, rng, noise=noise)
    se = find_precision(problem, state, "simplex").memberships.se
    assert 5.0 < se[0, 7] / se[0, 6] < 20.0


def test_units_do_not_matter() -> None:
    units = np.array([1e-4, 1.0, 1e3, 1e5])
    plain, scaled = (
        find_precision(
            problem_of(CENTERS, SHARES, np.random.default_rng(3), by),
            state_of(CENTERS / np.reshape(by, (-1, 1)), SHARES), "cone",
        )
        for by in (np.ones(D), units)
    )  # fmt: skip
    np.testing.assert_allclose(scaled.coef.se * units[:, None], plain.coef.se, rtol=1e-6)
    np.testing.assert_allclose(scaled.strength.se, plain.strength.se, rtol=1e-6)


class TestModerate:
    def test_alike_is_pooled(self) -> None:
        variance, freedom = moderate(np.array([8.0, 12.0, 10.0]), np.full(3, 10.0))
        np.testing.assert_allclose(variance, 1.0)
        np.testing.assert_allclose(freedom, 30.0)

    def test_different_is_nearer_the_truth_than_either(self) -> None:
        rng, d0, d = np.random.default_rng(0), 8.0, np.full(400, 10.0)
        truth = d0 / rng.chisquare(d0, 400)
        squares = truth * rng.chisquare(10, 400)
        variance, freedom = moderate(squares, d)
        assert 13.0 < freedom[0] < 25.0  # d0 + 10
        error = np.mean(np.log(variance / truth) ** 2)
        assert error < 0.9 * np.mean(np.log(squares / d / truth) ** 2)
        assert error < 0.9 * np.mean(np.log(squares.sum() / d.sum() / truth) ** 2)

    def test_a_task_without_rows_to_spare_has_what_is_usual(self) -> None:
        variance, freedom = moderate(np.array([0.0, 10.0, 60.0]), np.array([0.0, 20.0, 20.0]))
        assert variance[1] < variance[0] < variance[2]
        assert 0.0 < freedom[0] < freedom[1]


def test_intervals_hold_the_estimate_of_the_fit() -> None:
    estimate = Estimate(np.array([1.0, 2.0]), np.array([0.1, 0.0]), np.array(np.inf))
    lower, upper = estimate.interval(0.9, np.array([0.5, 2.0]))
    np.testing.assert_allclose(lower, [0.5, 2.0])
    np.testing.assert_allclose(upper, [1.0 + 0.1 * 1.6448536, 2.0])
    np.testing.assert_array_equal(estimate.interval(1.0, estimate.value)[1], [np.inf, 2.0])


def test_a_fit_has_the_errors_of_its_stability() -> None:
    data = simulate(
        n_tasks=12, n_features=20, n_clusters=2, n_train=30, n_test=2, n_outliers=1, scale=2.0
    ).train
    model = plain_model(STCMTLRegressor, 2, shape="cone", robust=True, random_state=0)
    model.fit(data.X, data.y, data.tasks)
    found = stability(model, data.X, data.y, data.tasks, 2, random_state=0)
    used = model.cluster_coef_ != 0
    assert model.outliers_.sum() == 1
    np.testing.assert_allclose(model.cluster_coef_se_[used], found.coef_se[used], rtol=1e-6)
    assert np.isnan(model.cluster_coef_se_[~used]).all()
    assert not found.strength_upper[model.outliers_].any()
    assert (found.strength_lower <= model.strength_).all()
    assert (model.strength_ <= found.strength_upper).all()
