"""Tables and sentences of models of every kind say what their arrays say."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLRegressor, simulate, writers
from stcmtl.evaluation import summary, tables
from stcmtl.solver.records import Choice
from tests.unit.kinds import KINDS, LOSSES, D, T, model_of, tasks_of

WITH_LOADINGS = ("one strength", "cone", "span", "robust cone", "robust span")
WITH_OWN = ("own", "one own", "robust span")


def choice(n_clusters: int, rank: int, taken: bool) -> Choice:
    return Choice(n_clusters, "simplex", "none", 1.0, 0.1, 0.0, 0.0, rank, taken, "")


def chosen(kind: str, *choices: Choice) -> Any:
    """The model as if it had been chosen among these."""
    model = copy(model_of(kind))
    model.choices_ = list(choices)
    return model


@pytest.mark.parametrize(
    ("kind", "choices", "sentence"),
    [
        (
            "alone",
            [choice(0, 1, True), choice(2, 2, False)],
            "These tasks do not cluster: each is predicted best on its own.",
        ),
        (
            "alone",
            [choice(2, 1, False), choice(0, 2, True)],
            "These tasks do not cluster: what sharing gains may be chance.",
        ),
        ("alone", [choice(0, 1, True)], "No clusters, as asked: each task is fitted on its own."),
        ("one", [choice(1, 1, True), choice(2, 2, False)], "One pattern serves all tasks."),
        (
            "simplex",
            [choice(3, 1, True), choice(1, 2, False)],  # as good as one pattern
            "What 3 clusters gain over none may be chance.",
        ),
        (
            "simplex",
            [choice(3, 1, True), replace(choice(1, 2, False), behind=0.24, behind_se=0.1)],
            "What 3 clusters gain over none may be chance.",
        ),
        (
            "simplex",
            [choice(3, 1, True), replace(choice(1, 2, False), behind=0.26, behind_se=0.1)],
            "",
        ),
        ("one", [], "One pattern for all tasks, as asked."),
        ("one strength", [], "One pattern for all tasks, each at its own strength, as asked."),
        *((kind, [], "") for kind in ("simplex", "cone", "span", "robust cone")),
    ],
)
def test_the_verdict_claims_what_was_compared_and_no_more(
    kind: str, choices: list[Choice], sentence: str
) -> None:
    assert summary.verdict(chosen(kind, *choices)) == sentence


def test_the_verdict_names_the_share_that_is_tasks_own() -> None:
    share = model_of("own").own_share_.mean()
    own = f"but {share:.0%} of what is fitted is their own."
    assert summary.verdict(model_of("own")) == f"Tasks share 3 patterns, {own}"
    little = copy(model_of("own"))
    little.own_share_ = np.full(T, 0.001)
    assert "less than 1%" in summary.verdict(little)
    # an outlier is all its own, and no news about the others
    little.own_share_ = np.r_[np.full(T - 1, 0.25), 1.0]
    little.outliers_ = np.arange(T) == T - 1
    assert "but 25% of" in summary.verdict(little)
    one = model_of("one own")
    own = f"but {one.own_share_.mean():.0%} of what is fitted is their own."
    assert summary.verdict(one) == f"Tasks share one pattern, {own}"


def test_the_verdict_counts_who_does_not_follow_the_one_pattern() -> None:
    model = chosen("one", choice(1, 1, True), choice(2, 2, False))
    model.outliers_ = np.arange(T) < 2
    assert summary.verdict(model) == "One pattern serves all tasks but 2 outliers."


def test_a_model_of_an_earlier_release_has_no_verdict() -> None:
    model = copy(model_of("simplex"))
    for name in ("shape_", "own_", "loadings_", "strength_", "own_coef_", "own_share_"):
        delattr(model, name)
    assert summary.verdict(model) == ""
    assert list(tables.tasks_table(model)) == list(tables.tasks_table(model_of("simplex")))


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("alone", "No clusters: 12 tasks, each on its own"),
        ("one", "One cluster of 12 tasks"),
        ("one strength", "One cluster of 12 tasks; strengths from {low} to {high}"),
        ("cone", "3 clusters, 9 pure tasks, 3 mixed; strengths from {low} to {high}"),
        ("span", "3 patterns: {negative} of 12 tasks subtract one"),
        (
            "robust cone",
            "3 clusters, 9 pure tasks, 1 mixed, 2 outliers; strengths from {low} to {high}",
        ),
    ],
)
def test_what_was_found(kind: str, sentence: str) -> None:
    model = model_of(kind)
    inside = model.strength_[~model.outliers_]
    words = {
        "low": f"{inside.min():.3g}",
        "high": f"{inside.max():.3g}",
        "negative": int((model.loadings_ < 0).any(axis=1).sum()),
    }
    assert summary.say_found(model) == sentence.format(**words)


def test_a_task_without_loadings_is_no_outlier() -> None:
    V, pure = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), [True, True, False]
    said = summary.headline(V, pure, outliers=np.zeros(3))
    assert said == "2 clusters, 2 pure tasks, 0 mixed, 1 in no cluster"


def test_patterns_that_can_be_subtracted_need_no_pure_tasks() -> None:
    V = np.array([[0.6, 0.4, 0.0], [0.7, 0.3, 0.0]])
    assert len(summary.doubts(V, [False, False])) == 3
    assert summary.doubts(V, [False, False], "span") == [
        "No task follows pattern 3: try a smaller K."
    ]
    assert summary.doubts(np.zeros((4, 0)), np.zeros(4)) == []


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("alone", "K = 0, every task on its own; 15 of 15 features selected."),
        ("cone", "K = 3, refined after the paper's algorithm, mixtures with strengths; "),
        ("span", "K = 3, refined after the paper's algorithm, patterns can be subtracted; "),
        ("own", "K = 3, refined after the paper's algorithm, with parts of their own; "),
    ],
)
def test_how_it_was_fitted(kind: str, words: str) -> None:
    assert summary.method_account(model_of(kind)).startswith(words)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", KINDS)
def test_tables_have_what_plain_mixtures_have_not(kind: str, loss: type) -> None:
    model = model_of(kind, loss)
    found = tables.result_tables(model, tasks_of(kind, loss))
    k = len(model.cluster_coef_)
    shares = [f"cluster {i + 1}" for i in range(k)]
    loadings = [f"loading {i + 1}" for i in range(k)] if kind in WITH_LOADINGS else []
    assert list(found["memberships"]) == ["task", *shares, *loadings]
    if loadings:
        assert np.array_equal(found["memberships"][loadings], model.loadings_)
    tasks = found["tasks"]
    assert ("strength" in tasks, "own share" in tasks) == (kind in WITH_LOADINGS, kind in WITH_OWN)
    assert len(tasks) == T
    assert np.isfinite(tasks["error"]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_tables_make_the_coefficients(kind: str) -> None:
    model, found = model_of(kind), tables.result_tables(model_of(kind))
    k = len(model.cluster_coef_)
    parts = found["memberships"].iloc[:, -k:].to_numpy(float) if k else np.zeros((T, 0))
    W = parts @ found["cluster_coefficients"].drop(columns="cluster").to_numpy(float)
    W = W + writers.own_coefficients_table(model).drop(columns="task").to_numpy(float)
    coefficients = found["coefficients"].iloc[:, 2:].to_numpy(float)
    np.testing.assert_allclose(W, coefficients, atol=1e-9)


@pytest.mark.parametrize(
    ("kind", "kinds"),
    [
        ("alone", {"on its own"}),
        ("one", {"pure"}),
        ("span", {"mixed"}),
        ("robust cone", {"pure", "mixed", "outlier"}),
    ],
)
def test_kinds_of_tasks(kind: str, kinds: set[str]) -> None:
    assert set(tables.kinds_table(model_of(kind))["kind"]) == kinds


def test_a_feature_that_only_own_parts_use_is_selected_too() -> None:
    model = copy(model_of("one own"))
    model.cluster_coef_ = np.eye(D)[:1]
    model.own_coef_ = np.zeros((T, D))
    model.own_coef_[3, 7] = -2.0
    model.coef_ = model.loadings_ @ model.cluster_coef_ + model.own_coef_
    table = tables.selected_features_table(model)
    assert table["feature"].tolist() == ["x7", "x0"]
    assert table["tasks"].tolist() == [1, T]
    assert table["cluster 1"].tolist() == [0.0, 1.0]
    assert table["largest own"].tolist() == [2.0, 0.0]


def test_selected_features_without_clusters_are_those_of_the_tasks() -> None:
    model = model_of("alone")
    table = tables.selected_features_table(model)
    assert list(table) == ["feature", "tasks", "largest own"]
    largest = np.abs(model.coef_).max(axis=0)
    np.testing.assert_allclose(table["largest own"], np.sort(largest[largest > 0])[::-1])


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_written(kind: str, tmp_path: Any) -> None:
    files = writers.write_results(model_of(kind), tmp_path)
    assert {file.stem for file in files} == {
        "memberships", "coefficients", "cluster_coefficients", "cluster_standard_errors", "tasks",
    }  # fmt: skip


def test_clusters_are_listed_where_there_are_any() -> None:
    assert tables.clusters_table(model_of("span"))["cluster"].tolist() == [1, 2, 3]
    assert tables.clusters_table(model_of("alone")).empty


def test_without_clusters_coefficients_alone_are_compared_with_the_truth() -> None:
    data = simulate(n_tasks=6, n_features=20, n_clusters=2, n_mixed=0, n_train=20).train
    model = STCMTLRegressor(0, cv=3, random_state=0).fit(data.X, data.y, data.tasks)
    found = summary.against_truth(model, data)
    assert list(found) == [
        "Estimation error (REE), 0 is perfect",
        "Feature selection (MCC), 1 is perfect",
    ]
