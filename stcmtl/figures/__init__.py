"""Figures: pure functions from a fitted model (or its arrays) to a plotly figure."""

from stcmtl.figures.coefficients import coefficients
from stcmtl.figures.convergence import convergence

__all__ = ["coefficients", "convergence"]
