"""Where a table begins: titles above it, and whether its first line names the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any


def lines_above(rows: Sequence[Sequence[Any]]) -> int:
    """How many lines stand above a table of two columns or more: titles, remarks, blank lines."""
    filled = [sum(cell is not None and str(cell).strip() != "" for cell in row) for row in rows]
    usual = Counter(count for count in filled if count).most_common(1)
    if not usual or usual[0][0] < 2:
        return 0
    for number, (row, count) in enumerate(zip(rows, filled, strict=True)):
        remark = count > 0 and str(row[0]).startswith("#") and count != usual[0][0]
        if count > 1 and not remark:
            return number
    return 0


def header_of(
    first: tuple[str, ...], rows: list[list[str]], is_number: Callable[[str], bool]
) -> tuple[str, ...]:
    """The first line as names; empty if it is all numbers, or texts that recur among numbers."""
    texts = [d for d, cell in enumerate(first) if not is_number(cell)]
    recur = all(first[d] in {row[d].strip() for row in rows if d < len(row)} for d in texts)
    if recur and len(texts) < len(first):
        return ()
    return (first[0].removeprefix("#").strip(), *first[1:])
