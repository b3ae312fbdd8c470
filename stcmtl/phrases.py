"""Numbers, counts and names as they stand in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def digits(value: float) -> str:
    """Three significant digits, without an exponent where one can do without."""
    return f"{float(f'{value:.3g}'):,g}"


def counted(count: int, noun: str) -> str:
    """ "1 task", "2 tasks"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(names: Sequence[object], most: int = 10) -> str:
    """Names in a sentence; the rest are counted."""
    shown = [str(name)[:40] for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
