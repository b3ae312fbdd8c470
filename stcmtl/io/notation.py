"""Numbers as people write them: decimal and thousands signs, currencies, percent, minus signs.

A column is decided on its distinct texts, all of them. ``list_bodies`` takes signs and units off,
``weigh`` collects what proves the role of a comma or a dot, ``decide`` gives each its role with the
help of the rest of the file, and ``convert`` makes numbers. Large columns have very many texts, so
they are searched as the lines of one string, by regular expressions that run in C.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.errors import Setting, Text

INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
MINUS = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
APOSTROPHES = "\u2018\u2019\u02bc\u00b4`\uff07"
SIGNS = "$€£¥₹₽₩₺₪฿₫₴₦₱₡₲₵₸₼₾¢"
CODES = (
    *("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "RMB", "SEK", "NOK", "DKK", "ISK", "PLN", "CZK"),
    *("HUF", "RON", "BGN", "INR", "AUD", "CAD", "NZD", "SGD", "HKD", "ZAR", "BRL", "MXN", "TRY"),
    *("RUB", "UAH", "KRW", "THB", "ILS", "TWD", "AED", "SAR", "CLP", "COP", "ARS", "PKR", "BDT"),
    *("US$", "A$", "C$", "R$", "NZ$", "HK$", "S$", "SFr.", "SFr", "Fr.", "kr.", "kr", "Kč", "zł"),
    *("Ft", "Rs.", "Rs", "lei", "руб.", "руб", "Euro", "euro"),
)
SHARES = ("%", "‰", "pct", "percent", "Prozent")
MEASURES = (
    *("kg", "g", "mg", "µg", "μg", "t", "lb", "lbs", "oz", "km", "m", "cm", "mm", "ft", "mi"),
    *("km/h", "mph", "m/s", "l", "ml", "mL", "h", "hrs", "min", "sec", "s", "ms"),
    *("°C", "° C", "°F", "°", "kWh", "MWh", "kW", "mV", "mA", "Hz", "Pa", "hPa"),
    *("bar", "mbar", "ppm", "m²", "m2", "m³", "m3", "km²", "ha", "kcal", "mmol/l", "mg/dl", "mmHg"),
    *("years", "yrs", "yr", "days", "hours", "pts", "px", "dB"),
)
CURRENCIES = (*SIGNS, *CODES)


def any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


EXPONENT = r"(?:[eE][+-]?\d{1,3})"
# What pandas would read too, or would with another decimal sign: the great majority of cells.
SIMPLE = (
    r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+|\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d{1,3}(?:\.\d{3})+(?:,\d*)?)"
    r"(?:[eE][+-]?\d{1,3})?"
)
NOT_SIMPLE = re.compile(rf"(?m)^(?!{SIMPLE}$).*$")
WRITTEN = re.compile(
    rf"(?:(?P<first>{any_of(CURRENCIES)}) ?(?=\())?(?P<open>\()?"
    rf"(?P<sign>[+-])? ?(?P<before>{any_of(CURRENCIES)})? ?(?P<inner>[+-])? ?"
    r"(?P<body>\d[\d.,' ]*?|[.,]\d+)(?P<dash>[.,] ?--?)?(?P<exponent>[eEdD][+-]?\d{1,3})?"
    rf" ?(?P<after>{any_of((*CURRENCIES, *SHARES, *MEASURES))})?"
    r" ?(?P<last>-)?(?P<close>\))?(?P<late>(?<=\)) ?(?:%|€|\$|£))?"
)
ACCOUNTING_ZERO = re.compile(rf"({any_of(CURRENCIES)}) ?-{{1,2}}|-{{1,2}} ?({any_of(CURRENCIES)})")
# Digits that may be one number: no version 1.2.3, no date 31.12.2021.
ONE_NUMBER = re.compile(
    r"(?:\d+|\d{1,3}(?:([., '])\d{3})(?:\1\d{3})*|\d\d?(?:,\d\d)+,\d{3})([.,]\d*)?|[.,]\d+"
)
TWO_SIGNS = {".": ",", ",": "."}
MOST_DIGITS = 15  # of a whole number that a float holds whatever its digits
Cells = dict[str, str]  # a sign, and a cell that shows its role


@dataclass(frozen=True)
class Fault:
    """Why cells cannot be told, with a gap for where they are: a column, or the target."""

    before: str
    after: str = ""
    remedy: Text = ""

    def at(self, place: str) -> str:
        return f"{self.before} {place}{self.after}"


@dataclass(frozen=True)
class Style:
    """How the numbers of a column are written; an empty sign never occurred.

    ``doubt`` says what else the cells could mean, ``fault`` why they mean nothing.
    """

    decimal: str = ""
    thousands: str = ""
    doubt: tuple[str | Setting, ...] = ()
    fault: Fault | None = None


@dataclass
class Evidence:
    """Cells that show what dots, commas, blanks and apostrophes are for.

    ``open`` are cells such as 1,050 whose sign may have either role; ``longest`` the digits of the
    longest whole number without any sign, and ``grouped`` whether 1,050 stands beside 950.
    """

    decimals: Cells = field(default_factory=dict)
    thousands: Cells = field(default_factory=dict)
    open: Cells = field(default_factory=dict)
    longest: str = ""
    grouped: bool = False

    def add(self, other: Evidence) -> None:
        """What one column shows is a hint for the others of its file."""
        self.decimals = other.decimals | self.decimals
        self.thousands = other.thousands | self.thousands


def tidy(text: str) -> str:
    """A cell without blanks around it, in ASCII where its digits and signs have an equivalent."""
    if not text.isascii():
        text = "".join(map(plain_character, text))
    text = " ".join(text.split())
    if len(text) > 2 and text[0] == text[-1] == "'":
        return text[1:-1].strip()
    marked = len(text) > 1 and text[0] == "'" and text[1] in "+-.,0123456789($€£"
    return text[1:] if marked else text


def plain_character(char: str) -> str:
    """Not by a normal form of Unicode, which would make 102 of 10²."""
    if "\uff01" <= char <= "\uff5e":  # full width
        return chr(ord(char) - 0xFEE0)
    if char in MINUS:
        return "-"
    if char in APOSTROPHES:
        return "'"
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if char in INVISIBLE:
        return ""
    return {"\u066b": ".", "\u066c": "'", "\u2044": "/"}.get(char, char)


@dataclass(frozen=True)
class Bodies:
    """The digits of every text with their signs, None for a word; a cell for every unit.

    ``bare`` is a cell without a unit, of which 0 has the same meaning with and without.
    """

    bodies: list[str | None]
    units: Cells
    bare: str = ""

    def count(self) -> int:
        """How many are numbers."""
        return len(self.bodies) - self.bodies.count(None)

    @property
    def fault(self) -> Fault | None:
        """Why units do not go together."""
        cells = list(self.units.values())
        if self.bare and self.units.keys() & set(SHARES):
            cells.append(self.bare)
        if len(cells) < 2:
            return None
        return Fault(
            f"has {cells[0]!r} and {cells[1]!r} in", ", of different units", "write all in one unit"
        )


def find_odd(texts: list[str]) -> set[str]:
    """Texts that are no plain numbers, with a point or a comma."""
    joined = "\n".join(texts)
    if joined.count("\n") < len(texts):
        return set(NOT_SIMPLE.findall(joined))
    return {text for text in texts if NOT_SIMPLE.match(text)}  # some have line ends of their own


def list_bodies(texts: list[str], maybe_odd: set[str] | None = None) -> Bodies:
    """What is left of texts without signs and units; ``maybe_odd`` are those to take apart."""
    odd = {text: take_apart(text) for text in (find_odd(texts) if maybe_odd is None else maybe_odd)}
    simple = [text for text in texts if text not in odd] if odd else texts
    bare = [*simple, *(text for text, (body, unit) in odd.items() if body and not unit)]
    units = {unit: text for text, (body, unit) in odd.items() if unit}
    if units.keys() & set(MEASURES) and (len(units) > 1 or bare):  # a slip, or words like 5 m
        odd = {
            text: (None if unit in MEASURES else body, unit) for text, (body, unit) in odd.items()
        }
        units = {unit: text for unit, text in units.items() if unit not in MEASURES}
    bodies: list[str | None] = list(texts)
    if odd:
        bodies = [odd[text][0] if text in odd else text for text in texts]
    apart = next((text for text in bare if text.strip("+-0.,")), "") if units else ""
    return Bodies(bodies, units, apart)


def take_apart(text: str) -> tuple[str | None, str]:
    """``-1,234.50`` and ``$`` of "($1,234.50)"; None where a text is no number."""
    text = tidy(text)
    if (zero := ACCOUNTING_ZERO.fullmatch(text)) is not None:
        return "0", zero[1] or zero[2]
    match = WRITTEN.fullmatch(text)
    if match is None:
        return None, ""
    part = match.groupdict()
    signs = [part[name] for name in ("sign", "inner", "last") if part[name]]
    units = [part[name] for name in ("first", "before", "after", "late") if part[name]]
    in_brackets = part["open"] is not None
    if in_brackets != (part["close"] is not None) or len(signs) + in_brackets > 1:
        return None, ""
    if len(units) > 1:
        return None, ""
    if ONE_NUMBER.fullmatch(part["body"].strip()) is None:
        return None, ""
    body, exponent = part["body"].strip(), (part["exponent"] or "").lower().replace("d", "e")
    minus = "-" if in_brackets or "-" in signs else ""
    return minus + body + exponent, units[0] if units else ""


def find_roles() -> dict[str, re.Pattern[str]]:
    """Of each role of a sign, what a line with a number looks like that shows it."""
    blank, apostrophe = (rf"[1-9]\d{{0,2}}(?:{sign}\d{{3}})+(?:[.,]\d*)?" for sign in " '")
    shapes = {"thousands  ": [blank], "thousands '": [apostrophe]}
    for sign, other in TWO_SIGNS.items():
        d, o = re.escape(sign), re.escape(other)
        shapes[f"decimal {sign}"] = [
            rf"\d+{d}(?:\d{{0,2}}|\d{{4,}}){EXPONENT}?",
            rf"(?:0\d*|\d{{4,}})?{d}\d+{EXPONENT}?",
            rf"\d+{d}\d+{EXPONENT}",
            rf"\d{{1,3}}(?:[ '{o}]\d{{3}})+{d}\d*",
        ]
        shapes[f"thousands {sign}"] = [
            rf"[1-9]\d{{0,2}}(?:{d}\d{{3}}){{2,}}(?:{o}\d*)?",
            rf"[1-9]\d{{0,2}}(?:{d}\d{{3}})+{o}\d*",
        ]
        shapes[f"open {sign}"] = [rf"[1-9]\d{{0,2}}{d}\d{{3}}"]
    shapes["thousands ,"].append(rf"{INDIAN}(?:\.\d*)?")
    return {role: re.compile(rf"(?m)^[+-]?(?:{'|'.join(own)})$") for role, own in shapes.items()}


INDIAN = r"[1-9]\d?(?:,\d\d)+,\d{3}"
ROLES = find_roles()
WHOLE = re.compile(r"(?m)^[+-]?\d+$")
LONG = re.compile(r"(?m)^[+-]?\d{4,}$")
GROUPED_ZERO = re.compile(r"(?m)^[+-]?[1-9]\d{0,2}[.,]\d\d0$")
CODE = re.compile(r"(?m)^0\d+$")
NOT_WHOLE = re.compile(r"(?m)^(?![+-]?\d+$).+$")
MANY_DIGITS = re.compile(rf"(?m)^[+-]?[1-9]\d{{{MOST_DIGITS},}}$")


def weigh(bodies: list[str | None]) -> Evidence:
    """What the cells of one column prove about its signs."""
    joined = "\n".join(filter(None, bodies))
    found: dict[str, Cells] = {"decimal": {}, "thousands": {}, "open": {}}
    for role, pattern in ROLES.items():
        kind, sign = role.split(" ", 1)
        if sign in joined and (match := pattern.search(joined)):
            found[kind][sign] = match[0]
    long = LONG.search(joined) if found["open"] else None
    grouped = bool(found["open"] and not long and WHOLE.search(joined))
    grouped = grouped and GROUPED_ZERO.search(joined) is not None
    longest = long[0] if long else ""
    return Evidence(found["decimal"], found["thousands"], found["open"], longest, grouped)


@dataclass(frozen=True)
class Setup:
    """What is known beside a column: its file's delimiter, its other columns, the caller's word.

    ``delimiter`` is empty where cells come from a workbook or the like. ``like`` is how the same
    column was written in an earlier file, as ``{"decimal": ".", "thousands": "", ...}``.
    """

    delimiter: str = ""
    others: Evidence = field(default_factory=Evidence)
    decimal: str | None = None
    thousands: str | None = None
    like: dict[str, Any] | None = None


def decide(own: Evidence, setup: Setup) -> Style:
    """The role of each sign in a column, by its own cells first, then by the rest of its file."""
    if setup.decimal or setup.thousands:
        return follow_caller(own, setup)
    if len(own.decimals) == 2:
        return quarrel(*own.decimals.values())
    for sign in own.decimals.keys() & own.thousands.keys():
        return quarrel(own.decimals[sign], own.thousands[sign])
    decimal = next(iter(own.decimals), "")
    groups = set(own.thousands)
    unsettled = own.open.keys() - {decimal} - groups
    if decimal:  # the other sign can only group
        return Style(decimal, join(groups | unsettled))
    if len(unsettled) == 2:
        return quarrel(own.open["."], own.open[","])
    if not unsettled:
        return Style("", join(groups))
    sign = unsettled.pop()
    if TWO_SIGNS[sign] in groups or groups & {" ", "'"}:
        return Style(sign, join(groups))
    if setup.like is not None:
        return decide_like(sign, own, setup)
    groups_it, doubt = settle(sign, own, setup)
    if groups_it is None:
        return ask(own.open[sign], sign, own.longest)
    said = tell_doubt(own.open[sign], sign, groups_it) if doubt else ()
    return Style("", sign, said) if groups_it else Style(sign, "", said)


def decide_like(sign: str, own: Evidence, setup: Setup) -> Style:
    """As in the earlier file, or as this one shows; what contradicts is refused."""
    like = setup.like or {}
    alike = like.get("delimiter", "") == setup.delimiter and sign in written_signs(like)
    known = [sign in like.get("thousands", "")] if alike else []
    shown = [proof for proof in [settle_by_file(sign, setup.others)] if proof is not None]
    if len({*known, *shown}) == 1:
        return Style("", sign) if (known or shown)[0] else Style(sign, "")
    before = f"has {own.open[sign]!r} in"
    after = f", where the model was fitted on numbers such as {like.get('example', '17161')}"
    remedy = Setting("decimal", sign, "pass {}"), " or ", Setting("thousands", sign)
    return Style(fault=Fault(before, after, remedy))


def written_signs(like: dict[str, Any]) -> str:
    return str(like.get("decimal", "")) + str(like.get("thousands", ""))


def join(signs: set[str]) -> str:
    return "".join(sorted(signs))


def follow_caller(own: Evidence, setup: Setup) -> Style:
    decimal = setup.decimal or (TWO_SIGNS.get(setup.thousands or "", ""))
    if not decimal:
        decimal = next(iter(own.decimals), "") or next(iter(own.open), "") or "."
    others = {*own.thousands, *own.open, TWO_SIGNS.get(decimal, ",")} - {decimal}
    return Style(decimal, setup.thousands or join(others))


def settle(sign: str, own: Evidence, setup: Setup) -> tuple[bool | None, bool]:
    """Whether a sign as in 1,050 groups thousands, None where one must ask; and if in doubt."""
    shown = settle_by_file(sign, setup.others)
    if shown is not None:
        return shown, False
    if len(setup.others.decimals) == 2:
        return None, True
    if own.grouped:
        return True, not sign == "," == setup.delimiter
    if setup.delimiter == "":
        return None, True
    if sign == "." or setup.delimiter != ",":
        return False, True
    return (None, True) if own.longest else (True, False)


def settle_by_file(sign: str, others: Evidence) -> bool | None:
    """Whether a sign groups thousands, as far as other columns show it."""
    other = TWO_SIGNS[sign]
    groups = other in others.decimals or sign in others.thousands
    parts = sign in others.decimals or bool(others.thousands.keys() & {other, " ", "'"})
    return groups if groups != parts else None


def tell_doubt(cell: str, sign: str, groups: bool) -> tuple[str | Setting, ...]:
    whole, part = cell.replace(sign, ""), cell.replace(sign, ".")
    read, means = (whole, part) if groups else (part, whole)
    said = Setting("decimal" if groups else "thousands", sign, "pass {}")
    return f"{cell!r} was read as {float(read):g}; if it means {float(means):g}, ", said


def quarrel(one: str, two: str) -> Style:
    """Cells that contradict each other."""
    sure = sorted((one, two), key=len)
    remedy = (
        "correct such cells, or ",
        Setting("decimal", clause="pass {}"),
        " or ",
        Setting("thousands"),
    )
    before, after = f"has {sure[0]!r} and {sure[1]!r} in", ", whose signs contradict each other"
    return Style(fault=Fault(before, after, remedy))


def ask(cell: str, sign: str, longest: str) -> Style:
    beside = f" beside {longest!r}" if longest else ""
    after = f", and nothing tells whether {name_sign(sign)} is a decimal sign"
    remedy = Setting("decimal", sign, "pass {}"), " or ", Setting("thousands", sign)
    return Style(fault=Fault(f"has {cell!r}{beside} in", after, remedy))


def name_sign(sign: str) -> str:
    return {",": "the comma", ".": "the dot"}.get(sign, repr(sign))


def convert(bodies: list[str | None], style: Style) -> Array:
    """The numbers of bodies that are written in a style, NaN for all others."""
    point, groups = re.escape(style.decimal or "."), re.escape(style.thousands)
    grouped = rf"|[1-9]\d{{0,2}}(?:[{groups}]\d{{3}})+" if groups else ""
    if "," in style.thousands:
        grouped += f"|{INDIAN}"
    number = rf"[+-]?(?:(?:\d+{grouped})(?:{point}\d*)?|{point}\d+){EXPONENT}?"
    texts = ["" if body is None else body for body in bodies]
    joined = "\n".join(texts)
    wrong = set(re.findall(rf"(?m)^(?!{number}$).*$", joined))
    for sign in style.thousands:
        joined = joined.replace(sign, "")
    if style.decimal == ",":
        joined = joined.replace(",", ".")
    plain = joined.split("\n")
    if wrong:
        plain = ["nan" if text in wrong else p for text, p in zip(texts, plain, strict=True)]
    return np.fromiter(map(float, plain), np.float64, len(plain))
