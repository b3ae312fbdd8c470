"""What was chosen, in words that follow from the candidates."""

from dataclasses import replace

import numpy as np
import pytest

from stcmtl.evaluation.choices import (
    choices_table,
    measure_behind,
    name_choice,
    one_is_open,
    say_comparisons,
    say_taken,
)
from stcmtl.solver.records import Choice

Kind = tuple[int, str, str]


def candidates(errors: dict[Kind, float], taken: Kind) -> list[Choice]:
    """Ranked, with RMSEs that are the roots of their losses."""
    ranked = sorted(errors.items(), key=lambda item: item[1])
    best = ranked[0][1]
    return [
        Choice(*kind, error, 0.01, (error / best) ** 2 - 1.0, 0.02, rank, kind == taken, "why")
        for rank, (kind, error) in enumerate(ranked, start=1)
    ]


def only(*kind: object) -> list[Choice]:
    return [Choice(*kind, 1.0, 0.1, 0.0, 0.0, 1, True, "taken")]  # type: ignore[arg-type]


def test_clusters_that_stay_empty_are_not_spoken_for() -> None:
    (taken,) = only(7, "simplex", "none")
    other = replace(taken, n_clusters=5, rank=2, taken=False, behind=0.5)
    assert say_taken([taken, other], n_empty=2) == (
        "The data speak for 5 clusters (7 were fitted, 2 are empty): tasks belong to one or mix "
        "them"
    )
    assert say_taken([taken, other], n_empty=6) == (
        "The data lean to one cluster (7 were fitted, 6 are empty)"
    )
    assert "empty" not in say_taken([taken, other])


@pytest.mark.parametrize(
    ("kind", "name", "sentence"),
    [
        ((0, "simplex", "alone"), "Every task on its own", "do not cluster: each is predicted"),
        ((1, "simplex", "none"), "One pattern for all tasks", "do not cluster: one pattern serves"),
        ((1, "cone", "none"), "One pattern, with a strength", "all, each with its own strength"),
        (
            (1, "simplex", "deviation"),
            "and a deviation of each",
            "each with a deviation of its own",
        ),
        ((3, "simplex", "none"), "3 clusters, mixtures", "3 clusters: tasks belong to one or mix"),
        ((3, "cone", "none"), "3 clusters, mixtures with strengths", "each with its own strength"),
        ((2, "span", "none"), "2 patterns that can be subtracted", "tasks add up or subtract"),
        (
            (2, "span", "deviation"),
            "and a deviation of each task",
            "and a deviation of each task's",
        ),
    ],
)
def test_every_outcome_has_a_name_and_a_sentence(kind: Kind, name: str, sentence: str) -> None:
    (choice,) = only(*kind)
    assert name in name_choice(choice)
    other = replace(choice, n_clusters=choice.n_clusters + 5, rank=2, taken=False)
    assert sentence in say_taken([choice, other])
    assert say_taken([choice]).startswith("As asked")  # where no other number was tried
    assert ("strengths" in name_choice(choice)) == ("strengths" in name)


def test_names_tell_all_candidates_apart() -> None:
    kinds = [
        (k, s, o)
        for k in (1, 2)
        for s in ("simplex", "cone", "span")
        for o in ("none", "deviation")
    ]
    names = [name_choice(only(*kind)[0]) for kind in [(0, "simplex", "alone"), *kinds]]
    assert len(set(names)) == 13


def test_what_others_gain_is_told_in_per_cent_of_the_error() -> None:
    errors = {
        (3, "simplex", "none"): 1.0,
        (3, "cone", "none"): 0.96,
        (3, "span", "none"): 0.98,
        (3, "cone", "deviation"): 0.9601,
        (0, "simplex", "alone"): 1.2,
    }
    found = candidates(errors, (3, "cone", "none"))
    assert say_comparisons(found, "RMSE") == (
        "Clusters with strengths predict 4% better than plain mixtures; patterns that can be "
        "subtracted 2% better; beside the best without it, a part of each task's own gains "
        "nothing; fitted alone, tasks are predicted 25% worse."
    )


def test_a_lead_over_what_was_taken_is_no_more_than_chance() -> None:
    errors = {
        (1, "simplex", "none"): 1.0,
        (2, "simplex", "none"): 0.9,
        (0, "simplex", "alone"): 1.1,
    }
    found = candidates(errors, (1, "simplex", "none"))
    said = say_comparisons(found, "RMSE")
    assert said.startswith("More clusters predict 10% better, by no more than chance could;")
    assert said.endswith("fitted alone, tasks are predicted 10% worse.")


def test_tasks_on_their_own_for_simplicity_are_not_called_best() -> None:
    errors = {(0, "simplex", "alone"): 1.0, (2, "simplex", "none"): 0.99}
    found = candidates(errors, (0, "simplex", "alone"))
    assert say_taken(found) == "These tasks do not cluster: what sharing gains may be chance"
    assert say_comparisons(found, "RMSE").endswith(
        "predicts 1% better, by no more than chance could."
    )


def test_beside_tasks_on_their_own_stands_the_best_that_they_could_share() -> None:
    errors = {(0, "simplex", "alone"): 1.0, (2, "span", "none"): 1.1, (1, "simplex", "none"): 2.0}
    found = candidates(errors, (0, "simplex", "alone"))
    assert say_comparisons(found, "RMSE") == (
        "The best of what tasks could share: 2 patterns that can be subtracted. It predicts 10% "
        "worse."
    )


def test_nothing_to_compare_is_not_compared() -> None:
    assert say_comparisons(only(0, "simplex", "alone"), "RMSE") == ""
    assert say_comparisons(only(3, "simplex", "none"), "RMSE") == ""


def test_behind_is_the_root_of_a_squared_loss_and_the_log_loss_as_it_is() -> None:
    choice = Choice(2, "simplex", "none", 1.1, 0.1, 0.21, 0.022, 2, False, "why")
    assert measure_behind(choice, "RMSE") == pytest.approx((0.1, 0.01))
    assert measure_behind(choice, "error rate") == (0.21, 0.022)


def test_what_the_best_of_many_gains_by_being_picked_speaks_for_nothing() -> None:
    """However steady: 0.8 % of a squared loss at 0.25 % was seen in noise."""
    taken = Choice(2, "simplex", "none", 1.0, 0.01, 0.0, 0.0, 1, True, "taken")
    for behind, speaks in ((0.008, False), (0.02, True)):
        one = Choice(1, "simplex", "none", 1.0, 0.01, behind, 0.0025, 2, False, "why")
        assert say_taken([taken, one]).startswith("The data speak for") is speaks


def test_the_table_has_a_row_for_each() -> None:
    errors = {(1, "simplex", "none"): 1.0, (2, "cone", "none"): 0.8}
    found = candidates(errors, (2, "cone", "none"))
    table = choices_table(found, "RMSE")
    assert table["what"].tolist() == [name_choice(choice) for choice in found]
    np.testing.assert_allclose(table["held-out RMSE"], [0.8, 1.0])
    np.testing.assert_allclose(table["behind the best, %"], [0.0, 25.0], atol=1e-9)


@pytest.mark.parametrize(
    ("several", "se", "is_open"),
    [
        (1.59, 0.06, True),  # as good, and chance leaves room for a gain that matters
        (1.61, 0.001, False),  # as good, and no room
        (1.80, 0.06, False),  # worse
    ],
)
def test_one_pattern_is_not_told_to_be_all_where_several_may_be_as_good(
    several: float, se: float, is_open: bool
) -> None:
    one, more = (1, "simplex", "none"), (3, "simplex", "none")
    found = [replace(c, behind_se=se) for c in candidates({one: 1.6, more: several}, one)]
    assert one_is_open(found) is is_open
    said = say_taken(found)
    assert ("too few or too noisy to tell it from several" in said) is is_open
    assert ("do not cluster" in said) is not is_open
    assert not one_is_open(only(*one))
    assert not one_is_open([replace(c, taken=not c.taken) for c in found])
