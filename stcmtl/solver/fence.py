"""The fence beyond which a distance is an outlier's (Algorithm 2, line 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.records import Array


def fence(distances: Array, factor: float) -> float:
    """Upper quartile + factor x interquartile range."""
    lower, upper = np.quantile(distances, [0.25, 0.75])
    return float(upper + factor * (upper - lower))


def beyond_fence(distances: Array, factor: float) -> NDArray[np.bool_]:
    """Distances that are no outliers may all be equal, up to rounding."""
    return distances > fence(distances, factor) * (1.0 + 1e-9)
