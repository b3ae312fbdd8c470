"""Dates as people write them, held against ``datetime``."""

from datetime import datetime

import numpy as np
import pytest

from stcmtl.io.cells.dates import (
    Found,
    build_times,
    find_date,
    is_season,
    make_clock,
    make_year,
    read_dates,
)


def days(*texts: str, order: str = "", others: str = "") -> list[datetime | None]:
    found = read_dates(list(texts), order, others)
    assert found is not None
    assert found.fault is None, found.fault
    return [None if np.isnat(day) else day.astype(datetime) for day in found.values]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("5 March 2021", (2021, 3, 5)),
        ("Mar 5th, 2021", (2021, 3, 5)),
        ("Fri, 5. März 2021", (2021, 3, 5)),
        ("5-Mar-21", (2021, 3, 5)),
        ("5 Mar '99", (1999, 3, 5)),
        ("2021 March 5", (2021, 3, 5)),
        ("2021-3-5", (2021, 3, 5)),
        ("20210305", (2021, 3, 5)),
        ("20210305T1415", (2021, 3, 5, 14, 15)),
        ("20210305T141530", (2021, 3, 5, 14, 15, 30)),
        ("202103", (2021, 3, 1)),
        ("2021-12", (2021, 12, 1)),
        ("2021M07", (2021, 7, 1)),
        ("07/2021", (2021, 7, 1)),
        ("July 2021", (2021, 7, 1)),
        ("2021 juillet", (2021, 7, 1)),
        ("2021年3月5日", (2021, 3, 5)),
        ("2021-Q1", (2021, 1, 1)),
        ("Q4 2021", (2021, 10, 1)),
        ("2021-W01", (2021, 1, 4)),
        ("2020W537", (2021, 1, 3)),
        ("5 March 2021 2:05 pm", (2021, 3, 5, 14, 5)),
        ("5 March 2021 12:05 am", (2021, 3, 5, 0, 5)),
        ("5 March 2021, 12:05 PM", (2021, 3, 5, 12, 5)),
        ("5 March 2021 24:00", (2021, 3, 6)),
        ("5 March 2021 14:05:09,25", (2021, 3, 5, 14, 5, 9, 250_000)),
    ],
)
def test_one_date(text: str, day: tuple[int, ...]) -> None:
    assert days(text) == [datetime(*day)]


@pytest.mark.parametrize(
    "text",
    [
        *("5 Moon 2021", "2020/21", "2021-13", "12:05", "40/40/2021", "2021W99", "2021-W53"),
        *(f"5 March 2021 {time}" for time in ("13:05 pm", "0:05 am", "25:00", "12:60", "12:00:61")),
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert find_date(text) is None


def test_a_day_that_no_calendar_has_is_none() -> None:
    assert days("28/02/2021", "31/02/2021", "01/03/2021") == [
        datetime(2021, 2, 28),
        None,
        datetime(2021, 3, 1),
    ]


def test_a_century_begins_with_the_pivot() -> None:
    texts = ("68", "69", "99", "'05", "0099")
    assert [make_year(text) for text in texts] == [2068, 1969, 1999, 2005, 99]


@pytest.mark.parametrize(
    ("part", "seconds", "zone"),
    [
        ({"H": "1", "M": "2", "S": "3.5"}, 3723.5, None),
        ({}, 0.0, None),
        ({"H": "23", "M": "59", "S": "60"}, 86_400.0, None),
        ({"H": "1", "M": "00", "zone": "Z"}, 3600.0, 0),
        ({"H": "1", "M": "00", "zone": "+05:30"}, 3600.0, 330),
        ({"H": "1", "M": "00", "zone": "-0800"}, 3600.0, -480),
        ({"H": "1", "M": "00", "zone": "+02"}, 3600.0, 120),
        ({"H": "12", "M": "00", "half": "a.m."}, 0.0, None),
        ({"H": "12", "M": "00", "half": "PM"}, 43_200.0, None),
        ({"H": "1", "M": "00", "half": "pm"}, 46_800.0, None),
    ],
)
def test_clocks(part: dict[str, str], seconds: float, zone: int | None) -> None:
    assert make_clock(part) == (seconds, zone)


def test_clocks_of_one_zone_stand_as_they_show_and_others_are_put_on_one() -> None:
    one = "5 March 2021 10:00 +02:00", "5 March 2021 11:00 +02:00"
    assert days(*one) == [datetime(2021, 3, 5, 10), datetime(2021, 3, 5, 11)]
    two = "5 March 2021 10:00 +02:00", "5 March 2021 11:00 -01:30"
    assert days(*two) == [datetime(2021, 3, 5, 8), datetime(2021, 3, 5, 12, 30)]
    mixed = read_dates(["5 March 2021 10:00 Z", "5 March 2021 11:00"])
    assert mixed is not None
    assert "has times with a zone in" in str(mixed.fault)


# Which part is the day


@pytest.mark.parametrize(
    ("texts", "given", "order"),
    [
        (("25/03/2021", "04/05/2021"), {}, "dmy"),
        (("03/25/2021", "04/05/2021"), {}, "mdy"),
        (("04.05.2021", "06.07.2021"), {}, "dmy"),
        (("04/05/2021", "06/07/2021"), {"order": "mdy"}, "mdy"),
        (("04/05/2021", "06/07/2021"), {"others": "dmy"}, "dmy"),
        (("05/05/2021", "07/07/2021"), {}, "dmy"),
        (("21-03-25", "21-03-26"), {"order": "ymd"}, "ymd"),
        (("25/03/2021", "04/05/2021"), {"order": "mdy"}, "dmy"),
    ],
)
def test_the_order_of_parts(texts: tuple[str, ...], given: dict[str, str], order: str) -> None:
    formats = {"dmy": "%d/%m/%Y", "mdy": "%m/%d/%Y", "ymd": "%y/%m/%d"}
    found = read_dates(list(texts), **given)
    assert found is not None
    assert (found.order, found.sign) == (order, texts[0].strip("0123456789")[:1] or found.sign)
    plain = [text.replace("-", "/").replace(".", "/") for text in texts]
    assert days(*texts, **given) == [datetime.strptime(t, formats[order]) for t in plain]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["04/05/2021", "06/07/2021"], "nothing tells which is the day and the month"),
        (["04-05-06", "06-07-08"], "which is the day, the month and the year"),
        (["25/03/2021", "03/25/2021"], "with days and months in different order"),
    ],
)
def test_where_nothing_tells_one_is_asked(texts: list[str], said: str) -> None:
    found = read_dates(texts)
    assert found is not None
    assert said in str(found.fault)
    assert np.isnat(found.values).all()


def test_a_year_of_four_digits_at_the_end_is_the_year() -> None:
    assert find_date("01/02/2021").orders == {"dmy": (2021, 2, 1), "mdy": (2021, 1, 2)}
    assert find_date("01/02/21").orders["ymd"] == (2001, 2, 21)


def test_each_sign_has_an_order_of_its_own() -> None:
    assert days("04.05.2021", "05/25/2021") == [datetime(2021, 5, 4), datetime(2021, 5, 25)]
    found = read_dates(["04.05.2021", "04/05/2021"])
    assert found is not None
    assert "04/05/2021" in str(found.fault)


def test_two_digits_before_slashes_may_be_the_year_which_is_told() -> None:
    found = read_dates(["13/02/03", "14/02/05"])
    assert found is not None
    assert found.order == "dmy"
    assert "was read with the day first; if that is the year, " in str(found.doubt)


def test_a_month_of_a_short_year_is_told() -> None:
    found = read_dates(["Mar-21", "Apr-21"])
    assert found is not None
    assert found.doubt == ("'Mar-21' was read as the month 2021-03",)


# What is a column of dates


def test_a_column_of_dates_may_have_slips_but_few() -> None:
    good = [f"{day} March 2021" for day in range(1, 5)]
    assert days(*good, "soon")[4] is None
    assert read_dates([*good[:3], "soon"]) is None
    assert read_dates(["2009/10", "2010/11", "2099/00"]) is None
    assert days("2009/10", "2010/09") == [datetime(2009, 10, 1), datetime(2010, 9, 1)]


@pytest.mark.parametrize(
    ("text", "season"),
    [("2009/10", True), ("1999-00", True), ("2009/11", False), ("209/10", False)],
)
def test_seasons(text: str, season: bool) -> None:
    assert is_season(text) is season


def test_times_to_the_microsecond() -> None:
    [time, nothing] = build_times([Found(2021, 3, 5, 1.2345678), None])
    assert time == np.datetime64("2021-03-05T00:00:01.234568")
    assert np.isnat(nothing)
