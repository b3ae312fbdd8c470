"""The curve over K as a table, with its choices marked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from stcmtl.estimators.choose_k import KSelection


def selection_values(selection: KSelection) -> dict[str, Any]:
    """A selection as plain values, for a JSON document."""
    names = ("metric", "ks", "error", "se", "objective", "seconds", "one_se", "best")
    return {name: getattr(selection, name) for name in (*names, "singular_ratios")}


def curve_table(selection: KSelection) -> pd.DataFrame:
    """A row per K; ``choice`` marks the one-standard-error rule's and the lowest error."""
    ks = np.asarray(selection.ks)
    choice = np.full(ks.size, "", dtype=object)
    choice[ks == selection.best] = "lowest error"
    choice[ks == selection.one_se] = "one-SE rule"
    if selection.best == selection.one_se:
        choice[ks == selection.best] = "one-SE rule, lowest error"
    columns = {name: getattr(selection, name) for name in ("error", "se", "objective", "seconds")}
    return pd.DataFrame({"K": ks, **columns, "choice": choice})


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
