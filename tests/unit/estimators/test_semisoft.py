"""The estimators: scikit-learn's manners, what the fitted attributes mean, forms of input."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, KFold

from stcmtl import STCMTLClassifier, STCMTLRegressor, simulate
from tests.unit.plain import plain_model
from tests.unit.small import MODELS, D, K, N, T, fit, small

# Manners


@pytest.mark.parametrize("model", MODELS)
def test_the_constructor_is_the_contract(model: Any) -> None:
    parameters = inspect.signature(model).parameters
    wanted = {
        "n_clusters": "auto",
        "shape": "auto",
        "own": "auto",
        "refine": True,
        "robust": False,
        "theta": 0.5,
        "epsilon": 0.1,
        "gamma": "mean",
        "cv": 5,
        "max_iter": 50,
        "tol": 1e-3,
        "fit_intercept": True,
        "standardize": "auto",
        "loss": "auto",
        "n_jobs": None,
        "random_state": None,
        "outlier_factor": 4.5,
        "outlier_rule": "checked",
    }
    # as lists: the order is part of the contract
    assert [(name, p.default) for name, p in parameters.items()] == list(wanted.items())


@pytest.mark.parametrize("model", MODELS)
def test_methods_take_what_the_contract_says(model: Any) -> None:
    for method, names in {
        "fit": ["X", "y", "tasks", "sample_weight"],
        "predict": ["X", "tasks", "memberships"],
        "score": ["X", "y", "tasks", "sample_weight"],
    }.items():
        assert list(inspect.signature(getattr(model(), method)).parameters) == names


@pytest.mark.parametrize("model", MODELS)
def test_parameters_round_trip_and_clone(model: Any) -> None:
    options = {"n_clusters": 2, "gamma": 0.3, "theta": 0.7, "standardize": True, "n_jobs": 2}
    estimator = model().set_params(**options)
    assert {name: estimator.get_params()[name] for name in options} == options
    twin = clone(estimator)
    assert twin is not estimator
    assert twin.get_params() == estimator.get_params()
    assert repr(twin) == (
        f"{model.__name__}(gamma=0.3, n_clusters=2, n_jobs=2, standardize=True, theta=0.7)"
    )
    with pytest.raises(ValueError, match="Invalid parameter 'clusters'"):
        estimator.set_params(clusters=3)


@pytest.mark.parametrize("model", MODELS)
def test_fit_returns_self_and_leaves_parameters_alone(model: Any) -> None:
    data, estimator = small(model), plain_model(model, K, random_state=0)
    before = estimator.get_params()
    assert estimator.fit(data.X, data.y, data.tasks) is estimator
    assert estimator.get_params() == before
    assert not [name for name in vars(clone(estimator)) if name.endswith("_")]


def test_scikit_learn_knows_which_is_which() -> None:
    assert is_regressor(STCMTLRegressor())
    assert not is_classifier(STCMTLRegressor())
    assert is_classifier(STCMTLClassifier())


@pytest.mark.parametrize("model", MODELS)
def test_a_model_must_be_fitted_first(model: Any) -> None:
    data = small(model)
    methods = {"predict", "decision_values", "predict_proba", "decision_function"} & {*dir(model)}
    calls = dict.fromkeys(methods, (data.X, data.tasks))
    for name, rows in (calls | {"score": (data.X, data.y, data.tasks)}).items():
        with pytest.raises(NotFittedError, match=f"This {model.__name__} instance is not fitted"):
            getattr(model(), name)(*rows)


@pytest.mark.parametrize("model", MODELS)
def test_a_pickle_predicts_the_same_bits(model: Any) -> None:
    data = small(model)
    estimator = fit(model, data)
    twin = pickle.loads(pickle.dumps(estimator))
    method = "predict" if model is STCMTLRegressor else "predict_proba"
    np.testing.assert_array_equal(
        getattr(twin, method)(data.X, data.tasks), getattr(estimator, method)(data.X, data.tasks)
    )
    assert len(twin.history_) == len(estimator.history_)


def test_grid_search_passes_tasks_on() -> None:
    data = simulate(n_tasks=T, n_features=D, n_clusters=K, n_train=100).train
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = STCMTLRegressor(refine=False, random_state=0)
        estimator.set_fit_request(tasks=True).set_score_request(tasks=True)
        folds = KFold(2, shuffle=True, random_state=0)
        search = GridSearchCV(estimator, {"n_clusters": [1, K]}, cv=folds)
        search.fit(data.X, data.y, tasks=data.tasks)
    assert search.best_params_ == {"n_clusters": K}
    pooled, clustered = search.cv_results_["mean_test_score"]
    assert clustered > pooled + 0.2  # of explained variance


# Feature names


@pytest.mark.parametrize("model", MODELS)
def test_a_data_frame_names_the_features(model: Any) -> None:
    data = small(model)
    names = [f"gene {d}" for d in range(D)]
    frame = pd.DataFrame(data.X, columns=names)
    estimator = plain_model(model, K, random_state=0).fit(frame, data.y, data.tasks)
    assert estimator.feature_names_in_.tolist() == names
    assert estimator.n_features_in_ == D
    plain = fit(model, data)
    assert not hasattr(plain, "feature_names_in_")
    assert plain.n_features_in_ == D
    np.testing.assert_array_equal(
        estimator.predict(frame, data.tasks), plain.predict(data.X, data.tasks)
    )


def test_other_columns_at_predict_are_refused() -> None:
    data = small(STCMTLRegressor)
    frame = pd.DataFrame(data.X, columns=[f"x{d}" for d in range(D)])
    estimator = plain_model(STCMTLRegressor, K, random_state=0).fit(frame, data.y, data.tasks)
    with pytest.raises(ValueError, match=r"Feature names must be in the same order as.* in fit"):
        estimator.predict(frame[frame.columns[::-1]], data.tasks)
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- age\n(.*\n)*- x3"):
        estimator.predict(frame.rename(columns={"x3": "age"}), data.tasks)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        estimator.predict(data.X, data.tasks)


def test_a_second_fit_forgets_the_first() -> None:
    data = small(STCMTLRegressor)
    frame = pd.DataFrame(data.X, columns=[f"x{d}" for d in range(D)])
    estimator = plain_model(STCMTLRegressor, K, random_state=0).fit(frame, data.y, data.tasks)
    keep = data.tasks != data.task_names[0]
    estimator.set_params(n_clusters=2).fit(data.X[keep, :5], data.y[keep], data.tasks[keep])
    assert not hasattr(estimator, "feature_names_in_")
    assert estimator.n_features_in_ == 5
    assert estimator.coef_.shape == (T - 1, 5)
    assert estimator.task_names_.tolist() == data.task_names[1:].tolist()


# What is fitted


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("refine", [True, False])
def test_attributes_have_their_shapes_and_fit_together(model: Any, refine: bool) -> None:
    estimator = fit(model, small(model), refine=refine)
    shapes = {
        "coef_": (T, D),
        "intercept_": (T,),
        "cluster_coef_": (K, D),
        "memberships_": (T, K),
        "task_names_": (T,),
        "pure_": (T,),
        "labels_": (T,),
        "purity_": (T,),
        "similarity_": (T, T),
        "lambdas_": (T,),
        "outliers_": (T,),
        "distances_": (T,),
    }
    assert {name: getattr(estimator, name).shape for name in shapes} == shapes
    assert estimator.pure_.dtype == bool
    assert estimator.outliers_.dtype == bool
    assert isinstance(estimator.gamma_, float)
    stages = [iteration.stage for iteration in estimator.history_]
    assert stages.count("paper") == estimator.n_iter_ > 1
    assert ("refine" in stages) is refine
    assert [it.iteration for it in estimator.history_] == list(range(1, len(stages) + 1))
    V = estimator.memberships_
    assert V.min() >= 0.0
    np.testing.assert_allclose(V.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(estimator.coef_, V @ estimator.cluster_coef_, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(estimator.labels_, V.argmax(axis=1))
    np.testing.assert_allclose(
        estimator.similarity_, estimator.coef_ @ estimator.coef_.T, rtol=1e-12, atol=1e-14
    )
    assert not estimator.outliers_.any()
    assert (estimator.lambdas_ > 0).all()
    assert estimator.distances_.max() > 0.01  # a task alone finds other coefficients
    if refine:
        np.testing.assert_array_equal(estimator.pure_, V.max(axis=1) == 1.0)
    # clusters are numbered in the order of their first task
    first = [np.flatnonzero(estimator.labels_ == k)[0] for k in range(K)]
    assert first == sorted(first)


@pytest.mark.parametrize("model", MODELS)
def test_the_last_entry_of_the_history_is_the_result(model: Any) -> None:
    estimator = fit(model, small(model), standardize=True)
    last = estimator.history_[-1]
    np.testing.assert_array_equal(last.U, estimator.cluster_coef_.T)
    np.testing.assert_array_equal(last.V, estimator.memberships_.T)
    assert last.gamma == estimator.gamma_
    assert all(np.isfinite(iteration.objective) for iteration in estimator.history_)
    assert all(it.objective >= it.loss > 0 for it in estimator.history_)


@pytest.mark.parametrize("standardize", [True, False])
def test_predictions_are_the_linear_models_of_the_tasks(standardize: bool) -> None:
    data = small(STCMTLRegressor)
    estimator = fit(STCMTLRegressor, data, standardize=standardize)
    predicted = estimator.predict(data.X, data.tasks)
    for i, name in enumerate(estimator.task_names_):
        rows = data.tasks == name
        np.testing.assert_allclose(
            predicted[rows], data.X[rows] @ estimator.coef_[i] + estimator.intercept_[i]
        )


@pytest.mark.parametrize("model", MODELS)
def test_predictions_follow_the_rows(model: Any) -> None:
    data = small(model)
    estimator = fit(model, data)
    everything = estimator.predict(data.X, data.tasks)
    assert np.unique(everything).size > 1
    some = np.random.default_rng(0).permutation(np.flatnonzero(data.tasks != "task3"))[:40]
    for rows in (some, [0]):
        predicted = estimator.predict(data.X[rows], data.tasks[rows])
        np.testing.assert_allclose(predicted, everything[rows], rtol=1e-12)


def test_scores_are_scikit_learns() -> None:
    data = small(STCMTLRegressor)
    estimator = fit(STCMTLRegressor, data)
    predicted = estimator.predict(data.X, data.tasks)
    score = estimator.score(data.X, data.y, data.tasks)
    assert score == r2_score(data.y, predicted)
    assert score > 0.5
    data = small(STCMTLClassifier)
    classifier = fit(STCMTLClassifier, data)
    score = classifier.score(data.X, data.y, data.tasks)
    assert score == accuracy_score(data.y, classifier.predict(data.X, data.tasks))
    assert score > 0.7


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [((0, 1), None), ((-1, 1), None), ((1, 2), None), ((False, True), None), (("no", "yes"), None)]
    + [(("no", "yes"), dtype) for dtype in ("category", "string", object)],
    ids=str,
)
def test_any_two_labels_give_the_same_model(labels: tuple[Any, Any], dtype: Any) -> None:
    """As arrays, and where a type is given as a Series of pandas."""
    data = small(STCMTLClassifier)
    reference = fit(STCMTLClassifier, data, refine=False)
    given = y = np.array(labels)[(data.y == 1.0).astype(int)]
    if dtype is not None:
        given = pd.Series(y).astype(dtype)
    classifier = STCMTLClassifier(K, refine=False, random_state=0).fit(data.X, given, data.tasks)
    assert classifier.classes_.tolist() == list(labels)
    np.testing.assert_array_equal(classifier.coef_, reference.coef_)
    predicted = classifier.predict(data.X, data.tasks)
    assert dtype is not None or predicted.dtype == y.dtype
    positive = reference.predict(data.X, data.tasks) == 1.0
    np.testing.assert_array_equal(predicted == labels[1], positive)
    assert classifier.score(data.X, y, data.tasks) == np.mean((data.y == 1.0) == positive)


def test_probabilities_agree_with_decisions_and_labels() -> None:
    data = small(STCMTLClassifier)
    classifier = fit(STCMTLClassifier, data)
    decision = classifier.decision_function(data.X, data.tasks)
    probability = classifier.predict_proba(data.X, data.tasks)
    assert probability.shape == (T * N, 2)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(probability[:, 1], 1.0 / (1.0 + np.exp(-decision)), rtol=1e-12)
    np.testing.assert_array_equal(
        classifier.predict(data.X, data.tasks), np.where(probability[:, 1] > 0.5, 1.0, -1.0)
    )
    np.testing.assert_array_equal(classifier.predict(data.X, data.tasks) == 1.0, decision > 0)
    assert decision.min() < 0 < decision.max()
