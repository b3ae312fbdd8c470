"""The estimators: scikit-learn's manners, what the fitted attributes mean, forms of input."""

from __future__ import annotations

import inspect
import pickle
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, KFold

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, simulate

MODELS = [STCMTLRegressor, STCMTLClassifier]
T, D, K, N = 9, 20, 3, 30  # of the small data


@cache
def small(model: Any) -> TaskSet:
    kind = "regression" if model is STCMTLRegressor else "classification"
    return simulate(n_tasks=T, n_features=D, n_clusters=K, n_train=N, task_type=kind).train


@cache  # a TaskSet is equal to itself alone
def fit(model: Any, data: TaskSet, **options: Any) -> Any:
    """The same fit serves many tests: none may change it."""
    options = {"n_clusters": K, "random_state": 0, **options}
    return model(**options).fit(data.X, data.y, data.tasks)


# Manners


@pytest.mark.parametrize("model", MODELS)
def test_the_constructor_is_the_contract(model: Any) -> None:
    parameters = inspect.signature(model).parameters
    wanted = {
        "n_clusters": 5,
        "refine": True,
        "robust": False,
        "theta": 0.5,
        "epsilon": 0.1,
        "gamma": "mean",
        "cv": 5,
        "max_iter": 50,
        "tol": 1e-3,
        "fit_intercept": True,
        "standardize": False,
        "n_jobs": None,
        "random_state": None,
    }
    # as lists: the order is part of the contract
    assert [(name, p.default) for name, p in parameters.items()] == list(wanted.items())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("method", "names"),
    [("fit", ["X", "y", "tasks"]), ("predict", ["X", "tasks"]), ("score", ["X", "y", "tasks"])],
)
def test_methods_take_what_the_contract_says(model: Any, method: str, names: list[str]) -> None:
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
    data, estimator = small(model), model(n_clusters=K, random_state=0)
    before = estimator.get_params()
    assert estimator.fit(data.X, data.y, data.tasks) is estimator
    assert estimator.get_params() == before
    assert not [name for name in vars(clone(estimator)) if name.endswith("_")]


def test_scikit_learn_knows_which_is_which() -> None:
    assert is_regressor(STCMTLRegressor())
    assert not is_classifier(STCMTLRegressor())
    assert is_classifier(STCMTLClassifier())


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (STCMTLRegressor, "predict"),
        (STCMTLRegressor, "score"),
        (STCMTLClassifier, "predict"),
        (STCMTLClassifier, "predict_proba"),
        (STCMTLClassifier, "decision_function"),
        (STCMTLClassifier, "score"),
    ],
)
def test_a_model_must_be_fitted_first(model: Any, method: str) -> None:
    data = small(model)
    rows = (data.X, data.y, data.tasks) if method == "score" else (data.X, data.tasks)
    with pytest.raises(NotFittedError, match=f"This {model.__name__} instance is not fitted yet"):
        getattr(model(), method)(*rows)


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
    estimator = model(n_clusters=K, random_state=0).fit(frame, data.y, data.tasks)
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
    estimator = STCMTLRegressor(K, random_state=0).fit(frame, data.y, data.tasks)
    with pytest.raises(ValueError, match=r"Feature names must be in the same order as.* in fit"):
        estimator.predict(frame[frame.columns[::-1]], data.tasks)
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- age\n(.*\n)*- x3"):
        estimator.predict(frame.rename(columns={"x3": "age"}), data.tasks)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        estimator.predict(data.X, data.tasks)


def test_a_second_fit_forgets_the_first() -> None:
    data = small(STCMTLRegressor)
    frame = pd.DataFrame(data.X, columns=[f"x{d}" for d in range(D)])
    estimator = STCMTLRegressor(K, random_state=0).fit(frame, data.y, data.tasks)
    keep = data.tasks != data.task_names[0]
    estimator.set_params(n_clusters=2).fit(data.X[keep, :5], data.y[keep], data.tasks[keep])
    assert not hasattr(estimator, "feature_names_in_")
    assert estimator.n_features_in_ == 5
    assert estimator.coef_.shape == (T - 1, 5)
    assert estimator.task_names_.tolist() == data.task_names[1:].tolist()


# What is fitted


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("refine", [True, False])
def test_attributes_have_their_shapes(model: Any, refine: bool) -> None:
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


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("refine", [True, False])
def test_attributes_fit_together(model: Any, refine: bool) -> None:
    estimator = fit(model, small(model), refine=refine)
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
    "labels",
    [(0, 1), (-1, 1), (1, 2), (False, True), ("no", "yes")],
    ids=str,
)
def test_any_two_labels_give_the_same_model(labels: tuple[Any, Any]) -> None:
    data = small(STCMTLClassifier)
    reference = fit(STCMTLClassifier, data, refine=False)
    y = np.array(labels)[(data.y == 1.0).astype(int)]
    classifier = STCMTLClassifier(K, refine=False, random_state=0).fit(data.X, y, data.tasks)
    assert classifier.classes_.tolist() == list(labels)
    np.testing.assert_array_equal(classifier.coef_, reference.coef_)
    predicted = classifier.predict(data.X, data.tasks)
    assert predicted.dtype == y.dtype
    positive = reference.predict(data.X, data.tasks) == 1.0
    np.testing.assert_array_equal(predicted == labels[1], positive)
    assert classifier.score(data.X, y, data.tasks) == np.mean((data.y == 1.0) == positive)


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_labels_may_be_a_pandas_series(dtype: Any) -> None:
    data = small(STCMTLClassifier)
    y = pd.Series(np.where(data.y > 0, "yes", "no")).astype(dtype)
    classifier = STCMTLClassifier(K, refine=False, random_state=0)
    classifier.fit(data.X, y, pd.Series(data.tasks))
    assert classifier.classes_.tolist() == ["no", "yes"]
    wanted = fit(STCMTLClassifier, data, refine=False)
    np.testing.assert_array_equal(classifier.coef_, wanted.coef_)


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


# Forms of input


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (list(range(10, 10 + T)), list(range(T))),
        (list(range(T, 0, -1)), list(range(T))[::-1]),
        ([f"s{i}" for i in range(T)], list(range(T))),
        ([2.5 * i for i in range(T)], list(range(T))),
        (pd.date_range("2020-01-01", periods=T).to_list(), list(range(T))),
        ([0, 1, 2, 3, "a", "b", "c", "d", "e"], list(range(T))),
    ],
    ids=["integers", "falling", "text", "floats", "dates", "mixed"],
)
def test_tasks_may_be_named_in_many_ways(names: list[Any], order: list[int]) -> None:
    data = small(STCMTLRegressor)
    lookup = pd.Series(names, dtype=object if isinstance(names[-1], str) else None)
    tasks = lookup.to_numpy()[np.repeat(np.arange(T), N)]
    estimator = STCMTLRegressor(K, random_state=0).fit(data.X, data.y, tasks)
    assert estimator.task_names_.tolist() == lookup.to_numpy()[order].tolist()
    for i, name in enumerate(estimator.task_names_):
        rows = tasks == name
        np.testing.assert_allclose(
            estimator.predict(data.X[rows], tasks[rows]),
            data.X[rows] @ estimator.coef_[i] + estimator.intercept_[i],
        )
    assert estimator.score(data.X, data.y, tasks) > 0.5  # rows went with their tasks


def test_lists_and_pandas_objects_are_as_good_as_arrays() -> None:
    data = small(STCMTLRegressor)
    reference = fit(STCMTLRegressor, data)
    index = np.random.default_rng(0).permutation(T * N)  # positions count, not the index
    frame = pd.DataFrame(data.X, index=index)
    for X, y, tasks in [
        (data.X.tolist(), data.y.tolist(), data.tasks.tolist()),
        (frame, pd.Series(data.y, index=index[::-1]), pd.Series(data.tasks)),
        (frame, pd.DataFrame(data.y), pd.Series(data.tasks).astype("category")),
        (frame.astype(object), data.y.astype(object), data.tasks.astype(object)),
        (frame.astype("Float64"), pd.Series(data.y, dtype="Float64"), data.tasks[:, None]),
    ]:
        estimator = STCMTLRegressor(K, random_state=0).fit(X, y, tasks)
        np.testing.assert_array_equal(estimator.coef_, reference.coef_)
        np.testing.assert_array_equal(
            estimator.predict(X, tasks), reference.predict(data.X, data.tasks)
        )


@pytest.mark.parametrize("model", MODELS)
def test_the_layout_of_arrays_does_not_matter(model: Any) -> None:
    data = small(model)
    reference = fit(model, data, refine=False)
    read_only = data.X.copy()
    read_only.setflags(write=False)
    y, tasks = data.y.copy(), data.tasks.copy()
    y.setflags(write=False)
    tasks.setflags(write=False)
    wide = np.zeros((2 * T * N, 2 * D))
    wide[::2, ::2] = data.X
    for X in (np.asfortranarray(data.X), read_only, wide[::2, ::2]):
        estimator = model(n_clusters=K, refine=False, random_state=0).fit(X, y, tasks)
        np.testing.assert_array_equal(estimator.coef_, reference.coef_)
        np.testing.assert_array_equal(estimator.intercept_, reference.intercept_)
        # BLAS may round differently for another layout
        assert estimator.score(X, y, tasks) == pytest.approx(
            reference.score(data.X, data.y, data.tasks), rel=1e-12
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.int8, bool])
def test_other_number_types_become_float64(dtype: Any) -> None:
    data = small(STCMTLRegressor)
    X = (3 * data.X).astype(dtype)
    y = (100 * data.y).astype(np.int32)
    found = STCMTLRegressor(K, random_state=0).fit(X, y, data.tasks)
    wanted = STCMTLRegressor(K, random_state=0).fit(
        X.astype(np.float64), y.astype(np.float64), data.tasks
    )
    assert found.coef_.dtype == np.float64
    np.testing.assert_array_equal(found.coef_, wanted.coef_)
    np.testing.assert_array_equal(
        found.predict(X, data.tasks), wanted.predict(X.astype(np.float64), data.tasks)
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_input_is_never_modified(model: Any, order: Any) -> None:
    data = small(model)
    X, y, tasks = data.X.copy(order=order), data.y.copy(), data.tasks.copy()
    one = tasks == tasks[0]  # a single task could be worked on in place
    for rows, n_clusters in ((slice(None), K), (one, 1)):
        given = X[rows].copy(order=order), y[rows].copy(), tasks[rows].copy()
        estimator = model(n_clusters=n_clusters, standardize=True, random_state=0).fit(*given)
        estimator.predict(given[0], given[2])
        for array, before in zip(given, (X[rows], y[rows], tasks[rows]), strict=True):
            np.testing.assert_array_equal(array, before)
