"""How far chance alone may take the largest of many coefficients."""

from statistics import NormalDist

ONCE_IN = 20  # fits


def beyond_chance(n_features: int) -> float:
    """Standard errors that one of so many coefficients without effect passes once in 20 fits."""
    return -NormalDist().inv_cdf(0.5 / ONCE_IN / max(1, n_features))
