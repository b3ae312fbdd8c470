"""The paper's numbers: all there, and marked where their own arithmetic fails."""

from __future__ import annotations

from math import sqrt

import pytest

from stcmtl.paper import SYNTHETIC, numbers

ALL = numbers.cells().values()


def test_every_cell_of_tables_2_to_6_is_there_once() -> None:
    counts = {table: sum(cell.table == table for cell in ALL) for table in range(2, 7)}
    # 4 settings x 3 measures x 6 methods; x 3 x 2; 4 x 6; 4 x 2; 2 x 3 x 3
    assert counts == {2: 72, 3: 24, 4: 24, 5: 8, 6: 18}
    assert len(ALL) == sum(counts.values())  # no cell has taken another's place


@pytest.mark.parametrize(
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
    cell = numbers.cell(setting, method, measure)
    assert cell is not None
    assert (cell.mean, cell.sd) == (mean, sd)


def test_numbers_are_in_their_range() -> None:
    for cell in ALL:
        assert cell.mean > 0
        assert 0 <= cell.sd < cell.mean
        if cell.measure in ("MCC", "error rate"):
            assert cell.mean < 1


def test_marks_of_a_measure() -> None:
    usual = {"RMSE": "noise", "REE": "definition", "MCC": "threshold", "seconds": "machine"}
    for cell in ALL:
        if cell.setting in SYNTHETIC and cell.measure in usual:
            assert cell.marks[0] == usual[cell.measure]
        if cell.table == 4:
            assert cell.marks == ()


def test_every_mark_has_a_reason_of_one_sentence_and_is_used() -> None:
    assert {mark for cell in ALL for mark in cell.marks} == set(numbers.reasons())
    for reason in numbers.reasons().values():
        assert reason.endswith(".")
        assert ". " not in reason


def test_contradictions_are_where_the_arithmetic_fails() -> None:
    """REE off by more than a tenth from what its RMSE implies, beyond rounding."""
    failing, marked = set(), set()
    for cell in ALL:
        if cell.measure != "REE":
            continue
        D = int(cell.setting.split("-")[1])
        rmse = numbers.cell(cell.setting, cell.method, "RMSE")
        assert rmse is not None
        implied = sqrt((rmse.mean**2 - 0.5**2) / D)
        if abs(implied - cell.mean) > 0.1 * cell.mean + 0.0005:
            failing.add((cell.setting, cell.method))
        if "contradiction" in cell.marks:
            marked.add((cell.setting, cell.method))
    assert marked == failing
    assert {("sparse-600", "STCMTL"), ("dense-600", "STCMTL")} <= marked
    assert len(marked) == 9


def test_the_printed_definition_cannot_be() -> None:
    """With ``/ sqrt(T)`` the excess of RMSE^2 over the noise would be REE^2 itself."""
    for setting in SYNTHETIC:
        rmse, ree = (numbers.cells()[setting, "LASSO", name].mean for name in ("RMSE", "REE"))
        assert rmse**2 - 0.25 > 45 * ree**2


def test_the_printed_noise_cannot_be() -> None:
    """Noise of variance 0.5 alone has an RMSE of 0.707."""
    for setting in SYNTHETIC:
        assert numbers.cells()[setting, "STCMTL", "RMSE"].mean < sqrt(0.5)
