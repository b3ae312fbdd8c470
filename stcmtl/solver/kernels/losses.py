"""What every compiled loop shares: the losses as quadratic models, and their safe use.

At predictions ``f`` a row has the *pull* ``e = -dL/df`` and the *stiffness*
``h = d2L/df2``, both times the row's weight. Coordinate descent works on (e, h) and
never asks which loss it serves. For the squared loss the model is exact and one
Newton step is enough. A row of weight 0 is held out.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stcmtl.solver.kept_kernels import keep
from stcmtl.stopping import NEVER, Halt

Array = NDArray[np.float64]

SQUARED, LOGISTIC = 0, 1
LEAST_STIFFNESS = 1e-4  # of a row with a label, as a share of its weight


def compiled(kernel: Callable[..., Any]) -> Any:
    """Reordering sums lets the compiler vectorise them; NaN and infinity keep their meaning."""
    return keep(njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"})(kernel))


class Loss(NamedTuple):
    """sum over rows of weight * L(y, f), where ``kind`` says which L."""

    kind: int
    y: Array
    weight: Array


UNKNOWN = np.empty((0, 0))


class Tasks(NamedTuple):
    """Rows of all tasks; those of task i are ``starts[i]:starts[i + 1]``.

    Once the byte in ``halt`` is set, loops end as soon as they look, and what they leave is void.
    ``squares`` (D, T) of each feature, as the loss weighs rows, save a look at all rows if known.
    """

    X: Array
    starts: NDArray[np.int64]
    loss: Loss
    fit_intercept: bool
    halt: Halt = NEVER
    squares: Array = UNKNOWN


class Mcp(NamedTuple):
    """level |u| - bend u^2 / 2, constant from |u| = level / bend on, for ``levels`` (K,) of the
    columns of U and ``concavity`` (D, K), the bend of each entry; the l1 norm where that is 0.
    """

    levels: Array
    concavity: Array


@compiled
def rows_of(starts, i):
    """Of task i. Signed numbers might count from the end, and keep loops from being vectorised."""
    return range(np.uintp(starts[i]), np.uintp(starts[i + 1]))


@compiled
def loss_of_task(tasks, i):
    rows = slice(tasks.starts[i], tasks.starts[i + 1])
    return Loss(tasks.loss.kind, tasks.loss.y[rows], tasks.loss.weight[rows])


@compiled
def soft_threshold(z, level):
    """argmin over u of (u - z)^2 / 2 + level |u|."""
    if z > level:
        return z - level
    if z < -level:
        return z + level
    return 0.0


@compiled
def penalised_minimum(z, curvature, level, bend):
    """argmin over u of curvature u^2 / 2 - z u + MCP(u), the MCP bent by ``bend``."""
    if bend < curvature:
        if abs(z) * bend <= level * curvature:
            return soft_threshold(z, level) / (curvature - bend)
        return z / curvature
    # Concave up to where the penalty ends: the minimum is at 0 or beyond that point.
    if z * z * bend > level * level * curvature:
        return z / curvature
    return 0.0


@compiled
def dot(x, e):
    total = 0.0
    for r in range(e.size):
        total += x[r] * e[r]
    return total


@compiled
def weighted_square(x, h):
    total = 0.0
    for r in range(h.size):
        total += h[r] * x[r] * x[r]
    return total


@compiled
def pull_and_square(x, e, h):
    """``dot`` and ``weighted_square``, with one look at x."""
    pull, square = 0.0, 0.0
    for r in range(e.size):
        pull += x[r] * e[r]
        square += h[r] * x[r] * x[r]
    return pull, square


@compiled
def release(e, h, x, step):
    """What is left of the pull after the prediction moved by ``step * x``."""
    for r in range(e.size):
        e[r] -= h[r] * x[r] * step


@compiled
def add_slopes(x, e, starts, loadings, slope):
    """slope[k] += sum over tasks i of loadings[i, k] times the pull of its rows on x."""
    for i in range(len(loadings)):
        pull = 0.0
        for r in rows_of(starts, i):
            pull += x[r] * e[r]
        for k in range(slope.size):
            slope[k] += loadings[i, k] * pull


@compiled
def release_tasks(x, e, h, starts, loadings, step):
    """``release`` of all tasks, after the coefficients of x moved by ``step`` (K,)."""
    for i in range(len(loadings)):
        total = 0.0
        for k in range(step.size):
            total += loadings[i, k] * step[k]
        if total != 0.0:
            for r in rows_of(starts, i):
                e[r] -= h[r] * x[r] * total


@compiled
def shift_intercept(e, h):
    """The exact step of an unpenalised intercept; updates e in place."""
    pull, stiffness = 0.0, 0.0
    for r in range(e.size):
        pull += e[r]
        stiffness += h[r]
    if stiffness == 0.0:
        return 0.0
    step = pull / stiffness
    for r in range(e.size):
        e[r] -= h[r] * step
    return step


@compiled
def pull_and_stiffness(loss, f, e, h):
    """Fill e = -weight dL/df and h = weight d2L/df2."""
    kind, y, weight = loss
    for r in range(y.size):
        if kind == SQUARED:
            e[r] = 2.0 * weight[r] * (y[r] - f[r])
            h[r] = 2.0 * weight[r]
        else:
            p = 1.0 / (1.0 + np.exp(y[r] * f[r]))  # probability of the other label
            e[r] = weight[r] * y[r] * p
            h[r] = weight[r] * max(p * (1.0 - p), LEAST_STIFFNESS)


@compiled
def total_loss(loss, f):
    """sum over rows of weight * L(y, f)."""
    kind, y, weight = loss
    total = 0.0
    for r in range(y.size):
        if kind == SQUARED:
            total += weight[r] * (y[r] - f[r]) ** 2
        else:
            margin = y[r] * f[r]
            # log(1 + exp(-m)) without overflow
            total += weight[r] * (np.log1p(np.exp(-abs(margin))) + max(-margin, 0.0))
    return total


@compiled
def loss_and_model(loss, f, e, h):
    """``total_loss`` and ``pull_and_stiffness`` in one go: for labels with one exponential for each
    row, and one logarithm for all rows in turn that have the same weight.
    """
    kind, y, weight = loss
    if kind == SQUARED:
        pull_and_stiffness(loss, f, e, h)
        return total_loss(loss, f)
    total, product, common = 0.0, 1.0, 0.0
    for r in range(y.size):
        w = weight[r]
        if w == 0.0:
            e[r] = h[r] = 0.0
            continue
        margin = y[r] * f[r]
        small = np.exp(-abs(margin))
        if w != common or product > 1e200:
            total += common * np.log(product)
            product, common = 1.0, w
        product *= 1.0 + small
        p = 1.0 / (1.0 + small)
        if margin > 0.0:
            p *= small
        else:
            total -= w * margin
        e[r] = w * y[r] * p  # p is the probability of the other label
        h[r] = w * max(p * (1.0 - p), LEAST_STIFFNESS)
    return total + common * np.log(product)


@compiled
def penalty_value(U, mcp):
    """The sum over all entries of U."""
    levels, concavity = mcp
    total = 0.0
    for d in range(U.shape[0]):
        for k in range(U.shape[1]):
            u, bend = abs(U[d, k]), concavity[d, k]
            if u * bend <= levels[k]:
                total += u * levels[k] - 0.5 * bend * u * u
            else:
                total += 0.5 * levels[k] ** 2 / bend
    return total


@compiled
def safe_step(loss, f, target, old, new, mcp):
    """Go from (f, old) towards (target, new) as far as the objective does not rise.

    A Newton step can overshoot where the stiffness is small; halving it makes it safe.
    ``target`` and ``new`` end where the step does. Returns its size and the objective's fall.
    """
    start = total_loss(loss, f) + penalty_value(old, mcp)
    size, fall = 1.0, 0.0
    for _ in range(12):
        reached = total_loss(loss, target) + penalty_value(new, mcp)
        fall = start - reached
        if fall >= 0.0:
            return size, fall
        size *= 0.5
        target[:] = 0.5 * (f + target)
        new[:] = 0.5 * (old + new)
    target[:] = f
    new[:] = old
    return 0.0, 0.0


@compiled
def convex_step(loss, f, target, old_penalty, new_penalty):
    """Bring ``target`` back towards f until the objective is seen not to rise.

    Between two points a convex penalty lies below the line through its values there, which
    stands for it. Returns the size of the step, 0 if none is safe.
    """
    start = total_loss(loss, f)
    size = 1.0
    for _ in range(20):
        rise = total_loss(loss, target) - start + size * (new_penalty - old_penalty)
        if rise <= 0.0:
            return size
        size *= 0.5
        target[:] = 0.5 * (f + target)
    target[:] = f
    return 0.0
