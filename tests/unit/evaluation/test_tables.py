"""Tables say what the model says, under the columns that files and pages have."""

import warnings
from copy import copy
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, metrics, select_n_clusters
from stcmtl.estimators.choose_k import KSelection
from stcmtl.evaluation import curve_tables, tables
from tests.unit.plain import plain_model
from tests.unit.small import MODELS, D, K, N, T, fit, small

CLUSTERS = [f"cluster {k + 1}" for k in range(K)]


def data(model: type = STCMTLRegressor) -> TaskSet:
    return small(model)


def fitted(model: type = STCMTLRegressor) -> Any:
    return fit(model, small(model))


@cache
def selection() -> KSelection:
    rows = data()
    return select_n_clusters(rows.X, rows.y, rows.tasks, [1, 2, 3], 3, random_state=0)


# Files


def test_memberships() -> None:
    table = tables.memberships_table(fitted())
    assert list(table.columns) == ["task", *CLUSTERS]
    assert table["task"].tolist() == fitted().task_names_.tolist()
    assert np.array_equal(table[CLUSTERS], fitted().memberships_)
    assert table[CLUSTERS].sum(axis=1).to_numpy() == pytest.approx(np.ones(T))


def test_coefficients_predict_as_the_model_does() -> None:
    table = tables.coefficients_table(fitted())
    assert list(table.columns) == ["task", "intercept", *(f"x{d}" for d in range(D))]
    row = table.set_index("task").loc[data().tasks[0]]
    predicted = row["intercept"] + data().X[0] @ row.drop("intercept").to_numpy(float)
    assert predicted == pytest.approx(fitted().predict(data().X[:1], data().tasks[:1])[0])


def test_cluster_coefficients_and_memberships_make_coefficients() -> None:
    U = tables.cluster_coefficients_table(fitted()).set_index("cluster")
    V = tables.memberships_table(fitted()).set_index("task")
    W = tables.coefficients_table(fitted()).set_index("task").drop(columns="intercept")
    assert U.index.tolist() == [1, 2, 3]
    assert V.to_numpy() @ U.to_numpy() == pytest.approx(W.to_numpy())


def test_standard_errors_beside_coefficients() -> None:
    model = fitted()
    table = tables.cluster_standard_errors_table(model).set_index("cluster")
    assert table.index.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(table, model.cluster_coef_se_)
    np.testing.assert_array_equal(np.isnan(table), model.cluster_coef_ == 0)
    features = tables.selected_features_table(model).set_index("feature")
    for k in range(3):
        np.testing.assert_array_equal(features[f"s.e. {k + 1}"], table.loc[k + 1, features.index])
    old = copy(model)
    del old.cluster_coef_se_  # as of an earlier release
    assert tables.cluster_standard_errors_table(old).iloc[:, 1:].isna().all(axis=None)


def test_tasks_without_data() -> None:
    table, model = tables.tasks_table(fitted()), fitted()
    wanted = {
        "task": model.task_names_,
        "cluster": model.labels_ + 1,
        "pure": model.pure_,
        "purity": model.purity_,
        "outlier": model.outliers_,
        "outlier distance": model.distances_,
    }
    assert list(table.columns) == list(wanted)
    for name, values in wanted.items():
        assert table[name].tolist() == values.tolist()


@pytest.mark.parametrize("kind", MODELS)
def test_rows_and_errors_by_task(kind: type) -> None:
    rows, model = data(kind), fitted(kind)
    kept = np.arange(len(rows.y)) >= 3 * N // 2  # the first task has none left, the second half
    some = TaskSet(rows.X[kept], rows.y[kept], rows.tasks[kept], task_type=rows.task_type)
    table = tables.tasks_table(model, some).set_index("task")
    assert sorted(table["rows"]) == [0, N // 2, *[N] * (T - 2)]
    assert table["error"].isna().sum() == 1
    measure = metrics.rmse if kind is STCMTLRegressor else metrics.error_rate
    for name, X, y in some:
        wanted = measure(y, model.predict(X, np.repeat(name, len(y))))
        assert table.loc[name, "error"] == pytest.approx(wanted)


def test_feature_names_head_the_columns_and_are_compared() -> None:
    rows, names = data(), [f"feature {d}" for d in range(D)]
    frame = pd.DataFrame(rows.X, columns=names)
    model = plain_model(STCMTLRegressor, K, random_state=0).fit(frame, rows.y, rows.tasks)
    assert list(tables.coefficients_table(model).columns[2:]) == names
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = tables.tasks_table(model, TaskSet(frame, rows.y, rows.tasks))
    assert table["rows"].tolist() == [N] * T
    with pytest.raises(ValueError, match="feature names"):
        tables.tasks_table(model, rows)


def test_a_feature_with_the_name_of_a_column_is_named() -> None:
    rows = data()
    frame = pd.DataFrame(rows.X, columns=["intercept", *(f"x{d}" for d in range(1, D))])
    model = plain_model(STCMTLRegressor, K, random_state=0).fit(frame, rows.y, rows.tasks)
    with pytest.raises(ValueError, match="Rename the feature 'intercept'"):
        tables.coefficients_table(model)


# Pages and the command line


def test_kinds_stand_between_names_and_shares() -> None:
    table = tables.kinds_table(fitted())
    assert list(table.columns) == ["task", "kind", *CLUSTERS]
    assert (table["kind"] == "pure").tolist() == fitted().pure_.tolist()
    assert set(table["kind"]) <= {"pure", "mixed"}


def test_a_matrix_is_headed_by_names_even_if_one_is_used_twice() -> None:
    table = tables.matrix_table("task", ["a", "b"], np.eye(2), ("task", "x"))
    assert list(table.columns) == ["task", "task", "x"]
    assert table.to_numpy().tolist() == [["a", 1.0, 0.0], ["b", 0.0, 1.0]]


def test_clusters_count_their_tasks_and_features() -> None:
    table, model = tables.clusters_table(fitted()), fitted()
    assert list(table.columns) == ["cluster", "tasks", "pure", "features"]
    assert table["tasks"].tolist() == np.bincount(model.labels_, minlength=K).tolist()
    assert table["pure"].sum() == model.pure_.sum()
    assert table["features"].tolist() == np.count_nonzero(model.cluster_coef_, axis=1).tolist()


def test_the_farthest_task_comes_first() -> None:
    table, model = tables.distances_table(fitted(), factor=0.0), fitted()
    assert table["distance"].tolist() == sorted(model.distances_, reverse=True)
    upper = np.quantile(model.distances_, 0.75)
    assert table["beyond the fence"].tolist() == (table["distance"] > upper).tolist()
    assert not table["set aside by the fit"].any()


def test_similarity_and_purity_before_the_fit_are_those_of_single_tasks() -> None:
    S, purity = tables.single_task_similarity(fitted())
    W = fitted().single_task_coef_.T
    assert pytest.approx(W.T @ W) == S
    table = tables.purity_table(fitted(), purity)
    assert list(table.columns) == ["task", "purity", "pure"]
    assert table["purity"].tolist() == purity.tolist()
    assert ((purity > 0) & (purity <= 1)).all()


def test_every_iteration_has_a_row() -> None:
    history = fitted().history_
    table = curve_tables.iterations_table(history)
    assert table["objective"].tolist() == [state.objective for state in history]
    assert table["change in U"].isna().tolist() == [True] + [False] * (len(history) - 1)
    assert table["change in V"].iloc[1] == np.abs(history[1].V - history[0].V).max()
    assert list(table.columns[-4:]) == ["V, ms", "gamma, ms", "U, ms", "W, ms"]


def test_the_curve_has_a_row_for_every_k() -> None:
    points, curve = curve_tables.points_table(selection()), curve_tables.curve_table(selection())
    assert list(points.columns) == ["k", "error", "standard error", "seconds"]
    assert list(curve.columns) == ["K", "error", "se", "objective", "seconds", "choice"]
    assert points["k"].tolist() == curve["K"].tolist() == [1, 2, 3]
    assert points["standard error"].tolist() == curve["se"].tolist() == selection().se.tolist()
    ratios = curve_tables.ratios_table(selection())
    assert ratios["ratio"].tolist() == selection().singular_ratios.tolist()
    assert ratios["speaks for k"].iloc[0] == 2


def test_selected_features_are_those_with_a_coefficient_strongest_first() -> None:
    model = fitted(STCMTLClassifier)
    table = tables.selected_features_table(model)
    used = [int(name[1:]) for name in table["feature"]]
    assert set(used) == set(np.flatnonzero(model.cluster_coef_.any(axis=0)))
    strength = np.abs(model.cluster_coef_[:, used]).max(axis=0)
    assert (np.diff(strength) <= 0).all()
    np.testing.assert_array_equal(table.filter(like="cluster"), model.cluster_coef_[:, used].T)
    np.testing.assert_array_equal(table["tasks"], (model.coef_[:, used] != 0).sum(axis=0))


def test_features_in_different_units_are_compared_by_coefficient_times_standard_deviation() -> None:
    data = small(STCMTLRegressor)
    units = 10.0 ** np.random.default_rng(0).uniform(-3.0, 3.0, data.X.shape[1])
    model = plain_model(STCMTLRegressor, K, random_state=0).fit(data.X * units, data.y, data.tasks)
    np.testing.assert_array_equal(tables.shown_scale(model), model.feature_scale_)
    table, per_unit = (
        tables.selected_features_table(model, per_unit=per_unit) for per_unit in (False, True)
    )
    used = [int(name[1:]) for name in table["feature"]]
    shown = model.cluster_coef_[:, used] * model.feature_scale_[used]
    np.testing.assert_array_equal(table.filter(like="cluster"), shown.T)
    assert (np.diff(np.abs(shown).max(axis=0)) <= 0).all()
    assert per_unit["feature"].tolist() != table["feature"].tolist()
    assert np.abs(per_unit.filter(like="cluster")).to_numpy().max() > 10
    S, purity = tables.single_task_similarity(model)
    plain = tables.single_task_similarity(fit(STCMTLRegressor, data, standardize=True))
    np.testing.assert_allclose(S, plain[0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(purity, plain[1], rtol=1e-6)
    assert tables.shown_scale(fit(STCMTLRegressor, data)) is None
