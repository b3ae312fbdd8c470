"""How much a row counts in the refinement: by the inverse noise variance of its task.

The paper's weights 1 / n_i make every task count the same, so that a row of a task of three has 700
times the say of one of a task of 2,000: tiny tasks ruin large ones. A likelihood has no such
weights. Its own are 1 / sigma_i^2, and sigma_i^2 is estimated by the residuals of the task's own
fit, over n_i - |w_i|_0 - 1 (Reid, Tibshirani and Friedman, 2016), if it has rows enough for that.
Its logarithm is then shrunken to that of all tasks, as far as chance explains the difference.
"""

import numpy as np
from scipy.special import digamma, polygamma

from stcmtl.data.taskset import Array
from stcmtl.solver.problem import LOGISTIC, Precision, Problem
from stcmtl.solver.records import Initial

ROWS_A_FEATURE = 3  # from so many on, what the task's own fit leaves is noise
SURE = 3.0  # standard deviations of chance
PRIOR_ROWS = 5.0  # that speak for the usual loss


def find_precision(problem: Problem, initial: Initial) -> Precision | None:
    """None where all tasks have as many rows: then they count the same, as in the paper."""
    if (problem.counts == problem.counts[0]).all():
        return None
    return Precision(noise_precision(problem, initial), held_out_precision(problem, initial))


def held_out_precision(problem: Problem, initial: Initial) -> Array:
    """A task that is hard to predict from three rows must not drown all others by its losses."""
    n_rows = problem.counts
    usual = max(n_rows @ initial.losses / n_rows.sum(), np.finfo(float).tiny)
    own = (PRIOR_ROWS * usual + n_rows * initial.losses) / (PRIOR_ROWS + n_rows)
    return np.asarray(usual / own)


def noise_precision(problem: Problem, initial: Initial) -> Array:
    """One for the logistic loss, which has no noise of its own."""
    n_rows = problem.counts
    if problem.loss == LOGISTIC:
        return np.ones(problem.n_tasks)
    spare = n_rows - np.count_nonzero(initial.W, axis=0) - problem.fit_intercept
    known = (n_rows >= ROWS_A_FEATURE * problem.n_features) & (spare > 0)
    squares = problem.task_squares(initial.W, initial.b)
    return shrunken_precisions(squares, np.where(known & (squares > 0.0), spare, 0.0))


def shrunken_precisions(squares: Array, spare: Array) -> Array:
    """From sums of squares (T,) with ``spare`` degrees of freedom, 0 where nothing is known.

    log s^2 is about log sigma^2 with a variance of trigamma(spare / 2); what the logarithms vary
    beyond that is how noise differs (DerSimonian and Laird's moments).
    """
    known = np.flatnonzero(spare > 0)
    precision = np.ones(squares.size)
    if known.size < 2:
        return precision
    half = spare[known] / 2.0
    logs = np.log(squares[known] / spare[known]) - digamma(half) + np.log(half)
    chance = polygamma(1, half)
    weight = 1.0 / chance
    usual = weight @ logs / weight.sum()
    excess = weight @ (logs - usual) ** 2 - (known.size - 1)
    if excess > SURE * np.sqrt(2.0 * (known.size - 1)):
        variance = excess / (weight.sum() - weight @ weight / weight.sum())
        precision[known] = np.exp((usual - logs) * variance / (variance + chance))
    return precision
