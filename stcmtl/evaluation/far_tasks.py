"""Tasks far from all clusters: whether rows that the fit has not seen say so too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from stcmtl.data.taskset import Array, TaskSet
from stcmtl.evaluation.cards import row_losses
from stcmtl.evaluation.predictions import (
    counting_rows,
    places_of_tasks,
    predict_alone,
    predict_rows,
)

RARE = 0.05  # of fits: in so many new rows may speak for some task's own fit by chance


def say_new_rows(model: Any, test: TaskSet, flags: NDArray[np.bool_]) -> str:
    """How tasks (T,) that lie far fare on new rows: by the fit, and by their own fits alone.

    Empty where new rows tell neither: own fits are better, by no more than chance could.
    """
    gains = gains_alone(model, test, flags)
    if not gains:
        return ""
    n_flagged = int(flags.sum())
    n_far = sum(is_better(gain, RARE / n_flagged) for gain in gains)
    if n_far:
        which = "" if n_far == n_flagged else f"{n_far} of them "
        return f", {which}on new rows too: try a robust fit"
    if float(np.concatenate(gains).mean()) > 0.0:
        return ""
    whose, own = ("its", "its own fit") if n_flagged == 1 else ("their", "their own fits")
    return f", yet {whose} new rows are predicted no worse than by {own}"


def gains_alone(model: Any, test: TaskSet, flags: NDArray[np.bool_]) -> list[Array]:
    """Of each flagged task with new rows: what its own fit errs less on them, row by row."""
    test = counting_rows(test)
    task = places_of_tasks(model, test)
    gain = row_losses(model, test, predict_rows) - row_losses(model, test, predict_alone)
    return [gain[task == i] for i in np.flatnonzero(flags) if (task == i).any()]


def is_better(gain: Array, rare: float) -> bool:
    """Whether the mean is above zero, beyond chance."""
    if gain.size < 2:
        return False
    noise = gain.std(ddof=1) / np.sqrt(gain.size)
    return bool(gain.mean() > t.isf(rare, gain.size - 1) * noise)
