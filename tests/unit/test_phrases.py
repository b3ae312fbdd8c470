"""Numbers, counts and names in sentences."""

import numpy as np

from stcmtl import phrases
from tests.unit.cases import together


@together(
    ("value", "shown"),
    [
        (0.123456, "0.123"),
        (123456.0, "123,000"),
        (12.0, "12"),
        (1e-7, "0.0000001"),
        (-8.64e-5, "−0.0000864"),
        (1e-12, "1e-12"),
        (0.0, "0"),
    ],
)
def test_three_digits(value: float, shown: str) -> None:
    assert phrases.digits(value) == shown


def test_names_in_a_sentence() -> None:
    assert phrases.listed(["a"]) == "a"
    assert phrases.listed(["a", "b", "c"]) == "a, b and c"
    assert phrases.listed(list("abcd"), most=2) == "a, b and 2 more"
    assert phrases.joined(list("abcd"), most=2) == "a, b and 2 more"


def test_long_names_are_cut_and_numbers_never() -> None:
    long = "Weather & price <shops> of the whole of the north"
    assert phrases.listed([long, "b"]) == "Weather & price <shops> of the whole of… and b"
    said = phrases.say_shares([0.97, 0.03], [long, "b"], [0.97, 0.03])
    assert said[0] == "97% Weather & price <shops> of the whole of…"
    parts = [f"{name} (85% to 100%)" for name in said.values()]
    assert phrases.joined(parts).count("(85% to 100%)") == 2


def test_one_is_not_many() -> None:
    counts = [phrases.counted(n, "task") for n in (0, 1, 2000)]
    assert counts == ["0 tasks", "1 task", "2,000 tasks"]


@together(
    ("shares", "said"),
    [
        ([1 / 3] * 3, ["34%", "33%", "33%"]),
        ([0.005, 0.005, 0.99], ["1%", "0%", "99%"]),
        ([0.125, 0.125, 0.75], ["13%", "12%", "75%"]),
        ([0.29, 0.71], ["29%", "71%"]),
        ([0.996], ["100%"]),
        ([], []),
    ],
)
def test_rounded_shares_sum_to_the_whole(shares: list[float], said: list[str]) -> None:
    assert phrases.percents(shares) == said


def test_rounded_shares_of_any_kind_sum_to_a_hundred() -> None:
    for shares in np.random.default_rng(0).dirichlet(np.ones(7), 200):
        rounded = [int(share.rstrip("%")) for share in phrases.percents(shares)]
        assert sum(rounded) == 100
        assert np.abs(np.array(rounded) - 100 * shares).max() < 1


@together(
    ("seconds", "said"),
    [
        (0.2, "a second"),
        (1.2, "a second"),
        (45.4, "45 seconds"),
        (119.0, "119 seconds"),
        (420.0, "7 minutes"),
        (7000.0, "117 minutes"),
        (9000.0, "2 hours"),
    ],
)
def test_how_long(seconds: float, said: str) -> None:
    assert phrases.duration(seconds) == said


def test_shares_are_told_largest_first_with_their_signs_and_without_those_of_nothing() -> None:
    said = phrases.say_shares([0.3, 0.0, 0.7], ["a", "b", "c"], [-0.6, 0.0, 1.4])
    assert said == {2: "70% c", 0: "minus 30% a"}
    assert list(said) == [2, 0]


def test_a_zero_has_no_minus() -> None:
    said = {0.974: "0.97", -0.0039: "0.00", -0.125: "−0.12", 0.0: "0.00"}
    assert {value: phrases.hundredths(value) for value in said} == said
