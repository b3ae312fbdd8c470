"""What a comparison says, on errors that leave no doubt about it."""

import warnings

import numpy as np
import pytest
from scipy.stats import sem

from stcmtl.evaluation import verdicts
from stcmtl.evaluation.comparison import Outcome
from stcmtl.evaluation.verdicts import measure_lead


def results(**errors: list[float]) -> dict[str, list[Outcome]]:
    def outcome(method: str, error: float) -> Outcome:
        return Outcome(method, error, None, None, 1.0, np.zeros((1, 1)), None)

    return {method: [outcome(method, e) for e in column] for method, column in errors.items()}


CLEAR = results(A=[0.50, 0.60, 0.70], B=[0.60, 0.71, 0.82], LASSO=[0.9, 0.9, 0.9])
CLOSE = results(A=[0.50, 0.60, 0.70], B=[0.60, 0.50, 0.74], LASSO=[0.9, 0.9, 0.9])
TIED = results(A=[0.5, 0.7], B=[0.5, 0.7])


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (CLEAR, "A predicts best: its test RMSE of 0.6 is 0.11 ± 0.006 below that of B"),
        (CLOSE, "A has the lowest test RMSE of 0.6; its lead over B may be chance"),
        (TIED, "No winner: A and B share the lowest test RMSE of 0.6"),
        (
            results(A=[0.5, 0.7], B=[0.6, 0.64]),
            "No clear winner: A has the lowest test RMSE of 0.6, which may be chance",
        ),
        (results(A=[0.5], B=[0.4]), "B predicts best on these rows, with a test RMSE of 0.4"),
        (results(A=[0.5, 0.5]), "A has a test RMSE of 0.5: pick another method to compare it with"),
    ],
)
def test_the_headline_follows_the_errors(found: dict, sentence: str) -> None:
    assert verdicts.headline(found, "RMSE") == sentence


def test_a_lead_may_be_chance_over_whoever_varies() -> None:
    """B is nearer than C, and always behind; C varies, so that its distance may be chance."""
    found = results(A=[0.5, 0.5, 0.5], B=[0.55, 0.551, 0.549], C=[0.4, 0.6, 0.7])
    assert verdicts.rank_methods(found) == ["A", "B", "C"]
    assert verdicts.find_equals(found) == ["C"]


def test_who_does_not_help_is_named() -> None:
    found = results(A=[0.8, 0.9], CMTL=[1.0, 1.1], LASSO=[1.2, 1.3], Pooled=[1.0, 1.1])
    assert verdicts.remarks(found, "RMSE") == [
        "CMTL and LASSO do not help here: none is clearly better (by 2%, and beyond chance over 2 "
        "repetitions) than one model for all tasks (Pooled: RMSE 1.05)."
    ]
    assert verdicts.remarks(results(A=[0.8, 0.9], LASSO=[1.0, 1.1]), "RMSE") == []
    assert verdicts.remarks(results(A=[0.8, 0.9], B=[1.0, 1.1]), "RMSE") == []


def test_of_one_repetition_the_lead_is_told_without_a_spread() -> None:
    found = results(A=[0.5], B=[0.4], LASSO=[0.45])
    lead, idle = verdicts.remarks(found, "RMSE")
    assert lead.startswith("B leads LASSO by 0.05; whether that is more than chance")
    assert idle == (
        "A does not help here: it is not clearly better (by 2%) than one fit per task (LASSO: RMSE "
        "0.45)."
    )


def test_all_are_compared_over_the_repetitions_they_share() -> None:
    found = verdicts.keep_common(results(A=[0.1, 0.2, 0.3], B=[0.4, 0.5]))
    assert [[o.error for o in outcomes] for outcomes in found.values()] == [[0.1, 0.2], [0.4, 0.5]]
    assert verdicts.keep_common({}) == {}


# Leads are paired by repetition, and tell chance from help

ROWS = np.array([0.5, 0.7, 0.9, 0.6])  # repetitions differ more than methods do


def test_size_share_and_standard_error() -> None:
    other = ROWS + np.array([0.10, 0.12, 0.11, 0.09])
    ahead = measure_lead(ROWS, other)
    assert ahead.size == pytest.approx(0.105)
    assert ahead.share == pytest.approx(0.105 / other.mean())
    assert ahead.chance == pytest.approx(sem(other - ROWS))


@pytest.mark.parametrize(
    ("gains", "clear", "worth"),
    [
        ([0.10, 0.12, 0.11, 0.09], True, True),
        ([0.30, -0.10, 0.25, -0.05], False, True),  # within chance
        ([0.002, 0.003, 0.002, 0.002], True, False),  # steady, and too little to matter
        ([-0.10, -0.12, -0.11, -0.09], False, False),
        ([0.0, 0.0, 0.0, 0.0], False, False),
    ],
)
def test_help_is_clear_and_worth_it(gains: list[float], clear: bool, worth: bool) -> None:
    ahead = measure_lead(ROWS, ROWS + gains)
    assert (ahead.is_clear, ahead.is_worth) == (clear, worth)
    assert ahead.helps == (clear and worth)


def test_there_is_no_lead_over_one_that_never_errs() -> None:
    ahead = measure_lead(np.array([0.1, 0.0]), np.zeros(2))
    assert (ahead.share, ahead.helps) == (0.0, False)


def test_one_repetition_makes_nothing_clear() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ahead = measure_lead(np.array([0.5]), np.array([1.0]))
    assert ahead.share == 0.5
    assert np.isnan(ahead.chance)
    assert not ahead.helps


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ({"clusters": 0.5, "LASSO": 0.6, "Pooled": 0.7}, ""),
        (
            {"clusters": 1.09, "LASSO": 1.0, "Pooled": 1.5},
            "4 clusters do not help here: the error is 9% above that of one fit per task. RMSE on "
            "1,200 rows that no fit has seen: 1.09 with 4 clusters, 1 with one fit per task, 1.5 "
            "with one model for all tasks.",
        ),
        (
            {"clusters": 0.999, "LASSO": 1.4, "Pooled": 1.0},
            "4 clusters do not help here. RMSE on 1,200 rows that no fit has seen: 0.999 with 4 "
            "clusters, 1.4 with one fit per task, 1 with one model for all tasks.",
        ),
        (
            {"clusters": 1.0, "LASSO": 0.5, "Pooled": None},
            "4 clusters do not help here: the error is 100% above that of one fit per task. RMSE "
            "on 1,200 rows that no fit has seen: 1 with 4 clusters, 0.5 with one fit per task.",
        ),
        ({"clusters": None, "LASSO": 0.5, "Pooled": 0.5}, ""),
        ({"clusters": 0.7}, ""),
    ],
)
def test_clusters_that_do_not_help(errors: dict[str, float | None], said: str) -> None:
    assert verdicts.say_no_help(4, errors, "RMSE", 1200) == said
    assert verdicts.say_no_help(0, errors, "RMSE", 1200) == ""


def test_one_pattern_is_one_model_for_all_and_need_not_beat_it() -> None:
    errors = {"clusters": 0.94, "LASSO": 1.27, "Pooled": 0.95}
    assert verdicts.say_no_help(1, errors, "RMSE", 100) == ""
    assert verdicts.say_no_help(2, errors, "RMSE", 100).startswith("2 clusters do not help here.")
    worse = verdicts.say_no_help(1, errors | {"clusters": 1.1}, "RMSE", 100)
    assert "16% above that of one model for all tasks" in worse


def test_one_pattern_and_labels_have_their_words() -> None:
    errors = {"clusters": 0.21, "LASSO": 0.2, "Pooled": 0.3}
    assert verdicts.say_no_help(1, errors, "error rate", 1) == (
        "One pattern does not help here: the error is 5% above that of one fit per task. Error "
        "rate on 1 row that no fit has seen: 21.0% with 1 cluster, 20.0% with one fit per task, "
        "30.0% with one model for all tasks."
    )


@pytest.mark.parametrize("worse", [0.0, 1e-9])
def test_the_bounds_of_help(worse: float) -> None:
    """A fiftieth below separate fits; one pattern may err a fiftieth more than one for all."""
    just = {"clusters": 0.98 * 0.5 - 1e-9 + 2 * worse, "LASSO": 0.5, "Pooled": 0.7}
    assert bool(verdicts.say_no_help(3, just, "RMSE", 9)) is bool(worse)
    one = {"clusters": 1.02 * 0.5 + worse, "LASSO": 0.7, "Pooled": 0.5}
    assert bool(verdicts.say_no_help(1, one, "RMSE", 9)) is bool(worse)
    # where there is nothing else to go by, one pattern is held against what there is
    assert verdicts.say_no_help(1, {"clusters": 0.5, "Pooled": 0.5}, "RMSE", 9)


def test_a_simple_way_that_never_errs_is_not_told_as_a_share() -> None:
    said = verdicts.say_no_help(2, {"clusters": 0.1, "LASSO": 0.0}, "error rate", 9)
    assert said.startswith("2 clusters do not help here. Error rate on 9 rows")


def test_features_that_say_nothing() -> None:
    assert verdicts.say_no_signal(None, 1.0, "RMSE", 9) == ""
    assert verdicts.say_no_signal(2.0 * 0.98 - 1e-9, 2.0, "RMSE", 9) == ""
    assert verdicts.say_no_signal(1.96, 2.0, "RMSE", 9)
    assert verdicts.say_no_signal(1.97, 2.0, "RMSE", 9) == (
        "The features say next to nothing here: guessing each task's level predicts as well. RMSE "
        "on 9 rows that no fit has seen: 1.97 with this fit, 2 by guessing."
    )
    assert "each task's commonest label" in verdicts.say_no_signal(
        0.4, 0.4, "error rate", 9, labels=True
    )


@pytest.mark.parametrize(
    ("error", "other", "said"),
    [
        (0.5, 0.8, "38% less than with others (0.8)"),
        (1.2, 0.8, "50% more than with others (0.8)"),
        (0.80001, 0.8, "as with others"),
        (0.803, 0.8, "about as with others (0.8)"),
        (0.794, 0.8, "1% less than with others (0.8)"),
        (0.5, 0.0, "against 0 with others"),
    ],
)
def test_an_error_beside_another(error: float, other: float, said: str) -> None:
    assert verdicts.say_beside(error, other, "RMSE", "others") == said


@pytest.mark.parametrize(("chance", "clear"), [(0.05, False), (0.0499, True)])
def test_a_lead_is_clear_beyond_two_standard_errors(chance: float, clear: bool) -> None:
    assert verdicts.Lead(0.1, 0.5, chance).is_clear is clear


@pytest.mark.parametrize(("share", "worth"), [(0.02, False), (0.0201, True)])
def test_a_lead_is_worth_it_beyond_a_fiftieth(share: float, worth: bool) -> None:
    assert verdicts.Lead(0.1, share, 0.0).is_worth is worth


@pytest.mark.parametrize(
    ("gain", "reach", "measure", "said"),
    [
        (0.2, 0.1, "RMSE", ""),
        (0.02, 0.1, "RMSE", verdicts.TOO_FEW),  # up to 12% of the loss
        (0.005, 0.01, "RMSE", verdicts.NO_MATTER),  # at most 1.5%, of an RMSE half as much
        (0.03, 0.0301, "error rate", verdicts.TOO_FEW),
    ],
)
def test_what_is_not_clear_need_not_be_nothing(
    gain: float, reach: float, measure: str, said: str
) -> None:
    assert verdicts.name_chance(gain, reach, 1.0, measure) == said
