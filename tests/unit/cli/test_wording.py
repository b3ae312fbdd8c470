"""Sentences for people: the package's own, in the options' words; of faults, what to do."""

from __future__ import annotations

import pytest

from stcmtl import Limits, ReadError
from stcmtl.cli.wording import in_options, is_ours
from stcmtl.io.features import missing_sentence

# Functions of a module that claims to be ours.
FUNCTIONS = """
def plain():
    raise ValueError("a sentence")

def in_a_block():
    with open(__file__):
        raise ValueError(
            "a sentence"
        )

def after_a_fault():
    try:
        int("twelve")
    except ValueError as fault:
        raise ValueError("a sentence") from fault

def built_in():
    return max([])

def handed_on():
    try:
        int("twelve")
    except ValueError:
        raise

def key():
    raise KeyError("a name")
"""


@pytest.mark.parametrize(
    ("function", "ours"),
    [
        ("plain", True),
        ("in_a_block", True),
        ("after_a_fault", True),
        ("built_in", False),
        ("handed_on", False),
        ("key", False),
    ],
)
@pytest.mark.parametrize("module", ["stcmtl.somewhere", "elsewhere"])
def test_whose_fault_it_is(module: str, function: str, ours: bool) -> None:
    names = {"__name__": module, "__file__": __file__}
    exec(FUNCTIONS, names)
    with pytest.raises((ValueError, KeyError)) as caught:
        names[function]()
    assert is_ours(caught.value) == (ours and module == "stcmtl.somewhere")


def test_limits_are_options() -> None:
    with pytest.raises(ReadError) as caught:
        Limits(rows=10).check("big.csv", rows=500)
    assert in_options(str(caught.value)).endswith("or pass --limit rows=500 to allow it.")


def test_missing_cells_are_options() -> None:
    sentence = str(missing_sentence("holes.csv", {"cv": 3}))
    assert in_options(sentence) == (
        "holes.csv has missing values in column 'cv' (3): fill them, or pass --impute median."
    )


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("cv is 1: it must", "--folds is 1: it must"),
        ("Pass task='...', one of a, b.", "Pass --task NAME, one of a, b."),
        ("target=['...', '...'].", "--target NAME --target NAME."),
        ("pass task_type='classification' to", "pass --classification to"),
        ("max_iter is 0: it", "--max-iter is 0: it"),
        ("Column 'cv is ' is odd.", "Column 'cv is ' is odd."),
    ],
)
def test_arguments_are_options(sentence: str, told: str) -> None:
    assert in_options(sentence) == told
