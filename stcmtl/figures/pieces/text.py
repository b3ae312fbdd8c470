"""Words on a figure: names that cannot act as markup, and lines that fit a phone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape, unescape
from textwrap import wrap

from stcmtl.errors import InputError, Setting

LONGEST_TICK = 18
LINE = 54  # letters of a subtitle that fit on 360 pixels


def as_plain(text: object) -> str:
    """A text that plotly shows letter by letter: it would take <b> for markup."""
    return escape(str(text), quote=False)


def make_labels(argument: str, names: Sequence[object] | None, count: int) -> list[str]:
    """One distinct label each, fit for plotly; numbers from 1 where there are no names."""
    if names is None:
        return [str(i) for i in range(1, count + 1)]
    if len(names) != count:
        raise InputError(
            f"has {len(names)} names where {count} are needed", where=Setting(argument)
        )
    found = [as_plain(name) for name in names]
    if len(set(found)) == count:
        return found
    # plotly would draw two equal names as one row.
    return [f"{label} ({i})" for i, label in enumerate(found, start=1)]


def shorten(labels: Iterable[str]) -> dict[str, str]:
    """What the axis shows for a long name; the hover keeps the whole of it."""
    whole = {label: unescape(label) for label in labels}
    return {
        label: as_plain(name[: LONGEST_TICK - 1]) + "…"
        for label, name in whole.items()
        if len(name) > LONGEST_TICK
    }


def longest_tick(labels: Iterable[str]) -> int:
    """Pixels that the longest label of an axis takes, as far as the axis shows it."""
    return max(8 * min(LONGEST_TICK, len(unescape(label))) for label in labels)


def break_lines(sentences: Iterable[str]) -> list[str]:
    """Sentences broken into lines, each sentence on a line of its own."""
    return [line for sentence in sentences for line in wrap(sentence, LINE)]
