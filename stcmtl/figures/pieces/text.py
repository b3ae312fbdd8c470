"""Words on a figure: names that cannot act as markup, and lines that fit a phone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import unescape
from textwrap import wrap

LONGEST_TICK = 18
LINE = 54  # letters of a subtitle that fit on 360 pixels


def escaped(text: object) -> str:
    """A text that plotly shows letter by letter: it would take <b> for markup."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def labels(argument: str, names: Sequence[object] | None, count: int) -> list[str]:
    """One distinct label each, fit for plotly; numbers from 1 where there are no names."""
    if names is None:
        return [str(i) for i in range(1, count + 1)]
    if len(names) != count:
        raise ValueError(f"{argument} has {len(names)} names where {count} are needed")
    found = [escaped(name) for name in names]
    if len(set(found)) == count:
        return found
    # plotly would draw two equal names as one row.
    return [f"{label} ({i})" for i, label in enumerate(found, start=1)]


def shortened(labels: Iterable[str]) -> dict[str, str]:
    """What the axis shows for a long name; the hover keeps the whole of it."""
    whole = {label: unescape(label) for label in labels}
    return {
        label: escaped(name[: LONGEST_TICK - 1]) + "…"
        for label, name in whole.items()
        if len(name) > LONGEST_TICK
    }


def longest_tick(labels: Iterable[str]) -> int:
    """Pixels that the longest label of an axis takes, as far as the axis shows it."""
    return max(8 * min(LONGEST_TICK, len(unescape(label))) for label in labels)


def lines(sentences: Iterable[str]) -> list[str]:
    """Sentences broken into lines, each sentence on a line of its own."""
    return [line for sentence in sentences for line in wrap(sentence, LINE)]
