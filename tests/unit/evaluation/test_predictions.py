"""Errors of predictions are those of the rows they were made for."""

from dataclasses import replace

import numpy as np
import pytest

from stcmtl import STCMTLRegressor, TaskSet, metrics
from stcmtl.data.splits import take_rows
from stcmtl.evaluation import predictions
from stcmtl.evaluation.cards import member_errors
from tests.unit.small import MODELS, fit, small


@pytest.mark.parametrize("model", MODELS)
def test_overall_error_is_that_of_all_rows(model: type) -> None:
    data = small(model)
    fitted = fit(model, data)
    predicted = fitted.predict(data.X, data.tasks)
    measure = metrics.rmse if model is STCMTLRegressor else metrics.error_rate
    assert predictions.overall_error(fitted, data) == pytest.approx(measure(data.y, predicted))


def test_guessing_the_mean_of_each_task() -> None:
    train = TaskSet(np.ones((4, 1)), [0.0, 2.0, 10.0, 10.0], list("aabb"))
    test = TaskSet(np.ones((2, 1)), [4.0, 10.0], list("ab"))
    assert predictions.guessing_error(train, test) == pytest.approx(np.sqrt(9 / 2))


def test_guessing_the_commonest_label_of_each_task() -> None:
    labels = {"task_type": "classification"}
    train = TaskSet(np.ones((6, 1)), [1, 1, -1, -1, -1, 1], list("aaabbb"), **labels)
    test = TaskSet(np.ones((4, 1)), [1, -1, -1, -1], list("aabb"), **labels)
    assert predictions.guessing_error(train, test) == 0.25


@pytest.mark.parametrize("model", MODELS)
def test_a_weight_is_a_number_of_rows(model: type) -> None:
    data = small(model)
    fitted = fit(model, data)
    weight = np.random.default_rng(0).integers(0, 3, len(data.y))
    often = np.repeat(np.arange(len(data.y)), weight)
    weighted, repeated = replace(data, weight=weight.astype(float)), take_rows(data, often)
    assert predictions.overall_error(fitted, weighted) == pytest.approx(
        predictions.overall_error(fitted, repeated)
    )
    n_rows, errors = predictions.task_errors(fitted, weighted)
    np.testing.assert_allclose(errors, predictions.task_errors(fitted, repeated)[1])
    assert n_rows.sum() == np.count_nonzero(weight)
    assert predictions.guessing_error(weighted, weighted) == pytest.approx(
        predictions.guessing_error(repeated, repeated)
    )
    np.testing.assert_allclose(
        predictions.errors_by_iteration(fitted, weighted),
        predictions.errors_by_iteration(fitted, repeated),
    )
    for one, other in zip(
        member_errors(fitted, None, weighted), member_errors(fitted, None, repeated), strict=True
    ):
        assert one == pytest.approx(other)


@pytest.mark.parametrize("model", MODELS)
def test_the_errors_of_some_tasks_are_those_of_their_rows(model: type) -> None:
    data = small(model)
    fitted = fit(model, data)
    n_rows, errors = predictions.task_errors(fitted, data)
    some = np.arange(n_rows.size) < 2
    rows = np.isin(data.tasks, fitted.task_names_[some])
    expected = predictions.measure_error(
        fitted, data.y[rows], fitted.predict(data.X, data.tasks)[rows]
    )
    assert predictions.pool_errors(fitted, n_rows * some, errors) == pytest.approx(expected)
    assert np.isnan(predictions.pool_errors(fitted, 0 * n_rows, errors))


def test_errors_by_iteration_begin_with_the_fits_alone() -> None:
    data = small(STCMTLRegressor)
    model = fit(STCMTLRegressor, data)
    errors = predictions.errors_by_iteration(model, data)
    assert len(errors) == len(model.history_) + 1
    alone = np.array(
        [
            x @ model.single_task_coef_[i] + model.single_task_intercept_[i]
            for x, i in zip(data.X, np.searchsorted(model.task_names_, data.tasks), strict=True)
        ]
    )
    assert errors[0] == pytest.approx(metrics.rmse(data.y, alone))


def test_levels_are_guessed_between_each_tasks_mean_and_that_of_all() -> None:
    """Of equal levels each task's own mean is a worse guess; of distant ones it is the best."""
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(40), 5)
    noise = [rng.normal(size=tasks.size) for _ in range(2)]
    for apart, gains in ((0.0, True), (100.0, False)):
        levels = apart * np.arange(40.0)[tasks]
        train, test = (
            TaskSet(np.zeros((tasks.size, 1)), levels + one, tasks, task_type="regression")
            for one in noise
        )
        own, best = (
            ask(train, test) for ask in (predictions.guessing_error, predictions.level_error)
        )
        assert (best < 0.97 * own) is gains
        assert best <= own
        assert best > 0.9


def test_rows_are_guessed_from_the_others_of_their_task() -> None:
    y = np.array([1.0, 3.0, 5.0, 10.0, 14.0])
    tasks = np.array(["a", "a", "a", "b", "b"])
    data = TaskSet(np.zeros((5, 1)), y, tasks, task_type="regression")
    left_out = np.array([1 - 4, 3 - 3, 5 - 2, 10 - 14, 14 - 10.0])
    assert predictions.guessing_left_out(data) == pytest.approx(np.sqrt((left_out**2).mean()))
    labels = replace(data, y=np.array([1.0, 1.0, -1.0, -1.0, -1.0]), task_type="classification")
    assert predictions.guessing_left_out(labels) == pytest.approx(0.2)
