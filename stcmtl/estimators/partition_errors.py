"""Standard errors of clusters, by partition: two sums over tasks, and one step for all."""

from __future__ import annotations

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.estimators.intervals import (
    MOST_TOGETHER,
    Places,
    Sums,
    largest_entries,
    solve_centers,
    sum_over_tasks,
)
from stcmtl.estimators.whitened import Mixtures, White, noise_of_tasks
from stcmtl.solver.order import Order
from stcmtl.solver.partition import Held
from stcmtl.solver.partitioned import PartitionedProblem
from stcmtl.solver.records import Iteration
from stcmtl.solver.refinement import Mixture

NO_SHARES = np.empty(0)


def cluster_errors(
    problem: PartitionedProblem, last: Iteration, order: Order, noise: float
) -> Array:
    """Standard errors (D, K) of the clusters' coefficients, as ``coefficient_errors`` has them."""
    mixtures, by_task = Mixtures(last, "simplex"), (last.V, last.b)
    told, (square,) = problem.run(squares_left, (last.U,), by_task)
    squares, counts = problem.gather(told), problem.counts
    size = float(square[0]) / counts.sum()
    given = mixtures, squares, counts, problem.fit_intercept, size, noise
    variance = noise_of_tasks(*given)[0]
    used = largest_entries(last.U, MOST_TOGETHER)
    information, score, squares, slopes = problem.run(
        sum_errors, (last.U, used), (*by_task, variance)
    )[1]
    sums = Sums(information, score, squares, slopes, beside=None)
    se = solve_centers(mixtures, used, sums, zeros=False).se
    errors = np.where((last.U != 0.0) & np.isfinite(se), se, np.nan)
    return problem.original_coefficients(errors)[np.argsort(order.features)[: problem.scale.size]]


def squares_left(held: Held, V: Array, b: Array, U: Array) -> tuple[Array, tuple[Array]]:
    """What is left of each task of a partition, all clusters free; and the squares of targets."""
    problem = held.problem
    white = White(problem, Mixture(U, V, b, NO_SHARES), "simplex", np.ones(problem.n_tasks))
    return white.squares_left(), (np.sum(problem.y**2, keepdims=True),)


def sum_errors(
    held: Held, V: Array, b: Array, variance: Array, U: Array, used: Places
) -> tuple[None, tuple[Array, ...]]:
    """What the errors of U are found from, over the tasks of a partition."""
    white = White(held.problem, Mixture(U, V, b, NO_SHARES), "simplex", variance)
    return None, sum_over_tasks(white, used, zeros=False)[:-1]
