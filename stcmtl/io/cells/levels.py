"""Columns of words: spellings of one level together, marks of missing values, names and prose."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.errors import Setting
from stcmtl.io.account import Column, Doubt, Fault, quote
from stcmtl.io.cells.columns import (
    MOSTLY,
    NO_WORDS,
    Cells,
    describe_empty,
    tell_marks,
)
from stcmtl.io.cells.notation import APOSTROPHES, tidy
from stcmtl.io.cells.signs import Context
from stcmtl.phrases import counted

PERHAPS = ("NA", "None", "none", "na")  # levels, as a country or an alley may be called so
PAIRS = ({"yes", "no"}, {"y", "n"}, {"ja", "nein"}, {"oui", "non"}, {"sí", "no"}, {"si", "no"})
SHORT = {"y": "yes", "n": "no"}  # where both are written, they are one
FEWEST_NAMES = 10  # so many different texts or more, one per row, name the rows
FEW_LEVELS = 12  # of a text that become a column of 0 and 1 each without being asked for
MOST_FOLDED = 50  # levels among which two spellings are one
LONG_TEXT = 40  # characters on average, of a text that says something
STRAIGHT = str.maketrans(dict.fromkeys(APOSTROPHES, "'"))
HALF_NUMBER = re.compile(r"[<>~≈≤≥*=]{0,2}\s*[+-]?\d")


def keep_as_text(cells: Cells, fault: Fault, context: Context) -> tuple[Column, pd.Series]:
    """Cells that cannot be told, which is said where they are used."""
    column, values = take_texts(replace(cells, like={}), context)
    return replace(column, kind="text", fault=fault, becomes="in doubt"), values


def take_texts(cells: Cells, context: Context) -> tuple[Column, pd.Series]:
    """Levels without blanks around them, spellings of one word together."""
    spelled = [str(level).strip() for level in cells.levels]
    weight: Counter[str] = Counter()
    for text, count in zip(spelled, cells.count_rows().tolist(), strict=True):
        weight[text] += count
    absent = find_absent(weight, cells, context)
    marks = {text: weight.pop(text) for text in list(weight) if text in absent}
    chosen = fold_levels(weight, [str(level) for level in cells.like.get("levels", ())])
    names = [chosen.get(text) for text in spelled]
    said = (*tell_trimmed(cells), *tell_merged(cells.name, chosen), *tell_marks(cells.name, marks))
    values = pd.Series(np.array([*names, None], dtype=object)[cells.codes], dtype=str)
    column = describe_text(values, cells.name)
    doubt = () if cells.like.get("levels") else find_perhaps(values, set(names), cells.name)
    doubt = doubt or find_half_numbers(chosen.values(), cells.name)
    return replace(column, doubt=doubt, said=said), values


def find_absent(texts: Iterable[str], cells: Cells, context: Context) -> set[str]:
    """Texts of a column of words that mean missing, unless an earlier file had such a level."""
    if context.how.missing_marks is not None:
        marks = {*map(tidy, context.how.missing_marks)}
    else:
        marks = {text for text in texts if tidy(text).casefold() in NO_WORDS}
        if context.written.get("na_unquoted"):
            marks |= {"NA"}
        words = [text for text in texts if text not in marks]
        if not words or not all(map(has_letters, words)):
            marks = set(filter(has_letters, marks))
        marks -= set(cells.like.get("levels", ()))
    marks |= {""}
    return {text for text in texts if text in marks or tidy(text) in marks}


def has_letters(text: str) -> bool:
    return any(char.isalnum() for char in text)


def fold_levels(weight: Counter[str], levels: list[str]) -> dict[str, str]:
    """The name of each level by its spelling: the most frequent, or that of an earlier file.

    Genotypes AA, Aa and aa are three: where nothing but one level would be left, case counts.
    """
    folded = {text: fold(text) for text in (*weight, *levels)}
    words = {folded[text] for text in weight}
    if len(words) > 2 and words <= {*SHORT, *SHORT.values()}:
        folded = {text: SHORT.get(word, word) for text, word in folded.items()}
    groups: dict[str, list[str]] = {}
    for text in weight:
        groups.setdefault(folded[text], []).append(text)
    by_fold = {folded[level]: level for level in levels}
    apart = len(by_fold) < len(levels) or (len(groups) < 2 and not levels)
    if apart or len(groups) > MOST_FOLDED:
        return {text: text for text in weight}
    chosen: dict[str, str] = {}
    for word, texts in groups.items():
        best = by_fold.get(word) or max(texts, key=lambda text: (weight[text], text))
        chosen |= {text: text if text in levels else best for text in texts}
    return chosen


def fold(text: str) -> str:
    """One form for all ways to write a word in Unicode, whatever its case, blanks, apostrophes."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(STRAIGHT)
    return " ".join(text.casefold().split())


def tell_trimmed(cells: Cells) -> list[str]:
    """Blanks matter only where there is the same text without them."""
    texts = {level for level in cells.levels if isinstance(level, str)}
    stripped = Counter(text.strip() for text in texts)
    same = sorted(t for t in texts if t != t.strip() and t.strip() and stripped[t.strip()] > 1)
    return (
        [f"In column {quote(cells.name)} {same[0][:40]!r} was read without blanks"] if same else []
    )


def tell_merged(name: str, chosen: dict[str, str]) -> list[str]:
    others: dict[str, list[str]] = {}
    for text, best in chosen.items():
        if text != best:
            others.setdefault(best, []).append(repr(text))
    return [
        f"In column {quote(name)} {', '.join(texts[:5])} was read as {quote(best)}"
        for best, texts in others.items()
    ]


def find_perhaps(values: pd.Series, names: set[str | None], name: str) -> Doubt:
    """A remark on NA and the like, which may be a level or a hole."""
    for mark in PERHAPS:
        if mark in names:
            rows = counted(int((values == mark).sum()), "row")
            what = f"In column {quote(name)} {quote(mark)} ({rows}) is kept as a text; "
            return f"{what}if it means missing, ", Setting("missing_marks", [mark], "pass {}")
    return ()


def find_half_numbers(levels: Iterable[str], name: str) -> Doubt:
    """A remark on levels such as 12*, <5, 1.2K or 1_234, which may be numbers to a person."""
    texts = sorted(set(levels))
    begin = [text for text in texts if HALF_NUMBER.match(text)]
    odd = [text for text in begin if not text.isdecimal()]
    codes = len({len(text) for text in texts}) == 1
    if codes or not odd or len(texts) < 3 or len(begin) < MOSTLY * len(texts):
        return ()
    return (f"Column {quote(name)} was read as text, as {odd[0][:40]!r} is no number",)


def describe_text(column: pd.Series, name: str) -> Column:
    present = column.dropna()
    n_missing = len(column) - len(present)
    texts = [str(level) for level in present.unique()]
    if not texts:
        return describe_empty(name, n_missing)
    kind, becomes = "text", f"{counted(len(texts), 'column')} of 0 and 1"
    typical = sum(map(len, texts[:1000])) / len(texts[:1000])
    if len(texts) == len(column) >= FEWEST_NAMES:
        kind, becomes = "identifier", "left out: a different text in every row"
    elif typical > LONG_TEXT and len(texts) > max(FEW_LEVELS, len(column) / 2):
        kind, becomes = "free text", "left out: free text"
    elif {text.casefold() for text in texts} in PAIRS:
        kind = "yes/no"
    elif len(texts) == 1 and len(column) > 1 and not n_missing:
        kind = "constant"
    elif len(texts) > FEW_LEVELS:
        becomes = f"left out: {len(texts):,} different texts"
    notation: dict[str, Any] = {"kind": "text"}
    if len(texts) <= MOST_FOLDED:
        notation["levels"] = sorted(texts)
    return Column(name, kind, texts[0][:40], n_missing, becomes, notation)
