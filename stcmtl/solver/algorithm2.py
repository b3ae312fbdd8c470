"""Algorithm 2: the loop of Algorithm 1 on the tasks that are not outliers.

``outlier_rule="paper"`` is Algorithm 2 to the letter. ``"checked"`` (ours) sets tasks aside that
no mixture serves (see ``unlike``): before the loop among mixtures of the other tasks, so that no
cluster can swallow them; after it among mixtures of the clusters, and if that changes the outliers
the fit is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stcmtl.solver.algorithm1 import iterate, solve, stop_when_settled
from stcmtl.solver.outliers import check_enough, factorisation_distances
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import CHECKED, Initial, Iteration, Settings
from stcmtl.solver.refinement import refine
from stcmtl.solver.thresholds import beyond_fence
from stcmtl.solver.unlike import like_no_cluster, like_no_other, own_losses

MAX_FITS = 5


def solve_robust(problem: Problem, initial: Initial, settings: Settings) -> Iterator[Iteration]:
    """Yield after every iteration and round, with outliers beside the other tasks."""
    if settings.outlier_rule == CHECKED:
        yield from solve_checked(problem, initial, settings)
        return
    last = None
    states = alternate(problem.as_in_paper, initial, settings)
    for last in stop_when_settled(states, settings.tol):
        yield last
    if settings.refine and last is not None:
        inside = ~last.outliers
        part, own = problem.keep(inside), initial.keep(inside)
        for state in refine(part, own, last.keep(inside), settings):
            yield state.beside_outliers(~inside, initial)


def solve_checked(problem: Problem, initial: Initial, settings: Settings) -> Iterator[Iteration]:
    """Algorithm 1 and the refinement, again until the outliers stay the same.

    Tasks of a small cluster may take turns, each an outlier without the other: then nobody is.
    """
    own = own_losses(problem, settings.seed, settings.n_jobs)
    outliers = like_no_other(problem, initial.W, own, settings, settings.n_clusters)
    seen: list[NDArray[np.bool_]] = []
    done = 0
    while len(seen) < MAX_FITS:
        seen.append(outliers)
        last = None
        for state in solve(problem.keep(~outliers), initial.keep(~outliers), settings):
            state = replace(state, iteration=done + state.iteration)
            last = state.beside_outliers(outliers, initial)
            yield last
        assert last is not None
        done = last.iteration
        outliers = like_no_cluster(problem, last, own, settings)
        if np.array_equal(outliers, seen[-1]):
            return
        if any(np.array_equal(outliers, before) for before in seen):
            outliers = np.zeros(problem.n_tasks, dtype=bool)
        check_enough(outliers, settings.n_clusters)


def alternate(problem: Problem, initial: Initial, settings: Settings) -> Iterator[Iteration]:
    """Lines 3 to 8 of Algorithm 2, ``max_iter`` times."""
    state, outliers = None, np.zeros(problem.n_tasks, dtype=bool)
    part, own = problem, initial
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
