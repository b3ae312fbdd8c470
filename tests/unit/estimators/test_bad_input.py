"""Bad input ends in one sentence that names the culprit and what to do."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from stcmtl import STCMTLClassifier, STCMTLRegressor, baselines, load, select_n_clusters
from stcmtl.baselines import SingleTaskRidge
from stcmtl.baselines.registry import PLAIN
from stcmtl.data.weighted import IdleTasksWarning
from stcmtl.errors import InputError
from tests.unit.cases import together
from tests.unit.plain import plain_model
from tests.unit.two_clusters import MODELS, TASKS, N, T, fit, rows


def changed(array: NDArray[Any], where: Any, value: Any) -> NDArray[Any]:
    out = array.copy()
    out[where] = value
    return out


def frame(X: NDArray[Any]) -> pd.DataFrame:
    return pd.DataFrame(X, columns=["age", "size", "income", "debt", "weight"])


# Values that are no numbers


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("value", "shown"),
    [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity"), (1e300, r"1e\+300")],
)
def test_a_bad_feature_value_is_placed(model: Any, value: float, shown: str) -> None:
    X, y, tasks = rows(model)
    X[25, 3] = value
    with pytest.raises(ValueError, match=f"^Task 'south' has {shown} in column 3: fill or drop"):
        fit(model, X, y, tasks)
    with pytest.raises(ValueError, match=f"^Task 'south' has {shown} in column 'debt': fill or"):
        fit(model, frame(X), y, tasks)


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "boolean", object])
def test_a_missing_value_of_pandas_is_placed(dtype: Any) -> None:
    X, y, tasks = rows()
    data = frame(X).assign(debt=pd.Series([1, 0] * (T * N // 2)).astype(dtype))
    assert fit(STCMTLRegressor, data, y, tasks).coef_.any()
    data.loc[25, "debt"] = None
    with pytest.raises(ValueError, match=r"^Task 'south' has NaN in column 'debt'"):
        fit(STCMTLRegressor, data, y, tasks)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("value", "shown"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a_bad_target_is_placed(model: Any, value: float, shown: str) -> None:
    X, y, tasks = rows(model)
    with pytest.raises(ValueError, match=f"^Task 'east' has {shown} in the target y: drop"):
        fit(model, X, changed(y.astype(float), 41, value), tasks)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_a_missing_label_is_placed(missing: Any) -> None:
    X, y, tasks = rows(STCMTLClassifier)
    labels = changed(np.where(y == 1, "yes", "no").astype(object), 41, missing)
    for target in (labels, pd.Series(labels), pd.Series(labels, dtype="string")):
        with pytest.raises(ValueError, match=r"^Task 'east' has NaN in the target y: drop"):
            fit(STCMTLClassifier, X, target, tasks)


@pytest.mark.parametrize(("value", "shown"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a_bad_value_at_predict_is_placed(value: float, shown: str) -> None:
    X, y, tasks = rows()
    estimator = fit(STCMTLRegressor, X, y, tasks)
    with pytest.raises(ValueError, match=f"^Task 'down' has {shown} in column 4: fill or drop"):
        estimator.predict(changed(X, (-1, 4), value), tasks)
    classifier = fit(STCMTLClassifier, frame(X), y > 0, tasks)
    with pytest.raises(ValueError, match=f"^Task 'down' has {shown} in column 'weight'"):
        classifier.predict_proba(frame(changed(X, (-1, 4), value)), tasks)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["red", "blue"] * (T * N // 2)),
        pd.Series(["1", "2"] * (T * N // 2)),
        pd.Series([1, 2] * (T * N // 2)).astype("category"),
        pd.Series(pd.date_range("2020-01-01", periods=T * N)),
        pd.Series([1.0 + 2.0j] * (T * N)),
    ],
    ids=["text", "numbers as text", "category", "dates", "complex"],
)
def test_a_column_that_is_no_number_is_named(column: pd.Series) -> None:
    X, y, tasks = rows()
    sentence = "^Column 'income' of X is not numeric: encode or drop it"
    with pytest.raises(ValueError, match=sentence):
        fit(STCMTLRegressor, frame(X).assign(income=column), y, tasks)
    estimator = fit(STCMTLRegressor, frame(X), y, tasks)
    with pytest.raises(ValueError, match=sentence):
        estimator.predict(frame(X).assign(income=column), tasks)


@pytest.mark.parametrize(
    ("X", "name"),
    [
        (changed(rows()[0].astype(object), (3, 1), "red"), "x1"),
        (changed(rows()[0].astype(object), (3, 1), 10**400), "x1"),
        (rows()[0].astype(str), "x0"),
        (rows()[0].astype(complex), "x0"),
        (rows()[0].astype("datetime64[s]"), "x0"),
    ],
    ids=["text", "too large", "numbers as text", "complex", "dates"],
)
def test_an_array_that_is_no_number_is_refused(X: NDArray[Any], name: str) -> None:
    _, y, tasks = rows()
    with pytest.raises(ValueError, match=f"^Column '{name}' of X is not numeric"):
        fit(STCMTLRegressor, X, y, tasks)


@pytest.mark.parametrize(
    "y",
    [TASKS, rows()[1].astype(str), rows()[1].astype(complex)],
    ids=["text", "numbers as text", "complex"],
)
def test_a_regression_target_must_be_numbers(y: NDArray[Any]) -> None:
    X, _, tasks = rows()
    with pytest.raises(ValueError, match=r"^The target y is not numeric: use STCMTLClassifier"):
        fit(STCMTLRegressor, X, y, tasks)


# Shapes


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda X, y, t: (X, y[:-1], t), "X has 120 rows, y 119 and tasks 120: give every row"),
        (lambda X, y, t: (X, y, t[:-2]), "X has 120 rows, tasks 118: give every row"),
        (lambda X, y, t: (X[:-3], y, t), "X has 117 rows, tasks 120: give every row"),
        (lambda X, y, t: (X[:, 0], y, t), r"X has shape \(120,\): it must be \(rows, features\)"),
        (lambda X, y, t: (X[None], y, t), r"X has shape \(1, 120, 5\): it must be \(rows, feat"),
        (
            lambda X, y, t: (X[:, :0], y, t),
            r"X has 0 feature\(s\) \(shape=\(120, 0\)\)",
        ),
        (lambda X, y, t: (X[:0], y[:0], t[:0]), "There are no rows: X is empty"),
        (lambda X, y, t: (X, np.c_[y, y], t), r"y has shape \(120, 2\): it must be one value per"),
        (lambda X, y, t: (X, y, np.c_[t, t]), r"tasks has shape \(120, 2\): it must be one value"),
        (
            lambda X, y, t: (X, y, None),
            "tasks is None: tasks should be a 1d array or a",
        ),
        (
            lambda X, y, t: (X, None, t),
            "y is None: y should be a 1d array or a list",
        ),
        (
            lambda X, y, t: (csr_array((len(X), 10**8)), y, t),
            "X is sparse, and its 120 x 100000000 values would take 96 GB of memory: keep fewer",
        ),
        (
            lambda X, y, t: (X, y, changed(t.astype(object), 7, None)),
            "Row 7 has no task label: name its task or drop it",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_named(model: Any, change: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        fit(model, *change(*rows(model)))


def test_predict_says_what_does_not_fit() -> None:
    X, y, tasks = rows()
    estimator = fit(STCMTLRegressor, X, y, tasks)
    for given, labels, sentence in [
        (X[:, :3], tasks, "X has 3 features, but STCMTLRegressor is expecting 5 features"),
        (X, tasks[:-1], "X has 120 rows, tasks 119"),
        (X[0], tasks[:1], r"X has shape \(5,\): it must be \(rows, features\)"),
        (X[:0], tasks[:0], "There are no rows"),
        (X, changed(tasks, 30, "left"), "Task 'left' was not seen in fit: the model's tasks are"),
        (X, changed(tasks.astype(object), 30, None), "Row 30 has no task label"),
        (X, np.arange(T * N), "Task 0 was not seen in fit"),
        (X, None, "tasks is None: tasks should be a 1d array or a list, with one value per row"),
    ]:
        with pytest.raises(ValueError, match=f"^{sentence}"):
            estimator.predict(given, labels)
    with pytest.raises(ValueError, match=r"^X has 120 rows, y 119 and tasks 120: give every row"):
        estimator.score(X, y[:-1], tasks)


# Tasks that cannot be fitted


@pytest.mark.parametrize("model", MODELS)
def test_a_task_with_one_row_is_named(model: Any) -> None:
    X, y, tasks = rows(model)
    keep = np.flatnonzero((tasks != "east") | (np.arange(T * N) == 41))
    with pytest.raises(ValueError, match=r"^Task 'east' has one row: give it at least two, or"):
        fit(model, X[keep], y[keep], tasks[keep])
    with pytest.raises(ValueError, match=r"^Task 2 has one row"):
        fit(model, X[keep], y[keep], pd.factorize(tasks)[0][keep])


LONG = "L" * 10_000


@together(
    ("spoil", "said"),
    [
        (lambda X, y, tasks: (X, y, np.where(np.arange(len(y)), tasks, LONG)), "has one row"),
        (lambda X, y, tasks: (X.rename(columns={"x1": "x0"}), y, tasks), "2 columns named"),
        (lambda X, y, tasks: (X.assign(x1=LONG), y, tasks), "is not numeric"),
        (lambda X, y, tasks: (X.assign(x1=np.nan), y, tasks), "has NaN in column"),
    ],
)
def test_a_long_name_is_not_quoted_at_length(spoil: Any, said: str) -> None:
    """Of a task or a column."""
    X, y, tasks = rows(STCMTLRegressor)
    frame, y, tasks = spoil(pd.DataFrame(X).add_prefix("x"), y, tasks)
    frame.columns = frame.columns + LONG
    with pytest.raises(InputError, match=said) as caught:
        STCMTLRegressor().fit(frame, y, tasks)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("model", MODELS)
def test_fewer_rows_than_folds_is_a_warning_that_names_the_task(model: Any) -> None:
    X, y, tasks = rows(model)
    few = np.r_[40, np.flatnonzero(y != y[40])[np.flatnonzero(y != y[40]) > 40][0], 43]
    keep = np.r_[np.flatnonzero(tasks != "east"), few]
    with pytest.warns(UserWarning, match="than the 5 folds.* as rows in task 'east'") as caught:
        estimator = plain_model(model, 2, random_state=0).fit(X[keep], y[keep], tasks[keep])
    assert [warning.filename for warning in caught] == [__file__]  # it points at the caller
    assert estimator.score(X, y, tasks) > (0.9 if model is STCMTLRegressor else 0.85)
    with pytest.warns(UserWarning, match="in tasks 'down', 'east', 'north', 'south', 'up' ..."):
        fit(model, X, y, tasks, cv=30)


def test_a_task_with_one_label_is_named() -> None:
    X, y, tasks = rows(STCMTLClassifier)
    for labels, shown in (((0, 1), "1"), (("no", "yes"), "'yes'"), ((False, True), "True")):
        target = np.array(labels)[np.where(tasks == "up", 1, y)]
        with pytest.raises(ValueError, match=f"^Task 'up' has only the label {shown}: give it"):
            fit(STCMTLClassifier, X, target, tasks)


def test_the_classifier_takes_two_labels() -> None:
    X, y, tasks = rows(STCMTLClassifier)
    with pytest.raises(ValueError, match=r"^The target has 3 labels: STCMTLClassifier takes two"):
        fit(STCMTLClassifier, X, changed(y, 5, 2), tasks)
    with pytest.raises(ValueError, match=r"^The target has 120 labels: STCMTLClassifier takes"):
        fit(STCMTLClassifier, X, rows()[1], tasks)
    with pytest.raises(ValueError, match=r"^The target mixes text and numbers: give labels of"):
        fit(STCMTLClassifier, X, pd.Series([1, "a"] * (T * N // 2), dtype=object), tasks)


# Settings


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n_clusters", [-1, 7, 2.5, 2.0, "2", None, np.nan, True, False])
def test_a_wrong_number_of_clusters_is_refused(model: Any, n_clusters: Any) -> None:
    sentence = f"^n_clusters is {n_clusters!r}: it must be a whole number from 0 to .* tasks, 6"
    with pytest.raises(ValueError, match=sentence):
        fit(model, *rows(model), n_clusters=n_clusters)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"gamma": "max"}, "gamma is 'max': use 'mean', 'cv' or a number of 0 or more"),
        ({"gamma": -0.1}, "gamma is -0.1: use 'mean'"),
        ({"gamma": np.nan}, "gamma is nan: use 'mean'"),
        ({"gamma": np.inf}, "gamma is inf: use 'mean'"),
        ({"gamma": None}, "gamma is None: use 'mean'"),
        ({"theta": 0}, "theta is 0: it must be above 0 and at most 1"),
        ({"theta": 1.5}, "theta is 1.5: it must be above 0 and at most 1"),
        ({"theta": "half"}, "theta is 'half': it must be above 0 and at most 1"),
        ({"epsilon": -0.1}, "epsilon is -0.1: it must be above 0 and at most 1"),
        ({"epsilon": np.nan}, "epsilon is nan: it must be above 0 and at most 1"),
        ({"cv": 1}, "cv is 1: it must be a whole number of 2 or more"),
        ({"cv": 2.5}, "cv is 2.5: it must be a whole number of 2 or more"),
        ({"cv": None}, "cv is None: it must be a whole number of 2 or more"),
        ({"max_iter": 0}, "max_iter is 0: it must be a whole number of 1 or more"),
        ({"max_iter": 10.0}, "max_iter is 10.0: it must be a whole number of 1 or more"),
        ({"tol": -1e-3}, "tol is -0.001: it must be a number of 0 or more"),
        ({"tol": "small"}, "tol is 'small': it must be a number of 0 or more"),
        ({"shape": "ball"}, "shape is 'ball': it must be 'auto' or 'simplex' or 'cone' or 'span'."),
        ({"shape": None}, "shape is None: it must be 'auto' or 'simplex' or 'cone' or 'span'."),
        ({"own": "all"}, "own is 'all': it must be 'auto' or 'none' or 'deviation' or 'alone'."),
        ({"own": False}, "own is False: it must be 'auto' or 'none' or 'deviation' or 'alone'."),
        ({"n_clusters": 0}, "own is 'none': without clusters it must be 'alone' or 'auto'."),
        ({"own": "alone"}, "n_clusters is 2: with own='alone' it must be 0 or 'auto'."),
        (
            {"refine": False, "shape": "span"},
            "shape is 'span': with refine=False it must be 'simplex' or 'auto'.",
        ),
        (
            {"refine": False, "own": "deviation"},
            "own is 'deviation': with refine=False it must be 'none' or 'auto'.",
        ),
        ({"refine": "no"}, "refine is 'no': it must be True or False"),
        ({"fit_intercept": None}, "fit_intercept is None: it must be True or False"),
        ({"outlier_rule": "z"}, "outlier_rule is 'z': it must be 'checked' or 'paper'."),
        ({"outlier_factor": -1.0}, "outlier_factor is -1.0: it must be a number of 0 or more."),
        ({"random_state": "lucky"}, "'lucky' cannot be used to seed"),
        ({"n_jobs": 0}, "n_jobs is 0: it must be a whole number other than 0, such as 2"),
        ({"n_jobs": 1.5}, "n_jobs is 1.5: it must be None or a whole"),
        ({"n_jobs": "two"}, "n_jobs is 'two': it must be None or a whole"),
    ],
    ids=str,
)
def test_a_wrong_setting_is_named(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        fit(STCMTLRegressor, *rows(), **options)


def test_a_model_that_is_not_there_or_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.stcmtl cannot be opened: No such file"):
        load(tmp_path / "none.stcmtl")
    X, y, tasks = rows(STCMTLRegressor)
    with pytest.raises(FileNotFoundError, match=r"model\.stcmtl cannot be written: No such file"):
        plain_model(STCMTLRegressor, 2).fit(X, y, tasks).save(tmp_path / "none" / "model.stcmtl")


@pytest.mark.parametrize(
    ("options", "weight", "sentence"),
    [
        ({"cv": [(np.arange(5), np.arange(1000))]}, None, "cv has a pair, number 0, that does not"),
        ({"cv": [("a", "b")]}, None, "cv has a pair, number 0, that does not tell"),
        ({"shape": np.array(["cone", "span"])}, None, "^shape is .*: it must be"),
        ({}, float("nan"), "sample_weight is nan: give one number above 0, or one per row"),
        ({}, -1, "sample_weight is -1: give one number above 0, or one per row"),
        ({}, np.full(60, 1e300), "a number of 0 or more, and 1e[+]75 at most"),
    ],
)
def test_odd_folds_shapes_and_weights(options: Any, weight: Any, sentence: str) -> None:
    X, tasks = np.random.default_rng(0).normal(size=(60, 3)), np.repeat(range(6), 10)
    with pytest.raises(InputError, match=sentence):
        STCMTLRegressor(2, **options).fit(X, X[:, 0], tasks, sample_weight=weight)


@pytest.mark.parametrize("estimator", ["x", STCMTLRegressor, baselines.CMTL(2)])
def test_k_is_selected_for_a_model_of_ours(estimator: Any) -> None:
    X, tasks = np.random.default_rng(0).normal(size=(60, 3)), np.repeat(range(6), 10)
    with pytest.raises(InputError, match="give an STCMTLRegressor or an STCMTLClassifier"):
        select_n_clusters(X, X[:, 0], tasks, estimator=estimator)


@pytest.mark.parametrize("model", [STCMTLRegressor(1, **PLAIN), baselines.SingleTaskRidge()])
def test_what_was_fitted_can_be_scored_whose_weights_leave_a_task_out(model: Any) -> None:
    X, tasks = np.random.default_rng(0).normal(size=(60, 3)), np.repeat(range(6), 10)
    weight = (tasks != 2).astype(float)
    with pytest.warns(IdleTasksWarning, match="Task 2 has no row that counts"):
        model.fit(X, X[:, 0], tasks, sample_weight=weight)
    there = weight > 0
    expected = model.score(X[there], X[there, 0], tasks[there])
    assert model.score(X, X[:, 0], tasks, sample_weight=weight) == pytest.approx(expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda days: np.datetime64("2020-01-01") + days,
        lambda days: days.astype("m8[D]"),
        lambda days: pd.Timestamp("2020-01-01") + pd.to_timedelta(days, "D"),
        lambda days: [date(2020, 1, 1) + timedelta(int(day)) for day in days],
    ],
)
@pytest.mark.parametrize("model", [*MODELS, SingleTaskRidge])
def test_times_are_no_target(model: Any, make: Any) -> None:
    X, y, tasks = rows()
    sentence = r"^The target y has dates or times, .* numbers first, such as days\.$"
    with pytest.raises(InputError, match=sentence):
        model().fit(X, make(np.arange(len(y))), tasks)


@pytest.mark.parametrize("loss", ["huber", "squared", "logistic"])
def test_labels_have_the_logistic_loss(loss: str) -> None:
    X, y, tasks = rows(STCMTLClassifier)
    sentence = f"^loss is '{loss}': it must be 'auto', as labels have the logistic loss.$"
    with pytest.raises(InputError, match=sentence):
        STCMTLClassifier(2, loss=loss).fit(X, y, tasks)
