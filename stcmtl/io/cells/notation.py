"""Numbers as people write them, taken apart: digits with their signs, currencies, percent, units.

What dots and commas mean is decided in ``signs``, on all distinct texts of a column. Large columns
have very many, so they are searched as the lines of one string, by regular expressions that run in
C.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from stcmtl.io.account import Fault, quote

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


# What pandas would read too, or would with another decimal sign: the great majority of cells.
SIMPLE = (
    r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+|\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d{1,3}(?:\.\d{3})+(?:,\d*)?)"
    r"(?:[eE][+-]?\d{1,3})?"
)
ONE_SIMPLE, NOT_SIMPLE = re.compile(SIMPLE), re.compile(rf"(?m)^(?!{SIMPLE}$).*$")
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
MOST_DIGITS = 15  # of a whole number that a float holds whatever its digits
Cells = dict[str, str]  # a sign, and a cell that shows its role


def tidy(text: str) -> str:
    """A cell without blanks around it, in ASCII where its digits and signs have an equivalent."""
    if not text.isascii():
        text = "".join(map(plain_character, text))
    text = " ".join(text.split())
    if text[:2] == '="' and text[-1] == '"':  # a spreadsheet's way to write a text
        text = text[2:-1].strip()
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
            f"has {quote(cells[0])} and {quote(cells[1])} in",
            ", of different units",
            "write all in one unit",
        )


def find_odd(texts: list[str]) -> set[str]:
    """Texts that are no plain numbers, with a point or a comma."""
    joined = "\n".join(texts)
    if joined.count("\n") < len(texts):
        return set(NOT_SIMPLE.findall(joined))
    return {t for t in texts if not ONE_SIMPLE.fullmatch(t)}  # some have line ends of their own


def list_bodies(texts: list[str], maybe_odd: set[str]) -> Bodies:
    """What is left of texts without signs and units; ``maybe_odd`` are those to take apart."""
    odd = {text: take_apart(text) for text in texts if text in maybe_odd} if maybe_odd else {}
    simple = [text for text in texts if text not in odd] if odd else texts
    bare = [*simple, *(text for text, (body, unit) in odd.items() if body and not unit)]
    units: Cells = {}
    for text, (_, unit) in odd.items():
        if unit:
            units.setdefault(unit, text)
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
