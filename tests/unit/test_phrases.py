"""Numbers, counts and names in sentences."""

from stcmtl import phrases
from tests.unit.cases import together


@together(
    ("value", "shown"),
    [(0.123456, "0.123"), (123456.0, "123,000"), (12.0, "12"), (1e-7, "1e-07"), (0.0, "0")],
)
def test_three_digits(value: float, shown: str) -> None:
    assert phrases.digits(value) == shown


def test_names_in_a_sentence() -> None:
    assert phrases.listed(["a"]) == "a"
    assert phrases.listed(["a", "b", "c"]) == "a, b and c"
    assert phrases.listed(list("abcd"), most=2) == "a, b and 2 more"


def test_one_is_not_many() -> None:
    counts = [phrases.counted(n, "task") for n in (0, 1, 2000)]
    assert counts == ["0 tasks", "1 task", "2,000 tasks"]


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
