"""Small files as people have them, each with the table it means or the sentence it must give.

Most hold the same three stores with eight rows each and a target ``sales``, and differ in one
column ``x``: its cells are written in many ways, and mean numbers, dates, truth values or texts.
"""

import datetime
import io
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
    return [
        Messy(
            f"number: {name}",
            with_column(cells, delimiter, WHOLE_SALES),
            {"x": repeat(values)},
            y=range(SIZE),
        )
        for name, cells, values, delimiter in table
    ]


def late_signs() -> list[Messy]:
    """1,500 rows of which only a late one shows what all mean."""
    size = 1500
    table: list[tuple[str, str, str, Callable[[int], str], float, str]] = [
        ("a decimal comma", "1,5", "5", str, 1.5, ";"),
        ("thousands", "1,050", "5", str, 1050, ","),
        ("a dollar", "$7", "5", str, 7, ","),
        ("a percent sign on all", "7.5%", "5%", "{}%".format, 7.5, ","),
        ("which is decimal", "1.5", "1,050", lambda n: f"{n % 9 + 1},050", 1.5, ","),
    ]
    found = []
    for name, late, _, usual, value, delimiter in table:
        cells = [usual(n % 97 + 1) for n in range(size)]
        cells[1234] = late
        means = [float(n % 97 + 1) for n in range(size)]
        if name == "which is decimal":
            means = [1000.0 * ((n % 97 + 1) % 9 + 1) + 50 for n in range(size)]
        means[1234] = value
        stores = [f"s{n % 5}" for n in range(size)]
        sales = [str(n % 31) for n in range(size)]
        content = write({"store": stores, "x": cells, "sales": sales}, delimiter)
        y = [n % 31 for n in range(size)]
        found.append(Messy(f"late: {name}", ("a.csv", content), {"x": means}, tasks=stores, y=y))
    cells = [str(n % 97) for n in range(size)]
    cells[1400] = "abc"
    content = write({"store": stores, "x": cells, "sales": sales})
    found.append(
        Messy("late: a slip", ("a.csv", content), says="numbers in column 'x' but also 'abc'")
    )
    cells[1400] = "-"
    means = [float(n % 97) for n in range(size)]
    means[1400] = float(np.median(np.delete(means, 1400)))
    content = write({"store": stores, "x": cells, "sales": sales})
    options = {"missing": "median"}
    told = "'-' (1 cell) was taken as missing"
    found.append(
        Messy(
            "late: a mark",
            ("a.csv", content),
            {"x": means},
            told=told,
            tasks=stores,
            y=y,
            options=options,
        )
    )
    codes = [f"{n % 13 + 1}" for n in range(size)]
    codes[1300] = "007"
    content = write({"store": codes, "x": sales, "sales": [str(n % 97) for n in range(size)]})
    y = [n % 97 for n in range(size)]
    x = [float(n % 31) for n in range(size)]
    found.append(Messy("late: a leading zero", ("a.csv", content), {"x": x}, tasks=codes, y=y))
    return found


def doubts() -> list[Messy]:
    """Where nothing is certain: a sentence, or a word of doubt in the account."""
    whole = {"y": range(SIZE)}
    return [
        Messy(
            "doubt: 1,050 after semicolons",
            with_column(["1,051", "2,345"], ";", WHOLE_SALES),
            {"x": repeat([1.051, 2.345])},
            told="'1,051' was read as 1.051; if it means 1051, pass thousands=','",
            **whole,
        ),
        Messy(
            "doubt: 1.050 after semicolons",
            with_column(["1.051", "2.345"], ";", WHOLE_SALES),
            {"x": repeat([1.051, 2.345])},
            told="'1.051' was read as 1.051; if it means 1051, pass thousands='.'",
            **whole,
        ),
        Messy(
            "doubt: 1.050 beside 950",
            with_column(["1.050", "950"], ";", WHOLE_SALES),
            {"x": repeat([1050, 950])},
            told="'1.050' was read as 1050; if it means 1.05, pass decimal='.'",
            **whole,
        ),
        Messy(
            "sure: 30.000 beside 1,5 elsewhere",
            with_column(["30.000", "12.500"], ";"),
            {"x": repeat([30000, 12500])},
        ),
        Messy(
            "sure: 1,050 beside 1.5 elsewhere",
            with_column(["1,051", "2,345"], ";", PLAIN_SALES),
            {"x": repeat([1051, 2345])},
        ),
        Messy(
            "said: thousands",
            with_column(["1,051", "2,345"], ";", WHOLE_SALES),
            {"x": repeat([1051, 2345])},
            options={"thousands": ","},
            **whole,
        ),
        Messy(
            "said: decimal",
            with_column(["1,051", "2,345"], ",", WHOLE_SALES),
            {"x": repeat([1.051, 2.345])},
            options={"decimal": ","},
            **whole,
        ),
        Messy(
            "said: dots are thousands",
            with_column(["1.051", "2.345"], ",", WHOLE_SALES),
            {"x": repeat([1051, 2345])},
            options={"thousands": "."},
            **whole,
        ),
        Messy(
            "said: decimal comma, dots",
            with_column(["1.051", "2.345"], ";", WHOLE_SALES),
            {"x": repeat([1051, 2345])},
            options={"decimal": ","},
            **whole,
        ),
        Messy(
            "quarrel: 1.5 and 1,5",
            with_column(["1.5", "1,5"], ";", WHOLE_SALES),
            says="'1.5' and '1,5' in column 'x'",
        ),
        Messy(
            "quarrel: 1,5 and 1,234,567",
            with_column(["1,5", "1,234,567"], ";", WHOLE_SALES),
            says="'1,5' and '1,234,567' in column 'x'",
        ),
        Messy(
            "quarrel: 1.050 and 1,050",
            with_column(["1.050", "1,050"], ";", WHOLE_SALES),
            says="'1.050' and '1,050' in column 'x'",
        ),
        Messy(
            "quarrel: 1,050 beside 5000",
            with_column(["1,050", "5000"], ",", WHOLE_SALES),
            says="has '1,050' beside '5000' in column 'x'",
        ),
        Messy(
            "quarrel: two currencies", with_column(["$5", "5 €", "$7"]), says="of different units"
        ),
        Messy(
            "quarrel: percent and none",
            with_column(["5%", "0.07", "9%"]),
            says="of different units",
        ),
        Messy(
            "slip: a word",
            with_column([*map(str, range(1, 12)), "abc"]),
            says="numbers in column 'x' but also 'abc'",
        ),
        Messy(
            "slip: a question",
            with_column([*map(str, range(1, 12)), "12?"]),
            says="but also '12\\?'",
        ),
        Messy("slip: a bound", with_column([*map(str, range(1, 12)), "<5"]), says="but also '<5'"),
        Messy(
            "slip: hexadecimal",
            with_column([*map(str, range(1, 12)), "0x1F"]),
            says="but also '0x1F'",
        ),
        Messy(
            "slip: underscores",
            with_column([*map(str, range(1, 12)), "1_000"]),
            says="but also '1_000'",
        ),
        Messy(
            "slip: a power", with_column([*map(str, range(1, 12)), "10²"]), says="but also '10²'"
        ),
        Messy(
            "slip: bad groups",
            with_column([*map(str, range(1, 12)), "12,34"], sales=WHOLE_SALES),
            {"x": repeat([*range(1, 12), 12.34])},
            **whole,
        ),
        Messy(
            "infinite",
            with_column([*map(str, range(1, 12)), "inf"]),
            says="infinite values in column 'x'",
        ),
        Messy(
            "slip: the target",
            (
                "a.csv",
                write({"store": STORES, "x": WHOLE_SALES, "sales": ["oops", *PLAIN_SALES[1:]]}),
            ),
            says="numbers in the target 'sales' but also 'oops'",
        ),
        Messy(
            "-999",
            with_column([*map(str, range(1, 12)), "-999"]),
            {"x": repeat([*range(1, 12), -999])},
            told="-999 (2 rows) is far from the rest; if it means missing, pass missing_marks=",
        ),
        Messy(
            "-999 said",
            with_column([*map(str, range(1, 12)), "-999"]),
            {"x": repeat([*range(1, 12), 6.0])},
            options={"missing_marks": ["-999"], "missing": "median"},
        ),
        Messy(
            "9999",
            with_column([*map(str, range(1, 12)), "9999"]),
            {"x": repeat([*range(1, 12), 9999])},
            told="9999 (2 rows) is far from the rest",
        ),
    ]


def marks() -> list[Messy]:
    """Marks of missing values in a column of numbers, filled with the median; and among words."""
    found = []
    for mark in (
        ".",
        "-",
        "?",
        "*",
        "missing",
        "NULL",
        "null",
        "None",
        "NA",
        "N/A",
        "n/a",
        "nan",
        "#N/A",
        "--",
        "\u2013",
        "\\N",
        "(null)",
        "#DIV/0!",
        "",
        "  ",
        "NaN",
        "<NA>",
    ):
        cells = [*map(str, range(1, 12)), mark]
        told = (
            ""
            if mark.strip()
            in ("", "NA", "N/A", "n/a", "nan", "NaN", "NULL", "null", "#N/A", "None", "<NA>")
            else "was taken as missing"
        )
        means = {"x": repeat([*range(1, 12), 6.0])}
        found.append(
            Messy(
                f"mark: {mark!r} among numbers",
                with_column(cells),
                means,
                told=told,
                options={"missing": "median"},
            )
        )
        found.append(
            Messy(
                f"mark: {mark!r}, refused",
                with_column(cells),
                says=r"missing values in column 'x' \(2\)",
            )
        )
    red = {"x=blue": repeat([0, 1, 0]), "x=red": repeat([1, 0, 1])}
    for mark in (".", "-", "?", "*", "missing", "NULL", "#N/A", "n/a"):
        file = with_column(["red", "blue", mark])
        found.append(
            Messy(
                f"mark: {mark!r} among words",
                file,
                red,
                told=f"'{mark}' (8 cells) was taken as missing",
                options={"missing": "median"},
            )
        )
    country = {
        f"x={code}": repeat([code == c for c in ("DE", "NA", "ZA")]) for code in ("DE", "NA", "ZA")
    }
    found.append(
        Messy(
            "mark: Namibia",
            with_column(["DE", "NA", "ZA"]),
            country,
            told="'NA' (8 rows) is kept as a text; if it means missing, pass missing_marks=['NA']",
        )
    )
    alley = {
        f"x={a}": repeat([a == c for c in ("Grvl", "None", "Pave")])
        for a in ("Grvl", "None", "Pave")
    }
    found.append(
        Messy(
            "mark: None is a level",
            with_column(["Grvl", "None", "Pave"]),
            alley,
            told="'None' (8 rows) is kept",
        )
    )
    rhesus = {"x=+": repeat([1, 0, 1]), "x=-": repeat([0, 1, 0])}
    found.append(Messy("mark: plus and minus are levels", with_column(["+", "-", "+"]), rhesus))
    file = with_column(["DE", "NA", "ZA"])
    germany = {"x=DE": repeat([1, 1, 0]), "x=ZA": repeat([0, 0, 1])}
    found.append(
        Messy(
            "mark: NA means missing",
            file,
            germany,
            options={"missing_marks": ["NA"], "missing": "median"},
        )
    )
    r_file = pd.DataFrame({"store": STORES, "x": repeat(["DE", None, "ZA"]), "sales": SALES})
    content = r_file.to_csv(index=False, quoting=2, na_rep="\0").replace('"\0"', "NA").encode()
    found.append(Messy("mark: NA of R", ("a.csv", content), germany, options={"missing": "median"}))
    return found


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


def dates() -> list[Messy]:
    stamps = [pd.Timestamp(day) for day in DAYS]
    months = ["January", "February", "March", "April", "May", "June", "July", "August", "September"]
    months += ["October", "November", "December"]
    german = [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ]
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
        "Oracle": lambda d: f"{d.day:02d}-{months[d.month - 1][:3]}-{d.year}",
        "Oracle, two digits": lambda d: f"{d.day:02d}-{months[d.month - 1][:3].upper()}-{d:%y}",
        "SAS": lambda d: f"{d.day:02d}{months[d.month - 1][:3].upper()}{d.year}",
        "long": lambda d: f"{d.day} {months[d.month - 1]} {d.year}",
        "American long": lambda d: f"{months[d.month - 1]} {d.day}, {d.year}",
        "with a weekday": lambda d: f"Mon, {d.day} {months[d.month - 1][:3]} {d.year}",
        "German long": lambda d: f"{d.day}. {german[d.month - 1]} {d.year}",
        "one number": lambda d: f"{d:%Y%m%d}",
    }
    found = [
        Messy(f"date: {name}", with_column([form(d) for d in stamps]), parts_of(repeat(DAYS)))
        for name, form in forms.items()
    ]
    day_one = {
        "months": (["2021-03", "2021-12", "2020-07"], ["2021-03-01", "2021-12-01", "2020-07-01"]),
        "months, slashes": (["03/2021", "12/2021"], ["2021-03-01", "2021-12-01"]),
        "months by name": (["Mar 2021", "Dec 2021"], ["2021-03-01", "2021-12-01"]),
        "months of Stata": (["2021m3", "2021m12"], ["2021-03-01", "2021-12-01"]),
        "quarters": (["2021Q1", "2021Q4"], ["2021-01-01", "2021-10-01"]),
        "quarters first": (["Q1 2021", "Q4 2021"], ["2021-01-01", "2021-10-01"]),
        "weeks": (["2021-W05", "2021-W40"], ["2021-02-01", "2021-10-04"]),
    }
    found += [
        Messy(f"date: {name}", with_column(cells), parts_of(repeat(days)))
        for name, (cells, days) in day_one.items()
    ]
    ambiguous = ["05/03/2021", "11/10/2022", "01/02/2021"]
    british = parts_of(repeat(["2021-03-05", "2022-10-11", "2021-02-01"]))
    ask = "nothing tells which is the day"
    found += [
        Messy("date: ambiguous", with_column(ambiguous), says=ask),
        Messy("date: day first", with_column(ambiguous), british, options={"dates": "day first"}),
        Messy(
            "date: month first",
            with_column(ambiguous),
            parts_of(repeat(["2021-05-03", "2022-11-10", "2021-01-02"])),
            options={"dates": "month first"},
        ),
        Messy(
            "date: two orders",
            with_column(["13/02/2021", "02/13/2021"]),
            says="'13/02/2021' and '02/13/2021' in column 'x'",
        ),
        Messy("date: two digits throughout", with_column(["21-03-05", "22-10-11"]), says=ask),
        Messy(
            "date: a slip",
            with_column([*(f"{n:02d}.03.2021" for n in range(1, 12)), "soon"]),
            says="dates in column 'x' but also 'soon'",
        ),
        Messy(
            "date: no such day",
            with_column([*(f"{n:02d}.02.2021" for n in range(20, 29)), "30.02.2021"]),
            says="but also '30.02.2021'",
        ),
        Messy(
            "date: a mark",
            with_column(["31.12.2021", "-", "29.02.2020"]),
            says="missing values in column 'x'",
        ),
        Messy(
            "date: days only",
            with_column(DAYS),
            {"x": parts_of(repeat(DAYS))["x: days"]},
            options={"dates": "days"},
        ),
        Messy(
            "date: left out",
            (
                "a.csv",
                write({"store": STORES, "x": repeat(DAYS), "z": WHOLE_SALES, "sales": PLAIN_SALES}),
            ),
            {"z": range(SIZE)},
            options={"dates": "leave out"},
        ),
        Messy(
            "date: 88 days",
            with_column([f"{d:%d.%m.%Y}" for d in pd.date_range("2021-01-30", periods=SIZE)]),
            parts_of([f"{d:%Y-%m-%d}" for d in pd.date_range("2021-01-30", periods=SIZE)]),
        ),
        Messy(
            "time: hours",
            with_column(["08:30", "17:45", "00:15"]),
            {"x": repeat([8.5, 17.75, 0.25])},
        ),
        Messy("time: seconds", with_column(["08:30:36", "17:45:00"]), {"x": repeat([8.51, 17.75])}),
        Messy(
            "time: halves of the day",
            with_column(["8:30 AM", "5:45 PM", "12:15 am"]),
            {"x": repeat([8.5, 17.75, 0.25])},
        ),
        Messy(
            "number: no dates",
            with_column(["20219999", "20210305", "15"]),
            {"x": repeat([20219999, 20210305, 15])},
        ),
    ]
    second = {
        "store": STORES,
        "x": repeat(ambiguous),
        "z": repeat(["25/12/2021", "01/02/2020"]),
        "sales": PLAIN_SALES,
    }
    means = {
        **british,
        **{
            key.replace("x", "z", 1): value
            for key, value in parts_of(repeat(["2021-12-25", "2020-02-01"])).items()
        },
    }
    found.append(Messy("date: another column tells", ("a.csv", write(second)), means))
    target = {"store": STORES, "x": WHOLE_SALES, "sales": repeat(DAYS)}
    found.append(
        Messy(
            "date: as the target",
            ("a.csv", write(target)),
            says="dates or times in the target 'sales'",
            options={"target": "sales"},
        )
    )
    return found


def texts() -> list[Messy]:
    yes = {"x=Yes": repeat([1, 1, 1, 0, 1]), "x=No": repeat([0, 0, 0, 1, 0])}
    yes = {name: yes[name] for name in sorted(yes)}
    week = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    z = {"z": list(range(SIZE))}

    def beside(cells: Sequence[str]) -> tuple[str, bytes]:
        columns = {"store": STORES, "x": repeat(cells), "z": WHOLE_SALES, "sales": PLAIN_SALES}
        return "a.csv", write(columns)

    names = [f"n{(5 * n) % SIZE:02d}" for n in range(SIZE)]
    free = [
        f"The customer of day {n % 20} said that the {n} things were not there" for n in range(SIZE)
    ]
    large = [str(2**60 + n * 3) for n in range(SIZE)]
    padded = [f"{(7 * n) % 20:05d}" for n in range(SIZE)]
    return [
        Messy(
            "text: Yes, yes and Yes with a blank",
            with_column(["Yes", "yes", "Yes ", "No", "Yes"]),
            yes,
            told="'yes' was read as 'Yes'",
        ),
        Messy(
            "text: genotypes",
            with_column(["AA", "Aa", "aa"]),
            {f"x={g}": repeat([g == c for c in ("AA", "Aa", "aa")]) for g in ("AA", "Aa", "aa")},
        ),
        Messy(
            "text: days of the week",
            with_column(week),
            {f"x={d}": repeat([d == c for c in week]) for d in sorted(week)},
        ),
        Messy(
            "text: identifiers", beside(names), z, told="column 'x', a different text in every row"
        ),
        Messy("text: free text", beside(free), z, told="column 'x', a different text in every row"),
        Messy(
            "text: many levels",
            beside([f"level {n}" for n in range(13)]),
            z,
            told="name it in features=['x']",
        ),
        Messy(
            "text: many levels, asked for",
            beside([f"l{n:02d}" for n in range(13)]),
            {f"x=l{k:02d}": repeat([k == n for n in range(13)]) for k in range(13)},
            options={"features": ["x"]},
        ),
        Messy(
            "text: large numbers",
            beside(large),
            z,
            told="column 'x', too large to be exact",
        ),
        Messy("text: zip codes", beside(padded), z, told="column 'x', 20 different texts"),
        Messy(
            "text: versions",
            with_column(["1.2.3", "1.10.0"]),
            {"x=1.10.0": repeat([0, 1]), "x=1.2.3": repeat([1, 0])},
        ),
        Messy(
            "text: ranges",
            with_column(["10-20", "20-30"]),
            {"x=10-20": repeat([1, 0]), "x=20-30": repeat([0, 1])},
        ),
        Messy(
            "truth: True and False",
            with_column(["True", "False", "False"]),
            {"x": repeat([1, 0, 0])},
        ),
        Messy(
            "truth: TRUE with a hole",
            with_column(["TRUE", "FALSE", "", "FALSE"]),
            {"x": repeat([1, 0, 0, 0])},
            options={"missing": "median"},
        ),
        Messy(
            "truth: as a target with holes",
            (
                "a.csv",
                write(
                    {
                        "store": STORES,
                        "x": WHOLE_SALES,
                        "ill": repeat(["True", "False", "", "False"]),
                    }
                ),
            ),
            {"x": [n for n in range(SIZE) if n % 4 != 2]},
            tasks=[s for n, s in enumerate(STORES) if n % 4 != 2],
            y=[n % 4 == 0 for n in range(SIZE) if n % 4 != 2],
            options={"target": "ill", "task": "store"},
        ),
        Messy(
            "tasks: leading zeros",
            (
                "a.csv",
                write(
                    {"store": repeat(["007", "07", "7"]), "x": WHOLE_SALES, "sales": PLAIN_SALES}
                ),
            ),
            {"x": range(SIZE)},
            tasks=repeat(["007", "07", "7"]),
        ),
        Messy(
            "tasks: large numbers with a row less",
            (
                "a.csv",
                write(
                    {
                        "store": repeat([str(2**60), str(2**60 + 1)]),
                        "x": WHOLE_SALES,
                        "sales": PLAIN_SALES,
                    }
                ),
            ),
            {"x": range(SIZE)},
            tasks=repeat([2**60, 2**60 + 1]),
        ),
        Messy(
            "tasks: Yes and yes",
            (
                "a.csv",
                write(
                    {
                        "store": repeat(["Nord", "NORD", "Ost", "Nord"]),
                        "x": WHOLE_SALES,
                        "sales": PLAIN_SALES,
                    }
                ),
            ),
            {"x": range(SIZE)},
            tasks=repeat(["Nord", "Nord", "Ost", "Nord"]),
            told="'NORD' was read as 'Nord'",
        ),
    ]


def row_names() -> list[Messy]:
    frame = pd.DataFrame({"store": STORES, "x": range(SIZE), "sales": SALES})
    x = {"x": range(SIZE)}
    subset = frame.set_index(pd.Index([3 * n + n % 2 for n in range(SIZE)]))
    r_frame = frame.set_index(pd.Index([str(n + 1) for n in range(SIZE)]))
    mixed = frame.set_index(pd.Index([str((7 * n) % 50 + 1) for n in range(SIZE)]))
    cars = frame.set_index(pd.Index([f"Mazda RX{n}" for n in range(SIZE)]))
    return [
        Messy("rows: pandas", ("a.csv", frame.to_csv().encode()), x),
        Messy("rows: a subset of pandas", ("a.csv", subset.to_csv().encode()), x, told="column 1"),
        Messy("rows: write.csv", ("a.csv", r_frame.to_csv(quoting=2).encode()), x, told="column 1"),
        Messy(
            "rows: a subset of R", ("a.csv", mixed.to_csv(quoting=2).encode()), x, told="column 1"
        ),
        Messy("rows: names of R", ("a.csv", cars.to_csv(quoting=2).encode()), x, told="column 1"),
        Messy(
            "rows: write.csv2",
            ("a.csv", r_frame.to_csv(quoting=2, sep=";", decimal=",").encode()),
            x,
        ),
        Messy(
            "rows: write.table",
            ("a.txt", r_frame.to_csv(quoting=2, sep=" ").partition(" ")[2].encode()),
            x,
            told="row names",
        ),
        Messy(
            "rows: write.table, tab",
            ("a.txt", r_frame.to_csv(quoting=2, sep="\t").partition("\t")[2].encode()),
            x,
            told="row names",
        ),
    ]


def wrappings() -> list[Messy]:
    """Encodings, delimiters, headers and ends of lines."""
    umlauts = repeat(["Köln", "Zürich", "Genève"])
    columns = {"store": umlauts, "x": WHOLE_SALES, "sales": PLAIN_SALES}
    x = {"x": range(SIZE)}
    german = {**columns, "sales": [c.replace(".", ",") for c in PLAIN_SALES]}
    plain = write(columns)
    found = [
        Messy(f"wrapped: {name}", ("a.csv", content), x, tasks=umlauts)
        for name, content in {
            "UTF-8 with a mark": write(columns, encoding="utf-8-sig"),
            "UTF-16": write(columns, encoding="utf-16"),
            "Windows-1252": write(columns, encoding="cp1252"),
            "German Excel": write(german, ";", "cp1252", "\r\n"),
            "Excel for the Mac": write(german, ";", "utf-8-sig", "\r"),
            "Google Sheets": write(columns, end="\r\n"),
            "sep line": b"sep=;\r\n" + write(german, ";", end="\r\n"),
            "tabs": write(columns, "\t"),
            "bars": write(columns, "|"),
            "blanks after commas": plain.replace(b",", b", "),
            "blank lines": plain.replace(b"\n", b"\n\n"),
            "a title above": b"Sales of 2021\n\n" + plain,
            "remarks above": b"# made by a logger\n# in 2021\n" + plain,
            "empty columns at the end": plain.replace(b"\n", b",,\n"),
            "everything in quotes": pd.DataFrame(columns).to_csv(index=False, quoting=1).encode(),
            "database dump": write({**columns, "store": umlauts}, "|", end="\n"),
        }.items()
    ]
    found.append(
        Messy(
            "said: encoding",
            ("a.csv", write(columns, encoding="cp437")),
            x,
            tasks=umlauts,
            options={"encoding": "cp437"},
        )
    )
    found.append(
        Messy(
            "said: delimiter",
            ("a.csv", write({"store": umlauts, "x": WHOLE_SALES, "sales": PLAIN_SALES}, "^")),
            x,
            tasks=umlauts,
            options={"delimiter": "^"},
        )
    )
    rows = zip(repeat(DAYS), umlauts, WHOLE_SALES, PLAIN_SALES, strict=True)
    bare = "\n".join(",".join(row) for row in rows).encode()
    means = {key.replace("x", "column 1", 1): v for key, v in parts_of(repeat(DAYS)).items()}
    found.append(
        Messy(
            "wrapped: no header, dates first",
            ("a.csv", bare),
            {**means, "column 3": range(SIZE)},
            tasks=umlauts,
            options={"task": "column 2", "target": "column 4"},
        )
    )
    return found


def workbooks() -> list[Messy]:
    """Text cells of Excel, and cells of several kinds in one column."""

    def book(cells: Sequence[Any]) -> tuple[str, bytes]:
        buffer = io.BytesIO()
        frame = pd.DataFrame(
            {"store": STORES, "x": pd.Series(repeat(cells), dtype=object), "sales": SALES}
        )
        frame.to_excel(buffer, index=False)
        return "a.xlsx", buffer.getvalue()

    stamp = datetime.datetime.fromisoformat
    return [
        Messy("Excel: text cells", book(["1.5", "2", "-3"]), {"x": repeat([1.5, 2, -3])}),
        Messy("Excel: decimal commas", book(["1,5", "2", "-3,25"]), {"x": repeat([1.5, 2, -3.25])}),
        Messy("Excel: some text cells", book([1.5, "2,5", -3]), {"x": repeat([1.5, 2.5, -3])}),
        Messy(
            "Excel: thousands or not",
            book(["1,051", "2,345"]),
            says="has '1,051' in column 'x', and nothing tells",
        ),
        Messy("Excel: dollars", book(["$1,234.00", "$5"]), {"x": repeat([1234, 5])}),
        Messy(
            "Excel: a mark",
            book([1.5, "-", 2.5]),
            {"x": repeat([1.5, 2.0, 2.5])},
            options={"missing": "median"},
        ),
        Messy("Excel: dates", book([stamp(day) for day in DAYS]), parts_of(repeat(DAYS))),
        Messy(
            "Excel: dates as text",
            book(["31.12.2021", "29.02.2020"]),
            parts_of(repeat(["2021-12-31", "2020-02-29"])),
        ),
        Messy(
            "Excel: dates of two kinds",
            book([stamp("2021-03-05"), "13/02/2021"]),
            says="as dates and '13/02/2021' as text",
        ),
        Messy(
            "Excel: dates and ISO text",
            book([stamp("2021-12-31"), "2020-02-29"]),
            parts_of(repeat(["2021-12-31", "2020-02-29"])),
        ),
        Messy(
            "Excel: times",
            book([datetime.time(8, 30), datetime.time(17, 45)]),
            {"x": repeat([8.5, 17.75])},
        ),
        Messy(
            "Excel: truth with a hole",
            book([True, False, None, False]),
            {"x": repeat([1, 0, 0, 0])},
            options={"missing": "median"},
        ),
    ]


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
    size = 1300 if late else size
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
