"""Odd but honest data simply work: no warning but those meant for the user, finite results."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from stcmtl import STCMTLClassifier, STCMTLRegressor
from tests.unit.plain import plain_model
from tests.unit.two_clusters import MODELS, D, N, T, fit, rows


def fitted(model: Any, X: Any, y: Any, tasks: Any, **options: Any) -> Any:
    """Fit without any warning but those that are meant for the user; every number is finite."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Fewer rows than the 5 folds", UserWarning)
        warnings.filterwarnings("ignore", "The objective had not settled", ConvergenceWarning)
        estimator = fit(model, X, y, tasks, **options)
    for name in ("coef_", "intercept_", "cluster_coef_", "memberships_", "similarity_", "purity_",
                 "lambdas_", "gamma_", "distances_"):  # fmt: skip
        assert np.isfinite(getattr(estimator, name)).all(), name
    assert estimator.memberships_.min() >= 0.0
    np.testing.assert_allclose(estimator.memberships_.sum(axis=1), 1.0, atol=1e-9)
    return estimator


BOTH = pytest.mark.parametrize("refine", [True, False])
EITHER = pytest.mark.parametrize("model", MODELS)


@EITHER
@BOTH
@pytest.mark.parametrize("options", [{}, {"standardize": True}, {"gamma": 0.0}], ids=str)
def test_constant_features_get_no_coefficient(
    model: Any, refine: bool, options: dict[str, Any]
) -> None:
    X, y, tasks = rows(model)
    for value in (0.0, 0.1, -1e6):  # 0.1 has a variance, by rounding
        X = np.c_[X, np.full(T * N, value)]
    X = np.c_[X, pd.factorize(tasks)[0] + 0.1]  # constant in each task
    estimator = fitted(model, X, y, tasks, refine=refine, **options)
    np.testing.assert_array_equal(estimator.coef_[:, D:], np.zeros((T, 4)))
    assert estimator.score(X, y, tasks) > (0.9 if model is STCMTLRegressor else 0.85)


@EITHER
@BOTH
def test_duplicated_features_predict_as_one(model: Any, refine: bool) -> None:
    X, y, tasks = rows(model)
    single = fitted(model, X, y, tasks, refine=refine)
    double = fitted(model, np.c_[X, X], y, tasks, refine=refine)
    score = single.score(X, y, tasks)
    assert abs(double.score(np.c_[X, X], y, tasks) - score) < 0.03
    assert score > (0.9 if model is STCMTLRegressor else 0.85)


@BOTH
@pytest.mark.parametrize("options", [{}, {"gamma": "cv"}, {"fit_intercept": False}], ids=str)
def test_all_zero_targets_give_all_zero_coefficients(refine: bool, options: dict[str, Any]) -> None:
    X, y, tasks = rows()
    estimator = fitted(STCMTLRegressor, X, 0 * y, tasks, refine=refine, **options)
    assert not estimator.coef_.any()
    np.testing.assert_array_equal(estimator.predict(X, tasks), np.zeros(T * N))


@BOTH
def test_a_constant_target_is_the_intercept(refine: bool) -> None:
    X, _, tasks = rows()
    estimator = fitted(STCMTLRegressor, X, np.full(T * N, 3.7), tasks, refine=refine)
    np.testing.assert_allclose(estimator.coef_, 0.0, atol=1e-12)
    np.testing.assert_allclose(estimator.intercept_, 3.7, rtol=1e-12)


@BOTH
def test_one_task_of_zeros_among_others(refine: bool) -> None:
    X, y, tasks = rows()
    y[tasks == "north"] = 0.0
    estimator = fitted(STCMTLRegressor, X, y, tasks, refine=refine, n_clusters=3)
    others = tasks != "north"
    assert estimator.score(X[others], y[others], tasks[others]) > 0.9


@EITHER
@BOTH
def test_identical_tasks_get_identical_models(model: Any, refine: bool) -> None:
    X, y, tasks = rows(model)
    X[tasks == "up"], y[tasks == "up"] = X[tasks == "north"], y[tasks == "north"]
    estimator = fitted(model, X, y, tasks, refine=refine)
    north, up = (estimator.task_names_.tolist().index(name) for name in ("north", "up"))
    np.testing.assert_allclose(estimator.coef_[up], estimator.coef_[north], atol=0.02)
    assert estimator.labels_[up] == estimator.labels_[north]


@EITHER
@pytest.mark.parametrize("n_clusters", [1, 3])
def test_all_tasks_identical(model: Any, n_clusters: int) -> None:
    X, y, tasks = rows(model)
    X, y = np.tile(X[:N], (T, 1)), np.tile(y[:N], T)
    estimator = fitted(model, X, y, tasks, n_clusters=n_clusters)
    np.testing.assert_allclose(
        estimator.coef_, np.tile(estimator.coef_[0], (T, 1)), rtol=0.02, atol=1e-6
    )
    assert estimator.score(X, y, tasks) > 0.8


@EITHER
@BOTH
def test_many_more_features_than_rows(model: Any, refine: bool) -> None:
    X, y, tasks = rows(model, n=10, features=300)
    estimator = fitted(model, X, y, tasks, refine=refine)
    new_X, new_y, _ = rows(model, seed=1, n=10, features=300)
    chance = 0.0 if model is STCMTLRegressor else 0.5
    assert estimator.score(new_X, new_y, tasks) > chance - 0.3
    assert np.count_nonzero(estimator.cluster_coef_) < 100


@EITHER
@BOTH
@pytest.mark.parametrize("n", [2, 3, 4])
def test_very_small_tasks(model: Any, refine: bool, n: int) -> None:
    X, y, tasks = rows(n=n)
    if model is STCMTLClassifier:
        y = np.tile([0, 1, 1, 0][:n], T)
    with pytest.warns(UserWarning, match="Fewer rows than the 5 folds"):
        plain_model(model, 2).fit(X, y, tasks)
    estimator = fitted(model, X, y, tasks, refine=refine)
    assert np.abs(estimator.predict(X, tasks)).max() <= 1.5 * np.abs(y).max()


@EITHER
@BOTH
def test_one_feature(model: Any, refine: bool) -> None:
    X, _, tasks = rows()
    slope = np.where(pd.factorize(tasks)[0] % 2, -2.0, 2.0)
    y = slope * X[:, 0] + 0.3 * X[:, 1]
    y = y if model is STCMTLRegressor else y > 0
    estimator = fitted(model, X[:, :1], y, tasks, refine=refine)
    assert estimator.score(X[:, :1], y, tasks) > 0.9
    even = np.isin(estimator.task_names_, ["north", "east", "up"])
    np.testing.assert_array_equal(np.sign(estimator.coef_[:, 0]), np.where(even, 1, -1))


@EITHER
@BOTH
@pytest.mark.parametrize(("n_tasks", "n_clusters"), [(1, 1), (2, 1), (2, 2), (3, 3)])
def test_few_tasks(model: Any, refine: bool, n_tasks: int, n_clusters: int) -> None:
    X, y, tasks = (part[: n_tasks * N] for part in rows(model))
    estimator = fitted(model, X, y, tasks, refine=refine, n_clusters=n_clusters)
    assert estimator.coef_.shape == (n_tasks, D)
    assert estimator.purity_.shape == (n_tasks,)
    enough = n_clusters == 2 or n_tasks != 2  # two unlike tasks cannot share one cluster
    if enough:
        assert estimator.score(X, y, tasks) > 0.8


@BOTH
def test_separable_classes(refine: bool) -> None:
    X, _, tasks = rows()
    y = X[:, 0] > 0.1
    estimator = fitted(STCMTLClassifier, X, y, tasks, refine=refine)
    assert estimator.score(X, y, tasks) > 0.95
    assert np.abs(estimator.coef_).argmax(axis=1).tolist() == [0] * T
    probability = estimator.predict_proba(X, tasks)
    assert np.isfinite(probability).all()
    free = fitted(STCMTLClassifier, X, y, tasks, refine=refine, gamma=0.0)  # no finite minimum
    assert free.score(X, y, tasks) > 0.95


@BOTH
@pytest.mark.parametrize("rare", [True, False])
def test_one_row_of_a_label_in_each_task(refine: bool, rare: bool) -> None:
    X, _, tasks = rows(n=50)
    y = np.full(T * 50, not rare)
    y[::50] = rare
    estimator = fitted(STCMTLClassifier, X, y, tasks, refine=refine)
    assert estimator.score(X, y, tasks) >= 0.98
    share = estimator.predict_proba(X, tasks)[:, 1].mean()
    assert share == pytest.approx(y.mean(), abs=0.01)


@EITHER
@BOTH
@pytest.mark.parametrize(
    ("x_scale", "y_scale"), [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e-8), (1e30, 1e30)]
)
def test_huge_and_tiny_scales(model: Any, refine: bool, x_scale: float, y_scale: float) -> None:
    X, y, tasks = rows(model)
    if model is STCMTLClassifier:
        y_scale = 1.0
    plain = fitted(model, X, y, tasks, refine=refine)
    estimator = fitted(model, X * x_scale, y * y_scale, tasks, refine=refine)
    assert estimator.score(X * x_scale, y * y_scale, tasks) == pytest.approx(
        plain.score(X, y, tasks), abs=1e-3
    )
    np.testing.assert_allclose(
        estimator.coef_ * x_scale / y_scale, plain.coef_, rtol=1e-3, atol=1e-3
    )


@EITHER
@BOTH
def test_tasks_of_very_unequal_sizes(model: Any, refine: bool) -> None:
    X, y, tasks = rows(model, n=500)
    sizes = {"north": 3, "south": 500, "east": 500, "west": 4, "up": 30, "down": 100}
    first = np.concatenate([np.flatnonzero(tasks == name)[-n:] for name, n in sizes.items()])
    estimator = fitted(model, X[first], y[first], tasks[first], refine=refine)
    large = np.isin(tasks, ["south", "east"])
    assert estimator.score(X[large], y[large], tasks[large]) > 0.9
    if refine:  # the small tasks borrow strength from the large ones
        assert estimator.score(X, y, tasks) > 0.85


def test_whole_and_boolean_targets() -> None:
    X, y, tasks = rows()
    whole = np.round(10 * y).astype(int)
    estimator = fitted(STCMTLRegressor, X, whole, tasks)
    assert estimator.score(X, whole, tasks) > 0.9
    assert estimator.predict(X, tasks).dtype == np.float64
    classifier = fitted(STCMTLClassifier, X, y > 0, tasks)
    assert classifier.predict(X, tasks).dtype == bool
    assert classifier.score(X, y > 0, tasks) > 0.85


@EITHER
@BOTH
def test_features_that_are_all_zero_leave_the_intercepts(model: Any, refine: bool) -> None:
    X, y, tasks = rows(model)
    estimator = fitted(model, 0 * X, y, tasks, refine=refine)
    assert not estimator.coef_.any()
    assert np.unique(estimator.predict(0 * X, tasks)).size <= T


def test_data_without_noise() -> None:
    X, _, tasks = rows()
    slopes = np.array([[1.5, -1.0, 0, 0, 0], [0, 0, 0, 1.0, 1.5]])
    y = np.einsum("nd,nd->n", X, slopes[pd.factorize(tasks)[0] % 2]) + 2.0
    estimator = fitted(STCMTLRegressor, X, y, tasks)
    cluster = np.isin(estimator.task_names_, ["south", "west", "down"]).astype(int)
    np.testing.assert_allclose(estimator.coef_, slopes[cluster], atol=1e-3)
    np.testing.assert_allclose(estimator.intercept_, 2.0, atol=1e-3)
