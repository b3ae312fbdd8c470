"""Sentences about a fit say what its arrays say."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLRegressor, TaskSet, metrics
from stcmtl.evaluation import summary
from tests.unit.small import fit, small

V = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.4, 0.6, 0.0], [0.0, 1.0, 0.0]])
PURE = V.max(axis=1) == 1


@pytest.mark.parametrize(
    ("memberships", "pure", "sentence"),
    [
        (V[:, :2], PURE, "2 clusters, 3 pure tasks, 1 mixed"),
        (V, PURE, "2 of 3 clusters in use, 3 pure tasks, 1 mixed"),
        (
            np.vstack([V[:, :2], np.zeros(2)]),
            [*PURE, True],
            "2 clusters, 3 pure tasks, 1 mixed, 1 outlier",
        ),
        (np.ones((5, 1)), np.ones(5), "One cluster of 5 tasks"),
        (np.ones((5, 0)), np.zeros(5), "No clusters: 5 tasks, each on its own"),
    ],
)
def test_headline(memberships: Any, pure: Any, sentence: str) -> None:
    assert summary.headline(memberships, pure) == sentence


def test_the_headline_counts_tasks_that_are_where_they_should_be() -> None:
    data = small(STCMTLRegressor)
    model, truth = fit(STCMTLRegressor, data), data.truth
    right = int(metrics.placed_as(truth, model).sum())
    assert 0 < right < len(model.pure_)
    said = summary.say_found(model, truth)
    assert said == f"{summary.say_found(model)}: {right} of 9 placed as simulated"
    wrong = copy(model)
    wrong.memberships_ = np.roll(model.memberships_, 2, axis=0)  # as many pure, in other corners
    wrong.pure_ = np.roll(model.pure_, 2)
    assert metrics.placed_as(truth, wrong).sum() < right
    assert "as simulated" not in summary.say_found(fit(STCMTLRegressor, data, n_clusters=1), truth)


def test_which_of_several_clusters_is_the_only_true_one_is_arbitrary() -> None:
    data = small(STCMTLRegressor)
    model, truth = fit(STCMTLRegressor, data), data.truth
    one = replace(truth, V=np.ones((1, truth.V.shape[1])), U=truth.U[:, :1])
    assert summary.say_placed(model, one) == ": the truth has one cluster"
    assert summary.say_placed(fit(STCMTLRegressor, data, n_clusters=1), one) == ""


def test_doubts_name_the_cluster() -> None:
    crowd = np.vstack([np.tile([1.0, 0, 0], (5, 1)), V[2:]])
    assert summary.doubts(crowd, crowd.max(axis=1) == 1) == [
        "Cluster 2 has only 1 pure task: take its coefficients with care.",
        "Cluster 3 is the main cluster of no task: try a smaller K.",
    ]


def test_data_account() -> None:
    data = TaskSet(np.ones((5, 2)), np.arange(5.0), list("aabbb"))
    assert summary.data_account(data) == (
        "2 tasks with 2 to 3 rows each, 5 in all; 2 features; regression."
    )
    assert summary.data_account(data, data) == (
        "2 tasks with 2 to 3 rows each to fit, 5 in all, and 5 to test; 2 features; regression."
    )


def test_truth_is_compared_only_where_it_is_about_these_tasks() -> None:
    data = small(STCMTLRegressor)
    model = fit(STCMTLRegressor, data)
    found = summary.against_truth(model, data)
    assert found["Feature selection (MCC), 1 is perfect"] == metrics.mcc(
        data.truth.W, model.coef_.T
    )
    assert summary.against_truth(model, TaskSet(data.X, data.y, data.tasks)) == {}


UNITS = np.r_[250.0, 0.5, np.ones(18)]
SCALED = TaskSet(
    small(STCMTLRegressor).X * UNITS, small(STCMTLRegressor).y, small(STCMTLRegressor).tasks
)


@pytest.mark.parametrize(
    ("standardize", "units", "sentence"),
    [
        ("auto", True, "put on one scale: their spreads differ 473-fold (x0 against x1)."),
        (True, True, "put on one scale, as asked."),
        (
            False,
            True,
            "taken as they are, as asked, though their spreads differ 473-fold (x0 against x1).",
        ),
        ("auto", False, "taken as they are: their spreads are alike."),
        (True, False, "put on one scale, as asked."),
        (False, False, "taken as they are, as asked."),
    ],
)
def test_the_scale_and_why(standardize: Any, units: bool, sentence: str) -> None:
    data = SCALED if units else small(STCMTLRegressor)
    model = fit(STCMTLRegressor, data, standardize=standardize)
    assert summary.scale_account(model) == f"Features were {sentence}"
    if standardize == "auto":
        will = "put on one scale: their spreads differ 473-fold (x0 against x1)"
        forecast = summary.scale_forecast(data)
        assert forecast == f"Features will be {will if units else 'taken as they are'}."
    scaled = ", features on one scale" in summary.method_account(model)
    assert scaled is sentence.startswith("put")


def test_names_and_models_that_know_less() -> None:
    model = copy(fit(STCMTLRegressor, SCALED))
    names = ["income", "age", *map(str, range(18))]
    assert "(income against age)" in summary.scale_account(model, names)
    model.units_differ_ = model.standardized_ = False  # as of pixels
    assert summary.scale_account(model).endswith("but they seem to have one unit.")
    del model.feature_scale_, model.units_differ_, model.standardized_
    model.standardize = True  # of an earlier release
    assert summary.scale_account(model) == "Features were put on one scale."
