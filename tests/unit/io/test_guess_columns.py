"""What a guess of the task column goes by, one column or a pair of them at a time."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import ReadError
from stcmtl.io import guess
from stcmtl.io.account import Case
from stcmtl.io.limits import Limits

CASE = Case("a.csv", Limits())


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1043, 2206, 2209, 2951], True),
        ([10, 20, 30, 1000], False),  # all in steps of ten
        ([1, 2, 3, 4], False),
        ([1.5, 200.5, 900.25], False),
        (["1043", "2206"], False),
    ],
)
def test_codes_are_few_and_far_apart(values: list[Any], codes: bool) -> None:
    assert guess.are_codes(pd.Series(values), len(values)) is codes


def test_codes_lie_apart_by_a_multiple_of_their_number() -> None:
    wide = np.array([0, 1, guess.SPARSE * 3])
    assert guess.are_codes(pd.Series(wide), 3)
    assert not guess.are_codes(pd.Series(wide - [0, 0, 1]), 3)


@pytest.mark.parametrize(
    ("values", "years"),
    [
        ([1900, 2100], True),
        ([1899, 2000], False),
        ([2000, 2101], False),
        (["1999", "2000"], True),
        (["1999", "red"], False),
        ([1999.0, 2000.0], False),
    ],
)
def test_years(values: list[Any], years: bool) -> None:
    column = pd.Series(values)
    assert guess.are_years(column) is years
    assert guess.role_of(column, "x") == ("time" if years else "")


def test_a_thing_in_the_plural_is_a_count_or_a_group() -> None:
    [name] = [n for n in ("schools", "stores", "doctors") if guess.find_role(n) == "either"][:1]
    assert guess.role_of(pd.Series(["a", "b"]), name) == "group"
    assert guess.role_of(pd.Series([3, 4]), name) == "either"


@pytest.mark.parametrize(
    ("values", "can"),
    [
        ([1, 2], True),
        ([1.0, 2.0], True),
        ([1.0, 2.5], False),
        (["a", "b"], True),
        (["x" * guess.LONG, None], True),
        (["x" * (guess.LONG + 1), None], False),
        (pd.to_datetime(["2021-01-01"]), False),
        ([True, False], True),
    ],
)
def test_what_can_name_tasks(values: Any, can: bool) -> None:
    assert guess.can_name(pd.Series(values)) is can


@pytest.mark.parametrize(
    ("of", "values", "goes"),
    [
        ([0, 0, 1, 1], [5, 5, 7, 7], True),
        ([0, 0, 1, 1], [5, 6, 7, 7], False),
        ([0, 0, 1, -1], [5, 5, 7, 8], True),
        ([0, 0, 1, 1], [5, -1, 7, 7], True),
        ([0, 1, 0, 1], [5, 7, 5, 8], False),
        ([-1, -1], [1, 2], True),
    ],
)
def test_one_value_for_each_code(of: list[int], values: list[int], goes: bool) -> None:
    assert guess.goes_with(np.array(of), np.array(values)) is goes


@pytest.mark.parametrize(("rows", "is_so"), [(14, False), (15, True)])
def test_twins_are_not_so_by_chance(rows: int, is_so: bool) -> None:
    """Of five codes, ten rows have to repeat what an earlier one says."""
    of = np.arange(rows) % 5
    assert guess.FEWEST_TWINS == 10
    assert guess.is_function(of, of + 3) is is_so


def test_a_difference_beyond_the_first_rows_counts() -> None:
    n = guess.FIRST_ROWS
    of, values = np.zeros(n + 9, int), np.zeros(n + 9, int)
    assert guess.is_function(of, values)
    values[-1] = 1
    assert not guess.is_function(of, values)


@pytest.mark.parametrize(
    ("codes", "clock", "panel"),
    [
        ([0, 0, 1, 1], [0, 1, 0, 1], True),
        ([0, 0, 1, 1], [0, 0, 0, 1], False),
        ([0, 0, 1, 1], [0, 1, 2, 3], False),  # another date in every row
        ([0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], True),
    ],
)
def test_panels(codes: list[int], clock: list[int], panel: bool) -> None:
    assert guess.is_panel(np.array(codes), np.array(clock)) is panel


def weighed(values: Any, name: str = "x", first: bool = False) -> guess.Candidate | None:
    column = pd.Series(values, name=name)
    return guess.weigh_alone(column, guess.encode(column), first)


def points(values: Any, **more: Any) -> float:
    found = weighed(values, **more)
    assert found is not None
    return found.points


def test_points_of_one_column() -> None:
    blocks, mixed = np.repeat(["a", "b", "c"], 8), np.tile(["a", "b", "c"], 8)
    assert points(blocks) - points(mixed) == 1.0
    assert points(blocks, first=True) - points(blocks) == 0.5
    numbers = np.repeat([1, 2, 3], 8)
    assert points(numbers) - points(np.tile([1, 2, 3], 8)) == 3.0
    assert points(np.r_[mixed[:-1], [None]]) - points(mixed) == -0.5
    assert points(blocks, name="school") > points(blocks)


@pytest.mark.parametrize(
    ("n_tasks", "rows", "less"),
    [(3, 9, 0.75), (4, 9, 0.25), (2, 9, 1.5), (8, 2, 1.0), (8, 3, 0.75), (8, 4, 0.5), (8, 5, 0.0)],
)
def test_few_tasks_and_few_rows_speak_against_a_column(
    n_tasks: int, rows: int, less: float
) -> None:
    usual = points(np.tile(list("abcdefgh"), 9))
    assert usual - points(np.tile(list("abcdefgh")[:n_tasks], rows)) == less


def test_the_only_text_has_a_point_more_than_one_of_two() -> None:
    order = np.random.default_rng(0).permutation(72)
    texts = {"t": np.tile(list("abcdefgh"), 9), "u": np.repeat(list("pqrstuvw"), 9)[order]}
    frame = pd.DataFrame({**texts, "x": np.sqrt(order)})
    [only] = guess.rank_tasks(frame, ["t", "x"])
    both = {one.name: one.points for one in guess.rank_tasks(frame, ["t", "u", "x"])}
    assert only.points - both["t"] == 1.0


def test_what_cannot_be_a_task_column() -> None:
    assert weighed(["a"] * 8) is None
    assert weighed(["a"] * 8, name="school") is not None
    assert weighed([f"r{n}" for n in range(8)]) is None
    assert weighed(np.repeat([f"r{n}" for n in range(4)], 2)) is not None
    assert weighed(["a", "b", *[None] * 3]) is None


def test_numbers_that_count_rows_within_something_are_no_tasks() -> None:
    column = pd.Series(np.tile(np.arange(10), 4), name="x")
    found = weighed(column)
    assert found is not None
    assert guess.weigh_order(found, {"x": guess.encode(column)}, []) == -3.0
    blocks = pd.Series(np.repeat(np.arange(4), 10), name="x")
    codes, clock = {"x": guess.encode(blocks)}, guess.encode(column)
    found = weighed(blocks)
    assert found is not None
    assert guess.weigh_order(found, codes, []) == 0.0
    assert guess.weigh_order(found, codes, [clock]) == 2.0


# Labels of tasks


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([3, 1, 3], [3, 1, 3]),
        ([3.0, 1.0], [3, 1]),
        ([" a", "b ", "a"], ["a", "b", "a"]),
        (pd.to_datetime(["2021-03-05", "2021-03-06"]), ["2021-03-05", "2021-03-06"]),
        (
            pd.to_datetime(["2021-03-05 10:00", "2021-03-06 00:00"]),
            ["2021-03-05 10:00:00", "2021-03-06 00:00:00"],
        ),
        ([float(2**53), 1.0], [2**53, 1]),
    ],
)
def test_labels(values: Any, labels: list[Any]) -> None:
    assert guess.label_tasks(pd.Series(values, name="t"), CASE).tolist() == labels


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1.5, 2.0], "has fractions in the task column 't'"),
        ([np.inf, 2.0], "has fractions in the task column 't'"),
        ([2.0**54, 2.0], "has fractions in the task column 't'"),
        (["a", None, None], "has 2 rows without a task in column 't'"),
        (["x" * (guess.LONGEST + 1), "a"], "characters in column 't'"),
    ],
)
def test_what_is_no_label(values: list[Any], said: str) -> None:
    with pytest.raises(ReadError, match=said):
        guess.label_tasks(pd.Series(values, name="t"), CASE)


def test_what_is_told_of_labels() -> None:
    for values, notes in (
        (["Ann", "ann", "Bob"], ["The tasks 'Ann' and 'ann' differ in capitals only, and are two"]),
        (["a ", "b"], ["Blanks around the names of tasks were removed, as of 'a '"]),
        (["x" * guess.LONGEST, "b"], []),
    ):
        case = Case("a.csv", Limits())
        guess.label_tasks(pd.Series(values, name="t"), case)
        assert list(case.notes) == notes
