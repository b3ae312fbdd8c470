"""Algorithm 1 as a generator, and the refinement that follows it.

One loop, three users: the estimators drain it, the dashboard draws it, tests step it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.solver.alignment import match_clusters
from stcmtl.solver.centers import predictions, update_centers
from stcmtl.solver.penalty_choice import choose_gamma
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Initial, Iteration, Settings, Stopwatch
from stcmtl.solver.refinement import refine
from stcmtl.solver.single_task import update_coefficients
from stcmtl.solver.soup import soup

PATIENCE = 4  # iterations without a new lowest objective before Algorithm 1 goes back to it


def solve(problem: Problem, initial: Initial, settings: Settings) -> Iterator[Iteration]:
    """Yield after every iteration of Algorithm 1, then after every round of refinement."""
    last = None
    for last in stop_when_settled(alternate(problem.as_in_paper, initial, settings), settings.tol):
        yield last
    if settings.refine and last is not None:
        yield from refine(problem, initial, last, settings)


def stop_when_settled(states: Iterable[Iteration], tol: float) -> Iterator[Iteration]:
    """SOUP does not minimise the objective, so on hard data it can go up and down for ever.

    Without a new low for a while, the loop ends by going back to the lowest.
    """
    lowest = previous = None
    for state in states:
        yield state
        if previous is not None and is_settled(previous, state, tol):
            return
        if lowest is None or state.objective < lowest.objective or outliers_differ(lowest, state):
            lowest = state
        elif state.iteration - lowest.iteration >= PATIENCE:
            yield replace(lowest, iteration=state.iteration + 1, seconds={})
            return
        previous = state


def is_settled(before: Iteration, after: Iteration, tol: float) -> bool:
    change = abs(before.objective - after.objective)
    return change <= tol * abs(after.objective) and not outliers_differ(before, after)


def outliers_differ(before: Iteration, after: Iteration) -> bool:
    """Objectives over different tasks cannot be compared."""
    return not np.array_equal(before.outliers, after.outliers)


def alternate(problem: Problem, initial: Initial, settings: Settings) -> Iterator[Iteration]:
    """V by SOUP, U by Eq. 2 and W by Eq. 5 in turn, ``max_iter`` times."""
    state = None
    for _ in range(settings.max_iter):
        state = iterate(problem, initial, state, settings)
        yield state


def iterate(
    problem: Problem, initial: Initial, before: Iteration | None, settings: Settings
) -> Iteration:
    """V, U and W in turn, from the initial fits or from where the last iteration ended."""
    K = settings.n_clusters
    watch = Stopwatch()
    W = initial.W if before is None else before.W
    found = soup(W, K, settings.theta, settings.epsilon, settings.seed)
    V = found.V if before is None else found.V[match_clusters(found.V, before.V)]
    watch.lap("V")
    if before is None:
        U, b = np.zeros((problem.n_features, K)), initial.b
        gamma = resolve_gamma(problem, initial, V, settings)
        watch.lap("gamma")
    else:
        U, b, gamma = before.U, before.b, before.gamma
    U, b, penalty = update_centers(problem, V, U, b, np.full(K, gamma))
    loss = problem.total_loss(predictions(problem, U, V, b))
    watch.lap("U")
    W, _ = update_coefficients(problem, U @ V, b, initial.lambdas, n_jobs=settings.n_jobs)
    watch.lap("W")
    return Iteration(
        iteration=1 if before is None else before.iteration + 1,
        stage="paper",
        objective=loss + penalty,
        loss=loss,
        penalty="l1",
        gamma=gamma,
        U=U,
        V=V,
        W=W,
        b=b,
        pure=np.isin(np.arange(problem.n_tasks), found.pure),
        purity=found.purity,
        outliers=np.zeros(problem.n_tasks, dtype=bool),
        seconds=watch.seconds,
    )


def resolve_gamma(problem: Problem, initial: Initial, V: Array, settings: Settings) -> float:
    """The paper's mean of the lambdas, or cross-validation given the first memberships."""
    if settings.gamma == "mean":
        return float(initial.lambdas.mean())
    if settings.gamma == "cv":
        fold = problem.folds(settings.n_folds, settings.seed)
        return choose_gamma(problem, V, fold, settings.n_jobs)
    return float(settings.gamma)
