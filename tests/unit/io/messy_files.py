"""Small files as people have them, each with the table it means or the sentence it must give.

Most hold the same three stores with eight rows each and a target ``sales``, and differ in one
column ``x``: its cells are written in many ways, and mean numbers, dates, truth values or texts.
"""

import datetime
import gzip
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

SIZE = 24
STORES = np.repeat(["Aarau", "Basel", "Chur"], SIZE // 3).tolist()
# Neither sorted nor of one sign, with fractions that end in one and in two digits.
SALES = [((7 * n) % SIZE - 9) * 1.5 + n / 4 for n in range(SIZE)]
PLAIN_SALES = [f"{value:.2f}" for value in SALES]


@dataclass(frozen=True)
class Messy:
    """One file: ``means`` are features with their values, ``says`` the words of a refusal."""

    name: str
    file: tuple[str, bytes]
    means: dict[str, Sequence[float]] | None = None
    says: str = ""
    told: str = ""  # words that the account must hold
    tasks: Sequence[Any] = field(default_factory=lambda: STORES)
    y: Sequence[Any] = field(default_factory=lambda: SALES)
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def family(self) -> str:
        return self.name.partition(":")[0] if ":" in self.name else "others"


def write(
    columns: dict[str, Sequence[str]],
    delimiter: str = ",",
    encoding: str = "utf-8",
    end: str = "\n",
) -> bytes:
    """Cells as they are, in quotes where they hold the delimiter, a quote or a line's end."""

    def cell(text: str) -> str:
        needs = any(sign in text for sign in (delimiter, '"', "\n", "\r"))
        return '"' + text.replace('"', '""') + '"' if needs else text

    rows = zip(*columns.values(), strict=True)
    lines = [delimiter.join(map(cell, row)) for row in [tuple(columns), *rows]]
    return (end.join(lines) + end).encode(encoding)


def repeat(cells: Sequence[Any], size: int = SIZE) -> list[Any]:
    return [cells[n % len(cells)] for n in range(size)]


def with_column(
    cells: Sequence[str], delimiter: str = ",", sales: Sequence[str] | None = None, **options: Any
) -> tuple[str, bytes]:
    if sales is None:
        sales = PLAIN_SALES if delimiter == "," else [c.replace(".", ",") for c in PLAIN_SALES]
    columns = {"store": STORES, "x": repeat(cells), "sales": sales}
    return "a.csv", write(columns, delimiter, **options)


WHOLE_SALES = [f"{n}" for n in range(SIZE)]


def numbers() -> list[Messy]:
    """Cells of one column, the numbers they mean, and the delimiter; whole sales prove nothing."""
    table: list[tuple[str, list[str], list[float], str]] = [
        ("plain", ["1.5", "-2", "3e2"], [1.5, -2, 300], ","),
        ("a plus sign", ["+1.5", "-2", "+3"], [1.5, -2, 3], ","),
        ("no digit before the point", [".5", "-.25", "1."], [0.5, -0.25, 1], ","),
        ("decimal comma", ["1,5", "-2", "0,25"], [1.5, -2, 0.25], ";"),
        ("decimal comma in quotes", ["1,5", "-2", "0,25"], [1.5, -2, 0.25], ","),
        (
            "decimal comma and dots",
            ["1.234,5", "12", "1.234.567,25"],
            [1234.5, 12, 1234567.25],
            ";",
        ),
        ("decimal comma, tab", ["1.234,50", "0,99"], [1234.5, 0.99], "\t"),
        ("decimal comma, bar", ["1.234,50", "0,99"], [1234.5, 0.99], "|"),
        ("US thousands", ["1,234.50", "999.00", "12,345,678.90"], [1234.5, 999, 12345678.9], ","),
        ("US thousands, semicolon", ["1,234.50", "999.00"], [1234.5, 999], ";"),
        ("thousands without fractions", ["1,050", "950", "12,400"], [1050, 950, 12400], ","),
        ("all are thousands", ["1,050", "2,345", "12,400"], [1050, 2345, 12400], ","),
        ("millions", ["1,234,567", "12,345", "7"], [1234567, 12345, 7], ","),
        ("millions with dots", ["1.234.567", "12.345", "7"], [1234567, 12345, 7], ";"),
        ("millions with dots, comma", ["1.234.567", "12.345", "7"], [1234567, 12345, 7], ","),
        ("negative thousands", ["-1,050", "950", "-12,400"], [-1050, 950, -12400], ","),
        ("blanks for thousands", ["1 234,5", "12 345", "7"], [1234.5, 12345, 7], ";"),
        ("no-break blanks", ["1\u00a0234,5", "12\u00a0345", "7"], [1234.5, 12345, 7], ";"),
        ("narrow blanks", ["1\u202f234,5", "12\u202f345", "7"], [1234.5, 12345, 7], ";"),
        ("thin blanks", ["1\u2009234.5", "12\u2009345", "7"], [1234.5, 12345, 7], ","),
        ("apostrophes", ["1'234.5", "12'345", "7"], [1234.5, 12345, 7], ","),
        ("curly apostrophes", ["1’234.50", "12’345.00", "7"], [1234.5, 12345, 7], ";"),
        ("lakhs", ["1,23,456", "12,34,567.5", "99"], [123456, 1234567.5, 99], ","),
        ("dollars", ["$1,234.00", "$5.50", "-$3"], [1234, 5.5, -3], ","),
        ("dollars in brackets", ["$1,234.00", "($5.50)", "$(3)"], [1234, -5.5, -3], ","),
        ("euros after", ["1.234,50 €", "-0,99 €", "12 €"], [1234.5, -0.99, 12], ";"),
        ("euros before", ["€ 1.234,50", "€ -0,99", "€12"], [1234.5, -0.99, 12], ";"),
        ("pounds", ["£1,234", "£5", "£12.50"], [1234, 5, 12.5], ","),
        ("francs", ["CHF 1'234.50", "CHF 12.-", "CHF 0.05"], [1234.5, 12, 0.05], ","),
        ("kronor", ["1 234,50 kr", "12 kr", "0,5 kr"], [1234.5, 12, 0.5], ";"),
        ("rupees", ["₹1,23,456.00", "₹99.50"], [123456, 99.5], ","),
        ("codes", ["USD 1,234.00", "USD 5.50"], [1234, 5.5], ","),
        ("zloty", ["1 234,50 zł", "0,99 zł"], [1234.5, 0.99], ";"),
        ("nothing in accounts", ["$ 1,234.00", "$ -", "$ (5.50)"], [1234, 0, -5.5], ","),
        ("single quotes", ["'1.5'", "'2'"], [1.5, 2], ","),
        ("hours with a zero", ["07", "12", "00"], [7, 12, 0], ","),
        ("some with a sign", ["$1,000", "5", "7.5"], [1000, 5, 7.5], ","),
        ("percent", ["12.5%", "3%", "100%"], [12.5, 3, 100], ","),
        ("percent after a blank", ["12,5 %", "3 %", "0 %"], [12.5, 3, 0], ";"),
        ("percent and a bare zero", ["12.5%", "0"], [12.5, 0], ","),
        ("brackets", ["(123)", "45", "(6.5)"], [-123, 45, -6.5], ","),
        ("trailing minus", ["123-", "45", "6.5-"], [-123, 45, -6.5], ","),
        ("a real minus", ["\u2212123", "45", "\u22126.5"], [-123, 45, -6.5], ","),
        ("a dash as minus", ["\u2013123", "45", "\u20136.5"], [-123, 45, -6.5], ","),
        ("minus and a blank", ["- 123", "45", "- 6.5"], [-123, 45, -6.5], ","),
        ("Fortran", ["1.2D+03", "-4.5d-01", "7"], [1200, -0.45, 7], ","),
        ("exponents with a comma", ["1,5E+03", "2,25e-1", "7"], [1500, 0.225, 7], ";"),
        ("full width", ["１２３", "４５．５", "－６"], [123, 45.5, -6], ","),
        ("Arabic digits", ["١٢٣", "٤٥"], [123, 45], ","),
        ("an apostrophe before", ["'123", "'45.5", "'-6"], [123, 45.5, -6], ","),
        ("blanks around", ["  123 ", "45.5  ", " -6"], [123, 45.5, -6], ","),
        ("no-break blanks around", ["\u00a0123", "45.5\u00a0", "-6"], [123, 45.5, -6], ","),
        ("a unit", ["12.5 kg", "3 kg", "100 kg"], [12.5, 3, 100], ","),
        ("degrees", ["12.5°C", "-3°C"], [12.5, -3], ","),
        ("padded fractions", ["007.50", "012.25"], [7.5, 12.25], ","),
        ("three decimals", ["1.050", "22.125", "0.375"], [1.05, 22.125, 0.375], ","),
        ("three decimals below one", ["0,105", "0,250"], [0.105, 0.25], ";"),
    ]
    return [whole(f"number: {name}", cells, means, sep) for name, cells, means, sep in table]


def column(
    name: str,
    cells: Sequence[str],
    means: Sequence[float] | dict[str, Sequence[float]] | None = None,
    delimiter: str = ",",
    says: str = "",
    told: str = "",
    sales: Sequence[str] | None = None,
    y: Sequence[Any] = SALES,
    **options: Any,
) -> Messy:
    """A file of one column ``x``; its numbers are repeated as its cells are."""
    found = means if means is None or isinstance(means, dict) else {"x": repeat(means)}
    file = with_column(cells, delimiter, sales)
    return Messy(name, file, found, says, told, y=y, options=options)


def whole(name: str, cells: Sequence[str], *means: Any, **options: Any) -> Messy:
    """Beside sales that prove nothing about signs."""
    return column(name, cells, *means, sales=WHOLE_SALES, y=range(SIZE), **options)


def table_of(name: str, columns: dict[str, Sequence[str]], *means: Any, **options: Any) -> Messy:
    """A file of stores, a column ``x`` of counts and sales, some of which are replaced."""
    plain = {"store": STORES, "x": WHOLE_SALES, "sales": PLAIN_SALES}
    return Messy(name, ("a.csv", write({**plain, **columns})), *means, **options)


def indicate(levels: Sequence[str]) -> dict[str, Sequence[float]]:
    """A feature per level, of cells that go through the levels again and again."""
    return {f"x={level}": repeat([level == each for each in levels]) for level in sorted(levels)}


def late_signs() -> list[Messy]:
    """1,500 rows of which only a late one shows what all mean."""
    rows = range(1500)
    stores, sales = [f"s{n % 5}" for n in rows], [str(n % 31) for n in rows]
    counts = [n % 97 + 1 for n in rows]

    def late(name: str, usual: list[Any], at: str, means: Any, value: Any, **more: Any) -> Messy:
        cells = [*map(str, usual)]
        cells[1234] = at
        found = None if means is None else {"x": [*means[:1234], value, *means[1235:]]}
        content = write({"store": stores, "x": cells, "sales": sales}, more.pop("delimiter", ","))
        y = [n % 31 for n in rows]
        return Messy(f"late: {name}", ("a.csv", content), found, tasks=stores, y=y, **more)

    grouped, ones = [f"{n % 9 + 1},050" for n in counts], [1000 * (n % 9 + 1) + 50 for n in counts]
    slip, mark = "numbers in column 'x' but also 'abc'", "'-' (1 cell) was taken as missing"
    middle = float(np.median(np.delete(counts, 1234)))
    codes = [f"{n % 13 + 1}" for n in rows]
    codes[1300] = "007"
    numbered = write({"store": codes, "x": sales, "sales": [str(n % 97) for n in rows]})
    return [
        late("a decimal comma", counts, "1,5", counts, 1.5, delimiter=";"),
        late("thousands", counts, "1,050", counts, 1050),
        late("a dollar", counts, "$7", counts, 7),
        late("a percent sign on all", [f"{n}%" for n in counts], "7.5%", counts, 7.5),
        late("which is decimal", grouped, "1.5", ones, 1.5),
        late("a slip", counts, "abc", None, None, says=slip),
        late("a mark", counts, "-", counts, middle, told=mark, options={"missing": "median"}),
        Messy(
            "late: a leading zero", ("a.csv", numbered), {"x": [n % 31 for n in rows]},
            tasks=codes, y=[n % 97 for n in rows],
        ),
    ]  # fmt: skip


def doubts() -> list[Messy]:
    """Where nothing is certain: a sentence, or a word of doubt in the account."""
    commas, dots, ones = ["1,051", "2,345"], ["1.051", "2.345"], [1051, 2345]
    parts = [1.051, 2.345]
    to_eleven = [*map(str, range(1, 12))]
    slips = {"a word": "abc", "a question": "12?", "a bound": "<5", "hexadecimal": "0x1F"}
    slips |= {"underscores": "1_000", "a power": "10²", "a unit": "12 years"}
    far = "(2 rows) is far from the rest"
    return [
        whole("doubt: 1,050 after semicolons", commas, parts, ";", told="pass thousands=','"),
        whole(
            "doubt: 1.050 after semicolons", dots, parts, ";",
            told="'1.051' was read as 1.051; if it means 1051, pass thousands='.'",
        ),
        whole(
            "doubt: 1.050 beside 950", ["1.050", "950"], [1050, 950], ";",
            told="'1.050' was read as 1050; if it means 1.05, pass decimal='.'",
        ),
        column("sure: 30.000 beside 1,5 elsewhere", ["30.000", "12.500"], [30000, 12500], ";"),
        column("sure: 0.100 beside 1,5 elsewhere", ["0.100", "0.250"], [0.1, 0.25], ";"),
        column("sure: 1.5 beside 1,5 elsewhere", ["1.5", "2.250"], [1.5, 2.25], ";"),
        column("sure: 1,050 beside 1.5 elsewhere", commas, ones, ";", sales=PLAIN_SALES),
        whole("said: thousands", commas, ones, ";", thousands=","),
        whole("said: decimal", commas, parts, decimal=","),
        whole("said: dots are thousands", dots, ones, thousands="."),
        whole("said: decimal comma, dots", dots, ones, ";", decimal=","),
        *(
            whole(f"quarrel: {one} and {two}", [one, two], None, ";",
                  says=f"'{one}' and '{two}' in column 'x'")
            for one, two in [("1.5", "1,5"), ("1,5", "1,234,567"), ("1.050", "1,050")]
        ),
        whole("quarrel: 1,050 beside 5000", ["1,050", "5000"], says="has '1,050' beside '5000' in"),
        column("quarrel: two currencies", ["$5", "5 €", "$7"], says="of different units"),
        column("quarrel: percent and none", ["5%", "0.07", "9%"], says="of different units"),
        *(
            column(f"slip: {name}", [*to_eleven, cell],
                   says=f"numbers in column 'x' but also {re.escape(repr(cell))}")
            for name, cell in slips.items()
        ),
        whole("slip: bad groups", [*to_eleven, "12,34"], [*range(1, 12), 12.34]),
        column("infinite", [*to_eleven, "inf"], says="infinite values in column 'x'"),
        table_of(
            "slip: the target", {"sales": ["oops", *PLAIN_SALES[1:]]},
            says="numbers in the target 'sales' but also 'oops'",
        ),
        column(
            "-999", [*to_eleven, "-999"], [*range(1, 12), -999],
            told=f"-999 {far}; if it means missing, pass missing_marks=",
        ),
        column(
            "-999 said", [*to_eleven, "-999"], [*range(1, 12), 6.0],
            missing_marks=["-999"], missing="median",
        ),
        column("9999", [*to_eleven, "9999"], [*range(1, 12), 9999], told=f"9999 {far}"),
    ]  # fmt: skip


def marks() -> list[Messy]:
    """Marks of missing values in a column of numbers, filled with the median; and among words."""
    usual = ["", "  ", "NA", "N/A", "n/a", "nan", "NaN", "NULL", "null", "#N/A", "None", "<NA>"]
    odd = [".", "-", "?", "*", "missing", "--", "\u2013", "\\N", "(null)", "#DIV/0!"]
    found = []
    for mark in (*usual, *odd):
        cells, means = [*map(str, range(1, 12)), mark], [*range(1, 12), 6.0]
        told = "was taken as missing" if mark in odd else ""
        found += [
            column(f"mark: {mark!r} among numbers", cells, means, told=told, missing="median"),
            column(f"mark: {mark!r}, refused", cells, says=r"missing values in column 'x' \(2\)"),
        ]
    red = {"x=blue": repeat([0, 1, 0]), "x=red": repeat([1, 0, 1])}
    for mark in (".", "-", "?", "*", "missing", "NULL", "#N/A", "n/a"):
        told = f"'{mark}' (8 cells) was taken as missing"
        cells = ["red", "blue", mark]
        found.append(column(f"mark: {mark!r} among words", cells, red, told=told, missing="median"))
    countries, alleys = ["DE", "NA", "ZA"], ["Grvl", "None", "Pave"]
    germany = {"x=DE": repeat([1, 1, 0]), "x=ZA": repeat([0, 0, 1])}
    r_file = pd.DataFrame({"store": STORES, "x": repeat(["DE", None, "ZA"]), "sales": SALES})
    content = r_file.to_csv(index=False, quoting=2, na_rep="\0").replace('"\0"', "NA").encode()
    kept = "'NA' (8 rows) is kept as a text; if it means missing, pass missing_marks=['NA']"
    return [
        *found,
        column("mark: Namibia", countries, indicate(countries), told=kept),
        column("mark: None is a level", alleys, indicate(alleys), told="'None' (8 rows) is kept"),
        column("mark: plus and minus are levels", ["+", "-"], indicate(["+", "-"])),
        column(
            "mark: NA means missing", countries, germany, missing_marks=["NA"], missing="median"
        ),
        Messy("mark: NA of R", ("a.csv", content), germany, options={"missing": "median"}),
    ]


def parts_of(days: Sequence[str]) -> dict[str, Sequence[float]]:
    """What days as 2021-03-05 become: year, season and days since the first."""
    dates = [datetime.date.fromisoformat(day) for day in days]
    years = np.array([date.year for date in dates])
    length = np.array([366.0 if year % 4 == 0 else 365.0 for year in years])
    turn = 2 * np.pi * np.array([date.timetuple().tm_yday - 1 for date in dates]) / length
    first = min(dates)
    parts: dict[str, Sequence[float]] = {"x: year": years.tolist()} if len(set(years)) > 1 else {}
    parts |= {
        "x: season (sine)": np.sin(turn).tolist(),
        "x: season (cosine)": np.cos(turn).tolist(),
    }
    return {**parts, "x: days": [float((date - first).days) for date in dates]}


DAYS = ["2021-12-31", "2020-02-29", "2021-03-05", "2022-10-11"]
GERMAN_MONTHS = ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August"]
GERMAN_MONTHS += ["September", "Oktober", "November", "Dezember"]


def dates() -> list[Messy]:
    forms: dict[str, Callable[[pd.Timestamp], str]] = {
        "ISO": lambda d: f"{d:%Y-%m-%d}",
        "ISO with time": lambda d: f"{d:%Y-%m-%d} 00:00:00",
        "ISO with T and zone": lambda d: f"{d:%Y-%m-%d}T00:00:00Z",
        "ISO with an offset": lambda d: f"{d:%Y-%m-%d}T00:00:00+02:00",
        "dots": lambda d: f"{d:%d.%m.%Y}",
        "dots without zeros": lambda d: f"{d.day}.{d.month}.{d.year}",
        "dots and time": lambda d: f"{d:%d.%m.%Y} 00:00",
        "dots, two digits": lambda d: f"{d:%d.%m.%y}",
        "US": lambda d: f"{d:%m/%d/%Y}",
        "US without zeros": lambda d: f"{d.month}/{d.day}/{d.year}",
        "US and time": lambda d: f"{d.month}/{d.day}/{d.year} 12:00:00 AM",
        "British": lambda d: f"{d:%d/%m/%Y}",
        "dashes": lambda d: f"{d:%d-%m-%Y}",
        "slashes, year first": lambda d: f"{d:%Y/%m/%d}",
        "dots, year first": lambda d: f"{d:%Y.%m.%d}",
        "Oracle": lambda d: f"{d:%d-%b-%Y}",
        "Oracle, two digits": lambda d: f"{d:%d-%b-%y}".upper(),
        "SAS": lambda d: f"{d:%d%b%Y}".upper(),
        "long": lambda d: f"{d.day} {d:%B %Y}",
        "American long": lambda d: f"{d:%B} {d.day}, {d.year}",
        "with a weekday": lambda d: f"Mon, {d.day} {d:%b %Y}",
        "German long": lambda d: f"{d.day}. {GERMAN_MONTHS[d.month - 1]} {d.year}",
        "one number": lambda d: f"{d:%Y%m%d}",
    }
    found = [
        column(f"date: {name}", [form(pd.Timestamp(d)) for d in DAYS], parts_of(repeat(DAYS)))
        for name, form in forms.items()
    ]
    firsts = ["2021-03-01", "2021-12-01"]
    day_one = {
        "months": (["2021-03", "2021-12", "2020-07"], [*firsts, "2020-07-01"]),
        "months, slashes": (["03/2021", "12/2021"], firsts),
        "months by name": (["Mar 2021", "Dec 2021"], firsts),
        "months of Stata": (["2021m3", "2021m12"], firsts),
        "quarters": (["2021Q1", "2021Q4"], ["2021-01-01", "2021-10-01"]),
        "quarters first": (["Q1 2021", "Q4 2021"], ["2021-01-01", "2021-10-01"]),
        "weeks": (["2021-W05", "2021-W40"], ["2021-02-01", "2021-10-04"]),
    }
    found += [
        column(f"date: {name}", cells, parts_of(repeat(days)))
        for name, (cells, days) in day_one.items()
    ]
    ambiguous = ["05/03/2021", "11/10/2022", "01/02/2021"]
    british = parts_of(repeat(["2021-03-05", "2022-10-11", "2021-02-01"]))
    american = parts_of(repeat(["2021-05-03", "2022-11-10", "2021-01-02"]))
    ask = "nothing tells which is the day"
    month = pd.date_range("2021-01-30", periods=SIZE)
    z = parts_of(repeat(["2021-12-25", "2020-02-01"]))
    both = british | {key.replace("x", "z", 1): values for key, values in z.items()}
    sure = {"x": repeat(ambiguous), "z": repeat(["25/12/2021", "01/02/2020"])}
    sure["sales"] = PLAIN_SALES
    left_out = {"x": repeat(DAYS), "z": WHOLE_SALES, "sales": PLAIN_SALES}
    return [
        *found,
        column("date: ambiguous", ambiguous, says=ask),
        column("date: day first", ambiguous, british, dates="day first"),
        column("date: month first", ambiguous, american, dates="month first"),
        column(
            "date: two orders", ["13/02/2021", "02/13/2021"],
            says="'13/02/2021' and '02/13/2021' in column 'x'",
        ),
        column("date: two digits throughout", ["21-03-05", "22-10-11"], says=ask),
        column(
            "date: a slip", [*(f"{n:02d}.03.2021" for n in range(1, 12)), "soon"],
            says="dates in column 'x' but also 'soon'",
        ),
        column(
            "date: no such day", [*(f"{n:02d}.02.2021" for n in range(20, 29)), "30.02.2021"],
            says="but also '30.02.2021'",
        ),
        column("date: a mark", ["31.12.2021", "-", "29.02.2020"], says="missing values in column"),
        column("date: days only", DAYS, {"x": parts_of(repeat(DAYS))["x: days"]}, dates="days"),
        column(
            "date: 88 days", [f"{d:%d.%m.%Y}" for d in month],
            parts_of([f"{d:%Y-%m-%d}" for d in month]),
        ),
        column("time: hours", ["08:30", "17:45", "00:15"], [8.5, 17.75, 0.25]),
        column("time: seconds", ["08:30:36", "17:45:00"], [8.51, 17.75]),
        column("time: halves of the day", ["8:30 AM", "5:45 PM", "12:15 am"], [8.5, 17.75, 0.25]),
        column("number: no dates", ["20219999", "20210305", "15"], [20219999, 20210305, 15]),
        table_of("date: another column tells", sure, both),
        table_of("date: left out", left_out, {"z": range(SIZE)}, options={"dates": "leave out"}),
        table_of("date: a target", {"sales": repeat(DAYS)}, says="dates or times in the target"),
    ]  # fmt: skip


def texts() -> list[Messy]:
    names = [f"n{(5 * n) % SIZE:02d}" for n in range(SIZE)]
    said = "The customer of day {} said that the {} things were not there"
    free = [said.format(n % 20, n) for n in range(SIZE)]
    large = [str(2**60 + n * 3) for n in range(SIZE)]
    many, zips = [f"l{n:02d}" for n in range(13)], [f"{(7 * n) % 20:05d}" for n in range(SIZE)]
    week, genes = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], ["AA", "Aa", "aa"]
    yes = {"x=No": repeat([0, 0, 0, 1, 0]), "x=Yes": repeat([1, 1, 1, 0, 1])}
    full = [n for n in range(SIZE) if n % 4 != 2]

    def beside(name: str, cells: Sequence[str], means: Any = None, **more: Any) -> Messy:
        columns = {"x": repeat(cells), "z": WHOLE_SALES, "sales": PLAIN_SALES}
        return table_of(f"text: {name}", columns, means or {"z": range(SIZE)}, **more)

    def tasks(name: str, stores: Sequence[str], means: Sequence[Any], told: str = "") -> Messy:
        x = {"x": range(SIZE)}
        return table_of(f"tasks: {name}", {"store": repeat(stores)}, x, told=told,
                        tasks=repeat(means))  # fmt: skip

    return [
        column(
            "text: Yes, yes and Yes with a blank", ["Yes", "yes", "Yes ", "No", "Yes"], yes,
            told="'yes' was read as 'Yes'",
        ),
        column("text: genotypes", genes, indicate(genes)),
        column("text: days of the week", week, indicate(week)),
        column("text: versions", ["1.2.3", "1.10.0"], indicate(["1.2.3", "1.10.0"])),
        column("text: ranges", ["10-20", "20-30"], indicate(["10-20", "20-30"])),
        beside("identifiers", names, told="column 'x', a different text in every row"),
        beside("free text", free, told="column 'x', a different text in every row"),
        beside("many levels", many, told="name it in features=['x']"),
        beside("many levels, asked for", many, indicate(many), options={"features": ["x"]}),
        beside("large numbers", large, told="column 'x', too large to be exact"),
        beside("zip codes", zips, told="column 'x', 20 different texts"),
        column("truth: True and False", ["True", "False", "False"], [1, 0, 0]),
        column(
            "truth: TRUE with a hole", ["TRUE", "FALSE", "", "FALSE"], [1, 0, 0, 0],
            missing="median",
        ),
        table_of(
            "truth: as a target with holes", {"sales": repeat(["True", "False", "", "False"])},
            {"x": full}, tasks=[STORES[n] for n in full], y=[n % 4 == 0 for n in full],
        ),
        tasks("leading zeros", ["007", "07", "7"], ["007", "07", "7"]),
        tasks("large numbers", [str(2**60), str(2**60 + 1)], [2**60, 2**60 + 1]),
        tasks(
            "Yes and yes", ["Nord", "NORD", "Ost", "Nord"], ["Nord", "Nord", "Ost", "Nord"],
            "'NORD' was read as 'Nord'",
        ),
    ]  # fmt: skip


def row_names() -> list[Messy]:
    frame = pd.DataFrame({"store": STORES, "x": range(SIZE), "sales": SALES})

    def named(name: str, index: Sequence[Any], told: str = "", **options: Any) -> Messy:
        text = frame.set_index(pd.Index(index)).to_csv(**options)
        if told == "row names":  # the header has no cell for them
            text = text.partition(options["sep"])[2]
        return Messy(f"rows: {name}", ("a.txt", text.encode()), {"x": range(SIZE)}, told=told)

    counts = [str(n + 1) for n in range(SIZE)]
    some = [str((7 * n) % 50 + 1) for n in range(SIZE)]
    return [
        named("pandas", range(SIZE)),
        named("a subset of pandas", [3 * n + n % 2 for n in range(SIZE)], "column 1"),
        named("write.csv", counts, "column 1", quoting=2),
        named("a subset of R", some, "column 1", quoting=2),
        named("names of R", [f"Mazda RX{n}" for n in range(SIZE)], "column 1", quoting=2),
        named("write.csv2", counts, quoting=2, sep=";", decimal=","),
        named("write.table", counts, "row names", quoting=2, sep=" "),
        named("write.table, tab", counts, "row names", quoting=2, sep="\t"),
    ]


def wrappings() -> list[Messy]:
    """Encodings, delimiters, headers and ends of lines, and what is said of them."""
    umlauts = repeat(["Köln", "Zürich", "Genève"])
    columns = {"store": umlauts, "x": WHOLE_SALES, "sales": PLAIN_SALES}
    german = {**columns, "sales": [c.replace(".", ",") for c in PLAIN_SALES]}
    plain = write(columns)
    packed = gzip.compress(plain[:99]) + gzip.compress(plain[99:])
    frame = pd.DataFrame({**columns, "x": range(SIZE), "sales": SALES})

    def wrapped(
        name: str, content: bytes, told: str = "", means: Any = None, **options: str
    ) -> Messy:
        x = means or {"x": range(SIZE)}
        return Messy(f"wrapped: {name}", ("a.csv", content), x, "", told, umlauts, options=options)

    rows = zip(repeat(DAYS), umlauts, WHOLE_SALES, PLAIN_SALES, strict=True)
    bare = "\n".join(",".join(row) for row in rows).encode()
    dated = {key.replace("x", "column 1", 1): v for key, v in parts_of(repeat(DAYS)).items()}
    return [
        wrapped("UTF-8 with a mark", write(columns, encoding="utf-8-sig")),
        wrapped("UTF-16", write(columns, encoding="utf-16"), "encoded in UTF-16"),
        wrapped("UTF-16 without a mark", write(columns, encoding="utf-16-le"), "encoded in UTF-16"),
        wrapped("Windows-1252", write(columns, encoding="cp1252"), "encoded in Windows-1252"),
        wrapped("German Excel", write(german, ";", "cp1252", "\r\n"), "decimal comma"),
        wrapped("Excel for the Mac", write(german, ";", "utf-8-sig", "\r")),
        wrapped("Google Sheets", write(columns, end="\r\n")),
        wrapped("sep line", b"sep=;\r\n" + write(german, ";", end="\r\n"), "decimal comma"),
        wrapped("tabs", write(columns, "\t"), "separated by tab"),
        wrapped("bars", write(columns, "|"), "separated by bar"),
        wrapped("blanks", frame.to_csv(index=False, sep=" ", quoting=2).encode(), "white space"),
        wrapped("blanks after commas", plain.replace(b",", b", ")),
        wrapped("blank lines", plain.replace(b"\n", b"\n\n")),
        wrapped("blank rows at the end", plain + b",,\n,,\n", "blank rows (2)"),
        wrapped("a title above", b"Sales of 2021\n\n" + plain, "lines above the header"),
        wrapped("a title in cells", b"Sales,,\n,,\n" + plain, "lines above the header (2)"),
        wrapped("remarks above", b"# made by a logger, A\n# in 2021\n" + plain, "header (2)"),
        wrapped("a header that is a remark", b"# " + plain),
        wrapped("empty columns at the end", plain.replace(b"\n", b",,\n"), "which is empty"),
        wrapped("all in quotes", pd.DataFrame(columns).to_csv(index=False, quoting=1).encode()),
        wrapped("two gzips in one", packed),
        wrapped("an encoding that is said", write(columns, encoding="cp437"), encoding="cp437"),
        wrapped("a delimiter that is said", write(columns, "^"), delimiter="^"),
        wrapped(
            "no header, dates first", bare, "there is no header: the first line is data",
            {**dated, "column 3": range(SIZE)}, task="column 2", target="column 4",
        ),
    ]  # fmt: skip


def workbooks() -> list[Messy]:
    """Text cells of Excel, and cells of several kinds in one column."""

    def book(name: str, cells: Sequence[Any], means: Any = None, **more: Any) -> Messy:
        buffer = io.BytesIO()
        x = pd.Series(repeat(cells), dtype=object)
        pd.DataFrame({"store": STORES, "x": x, "sales": SALES}).to_excel(buffer, index=False)
        found = {"x": repeat(means)} if isinstance(means, list) else means
        return Messy(f"Excel: {name}", ("a.xlsx", buffer.getvalue()), found, **more)

    stamp, time = datetime.datetime.fromisoformat, datetime.time.fromisoformat
    median = {"missing": "median"}
    two_days = parts_of(repeat(["2021-12-31", "2020-02-29"]))
    return [
        book("text cells", ["1.5", "2", "-3"], [1.5, 2, -3]),
        book("decimal commas", ["1,5", "2", "-3,25"], [1.5, 2, -3.25]),
        book("some text cells", [1.5, "2,5", -3], [1.5, 2.5, -3]),
        book("thousands or not", ["1,051", "2,345"], says="has '1,051' in column 'x', and nothing"),
        book("dollars", ["$1,234.00", "$5"], [1234, 5]),
        book("a mark", [1.5, "-", 2.5], [1.5, 2.0, 2.5], options=median),
        book("dates", [stamp(day) for day in DAYS], parts_of(repeat(DAYS))),
        book("dates as text", ["31.12.2021", "29.02.2020"], two_days),
        book(
            "dates of two kinds", [stamp("2021-03-05"), "13/02/2021"],
            says="as dates and '13/02/2021' as text",
        ),
        book("dates and ISO text", [stamp("2021-12-31"), "2020-02-29"], two_days),
        book("times", [time("08:30"), time("17:45")], [8.5, 17.75]),
        book("truth with a hole", [True, False, None, False], [1, 0, 0, 0], options=median),
    ]  # fmt: skip


# One table in many notations


def group(digits: str, sign: str) -> str:
    """1234567 as 1,234,567."""
    parts = [digits[max(0, end - 3) : end] for end in range(len(digits), 0, -3)]
    return sign.join(reversed(parts))


def group_in_lakhs(digits: str, sign: str) -> str:
    head, tail = digits[:-3], digits[-3:]
    parts = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)]
    return sign.join([*reversed(parts), tail]) if head else tail


@dataclass(frozen=True)
class Notation:
    """How one table is written."""

    decimal: str = "."
    thousands: str = ""
    money: str = "{}"
    minus: str = "-{}"
    date: str = "%Y-%m-%d"
    delimiter: str = ","
    encoding: str = "utf-8"
    end: str = "\n"
    above: str = ""
    rows: str = ""  # "pandas", "subset", "R" or "write.table"
    lakhs: bool = False
    quotes: int = 0  # as the csv module numbers them
    pad: str = "{}"
    missing: str = ""

    def number(self, value: float, decimals: int) -> str:
        whole, _, part = f"{abs(value):.{decimals}f}".partition(".")
        whole = (group_in_lakhs if self.lakhs else group)(whole, self.thousands)
        text = whole + (self.decimal + part if part else "")
        return self.minus.format(text) if value < 0 else text

    def write(self, table: pd.DataFrame) -> bytes:
        cells = pd.DataFrame(
            {
                "Filiale": table["Filiale"].map(self.pad.format),
                "day": table["day"].dt.strftime(self.date),
                "price": [self.money.format(self.number(v, 2)) for v in table["price"]],
                "pieces": [self.number(v, 0) for v in table["pieces"]],
                "kind": table["kind"].map(self.pad.format),
                "sales": [self.number(v, 2) for v in table["sales"]],
            }
        )
        index = {"": None, "pandas": range(len(cells)), "R": range(1, len(cells) + 1)}
        index |= {"subset": [3 * n + n % 2 for n in range(len(cells))], "write.table": index["R"]}
        options: dict[str, Any] = {"sep": self.delimiter, "quoting": self.quotes}
        if self.rows:
            kind = str if self.rows in ("R", "write.table") else int
            cells.index = pd.Index([kind(n) for n in index[self.rows]])
        if self.quotes == 2:  # numbers without quotes, where they are numbers to the writer
            cells = cells.assign(
                **{c: pd.to_numeric(cells[c]) for c in ("price", "pieces", "sales")}
            )
        text = cells.to_csv(index=bool(self.rows), lineterminator=self.end, **options)
        if self.rows == "write.table":
            text = text.partition(self.delimiter)[2]
        return (self.above + text).encode(self.encoding)


def make_table(size: int = 40, late: bool = False) -> pd.DataFrame:
    """``late`` puts all numbers of four digits and more after the first 1,000 rows."""
    size = 1100 if late else size
    n = np.arange(size)
    large = n >= 1000 if late else n % 3 == 0
    return pd.DataFrame(
        {
            "Filiale": np.array(["Köln", "Zürich", "Genève", "Málaga"])[n % 4],
            "day": pd.Timestamp("2019-03-05") + pd.to_timedelta((n * 37) % 900, "D"),
            "price": np.where(large, 1234.5, 1.0) * (1 + n % 7) - np.where(n % 5 == 0, 40.25, 0.0),
            "pieces": np.where(large, 1050 * (1 + n % 11), (n * 13) % 900),
            "kind": np.array(["new", "old", "none left"])[n % 3],
            "sales": ((n * 17) % 29) * 10.25 - 60.5,
        }
    )


GERMAN = {"decimal": ",", "thousands": ".", "delimiter": ";"}
NOTATIONS: dict[str, Notation] = {
    "plain": Notation(),
    "plain, tabs": Notation(delimiter="\t"),
    "plain, semicolons": Notation(delimiter=";"),
    "plain, bars": Notation(delimiter="|"),
    "all in quotes": Notation(quotes=1),
    "texts in quotes": Notation(quotes=2),
    "Windows line ends": Notation(end="\r\n"),
    "UTF-8 with a mark": Notation(encoding="utf-8-sig"),
    "UTF-16": Notation(encoding="utf-16"),
    "US thousands": Notation(thousands=","),
    "US thousands, tabs": Notation(thousands=",", delimiter="\t"),
    "US dollars": Notation(thousands=",", money="${}", date="%m/%d/%Y"),
    "US accounting": Notation(thousands=",", money="${}", minus="({})", date="%m/%d/%Y"),
    "US long dates": Notation(date="%B %d, %Y"),
    "British": Notation(thousands=",", money="£{}", date="%d/%m/%Y"),
    "Indian": Notation(thousands=",", lakhs=True, money="₹{}", date="%d-%m-%Y"),
    "German": Notation(**GERMAN, date="%d.%m.%Y"),
    "German, Windows": Notation(**GERMAN, date="%d.%m.%Y", end="\r\n", encoding="cp1252"),
    "German euros": Notation(**GERMAN, money="{} €", date="%d.%m.%Y"),
    "German, tabs": Notation(decimal=",", thousands=".", delimiter="\t", date="%d.%m.%y"),
    "German in quotes": Notation(decimal=",", thousands=".", date="%d.%m.%Y"),
    "German without groups": Notation(decimal=",", delimiter=";", date="%d.%m.%Y"),
    "Excel's own line": Notation(**GERMAN, above="sep=;\n"),
    "French": Notation(decimal=",", thousands="\u202f", delimiter=";", date="%d/%m/%Y"),
    "French euros": Notation(decimal=",", thousands="\u00a0", delimiter=";", money="{} €"),
    "Swedish": Notation(decimal=",", thousands=" ", delimiter=";", money="{} kr"),
    "Norwegian": Notation(
        decimal=",", thousands=" ", delimiter=";", minus="\u2212{}", money="kr {}"
    ),
    "Swiss": Notation(thousands="'", delimiter=";", money="CHF {}", date="%d.%m.%Y"),
    "Swiss, curly": Notation(thousands="’", delimiter=";", date="%d.%m.%Y"),
    "Austrian": Notation(decimal=",", thousands=" ", delimiter=";", money="€ {}", date="%d.%m.%Y"),
    "a real minus": Notation(minus="\u2212{}"),
    "a dash as minus": Notation(minus="\u2013{}"),
    "a trailing minus": Notation(minus="{}-"),
    "brackets": Notation(minus="({})"),
    "Oracle": Notation(date="%d-%b-%Y", delimiter="|"),
    "SAS": Notation(date="%d%b%Y"),
    "one number": Notation(date="%Y%m%d"),
    "slashes, year first": Notation(date="%Y/%m/%d"),
    "with time": Notation(date="%Y-%m-%dT00:00:00Z"),
    "blanks around": Notation(pad=" {} "),
    "an index of pandas": Notation(rows="pandas"),
    "a subset of pandas": Notation(rows="subset"),
    "write.csv": Notation(rows="R", quotes=2),
    "write.csv2": Notation(rows="R", decimal=",", delimiter=";"),
    "write.table": Notation(rows="write.table", delimiter="\t"),
    "a title": Notation(above="Sales of all branches\n\n"),
    "remarks": Notation(above="# from the till\n# in 2021\n"),
    "codes of money": Notation(thousands=",", money="USD {}"),
}


def list_cases() -> list[Messy]:
    groups = (numbers, late_signs, doubts, marks, dates, texts, row_names, wrappings, workbooks)
    return [case for group in groups for case in group()]
