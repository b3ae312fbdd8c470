"""Data with little or nothing in it, and everything left to be chosen."""

import warnings
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor
from tests.unit.regimes import D, Rows, draw
from tests.unit.small import MODELS

T = 6


def fit(model: Any, X: Any, y: Any, tasks: Any, **options: Any) -> Any:
    """Everything about it is finite, and it is made of its parts."""
    found = model(**{"random_state": 0, "cv": 3, **options}).fit(X, y, tasks)
    for name in ("coef_", "intercept_", "loadings_", "memberships_", "strength_", "own_share_"):
        assert np.isfinite(getattr(found, name)).all()
    together = found.loadings_ @ found.cluster_coef_ + found.own_coef_
    np.testing.assert_allclose(found.coef_, together, rtol=1e-12, atol=1e-12)
    assert all(np.isfinite([choice.error, choice.behind]).all() for choice in found.choices_)
    return found


def rows(model: Any, kind: str = "mixtures") -> Rows:
    """Of the first six tasks."""
    X, y, tasks = draw(kind, model)
    some = tasks < T
    return X[some], y[some], tasks[some]


@pytest.mark.parametrize("model", MODELS)
def test_one_feature(model: Any) -> None:
    """Three tasks have another slope."""
    X, y, tasks = rows(model)
    x = X[:, :1]
    y = np.where(tasks < 3, 1.0, -1.0) * x[:, 0] + 0.2 * X[:, 1]
    found = fit(model, x, y if model is STCMTLRegressor else y > 0, tasks)
    assert found.coef_.shape == (T, 1)
    np.testing.assert_array_equal(found.coef_[:, 0] > 0, np.arange(T) < 3)


@pytest.mark.parametrize("model", MODELS)
def test_a_constant_column_changes_nothing(model: Any) -> None:
    X, y, tasks = rows(model)
    found = fit(model, np.column_stack([X, np.full(len(X), 7.0)]), y, tasks)
    plain = fit(model, X, y, tasks)
    np.testing.assert_array_equal(found.coef_[:, D], 0.0)
    np.testing.assert_allclose(found.coef_[:, :D], plain.coef_, atol=0.02)


@pytest.mark.parametrize("model", MODELS)
def test_constant_columns_alone_leave_the_intercepts(model: Any) -> None:
    X, y, tasks = rows(model)
    found = fit(model, np.ones_like(X), y, tasks)
    assert not found.coef_.any()


def test_rows_that_are_all_the_same_leave_the_means() -> None:
    """No level of a penalty is above zero there."""
    X, y, tasks = rows(STCMTLRegressor)
    found = fit(STCMTLRegressor, np.tile(X[0], (len(X), 1)), y, tasks, n_clusters=0)
    assert not found.coef_.any()
    means = [y[tasks == i].mean() for i in range(T)]
    np.testing.assert_allclose(found.intercept_, means, atol=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_two_equal_columns(model: Any) -> None:
    X, y, tasks = rows(model)
    twice = np.column_stack([X, X[:, 0]])
    found, plain = fit(model, twice, y, tasks), fit(model, X, y, tasks)
    score = plain.score(X, y, tasks)
    assert found.score(twice, y, tasks) == pytest.approx(score, abs=0.02)


def test_nothing_to_explain() -> None:
    X, y, tasks = rows(STCMTLRegressor)
    found = fit(STCMTLRegressor, X, 0.0 * y, tasks)
    assert not found.coef_.any()
    assert not found.intercept_.any()


@pytest.mark.parametrize("shape", ["cone", "span"])
def test_nothing_to_explain_in_a_shape_that_is_given(shape: str) -> None:
    X, y, tasks = rows(STCMTLRegressor)
    found = fit(STCMTLRegressor, X, 0.0 * y, tasks, n_clusters=2, shape=shape)
    assert not found.coef_.any()


def test_no_noise() -> None:
    X, _, tasks = rows(STCMTLRegressor)
    y = X[:, 0] * (1.0 + tasks % 2)
    found = fit(STCMTLRegressor, X, y, tasks)
    assert found.score(X, y, tasks) > 0.999


@pytest.mark.filterwarnings("ignore:Fewer rows than the 3 folds")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_hardly_any_rows(model: Any, n: int) -> None:
    X, y, tasks = rows(model)
    some = np.concatenate([np.flatnonzero(tasks == i)[:n] for i in range(T)])
    y = y[some] if model is STCMTLRegressor else np.arange(some.size) % 2
    fit(model, X[some], y, tasks[some])


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_the_unit_of_the_target_chooses_nothing(scale: float) -> None:
    X, y, tasks = rows(STCMTLRegressor, "strengths")
    plain, scaled = (fit(STCMTLRegressor, X, unit * y, tasks) for unit in (1.0, scale))
    for name in ("n_clusters_", "shape_", "own_"):
        assert getattr(scaled, name) == getattr(plain, name)
    np.testing.assert_allclose(scaled.coef_ / scale, plain.coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"own": "deviation"}], ids=str)
def test_units_of_features_do_not_matter_once_standardized(options: dict[str, Any]) -> None:
    X, y, tasks = rows(STCMTLRegressor, "dense own")
    units = np.geomspace(1e-3, 1e3, D)
    options = {"n_clusters": 2, "standardize": True, **options}
    plain = fit(STCMTLRegressor, X, y, tasks, **options)
    stretched = fit(STCMTLRegressor, X * units, y, tasks, **options)
    np.testing.assert_allclose(stretched.coef_ * units, plain.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(stretched.own_coef_ * units, plain.own_coef_, rtol=1e-4, atol=1e-5)


def test_labels_that_one_feature_tells_apart() -> None:
    X, _, tasks = rows(STCMTLClassifier)
    y = X[:, 0] > 0
    found = fit(STCMTLClassifier, X, y, tasks)
    assert found.score(X, y, tasks) > 0.95


@pytest.mark.parametrize("shape", ["cone", "span"])
def test_two_rows_a_task_and_a_deviation_come_to_an_end(shape: str) -> None:
    """The best level of U is 0 there, which no path of falling levels reaches."""
    rng = np.random.default_rng(0)
    X, y, tasks = rng.normal(size=(20, 5)), rng.normal(size=20), np.repeat(np.arange(10), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = STCMTLRegressor(2, shape=shape, own="deviation", random_state=0).fit(X, y, tasks)
    assert np.isfinite(model.coef_).all()
