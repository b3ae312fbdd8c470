"""Which tasks no mixture serves: the rule that is ours.

Coefficients of few rows are too noisy for distances to tell much, so rows that are held out are
asked. A task's own fit gains over the best mixture of some patterns, in log-likelihood per row,

    gain_i = (1/2) log(mixture's loss_i / own loss_i)          (squared loss)
    gain_i = mixture's loss_i - own loss_i                     (two labels)

each loss a mean over the task's rows. The noise is the task's own: what no fit predicts raises
both losses alike.

A task is unlike the others if its gain is positive, beyond the fence of all tasks' gains (where
all tasks gain a little, none stands out), and beyond chance:

    n_i gain_i + 2 log(1 + z_i^2 / 3) > factor + log T.

The left side is a log likelihood ratio; the right side allows for T tasks. Its second term counts
how unusual the mixture's loss would be as noise alone: z_i is by how many robust standard
deviations its logarithm is above the median, in a law with heavy tails (Student's t, 3 degrees).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.losses import Loss
from stcmtl.solver.kernels.simplex import CONE, SIMPLEX, MixedTask, fit_memberships
from stcmtl.solver.kernels.single import l1_cross_validation
from stcmtl.solver.memberships import SHAPES
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Iteration
from stcmtl.solver.single_task import lambda_path, task_alone
from stcmtl.solver.thresholds import beyond_fence

# Of 50 rows five folds leave 40, from which a lasso often finds nothing where 45 are enough.
N_FOLDS = 10
MOST_PATTERNS = 30  # of other tasks, those that predict best
RIDGE = 0.01  # on loadings that are not shares, beside the square of what they load on
LEVELS_APART, PATIENCE = 4, 5
TOLERANCE = 1e-6
DOUBT = 1.0
DEGREES = 3.0
USUAL_RANGE = 1.349  # the interquartile range of a normal law, in standard deviations


class Served(NamedTuple):
    """Of each task: what its own fit gains over the mixture, per row; the mixture's held-out loss,
    and its standard error.
    """

    gain: Array
    loss: Array
    se: Array


def like_no_other(problem: Problem, W: Array, factor: float, seed: int) -> NDArray[np.bool_]:
    """Tasks that no mixture of the other tasks' own fits W (D, T) seems to serve.

    Of any strength, as own fits are shrunken. They are noisy too, so this errs on the side of
    setting tasks aside, up to a quarter of them: those that clusters serve come back.
    """
    others = ~np.eye(problem.n_tasks, dtype=bool)
    served = compare(problem, lambda i: W[:, others[i]], CONE, seed)
    ratio = likelihood_ratio(problem, served)
    return ratio > max(factor, float(np.quantile(ratio, 0.75)))


def like_no_cluster(
    problem: Problem, state: Iteration, shape: str, factor: float, seed: int
) -> NDArray[np.bool_]:
    """Tasks that no mixture of the clusters serves, for each task those that live on others."""
    size = np.abs(state.V)
    shared = size <= 0.5 * size.sum(axis=1, keepdims=True)
    served = compare(problem, lambda i: state.U[:, shared[:, i]], SHAPES[shape], seed)
    return stand_out(problem, served, factor)


def stand_out(problem: Problem, served: Served, factor: float) -> NDArray[np.bool_]:
    likely = likelihood_ratio(problem, served) > factor + np.log(problem.n_tasks)
    return likely & beyond_fence(np.maximum(served.gain, 0.0), factor)


def likelihood_ratio(problem: Problem, served: Served) -> Array:
    """Its logarithm, 0 where the mixture predicts better.

    A task of many rows is told apart by no more of them than others have: the clusters
    are known no better than that.
    """
    n_rows = np.minimum(problem.n_rows, np.median(problem.n_rows))
    return np.where(served.gain > 0, n_rows * served.gain + noise_evidence(served), 0.0)


def noise_evidence(served: Served) -> Array:
    """2 log(1 + z^2 / 3): how far the losses of mixtures are above the usual."""
    loss = np.maximum(served.loss, np.finfo(float).tiny)
    low, usual, high = np.quantile(np.log(loss), [0.25, 0.5, 0.75])
    spread = np.maximum((high - low) / USUAL_RANGE, served.se / loss)
    above = np.maximum(np.log(loss) - usual, 0.0)
    z = np.divide(above, spread, out=np.zeros_like(above), where=spread > 0)
    return 0.5 * (DEGREES + 1.0) * np.log1p(z**2 / DEGREES)


def compare(problem: Problem, patterns: Callable[[int], Array], shape: int, seed: int) -> Served:
    """Every task's own fit beside its mixture of the patterns (D, any) that it is given."""
    fold = problem.folds(N_FOLDS, seed)
    found = np.empty((problem.n_tasks, 3))
    for i in range(problem.n_tasks):
        found[i] = compare_task(problem, i, patterns(i), shape, fold[problem.rows(i)])
    mixed, own, se = found.T
    if problem.loss == SQUARED:
        doubt = max(DOUBT * float(np.median(mixed)), np.finfo(float).tiny)
        return Served(0.5 * np.log((mixed + doubt) / (own + doubt)), mixed, se)
    return Served(mixed - own, mixed, se)


def compare_task(
    problem: Problem, i: int, P: Array, shape: int, fold: NDArray[np.int64]
) -> tuple[float, float, float]:
    """Held-out losses of the mixture and of the own fit, and the standard error of the first.

    Without patterns there is nothing to compare with.
    """
    task, rows = task_alone(problem, i), problem.rows(i)
    levels = lambda_path(task.columns.T, problem.null_pull[rows])[::LEVELS_APART]
    own = float(l1_cross_validation(task, fold, levels, TOLERANCE, PATIENCE).min())
    if P.shape[1] == 0:
        return own, own, 0.0
    y = problem.y[rows]
    losses = losses_of(problem, y, predict_folds(problem, i, P, shape, fold))
    return float(losses.mean()), own, float(losses.std() / np.sqrt(y.size))


def losses_of(problem: Problem, y: Array, f: Array) -> Array:
    return (y - f) ** 2 if problem.loss == SQUARED else np.logaddexp(0.0, -y * f)


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
        kept = fold != c
        n = int(kept.sum())
        loss = Loss(problem.loss, y[kept], np.full(n, 1.0 / n))
        part = MixedTask(np.ascontiguousarray(Z[kept]), loss, problem.fit_intercept, shape, ridge)
        v = np.full(K, 1.0 / max(K, 1))
        b, _ = fit_memberships(part, v, 0.0, TOLERANCE)
        f[~kept] = Z[~kept] @ v + b
    return f
