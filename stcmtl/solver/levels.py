"""Levels of a penalty, from the strongest on: where a path of them begins, and how it falls.

A feature enters an l1 path at the level of its slope, which grows with its unit: a column in
dollars enters long before an indicator that matters more. Without a jump, a path would spend
its levels, and its patience, on the dollars alone.
"""

from __future__ import annotations

import numpy as np

from stcmtl.data.taskset import Array

# The level that leaves all coefficients zero is raised by this, or some are left at 1e-17.
ABOVE_ROUNDING = 1.0 + 1e-9
STRONG = 0.5  # of the largest slope, units apart
AHEAD = 2.0  # a jump leads to this many times the level at which all strong features are in
FAR = 0.5  # of the highest level: a jump that ends above is not worth it
LEVEL_RATIO = 0.75


def path_start(slopes: Array, spread: Array) -> Array:
    """The smallest level that leaves every coefficient zero; after it, where to jump, if far.

    ``slopes`` are of the null model, ``spread`` the standard deviations of the features.
    """
    highest = slopes.max(initial=0.0)
    strength = slopes / np.where(spread > 0, spread, 1.0)
    strong = strength >= STRONG * strength.max(initial=0.0)
    start = AHEAD * slopes[strong].min(initial=highest)
    return np.array([highest, start] if start < FAR * highest else [highest])


def falling_levels(first: float, count: int) -> Array:
    return first * LEVEL_RATIO ** np.arange(count, dtype=np.float64)
