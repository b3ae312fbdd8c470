"""Rows that count more than others: a row of weight 2 is as good as two rows."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import accuracy_score, r2_score

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, select_n_clusters, stability
from stcmtl.baselines import METHODS, SingleTaskLasso, SingleTaskRidge
from stcmtl.data.checks import check_weights
from stcmtl.data.weighted import IdleTasksWarning
from stcmtl.estimators.resampling import draw_counts
from stcmtl.evaluation.predictions import overall_error
from stcmtl.evaluation.tables import tasks_table
from stcmtl.report import report_html
from tests.unit.two_clusters import MODELS, rows

KINDS = {
    "mixtures": {"shape": "simplex", "own": "none"},
    "paper": {"refine": False, "gamma": "cv"},
    "strengths": {"shape": "cone", "own": "none", "standardize": True},
    "own parts": {"shape": "simplex", "own": "deviation", "fit_intercept": False},
    "alone": {"n_clusters": 0},
    "all chosen": {"n_clusters": "auto"},
}
# of baselines, at levels at which they are far from nothing and from everything
LEVELS = {"k": 1, "sparsity": 0.5}
LOOSE = {"CMTL": 1e-3, "Trace": 1e-3}  # step by step, and steps are shorter with weights
BY_FOLDS = ("FLARCC", "VSTG-MTL")  # start from fits whose levels are cross-validated by chance
FLAT = "Random slopes"  # whose likelihood of six tasks is too flat to end at one place


@cache
def counts(n: int, seed: int = 5) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, 4, n)


def both(make: Any, kind: Any, with_folds: bool) -> tuple[Any, Any]:
    """A weighted fit, and one of repeated rows; each row keeps its fold."""
    X, y, tasks = rows(kind)
    weight, fold = counts(len(y)), np.arange(len(y)) % 3
    twice = np.repeat(np.arange(len(y)), weight)
    weighted, repeated = make(), make()
    if with_folds:
        weighted.set_params(cv=fold)
        repeated.set_params(cv=fold[twice])
    weighted.fit(X, y, tasks, weight)
    return weighted, repeated.fit(X[twice], y[twice], tasks[twice])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_a_weight_is_a_number_of_rows(model: Any, settings: Any) -> None:
    given = {"n_clusters": 2, "random_state": 0, **settings}
    weighted, repeated = both(lambda: model(**given), model, with_folds=True)
    for name in ("coef_", "intercept_", "loadings_", "lambdas_", "losses_", "loss_spread_"):
        found, wanted = getattr(weighted, name), getattr(repeated, name)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-7, err_msg=name)
    for name in ("noise_", "gamma_", "optimism_"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-6)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("name", [name for name in METHODS if name not in (*BY_FOLDS, FLAT)])
def test_a_weight_is_a_number_of_rows_to_baselines(name: str, kind: Any) -> None:
    method = METHODS[name]
    levels = {penalty: LEVELS.get(penalty, 0.05) for penalty in method._penalties}
    clusters = {"n_clusters": 2} if hasattr(method, "n_clusters") else {}
    settings = {**levels, **clusters, "random_state": 0, "standardize": True}
    weighted, repeated = both(lambda: method(**settings), kind, with_folds=False)
    tolerance = LOOSE.get(name, 1e-6)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=tolerance)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, atol=tolerance)


@pytest.mark.parametrize(("covariance", "turn"), [("full", -1), ("low rank", 0)])
@pytest.mark.filterwarnings("ignore:The objective had not settled")
def test_a_weight_is_a_number_of_rows_to_the_likelihood(covariance: str, turn: int) -> None:
    """Where it settles at the end; of low rank before columns are added, one way or another."""
    make = partial(METHODS[FLAT], covariance=covariance)
    weighted, repeated = both(make, STCMTLRegressor, with_folds=False)
    assert weighted.history_[turn] == pytest.approx(repeated.history_[turn], rel=1e-7)


def test_of_scikit_learn() -> None:
    """Any weights, at a given level."""
    X, y, tasks = rows()
    weight = np.random.default_rng(0).exponential(size=len(y))
    lasso = SingleTaskLasso(penalty=0.1).fit(X, y, tasks, weight)
    ridge = SingleTaskRidge(penalty=0.1).fit(X, y, tasks, weight)
    for i, name in enumerate(lasso.task_names_):
        own = tasks == name
        w = weight[own] / weight[own].sum()
        other = Lasso(alpha=0.05, tol=1e-12).fit(X[own], y[own], sample_weight=w)
        np.testing.assert_allclose(lasso.coef_[i], other.coef_, atol=1e-4)
        assert lasso.intercept_[i] == pytest.approx(other.intercept_, abs=1e-4)
        squared = Ridge(alpha=0.1).fit(X[own], y[own], sample_weight=w)
        np.testing.assert_allclose(ridge.coef_[i], squared.coef_, atol=1e-9)


@pytest.mark.parametrize("name", BY_FOLDS)
def test_weights_count_in_methods_that_start_from_folds(name: str) -> None:
    """What is wrong in rows that hardly count does hardly any harm."""
    X, y, tasks = rows()
    bad = np.arange(len(y)) % 4 == 0
    wrong = np.where(bad, y + 5.0 * X[:, 2], y)
    clusters = {"n_clusters": 2} if hasattr(METHODS[name], "n_clusters") else {}

    def harm(weight: Any) -> float:
        """The coefficients of the feature that has none in truth."""
        model = METHODS[name](cv=2, random_state=0, **clusters).fit(X, wrong, tasks, weight)
        return float(np.abs(model.coef_[:, 2]).max())

    assert harm(np.where(bad, 0.001, 1.0)) < 0.3 < 0.7 < harm(None)


@pytest.mark.parametrize(
    "weight", [3, np.full(120, 0.1), np.full(120, 7)], ids=["lone", "0.1", "7"]
)
@pytest.mark.parametrize("model", [*MODELS, SingleTaskRidge])
def test_equal_weights_change_no_bit(model: Any, weight: Any) -> None:
    kind = model if model in MODELS else STCMTLRegressor
    X, y, tasks = rows(kind)
    given = {"n_clusters": 2, "shape": "simplex", "own": "none"} if model in MODELS else {}
    plain = model(random_state=0, **given).fit(X, y, tasks)
    found = model(random_state=0, **given).fit(X, y, tasks, sample_weight=weight)
    np.testing.assert_array_equal(found.coef_, plain.coef_)
    np.testing.assert_array_equal(found.intercept_, plain.intercept_)


def test_rows_of_no_weight_are_not_there() -> None:
    X, y, tasks = rows()
    weight = np.where(tasks == "north", 0.0, 2.0)
    weight[::7] = 0.0
    kept = weight > 0
    given = {"n_clusters": 2, "shape": "simplex", "own": "none", "random_state": 0}
    y[~kept] = 1e9
    left_out = "^Task 'north' has no row that counts: it is left out, as all weights there are 0.$"
    with pytest.warns(IdleTasksWarning, match=left_out):
        found = STCMTLRegressor(**given).fit(X, y, tasks, weight)
    plain = STCMTLRegressor(**given).fit(X[kept], y[kept], tasks[kept])
    assert "north" not in found.task_names_
    np.testing.assert_array_equal(found.coef_, plain.coef_)
    data, counting = TaskSet(X, y, tasks, weight=weight), TaskSet(X[kept], y[kept], tasks[kept])
    pd.testing.assert_frame_equal(tasks_table(found, data), tasks_table(plain, counting))
    assert overall_error(found, data) == pytest.approx(overall_error(plain, counting))
    assert ">north<" not in report_html(found, data, test=data)
    with pytest.warns(IdleTasksWarning, match="Task 'north'"):
        SingleTaskRidge().fit(X, y, tasks, weight)


def test_many_tasks_without_weight_are_told_in_one_sentence() -> None:
    names = np.array([f"t{i}" for i in range(7)])
    told = str(IdleTasksWarning.of(names))
    assert told.startswith("Tasks 't0', 't1', 't2', 't3', 't4' ... have no row that counts: they")


def test_units_of_weights_do_not_matter_where_they_are_no_counts() -> None:
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 120)
    found = check_weights(1e-6 * weight, 120)
    assert found is not None
    np.testing.assert_allclose(found, weight / weight.mean())
    np.testing.assert_array_equal(check_weights([1, 2, 0], 3), [1.0, 2.0, 0.0])


@pytest.mark.parametrize("model", MODELS)
def test_scores_are_weighted(model: Any) -> None:
    X, y, tasks = rows(model)
    fitted = model(2, "simplex", "none", random_state=0).fit(X, y, tasks)
    weight = counts(len(y))
    metric = r2_score if model is STCMTLRegressor else accuracy_score
    wanted = metric(y, fitted.predict(X, tasks), sample_weight=weight)
    assert fitted.score(X, y, tasks, weight) == pytest.approx(wanted)
    assert fitted.score(X, y, tasks) != fitted.score(X, y, tasks, weight)


def test_the_choice_of_k_is_weighted() -> None:
    X, y, tasks = rows()
    weight, fold = counts(len(y)), np.arange(len(y)) % 3
    twice = np.repeat(np.arange(len(y)), weight)
    given = {"ks": [1, 2], "random_state": 0}
    found = select_n_clusters(X, y, tasks, cv=fold, sample_weight=weight, **given)
    wanted = select_n_clusters(X[twice], y[twice], tasks[twice], cv=fold[twice], **given)
    np.testing.assert_allclose(found.error, wanted.error, rtol=1e-6)
    np.testing.assert_allclose(found.se, wanted.se, rtol=1e-6)


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (np.ones(5), "sample_weight has 5 values for 120 rows: give one number per row"),
        (["a"] * 120, "sample_weight is not numeric: give one number per row"),
        ([1.0] * 119 + [-2.0], "sample_weight has -2 in row 119: give every row a number of 0"),
        ([np.nan] + [1.0] * 119, "sample_weight has NaN in row 0: give every row"),
        (np.zeros(120), "sample_weight is zero in all rows: at least one must be above 0"),
        (np.ones((120, 2)), r"sample_weight has shape \(120, 2\): it must be one value per row"),
        (np.arange(120) % 20 == 0, "Task 'down' has one row: give it at least two"),
    ],
)
@pytest.mark.parametrize("model", [STCMTLClassifier, SingleTaskRidge])
def test_bad_weights_end_in_a_sentence(model: Any, weight: Any, sentence: str) -> None:
    X, y, tasks = rows(STCMTLClassifier)
    with pytest.raises(ValueError, match=f"^{sentence}"):
        model().fit(X, y, tasks, weight)


@pytest.mark.parametrize("kind", ["mixtures", "strengths"])
@pytest.mark.parametrize("estimator", MODELS)
def test_new_tasks_and_intervals_of_weighted_rows_are_those_of_repeated_ones(
    estimator: Any, kind: str
) -> None:
    X, y, tasks = rows(estimator)
    weight = counts(len(y))
    again = np.repeat(np.arange(len(y)), weight)
    model = estimator(**{"n_clusters": 2, "random_state": 0, **KINDS[kind]})
    model.fit(X, y, tasks, sample_weight=weight)
    repeated, weighted = X[again], (X, y, tasks)
    found = model.assign(*weighted, sample_weight=weight)
    expected = model.assign(repeated, y[again], tasks[again])
    np.testing.assert_allclose(found.loadings, expected.loadings, atol=1e-6)
    np.testing.assert_allclose(found.intercept, expected.intercept, atol=1e-6)
    assert found.rows.tolist() == expected.rows.tolist()
    assert found.outliers.tolist() == expected.outliers.tolist()
    for one, other in zip(found.places, expected.places, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    compared = model.assign(*weighted, sample_weight=weight + 0.5)
    assert compared.rows.tolist() == [20] * 6  # such weights are no numbers of rows
    sure = stability(model, *weighted, 2, random_state=0, sample_weight=weight)
    as_sure = stability(model, repeated, y[again], tasks[again], 2, random_state=0)
    for name in ("lower", "upper", "coef_se", "strength_upper"):
        np.testing.assert_allclose(
            getattr(sure, name), getattr(as_sure, name), rtol=1e-5, atol=1e-7
        )


def test_rows_are_drawn_by_their_weights() -> None:
    weight, rng = np.array([0.0, 1.0, 3.0]), np.random.default_rng(0)
    drawn = np.array([draw_counts(weight, rng) for _ in range(4000)])
    np.testing.assert_allclose(drawn.sum(axis=1), 4.0)
    np.testing.assert_allclose(drawn.mean(axis=0), weight, atol=0.05)
    np.testing.assert_allclose(drawn.var(axis=0), 4.0 * np.array([0.0, 0.1875, 0.1875]), atol=0.05)
