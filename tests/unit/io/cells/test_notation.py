"""Numbers taken apart: digits and signs on one side, units on the other."""

import pytest

from stcmtl.io.cells.notation import Bodies, find_odd, list_bodies, take_apart, tidy


@pytest.mark.parametrize(
    ("text", "body", "unit"),
    [
        ("12", "12", ""),
        ("$1,234.50", "1,234.50", "$"),
        ("($1,234.50)", "-1,234.50", "$"),
        ("$ (5)", "-5", "$"),
        ("5-", "-5", ""),
        ("+5 %", "5", "%"),
        ("-3,5 kg", "-3,5", "kg"),
        ("1.5D3", "1.5e3", ""),
        ("€ --", "0", "€"),
        ("-- CHF", "0", "CHF"),
        ("5,-", "5", ""),
        ("(5)%", "-5", "%"),
        ("1'234", "1'234", ""),
        ("12,34,567", "12,34,567", ""),
        (".5", ".5", ""),
    ],
)
def test_a_number(text: str, body: str, unit: str) -> None:
    assert take_apart(text) == (body, unit)


@pytest.mark.parametrize(
    "text",
    [
        "word",
        "1.2.3",
        "31.12.2021",
        "(5",
        "5)",
        "-5-",
        "(-5)",
        "--5",
        "$5%",
        "€5$",
        "12 34",
        "",
        "kg",
    ],
)
def test_no_number(text: str) -> None:
    assert take_apart(text) == (None, "")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("  a   b ", "a b"),
        ('="007"', "007"),
        ("'quoted'", "quoted"),
        ("'5", "5"),
        ("'t", "'t"),
        ("''", "''"),
        ("１２", "12"),
        ("\u22125", "-5"),
        ("٣", "3"),
        ("1\u20195", "1'5"),
        ("a\u200bb", "ab"),
        ("10²", "10²"),
        ("1\u066b5", "1.5"),
    ],
)
def test_tidy(text: str, plain: str) -> None:
    assert tidy(text) == plain


def test_what_is_not_plain() -> None:
    assert find_odd(["1", "2.5", "1,234", "x", "$5"]) == {"x", "$5"}
    assert find_odd(["1\n2", "3"]) == {"1\n2"}


def bodies(*texts: str) -> Bodies:
    return list_bodies(list(texts), find_odd(list(texts)))


def test_bodies_and_their_units() -> None:
    found = bodies("$5", "$6", "word")
    assert (found.bodies, found.units, found.bare) == (["5", "6", None], {"$": "$5"}, "")
    assert found.count() == 2
    assert found.fault is None
    assert bodies("1", "2").bodies == ["1", "2"]


def test_a_measure_is_one_for_all_or_none() -> None:
    assert bodies("5 kg", "6 kg").bodies == ["5", "6"]
    slip = bodies("5 kg", "6")
    assert (slip.bodies, slip.units) == ([None, "6"], {})
    assert bodies("5 kg", "6 m").bodies == [None, None]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("5%", "6"), "has '5%' and '6' in, of different units"),
        (("$5", "€6"), "has '$5' and '€6' in, of different units"),
        (("5%", "0"), ""),
        (("$5", "6"), ""),
        (("5%", "6%"), ""),
    ],
)
def test_units_that_do_not_go_together(texts: tuple[str, ...], said: str) -> None:
    fault = bodies(*texts).fault
    assert (fault is not None) is bool(said)
    assert fault is None or fault.before + fault.after == said
