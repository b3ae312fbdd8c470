"""Cards of clusters say who is in them, what drives them and how well they fit, and no more."""

import io
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, datasets, metrics, read
from stcmtl.evaluation import cards, predictions
from stcmtl.evaluation.cards import Driver, cluster_cards
from tests.stores import DRIVERS, make_stores
from tests.unit.small import D, K, fit, small


def model() -> Any:
    return copy(fit(STCMTLRegressor, small(STCMTLRegressor)))


def test_members_are_the_tasks_of_the_cluster_pure_ones_first() -> None:
    found = model()
    for card in cluster_cards(found):
        assert {m.name for m in card.members} == set(
            found.task_names_[found.labels_ == card.cluster]
        )
        kinds = [m.pure for m in card.members]
        assert kinds == sorted(kinds, reverse=True)
        assert all(m.share == found.memberships_[m.task, card.cluster] for m in card.members)


def test_an_outlier_is_on_no_card() -> None:
    found = model()
    found.outliers_ = np.arange(len(found.labels_)) == 0
    found.labels_ = np.where(found.outliers_, -1, found.labels_)
    assert 0 not in {m.task for card in cluster_cards(found) for m in card.members}


def planted(U: list[list[float]], se: float = 0.1) -> Any:
    """A model with these coefficients of clusters (K, D)."""
    found = model()
    found.cluster_coef_ = np.zeros((K, D))
    found.cluster_coef_[:, : len(U[0])] = U
    found.cluster_coef_se_ = np.where(found.cluster_coef_ != 0, se, np.nan)
    found.units_differ_ = False
    return found


def test_features_are_its_largest_and_those_that_others_lack() -> None:
    found = planted([[3.0, -2.0, 1.0, 0.0], [3.0, 0.0, 0.0, 1.0], [-3.0, 0.0, 0.4, 0.0]])
    first, second, third = cluster_cards(found)
    assert [d.feature for d in first.largest] == ["x0", "x1", "x2"]
    assert [d.feature for d in first.own] == ["x1", "x2"]  # x0 is another's as well
    assert [d.feature for d in second.own] == ["x3"]
    assert [d.feature for d in third.own] == ["x0"]  # which others have the other way round
    assert "half as strongly in this direction" in cards.say_alike(third, K)
    assert "half as strongly." in cards.say_alike(first, K)
    assert first.n_features == 3


def test_where_patterns_can_be_subtracted_signs_make_nothing_a_clusters_own() -> None:
    found = planted([[3.0, -2.0, 0.0], [-2.9, 0.0, 0.0], [0.0, 0.0, 3.0]])
    assert [d.feature for d in cluster_cards(found)[0].own] == ["x0", "x1"]
    found.shape_ = "span"
    first, second, third = cluster_cards(found)
    assert [d.feature for d in first.own] == ["x1"]  # cluster 2 turned around has x0 as well
    assert second.own == ()
    assert [d.feature for d in third.own] == ["x2"]
    assert "in this direction" not in cards.say_alike(first, K)


def test_of_one_task_nobody_can_tell_what_is_the_clusters_own() -> None:
    card = cluster_cards(planted([[3.0], [0.0], [0.0]]))[0]
    assert "Its own: x0" in cards.say_alike(card, K)
    alone = replace(card, members=card.members[:1])
    assert "One task alone speaks for it" in cards.say_alike(alone, K)
    assert "Driven by" not in cards.say_alike(alone, K)
    found = planted([[3.0], [0.0], [0.0]])
    found.labels_ = np.where(np.arange(len(found.labels_)) == 0, 0, 1)
    assert cluster_cards(found)[0].own == ()


def test_a_single_task_is_told_by_who_shares_its_cluster() -> None:
    card = cluster_cards(planted([[3.0], [0.0], [0.0]]))[0]
    pure, mixed = replace(card.members[0], pure=True), replace(card.members[1], pure=False)
    alone = replace(card, members=(pure,), is_shared=False)
    assert cards.say_members(alone) == "1 pure task"
    assert f"{pure.name} stands alone in its cluster." in cards.say_alike(alone, K)
    shared = replace(alone, is_shared=True)
    assert cards.say_members(shared) == "1 pure task; others have a share in it"
    leading = replace(card, members=(pure, mixed))
    for one in (shared, leading):
        assert f"{pure.name} is its only pure task." in cards.say_alike(one, K)
    assert cards.say_members(replace(card, members=(mixed,))) == "1 task, not pure"


def test_a_card_knows_whether_others_share_its_cluster() -> None:
    found = planted([[3.0], [0.0], [0.0]])
    V = found.memberships_ = np.eye(K)[found.labels_]
    assert not cluster_cards(found)[0].is_shared
    other = np.flatnonzero(found.labels_ == 1)[0]
    V[other] = np.eye(K)[1] * 0.9 + np.eye(K)[0] * 0.1
    assert [card.is_shared for card in cluster_cards(found)] == [True, False, False]


@pytest.mark.parametrize("size", [0.0, 0.1])
def test_what_drives_a_cluster_of_hardly_a_pure_task_cannot_be_told(size: float) -> None:
    found = planted([[size], [3.0], [3.0]])
    card = cluster_cards(found)[0]
    nothing = "No feature of it stands clear" if size else "No feature matters to it"
    assert nothing in cards.say_alike(card, K)
    leaning = replace(card, members=tuple(replace(m, pure=False) for m in card.members))
    assert "Too few tasks follow it alone" in cards.say_alike(leaning, K)
    assert "No feature" not in cards.say_alike(leaning, K)


def test_what_may_be_chance_or_is_small_is_no_features_own() -> None:
    found = planted([[3.0, 0.2, 0.0], [0.0, 0.0, 3.0], [0.0, 3.0, 0.0]], se=0.05)
    assert [d.feature for d in cluster_cards(found)[0].own] == ["x0"]  # 0.2 is small beside 3
    unsure = planted([[3.0, 1.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.1, 0.0]], se=0.6)
    assert [d.feature for d in cluster_cards(unsure)[0].own] == ["x0"]  # 1.0 is 1.7 errors


def test_drivers_are_found_among_the_coefficients_of_all_clusters() -> None:
    """Of 60 that do nothing one passes 3.3 standard errors in more than one fit of twenty."""
    found = planted([[3.0, 0.33], [0.0, 0.0], [0.0, 0.0]])
    card = cluster_cards(found)[0]
    assert card.n_searched == found.cluster_coef_.size
    assert "Driven by x0 (+3 ± 0.1)." in cards.say_alike(card, K)
    found.cluster_coef_[0, 1] = 0.36
    assert "and x1 (" in cards.say_alike(cluster_cards(found)[0], K)


def test_half_of_a_cluster_has_nothing_of_its_own() -> None:
    """Five tasks of one pattern in two clusters, as with too large a K, and five of another."""
    rng = np.random.default_rng(0)
    found, patterns = model(), np.eye(3, D)[[0] * 10 + [1] * 10]
    found.single_task_coef_ = patterns + 0.1 * rng.normal(size=patterns.shape)
    found.labels_ = np.repeat([0, 1, 2], [5, 5, 10])
    found.memberships_ = found.loadings_ = np.eye(3)[found.labels_]
    found.task_names_ = np.array([f"t{i:02d}" for i in range(20)])
    found.pure_, found.outliers_ = np.ones(20, dtype=bool), np.zeros(20, dtype=bool)
    found.strength_, found.own_share_, found.units_differ_ = np.ones(20), np.zeros(20), False
    found.cluster_coef_ = np.eye(3, D)[[0, 0, 1]] + np.eye(3, D)[[2, 1, 2]] * [[0.5], [0.0], [0.0]]
    found.cluster_coef_se_ = np.where(found.cluster_coef_ != 0, 0.1, np.nan)
    first, second, third = cluster_cards(found)
    assert (first.one_with, second.one_with, third.one_with) == ("cluster 2", "cluster 1", "")
    assert first.own == ()
    assert "It may be one with cluster 2" in cards.say_alike(first, 3)
    assert [d.feature for d in third.own] == ["x1"]


def test_tasks_that_only_lean_to_a_cluster_may_be_one_with_its_other_half() -> None:
    """Three tasks of a pattern are called mixed, and make up a cluster that has no pure one."""
    rng = np.random.default_rng(0)
    found, patterns = model(), np.eye(3, D)[[0] * 6 + [1] * 5]
    found.single_task_coef_ = patterns + 0.1 * rng.normal(size=patterns.shape)
    found.labels_ = np.repeat([0, 1, 2], [3, 3, 5])
    found.memberships_ = found.loadings_ = 0.8 * np.eye(3)[found.labels_] + 0.1
    found.task_names_ = np.array([f"t{i:02d}" for i in range(11)])
    found.pure_, found.outliers_ = np.arange(11) > 2, np.zeros(11, dtype=bool)
    found.strength_, found.own_share_, found.units_differ_ = np.ones(11), np.zeros(11), False
    found.cluster_coef_ = np.eye(3, D)[[2, 0, 1]]
    found.cluster_coef_se_ = np.where(found.cluster_coef_ != 0, 0.1, np.nan)
    first, second, third = cluster_cards(found)
    assert (first.one_with, second.one_with, third.one_with) == ("cluster 2", "cluster 1", "")
    assert (first.own, second.own) == ((), ())
    assert [d.feature for d in third.own] == ["x1"]


@pytest.mark.parametrize("is_clear", [True, False])
def test_a_gain_on_test_rows_may_be_chance(is_clear: bool) -> None:
    """Targets are what the fit says; or on every other row what separate fits say."""
    rows, found = small(STCMTLRegressor), model()
    y = predictions.predict_rows(found, rows)
    if not is_clear:
        y[1::2] = predictions.predict_alone(found, rows)[1::2]
    card = cluster_cards(found, rows, replace(rows, y=y))[0]
    assert bool(card.chance) is not is_clear
    assert ("less than with" in cards.say_fit(card)) is is_clear
    assert ("too few rows to tell" in cards.say_fit(card)) is not is_clear


def test_beside_a_task_that_may_be_one_of_its_own_nothing_is_a_clusters_own() -> None:
    card = replace(cluster_cards(planted([[3.0], [0.0], [0.0]]))[0], near_one="cluster 3")
    assert cards.say_why(card, K)[1] == (
        "Cluster 3, of one task, is too much like it to tell what is its own."
    )


def test_a_task_half_way_between_two_clusters_leans_to_neither() -> None:
    card = cluster_cards(model())[0]
    member = card.members[0]
    half = replace(member, name="half", pure=False, share=0.5, lead=0.01)
    most = replace(member, name="most", pure=False, share=0.6, lead=0.2)
    said = cards.say_who(replace(card, members=(half, most)))
    assert said == "most leans this way. half lies between this and others."
    assert cards.lead_of(np.array([0.3, 0.1, 0.6])) == pytest.approx(0.3)
    assert cards.lead_of(np.ones(1)) == 1.0


def test_a_task_that_is_mostly_its_own_is_not_told_to_be_alike() -> None:
    card = cluster_cards(model())[0]
    member = replace(card.members[0], pure=True)
    members = tuple(
        replace(member, name=name, own_share=share)
        for name, share in [("a", 0.1), ("b", 0.2), ("Rwanda", 0.65)]
    )
    found = replace(card, members=members)
    said = cards.say_who(found)
    assert said.startswith("a and b are ")
    assert said.endswith(" Rwanda is more its own than like the others.")
    assert cards.say_members(found) == "3 tasks, each with a part of its own of up to 65%"
    plain = replace(card, members=(members[0], replace(member, own_share=0.0)))
    assert cards.say_members(plain).endswith("of up to 10%")


def test_a_driver_reads_as_a_number_with_its_error() -> None:
    assert str(Driver("price", -2.5, 0.123, 0.0, 0.0)) == "price (−2.5 ± 0.12)"
    assert str(Driver("price", 2.5, float("nan"), 0.0, 0.0)) == "price (+2.5)"


def test_coefficients_are_on_the_scale_on_which_they_compare() -> None:
    found = model()
    found.units_differ_ = True
    found.feature_scale_ = np.arange(1.0, D + 1.0)
    largest = cluster_cards(found)[0].largest[0]
    assert largest.value == pytest.approx(
        (found.cluster_coef_[0] * found.feature_scale_)[int(largest.feature[1:])]
    )


@pytest.mark.parametrize("kind", [STCMTLRegressor, STCMTLClassifier])
def test_errors_are_those_of_its_members(kind: Any) -> None:
    rows = small(kind)
    found = fit(kind, rows)
    (card, *_) = cluster_cards(found, rows, rows)
    own = np.isin(rows.tasks, found.task_names_[found.labels_ == 0])
    predicted = found.predict(rows.X, rows.tasks)
    expected = metrics.prediction_error(rows.y[own], predicted[own], rows.task_type)
    assert card.error == pytest.approx(expected)
    i = np.searchsorted(found.task_names_, rows.tasks[own])
    values = (rows.X[own] * found.single_task_coef_[i]).sum(axis=1) + found.single_task_intercept_[
        i
    ]
    alone = values if kind is STCMTLRegressor else found.classes_[(values > 0).astype(int)]
    expected = metrics.prediction_error(rows.y[own], alone, rows.task_type)
    assert card.separate_error == pytest.approx(expected)
    assert cluster_cards(found, rows)[0].separate_error is None  # its own rows flatter it


def test_without_clusters_there_is_no_card_and_with_one_nothing_is_its_own() -> None:
    rows = small(STCMTLRegressor)
    assert cluster_cards(fit(STCMTLRegressor, rows, n_clusters=0, own="alone")) == []
    (card,) = cluster_cards(fit(STCMTLRegressor, rows, n_clusters=1))
    assert card.own == ()
    assert "Its own" not in cards.say_alike(card, 1)


def test_sentences_tell_alike_from_leaning_and_opposite() -> None:
    found = planted([[3.0], [0.0], [0.0]])
    found.task_names_ = np.array(list("abcdefghi"), dtype=object)
    found.labels_ = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    found.pure_ = np.array([1, 1, 0, 1, 1, 1, 1, 1, 1], dtype=bool)
    found.loadings_ = np.ones((9, K))
    found.loadings_[3] = -1.0
    said = cards.say_who(cluster_cards(found)[0])
    assert said == "a and b are alike. c leans this way. d reacts the other way round."


# An analyst's file


@cache
def stores(seed: int) -> tuple[TaskSet, TaskSet, Any]:
    stream = io.BytesIO(make_stores(seed).csv())
    stream.name = "stores.csv"
    train, test = datasets.split_rows(read(stream)[0], 0.75, random_state=0)
    return train, test, STCMTLRegressor(random_state=0).fit(train.X, train.y, train.tasks)


@pytest.mark.parametrize("seed", [0, 3])
def test_groups_of_stores_and_their_drivers_are_found(seed: int) -> None:
    train, test, found = stores(seed)
    shares = make_stores(seed).shares
    main = []
    for pure, drivers in zip((1.0, 0.0), DRIVERS.values(), strict=True):
        own = found.labels_[[shares[name] == pure for name in found.task_names_]]
        main.append(np.bincount(own).argmax())
        card = cluster_cards(found, train, test)[main[-1]]
        assert np.mean(own == main[-1]) > 0.9
        assert {d.feature for d in card.own[:2]} == set(drivers)
        for driver in card.own[:2]:
            assert abs(driver.value - drivers[driver.feature]) < 4 * driver.se
        assert card.error is not None
        assert card.separate_error is not None
        assert card.error < card.separate_error
    assert main[0] != main[1]


def test_nothing_is_a_clusters_own_where_no_other_has_a_task() -> None:
    found = planted([[3.0], [0.0], [0.0]])
    found.labels_ = np.zeros_like(found.labels_)
    found.memberships_ = np.eye(K)[found.labels_]
    card = cluster_cards(found)[0]
    assert card.is_alone
    assert card.own == ()
    assert cards.say_why(card, K) == [f"Driven by {card.largest[0]}."]
