"""Rows and labels in every form that people hand to scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.sparse import coo_array, csc_matrix, csr_array

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet
from stcmtl.baselines import SingleTaskRidge
from tests.unit.plain import plain_model
from tests.unit.small import MODELS, D, K, N, T, fit, small

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
    estimator = plain_model(STCMTLRegressor, K, random_state=0).fit(data.X, data.y, tasks)
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
        estimator = plain_model(STCMTLRegressor, K, random_state=0).fit(X, y, tasks)
        np.testing.assert_array_equal(estimator.coef_, reference.coef_)
        np.testing.assert_array_equal(
            estimator.predict(X, tasks), reference.predict(data.X, data.tasks)
        )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("form", [csr_array, csc_matrix, coo_array])
def test_sparse_rows_are_the_same_rows(model: Any, form: Any) -> None:
    data = small(model)
    reference, X = fit(model, data, refine=False), form(data.X)
    estimator = model(n_clusters=K, refine=False, random_state=0).fit(X, data.y, data.tasks)
    np.testing.assert_array_equal(estimator.coef_, reference.coef_)
    predicted = estimator.predict(X, data.tasks)
    np.testing.assert_array_equal(predicted, reference.predict(data.X, data.tasks))
    score = estimator.score(X, data.y, data.tasks)
    assert score == reference.score(data.X, data.y, data.tasks)
    new = estimator.assign(X, data.y, data.tasks)
    np.testing.assert_array_equal(new.coef, reference.assign(data.X, data.y, data.tasks).coef)
    np.testing.assert_array_equal(TaskSet(X, data.y, data.tasks).X, data.X)


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
def test_sparse_rows_of_every_format_may_count_differently(form: str, kind: str) -> None:
    data = small(STCMTLRegressor)
    X = getattr(scipy.sparse, f"{form}_{kind}")(data.X)
    weight = np.arange(len(data.y)) % 3
    for model in (fit(STCMTLRegressor, data, refine=False), ridge(data)):
        score = model.score(data.X, data.y, data.tasks, weight)
        assert model.score(X, data.y, data.tasks, weight) == score < 1.0


def ridge(data: TaskSet) -> SingleTaskRidge:
    return SingleTaskRidge(penalty=0.1).fit(data.X, data.y, data.tasks)


@pytest.mark.parametrize("kind", ["f8", "f4", object])
def test_labels_may_be_halves(kind: Any) -> None:
    data = small(STCMTLClassifier)
    reference = fit(STCMTLClassifier, data, refine=False)
    y = np.where(data.y > 0, 2.5, 1.5).astype(kind)
    estimator = STCMTLClassifier(n_clusters=K, refine=False, random_state=0)
    estimator.fit(data.X, y, data.tasks)
    assert estimator.classes_.tolist() == [1.5, 2.5]
    score = estimator.score(data.X, y, data.tasks)
    assert score == reference.score(data.X, data.y, data.tasks) > 0.5


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
    found = plain_model(STCMTLRegressor, K, random_state=0).fit(X, y, data.tasks)
    wanted = plain_model(STCMTLRegressor, K, random_state=0).fit(
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
        estimator = plain_model(model, n_clusters, standardize=True, random_state=0).fit(*given)
        estimator.predict(given[0], given[2])
        for array, before in zip(given, (X[rows], y[rows], tasks[rows]), strict=True):
            np.testing.assert_array_equal(array, before)
