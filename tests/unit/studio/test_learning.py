"""What the scenes of Learn say, as far as it is about two numbers."""

from stcmtl.studio.words.learning import say_other_fit
from tests.unit.cases import together


@together(
    ("ours", "others", "is_robust", "said"),
    [
        (
            "4.29",
            "4.29",
            False,
            "; the robust fit has the same, so that letting go gains nothing here",
        ),
        ("1.2", "0.9", False, "; with the robust fit, 0.9"),
        ("0.9", "1.2", True, "; with the plain fit, 1.2"),
        ("1,200", "1,300", False, "; with the robust fit, 1,300: letting go costs here"),
    ],
)
def test_the_other_fit_is_said_to_help_only_where_it_does(
    ours: str, others: str, is_robust: bool, said: str
) -> None:
    assert say_other_fit(ours, others, is_robust) == said
