"""By how much one method errs less than another on the same rows, and whether that helps.

A method helps where it errs less than both simple ways, one fit a task and one model for all:
by more than chance over the repetitions, and by enough to matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stcmtl.data.taskset import Array

SIMPLE = {"LASSO": "one fit a task", "Pooled": "one model for all tasks"}
CLEAR = 2.0  # standard errors, beyond which a lead is not put down to chance
WORTH = 0.02  # of an error: less is no help, however steady


@dataclass(frozen=True)
class Lead:
    """The mean difference of two methods' errors over repetitions, also as a ``share`` of the
    error of the one behind, and its standard error: NaN of a single repetition.
    """

    size: float
    share: float
    chance: float

    @property
    def is_clear(self) -> bool:
        return self.size > CLEAR * self.chance

    @property
    def is_worth(self) -> bool:
        return self.share > WORTH

    @property
    def helps(self) -> bool:
        return self.is_clear and self.is_worth


def lead(first: Array, second: Array) -> Lead:
    """Of the first over the second, from their errors on the same rows."""
    gains = second - first
    size, behind, n = float(gains.mean()), float(second.mean()), gains.size
    chance = float(gains.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return Lead(size, size / behind if behind else 0.0, chance)
