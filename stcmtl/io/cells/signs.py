"""What dots, commas, blanks and apostrophes in the numbers of a column mean.

``weigh`` collects what proves the role of a sign, ``decide`` gives each its role with the help of
the rest of the file, and ``convert`` makes numbers.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.errors import Setting, Text
from stcmtl.io.account import Doubt, Fault, quote
from stcmtl.io.parsing import How

EXPONENT = r"(?:[eE][+-]?\d{1,3})"
TWO_SIGNS = {".": ",", ",": "."}
Shown = dict[str, str]  # a sign, and a cell that shows its role


@dataclass(frozen=True)
class Style:
    """How the numbers of a column are written; an empty sign never occurred.

    ``doubt`` says what else the cells could mean, ``fault`` why they mean nothing.
    """

    decimal: str = ""
    thousands: str = ""
    doubt: Doubt = ()
    fault: Fault | None = None


@dataclass
class Evidence:
    """Shown that show what dots, commas, blanks and apostrophes are for.

    ``open`` are cells such as 1,050 whose sign may have either role; ``longest`` the digits of the
    longest whole number without any sign, and ``grouped`` whether 1,050 stands beside 950.
    """

    decimals: Shown = field(default_factory=dict)
    thousands: Shown = field(default_factory=dict)
    open: Shown = field(default_factory=dict)
    longest: str = ""
    grouped: bool = False

    def add(self, other: Self) -> None:
        """What one column shows is a hint for the others of its file."""
        self.decimals = other.decimals | self.decimals
        self.thousands = other.thousands | self.thousands


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


def weigh(bodies: list[str | None]) -> Evidence:
    joined = "\n".join(filter(None, bodies))
    found: dict[str, Shown] = {"decimal": {}, "thousands": {}, "open": {}}
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
class Context:
    """What is known beside a column: the caller's word, its file, and the columns beside it.

    ``written`` is that of the table; ``others`` are the signs that any of its columns shows, and
    ``date_order`` is what one of dates proves.
    """

    how: How
    written: dict[str, Any] = field(default_factory=dict)
    others: Evidence = field(default_factory=Evidence)
    date_order: str = ""

    @property
    def delimiter(self) -> str:
        """Of a text file; empty where cells come from a workbook or the like."""
        return str(self.written.get("delimiter", ""))


def decide(own: Evidence, like: dict[str, Any], context: Context) -> Style:
    """The role of each sign in a column, by its own cells first, then by the rest of its file.

    ``like`` is how the same column was written in an earlier file.
    """
    if context.how.decimal or context.how.thousands:
        return follow_caller(own, context.how)
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
    if like:
        return decide_like(sign, own, like, context)
    groups_it, doubt = settle(sign, own, context)
    if groups_it is None:
        beside = f" beside {quote(own.longest)}" if own.longest else ""
        called = {",": "the comma", ".": "the dot"}[sign]
        after = f", and nothing tells whether {called} is a decimal sign"
        return Style(fault=Fault(f"has {quote(own.open[sign])}{beside} in", after, offer(sign)))
    said = tell_doubt(own.open[sign], sign, groups_it) if doubt else ()
    return Style("", sign, said) if groups_it else Style(sign, "", said)


def decide_like(sign: str, own: Evidence, like: dict[str, Any], context: Context) -> Style:
    """As in the earlier file, or as this one shows; what contradicts is refused."""
    # tabs and workbooks go with any signs, where semicolons go with decimal commas
    alike = context.delimiter in (like.get("delimiter", ""), "", "\t")
    groups = like.get("thousands", "")
    known = [sign in groups] if alike and sign in like.get("decimal", "") + groups else []
    shown = [proof for proof in [settle_by_file(sign, context.others)] if proof is not None]
    if len({*known, *shown}) == 1:
        return Style("", sign) if (known or shown)[0] else Style(sign, "")
    after = f", where the model was fitted on numbers such as {like.get('example', '17161')}"
    return Style(fault=Fault(f"has {quote(own.open[sign])} in", after, offer(sign)))


def offer(sign: str) -> Text:
    return Setting("decimal", sign, "pass {}"), " or ", Setting("thousands", sign)


def join(signs: set[str]) -> str:
    return "".join(sorted(signs))


def follow_caller(own: Evidence, how: How) -> Style:
    decimal = how.decimal or TWO_SIGNS.get(how.thousands or "", "")
    if not decimal:
        decimal = next(iter(own.decimals), "") or next(iter(own.open), "") or "."
    others = {*own.thousands, *own.open, TWO_SIGNS.get(decimal, ",")} - {decimal}
    return Style(decimal, how.thousands or join(others))


def settle(sign: str, own: Evidence, context: Context) -> tuple[bool | None, bool]:
    """Whether a sign as in 1,050 groups thousands, None where one must ask; and if in doubt."""
    shown = settle_by_file(sign, context.others)
    if shown is not None:  # semicolons go with decimal commas, unless all else shows points
        return shown, context.delimiter == ";" and shown == (sign == ",")
    if len(context.others.decimals) == 2:
        return None, True
    if own.grouped:
        return True, not sign == "," == context.delimiter
    if context.delimiter == "":
        return None, True
    if sign == "." or context.delimiter != ",":
        return False, True
    return (None, True) if own.longest else (True, False)


def settle_by_file(sign: str, others: Evidence) -> bool | None:
    """Whether a sign groups thousands, as far as other columns show it."""
    other = TWO_SIGNS[sign]
    groups = other in others.decimals or sign in others.thousands
    parts = sign in others.decimals or bool(others.thousands.keys() & {other, " ", "'"})
    return groups if groups != parts else None


def tell_doubt(cell: str, sign: str, groups: bool) -> Doubt:
    whole, part = cell.replace(sign, ""), cell.replace(sign, ".")
    read, means = (whole, part) if groups else (part, whole)
    said = Setting("decimal" if groups else "thousands", sign, "pass {}")
    return f"{quote(cell)} was read as {float(read):g}; if it means {float(means):g}, ", said


def quarrel(one: str, two: str) -> Style:
    """Shown that contradict each other."""
    sure = sorted((one, two), key=len)
    either = Setting("decimal", clause="pass {}"), " or ", Setting("thousands")
    remedy = "correct such cells, or ", *either
    before, after = (
        f"has {quote(sure[0])} and {quote(sure[1])} in",
        ", whose signs contradict each other",
    )
    return Style(fault=Fault(before, after, remedy))


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
