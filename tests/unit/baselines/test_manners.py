"""Every baseline behaves like an estimator, for numbers and for labels."""

from __future__ import annotations

import inspect
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import get_tags

from stcmtl import TaskSet, load
from stcmtl.baselines import METHODS, Progress
from tests.unit.baselines.manners import KINDS, D, T, data, fitted, quick
from tests.unit.cases import together
from tests.unit.io.test_model_file import assert_identical

COMMON = {
    "cv": 5,
    "fit_intercept": True,
    "standardize": False,
    "n_jobs": None,
    "random_state": None,
    "task_type": "auto",
}
BOTH = pytest.mark.parametrize("kind", KINDS)
pytestmark = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def test_common_parameters_come_last(method: Any) -> None:
    parameters = inspect.signature(method).parameters
    defaults = [(name, p.default) for name, p in parameters.items()]
    assert defaults[-len(COMMON) :] == list(COMMON.items())


def test_parameters_round_trip_and_clone(method: Any) -> None:
    estimator = method(cv=3, standardize=True, n_jobs=2, task_type="regression")
    twin = clone(estimator)
    assert twin is not estimator
    assert twin.get_params() == estimator.get_params()
    assert twin.get_params()["cv"] == 3


def test_a_fit_calls_the_kernels_it_names(method: Any) -> None:
    fitted(method, "regression")
    assert all(kernel.signatures for kernel in method._kernels)


@BOTH
def test_fitted_attributes(method: Any, kind: str) -> None:
    train, model = data(kind), fitted(method, kind)
    assert model.coef_.shape == (T, D)
    assert model.intercept_.shape == (T,)
    assert model.task_type_ == kind
    assert model.n_features_in_ == D
    np.testing.assert_array_equal(model.task_names_, train.task_names)
    assert all(isinstance(value, float) for value in model.history_)
    assert all(point.loss > 0 and point.se > 0 for point in model.cv_path_)
    assert bool(model.cv_path_) == bool(method._penalties)


@BOTH
def test_predictions_are_those_of_each_task_s_own_line(method: Any, kind: str) -> None:
    train, model = data(kind), fitted(method, kind)
    values = np.empty(len(train.y))
    for i, name in enumerate(train.task_names):
        rows = train.tasks == name
        values[rows] = train.X[rows] @ model.coef_[i] + model.intercept_[i]
    if kind == "regression":
        np.testing.assert_allclose(model.predict(train.X, train.tasks), values, rtol=1e-12)
        score = r2_score(train.y, values)
        assert model.score(train.X, train.y, train.tasks) == score > 0.3  # more than the mean
        assert not hasattr(model, "predict_proba")
        return
    labels = np.where(values > 0, 1.0, -1.0)
    np.testing.assert_array_equal(model.predict(train.X, train.tasks), labels)
    score = accuracy_score(train.y, labels)
    assert model.score(train.X, train.y, train.tasks) == score > 0.6
    np.testing.assert_allclose(model.decision_function(train.X, train.tasks), values)
    probability = model.predict_proba(train.X, train.tasks)
    odds = np.exp(values)
    np.testing.assert_allclose(probability[:, 1] / probability[:, 0], odds, rtol=1e-9)


@BOTH
def test_scikit_learn_is_told_what_it_predicts(method: Any, kind: str) -> None:
    for model in (fitted(method, kind), method(task_type=kind)):
        assert is_classifier(model) == (kind == "classification")
        assert is_regressor(model) == (kind == "regression")
    assert is_regressor(method())  # until labels are seen


@BOTH
def test_a_saved_model_is_the_same_to_the_last_bit(method: Any, kind: str) -> None:
    model, stream = fitted(method, kind), BytesIO()
    model.save(stream)
    stream.seek(0)
    again = load(stream)
    assert_identical(vars(again), vars(model))
    train = data(kind)
    predicted = again.predict(train.X, train.tasks)
    np.testing.assert_array_equal(predicted, model.predict(train.X, train.tasks))


def test_sparse_rows_are_the_same_rows(method: Any) -> None:
    train, model = data("regression"), fitted(method, "regression")
    sparse = csr_array(train.X)
    assert get_tags(model).input_tags.sparse
    found = quick(method).fit(sparse, train.y, train.tasks)
    np.testing.assert_array_equal(found.coef_, model.coef_)
    score = found.score(sparse, train.y, train.tasks)
    assert score == model.score(train.X, train.y, train.tasks)


def test_labels_of_any_kind_and_named_columns(method: Any) -> None:
    train, numbers = data("classification"), fitted(method, "classification")
    frame = pd.DataFrame(train.X, columns=[f"gene {d}" for d in range(D)])
    words = np.where(train.y > 0, "yes", "no")
    model = quick(method).fit(frame, words, train.tasks)
    np.testing.assert_array_equal(model.classes_, ["no", "yes"])
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns)
    np.testing.assert_array_equal(model.coef_, numbers.coef_)
    assert set(model.predict(frame, train.tasks)) == {"no", "yes"}


def test_the_same_bits_whatever_the_threads(method: Any) -> None:
    two, one = (fitted(method, "regression", **jobs) for jobs in ({"n_jobs": 2}, {}))
    np.testing.assert_array_equal(two.coef_, one.coef_)
    np.testing.assert_array_equal(two.intercept_, one.intercept_)
    assert two.cv_path_ == one.cv_path_


def test_order_of_rows_does_not_matter_between_tasks(method: Any) -> None:
    """Rows of a task keep their order, tasks are interleaved."""
    train, model = data("regression"), fitted(method, "regression")
    order = np.argsort([np.sum(train.tasks[:r] == train.tasks[r]) for r in range(len(train.y))])
    other = quick(method).fit(train.X[order], train.y[order], train.tasks[order])
    moved = np.abs(other.coef_ - model.coef_).max()
    assert moved <= 1e-12 * np.abs(model.coef_).max()


def test_scaling_a_feature_changes_nothing_when_standardized(method: Any) -> None:
    train = data("regression")
    scale = np.geomspace(0.1, 10.0, D)
    plain = fitted(method, "regression", standardize=True)
    scaled = quick(method, standardize=True).fit(train.X * scale, train.y, train.tasks)
    np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-4, atol=1e-6)


def test_steps_report_progress_and_can_be_left(method: Any) -> None:
    train = data("regression")
    model = quick(method)
    steps = list(model.fit_steps(train.X, train.y, train.tasks))
    assert all(isinstance(step, Progress) and 0 < step.done <= step.total for step in steps)
    np.testing.assert_array_equal(model.coef_, fitted(method, "regression").coef_)
    next(generator := model.fit_steps(train.X, train.y, train.tasks))
    generator.close()
    with pytest.raises(NotFittedError):
        model.predict(train.X, train.tasks)


def test_numbers_may_be_called_labels_and_the_other_way(method: Any) -> None:
    train = data("classification")
    model = quick(method, task_type="regression").fit(train.X, train.y, train.tasks)
    assert model.task_type_ == "regression"
    assert np.unique(model.predict(train.X, train.tasks)).size > 2
    three = np.arange(len(train.y)) % 3
    with pytest.raises(ValueError, match=rf"^The target has 3 labels: {method.__name__} takes two"):
        method(task_type="classification").fit(train.X, three, train.tasks)
    words = np.array(["a", "b", "c"])[three]
    with pytest.raises(ValueError, match="use task_type='classification' for labels"):
        method(task_type="regression").fit(train.X, words, train.tasks)


@together(
    ("options", "sentence"),
    [
        ({"cv": 1}, "cv is 1: it must be a whole number of 2 or more."),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"standardize": "yes"}, "standardize is 'yes': it must be True, False or 'auto'."),
        ({"task_type": "ranking"}, "task_type is 'ranking': it must be 'auto' or"),
    ],
)
def test_bad_options_end_in_a_sentence(method: Any, options: Any, sentence: str) -> None:
    train = data("regression")
    with pytest.raises(ValueError, match=sentence):
        method(**options).fit(train.X, train.y, train.tasks)


def test_bad_rows_end_in_a_sentence(method: Any) -> None:
    train = data("regression")
    holes = train.X.copy()
    holes[3, 4] = np.nan
    with pytest.raises(ValueError, match=r"^Task .* has NaN in column 4"):
        method().fit(holes, train.y, train.tasks)
    with pytest.raises(ValueError, match=r"^Task 'unknown' was not seen in fit"):
        fitted(method, "regression").predict(train.X[:1], ["unknown"])
    with pytest.raises(NotFittedError):
        method().predict(train.X, train.tasks)


def test_every_penalty_is_a_number_or_cv(method: Any) -> None:
    train = data("regression")
    penalties = [name for name, value in method().get_params().items() if value == "cv"]
    assert len(penalties) == len(method._penalties)
    for name in penalties:
        for bad in ("cross", -1.0, None):
            with pytest.raises(ValueError, match=f"^{name} is {bad!r}: use 'cv' or a number"):
                method(**{name: bad}).fit(train.X, train.y, train.tasks)


@BOTH
def test_fixed_penalties_repeat_the_chosen_fit(method: Any, kind: str) -> None:
    """And nothing is left to be cross-validated."""
    model = fitted(method, kind)
    names = [name for name, value in method().get_params().items() if value == "cv"]
    chosen = {name: getattr(model, f"{name}_") for name in names}
    if any(np.ndim(value) for value in chosen.values()):
        pytest.skip("chosen for every task apart")
    again = fitted(method, kind, **chosen)
    assert again.cv_path_ == []
    np.testing.assert_allclose(again.coef_, model.coef_, rtol=1e-4, atol=1e-5)


ODD = {  # with an intercept, or without
    "nothing varies": (lambda X: X * 0.0, True),
    "huge units": (lambda X: X * 1e60, False),
    "tiny units": (lambda X: X * 1e-60, True),
    "one feature": (lambda X: X[:, :1], False),
}


@pytest.mark.parametrize(("odd", "fit_intercept"), ODD.values(), ids=ODD)
def test_odd_features_give_a_finite_fit(method: Any, odd: Any, fit_intercept: bool) -> None:
    train = data("regression")
    X = odd(train.X)
    model = quick(method, fit_intercept=fit_intercept).fit(X, train.y, train.tasks)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.predict(X, train.tasks)).all()


@BOTH
def test_two_rows_a_task_are_enough(method: Any, kind: str) -> None:
    train = data(kind)
    few = np.concatenate([first_of_each_half(train, name) for name in train.task_names])
    with pytest.warns(UserWarning, match="Fewer rows than the 5 folds"):
        model = quick(method, cv=5, task_type=kind).fit(
            train.X[few], train.y[few], train.tasks[few]
        )
    assert np.isfinite(model.coef_).all()


def first_of_each_half(train: TaskSet, name: Any) -> list[int]:
    """A row of low and one of high target: both labels, where there are two."""
    rows = np.flatnonzero(train.tasks == name)
    return [int(rows[train.y[rows].argmin()]), int(rows[train.y[rows].argmax()])]
