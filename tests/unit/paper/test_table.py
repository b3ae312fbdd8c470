"""The paper beside ours: ratios, the oracle, marks, and sentences that follow the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.paper import table
from stcmtl.paper.results import read_shipped
from tests.unit.paper.tiny import run_of

RUNS = [
    run_of("sparse-200", "LASSO", 0.66, 0.68, ree=0.03, mcc=0.4, mcc_exact=0.3, seconds=2.0),
    run_of("sparse-200", "STCMTL refined", 0.5, 0.52, ree=0.0035, mcc=0.9, mcc_exact=0.8),
    run_of("sparse-200", "oracle", 0.5, ree=0.003, mcc=1.0, mcc_exact=1.0),
]


def test_side_by_side() -> None:
    shown = table.side_by_side("sparse-200", RUNS, "RMSE").set_index("method")
    paper = ["LASSO", "CMTL", "Trace", "FLARCC", "VSTG-MTL"]
    assert list(shown.index) == [*paper, "STCMTL refined"]
    lasso, refined = shown.loc["LASSO"], shown.loc["STCMTL refined"]
    assert (lasso["paper"], lasso["paper sd"]) == (0.659, 0.015)
    assert lasso["ours"] == pytest.approx(0.67)
    assert lasso["ours sd"] == pytest.approx(0.02 / np.sqrt(2))
    assert lasso["ratio"] == pytest.approx(0.67 / 0.659)
    assert refined["ratio"] == pytest.approx(0.51 / 0.510)
    assert (shown["oracle"] == 0.5).all()
    assert np.isnan(shown.loc["CMTL", "ours"])
    assert shown.loc["CMTL", "repetitions"] == 0


def test_exact_zeros_have_no_counterpart_in_the_paper() -> None:
    shown = table.side_by_side("sparse-200", RUNS, "MCC, exact zeros").set_index("method")
    assert list(shown["ours"]) == [0.3, 0.8]
    assert shown["paper"].isna().all()


def test_marks_and_their_reasons() -> None:
    shown = table.side_by_side("sparse-200", RUNS, "REE").set_index("method")
    assert shown.loc["VSTG-MTL", "marks"] == "definition, contradiction"
    assert shown.loc["STCMTL refined", "marks"] == "definition"
    assert list(table.explain_marks(shown)) == ["definition", "contradiction"]


def test_without_runs_the_paper_stands_alone() -> None:
    shown = table.side_by_side("school", [], "RMSE")
    assert list(shown["paper"]) == [10.638, 10.564, 12.210, 10.771, 10.020, 10.075]
    assert shown["ours"].isna().all()


def test_headlines() -> None:
    assert table.headline("sparse-200", RUNS) == (
        "STCMTL refined reaches RMSE 0.510, the paper's 0.510, the oracle 0.500"
    )
    own = [run_of("digits-40", "STCMTL refined", 0.04)]
    assert table.headline("digits-40", own) == "STCMTL refined reaches error rate 0.040"
    assert table.headline("school", []).endswith("STCMTL refined was not run")
    both = [run_of("outliers-100", f"STCMTL {kind}", 0.6) for kind in ("paper", "robust")]
    assert table.headline("outliers-100", both).startswith("STCMTL robust reaches RMSE 0.600")


def test_where_the_paper_has_it() -> None:
    assert table.cite_table("sparse-200", "REE") == (
        "Table 2 of the paper. Synthetic tasks: RMSE, REE and MCC."
    )
    assert table.cite_table("digits-40", "error rate") == ""


@pytest.mark.parametrize(
    ("refined", "lasso", "pooled", "says"),
    [
        # a tenth lower each time
        ([0.09, 0.18], [0.10, 0.19], [0.5, 0.5], "helps here: error rate 0.135 against 0.145 of "
         "one fit per task (LASSO), 6.9% lower over 2 repetitions."),
        # lower in the mean, but not steadily
        ([0.09, 0.11], [0.12, 0.10], [0.5, 0.5], "may help here, or it is chance: error rate 0.1 "
         "against 0.11 of one fit per task (LASSO), 9.1% lower over 2 repetitions."),
        # steady, and too little to matter
        ([0.199, 0.299], [0.2, 0.3], [0.5, 0.5], "does not help here: error rate 0.249 against "
         "0.25 of one fit per task (LASSO), 0.4% lower over 2 repetitions."),
        # one model for all is the bar where it is the better of the two
        ([10.05], [10.4], [10.0], "does not help here: error rate 10.05 against 10 of one model "
         "for all tasks (Pooled), 0.5% higher over 1 repetition."),
    ],
)  # fmt: skip
def test_verdicts(refined: list[float], lasso: list[float], pooled: list[float], says: str) -> None:
    runs = [
        run_of("mnist", method, *errors)
        for method, errors in (("STCMTL refined", refined), ("LASSO", lasso), ("Pooled", pooled))
    ]
    assert table.verdict("mnist", runs) == f"Semisoft clustering {says}"


@pytest.mark.parametrize(
    ("trace", "says"),
    [
        ([0.06, 0.06], " Trace does better than both: 0.06."),
        ([0.05, 0.09], " Trace may do better: 0.07."),
        ([0.08, 0.09], ""),
    ],
)
def test_a_method_that_does_better_is_named(trace: list[float], says: str) -> None:
    errors = {"STCMTL refined": [0.08, 0.08], "LASSO": [0.1, 0.1], "CMTL": [0.09, 0.09]}
    runs = [run_of("mnist", m, *e) for m, e in {**errors, "Trace": trace}.items()]
    verdict = table.verdict("mnist", runs)
    assert verdict is not None
    assert verdict.endswith(f"20.0% lower over 2 repetitions.{says}")


def test_one_cluster_every_time_is_said() -> None:
    said = table.verdict("school", read_shipped("school"))
    assert said is not None
    assert "Cross-validation chose K = 1 every time: no clusters." in said
    assert "K = 1" not in str(table.verdict("usps", read_shipped("usps")))


def test_where_there_are_outliers_the_robust_method_counts() -> None:
    errors = {"STCMTL refined": 0.9, "STCMTL robust": 0.5, "LASSO": 0.6}
    runs = [run_of("outliers-100", method, error, error) for method, error in errors.items()]
    said = table.verdict("outliers-100", runs)
    assert said is not None
    assert said.startswith("Semisoft clustering helps here: RMSE 0.5 against 0.6")


def test_no_verdict_without_both_sides() -> None:
    assert table.verdict("mnist", [run_of("mnist", "LASSO", 0.1)]) is None
    assert table.verdict("mnist", [run_of("mnist", "STCMTL refined", 0.1)]) is None
