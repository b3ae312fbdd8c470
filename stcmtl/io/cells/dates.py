"""Dates as people write them.

The order of day and month is decided by a part above 12 somewhere in the column; where there is
none, and nobody says it, one must ask: a date read in the wrong order looks like any other.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.errors import Setting
from stcmtl.io.account import Doubt, Fault, quote

ORDERS = {"day first": "dmy", "month first": "mdy", "year first": "ymd"}
USES = ("parts", "days", "leave out")
MONTHS = (
    "jan january januar janvier janv enero gennaio janeiro januari ene jän jänner",
    "feb february februar février fevrier févr fevr fév febrero febbraio fevereiro februari fev",
    "mar march märz maerz mrz mär mars marzo março marco maart mrt",
    "apr april avril avr abril aprile abr",
    "may mai mayo maggio maio mei maj",
    "jun june juni juin junio giugno junho",
    "jul july juli juillet juil julio luglio julho",
    "aug august août aout agosto augustus augusti ago",
    "sep sept september septembre septiembre settembre setembro set",
    "oct october oktober okt octobre octubre ottobre outubro out",
    "nov november novembre noviembre novembro",
    "dec december dezember dez décembre decembre déc diciembre dicembre dezembro dic",
)
MONTH = {word: number for number, words in enumerate(MONTHS, 1) for word in words.split()}
WEEKDAY = r"(?:[^\W\d]{2,10}\.?,? )?"
CLOCK = (
    r"(?P<H>\d{1,2})[:h](?P<M>\d{2})(?::(?P<S>\d{2}(?:[.,]\d{1,9})?))?"
    r" ?(?P<half>[AaPp]\.?[Mm]\.?)?"
)
AT = rf"(?:(?:T|,? |:){CLOCK} ?(?P<zone>Z|UTC|GMT|[+-]\d{{2}}(?::?\d{{2}})?)?)?"
WORD = r"(?P<word>[^\W\d]{3,10})\.?"
NAMED_YEAR = r"(?P<y>\d{4}|'?\d{2})"
SHAPES = {
    "year first": rf"(?P<y>\d{{4}})(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}}){AT}",
    "numbers": rf"(?P<a>\d{{1,2}})(?P<s>[-/.]) ?(?P<b>\d{{1,2}})(?P=s) ?(?P<c>\d{{4}}|\d{{2}}){AT}",
    "day and word": (
        rf"{WEEKDAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?[ /-]?{WORD},?[ /-]?{NAMED_YEAR}{AT}"
    ),
    "word and day": rf"{WEEKDAY}{WORD} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? {NAMED_YEAR}{AT}",
    "year and word": rf"(?P<y>\d{{4}})[ /-]?{WORD}[ /-]?(?P<d>\d{{1,2}}){AT}",
    "compact": (
        r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})"
        r"(?:T(?P<H>\d{2})(?P<M>\d{2})(?P<S>\d{2})?(?P<zone>Z)?)?"
    ),
    "compact month": r"(?P<y>(?:19|20)\d{2})(?P<m>\d{2})",
    "month": r"(?P<y>\d{4})[-/](?P<m>\d{1,2})|(?P<y_>\d{4}) ?[Mm](?P<m_>\d{1,2})",
    "month and year": r"(?P<m>\d{1,2})[/.-](?P<y>\d{4})",
    "word and year": (
        rf"{WORD}[ /-]?(?P<y>\d{{4}})|(?P<y_>\d{{4}})[ /-]?(?P<word_>[^\W\d]{{3,10}})\.?"
    ),
    "word and short year": rf"{WORD}(?:-'?|')(?P<y>\d{{2}})",
    "year, month and day": r"(?P<y>\d{4})[年년] ?(?P<m>\d{1,2})[月월](?: ?(?P<d>\d{1,2})[日일])?",
    "quarter": r"(?P<y>\d{4})[ -/]?[Qq](?P<q>[1-4])|[Qq](?P<q_>[1-4])[ -/]?(?P<y_>\d{4})",
    "week": r"(?P<y>\d{4})[ -]?[Ww](?P<w>\d{1,2})(?:-?(?P<day>[1-7]))?",
}
PATTERNS = {name: re.compile(shape) for name, shape in SHAPES.items()}
ISO = re.compile(r"(?m)^(?!\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?$).*$")
SEASON = re.compile(r"\d{2}(\d{2})[-/](\d{2})")
PIVOT = 69  # two digits from here on are of the twentieth century
MOSTLY = 0.8  # share of dates from which a column of texts is a column of dates with slips

Times = NDArray[Any]  # datetime64 or timedelta64, one per distinct text


@dataclass(frozen=True)
class Dates:
    """What a column of texts says in dates; NaT where a text is none.

    ``order`` is empty where no date depended on it. ``fault`` says why they cannot be told.
    """

    values: Times
    order: str = ""
    sign: str = ""  # between parts in this order
    fault: Fault | None = None
    doubt: Doubt = ()


@dataclass(frozen=True)
class Found:
    """One date as far as it can be told without the order of its parts."""

    year: int = 0
    month: int = 1
    day: int = 1
    seconds: float = 0.0
    zone: int | None = None  # minutes
    orders: dict[str, tuple[int, int, int]] = field(default_factory=dict)  # where it depends
    sign: str = ""

    def take(self, order: str) -> Self:
        if not self.orders:
            return self
        year, month, day = self.orders[order]
        return replace(self, year=year, month=month, day=day)


def read_dates(texts: list[str], order: str = "", others: str = "") -> Dates | None:
    """The dates of distinct texts; None where hardly any is one.

    ``order`` is what the caller, or an earlier file, says; ``others`` what another column shows.
    """
    joined = "\n".join(texts)
    if joined.count("\n") < len(texts) and not ISO.search(joined):
        values = pd.to_datetime(pd.Series(texts), format="ISO8601", errors="coerce")
        return Dates(values.to_numpy("datetime64[us]"))
    if all(map(is_season, texts)):
        return None
    found = [find_date(text) for text in texts]
    if sum(date is not None for date in found) < MOSTLY * len(texts):
        return None
    zoneless = [text for text, date in zip(texts, found, strict=True) if date and date.zone is None]
    if any(date and date.zone is not None for date in found) and zoneless:
        fault = Fault(
            "has times with a zone in", f" but also {quote(zoneless[0])}", "write all in one zone"
        )
        return Dates(no_dates(texts), fault=fault)
    dates = settle_order(texts, found, order, others)
    short = [n for n, text in enumerate(texts) if PATTERNS["word and short year"].fullmatch(text)]
    if short and dates.fault is None:
        said = f"{quote(texts[short[0]])} was read as the month {dates.values[short[0]]!s:.7}"
        return replace(dates, doubt=dates.doubt or (said,))
    return dates


def find_date(text: str) -> Found | None:
    for name, pattern in PATTERNS.items():
        if match := pattern.fullmatch(text):
            part = {key.rstrip("_"): value for key, value in match.groupdict().items() if value}
            try:
                return MAKERS.get(name, make_date)(part)
            except (ValueError, KeyError):
                return None
    return None


def make_date(part: dict[str, str]) -> Found:
    month = MONTH[part["word"].lower()] if "word" in part else int(part.get("m", 1))
    year = make_year(part["y"])
    seconds, zone = make_clock(part)
    if month > 12 and "d" not in part:  # a season such as 2020/21
        raise ValueError
    return Found(year, month, int(part.get("d", 1)), seconds, zone)


def make_numbers(part: dict[str, str]) -> Found:
    """A date for each order that three numbers allow."""
    seconds, zone = make_clock(part)
    orders = {}
    for order in ORDERS.values():
        at = {letter: part["abc"[place]] for place, letter in enumerate(order)}
        month, day = int(at["m"]), int(at["d"])
        if 1 <= month <= 12 and 1 <= day <= 31 and not (order == "ymd" and len(part["c"]) == 4):
            orders[order] = make_year(at["y"].zfill(2)), month, day
    if not orders:
        raise ValueError
    return Found(seconds=seconds, zone=zone, orders=orders, sign=part["s"])


def make_week(part: dict[str, str]) -> Found:
    day = pd.Timestamp.fromisocalendar(int(part["y"]), int(part["w"]), int(part.get("day", 1)))
    return Found(day.year, day.month, day.day)


MAKERS: dict[str, Callable[[dict[str, str]], Found]] = {
    "numbers": make_numbers,
    "quarter": lambda part: Found(int(part["y"]), 3 * int(part["q"]) - 2),
    "week": make_week,
}


def make_year(text: str) -> int:
    year = int(text.lstrip("'"))
    return year if len(text) == 4 else year + (1900 if year >= PIVOT else 2000)


def make_clock(part: dict[str, str]) -> tuple[float, int | None]:
    """Seconds since midnight, and minutes of the zone."""
    hours, minutes = int(part.get("H", 0)), int(part.get("M", 0))
    seconds = float(part.get("S", "0").replace(",", "."))
    if half := part.get("half", "").lower()[:1]:
        if not 1 <= hours <= 12:
            raise ValueError
        hours = hours % 12 + (12 if half == "p" else 0)
    if hours > 24 or minutes > 59 or seconds >= 61:
        raise ValueError
    zone = None
    if said := part.get("zone"):
        digits = said.replace(":", "")
        zone = 0
        if digits[0] in "+-":
            zone = int(digits[0] + "1") * (60 * int(digits[1:3]) + int(digits[3:] or 0))
    return 3600.0 * hours + 60 * minutes + seconds, zone


def settle_order(texts: list[str], found: list[Found | None], order: str, others: str) -> Dates:
    """The dates in the order of their parts that all of them allow."""
    written = {text: date for text, date in zip(texts, found, strict=True) if date and date.orders}
    signs = {date.sign for date in written.values()}
    if not written:
        return Dates(build_times(found))
    if len(signs) > 1:  # 05.03 and 03/05 may be the same day
        return settle_by_sign(texts, found, order, others)
    against = {
        o: [t for t, date in written.items() if o not in date.orders] for o in ORDERS.values()
    }
    left = [o for o, texts_against in against.items() if not texts_against]
    if not left:
        what = f"has {quote(against['mdy'][0])} and {quote(against['dmy'][0])} in"
        after, remedy = ", with days and months in different order", "write all dates as 2021-12-31"
        return Dates(no_dates(texts), fault=Fault(what, after, remedy))
    doubt: Doubt = ()
    if order not in left and len(left) > 1:
        # nobody writes the year first in two digits before dots, and few before slashes
        if "ymd" in left and signs <= {".", "/"}:
            left.remove("ymd")
            if signs == {"/"} and len(left) == 1:
                called = next(words for words, o in ORDERS.items() if o == left[0])
                first = quote(next(iter(written)))
                what = f"{first} was read with the {called}; if that is the year, "
                doubt = (what, Setting("dates", "year first", "pass {}"))
        same = all(d.orders.get("dmy") == d.orders.get("mdy") for d in written.values())
        if "dmy" in left and (signs == {"."} or (same and "ymd" not in left)):
            left = ["dmy"]
        if others in left:
            left = [others]
        if len(left) > 1:
            return Dates(no_dates(texts), fault=ask_order(next(iter(written)), left))
    order = order if order in left else left[0]
    times = build_times([date and date.take(order) for date in found])
    return Dates(times, order, "".join(sorted(signs)), doubt=doubt)


def settle_by_sign(texts: list[str], found: list[Found | None], order: str, others: str) -> Dates:
    """Dates with dots, with slashes and with dashes each in an order of their own."""
    times = no_dates(texts)
    doubt: Doubt = ()
    for sign in {date.sign if date else "" for date in found}:
        own = [i for i, date in enumerate(found) if date and date.sign == sign]
        part = settle_order([texts[i] for i in own], [found[i] for i in own], order, others)
        if part.fault is not None:
            return Dates(times, fault=part.fault)
        times[own], doubt = part.values, doubt or part.doubt
    return Dates(times, doubt=doubt)


def no_dates(texts: list[str]) -> Times:
    return np.full(len(texts), np.datetime64("NaT", "us"))


def ask_order(text: str, left: list[str]) -> Fault:
    parts = "the day, the month and the year" if "ymd" in left else "the day and the month"
    first, *others = (words for words, order in ORDERS.items() if order in left)
    or_else = (part for words in others for part in (" or ", Setting("dates", words)))
    remedy = [Setting("dates", first, "pass {}"), *or_else]
    what = f"has {quote(text)} in", f", which looks like dates, and nothing tells which is {parts}"
    return Fault(*what, tuple(remedy))


def is_season(text: str) -> bool:
    """2009/10 and 2010/11 are seasons and no months."""
    match = SEASON.fullmatch(text)
    return match is not None and (int(match[1]) + 1) % 100 == int(match[2])


def build_times(found: list[Found | None]) -> Times:
    """Dates as an array; what no calendar has, such as 31 February, is NaT."""
    absent = Found(0, 0, 0)
    dates = [date or absent for date in found]
    columns = {unit: [getattr(date, unit) for date in dates] for unit in ("year", "month", "day")}
    days = pd.to_datetime(pd.DataFrame(columns), errors="coerce").to_numpy("datetime64[us]")
    zones = {date.zone for date in found if date}
    # as a clock there showed it, unless clocks differ
    shift = 60 if len(zones) > 1 else 0
    seconds = np.array([date.seconds - shift * (date.zone or 0) for date in dates])
    return days + np.round(seconds * 1e6).astype("timedelta64[us]")
