"""RandomSlopes against statsmodels' MixedLM, closed forms and its limits."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.regression.mixed_linear_model import MixedLM

from stcmtl import TaskSet, simulate
from stcmtl.baselines import Pooled, RandomSlopes, RidgeToPooled
from tests.unit.baselines.manners import data

Array = NDArray[np.float64]


def draw(
    seed: int = 0,
    n_tasks: int = 20,
    n_rows: int = 15,
    spread: float = 1.0,
    task_type: str = "regression",
    n_features: int = 2,
) -> TaskSet:
    """Lines around a common one; features have different units and are not centred."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(n_tasks), n_rows + np.arange(n_tasks) % 4)
    scale = np.geomspace(1.0, 20.0, n_features)
    X = (rng.normal(size=(codes.size, n_features)) + 1.0) * scale
    lines = spread * rng.normal(size=(n_tasks, n_features + 1)) * np.append(1.0, 0.5 / scale)
    lines += np.append(1.0, (-1.0) ** np.arange(n_features) / scale)
    f = lines[codes, 0] + (X * lines[codes, 1:]).sum(axis=1)
    y = f + 0.8 * rng.normal(size=codes.size)
    if task_type == "classification":
        y = np.where(rng.uniform(size=codes.size) < 1.0 / (1.0 + np.exp(-f)), 1.0, -1.0)
    tasks = np.array([f"t{code:02d}" for code in codes])
    return TaskSet(X, y, tasks, task_type=task_type)


@cache
def by_statsmodels(fit_intercept: bool) -> tuple[Any, Array]:
    """Its fit, and the lines of the tasks: common effects plus random ones."""
    train = draw()
    design = np.column_stack([np.ones(len(train.y)), train.X]) if fit_intercept else train.X
    fit = MixedLM(train.y, design, groups=train.tasks, exog_re=design).fit(
        reml=True, method=["powell", "bfgs"]
    )
    assert fit.converged
    return fit, np.array([fit.fe_params + fit.random_effects[name] for name in train.task_names])


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("standardize", [True, False])
def test_it_is_statsmodels_mixed_model(fit_intercept: bool, standardize: bool) -> None:
    train = draw()
    other, lines = by_statsmodels(fit_intercept)
    model = RandomSlopes(fit_intercept=fit_intercept, standardize=standardize)
    model.fit(train.X, train.y, train.tasks)
    common = np.append(model.common_intercept_, model.common_coef_)
    own = np.column_stack([model.intercept_, model.coef_])
    if not fit_intercept:
        assert not own[:, 0].any()
        common, own = common[1:], own[:, 1:]
    np.testing.assert_allclose(common, other.fe_params, rtol=1e-3)
    np.testing.assert_allclose(own, lines, rtol=2e-3, atol=2e-4)
    np.testing.assert_allclose(model.covariance_, other.cov_re, rtol=1e-2, atol=1e-3)
    assert model.noise_ == pytest.approx(np.sqrt(other.scale), rel=1e-3)


def test_tasks_that_do_not_differ_are_one_line() -> None:
    train = draw(spread=0.0, n_rows=40)
    model = RandomSlopes().fit(train.X, train.y, train.tasks)
    design = np.column_stack([np.ones(len(train.y)), train.X])
    line = np.linalg.lstsq(design, train.y, rcond=None)[0]
    np.testing.assert_allclose(model.common_coef_, line[1:], rtol=0.05)
    assert np.ptp(model.predict(train.X, train.tasks) - design @ line) < 0.5
    assert model.noise_ == pytest.approx(0.8, rel=0.05)


@pytest.mark.parametrize("covariance", ["full", "low rank"])
def test_tasks_with_many_rows_are_their_own_least_squares(covariance: str) -> None:
    train = draw(n_rows=400)
    model = RandomSlopes(covariance=covariance).fit(train.X, train.y, train.tasks)
    for i, (_, X, y) in enumerate(train):
        own = np.linalg.lstsq(np.column_stack([np.ones(len(y)), X]), y, rcond=None)[0]
        np.testing.assert_allclose(model.coef_[i], own[1:], atol=0.02)


def test_a_task_is_drawn_towards_the_common_line_the_more_the_fewer_its_rows() -> None:
    train = draw()
    kept = (train.tasks != "t03") | (np.cumsum(train.tasks == "t03") <= 3)
    every = RandomSlopes(cv=3).fit(train.X, train.y, train.tasks)
    fewer = RandomSlopes(cv=3).fit(train.X[kept], train.y[kept], train.tasks[kept])
    apart = [np.linalg.norm(m.coef_[3] - m.common_coef_) for m in (every, fewer)]
    assert apart[1] < apart[0]


@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_fewer_rows_than_features(kind: str) -> None:
    """Closer to the truth than either one model for all or one near it for each."""
    sim = simulate(n_tasks=20, n_features=60, n_clusters=3, n_train=30, n_test=100, task_type=kind)
    train, test = sim.train, sim.test
    rows = train.X, train.y, train.tasks
    score, *others = (
        method.fit(*rows).score(test.X, test.y, test.tasks)
        for method in (RandomSlopes(), Pooled(random_state=0), RidgeToPooled(random_state=0))
    )
    assert score > max(others)


def test_common_directions_are_found_where_there_are_some() -> None:
    """Tasks that differ along one direction: one column explains them, variances alone do not."""
    rng = np.random.default_rng(0)
    T, n, D = 40, 30, 12
    direction = rng.normal(size=D)
    codes = np.repeat(np.arange(T), n)
    X = rng.normal(size=(T * n, D))
    strength = rng.normal(size=T)
    y = (X @ direction) * strength[codes] + rng.normal(size=T * n)
    model = RandomSlopes().fit(X, y, codes)
    values, vectors = np.linalg.eigh(model.covariance_[1:, 1:])
    assert abs(vectors[:, -1] @ direction) > 0.99 * np.linalg.norm(direction)
    assert values[-1] > 20 * values[-3]
    W = strength[:, None] * direction
    assert np.linalg.norm(model.coef_ - W) < 0.15 * np.linalg.norm(W)


def test_labels_have_shrunken_log_odds() -> None:
    """Lines of labels lie near those that drew them, nearer than the common line does."""
    train = draw(task_type="classification", n_tasks=30, n_rows=120, seed=4)
    model = RandomSlopes().fit(train.X, train.y, train.tasks)
    again = draw(n_tasks=30, n_rows=120, seed=4)
    lines = RandomSlopes().fit(again.X, again.y, again.tasks)  # the same lines, as numbers
    own = np.linalg.norm(model.coef_ - lines.coef_, axis=1)
    common = np.linalg.norm(model.common_coef_ - lines.coef_, axis=1)
    assert np.median(own) < 0.6 * np.median(common)
    np.testing.assert_allclose(model.common_coef_, lines.common_coef_, atol=0.35)
    assert model.noise_ == 1.0


def test_labels_end_where_the_penalised_likelihood_is_highest() -> None:
    """Given the variances: pulls of rows and of the normal prior are in balance."""
    train = draw(task_type="classification", n_rows=30)
    model = RandomSlopes().fit(train.X, train.y, train.tasks)
    common = np.append(model.common_intercept_, model.common_coef_)
    total = np.zeros(3)
    for i, (_, X, y) in enumerate(train):
        design = np.column_stack([np.ones(len(y)), X])
        own = np.append(model.intercept_[i], model.coef_[i])
        pull = design.T @ (y / (1.0 + np.exp(y * (design @ own))))
        total += pull
        held = model.covariance_ @ pull  # equals u, also along directions without variance
        np.testing.assert_allclose(
            held, own - common, atol=0.02 * np.abs(own - common).max() + 2e-3
        )
    np.testing.assert_allclose(total / np.append(1.0, train.X.std(axis=0)), 0.0, atol=0.5)


def test_history_falls() -> None:
    train = data("regression")
    model = RandomSlopes(covariance="low rank").fit(train.X, train.y, train.tasks)
    assert (np.diff(model.history_) <= 1e-9).all()


def test_an_unknown_covariance_is_named() -> None:
    train = data("regression")
    with pytest.raises(ValueError, match=r"^covariance is 'banded': it must be 'auto' or 'full'"):
        RandomSlopes(covariance="banded").fit(train.X, train.y, train.tasks)


@pytest.mark.parametrize("covariance", ["full", "low rank"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_tasks", [1, 2, 6])
def test_few_tasks_of_one_feature(covariance: str, fit_intercept: bool, n_tasks: int) -> None:
    """With so much signal, next to nothing is drawn anywhere."""
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(40 * n_tasks, 1)), np.repeat(np.arange(n_tasks), 40)
    y = (codes + 2.0) * X[:, 0] + 0.05 * rng.normal(size=codes.size)
    model = RandomSlopes(covariance=covariance, fit_intercept=fit_intercept).fit(X, y, codes)
    np.testing.assert_allclose(model.coef_[:, 0], np.arange(n_tasks) + 2.0, atol=0.05)
    np.testing.assert_allclose(model.intercept_, 0.0, atol=0.05)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_target_that_does_not_vary(fit_intercept: bool) -> None:
    train = data("regression")
    model = RandomSlopes(fit_intercept=fit_intercept, task_type="regression")
    model.fit(train.X, np.full(len(train.y), 3.0), train.tasks)
    predicted = model.predict(train.X, train.tasks)
    assert np.isfinite(predicted).all()
    if fit_intercept:
        np.testing.assert_allclose(predicted, 3.0, atol=1e-6)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_covariance_of_low_rank_settles(seed: int) -> None:
    """Tasks that are one of two lines: all that they differ by lies in one direction."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(8, 2))[:, rng.integers(2, size=18)]
    tasks = np.repeat(np.arange(18), 60)
    X = rng.normal(size=(tasks.size, 8))
    y = np.einsum("nd,dn->n", X, W[:, tasks]) + 0.5 * rng.normal(size=tasks.size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomSlopes().fit(X, y, tasks)


@pytest.mark.parametrize("seed", [0, 1])
def test_labels_of_clusters_settle(seed: int) -> None:
    sim = simulate(
        18,
        30,
        3,
        60,
        1,
        n_mixed=0,
        task_type="classification",
        structure_seed=seed,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomSlopes().fit(sim.train.X, sim.train.y, sim.train.tasks)
