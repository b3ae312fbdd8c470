"""The paper's Tables 2 to 6 as data, marked where the paper does not agree with itself."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Cell:
    """One cell: a mean and a standard deviation over the paper's repetitions.

    ``marks`` name what does not fit together about it; see ``reasons``.
    """

    table: int
    setting: str
    method: str
    measure: str
    mean: float
    sd: float
    marks: tuple[str, ...]


@cache
def contents() -> dict[str, Any]:
    source = files("stcmtl.paper").joinpath("numbers.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def cells() -> dict[tuple[str, str, str], Cell]:
    """Every cell by setting, method and measure."""
    return {(cell.setting, cell.method, cell.measure): cell for cell in _cells()}


def _cells() -> Iterator[Cell]:
    contradictory = {tuple(pair) for pair in contents()["contradiction"]}
    for table in contents()["table"]:
        for setting, measures in table["cells"].items():
            for measure, pairs in measures.items():
                mark = table["marks"].get(measure)
                for method, (mean, sd) in zip(table["methods"], pairs, strict=True):
                    marks: tuple[str, ...] = () if mark is None else (mark,)
                    if measure == "REE" and (setting, method) in contradictory:
                        marks += ("contradiction",)
                    yield Cell(table["number"], setting, method, measure, mean, sd, marks)


def cell(setting: str, method: str, measure: str) -> Cell | None:
    return cells().get((setting, method, measure))


def captions() -> dict[int, str]:
    """What each table of the paper is about, by its number."""
    return {table["number"]: table["caption"] for table in contents()["table"]}


def reasons() -> dict[str, str]:
    """What each mark means, in a sentence."""
    return contents()["marks"]
