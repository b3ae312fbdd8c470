"""Fits whose answer is known: from a closed form, from scikit-learn, or from the simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LogisticRegression

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, metrics, simulate
from stcmtl.data.simulation import Simulation
from tests.unit.plain import plain_model
from tests.unit.small import MODELS, D, K, N, T, fit, small


@pytest.fixture(scope="module")
def regression() -> Simulation:
    return simulate(n_tasks=30, n_features=40, n_clusters=K, n_train=60, n_test=100)


@pytest.fixture(scope="module")
def classification() -> Simulation:
    return simulate(
        n_tasks=30, n_features=40, n_clusters=K, n_train=60, n_test=100, task_type="classification"
    )


def centred(data: TaskSet) -> tuple[NDArray[Any], NDArray[Any]]:
    """X and y with the mean of each task taken off."""
    frame = pd.DataFrame(data.X).assign(y=data.y)
    rest = (frame - frame.groupby(data.tasks).transform("mean")).to_numpy()
    return rest[:, :-1], rest[:, -1]


@pytest.mark.parametrize("refine", [True, False])
def test_one_cluster_without_penalty_is_pooled_least_squares(refine: bool) -> None:
    data = small(STCMTLRegressor)
    estimator = fit(STCMTLRegressor, data, n_clusters=1, gamma=0.0, refine=refine)
    X, y = centred(data)
    wanted = np.linalg.lstsq(X, y)[0]
    np.testing.assert_array_equal(estimator.memberships_, np.ones((T, 1)))
    assert estimator.pure_.all()
    np.testing.assert_allclose(estimator.coef_, np.tile(wanted, (T, 1)), atol=2e-3)
    if not refine:
        mean = pd.DataFrame(data.X).assign(y=data.y).groupby(data.tasks).mean().to_numpy()
        b = mean[:, -1] - mean[:, :-1] @ estimator.coef_[0]
        np.testing.assert_allclose(estimator.intercept_, b, atol=1e-10)


def test_as_many_clusters_as_tasks_without_penalty_is_least_squares_in_each() -> None:
    data = small(STCMTLRegressor)
    estimator = fit(STCMTLRegressor, data, n_clusters=T, gamma=0.0, refine=False)
    np.testing.assert_allclose(estimator.memberships_, np.eye(T), atol=1e-12)
    X, y = centred(data)
    for i, name in enumerate(estimator.task_names_):
        rows = data.tasks == name
        wanted = np.linalg.lstsq(X[rows], y[rows])[0]
        # solved to a share of the objective: judge by the predictions, which it measures
        missed = np.mean((X[rows] @ (estimator.coef_[i] - wanted)) ** 2)
        assert missed < 1e-3 * np.mean(y[rows] ** 2)


def test_one_task_is_the_lasso() -> None:
    X, y = small(STCMTLRegressor).X[:N], small(STCMTLRegressor).y[:N]
    tasks, gamma = np.zeros(N), 0.1
    estimator = STCMTLRegressor(1, refine=False, gamma=gamma).fit(X, y, tasks)
    lasso = Lasso(alpha=gamma / 2, tol=1e-10).fit(X, y)  # its loss is half of ours
    assert np.count_nonzero(lasso.coef_) > 5
    np.testing.assert_allclose(estimator.coef_[0], lasso.coef_, atol=2e-3)
    np.testing.assert_allclose(estimator.intercept_[0], lasso.intercept_, atol=2e-3)


def test_one_task_is_l1_logistic_regression() -> None:
    X, y = small(STCMTLClassifier).X[:N], small(STCMTLClassifier).y[:N]
    tasks, gamma = np.zeros(N), 0.05
    estimator = STCMTLClassifier(1, refine=False, gamma=gamma).fit(X, y, tasks)
    logistic = LogisticRegression(
        l1_ratio=1.0, C=1.0 / (N * gamma), solver="saga", tol=1e-8, max_iter=100_000
    ).fit(X, y)
    assert np.count_nonzero(logistic.coef_) > 3
    np.testing.assert_allclose(estimator.coef_[0], logistic.coef_[0], atol=5e-3)
    np.testing.assert_allclose(estimator.intercept_, logistic.intercept_, atol=5e-3)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("refine", [True, False])
def test_one_cluster_shares_one_vector(model: Any, refine: bool) -> None:
    estimator = fit(model, small(model), n_clusters=1, refine=refine)
    np.testing.assert_array_equal(estimator.memberships_, np.ones((T, 1)))
    assert (estimator.coef_ == estimator.cluster_coef_).all()
    assert np.count_nonzero(estimator.cluster_coef_) > 0
    assert not estimator.labels_.any()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("refine", [True, False])
def test_as_many_clusters_as_tasks(model: Any, refine: bool) -> None:
    data = small(model)
    estimator = fit(model, data, n_clusters=T, refine=refine)
    assert estimator.memberships_.shape == (T, T)
    np.testing.assert_allclose(estimator.memberships_.sum(axis=1), 1.0, atol=1e-12)
    # as good as one cluster for all, at least, on the rows it was fitted to
    pooled = fit(model, data, n_clusters=1, refine=refine)
    assert estimator.score(data.X, data.y, data.tasks) > pooled.score(data.X, data.y, data.tasks)


@pytest.mark.parametrize("model", MODELS)
def test_gamma_is_the_mean_of_the_lambdas_or_what_was_asked_for(model: Any) -> None:
    data = small(model)
    estimator = fit(model, data, refine=False)
    assert estimator.gamma_ == pytest.approx(estimator.lambdas_.mean(), rel=1e-12)
    for refine in (True, False):
        assert fit(model, data, refine=refine, gamma=0.125).gamma_ == 0.125


@pytest.mark.parametrize("model", MODELS)
def test_a_huge_gamma_leaves_only_intercepts(model: Any) -> None:
    data = small(model)
    estimator = fit(model, data, refine=False, gamma=1e6)
    assert not estimator.coef_.any()
    share = pd.Series(data.y).groupby(data.tasks).mean().to_numpy()
    if model is STCMTLClassifier:
        share = np.log((1 + share) / (1 - share))  # log-odds; labels are -1 and 1
    np.testing.assert_allclose(estimator.intercept_, share, rtol=1e-6, atol=1e-9)


def test_cross_validated_gamma_predicts_better_than_the_mean(regression: Simulation) -> None:
    # DESIGN.md: the mean of the lambdas under-penalises U
    train, test = regression.train, regression.test
    errors = {}
    for gamma in ("mean", "cv"):
        estimator = fit(STCMTLRegressor, train, refine=False, gamma=gamma)
        errors[gamma] = metrics.rmse(test.y, estimator.predict(test.X, test.tasks))
    assert errors["cv"] < errors["mean"]


@pytest.mark.parametrize("model", MODELS)
def test_without_intercept(model: Any) -> None:
    estimator = fit(model, small(model), fit_intercept=False)
    np.testing.assert_array_equal(estimator.intercept_, np.zeros(T))
    assert estimator.coef_.any()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("refine", [True, False])
def test_standardising_is_scaling_by_hand(model: Any, refine: bool) -> None:
    data = small(model)
    X = data.X * np.geomspace(0.01, 100, D)
    scale = X.std(axis=0)
    options = {"n_clusters": K, "refine": refine, "gamma": 0.1, "random_state": 0}
    estimator = plain_model(model, standardize=True, **options).fit(X, data.y, data.tasks)
    by_hand = plain_model(model, standardize=False, **options).fit(X / scale, data.y, data.tasks)
    np.testing.assert_allclose(estimator.coef_, by_hand.coef_ / scale, rtol=1e-9)
    np.testing.assert_allclose(estimator.cluster_coef_, by_hand.cluster_coef_ / scale, rtol=1e-9)
    np.testing.assert_allclose(estimator.memberships_, by_hand.memberships_, rtol=1e-9)
    np.testing.assert_allclose(estimator.intercept_, by_hand.intercept_, rtol=1e-9, atol=1e-12)


def test_max_iter_that_is_too_small_is_said() -> None:
    data = small(STCMTLRegressor)
    estimator = plain_model(STCMTLRegressor, K, max_iter=2, tol=0.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match="not settled after 2 iterations") as caught:
        estimator.fit(data.X, data.y, data.tasks)
    assert caught[0].filename == __file__  # it points at the caller
    assert estimator.n_iter_ == 2
    assert fit(STCMTLRegressor, data, max_iter=1).n_iter_ == 1  # asked for, so not worth a warning


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("refine", [True, False])
def test_a_coefficient_is_zero_or_matters(model: Any, refine: bool) -> None:
    # Where nothing is to be found the highest level of a path wins, and rounding must not tip it.
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y, tasks = rng.standard_normal((80, 6)), rng.standard_normal(80), np.arange(80) // 20
        target = y if model is STCMTLRegressor else y > 0
        estimator = plain_model(model, 2, refine=refine, gamma="cv", random_state=0).fit(
            X, target, tasks
        )
        size = np.abs(estimator.coef_)
        assert not ((size > 0) & (size < 1e-9)).any()


# Accuracy


def test_the_refined_regression_finds_the_truth(regression: Simulation) -> None:
    train, test, truth = regression.train, regression.test, regression.truth
    paper = fit(STCMTLRegressor, train, refine=False)
    refined = fit(STCMTLRegressor, train)
    errors = {
        model.refine: metrics.rmse(test.y, model.predict(test.X, test.tasks))
        for model in (paper, refined)
    }
    signal = np.einsum("nd,nd->n", test.X, truth.W.T[np.repeat(np.arange(30), 100)])
    noise = metrics.rmse(test.y, signal)
    assert errors[True] < 1.03 * noise < errors[False]
    assert metrics.ree(truth.W, refined.coef_.T) < 0.6 * metrics.ree(truth.W, paper.coef_.T)
    assert metrics.membership_error(truth.V, refined.memberships_.T) < 0.02
    assert metrics.pure_accuracy(truth.pure, refined.pure_) >= 0.9
    assert metrics.mcc(truth.W, refined.coef_.T) > 0.8
    assert metrics.mcc(truth.W, paper.coef_.T) < 0.5  # U under-penalised


def test_the_refined_classifier_beats_one_task_at_a_time(classification: Simulation) -> None:
    train, test, truth = classification.train, classification.test, classification.truth
    alone = []  # error rates of L1 logistic regressions, at the level that tests best
    for C in (0.1, 0.3, 1.0):
        predicted = np.empty_like(test.y)
        for name in train.task_names:
            rows, new = train.tasks == name, test.tasks == name
            single = LogisticRegression(l1_ratio=1.0, C=C, solver="liblinear")
            predicted[new] = single.fit(train.X[rows], train.y[rows]).predict(test.X[new])
        alone.append(metrics.error_rate(test.y, predicted))
    refined = fit(STCMTLClassifier, train)
    error = metrics.error_rate(test.y, refined.predict(test.X, test.tasks))
    assert error < 0.8 * min(alone)
    assert metrics.membership_error(truth.V, refined.memberships_.T) < 0.06
    assert metrics.pure_accuracy(truth.pure, refined.pure_) >= 0.8
