"""Figures: pure functions from a fitted model's arrays to a plotly figure.

Matrices are in the paper's orientation: `model.coef_.T`, `model.memberships_.T`. Points and bars
carry the number of their task, from 0, as `customdata`; `describe` puts a figure into words.
"""

from stcmtl.figures.coefficients import cluster_coefficients, coefficient_errors, coefficients
from stcmtl.figures.colours import cluster_colours, task_colours
from stcmtl.figures.columns import click_columns, tasks_across
from stcmtl.figures.comparison import method_bars
from stcmtl.figures.convergence import convergence
from stcmtl.figures.highlight import highlight
from stcmtl.figures.membership_bars import membership_bars
from stcmtl.figures.memberships import memberships
from stcmtl.figures.movement import changes, largest_changes, step_seconds
from stcmtl.figures.order import features_by_cluster, features_by_selection, tasks_by_cluster
from stcmtl.figures.outliers import outliers
from stcmtl.figures.overview import task_rows, task_targets
from stcmtl.figures.pattern import selection_pattern
from stcmtl.figures.patterns import method_patterns
from stcmtl.figures.purity import purity
from stcmtl.figures.replay import replay, replayed
from stcmtl.figures.selection import growing_k_curve, k_curve, singular_ratios
from stcmtl.figures.similarity import similarity
from stcmtl.figures.style import describe

__all__ = [
    "changes",
    "click_columns",
    "cluster_coefficients",
    "cluster_colours",
    "coefficient_errors",
    "coefficients",
    "convergence",
    "describe",
    "features_by_cluster",
    "features_by_selection",
    "growing_k_curve",
    "highlight",
    "k_curve",
    "largest_changes",
    "membership_bars",
    "memberships",
    "method_bars",
    "method_patterns",
    "outliers",
    "purity",
    "replay",
    "replayed",
    "selection_pattern",
    "similarity",
    "singular_ratios",
    "step_seconds",
    "task_colours",
    "task_rows",
    "task_targets",
    "tasks_across",
    "tasks_by_cluster",
]
