"""How a fit came about, as tables: its iterations, and the errors by the number of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from stcmtl.solver.records import Iteration, largest_changes

if TYPE_CHECKING:  # its home brings compiled kernels along, of which tables have no need
    from stcmtl.estimators.choose_k import KSelection


def iterations_table(history: Sequence[Iteration]) -> pd.DataFrame:
    """One row per iteration: the objective, what moved, and the milliseconds of its steps."""
    of_U, of_V = largest_changes(history)
    milliseconds = {
        f"{step}, ms": [1000.0 * state.seconds.get(step, np.nan) for state in history]
        for step in ("V", "gamma", "U", "W")
    }
    columns = {
        name: [getattr(s, name) for s in history] for name in ("iteration", "stage", "objective")
    }
    changes = {"change in U": [np.nan, *of_U], "change in V": [np.nan, *of_V]}
    return pd.DataFrame({**columns, **changes, **milliseconds})


# The curve over K


def points_table(selection: KSelection) -> pd.DataFrame:
    """One row per K, as drawn."""
    columns = {"k": "ks", "error": "error", "standard error": "se", "seconds": "seconds"}
    return pd.DataFrame({name: getattr(selection, own) for name, own in columns.items()})


def curve_table(selection: KSelection) -> pd.DataFrame:
    """One row per K; ``choice`` marks the one-standard-error rule's and the lowest error."""
    ks = np.asarray(selection.ks)
    choice = np.full(ks.size, "", dtype=object)
    choice[ks == selection.best] = "lowest error"
    choice[ks == selection.one_se] = "one-SE rule"
    if selection.best == selection.one_se:
        choice[ks == selection.best] = "one-SE rule, lowest error"
    columns = {name: getattr(selection, name) for name in ("error", "se", "objective", "seconds")}
    return pd.DataFrame({"K": ks, **columns, "choice": choice})


def ratios_table(selection: KSelection) -> pd.DataFrame:
    """One row per ratio of neighbouring singular values, and the K it speaks for."""
    ratios = selection.singular_ratios
    return pd.DataFrame({"speaks for k": np.arange(len(ratios)) + 2, "ratio": ratios})
