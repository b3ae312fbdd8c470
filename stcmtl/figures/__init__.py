"""Figures: pure functions from a fitted model's arrays to a plotly figure.

Matrices are in the paper's orientation: `model.coef_.T`, `model.memberships_.T`. Points and bars
carry the number of their task, from 0, as `customdata`; `describe` puts a figure into words.

Parameters that many figures share:

V : array of shape (K, T), memberships: `model.memberships_.T` of a fitted model. They give tasks
    their colours and clusters; a task with none, such as an outlier, is in no cluster. Without
    clusters V has no rows: all tasks have one colour, and figures that need clusters say so.
pure : array of T flags, `model.pure_`; by default the tasks with a single cluster are pure.
task_names, feature_names, cluster_names : sequences of T, D and K names; numbers from 1 by
    default. `stcmtl.evaluation.tables.cluster_names` has those of a fitted model's clusters.
only_selected : leave out the features whose coefficients are zero for every task in every panel.
task_order, feature_order : permutations of T and D places, such as `tasks_by_cluster`,
    `features_by_cluster` and `features_by_selection` return; by default the order is kept.
max_cells : at most so many cells in a panel; of more features than that the ones with the largest
    coefficients are drawn.
feature_scale : array of D standard deviations, `model.feature_scale_`. Coefficients are multiplied
    by them, so that features in different units can be compared; by default they are drawn per
    unit. `stcmtl.evaluation.tables.shown_scale` tells whether units differ.
height : of the figure in pixels; long names below the plot add to it.

Imports of the solver what needs no compiled kernel, and `data`; computes nothing.
"""

from stcmtl.errors import require

require("plotly", "Drawing", extra="figures")

from stcmtl.figures.pieces.colouring import colour_tasks
from stcmtl.figures.pieces.order import features_by_cluster, features_by_selection, tasks_by_cluster
from stcmtl.figures.pieces.picking import click_columns, highlight, tasks_across
from stcmtl.figures.pieces.style import cluster_colours, describe, enlarge, shrink, task_colours
from stcmtl.figures.plots.bars import loading_bars, membership_bars, own_shares
from stcmtl.figures.plots.coefficients import (
    cluster_coefficients,
    coefficient_errors,
    coefficients,
    selection_pattern,
)
from stcmtl.figures.plots.comparison import method_bars, method_patterns
from stcmtl.figures.plots.convergence import changes, convergence, held_out_errors, step_seconds
from stcmtl.figures.plots.memberships import memberships
from stcmtl.figures.plots.moves import task_moves
from stcmtl.figures.plots.overview import cluster_patterns, fit_errors
from stcmtl.figures.plots.patterns import pattern_bars
from stcmtl.figures.plots.ranks import outliers, purity, task_rows, task_targets
from stcmtl.figures.plots.replay import replay
from stcmtl.figures.plots.selection import choice_curve, growing_k_curve, k_curve, singular_ratios
from stcmtl.figures.plots.similarity import blocks, similarity
from stcmtl.figures.plots.task import share_intervals, task_rows_fit
from stcmtl.figures.plots.trust import (
    co_clustering,
    feature_choices,
    kept_clusters,
    membership_intervals,
)
from stcmtl.solver.records import largest_changes

__all__ = [
    "blocks", "changes", "choice_curve", "click_columns", "cluster_coefficients",
    "cluster_colours", "cluster_patterns", "co_clustering", "coefficient_errors", "coefficients",
    "colour_tasks", "convergence", "describe", "enlarge", "feature_choices", "features_by_cluster",
    "features_by_selection", "fit_errors", "growing_k_curve", "held_out_errors", "highlight",
    "k_curve", "kept_clusters", "largest_changes", "loading_bars", "membership_bars",
    "membership_intervals", "memberships", "method_bars", "method_patterns", "outliers",
    "own_shares", "pattern_bars", "purity", "replay", "selection_pattern", "share_intervals",
    "shrink", "similarity", "singular_ratios", "step_seconds", "task_colours", "task_moves",
    "task_rows", "task_rows_fit", "task_targets", "tasks_across", "tasks_by_cluster",
]  # fmt: skip
