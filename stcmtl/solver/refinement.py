"""The refinement that follows Algorithm 1: memberships on the data, U under a sparser penalty.

At its end intercepts borrow strength. A task's own is as noisy as its few rows. If intercepts
follow the clusters as the coefficients do, b_i = sum_k v_ki beta_k + N(0, tau^2), the best guess
lies between the task's own estimate and its clusters': the classical random-effects shrinkage.
``tau`` is estimated from the spread that noise does not explain (DerSimonian and Laird's
moments), so intercepts that truly differ are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.solver.alignment import match_clusters
from stcmtl.solver.centers import MCP, Penalty, noise_scale, predictions, update_centers
from stcmtl.solver.kernels.losses import Loss, pull_and_stiffness
from stcmtl.solver.memberships import (
    residual_variance,
    support_prices,
    support_shares,
    update_memberships,
)
from stcmtl.solver.penalty_choice import choose_penalty
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Initial, Iteration, Settings, Stopwatch
from stcmtl.solver.soup import direction_clusters
from stcmtl.solver.thresholds import purity_scores

MAX_ROUNDS = 6  # two or three are enough as a rule
FEWEST_SPARE_TASKS = 4  # shrinkage beats the plain estimates from here on (James and Stein)


class Mixture(NamedTuple):
    """U (D, K), V (K, T), intercepts b (T,) and the share of tasks with 1, ..., K clusters."""

    U: Array
    V: Array
    b: Array
    shares: Array


def refine(
    problem: Problem, initial: Initial, start: Iteration, settings: Settings
) -> Iterator[Iteration]:
    """The better of two starts, a penalty by cross-validation, then rounds until V settles."""
    watch = Stopwatch()
    first = choose_start(problem, initial, start.V, settings)
    watch.lap("V")
    if isinstance(settings.gamma, str):
        fold = problem.folds(settings.n_folds, settings.seed)
        penalty = choose_penalty(problem, first.V, fold, settings.n_jobs)
    else:
        penalty = Penalty(float(settings.gamma), MCP)
    watch.lap("gamma")
    # the MCP is not convex: from U = 0 its solution does not hang on the start's l1 fit
    first = first._replace(U=np.zeros_like(first.U))
    yield from run_rounds(problem, first, penalty, start.iteration, settings.epsilon, watch)


def run_rounds(
    problem: Problem,
    start: Mixture,
    penalty: Penalty,
    done: int,
    epsilon: float,
    watch: Stopwatch,
) -> Iterator[Iteration]:
    """U given V and V given U, in turn, until V settles; ``done`` iterations came before."""
    U, V, b, shares = start
    for iteration in range(done + 1, done + MAX_ROUNDS + 1):
        levels = penalty.level * noise_scale(problem, V)
        U, b, price = update_centers(problem, V, U, b, levels, penalty.inverse_a)
        watch.lap("U")
        previous = V
        V, b, shares = refit(problem, U, V, b, shares)
        loss = problem.total_loss(predictions(problem, U, V, b))
        watch.lap("V")
        W = U @ V
        yield Iteration(
            iteration=iteration,
            stage="refine",
            objective=loss + price,
            loss=loss,
            penalty=penalty.name,
            gamma=penalty.level,
            U=U,
            V=V,
            W=W,
            b=b,
            pure=V.max(axis=0) == 1.0,
            purity=purity_scores(W.T @ W, epsilon),
            outliers=np.zeros(problem.n_tasks, dtype=bool),
            seconds=watch.seconds,
        )
        if np.abs(V - previous).max() < 1e-3:
            return
        watch = Stopwatch()


def refit(
    problem: Problem, U: Array, V: Array, b: Array, shares: Array
) -> tuple[Array, Array, Array]:
    noise = residual_variance(problem, U, V, b)
    V, b = update_memberships(problem, U, V, b, noise, shares)
    return V, b, support_shares(V)


def choose_start(problem: Problem, initial: Initial, V: Array, settings: Settings) -> Mixture:
    """Two rounds from SOUP's memberships V and from k-means on directions; the better wins."""
    candidates = [V]
    if 1 < len(V) < problem.n_tasks:
        other = direction_clusters(initial.W, len(V), settings.seed)
        candidates.append(other[match_clusters(other, V)])
    fits = [refine_briefly(problem, initial, V) for V in candidates]
    return min(fits, key=lambda fit: fit[0])[1]


def refine_briefly(problem: Problem, initial: Initial, V: Array) -> tuple[float, Mixture]:
    """Two rounds under an l1 penalty at the level of the noise; returns (criterion, state)."""
    K, T = V.shape
    # gamma = mean(lambda) ignores that the noise in U's slopes grows like sqrt(T / K)
    level = initial.lambdas.mean() * np.sqrt(T / K)
    U, b, shares = np.zeros((problem.n_features, K)), np.zeros(T), np.full(K, 1.0 / K)
    for _ in range(2):
        U, b, _ = update_centers(problem, V, U, b, level * noise_scale(problem, V), tol=1e-5)
        V, b, shares = refit(problem, U, V, b, shares)
    noise = residual_variance(problem, U, V, b)
    prices = support_prices(problem, V, shares)
    fit = problem.log_likelihood(predictions(problem, U, V, b), noise)
    criterion = -2.0 * fit + prices + np.log(problem.y.size) * np.count_nonzero(U)
    return criterion, Mixture(U, V, b, shares)


def pool_intercepts(b: Array, V: Array, information: Array) -> Array:
    """Shrink b (T,) towards the fit of b on memberships V (K, T); 1 / information = variance."""
    root = np.sqrt(information)
    design = (V * root).T
    beta, _, rank, _ = np.linalg.lstsq(design, b * root, rcond=1e-8)
    spare = b.size - int(rank)
    if spare < FEWEST_SPARE_TASKS:
        return b
    center = V.T @ beta
    excess = np.sum(information * (b - center) ** 2) - spare
    leverage = np.einsum("tk,kt->t", design, np.linalg.pinv(design, rcond=1e-8))
    tau2 = max(0.0, excess / np.sum(information * (1.0 - leverage)))
    return center + (b - center) * tau2 / (tau2 + 1.0 / information)


def intercept_information(problem: Problem, f: Array, noise: float) -> Array:
    """1 / variance of each task's own intercept, coefficients given."""
    e, h = np.empty(f.size), np.empty(f.size)
    pull_and_stiffness(Loss(problem.loss, problem.y, np.ones(f.size)), f, e, h)
    scale = 2.0 * noise if problem.loss == SQUARED else 1.0
    return np.bincount(problem.task_of_row, h).astype(np.float64) / scale
