"""What each column of a table holds: cells as they stand to numbers, dates, truth values, texts."""

from __future__ import annotations

from stcmtl.io.account import Case
from stcmtl.io.parsing import How, Table


def interpret(table: Table, how: How, case: Case) -> Table:
    """The table with its texts as the numbers and dates that they spell."""
    return table
