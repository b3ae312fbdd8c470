"""Attributes of a model of very many tasks: patterns and loadings, nothing of tasks by features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.checks import number_clusters
from stcmtl.data.taskset import Array
from stcmtl.estimators.fitted import (
    cluster_order,
    main_clusters,
    optimism,
    plain_attributes,
    unscale,
)
from stcmtl.estimators.partition_errors import cluster_errors
from stcmtl.solver import partition
from stcmtl.solver.memberships import residual_variance
from stcmtl.solver.order import Order
from stcmtl.solver.partitioned import PartitionedProblem
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Initial, Iteration, Settings
from stcmtl.solver.refinement import pool_intercepts
from stcmtl.solver.soup import MOST_TASKS, sample_tasks, sampled_purity
from stcmtl.solver.thresholds import fence


def partition_attributes(
    problem: PartitionedProblem,
    initial: Initial,
    states: Iterable[Iteration],
    settings: Settings,
    order: Order,
) -> dict[str, Any]:
    """What ``fitted_attributes`` gives, for mixtures without outliers or own parts.

    Of the history only sampled tasks are kept, where there are more than a matrix of them holds.
    """
    T = problem.n_tasks
    given = in_given_order(problem, order)
    sample = np.sort(order.tasks[sample_tasks(T, settings.seed)])
    iterations = []
    for last in states:
        iterations.append(order.restore(last).keep(sample))
    restored = order.restore(last)
    clusters = cluster_order(restored.V)
    noise = residual_variance(problem, last.U, last.V, last.b)
    losses, (sums,) = problem.run(partition.measure_losses, (last.U,), (last.V, last.b))
    back = np.argsort(order.tasks)
    mean, squares = sums / problem.counts.sum()
    final = unscale(given, restored, clusters)
    distances = distances_from(initial, last)[back]
    attributes = {
        "n_clusters_": settings.n_clusters,
        "shape_": settings.shape,
        "own_": "none",
        "own_penalty_": None,
        "own_stretch_": 1.0,
        "own_law_": None,
        "cluster_coef_": final.U.T,
        "cluster_names_": number_clusters(settings.n_clusters),
        "cluster_coef_se_": cluster_errors(problem, last, order, noise)[:, clusters].T,
        "loadings_": np.ascontiguousarray(final.V.T),
        "strength_": np.where(final.V.any(axis=0), 1.0, 0.0),
        "own_share_": np.zeros(T),
        "intercept_": pooled(problem, last, final.b, order, noise),
        "labels_": main_clusters(final.V),
        "pure_": np.count_nonzero(final.V, axis=0) == 1,
        "purity_": sampled_purity(last.U @ last.V, settings.epsilon, settings.seed)[back],
        "lambdas_": initial.lambdas[back],
        "gamma_": last.gamma,
        "history_": [unscale(some(given, sample), state, clusters) for state in iterations],
        "n_iter_": sum(state.stage == "paper" for state in iterations),
        "distances_": distances,
        "fence_": fence(distances, settings.outlier_factor),
        "outliers_": restored.outliers,
        "precision_": None if problem.precision is None else problem.precision.fit[back],
        "noise_": noise,
        "losses_": problem.gather(losses)[back],
        "optimism_": optimism(problem, last, noise),
        "loss_spread_": float(np.sqrt(max(squares - mean**2, 0.0))),
    }
    attributes["memberships_"] = attributes["loadings_"]
    if T <= MOST_TASKS:
        own = order.restore_initial(initial)
        attributes["single_task_coef_"] = given.original_coefficients(own.W).T
        attributes["single_task_intercept_"] = given.original_intercepts(own.W, own.b)
    return plain_attributes(problem.loss) | attributes


def in_given_order(problem: PartitionedProblem, order: Order) -> Problem:
    """Means and scales of tasks and features as they came; of rows there are none."""
    tasks, features = np.argsort(order.tasks), np.argsort(order.features)
    return Problem(
        X=problem.X,
        y=problem.y,
        starts=problem.starts,
        means=problem.means[tasks][:, features],
        target_means=problem.target_means[tasks],
        scale=problem.scale[features[: problem.scale.size]],
        loss=problem.loss,
        fit_intercept=problem.fit_intercept,
    )


def some(problem: Problem, tasks: NDArray[np.intp]) -> Problem:
    """Means of some tasks alone."""
    return replace(problem, means=problem.means[tasks], target_means=problem.target_means[tasks])


def distances_from(initial: Initial, last: Iteration) -> Array:
    """Of the tasks' own fits from their mixtures."""
    return np.linalg.norm(initial.W - last.U @ last.V, axis=0)


def pooled(
    problem: PartitionedProblem, last: Iteration, b: Array, order: Order, noise: float
) -> Array:
    """Intercepts b (T,) as given; after the refinement they borrow strength."""
    if last.stage != "refine" or not problem.fit_intercept:
        return b
    back = np.argsort(order.tasks)
    return pool_intercepts(b, last.V[:, back], problem.weighed_counts[back] / noise)
