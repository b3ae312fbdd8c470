"""The paper's numbers, all there and marked where they fail; and ours beside them."""

from math import sqrt

import numpy as np
import pytest

from stcmtl.paper import SYNTHETIC, table
from stcmtl.paper.results import read_shipped
from stcmtl.paper.table import cells, reasons
from tests.unit.cases import together
from tests.unit.paper.tiny import run_of

ALL = cells().values()

RUNS = [
    run_of("sparse-200", "LASSO", 0.66, 0.68, ree=0.03, mcc=0.4, mcc_exact=0.3, seconds=2.0),
    run_of("sparse-200", "STCMTL refined", 0.5, 0.52, ree=0.0035, mcc=0.9, mcc_exact=0.8),
    run_of("sparse-200", "oracle", 0.5, ree=0.003, mcc=1.0, mcc_exact=1.0),
]


def test_every_cell_of_tables_2_to_6_is_there_once() -> None:
    counts = {table: sum(cell.table == table for cell in ALL) for table in range(2, 7)}
    # 4 settings x 3 measures x 6 methods; x 3 x 2; 4 x 6; 4 x 2; 2 x 3 x 3
    assert counts == {2: 72, 3: 24, 4: 24, 5: 8, 6: 18}
    assert len(ALL) == sum(counts.values())  # no cell has taken another's place


@together(
    ("setting", "method", "measure", "mean", "sd"),
    [
        ("sparse-200", "STCMTL", "RMSE", 0.510, 0.005),
        ("dense-600", "VSTG-MTL", "MCC", 0.542, 0.084),
        ("sparse-600", "CMTL", "REE", 0.027, 0.000),
        ("sparse-200", "VSTG-MTL", "seconds", 4448.7, 308.2),
        ("dense-600", "STCMTL", "updating V", 2.9, 0.2),
        ("school", "Trace", "RMSE", 12.210, 0.053),
        ("usps", "FLARCC", "error rate", 0.184, 0.012),
        ("isolet", "VSTG-MTL", "seconds", 50029.8, 3657.7),
        ("outliers-200", "LASSO", "REE", 0.125, 0.001),
    ],
)
def test_cells_as_printed(setting: str, method: str, measure: str, mean: float, sd: float) -> None:
    cell = cells()[setting, method, measure]
    assert (cell.mean, cell.sd) == (mean, sd)


def test_ranges_and_usual_marks() -> None:
    usual = {"RMSE": "noise", "REE": "definition", "MCC": "threshold", "seconds": "machine"}
    for cell in ALL:
        assert 0 <= cell.sd < cell.mean
        assert cell.mean < 1 or cell.measure not in ("MCC", "error rate")
        if cell.setting in SYNTHETIC and cell.measure in usual:
            assert cell.marks[0] == usual[cell.measure]
        if cell.table == 4:
            assert cell.marks == ()


def test_every_mark_has_a_reason_of_one_sentence_and_is_used() -> None:
    assert {mark for cell in ALL for mark in cell.marks} | {"apart"} == set(reasons())
    for reason in reasons().values():
        assert reason.endswith(".")
        assert ". " not in reason


def test_contradictions_are_where_the_arithmetic_fails() -> None:
    """REE off by more than a tenth from what its RMSE implies, beyond rounding."""
    failing, marked = set(), set()
    for cell in ALL:
        if cell.measure != "REE":
            continue
        D = int(cell.setting.split("-")[1])
        rmse = cells()[cell.setting, cell.method, "RMSE"]
        implied = sqrt((rmse.mean**2 - 0.5**2) / D)
        if abs(implied - cell.mean) > 0.1 * cell.mean + 0.0005:
            failing.add((cell.setting, cell.method))
        if "contradiction" in cell.marks:
            marked.add((cell.setting, cell.method))
    assert marked == failing
    assert {("sparse-600", "STCMTL"), ("dense-600", "STCMTL")} <= marked
    assert len(marked) == 9


@together("setting", SYNTHETIC)
def test_the_printed_definition_and_noise_cannot_be(setting: str) -> None:
    """With ``/ sqrt(T)`` the excess of RMSE^2 over the noise would be REE^2 itself; and noise of
    variance 0.5 alone has an RMSE of 0.707.
    """
    rmse, ree = (cells()[setting, "LASSO", name].mean for name in ("RMSE", "REE"))
    assert rmse**2 - 0.25 > 45 * ree**2
    assert cells()[setting, "STCMTL", "RMSE"].mean < sqrt(0.5)


# Side by side


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
        "RMSE 0.510 by STCMTL refined, which is ours, 0.510 printed in the paper, 0.500 by an "
        "oracle"
    )
    own = [run_of("digits-40", "STCMTL refined", 0.04)]
    assert table.headline("digits-40", own) == ("Error rate 0.040 by STCMTL refined, which is ours")
    assert table.headline("school", []).endswith("STCMTL refined was not run")
    both = [run_of("outliers-100", f"STCMTL {kind}", 0.6) for kind in ("paper", "robust")]
    assert table.headline("outliers-100", both).startswith(
        "RMSE 0.600 by STCMTL robust, which is ours, 0.600 by the paper's algorithm run again"
    )


@pytest.mark.parametrize(
    ("method", "error", "is_marked"),
    [
        ("LASSO", 0.0819, True),
        ("LASSO", 0.19, False),
        ("LASSO", 0.26, True),
        ("STCMTL refined", 0.03, False),  # another method than the paper's
    ],
)
def test_an_error_far_from_the_printed_one_is_marked(
    method: str, error: float, is_marked: bool
) -> None:
    shown = table.side_by_side("mnist", [run_of("mnist", method, error)], "error rate")
    marks = shown.set_index("method").loc[method, "marks"]
    assert ("apart" in marks) is is_marked
    assert ("apart" in table.explain_marks(shown)) is is_marked


def test_the_shipped_lasso_on_digits_is_marked() -> None:
    shown = table.side_by_side("mnist", read_shipped("mnist"), "error rate").set_index("method")
    assert shown.loc["LASSO", "ratio"] < 0.5
    assert shown.loc["LASSO", "marks"] == "apart"
    assert "apart" not in shown.loc["VSTG-MTL", "marks"]


def test_where_the_paper_has_it() -> None:
    assert table.cite_table("sparse-200", "REE") == (
        "Table 2 of the paper. Synthetic tasks: RMSE, REE and MCC."
    )
    assert table.cite_table("digits-40", "error rate") == ""


@together(("refined", "lasso", "pooled", "says"), [
        # a tenth lower each time
        ([0.09, 0.18], [0.10, 0.19], [0.5, 0.5], "helps here: error rate 0.135 against 0.145 of "
         "one fit per task (LASSO), 6.9% lower over 2 repetitions."),
        # lower in the mean, but not steadily
        ([0.09, 0.11], [0.12, 0.10], [0.5, 0.5], "may help here, or it is chance: error rate 0.1 "
         "against 0.11 of one fit per task (LASSO), 9.1% lower over 2 repetitions."),
        # steady, and too little to matter
        ([0.199, 0.299], [0.2, 0.3], [0.5, 0.5], "does not help here: error rate 0.249 against "
         "0.25 of one fit per task (LASSO), 0.4% lower over 2 repetitions."),
        ([0.20001], [0.2], [0.5], "does not help here: error rate 0.2 against 0.2 of one fit per "
         "task (LASSO), the same to 0.1% over 1 repetition."),
        # one model for all is the bar where it is the better of the two
        ([10.05], [10.4], [10.0], "does not help here: error rate 10.05 against 10 of one model "
         "for all tasks (Pooled), 0.5% higher over 1 repetition."),
    ])  # fmt: skip
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
