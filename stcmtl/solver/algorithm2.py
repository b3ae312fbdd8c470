"""Algorithm 2: the loop of Algorithm 1 on the tasks that are not outliers.

``outlier_rule="paper"`` is Algorithm 2 to the letter. ``"checked"`` (ours) adds two things:
before the loop, tasks that no mixture of the other tasks serves are set aside, so that no
cluster can swallow them; after it, a task is an outlier only if no mixture of the clusters
serves it, and if that changes the outliers the fit is repeated. A mixture does not serve a task
that lies beyond the fence *and* is predicted better by its own fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.algorithm1 import iterate, solve, stop_when_settled
from stcmtl.solver.memberships import nearest_mixtures
from stcmtl.solver.outliers import (
    check_enough,
    factorisation_distances,
    find_badly_served,
    find_unlike_others,
)
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import CHECKED, Initial, Iteration, Settings
from stcmtl.solver.refinement import refine
from stcmtl.solver.thresholds import beyond_fence

MAX_CHECKS = 4


def solve_robust(problem: Problem, initial: Initial, settings: Settings) -> Iterator[Iteration]:
    """Yield after every iteration and round, with outliers beside the other tasks."""
    checked = settings.outlier_rule == CHECKED
    outliers = np.zeros(problem.n_tasks, dtype=bool)
    if checked:
        outliers = find_unlike_others(problem, initial, settings.outlier_factor)
    last = None
    states = alternate(problem.as_in_paper, initial, outliers, settings)
    for last in stop_when_settled(states, settings.tol):
        yield last
    assert last is not None
    if settings.refine:
        inside = ~last.outliers
        part, own = problem.keep(inside), initial.keep(inside)
        for state in refine(part, own, last.keep(inside), settings):
            last = state.beside_outliers(~inside, initial)
            yield last
    for _ in range(MAX_CHECKS if checked else 0):
        V, b = nearest_mixtures(problem, last, settings.shape)
        outliers = find_badly_served(problem, initial, last.U, V, b, settings.outlier_factor)
        if np.array_equal(outliers, last.outliers):
            return
        check_enough(outliers, settings.n_clusters)
        first = last.iteration
        for state in solve(problem.keep(~outliers), initial.keep(~outliers), settings):
            state = replace(state, iteration=first + state.iteration)
            last = state.beside_outliers(outliers, initial)
            yield last


def alternate(
    problem: Problem, initial: Initial, outliers: NDArray[np.bool_], settings: Settings
) -> Iterator[Iteration]:
    """Lines 3 to 8 of Algorithm 2, ``max_iter`` times."""
    state = None
    part, own = problem.keep(~outliers), initial.keep(~outliers)
    for _ in range(settings.max_iter):
        W = own.W if state is None else state.W
        D = factorisation_distances(W, settings.n_clusters, settings.seed)
        far = beyond_fence(D, settings.outlier_factor)
        if far.any():
            outliers = outliers.copy()
            outliers[~outliers] = far
            check_enough(outliers, settings.n_clusters)
            part, own = part.keep(~far), own.keep(~far)
            state = None if state is None else state.keep(~far)
        state = iterate(part, own, state, settings)
        yield state.beside_outliers(outliers, initial)
