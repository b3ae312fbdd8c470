"""One kind of error, in the words of whoever shows it."""

import warnings

import pytest

from stcmtl.errors import InputError, MissingPackageError, Setting, Worded, bad_value, require
from tests.unit.cases import together


def test_a_sentence_is_where_what_and_remedy() -> None:
    error = InputError("has one row", where="Task 'north'", remedy="give it two")
    assert str(error) == "Task 'north' has one row: give it two."
    assert (error.where, error.what, error.remedy) == ("Task 'north'", "has one row", "give it two")


def test_a_value_that_cannot_be_used_is_named() -> None:
    assert str(bad_value("mixing", "soft", "use 'sparse'")) == "mixing is 'soft': use 'sparse'."


def test_what_alone_is_a_sentence() -> None:
    assert str(InputError("There are no rows")) == "There are no rows."


@together(
    ("setting", "words"),
    [
        (Setting("n_clusters"), "n_clusters"),
        (Setting("missing", "median"), "missing='median'"),
        (Setting("limits.rows", 10), "limits=Limits(rows=10)"),
        (Setting("task", "...", "a pass of {},"), "a pass of task='...',"),
    ],
)
def test_python_names_a_setting_as_its_argument(setting: Setting, words: str) -> None:
    assert str(InputError("is off", where=setting)) == f"{words} is off."


def test_each_reader_has_words_of_its_own() -> None:
    error = InputError("There are too many", remedy=("raise ", Setting("limits.rows", 10)))
    told = error.sentence(lambda setting: f"--limit {setting.name.partition('.')[2]}")
    assert told == "There are too many: raise --limit rows."


def test_a_reader_may_word_the_clause_around_a_setting() -> None:
    remedy = "drop some", Setting("rows", 9, " or pass {}")
    error = InputError("There are too many", remedy=remedy)
    assert str(error) == "There are too many: drop some or pass rows=9."
    assert error.sentence(lambda _: "") == "There are too many: drop some."


def test_a_warning_can_be_worded_too() -> None:
    class Unsettled(Worded, UserWarning):
        pass

    remedy = "raise ", Setting("max_iter")
    with pytest.warns(Unsettled, match=r"Not settled: raise max_iter\."):
        warnings.warn(Unsettled("Not settled", remedy=remedy), stacklevel=1)


def test_what_an_extra_brings_is_asked_for() -> None:
    assert require("numpy", "Counting", extra="core").name == "numpy"
    with pytest.raises(MissingPackageError) as caught:
        require("no_such_package", "Drawing", extra="figures")
    assert isinstance(caught.value, ImportError)
    assert str(caught.value) == (
        "Drawing needs no_such_package, which is not installed: "
        'install it with pip install "stcmtl[figures]".'
    )
