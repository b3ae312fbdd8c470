"""The law of intercepts and slopes: against its likelihood, least squares, and closed forms."""

from dataclasses import replace

import numpy as np
import pytest

from stcmtl.solver.kernels.slopes import SlopeSums
from stcmtl.solver.own_part import RIDGE, SLOPES, OwnFits, OwnPenalty, fit_own, learn_law
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.slopes import SlopeLaw, find_law, solve_slopes
from tests.unit.twins import Array

PENALTY = OwnPenalty(SLOPES, 1.0)


def draw(T: int, n: int = 12, levels: bool = False) -> tuple[Array, Array, Array, Array]:
    """Rows, targets, tasks, and the slopes that tasks have; intercepts go with the first slope."""
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(T * n, 2)), np.repeat(np.arange(T), n)
    d = rng.multivariate_normal([0.5, -0.2], [[0.5, 0.3], [0.3, 0.4]], T)
    y = np.einsum("nd,nd->n", X, d[codes]) + 0.6 * rng.normal(size=T * n)
    level = 0.8 * d[:, 0] + 0.5 * rng.normal(size=T)
    return X, y + levels * level[codes], codes, d.T


def build(X: Array, y: Array, codes: Array, fit_intercept: bool = True) -> Problem:
    return Problem.build(X, y, codes, SQUARED, fit_intercept)


def fitted(problem: Problem, f: Array) -> Array:
    W, b = fit_own(problem, f, PENALTY)
    return f + problem.predictions(W, b) + problem.target_means[problem.task_of_row]


def test_the_law_is_the_likeliest() -> None:
    """Along no parameter does the likelihood of y ~ N(X mu, noise (1 + X Psi X')) rise by much."""
    T, n = 400, 12
    flat, target, _, _ = draw(T, n)
    X, y = flat.reshape(T, n, 2), target.reshape(T, n)
    squares, counts = (y**2).sum(axis=1), np.full(T, float(n))
    G, c = X.transpose(0, 2, 1) @ X, np.einsum("tnd,tn->td", X, y)
    mean, price, middle = find_law(SlopeSums(G, c, squares, counts), np.zeros(2))
    assert not middle.any()

    def minus_twice(point: Array) -> float:
        Psi = np.array([[point[2], point[3]], [point[3], point[4]]])
        H = np.eye(n) + X @ Psi @ X.transpose(0, 2, 1)
        r = y - X @ point[:2]
        weighted = np.linalg.solve(H, r[..., None])[..., 0]
        return float(np.linalg.slogdet(H)[1].sum() + y.size * np.log((r * weighted).sum()))

    at, step = np.array([*mean, *np.linalg.inv(price)[[0, 0, 1], [0, 1, 1]]]), 0.01
    here = minus_twice(at)
    for direction in step * np.eye(5):
        below, above = minus_twice(at - direction), minus_twice(at + direction)
        newton = 0.5 * step * (above - below) / (above - 2.0 * here + below)
        assert abs(newton) < 0.02


def test_correlations_count_for_fewer_tasks_than_there_are() -> None:
    """Where effects are known, variances are unbiased, and a covariance is the sum of products
    over T + q - 1 instead of T - 1.
    """
    mix = np.array([[1, 0.8, 0], [0, 1, 0.5], [0, 0, 1]])
    w = np.random.default_rng(1).normal(size=(7, 3)) @ mix
    G = np.repeat(1e6 * np.eye(3)[None], 7, axis=0)
    law = find_law(SlopeSums(G, 1e6 * w, 1e6 * (w**2).sum(axis=1) + 10.0, np.full(7, 10.0)), w[0])
    np.testing.assert_allclose(law.mean, w.mean(axis=0), atol=1e-5)
    apart = w - w.mean(axis=0)
    products = apart.T @ apart
    expected = np.where(np.eye(3, dtype=bool), products / 6, products / 9)
    Sigma = np.linalg.inv(law.price)
    np.testing.assert_allclose(Sigma / Sigma[0, 0], expected / expected[0, 0], rtol=1e-3)


def test_lines_are_drawn_towards_the_common_one() -> None:
    """Least squares on rows as they came, and q more that say what the law says."""
    X, y, codes, _ = draw(12, 4, levels=True)
    X = X + np.linspace(-2.0, 2.0, 12)[codes, None]
    problem, nothing = build(X, y, codes), np.zeros(y.size)
    W, b = fit_own(problem, nothing, PENALTY)
    law = learn_law(problem, nothing, PENALTY).law
    assert law is not None
    np.testing.assert_allclose(law.middle, X.mean(axis=0), atol=1e-12)
    root = np.linalg.cholesky(law.price).T
    b = problem.original_intercepts(W, b)
    for i in range(12):
        rows = np.c_[np.ones(4), X[codes == i] - law.middle]
        both = np.r_[rows, root], np.r_[y[codes == i], root @ law.mean]
        level, *slopes = np.linalg.lstsq(*both)[0]
        np.testing.assert_allclose(W[:, i], slopes, atol=1e-6)
        assert b[i] == pytest.approx(level - law.middle @ slopes, abs=1e-6)


def test_a_mixture_common_to_all_changes_nothing() -> None:
    """The mean of the law takes it up, with the levels that it has in each task."""
    X, y, codes, _ = draw(20, 8, levels=True)
    problem = build(X + np.linspace(-2.0, 2.0, 20)[codes, None], y, codes)
    beside = problem.X @ np.array([0.7, -1.3]) + np.cos(np.arange(20.0))[codes]
    np.testing.assert_allclose(fitted(problem, beside), fitted(problem, 0.0 * y), atol=1e-6)


def test_where_zero_is_does_not_matter() -> None:
    X, y, codes, _ = draw(10, levels=True)
    still, moved = build(X, y, codes), build(X + np.array([30.0, -7.0]), y + 50.0, codes)
    one, two = (fitted(problem, np.zeros(120)) for problem in (still, moved))
    np.testing.assert_allclose(one + 50.0, two, atol=1e-6)


def test_deviations_are_those_of_the_law() -> None:
    X, y, codes, truth = draw(40)
    problem, nothing = build(X, y, codes, False), np.zeros(480)
    W, b = fit_own(problem, nothing, PENALTY)
    assert not b.any()
    free, _ = fit_own(problem, nothing, OwnPenalty(RIDGE, 1e-9))
    errors = [np.square(found - truth).mean() for found in (W, free)]
    assert errors[0] < 0.95 * errors[1]
    for caution, correlated in ((0.0, True), (1e9, False)):
        law = learn_law(problem, nothing, OwnPenalty(SLOPES, caution)).law
        assert (abs(np.linalg.inv(law.price)[0, 1]) > 1e-6) == correlated


def test_a_law_that_is_known_is_followed() -> None:
    """For tasks that were not there: as they were fitted with the others."""
    X, y, codes, _ = draw(30, levels=True)
    problem, nothing = build(X, y, codes), np.zeros(360)
    known = learn_law(problem, nothing, PENALTY)
    W, b = fit_own(problem, nothing, PENALTY)
    some = np.arange(30) < 4
    part = problem.keep(some)
    alike, level = fit_own(part, nothing[:48], known)
    np.testing.assert_allclose(alike, W[:, some], atol=1e-12)
    np.testing.assert_allclose(level, b[some], atol=1e-12)


def test_columns_without_a_slope_have_no_deviation() -> None:
    X, y, codes, _ = draw(10)
    problem = build(X, y, codes, False)
    wide = replace(
        problem,
        X=np.asfortranarray(np.c_[problem.X, np.zeros(120)]),
        means=np.c_[problem.means, np.zeros(10)],
    )
    W, _ = fit_own(wide, np.zeros(120), PENALTY)
    expected, _ = fit_own(problem, np.zeros(120), PENALTY)
    np.testing.assert_allclose(W, np.vstack([expected, np.zeros(10)]), atol=1e-6)


@pytest.mark.parametrize("seed", [0, 5, 7])
def test_rows_that_hardly_count_and_columns_that_are_nearly_one(seed: int) -> None:
    """The law stays one: a price that is positive definite, and slopes that are numbers."""
    rng = np.random.default_rng(seed)
    Z, r = rng.normal(size=(4, 6, 3)), rng.normal(size=(4, 6))
    weight = 10.0 ** rng.uniform(-12, 12, size=(4, 6))
    Z[..., 1] = Z[..., 0] + 1e-9 * Z[..., 1]
    G, c = np.einsum("tnd,tn,tne->tde", Z, weight, Z), np.einsum("tnd,tn->td", Z, weight * r)
    sums = SlopeSums(G, c, (weight * r**2).sum(axis=1), weight.sum(axis=1))
    law = find_law(sums, np.zeros(3))
    assert np.isfinite(np.linalg.cholesky(law.price)).all()  # which no other matrix has
    assert np.isfinite(solve_slopes(sums, law)).all()


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_units_change_no_prediction(fit_intercept: bool) -> None:
    """Small beside the intercept, or beside each other, with fewer rows a task than columns."""
    X, y, codes, _ = draw(10, 2)
    X = np.c_[X, X[::-1] ** 2]
    units = np.array([1e-12, 1e-6, 1.0, 1e12])
    fits = []
    for Z in (X, 1e-12 * X, X * units):
        problem = build(Z, y, codes, fit_intercept)
        W, b = fit_own(problem, np.zeros(20), PENALTY)
        fits.append(np.einsum("nd,dn->n", problem.X, W[:, codes]) + b[codes])
    assert np.abs(fits[0]).max() > 0.1
    for fit in fits[1:]:
        np.testing.assert_allclose(fit, fits[0], atol=1e-6)


def test_a_feature_that_is_the_same_everywhere_has_no_slope() -> None:
    X, y, codes, _ = draw(10, 2)
    problem = build(np.c_[X, np.full(20, 0.1)], y, codes, True)
    W, _ = fit_own(problem, np.zeros(20), PENALTY)
    np.testing.assert_array_equal(W[2], 0.0)


def test_what_rows_leave_open_stays_at_the_mean_when_rounding_forgets_the_price() -> None:
    """Two columns are one, of slope 3 in all: which has how much of it, only the price says."""
    G, c = 1e20 * np.ones((1, 2, 2)), np.full((1, 2), 3e20)
    law = SlopeLaw(np.array([1.0, 0.5]), np.eye(2), np.zeros(2))
    found = solve_slopes(SlopeSums(G, c, np.full(1, 9e20), np.full(1, 1e20)), law)
    np.testing.assert_allclose(found, [[1.75, 1.25]], rtol=1e-9)


def test_rows_that_count_less_than_there_are_effects_do_not_inflate_the_noise() -> None:
    weight = np.full(5, 1e-7)
    slopes = np.arange(5.0)
    sums = SlopeSums(weight[:, None, None], (weight * slopes)[:, None], weight * slopes**2, weight)
    law = find_law(sums, np.zeros(1))
    assert np.isfinite(solve_slopes(sums, law)).all()
    assert 0.0 < law.price[0, 0] < np.inf


@pytest.mark.parametrize(("n_tasks", "cautions"), [(3, 1), (4, 2)])
def test_correlations_are_believed_only_of_enough_tasks(n_tasks: int, cautions: int) -> None:
    X, y, codes, _ = draw(n_tasks)
    found = OwnFits(build(X, y, codes)).levels(SLOPES, np.zeros(len(y)))
    assert found.tolist() == [1.0, 0.0][:cautions]
