"""What a comparison says, on errors that leave no doubt about it."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import verdicts
from stcmtl.comparison import Outcome


def results(**errors: list[float]) -> dict[str, list[Outcome]]:
    def outcome(method: str, error: float) -> Outcome:
        return Outcome(method, error, None, None, 1.0, np.zeros((1, 1)), None)

    return {method: [outcome(method, e) for e in column] for method, column in errors.items()}


CLEAR = results(A=[0.50, 0.60, 0.70], B=[0.60, 0.71, 0.82], LASSO=[0.9, 0.9, 0.9])
CLOSE = results(A=[0.50, 0.60, 0.70], B=[0.60, 0.50, 0.74], LASSO=[0.9, 0.9, 0.9])
TIED = results(A=[0.5, 0.7], B=[0.5, 0.7])


def test_a_lead_is_paired_by_repetition() -> None:
    """Rows differ more than methods do: A leads on each of them."""
    ahead = verdicts.lead(CLEAR["A"], CLEAR["B"])
    assert (ahead.size, ahead.spread) == (pytest.approx(0.11), pytest.approx(0.01))
    assert ahead.is_clear
    assert not verdicts.lead(CLOSE["A"], CLOSE["B"]).is_clear
    assert not verdicts.lead(TIED["A"], TIED["B"]).is_clear


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            CLEAR,
            "A predicts best: its test RMSE of 0.6 is 0.11 below that of B, more than that "
            "differs between repetitions (0.01)",
        ),
        (
            CLOSE,
            "A and B predict best, with a test RMSE of 0.6: none leads by more than the spread",
        ),
        (
            TIED,
            "No clear winner: the best has a test RMSE of 0.6, and no lead exceeds its spread",
        ),
        (
            results(A=[0.5], B=[0.4]),
            "B predicts best on these rows, with a test RMSE of 0.4",
        ),
        (
            results(A=[0.5, 0.5]),
            "A has a test RMSE of 0.5: pick another method to compare it with",
        ),
    ],
)
def test_the_headline_follows_the_errors(found: dict, sentence: str) -> None:
    assert verdicts.headline(found, "RMSE") == sentence


def test_who_does_not_help_is_named() -> None:
    found = results(A=[0.8, 0.9], CMTL=[1.0, 1.1], LASSO=[1.2, 1.3], Pooled=[1.0, 1.1])
    assert verdicts.remarks(found, "RMSE") == [
        "CMTL does not help here: one model for all tasks (Pooled: RMSE 1.05) is not beaten by "
        "more than the spread over 2 repetitions."
    ]
    assert verdicts.remarks(results(A=[0.8, 0.9], LASSO=[1.0, 1.1]), "RMSE") == []
    assert verdicts.remarks(results(A=[0.8, 0.9], B=[1.0, 1.1]), "RMSE") == []


def test_of_one_repetition_the_lead_is_told_without_a_spread() -> None:
    found = results(A=[0.5], B=[0.4], LASSO=[0.45])
    lead, idle = verdicts.remarks(found, "RMSE")
    assert lead.startswith("It leads LASSO by 0.05; whether that is more than chance")
    assert idle == "A does not help here: every task fitted alone (LASSO: RMSE 0.45) is not beaten."


def test_all_are_compared_over_the_repetitions_they_share() -> None:
    found = verdicts.common(results(A=[0.1, 0.2, 0.3], B=[0.4, 0.5]))
    assert [[o.error for o in outcomes] for outcomes in found.values()] == [[0.1, 0.2], [0.4, 0.5]]
    assert verdicts.common({}) == {}
