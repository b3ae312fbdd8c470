"""The card of a task: its fit beside its own alone, its rows, its like, how sure its shares are."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor, metrics, stability
from stcmtl.data.chance import beyond_chance
from stcmtl.data.splits import take_rows
from stcmtl.evaluation import task_cards, verdicts
from stcmtl.evaluation.predictions import predict_alone
from stcmtl.evaluation.task_cards import TaskCard, task_card
from tests.unit.small import MODELS, K, fit, small


def card_of(kind: Any, task: int = 0, **options: Any) -> tuple[Any, TaskCard]:
    rows = small(kind)
    model = fit(kind, rows, **options)
    return model, task_card(model, rows, None, task)


@pytest.mark.parametrize("kind", MODELS)
def test_rows_are_the_tasks_own_with_what_is_predicted(kind: Any) -> None:
    rows = small(kind)
    model, card = card_of(kind, 2)
    own = rows.tasks == model.task_names_[2]
    if kind is STCMTLClassifier:
        expected = model.predict_proba(rows.X[own], rows.tasks[own])[:, 1]
        np.testing.assert_array_equal(card.rows["actual"], rows.y[own] == model.classes_[1])
        assert card.labels == tuple(model.classes_)
    else:
        expected = model.predict(rows.X[own], rows.tasks[own])
        np.testing.assert_array_equal(card.rows["actual"], rows.y[own])
    np.testing.assert_allclose(card.rows["predicted"], expected)
    assert card.error == pytest.approx(
        metrics.prediction_error(
            rows.y[own], model.predict(rows.X[own], rows.tasks[own]), rows.task_type
        )
    )


def test_errors_are_of_test_rows_where_there_are_any() -> None:
    rows = small(STCMTLRegressor)
    model = fit(STCMTLRegressor, rows)
    card = task_card(model, rows, rows, 0)
    assert card.on_test
    assert card.rows["test"].sum() == len(card.rows) / 2
    assert "has not seen" in task_cards.say_errors(card)
    assert "its own fit alone" in task_cards.say_errors(card)
    without = task_cards.say_errors(task_card(model, rows, None, 0))
    assert "of the fit" in without
    assert "alone" not in without  # which rows of the fit itself would flatter


@pytest.mark.parametrize("is_clear", [True, False])
def test_what_lies_between_the_two_fits_may_be_chance(is_clear: bool) -> None:
    """Targets are what the fit says; or on every other row what the task's own fit says."""
    rows = small(STCMTLRegressor)
    model = fit(STCMTLRegressor, rows)
    y = model.predict(rows.X, rows.tasks)
    if not is_clear:
        y[1::2] = predict_alone(model, rows)[1::2]
    card = task_card(model, rows, replace(rows, y=y), 0)
    assert bool(card.chance) is not is_clear
    said = task_cards.say_errors(card)
    assert ("too few rows to tell" in said) is not is_clear
    few = task_card(
        model, rows, take_rows(rows, np.flatnonzero(rows.tasks == rows.tasks[0])[:1]), 0
    )
    assert few.chance == verdicts.TOO_FEW


def test_coefficients_stand_beside_those_of_its_own_fit() -> None:
    model, card = card_of(STCMTLRegressor, 1)
    table = card.coefficients.set_index("feature")
    for feature, row in table.iterrows():
        d = int(str(feature)[1:])
        assert row["by clusters"] == pytest.approx(model.coef_[1, d])
        assert row["own fit alone"] == pytest.approx(model.single_task_coef_[1, d])
    assert list(table.columns) == ["by clusters", "own fit alone"]


def test_the_own_part_is_set_apart() -> None:
    rows = small(STCMTLRegressor)
    differs = np.where(rows.tasks == rows.tasks[0], 2.0, -1.0) * rows.X[:, -1]
    rows = replace(rows, y=rows.y + differs)
    card = task_card(fit(STCMTLRegressor, rows, own="deviation"), rows, None, 0)
    table = card.coefficients
    np.testing.assert_allclose(table["by clusters"] + table["its own part"], table["sum"])
    assert "is its own" in task_cards.say_own_part(card)
    assert task_cards.say_own_part(card_of(STCMTLRegressor)[1]) == ""


@pytest.mark.parametrize("is_weighted", [False, True])
def test_intervals_are_those_of_stability(is_weighted: bool) -> None:
    rows = small(STCMTLRegressor)
    weight = np.where(np.arange(len(rows.y)) % 3, 1.0, 5.0) if is_weighted else None
    model, given = fit(STCMTLRegressor, rows), (rows.X, rows.y, rows.tasks)
    card = task_card(model, replace(rows, weight=weight), None, 3)
    found = stability(model, *given, n_boot=2, random_state=0, sample_weight=weight)
    assert card.intervals is not None
    np.testing.assert_allclose(card.intervals, (found.lower[3], found.upper[3]))


def test_the_most_alike_have_the_largest_cosines() -> None:
    model, card = card_of(STCMTLRegressor, 4)
    W = model.coef_ / np.linalg.norm(model.coef_, axis=1, keepdims=True)
    cosines = {str(name): float(w @ W[4]) for name, w in zip(model.task_names_, W, strict=True)}
    del cosines[card.name]
    best = sorted(cosines.values(), reverse=True)[: len(card.alike)]
    assert [cosine for _, cosine in card.alike] == pytest.approx(best)
    assert all(cosines[name] == pytest.approx(cosine) for name, cosine in card.alike)


def test_without_clusters_tasks_are_alike_beyond_chance_or_not_at_all() -> None:
    """Random signs make cosines of a spread of 1 / sqrt(D), where coefficients are of one size."""
    model, _ = card_of(STCMTLRegressor)
    signs = np.where(np.random.default_rng(0).uniform(size=model.coef_.shape) < 0.5, -1.0, 1.0)
    alone = copy(model)
    alone.cluster_coef_, alone.coef_ = model.cluster_coef_[:0], signs
    np.testing.assert_allclose(
        task_cards.chance_cosines(alone, 0),
        beyond_chance(len(signs) - 1) / np.sqrt(signs.shape[1]),
    )
    assert task_cards.most_alike(alone, 0) == ()
    alone.coef_ = np.vstack([signs[1:2], signs[1:]])  # the first two are the same
    assert [cosine for _, cosine in task_cards.most_alike(alone, 0)] == pytest.approx([1.0])
    card = replace(card_of(STCMTLRegressor)[1], alike=(), cluster_names=())
    assert "than chance" in task_cards.say_alike_tasks(card)


def test_it_reads_well_whatever_kind_it_is() -> None:
    assert task_cards.say_kind(card_of(STCMTLRegressor, 0)[1]) == "It follows cluster 1 alone."
    _, alone = card_of(STCMTLRegressor, 0, n_clusters=0, own="alone")
    assert task_cards.say_kind(alone).startswith("Fitted on its own")
    assert alone.intervals is None
    assert "clusters" not in task_cards.say_errors(alone)
    assert list(alone.coefficients.columns) == ["feature", "fit", "own fit alone"]
    _, one = card_of(STCMTLRegressor, 0, n_clusters=1)
    assert one.intervals is None
    _, strong = card_of(STCMTLRegressor, 0, shape="cone")
    assert ", at strength " in task_cards.say_kind(strong)


def test_an_outlier_is_called_one() -> None:
    rows = small(STCMTLRegressor)
    model = copy(fit(STCMTLRegressor, rows))
    model.outliers_ = np.arange(len(model.task_names_)) == 0
    model.labels_ = np.where(model.outliers_, -1, model.labels_)
    model.memberships_ = np.where(model.outliers_[:, None], 0.0, model.memberships_)
    card = task_card(model, rows, None, 0)
    assert task_cards.say_kind(card).startswith("An outlier: no cluster fits it")
    assert card.intervals is None
    assert "with its cluster" not in task_cards.say_errors(card)


def test_shares_of_a_mixture_sum_to_a_hundred() -> None:
    _, card = card_of(STCMTLRegressor)
    thirds = np.full(K, 1.0 / K)
    mixed = TaskCard(**{**vars(card), "kind": "mixed", "shares": thirds, "loadings": thirds})
    said = task_cards.say_kind(mixed)
    assert said == "Mixed, a blend of 34% cluster 1, 33% cluster 2 and 33% cluster 3."
