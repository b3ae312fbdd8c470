"""Picked tasks stand out in every figure."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import plotly.graph_objects as go

FADED = 0.2


def highlight(figure: go.Figure, tasks: Collection[int]) -> None:
    """Fade the points and bars of all other tasks; with no task picked, nothing changes.

    Points and bars carry the number of their task as customdata.
    """
    if not tasks:
        return
    for trace in figure.data:
        if trace.customdata is None or trace.type not in SELECTABLE:
            continue
        numbers = np.asarray(trace.customdata, dtype=float).reshape(len(trace.customdata), -1)[:, 0]
        trace.selectedpoints = np.flatnonzero(np.isin(numbers, list(tasks))).tolist()
        trace.unselected = {"marker": {"opacity": FADED}}


SELECTABLE = {"bar", "scatter", "scattergl", "scatterternary"}
