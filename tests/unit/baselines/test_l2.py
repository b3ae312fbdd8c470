"""Ridge fits in blocks, against scikit-learn and closed forms, with few features and with many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from stcmtl.baselines.l2 import Blocks, falling_ridges
from stcmtl.solver.problem import LOGISTIC, SQUARED

SHAPES = pytest.mark.parametrize("shape", [(40, 6), (25, 60)], ids=["tall", "wide"])


def blocks(shape: tuple[int, int], loss: int, n_blocks: int = 1, **options: Any) -> Blocks:
    rng = np.random.default_rng(3)
    n, D = shape
    X = rng.normal(size=shape) + rng.normal(size=D)
    y = X @ rng.normal(size=D) / np.sqrt(D) + rng.normal(size=n)
    if loss == LOGISTIC:
        y = np.where(y > np.median(y), 1.0, -1.0)
    starts = np.linspace(0, n, n_blocks + 1).astype(np.int64)
    weight = rng.uniform(0.5, 2.0, size=n) / n
    known = {"offset": np.zeros(n), "fit_intercept": True, **options}
    return Blocks(X=X, y=y, weight=weight, starts=starts, loss=loss, **known)


@SHAPES
@pytest.mark.parametrize("level", [3.0, 0.01])
def test_the_squared_loss_is_scikit_learn_s_ridge(shape: Any, level: float) -> None:
    rows = blocks(shape, SQUARED)
    fit = rows.prepare().fit(level, None, 0.0)
    other = Ridge(alpha=level, solver="svd").fit(rows.X, rows.y, sample_weight=rows.weight)
    np.testing.assert_allclose(fit.w, other.coef_, atol=1e-10)
    assert fit.b[0] == pytest.approx(other.intercept_, abs=1e-10)


@SHAPES
@pytest.mark.parametrize("level", [0.3, 0.003])
def test_the_logistic_loss_is_scikit_learn_s_logistic_regression(shape: Any, level: float) -> None:
    rows = blocks(shape, LOGISTIC)
    fit = rows.prepare().fit(level, None, 1e-14)
    other = LogisticRegression(C=0.5 / level, tol=1e-10, max_iter=10_000)
    other.fit(rows.X, rows.y, sample_weight=rows.weight)
    np.testing.assert_allclose(fit.w, other.coef_[0], atol=1e-5)
    assert fit.b[0] == pytest.approx(other.intercept_[0], abs=1e-5)


@SHAPES
@pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_way_down_ends_where_a_fit_from_nothing_does(
    shape: Any, loss: int, fit_intercept: bool
) -> None:
    rows = blocks(shape, loss, fit_intercept=fit_intercept)
    ridge, fit = rows.prepare(), None
    for level in falling_ridges(rows.stiffness)[:12]:
        fit = ridge.fit(level, fit, 1e-7)
    assert fit is not None
    there = ridge.fit(level, fit, 1e-14)
    alone = rows.prepare().fit(level, None, 1e-14)
    np.testing.assert_allclose(there.w, alone.w, atol=1e-6)
    np.testing.assert_allclose(there.b, alone.b, atol=1e-6)
    assert fit_intercept or not alone.b.any()


@SHAPES
@pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
def test_blocks_have_intercepts_of_their_own(shape: Any, loss: int) -> None:
    """As indicator columns would, without a penalty."""
    rng, level = np.random.default_rng(0), 0.05
    rows = blocks(shape, loss, n_blocks=3, offset=rng.normal(size=shape[0]))
    fit = rows.prepare().fit(level, None, 1e-14)
    f = rows.offset + rows.X @ fit.w + rows.spread(fit.b)
    pull = 2.0 * (rows.y - f) if loss == SQUARED else rows.y / (1.0 + np.exp(rows.y * f))
    slope = rows.X.T @ (rows.weight * pull)
    np.testing.assert_allclose(slope, 2.0 * level * fit.w, atol=1e-6)
    np.testing.assert_allclose(rows.sums(rows.weight * pull), 0.0, atol=1e-7)


@pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
def test_rows_without_weight_are_not_there(loss: int) -> None:
    rows = blocks((40, 6), loss, n_blocks=4)
    held = np.arange(40) % 3 == 0
    part = Blocks(
        rows.X, rows.y, np.where(held, 0.0, rows.weight), rows.offset, rows.starts, loss, True
    ).drop_held_out()
    np.testing.assert_array_equal(part.X, rows.X[~held])
    np.testing.assert_array_equal(np.diff(part.starts), [6, 7, 7, 6])
    np.testing.assert_array_equal(part.weight, rows.weight[~held])


def test_no_penalty_and_more_features_than_rows_is_the_shortest_solution() -> None:
    rows = blocks((25, 60), SQUARED, fit_intercept=False)
    fit = rows.prepare().fit(0.0, None, 0.0)
    np.testing.assert_allclose(fit.w, np.linalg.pinv(rows.X) @ rows.y, atol=1e-8)


def test_levels_begin_where_little_is_left_of_the_coefficients() -> None:
    rows = blocks((40, 6), SQUARED)
    first, last = (rows.prepare().fit(falling_ridges(rows.stiffness)[j], None, 0) for j in (0, -1))
    assert np.linalg.norm(first.w) < 0.02 * np.linalg.norm(last.w)
    free = rows.prepare().fit(0.0, None, 0.0)
    np.testing.assert_allclose(last.w, free.w, rtol=1e-3)
