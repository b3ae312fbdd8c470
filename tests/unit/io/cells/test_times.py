"""Times of day, spans, and dates that are written as one number."""

import datetime

import numpy as np
import pandas as pd
import pytest

from stcmtl import ReadError
from stcmtl.io.cells.times import (
    are_within,
    count_seconds,
    find_far_day,
    find_months,
    read_numbers_as_dates,
    split_words,
    to_date,
    to_span,
)
from tests.unit.io.cells.test_interpret import read_columns


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:00", 0.0),
        ("23:59:59", 86_399.0),
        ("24:00", 86_400.0),
        ("2:05 pm", 50_700.0),
        ("36:15:30.5", 130_530.5),
        ("1000:00:01", 3_600_001.0),
    ],
)
def test_seconds(text: str, seconds: float) -> None:
    assert count_seconds(text) == seconds


@pytest.mark.parametrize(
    "text", ["36:15", "36:60:00", "13:00:00 pm", "12:60", "noon", "12345:00:00"]
)
def test_what_is_no_time(text: str) -> None:
    assert np.isnan(count_seconds(text))


def test_cells_of_a_workbook() -> None:
    assert to_span(datetime.time(1, 2, 3, 4)) == datetime.timedelta(
        hours=1, minutes=2, seconds=3, microseconds=4
    )
    assert to_span(datetime.timedelta(days=2)) == datetime.timedelta(days=2)
    assert to_span("1:02") is None
    assert to_date(datetime.date(2021, 3, 5)) == pd.Timestamp(2021, 3, 5)
    assert to_date(pd.Timestamp(2021, 3, 5, 10, tz="UTC")) == pd.Timestamp(2021, 3, 5, 10)
    assert pd.isna(to_date("2021-03-05"))


@pytest.mark.parametrize(
    ("values", "name", "first", "sure"),
    [
        ([20210305, 20210306, 20210307], "x", "2021-03-05", True),
        ([20210305, 20210306], "x", "2021-03-05", False),
        ([20210305], "date", "2021-03-05", True),
        ([190001], "x", "1900-01-01", False),
        ([210012], "month", "2100-12-01", True),
        ([202101 + month for month in range(12)], "x", "2021-01-01", True),
        ([202101 + month for month in range(11)], "x", "2021-01-01", False),
        ([19000101, 21001231, 20000229], "x", "1900-01-01", True),
    ],
)
def test_whole_numbers_as_dates(values: list[int], name: str, first: str, sure: bool) -> None:
    dates, is_sure = read_numbers_as_dates(np.array(values), name)
    assert dates is not None
    assert (str(dates[0])[:10], is_sure) == (first, sure)
    assert len(dates) == len(values)


@pytest.mark.parametrize(
    "values",
    [[], [189_912], [18991231, 20210305], [21010101], [20210305, 20211301], [202113], [20210230]],
)
def test_whole_numbers_that_are_no_dates(values: list[int]) -> None:
    assert read_numbers_as_dates(np.array(values), "date") == (None, False)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([3.2021, 12.2021], "3.2021 looks like a month"),
        ([2021.03, 2021.12], "2021.03 looks like a month"),
        ([1.19, 12.21, np.nan], "1.19 looks like a month"),
        ([13.2021, 3.2021], ""),
        ([0.2021, 3.2021], ""),
        ([2021.13, 2021.12], ""),
        ([2021.0, 2021.12], ""),
        ([2101.03, 2021.12], ""),
        ([3.20215, 3.2021], ""),
        ([np.nan], ""),
        ([20210305], "20210305 looks like a date"),
        ([7], ""),
    ],
)
def test_numbers_that_may_be_months(values: list[float], said: str) -> None:
    assert " ".join(find_months(pd.Series(values), "x"))[: len(said) or None] == said


def test_within_counts_both_ends() -> None:
    assert are_within(np.array([1.0, 12.0]), 1, 12)
    assert not are_within(np.array([1.0, 12.01]), 1, 12)
    assert not are_within(np.array([0.0]), 1, 12)
    assert not are_within(np.array([13.0]), 1, 12)


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["2021-03-05", "2021-03-06", "9999-12-31"], "9999-12-31"),
        (["1900-01-01", "2021-03-05", "2021-03-06"], "1900-01-01"),
        (["1900-01-01", "1920-03-05", "1921-03-06"], ""),
        (["9999-12-31", "2021-03-05"], ""),
        (["2021-03-05", "2021-03-06", "2021-03-07"], ""),
    ],
)
def test_a_day_that_means_missing(texts: list[str], mark: str) -> None:
    doubt = find_far_day(texts, np.array(texts, "datetime64[us]"))
    assert bool(doubt) is bool(mark)
    assert not mark or doubt[0] == f"'{mark}' is far from the rest; if it means missing, "


def test_words_of_the_caller() -> None:
    assert split_words(" day first , days,,") == ["day first", "days"]
    assert split_words(None) == []


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["00:00", "12:30", "23:59:59"], "time"),
        (["00:00", "12:30", "24:00"], "span"),
        (["36:15:00", "12:30"], "span"),
        (["2021-02-30", "2021-03-05"], "text"),  # no day of the calendar
    ],
)
def test_kinds_of_times(texts: list[str], kind: str) -> None:
    assert read_columns(w=texts)["w"].kind == kind


def test_a_slip_among_several_dates_is_named() -> None:
    with pytest.raises(ReadError, match="dates in column 'w' but also '2021-02-30'"):
        read_columns(w=["2021-02-30", "2021-03-05", "2021-04-05"])


def test_dates_written_as_one_number_are_told_by_the_first() -> None:
    column = read_columns(date=["20210305", "20210410", "20220101"])["date"]
    assert column.example == "20210305"
    assert column.said == ("Column 'date' was read as dates, 20210305 as 2021-03-05",)
