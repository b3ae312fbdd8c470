"""What dots and commas mean, by the cells of a column and by the rest of its file."""

import numpy as np
import pytest

from stcmtl.io.cells.signs import (
    Context,
    Evidence,
    Style,
    convert,
    decide,
    settle_by_file,
    tell_doubt,
    weigh,
)
from stcmtl.io.parsing import HOW, How

COMMAS = Context(HOW, {"delimiter": ","})
SEMICOLONS = Context(HOW, {"delimiter": ";"})
WORKBOOK = Context(HOW)


def style(*cells: str, context: Context = COMMAS) -> Style:
    return decide(weigh(list(cells)), {}, context)


@pytest.mark.parametrize(
    ("cells", "decimal", "thousands"),
    [
        (("1.5", "2.25"), ".", ""),
        (("1,5", "2,25"), ",", ""),
        (("1,234.5", "12"), ".", ","),
        (("1.234,5", "12"), ",", "."),
        (("1 234,5", "12"), ",", " "),
        (("1'234.5", "12"), ".", "'"),
        (("1,234,567", "12"), "", ","),
        (("1.234.567", "12"), "", "."),
        (("12,34,567", "12"), "", ","),
        (("0,125", "1,050"), ",", ""),
        (("1234,567", "1,050"), ",", ""),
        (("1.5", "1,050"), ".", ","),
        (("1,5e3", "2,0"), ",", ""),
        (("1 234 567", "1,050"), ",", " "),
        (("1'234'567", "1.050"), ".", "'"),
        (("1.234.567", "1,050"), ",", "."),
        (("12", "7"), "", ""),
    ],
)
def test_a_column_shows_its_signs(cells: tuple[str, ...], decimal: str, thousands: str) -> None:
    found = style(*cells)
    assert (found.decimal, found.thousands, found.fault) == (decimal, thousands, None)


@pytest.mark.parametrize(
    ("cells", "context", "decimal", "thousands", "doubted"),
    [
        (("1,050", "2,125"), COMMAS, "", ",", False),
        (("1.050", "2.125"), COMMAS, ".", "", True),
        (("1,055", "2,125"), SEMICOLONS, ",", "", True),
        (("1,050", "950"), SEMICOLONS, "", ",", True),
        (("1,050", "950"), COMMAS, "", ",", False),
        (("1.050", "950"), COMMAS, "", ".", True),
    ],
)
def test_one_sign_and_three_digits(
    cells: tuple[str, ...], context: Context, decimal: str, thousands: str, doubted: bool
) -> None:
    found = style(*cells, context=context)
    assert (found.decimal, found.thousands, found.fault) == (decimal, thousands, None)
    assert bool(found.doubt) is doubted


@pytest.mark.parametrize(
    ("cells", "context", "said"),
    [
        (("1,055", "2,125"), WORKBOOK, "has '1,055' in"),
        (("1,055", "17161"), COMMAS, "has '1,055' beside '17161' in"),
        (("1,5", "2.25"), COMMAS, "whose signs contradict each other"),
        (("1,5", "1,234,567"), COMMAS, "has '1,5' and '1,234,567' in"),
        (("1,050", "1.050"), COMMAS, "has '1.050' and '1,050' in"),
    ],
)
def test_what_cannot_be_told_is_asked(cells: tuple[str, ...], context: Context, said: str) -> None:
    assert said in str(style(*cells, context=context).fault)


@pytest.mark.parametrize(
    ("others", "groups"),
    [
        (Evidence(decimals={".": "1.5"}), True),
        (Evidence(decimals={",": "1,5"}), False),
        (Evidence(thousands={",": "1,234,567"}), True),
        (Evidence(thousands={".": "1.234.567"}), False),
        (Evidence(thousands={" ": "1 234"}), False),
        (Evidence(thousands={"'": "1'234"}), False),
        (Evidence(decimals={".": "1.5", ",": "1,5"}), None),
        (Evidence(), None),
    ],
)
def test_other_columns_show_what_a_comma_is(others: Evidence, groups: bool | None) -> None:
    assert settle_by_file(",", others) is groups
    context = Context(HOW, {"delimiter": ";"}, others)
    found = style("1,055", "2,125", context=context)
    if groups is None and others.decimals:
        assert found.fault is not None
    elif groups:
        assert (found.decimal, found.thousands) == ("", ",")
        assert found.doubt  # beside semicolons commas are decimal signs, as a rule
    else:
        assert (found.decimal, found.thousands) == (",", "")
        assert bool(found.doubt) is (groups is None)


@pytest.mark.parametrize(
    ("how", "cells", "decimal", "thousands"),
    [
        (How(decimal=","), ("1,050",), ",", "."),
        (How(thousands=","), ("1,050",), ".", ","),
        (How(thousands="."), ("1.050",), ",", "."),
        (How(thousands=" "), ("1 050,5",), ",", " "),
        (How(thousands=" "), ("1 050",), ".", " "),
    ],
)
def test_the_caller_knows(how: How, cells: tuple[str, ...], decimal: str, thousands: str) -> None:
    found = style(*cells, context=Context(how))
    assert found.decimal == decimal
    assert thousands in found.thousands


@pytest.mark.parametrize(
    ("like", "delimiter", "expected"),
    [
        ({"decimal": ",", "delimiter": ";"}, ";", (",", "")),
        ({"thousands": ",", "delimiter": ","}, ",", ("", ",")),
        ({"decimal": ",", "delimiter": ";"}, "\t", (",", "")),
        ({"decimal": ",", "delimiter": ";"}, ",", None),
        ({"decimal": ".", "delimiter": ","}, ",", None),
    ],
)
def test_a_further_file_is_read_like_the_first(
    like: dict[str, str], delimiter: str, expected: tuple[str, str] | None
) -> None:
    found = decide(weigh(["1,055"]), like, Context(HOW, {"delimiter": delimiter}))
    if expected is None:
        assert "where the model was fitted on numbers such as" in str(found.fault)
    else:
        assert ((found.decimal, found.thousands), found.fault) == (expected, None)


@pytest.mark.parametrize(
    ("cells", "decimal", "thousands", "numbers"),
    [
        (["1,234.5", "-7", ".5", "2."], ".", ",", [1234.5, -7.0, 0.5, 2.0]),
        (["1.234,5", "+7", "1e3"], ",", ".", [1234.5, 7.0, 1000.0]),
        (["12,34,567", "1,2,3", None], "", ",", [1234567.0, np.nan, np.nan]),
        (["1 234", "12 34", "0 123"], "", " ", [1234.0, np.nan, np.nan]),
        (["1,5", "2"], ".", "", [np.nan, 2.0]),
    ],
)
def test_numbers_in_a_style(
    cells: list[str | None], decimal: str, thousands: str, numbers: list[float]
) -> None:
    np.testing.assert_array_equal(convert(cells, Style(decimal, thousands)), numbers)


def test_a_doubt_says_both_readings() -> None:
    for groups, setting, said in (
        (True, "decimal", "'1,050' was read as 1050; if it means 1.05, "),
        (False, "thousands", "'1,050' was read as 1.05; if it means 1050, "),
    ):
        words, remedy = tell_doubt("1,050", ",", groups)
        assert words == said
        assert setting in str(remedy)


def test_a_whole_number_of_four_digits_shows_that_nothing_is_grouped() -> None:
    assert weigh(["1,050", "1234"]).longest == "1234"
    assert weigh(["1,050", "123"]).longest == ""
    assert weigh(["1,050", "950"]).grouped
    assert not weigh(["1,050", "1950"]).grouped
    assert not weigh(["1,055", "950"]).grouped
    assert not weigh(["1,050"]).grouped
