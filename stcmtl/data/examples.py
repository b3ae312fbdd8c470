"""The panels among our examples in words: nothing heavy is imported to list them."""

from __future__ import annotations

from typing import NamedTuple


class Panel(NamedTuple):
    """A table of units over years, each unit a task. ``source`` says where it comes from."""

    title: str
    question: str
    size: str
    source: str


PANELS = {
    "produc": Panel(
        "Output of US states",
        "What public and private capital and labour yield in every state, 1970 to 1986.",
        "48 tasks, 4 features.",
        "Munnell (1990), Why has productivity growth declined?, New England Economic Review; "
        "Produc of R's plm.",
    ),
    "gasoline": Panel(
        "Gasoline in 18 countries",
        "How the use of gasoline per car answers to income, price and cars, 1960 to 1978.",
        "18 tasks, 3 features.",
        "Baltagi and Griffin (1983), Gasoline demand in the OECD, European Economic Review; "
        "Gasoline of R's plm.",
    ),
    "cigar": Panel(
        "Cigarettes in US states",
        "How sales of cigarettes answer to price, income and the price next door, 1963 to 1992.",
        "46 tasks, 4 features.",
        "Baltagi and Levin (1992), Cigarette taxation, Structural Change and Economic Dynamics; "
        "Cigar of R's plm.",
    ),
    "driving": Panel(
        "Traffic laws of US states",
        "Deaths on the road by laws on alcohol, seat belts and speed, 1980 to 2004.",
        "48 tasks, 11 features.",
        "Freeman (2007), Drunk driving legislation and traffic fatalities, Contemporary Economic "
        "Policy; driving of Wooldridge's Introductory Econometrics.",
    ),
    "employment": Panel(
        "Employment by industry",
        "How jobs in each US industry move with all jobs, 1991 to 2018.",
        "78 tasks, 4 features.",
        "US Bureau of Labor Statistics, Current Employment Statistics; us_employment of R's fpp3.",
    ),
}
