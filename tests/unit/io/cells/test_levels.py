"""Columns of words: spellings of one level, marks of missing values, names and prose."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from stcmtl.io.cells.columns import list_cells
from stcmtl.io.cells.levels import (
    describe_text,
    find_half_numbers,
    find_perhaps,
    fold,
    fold_levels,
    take_texts,
)
from stcmtl.io.cells.signs import Context
from stcmtl.io.parsing import HOW, How


def take(*texts: str, how: How = HOW, like: dict | None = None, **written: object) -> tuple:
    cells = list_cells(pd.Series(texts, name="x", dtype=object), how, like or {})
    column, values = take_texts(cells, Context(how, written))
    return column, [None if pd.isna(value) else value for value in values]


@pytest.mark.parametrize(
    ("weight", "levels", "chosen"),
    [
        ({"Red": 3, "red": 1, "blue": 1}, [], {"Red": "Red", "red": "Red", "blue": "blue"}),
        ({"Red": 1, "red": 1, "blue": 1}, [], {"Red": "red", "red": "red", "blue": "blue"}),
        ({"AA": 1, "Aa": 1, "aa": 1}, [], {"AA": "AA", "Aa": "Aa", "aa": "aa"}),
        ({"RED": 5, "blue": 1}, ["red", "blue"], {"RED": "red", "blue": "blue"}),
        ({"RED": 5}, ["red"], {"RED": "red"}),
        ({"RED": 5}, ["red", "Red"], {"RED": "RED"}),
        (
            {"yes": 2, "y": 1, "no": 1, "n": 3},
            [],
            {"yes": "yes", "y": "yes", "no": "n", "n": "n"},
        ),
        ({"y": 1, "n": 3}, [], {"y": "y", "n": "n"}),
    ],
)
def test_spellings_of_one_level(
    weight: dict[str, int], levels: list[str], chosen: dict[str, str]
) -> None:
    assert fold_levels(Counter(weight), levels) == chosen


def test_among_very_many_levels_none_are_one() -> None:
    many = {f"level {n}": 1 for n in range(49)}
    assert fold_levels(Counter(many | {"a": 2, "A": 1}), [])["A"] == "a"
    assert fold_levels(Counter(many | {"b": 1, "a": 2, "A": 1}), [])["A"] == "A"


def test_one_word_in_unicode() -> None:
    assert fold("Cafe\u0301") == fold("CAFÉ") == "café"
    assert fold("  a \t B ") == "a b"
    assert fold("o\u2019clock") == "o'clock"


def test_blanks_and_capitals_are_told() -> None:
    column, values = take("red", " red", "Red", "blue", "red")
    assert values == ["red", "red", "red", "blue", "red"]
    assert column.said == (
        "In column 'x' ' red' was read without blanks",
        "In column 'x' 'Red' was read as 'red'",
    )
    assert take(" red", "blue")[0].said == ()


@pytest.mark.parametrize(
    ("texts", "options", "values"),
    [
        (("red", "n/a", "blue"), {}, ["red", None, "blue"]),
        (("red", "-", "blue"), {}, ["red", None, "blue"]),
        (("red", "－", "blue"), {}, ["red", None, "blue"]),
        (("red", "'gone'", "blue"), {"how": How(missing_marks=("gone",))}, ["red", None, "blue"]),
        (("red", "NA", "blue"), {}, ["red", "NA", "blue"]),
        (("red", "NA", "blue"), {"na_unquoted": True}, ["red", None, "blue"]),
        (("red", "n/a", "gone"), {"how": How(missing_marks=("gone",))}, ["red", "n/a", None]),
        (("+", "-", "+"), {}, ["+", "-", "+"]),
        (("red", "?", "blue"), {"like": {"levels": ["red", "?"]}}, ["red", "?", "blue"]),
    ],
)
def test_marks_of_missing_values(
    texts: tuple[str, ...], options: dict, values: list[str | None]
) -> None:
    assert take(*texts, **options)[1] == values


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ([f"name {n}" for n in range(10)], "identifier"),
        ([f"name {n}" for n in range(9)], "text"),
        ([f"name {n}" for n in range(10)] + ["name 0"], "text"),
        ([f"{'long ' * 10}{n}" for n in range(13)] * 1 + ["short"] * 2, "free text"),
        ([f"{'long ' * 10}{n}" for n in range(12)] + [f"{'long ' * 10}0"], "text"),
        ([f"{'long ' * 10}{n}" for n in range(13)] * 2, "text"),
        (["yes", "No", "yes"], "yes/no"),
        (["red", "red"], "constant"),
        (["red"], "text"),
        (["red", "red", None], "text"),
        ([None, None], "empty"),
    ],
)
def test_kinds(texts: list[str | None], kind: str) -> None:
    found = describe_text(pd.Series(texts, dtype=str), "x")
    assert found.kind == kind
    assert found.missing == texts.count(None)


def test_many_levels_are_left_out_unless_asked_for() -> None:
    few, many = (describe_text(pd.Series([f"t{n}" for n in range(k)] * 2), "x") for k in (12, 13))
    assert few.becomes == "12 columns of 0 and 1"
    assert many.becomes == "left out: 13 different texts"


def test_na_may_be_a_level_or_a_hole() -> None:
    values = pd.Series(["NA", "red", "NA"])
    words, remedy = find_perhaps(values, {"NA", "red"}, "x")
    assert words == "In column 'x' 'NA' (2 rows) is kept as a text; if it means missing, "
    assert "NA" in str(remedy)
    assert find_perhaps(values, {"red"}, "x") == ()


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        (["12*", "14", "<5"], "12*"),
        (["12*", "14"], ""),
        (["12", "14", "150"], ""),
        (["a1", "b2", "<55"], ""),
        (["1a", "2b", "3c"], ""),
        (["1.2K", "3K", "15", "17", "word"], "1.2K"),
        (["1.2K", "3K", "15", "word"], ""),
    ],
)
def test_what_may_be_numbers_to_a_person(levels: list[str], said: str) -> None:
    doubt = find_half_numbers(levels, "x")
    assert doubt == ((f"Column 'x' was read as text, as {said!r} is no number",) if said else ())


def test_rows_count_for_the_spelling_that_is_kept() -> None:
    column, values = take(*["Red"] * 2, *["red"] * 3, "blue")
    assert values == ["red"] * 5 + ["blue"]
    assert column.notation["levels"] == ["blue", "red"]
    assert np.unique(values).size == 2
