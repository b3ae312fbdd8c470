"""Which tasks no mixture serves: the rule that is ours.

Coefficients of few rows are too noisy for distances to tell much, so rows that are held out are
asked. A task's own fit gains over the best mixture of some patterns, in log-likelihood per row,

    gain_i = (1/2) log((m_i + d) / (o_i + d)),     d the median of all m    (squared loss)
    gain_i = m_i - o_i                                                      (two labels)

with m_i the mean loss of the mixture and o_i that of the own fit. Noise is the task's own: what
no fit predicts is in both. The doubt d is there because patterns are known only as well as the
usual noise allows: a task of little noise notices that, and is no outlier for it.

A task is one if its gain is positive, beyond the fence of all tasks' gains (where all tasks
gain something, none stands out), and beyond chance:

    (1/2) n_i gain_i + 2 log(1 + z_i^2 / 3) > factor + log T.

The left side is a log likelihood ratio; the right side allows for T tasks. Rows count for half:
what a feature and the noise have in common by chance is in all folds, so that own fits seem to
gain up to 11 in clean tasks whose noise differs. The second term counts how unusual the mixture's
loss would be as noise alone: z_i is by how many robust standard deviations its logarithm is above
the median, in a law with heavy tails (Student's t, 3 degrees).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.data.weighted import error_of, mean_of
from stcmtl.solver.kernels.losses import Loss
from stcmtl.solver.kernels.simplex import CONE, SIMPLEX, MixedTask, fit_memberships
from stcmtl.solver.machine import Threads
from stcmtl.solver.memberships import SHAPES
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Iteration, Settings
from stcmtl.solver.single_task import LEVELS_APART, validate_task
from stcmtl.solver.thresholds import beyond_fence
from stcmtl.stopping import halt, stop_if_asked

# Of 50 rows five folds leave 40, from which a lasso often finds nothing where 45 are enough.
N_FOLDS = 10
MOST_PATTERNS = 30  # of other tasks, those that predict best
RIDGE = 0.01  # on loadings that are not shares, beside the square of what they load on
TOLERANCE = 1e-6
DEGREES = 3.0
USUAL_RANGE = 1.349  # the interquartile range of a normal law, in standard deviations


class Served(NamedTuple):
    """Of each task: what its own fit gains over the mixture, per row; the mixture's held-out loss,
    and its standard error.
    """

    gain: Array
    loss: Array
    se: Array


def own_losses(problem: Problem, seed: int, n_jobs: int | None) -> Array:
    """Held-out loss (T,) of every task's own lasso, at its best level."""
    fold = problem.folds(N_FOLDS, seed)

    def validate(i: int) -> float:
        _, errors = validate_task(problem, i, fold, LEVELS_APART)
        return float(errors.min())

    tasks = range(problem.n_tasks)
    found = Threads(n_jobs)(delayed(validate)(i) for i in tasks)
    return np.array(found)


def like_no_other(
    problem: Problem, W: Array, own: Array, settings: Settings, fewest: int
) -> NDArray[np.bool_]:
    """Tasks that no mixture of the other tasks' own fits W (D, T) seems to serve.

    Of any strength, as own fits are shrunken. They are noisy too, so this errs on the side of
    setting tasks aside: up to a quarter, if ``fewest`` are left. Those that clusters serve come
    back.
    """
    T = problem.n_tasks
    others = ~np.eye(T, dtype=bool)
    served = compare(problem, lambda i: W[:, others[i]], own, CONE, settings.seed)
    ratio = likelihood_ratio(problem, served)
    most = max(min(T // 4, T - fewest), 0)
    return ratio > max(settings.outlier_factor, float(np.sort(ratio)[T - 1 - most]))


def like_no_cluster(
    problem: Problem, state: Iteration, own: Array, settings: Settings
) -> NDArray[np.bool_]:
    """Tasks that no mixture of the clusters serves, for each task those that live on others."""
    size = np.abs(state.V)
    shared = size <= 0.5 * size.sum(axis=1, keepdims=True)
    shape = SHAPES[settings.shape]
    served = compare(problem, lambda i: state.U[:, shared[:, i]], own, shape, settings.seed)
    return stand_out(problem, served, settings.outlier_factor)


def stand_out(problem: Problem, served: Served, factor: float) -> NDArray[np.bool_]:
    likely = likelihood_ratio(problem, served) > factor + np.log(problem.n_tasks)
    return likely & beyond_fence(np.maximum(served.gain, 0.0), factor)


def likelihood_ratio(problem: Problem, served: Served) -> Array:
    """Its logarithm, 0 where the mixture predicts better.

    A task of many rows is told apart by no more of them than others have: the clusters
    are known no better than that.
    """
    n_rows = np.minimum(problem.counts, np.median(problem.counts))
    ratio = 0.5 * n_rows * served.gain + noise_evidence(served)
    return np.where(served.gain > 0, ratio, 0.0)


def noise_evidence(served: Served) -> Array:
    """2 log(1 + z^2 / 3): how far the losses of mixtures are above the usual."""
    loss = np.maximum(served.loss, np.finfo(float).tiny)
    low, usual, high = np.quantile(np.log(loss), [0.25, 0.5, 0.75])
    spread = np.maximum((high - low) / USUAL_RANGE, served.se / loss)
    above = np.maximum(np.log(loss) - usual, 0.0)
    z = np.divide(above, spread, out=np.zeros_like(above), where=spread > 0)
    return 0.5 * (DEGREES + 1.0) * np.log1p(z**2 / DEGREES)


def compare(
    problem: Problem, patterns: Callable[[int], Array], own: Array, shape: int, seed: int
) -> Served:
    """Own losses (T,) beside those of mixtures, of the patterns (D, any) that a task is given.

    A task that is given none has nothing to be compared with.
    """
    fold = problem.folds(N_FOLDS, seed)
    mixed, se = own.copy(), np.zeros(problem.n_tasks)
    for i in range(problem.n_tasks):
        P, rows = patterns(i), problem.rows(i)
        if P.shape[1]:
            y, f = problem.y[rows], predict_folds(problem, i, P, shape, fold[rows])
            losses = (y - f) ** 2 if problem.loss == SQUARED else np.logaddexp(0.0, -y * f)
            weight = problem.weight_of(i)
            mixed[i], se[i] = mean_of(losses, weight), error_of(losses, weight)
    if problem.loss != SQUARED:
        return Served(mixed - own, mixed, se)
    doubt = max(float(np.median(mixed)), np.finfo(float).tiny)
    return Served(0.5 * np.log((mixed + doubt) / (own + doubt)), mixed, se)


def predict_folds(problem: Problem, i: int, P: Array, shape: int, fold: NDArray[np.int64]) -> Array:
    """What mixtures of the patterns P predict for task i, each fold by the other rows."""
    y, Z = problem.y[problem.rows(i)], problem.X[problem.rows(i)] @ P
    if Z.shape[1] > MOST_PATTERNS:
        spread = np.maximum(Z.std(axis=0), np.finfo(float).tiny)
        likeness = (Z - Z.mean(axis=0)).T @ (y - y.mean()) / spread
        Z = Z[:, np.sort(np.argsort(-likeness, kind="stable")[:MOST_PATTERNS])]
    K = Z.shape[1]
    ridge = np.zeros(K) if shape == SIMPLEX else RIDGE * (Z**2).mean(axis=0)
    f = np.zeros(y.size)
    for c in np.unique(fold).tolist():
        stop_if_asked()
        kept = fold != c
        counts = problem.row_counts[problem.rows(i)][kept]
        loss = Loss(problem.loss, y[kept], counts / counts.sum())
        rest = problem.fit_intercept, shape, ridge, halt()
        part = MixedTask(np.ascontiguousarray(Z[kept]), loss, *rest)
        v = np.full(K, 1.0 / K)
        b, _ = fit_memberships(part, v, 0.0, TOLERANCE)
        f[~kept] = Z[~kept] @ v + b
    return f
