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
PERFECT = 1e-3  # of the null model's loss: fits below it are as good as one another
DEGREES = 3.0
USUAL_RANGE = 1.349  # the interquartile range of a normal law, in standard deviations


class Served(NamedTuple):
    """Of each task: what its own fit gains over the mixture, per row; the logarithm of the
    mixture's held-out loss, and the standard error of that.
    """

    gain: Array
    log_loss: Array
    se: Array


def like_no_other(problem: Problem, W: Array, factor: float, seed: int) -> NDArray[np.bool_]:
    """Tasks that no mixture of the other tasks' own fits W (D, T) serves, whatever its strength.

    Own fits are shrunken, so that the strength is needed even on the simplex.
    """
    others = ~np.eye(problem.n_tasks, dtype=bool)
    return stand_out(problem, compare(problem, lambda i: W[:, others[i]], CONE, seed), factor)


def like_no_cluster(
    problem: Problem, state: Iteration, shape: str, factor: float, seed: int
) -> NDArray[np.bool_]:
    """Tasks that no mixture of the clusters serves, for each task those that live on others."""
    size = np.abs(state.V)
    shared = size <= 0.5 * size.sum(axis=1, keepdims=True)
    served = compare(problem, lambda i: state.U[:, shared[:, i]], SHAPES[shape], seed)
    return stand_out(problem, served, factor)


def stand_out(problem: Problem, served: Served, factor: float) -> NDArray[np.bool_]:
    gain = np.maximum(served.gain, 0.0)
    ratio = problem.n_rows * gain + noise_evidence(served)
    likely = ratio > factor + np.log(problem.n_tasks)
    return (gain > 0.0) & likely & beyond_fence(gain, factor)


def noise_evidence(served: Served) -> Array:
    """2 log(1 + z^2 / 3): how far the losses of mixtures are above the usual."""
    low, usual, high = np.quantile(served.log_loss, [0.25, 0.5, 0.75])
    spread = np.maximum((high - low) / USUAL_RANGE, served.se)
    above = np.maximum(served.log_loss - usual, 0.0)
    z = np.divide(above, spread, out=np.zeros_like(above), where=spread > 0)
    return 0.5 * (DEGREES + 1.0) * np.log1p(z**2 / DEGREES)


def compare(problem: Problem, patterns: Callable[[int], Array], shape: int, seed: int) -> Served:
    """Every task's own fit beside its mixture of the patterns (D, any) that it is given."""
    fold = problem.folds(N_FOLDS, seed)
    found = np.empty((problem.n_tasks, 3))
    for i in range(problem.n_tasks):
        found[i] = compare_task(problem, i, patterns(i), shape, fold[problem.rows(i)])
    return Served(*found.T)


def compare_task(
    problem: Problem, i: int, P: Array, shape: int, fold: NDArray[np.int64]
) -> tuple[float, float, float]:
    """Gain, logarithm of the mixture's loss and its standard error; no gain without patterns."""
    task, rows = task_alone(problem, i), problem.rows(i)
    y, pull = problem.y[rows], problem.null_pull[rows]
    losses = losses_of(problem, y, predict_folds(problem, i, P, shape, fold))
    perfect = PERFECT * np.mean(losses_of(problem, y, y.mean()))
    mixed = max(float(losses.mean()), perfect, np.finfo(float).tiny)
    levels = lambda_path(task.columns.T, pull)[::LEVELS_APART]
    alone = l1_cross_validation(task, fold, levels, TOLERANCE, PATIENCE).min()
    own = max(float(alone), perfect)
    if P.shape[1] == 0 or mixed <= own:
        gain = 0.0
    else:
        gain = 0.5 * np.log(mixed / own) if problem.loss == SQUARED else mixed - own
    return gain, np.log(mixed), losses.std() / np.sqrt(y.size) / mixed


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
