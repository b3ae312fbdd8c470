"""Algorithm 1 as a generator, and the refinement that follows it.

One loop, three users: the estimators drain it, the dashboard draws it, tests step it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from stcmtl.alignment import match_clusters
from stcmtl.centers import (
    MCP,
    Penalty,
    choose_gamma,
    choose_penalty,
    noise_scale,
    predictions,
    update_centers,
)
from stcmtl.initial import Initial, update_coefficients
from stcmtl.memberships import (
    noise_variance,
    support_penalty,
    support_shares,
    update_memberships,
)
from stcmtl.problem import Problem
from stcmtl.soup import partition, purity_scores, soup
from stcmtl.tasks import Array

MAX_ROUNDS = 6  # of the refinement; two or three are enough as a rule
PATIENCE = 4  # iterations without a new lowest objective before Algorithm 1 goes back to it


@dataclass(frozen=True)
class Settings:
    """What the estimators are asked for, checked and with its seed drawn."""

    n_clusters: int
    refine: bool = True
    theta: float = 0.5
    epsilon: float = 0.1
    gamma: str | float = "mean"
    n_folds: int = 5
    max_iter: int = 50
    tol: float = 1e-3
    seed: int = 0
    n_jobs: int | None = None


@dataclass(frozen=True)
class Iteration:
    """The state after one iteration.

    In the paper's stage ``W`` is what the W step made of U V, ``pure`` is SOUP's pure set and
    ``purity`` the scores it was taken by; in the refinement ``W`` is U V and a pure task is
    one with a single cluster.
    """

    iteration: int
    stage: str  # "paper" or "refine"
    objective: float
    loss: float
    gamma: float
    U: Array
    V: Array
    W: Array
    b: Array
    pure: NDArray[np.bool_]
    purity: Array
    seconds: dict[str, float]


class Stopwatch:
    """Seconds per step: ``lap(name)`` books the time since the last lap."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, step: str) -> None:
        now = perf_counter()
        self.seconds[step] = self.seconds.get(step, 0.0) + now - self._last
        self._last = now


def solve(problem: Problem, initial: Initial, settings: Settings) -> Iterator[Iteration]:
    """Yield after every iteration of Algorithm 1, then after every round of refinement."""
    last = None
    for last in paper_iterations(problem, initial, settings):
        yield last
    if settings.refine and last is not None:
        yield from refinement_rounds(problem, initial, last, settings)


def paper_iterations(problem: Problem, initial: Initial, settings: Settings) -> Iterator[Iteration]:
    """Algorithm 1: V by SOUP, U by Eq. 2, W by Eq. 5, until the objective settles.

    SOUP does not minimise the objective, so on hard data it can go up and down for ever.
    Without a new low for a while, the loop ends by going back to the lowest.
    """
    lowest = previous = None
    for state in alternate(problem, initial, settings):
        yield state
        if previous is not None and settled(previous, state, settings.tol):
            return
        if lowest is None or state.objective < lowest.objective:
            lowest = state
        elif state.iteration - lowest.iteration >= PATIENCE:
            yield replace(lowest, iteration=state.iteration + 1, seconds={})
            return
        previous = state


def settled(before: Iteration, after: Iteration, tol: float) -> bool:
    return abs(before.objective - after.objective) <= tol * abs(after.objective)


def alternate(problem: Problem, initial: Initial, settings: Settings) -> Iterator[Iteration]:
    """The three steps of Algorithm 1 in turn, ``max_iter`` times."""
    K = settings.n_clusters
    W, b, V, gamma = initial.W, initial.b, None, None
    U = np.zeros((problem.n_features, K))
    for iteration in range(1, settings.max_iter + 1):
        watch = Stopwatch()
        found = soup(W, K, settings.theta, settings.epsilon, settings.seed)
        V = found.V if V is None else found.V[match_clusters(found.V, V)]
        watch.lap("V")
        if gamma is None:
            gamma = resolve_gamma(problem, initial, V, settings)
            watch.lap("gamma")
        U, b, penalty = update_centers(problem, V, U, b, np.full(K, gamma))
        loss = problem.total_loss(predictions(problem, U, V, b))
        watch.lap("U")
        W, _ = update_coefficients(problem, U @ V, b, initial.lambdas)
        watch.lap("W")
        pure = np.isin(np.arange(problem.n_tasks), found.pure)
        yield Iteration(
            iteration, "paper", loss + penalty, loss, gamma,
            U, V, W, b, pure, found.purity, watch.seconds,
        )  # fmt: skip


def resolve_gamma(problem: Problem, initial: Initial, V: Array, settings: Settings) -> float:
    """The paper's mean of the lambdas, or cross-validation given the first memberships."""
    if settings.gamma == "mean":
        return float(initial.lambdas.mean())
    if settings.gamma == "cv":
        fold = problem.folds(settings.n_folds, settings.seed)
        return choose_gamma(problem, V, fold, settings.n_jobs)
    return float(settings.gamma)


def refinement_rounds(
    problem: Problem, initial: Initial, start: Iteration, settings: Settings
) -> Iterator[Iteration]:
    """Memberships refitted on the data and U under a sparser penalty, in turn."""
    watch = Stopwatch()
    U, V, b, shares = best_start(problem, initial, start, settings)
    watch.lap("V")
    if isinstance(settings.gamma, str):
        fold = problem.folds(settings.n_folds, settings.seed)
        chosen = choose_penalty(problem, V, fold, settings.n_jobs)
    else:
        chosen = Penalty(float(settings.gamma), MCP)
    watch.lap("gamma")
    U = np.zeros_like(U)
    for round_ in range(1, MAX_ROUNDS + 1):
        levels = chosen.level * noise_scale(problem, V)
        U, b, penalty = update_centers(problem, V, U, b, levels, chosen.inverse_a)
        watch.lap("U")
        previous = V
        V, b, shares = refit(problem, U, V, b, shares)
        loss = problem.total_loss(predictions(problem, U, V, b))
        watch.lap("V")
        W = U @ V
        yield Iteration(
            start.iteration + round_, "refine", loss + penalty, loss, chosen.level,
            U, V, W, b, V.max(axis=0) == 1.0, purity_scores(W.T @ W, settings.epsilon),
            watch.seconds,
        )  # fmt: skip
        if np.abs(V - previous).max() < 1e-3:
            return
        watch = Stopwatch()


def refit(
    problem: Problem, U: Array, V: Array, b: Array, shares: Array
) -> tuple[Array, Array, Array]:
    noise = residual_variance(problem, U, V, b)
    V, b = update_memberships(problem, U, V, b, noise, shares)
    return V, b, support_shares(V)


def residual_variance(problem: Problem, U: Array, V: Array, b: Array) -> float:
    free_memberships = int(np.count_nonzero(V)) - problem.n_tasks
    n_parameters = int(np.count_nonzero(U)) + free_memberships
    n_parameters += problem.n_tasks * problem.fit_intercept
    return noise_variance(problem, predictions(problem, U, V, b), n_parameters)


def best_start(
    problem: Problem, initial: Initial, start: Iteration, settings: Settings
) -> tuple[Array, Array, Array, Array]:
    """Two rounds from SOUP's memberships and from k-means on directions; the better one wins."""
    K = settings.n_clusters
    candidates = [start.V]
    if 1 < K < problem.n_tasks:
        V = direction_clusters(initial.W, K, settings.seed)
        candidates.append(V[match_clusters(V, start.V)])
    fits = [short_refinement(problem, initial, V) for V in candidates]
    return min(fits, key=lambda fit: fit[0])[1]


def direction_clusters(W: Array, n_clusters: int, seed: int) -> Array:
    """Hard memberships by k-means on the directions of the tasks' own coefficients."""
    length = np.linalg.norm(W, axis=0)
    labels = partition((W / np.where(length > 0, length, 1.0)).T, n_clusters, seed)
    return np.eye(n_clusters)[:, labels]


def short_refinement(
    problem: Problem, initial: Initial, V: Array
) -> tuple[float, tuple[Array, Array, Array, Array]]:
    """Two rounds under an l1 penalty at the level of the noise; returns (criterion, state)."""
    K, T = V.shape
    # gamma = mean(lambda) ignores that the noise in U's slopes grows like sqrt(T / K)
    level = initial.lambdas.mean() * np.sqrt(T / K)
    U, b, shares = np.zeros((problem.n_features, K)), np.zeros(T), np.full(K, 1.0 / K)
    for _ in range(2):
        U, b, _ = update_centers(problem, V, U, b, level * noise_scale(problem, V), tol=1e-5)
        V, b, shares = refit(problem, U, V, b, shares)
    noise = residual_variance(problem, U, V, b)
    size = np.count_nonzero(V, axis=0)
    prices = sum(support_penalty(n, shares)[s] for n, s in zip(problem.n_rows, size, strict=True))
    N = problem.y.size
    fit = problem.log_likelihood(predictions(problem, U, V, b), noise)
    return -2.0 * fit + prices + np.log(N) * np.count_nonzero(U), (U, V, b, shares)
