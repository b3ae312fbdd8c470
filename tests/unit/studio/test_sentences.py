"""Names as they are, and what the readers say in the words of the page."""

import re

import pytest

from stcmtl.errors import InputError, Setting
from stcmtl.io.encode_like import Reading
from stcmtl.io.limits import ReadError
from stcmtl.io.read_like import read_tables_like
from stcmtl.studio.words.sentences import literal, word_error


def test_the_remedy_is_a_control() -> None:
    with pytest.raises(ReadError) as caught:
        read_tables_like([("new.csv", b"a,b\n1,2\n,4\n")], Reading(("a", "b")))
    said = "new has missing values in column 'a' (1): fill them, or choose to fill them with the"
    assert word_error(caught.value).startswith(f"{said} median")


def test_limits_are_fixed_here_and_what_has_no_control_keeps_its_name() -> None:
    remedy = "read a smaller part", Setting("limits.rows", 9, ", or pass {} to allow it")
    error = InputError("has 9 rows", where=Setting("n_clusters"), remedy=remedy)
    assert word_error(error) == "n_clusters has 9 rows: read a smaller part."
    assert word_error(KeyError("x")) == "'x'"


def test_names_are_shown_letter_by_letter() -> None:
    assert literal("**a** [b](c) $x$ :red[d]") == (
        r"\*\*a\*\* \[b\]\(c\) \$x\$ \:red\[d\]"
    )  # fmt: skip
    assert literal("School 3") == "School 3"


@pytest.mark.parametrize("name", ["http://a.b", "HTTPS://a.b", "www.a.b", "a@b.c", "a.b@c-d.e"])
def test_a_name_is_no_link(name: str) -> None:
    """Nothing of it is what markdown takes for an address; all its letters are there."""
    shown = literal(name).replace("\\", "")
    assert not re.search(r"https?://|www\.|[-.\w+]@[-\w]", shown, re.IGNORECASE)
    assert shown.replace("\u2060", "") == name
    assert literal("a: b, @ 3 // w.w") == "a\\: b, @ 3 // w.w"


def test_a_name_does_not_turn_the_sentence_round_that_it_stands_in() -> None:
    assert literal("\u202eabc\u2067d\u2069") == "?abc?d?"
    assert literal("\u05d0\u200f1") == "\u05d0\u200f1"  # a mark turns nothing but itself
