"""Columns of numbers: what is remarked of them, and what is left out."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl.io.cells.columns import Cells, list_cells
from stcmtl.io.cells.numbers import (
    are_slips,
    count_missing,
    find_names,
    find_number_kind,
    find_range,
    find_sentinel,
    is_code,
    is_whole,
    try_numbers,
)
from stcmtl.io.cells.signs import Context
from stcmtl.io.parsing import HOW

CSV = Context(HOW, {"delimiter": ","})


def read_plain(text: str) -> Any:
    return float(text) if text.isdigit() else text


def cells_of(texts: list[str], name: str = "x") -> Cells:
    return list_cells(pd.Series(texts, name=name, dtype=object), HOW, {})


@pytest.mark.parametrize(
    ("values", "mark"),
    [
        ([-999, 1, 2, 3], "-999 (1 row)"),
        ([-999, -999, 1, 2, 3], "-999 (2 rows)"),
        ([-9, 1, 2, 3], "-9 (1 row)"),
        ([9999, 1, 2, 3], "9999 (1 row)"),
        ([99, 90, 95, 40], ""),
        ([-99, -80, -60, 5], ""),
        ([-999, -999, -999, 1, 2], ""),
        ([-999, 1], ""),
        ([-998, 1, 2, 3], ""),
        ([-999.25, np.nan, 1.5, 2.5], "-999.25 (1 row)"),
        ([99, 10, 20, 30], "99 (1 row)"),
        ([99, 10, 20, 70], ""),
    ],
)
def test_a_number_that_may_mean_missing(values: list[float], mark: str) -> None:
    doubt = find_sentinel(pd.Series(values))
    assert bool(doubt) is bool(mark)
    assert not mark or doubt[0] == f"{mark} is far from the rest; if it means missing, "


@pytest.mark.parametrize(
    ("values", "name", "doubted"),
    [
        (range(100_000, 100_010), "x", True),
        (range(99_999, 100_009), "x", False),
        (range(999_995, 1_000_005), "x", False),
        (range(100_000, 100_009), "x", False),
        ([100_000] * 10, "x", False),
        (range(100_000, 100_010), "order id", False),
        (range(10, 20), "patient", True),
        (range(10, 20), "age", False),
    ],
)
def test_whole_numbers_that_may_name_rows(values: list[int], name: str, doubted: bool) -> None:
    assert bool(find_names(pd.Series(list(values)), name)) is doubted


@pytest.mark.parametrize(
    ("values", "name", "kind"),
    [
        ([1, 1, 1], "x", "constant"),
        ([1], "x", "number"),
        ([1, 2], "x", "number"),
        ([1.0, np.nan], "x", "number"),
        (list(range(10)), "row", "identifier"),
        (list(range(9)), "row", "number"),
        (list(range(10)), "age", "number"),
        ([0, *range(9)], "row", "number"),
        ([2**53 + 2, 1], "x", "identifier"),
        ([-(2**53) - 2, 1], "x", "identifier"),
        ([2**53, 1], "x", "number"),
    ],
)
def test_kinds(values: list[float], name: str, kind: str) -> None:
    column = pd.Series(values)
    assert find_number_kind(column, name, is_whole(column.to_numpy()))[0] == kind


def test_whole_numbers_and_missing_ones() -> None:
    assert is_whole(np.array([1.0, np.nan, 3.0]))
    assert is_whole(np.array([1, 2]))
    assert not is_whole(np.array([1.0, 2.5]))
    assert not is_whole(np.array([1.0, np.inf]))
    assert not is_whole(np.r_[np.ones(1000), 0.5])
    assert count_missing(pd.Series([1.0, np.nan, np.nan])) == 2
    assert count_missing(pd.Series([1.0, np.inf, -np.inf])) == 0
    assert count_missing(pd.Series([1.0, 2.0])) == 0
    assert count_missing(pd.Series([1, 2])) == 0
    assert find_range(np.array([3.0, np.nan, -1.0])) == (-1.0, 3.0)
    assert np.isnan(find_range(np.empty(0))).all()


@pytest.mark.parametrize(
    ("texts", "slips"),
    [
        (["1", "2", "3", "4", "x"], True),
        (["1", "2", "3", "x"], False),
        (["1", "x"], False),
        (["1", "2", "3"] * 40 + ["x", "y"], True),
        (["1", "2"] * 40 + ["x"], False),
        (["1", "2", "3"] * 4 + ["x", "y"], False),
    ],
)
def test_few_words_among_numbers_are_slips(texts: list[str], slips: bool) -> None:
    cells = cells_of(texts)
    n_words = cells.bodies.bodies.count(None)
    assert bool(are_slips(cells, n_words)) is slips
    typed = list_cells(pd.Series([*map(read_plain, texts)], dtype=object), HOW, {})
    assert bool(are_slips(typed, n_words)) is slips  # as a workbook has them
    found = try_numbers(cells, CSV)
    assert (found is not None) is slips
    assert found is None or found[0].fault is not None


@pytest.mark.parametrize(
    ("texts", "context", "code"),
    [
        (["007", "12"], CSV, True),
        (["7", "12"], CSV, False),
        (["1234567890123456", "12"], CSV, True),
        (["123456789012345", "12"], CSV, False),
        (["007", "1.5"], CSV, False),
        (["7", "12"], Context(HOW), True),
        (["7", "12"], Context(HOW, {"delimiter": ",", "quoted": ["x"]}), True),
    ],
)
def test_digits_that_are_a_name(texts: list[str], context: Context, code: bool) -> None:
    assert is_code(cells_of(texts), context) is code


def test_a_column_of_money() -> None:
    found = try_numbers(cells_of(["$1,250.50", "$3", "n/a", "$3"]), CSV)
    assert found is not None
    column, values = found
    np.testing.assert_array_equal(values, [1250.5, 3.0, np.nan, 3.0])
    assert column.missing == 1
    assert column.said == ("Column 'x' was read without the sign $, '$1,250.50' as 1250.5",)
    assert (column.notation["thousands"], column.notation["units"]) == (",", ["$"])
    assert not column.notation["whole"]
