"""Progress, documents, and sentences for people in the options' words, with what to do."""

import io
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from stcmtl import Limits, ReadError
from stcmtl.cli.console import Console, as_json, name_in_options, sentence_of
from stcmtl.errors import InputError, Setting
from tests.unit.cases import together


def test_limits_are_options() -> None:
    with pytest.raises(ReadError) as caught:
        Limits(rows=10).check("big.csv", rows=500)
    assert sentence_of(caught.value).endswith("or pass --limit rows=500 to allow it.")


@together(
    ("setting", "words"),
    [
        (Setting("cv"), "--folds"),
        (Setting("n_clusters"), "--clusters"),
        (Setting("max_iter"), "--max-iter"),
        (Setting("repetitions"), "--reps"),
        (Setting("ks"), "--ks"),
        (Setting("task", "...", "Pass {}, one of"), "Pass --task NAME, one of"),
        (Setting("target", "..."), "--target NAME"),
        (Setting("target", "final score"), "--target 'final score'"),
        (Setting("target", ["...", "..."]), "--target NAME --target NAME"),
        (Setting("task_type", "classification"), "--classification"),
        (Setting("missing", "median", "pass {}"), "pass --impute median"),
        (Setting("limits.tasks", 9), "--limit tasks=9"),
        (Setting("refine", False), "--paper"),
        (Setting("standardize", True), "--standardize"),
        (Setting("standardize", False), "--no-standardize"),
        (Setting("fit_intercept", False), "--no-intercept"),
        (Setting("task_type"), "--classification or --regression"),
        (Setting("data_home"), "data_home"),  # which has no option
    ],
)
def test_arguments_are_options(setting: Setting, words: str) -> None:
    assert name_in_options(setting) == words


@together(
    ("fault", "sentence"),
    [
        (InputError("is odd", where="Column 'cv is '"), "Column 'cv is ' is odd."),
        (InputError("is 1", where=Setting("cv"), remedy="give 2"), "--folds is 1: give 2."),
        (OSError("model.stcmtl cannot\nbe opened."), "model.stcmtl cannot be opened."),
        (FileNotFoundError(2, "No such file", "a.csv"), "a.csv: No such file; check the path."),
        (
            MemoryError(),
            "There is not enough memory for this: use a smaller file, or fewer features.",
        ),
        (UserWarning("Fewer rows than folds."), "Fewer rows than folds."),
        (
            ValueError("of a library"),
            "Something unexpected happened in fit (ValueError: of a library): "
            "run it again with --debug to see where, and report it.",
        ),
    ],
)
def test_one_sentence_whatever_it_is(fault: Exception, sentence: str) -> None:
    assert sentence_of(fault, "fit") == sentence


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "quiet", "shown"),
    [(Terminal(), False, True), (Terminal(), True, False), (io.StringIO(), False, False)],
)
def test_progress_is_for_terminals(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, quiet: bool, shown: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    console = Console(quiet, as_json=True)

    def count() -> Generator[int, None, str]:
        yield from (1, 2)
        console.say("One of them is black.")
        yield 3
        return "asleep"

    assert console.follow(count(), str, "Counting", " sheep", total=4) == "asleep"
    assert ("Counting" in stream.getvalue()) == shown
    assert stream.getvalue().count("One of them is black.\n") == (not quiet)


def test_json_has_finite_numbers_only() -> None:
    values = {"a": float("nan"), "b": [float("inf"), 1.5], "c": (True, None), "d": Path("x")}
    assert "".join(as_json(values).split()) == '{"a":null,"b":[null,1.5],"c":[true,null],"d":"x"}'
