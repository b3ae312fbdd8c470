"""The refinement that follows Algorithm 1: memberships on the data, U under a sparser penalty.

At its end intercepts borrow strength. A task's own is as noisy as its few rows. If intercepts
follow the clusters as the coefficients do, b_i = sum_k v_ki beta_k + N(0, tau^2), the best guess
lies between the task's own estimate and its clusters': the classical random-effects shrinkage.
``tau`` is estimated from the spread that noise does not explain (DerSimonian and Laird's
moments), so intercepts that truly differ are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from joblib import delayed

from stcmtl.data.taskset import Array
from stcmtl.solver.alignment import match_clusters
from stcmtl.solver.centers import (
    L1,
    MCP,
    RIDGE,
    Penalty,
    noise_scale,
    predictions,
    update_centers,
)
from stcmtl.solver.kernels.losses import Loss, pull_and_stiffness
from stcmtl.solver.machine import Threads
from stcmtl.solver.memberships import (
    SHAPES,
    residual_variance,
    support_prices,
    support_shares,
    update_memberships,
)
from stcmtl.solver.own_part import dense_fits
from stcmtl.solver.penalty_choice import choose_penalty, descend_levels
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Initial, Iteration, Settings, Stopwatch
from stcmtl.solver.soup import direction_clusters, sampled_purity, soup

# A brief round of tasks of many rows need not be close; of 15 rows, rounds that are less close lead
# to other starts, and to test errors that were 1 to 5 % larger in four sets of twelve draws.
MANY_ROWS, ROUGH, CLOSE = 75, 3e-4, 1e-4
BRIEF_ROUNDS = {"simplex": 2, "cone": 3, "span": 3}
MAX_ROUNDS = {"simplex": 6, "cone": 10, "span": 20}  # two or three are enough as a rule
SETTLING_ROUNDS = 5
FEW_ZEROS = 0.25  # of the free loadings
MAX_TURNS = 200  # of varimax
TIE = 1e-9  # of the criterion
ELSEWHERE = 0.01  # of the largest coefficient
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
    dense = settings.ridge is not None
    if settings.ridge is not None:
        initial = dense_fits(problem, settings.ridge)
    first, others, behind = rank_starts(problem, initial, start.V, settings)
    if settings.next_start and others:
        first = others[0]
    watch.lap("V")
    known = settings.penalty is not None and isinstance(settings.gamma, str)
    if settings.penalty is not None and known:
        penalty = Penalty(*settings.penalty)
    elif isinstance(settings.gamma, str):
        fold = problem.folds(settings.n_folds, settings.seed)
        free = settings.shape == "span"
        penalty = choose_penalty(problem, first.V, fold, settings.n_jobs, dense, free)
    else:
        penalty = Penalty(float(settings.gamma), MCP)
    watch.lap("gamma")
    # the MCP is not convex: from U = 0 its solution does not hang on the start's l1 fit
    first = first._replace(U=np.zeros_like(first.U))
    if known:  # found at the end of a path: go down it again
        first = first._replace(U=descend_levels(problem, first.V, penalty))
    for state in run_rounds(problem, first, penalty, start.iteration, settings, watch):
        yield replace(state, next_start=behind)


def run_rounds(
    problem: Problem,
    start: Mixture,
    penalty: Penalty,
    done: int,
    settings: Settings,
    watch: Stopwatch,
) -> Iterator[Iteration]:
    """U given V and V given U, in turn, until V settles; ``done`` iterations came before."""
    U, V, b, shares = start
    dense = penalty.inverse_a == RIDGE
    for iteration in range(done + 1, done + MAX_ROUNDS[settings.shape] + 1):
        levels = penalty.levels(problem, V)
        U, b, price = update_centers(problem, V, U, b, levels, penalty.inverse_a)
        watch.lap("U")
        previous = V
        U, V, b, shares = refit(problem, U, V, b, shares, settings.shape, dense)
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
            pure=np.count_nonzero(V, axis=0) == 1,
            purity=sampled_purity(W, settings.epsilon, settings.seed),
            outliers=np.zeros(problem.n_tasks, dtype=bool),
            seconds=watch.seconds,
        )
        if np.abs(V - previous).max() < 1e-3:
            return
        watch = Stopwatch()


def settle_loadings(problem: Problem, V: Array, penalty: Penalty, settings: Settings) -> Array:
    """A few rounds more, under a known penalty that is convex."""
    U, b = np.zeros((problem.n_features, len(V))), np.zeros(problem.n_tasks)
    shares, dense = support_shares(V), penalty.inverse_a == RIDGE
    for _ in range(SETTLING_ROUNDS):
        previous, levels = V, penalty.levels(problem, V)
        U, b, _ = update_centers(problem, V, U, b, levels, penalty.inverse_a, tol=1e-5)
        U, V, b, shares = refit(problem, U, V, b, shares, settings.shape, dense)
        if np.abs(V - previous).max() < 1e-2:
            break
    return V


def refit(
    problem: Problem,
    U: Array,
    V: Array,
    b: Array,
    shares: Array,
    shape: str,
    dense: bool = False,
) -> Mixture:
    """Loadings given U, in the units of the convention.

    Where few free loadings would be pruned, none is: the price of a zero is for tasks of few
    patterns, and elsewhere costs 1.5 % of the held-out loss (two labels, signed).
    """
    given = problem, U, V, b, residual_variance(problem, U, V, b), shares, SHAPES[shape], dense
    V, b = update_memberships(*given)
    shares = support_shares(V)
    if shape == "span" and 0.0 < np.mean(V == 0.0) < FEW_ZEROS:
        V, b = update_memberships(*given, pruned=False)
    if shape != "simplex":
        U, V = fix_scale(U, V)
    return Mixture(U, V, b, shares)


def fix_scale(U: Array, V: Array) -> tuple[Array, Array]:
    """The same U V by a convention: what is a loading of one, and of which sign.

    Every cluster's loadings have the same mean square over the tasks that use it, the strengths
    of tasks (sums of the sizes of their loadings) are one on average, and a cluster's loadings
    sum to something positive.
    """
    users = np.count_nonzero(V, axis=1)
    # powers of two cost no bit, and squares of 1e-200 would be zero
    size = np.frexp(np.abs(V).max(axis=1, initial=0.0))[1]
    squares = (np.ldexp(V, -size[:, None]) ** 2).sum(axis=1) / np.maximum(users, 1)
    usual_size = np.where(users > 0, np.ldexp(np.sqrt(squares), size), 1.0)
    scale = usual_size * np.where(V.sum(axis=1) < 0, -1.0, 1.0)
    U, V = U * scale, V / scale[:, None]
    strength = np.abs(V).sum(axis=0)
    usual = strength[strength > 0].mean() if strength.any() else 1.0
    return U * usual, V / usual


def choose_start(
    problem: Problem, initial: Initial, V: Array, settings: Settings, settled: bool = False
) -> Mixture:
    """A few rounds from SOUP's memberships V, and from other starts; the better wins.

    If V has ``settled`` in a simpler shape, it is not SOUP's, and better than k-means.
    """
    return rank_starts(problem, initial, V, settings, settled)[0]


def rank_starts(
    problem: Problem, initial: Initial, V: Array, settings: Settings, settled: bool = False
) -> tuple[Mixture, list[Mixture], float]:
    """The best, those that end elsewhere, and by how much the criterion of the next is higher.

    Of those that tie the first is taken: rounding has no say.
    """
    if settings.shape == "span":
        candidates = rotated_loadings(initial.W, len(V))
    else:
        candidates = [V]
        if 1 < len(V) < problem.n_tasks and not settled:
            other = direction_clusters(initial.W, len(V), settings.seed)
            candidates.append(other[match_clusters(other, V)])
    if settings.shape == "cone":
        candidates.append(soup_of_directions(initial.W, settings))
    n_jobs = settings.n_jobs if problem.y.size else 1  # rows elsewhere are asked in turn
    fits = Threads(n_jobs)(
        delayed(refine_briefly)(problem, initial, V, settings) for V in candidates
    )
    lowest = min(criterion for criterion, _ in fits)
    reached, best = next(fit for fit in fits if fit[0] <= lowest + TIE * abs(lowest))
    apart = [fit for fit in fits if leads_elsewhere(fit[1], best)]
    apart.sort(key=lambda fit: fit[0])
    behind = max(apart[0][0] - reached, 0.0) if apart else np.inf
    return best, [mixture for _, mixture in apart], behind


def leads_elsewhere(start: Mixture, other: Mixture) -> bool:
    """Whether coefficients of tasks differ by more than stopping early explains."""
    W = other.U @ other.V
    return bool(np.abs(start.U @ start.V - W).max() > ELSEWHERE * np.abs(W).max())


def soup_of_directions(W: Array, settings: Settings) -> Array:
    """SOUP's memberships of the tasks' directions, times their lengths."""
    length = np.linalg.norm(W, axis=0)
    typical = np.median(length[length > 0]) if length.any() else 1.0
    directions = W / np.where(length > 0, length, 1.0)
    V = soup(directions, settings.n_clusters, settings.theta, settings.epsilon, settings.seed).V
    return V * np.maximum(length / typical, 0.1)


def rotated_loadings(W: Array, n_clusters: int) -> list[Array]:
    """Singular vectors, turned so that patterns have few features, or tasks few patterns.

    Fewer than K leave zeros. The rounds that follow turn them slowly: on signed mixtures, three of
    them from the singular vectors as they are leave 6 % more held-out loss.
    """
    left, values, right = np.linalg.svd(W, full_matrices=False)
    K = min(n_clusters, values.size)
    left, right = left[:, :K] * np.sqrt(values[:K]), right[:K].T * np.sqrt(values[:K])
    turned = [(right @ varimax(side)).T for side in (left, right)]
    usual = [np.sqrt(np.maximum((V**2).mean(axis=1, keepdims=True), 1e-300)) for V in turned]
    pairs = zip(turned, usual, strict=True)
    return [np.pad(V / scale, ((0, n_clusters - K), (0, 0))) for V, scale in pairs]


def varimax(A: Array) -> Array:
    """The rotation R for which the squares of A R vary most within columns (Kaiser, 1958)."""
    R, reached = np.eye(A.shape[1]), 0.0
    for _ in range(MAX_TURNS):
        L = A @ R
        left, values, right = np.linalg.svd(A.T @ (L**3 - L * (L**2).mean(axis=0)))
        R = left @ right
        if values.sum() <= reached * (1.0 + 1e-6):
            break
        reached = values.sum()
    return R


def refine_briefly(
    problem: Problem, initial: Initial, V: Array, settings: Settings
) -> tuple[float, Mixture]:
    """A few rounds under a penalty at the level of the single-task fits.

    Returns (criterion, state).
    """
    K, T = V.shape
    shape, level = settings.shape, problem.usual_level(initial.lambdas)
    dense = settings.ridge is not None
    tol = ROUGH if np.median(problem.counts) >= MANY_ROWS else CLOSE
    U, b, shares = np.zeros((problem.n_features, K)), np.zeros(T), np.full(K, 1.0 / K)
    for _ in range(BRIEF_ROUNDS[shape]):
        if not dense:
            # gamma = mean(lambda) ignores that the noise in U's slopes grows like sqrt(T / K)
            growth = np.sqrt(T / K if shape == "simplex" else (V**2).sum(axis=1).mean())
            levels, inverse_a = level * growth * noise_scale(problem, V), L1
        else:
            levels, inverse_a = np.full(K, level), RIDGE
        U, b, _ = update_centers(problem, V, U, b, levels, inverse_a, tol)
        U, V, b, shares = refit(problem, U, V, b, shares, shape, dense)
    f = predictions(problem, U, V, b)
    prices = support_prices(problem, V, shares, SHAPES[shape], dense)
    fit = problem.log_likelihood(f, residual_variance(problem, U, V, b, f))
    criterion = -2.0 * fit + prices + np.log(problem.counts.sum()) * np.count_nonzero(U)
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
    pull_and_stiffness(Loss(problem.loss, problem.y, problem.row_counts), f, e, h)
    scale = 2.0 * noise if problem.loss == SQUARED else 1.0
    information = np.bincount(problem.task_of_row, h).astype(np.float64) / scale
    return information if problem.precision is None else information * problem.precision.fit
