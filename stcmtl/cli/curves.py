"""The curve over K in words and plain values."""

from __future__ import annotations

from typing import Any

from stcmtl.estimators.choose_k import KSelection
from stcmtl.evaluation.tables import curve_table


def selection_values(selection: KSelection) -> dict[str, Any]:
    """A selection as plain values, for a JSON document."""
    names = ("metric", "ks", "error", "se", "objective", "seconds", "one_se", "best")
    return {name: getattr(selection, name) for name in (*names, "singular_ratios")}


def curve_text(selection: KSelection) -> str:
    """The table for a person, and the choice in a sentence."""
    shown = curve_table(selection).to_string(
        columns=["K", "error", "se", "seconds", "choice"],
        index=False,
        formatters={"error": "{:.4g}".format, "se": "{:.2g}".format, "seconds": "{:.1f}".format},
    )
    lines = [line.rstrip() for line in shown.splitlines()]
    choice = (
        f"K = {selection.one_se} is the smallest within one standard error of the lowest "
        f"{selection.metric}"
    )
    if selection.best != selection.one_se:
        choice += f"; the lowest is at K = {selection.best}"
    return "\n".join([*lines, "", f"{choice}."])
