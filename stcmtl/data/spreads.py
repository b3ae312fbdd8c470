"""Spreads of features, and whether they tell of different units, which one penalty cannot serve.

A penalty is on a coefficient per unit of its feature: an income in cents is hardly penalised, in
millions it is penalised away. Not all that differs in its standard deviation differs in its unit;
what does here was chosen by test errors (``benchmarks/units.py``).
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammainccinv, gammaincinv

from stcmtl.data.taskset import Array
from stcmtl.data.weighted import std_of

FACTOR = 3.0  # between standard deviations of features of different units, at the least
RANGE_FACTOR = 2.0  # between their ranges
CHANCE = 1e-6  # of calling normal features of one spread different
FEWEST_COMPONENTS = 8  # fewer columns fall in order by chance too easily
ROUNDING = 1e-6
COMPONENTS_FACTOR = 100.0  # between the standard deviations of components, at most


def measure_spreads(X: Array, weight: Array | None = None) -> Array:
    """Standard deviations over all rows; 0 for a constant feature."""
    spreads = std_of(X, weight, axis=0)
    # a constant 0.1 has a standard deviation of 1e-17, by rounding
    doubtful = np.flatnonzero(spreads <= ROUNDING * np.abs(X[0]))
    spreads[doubtful[np.ptp(X[:, doubtful], axis=0) == 0]] = 0.0
    return spreads


def units_differ(X: Array, spreads: Array) -> bool:
    """Whether features are in different units, as far as their spreads tell.

    Their standard deviations differ by more than a factor of three, and by more than those of
    normal features would by chance. So do their ranges: what was brought to one range is left
    alone. A feature that sits at one value in half of the rows or more (an indicator, a pixel
    near the edge) tells its unit by its range: the middle one of all these stands for them.
    Principal components, which come in the order of falling spread, are in one unit.
    """
    varies = spreads > 0
    spreads = spreads[varies]
    limit = max(FACTOR, chance_ratio(len(X), spreads.size))
    if spreads.size < 2 or spreads.max() <= limit * spreads.min() or are_components(spreads):
        return False
    X = X[:, varies]
    half_ranges = np.ptp(X, axis=0) / 2.0  # which no standard deviation exceeds
    middle = (len(X) - 1) // 2
    sits = (np.partition(X, middle, axis=0)[middle] == X).mean(axis=0) >= 0.5
    indicators = [np.median(half_ranges[sits])] if sits.any() else []
    least_spread, least_range = (
        min(*sizes[~sits], *indicators, np.inf) for sizes in (spreads, half_ranges)
    )
    return bool(
        spreads.max() > limit * least_spread and half_ranges.max() > RANGE_FACTOR * least_range
    )


def are_components(spreads: Array) -> bool:
    """Whether spreads fall from column to column, but for neighbours that change places."""
    places = np.argsort(np.argsort(-spreads))
    return bool(
        spreads.size >= FEWEST_COMPONENTS
        and spreads.max() <= COMPONENTS_FACTOR * spreads.min()
        and np.corrcoef(places, np.arange(spreads.size))[0, 1] > 0.95
    )


def chance_ratio(n_rows: int, n_features: int) -> float:
    """Between the standard deviations of normal features of one spread, hardly ever exceeded."""
    level, freedom = CHANCE / (2 * max(n_features, 1)), (n_rows - 1) / 2
    low, high = gammaincinv(freedom, level), gammainccinv(freedom, level)
    return float(np.sqrt(high / low)) if low > 0 else np.inf
