"""Ridge fits for both losses: what the methods with an l2 penalty share.

    min over w, b of sum over rows of weight * L(y, offset + x'w + b of its block) + level |w|^2

A block of rows shares an unpenalised intercept: a task on its own is one block, tasks that share
their coefficients are many. For the squared loss one eigendecomposition serves all levels; for
two labels Newton steps go from one level to the next. Neither is larger than the smaller side
of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from stcmtl.baselines.trace import STIFFEST, largest_eigenvalue
from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.losses import SQUARED, Loss, pull_and_stiffness, total_loss
from stcmtl.solver.problem import Problem
from stcmtl.stopping import stop_if_asked

POWERS = np.arange(6.0, -21.0, -1.0)  # of two, times the ridge that is as stiff as the loss
# Levels without improvement before a path ends. The first ones leave so little of the coefficients
# that a shorter one would end in directions which vary much and tell nothing.
PATIENCE = 10
MAX_STEPS, MAX_HALVINGS = 200, 30
SLOW = 0.5  # of what the step before promised: a step that promises more shows a slow pace
JITTER = 1e-12  # of the mean curvature: no direction counts as less stiff


class RidgeFit(NamedTuple):
    """Coefficients (D,) and the intercept of every block."""

    w: Array
    b: Array


class Ridge(Protocol):
    """Rows that are ready to be fitted at any level, best from the strongest on."""

    def fit(self, level: float, start: RidgeFit | None, tol: float) -> RidgeFit: ...


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows with weights; those of block i are ``starts[i]:starts[i + 1]``."""

    X: Array
    y: Array
    weight: Array
    offset: Array
    starts: NDArray[np.int64]
    loss: int
    fit_intercept: bool

    @classmethod
    def of_task(
        cls, problem: Problem, i: int, weight: Array, offset: Array | None = None
    ) -> Blocks:
        """One task as one block, without the rows of weight 0."""
        rows, whole = problem.rows(i), np.array([0, problem.n_rows[i]])
        known = np.zeros(problem.n_rows[i]) if offset is None else offset[rows]
        return cls(
            problem.X[rows], problem.y[rows], weight[rows], known, whole, problem.loss,
            problem.fit_intercept,
        ).drop_held_out()  # fmt: skip

    @classmethod
    def of_all(cls, problem: Problem, weight: Array) -> Blocks:
        """A block for every task, without the rows of weight 0."""
        return cls(
            problem.X, problem.y, weight, np.zeros(problem.y.size), problem.starts, problem.loss,
            problem.fit_intercept,
        ).drop_held_out()  # fmt: skip

    def drop_held_out(self) -> Blocks:
        kept = self.weight > 0.0
        if kept.all():
            return self
        starts = np.concatenate([[0], np.cumsum(np.add.reduceat(kept, self.starts[:-1]))])
        cut = {name: getattr(self, name)[kept] for name in ("X", "y", "weight", "offset")}
        return replace(self, starts=starts, **cut)

    def centre(self, columns: Array, weight: Array) -> tuple[Array, Array]:
        """Columns less their weighted means in every block, and these; 0 without an intercept."""
        means = np.zeros((self.starts.size - 1, *columns.shape[1:]))
        if not self.fit_intercept:
            return columns, means
        means += (self.sums((columns.T * weight).T).T / self.sums(weight)).T
        return columns - self.spread(means), means

    def sums(self, columns: Array) -> Array:
        return np.add.reduceat(columns, self.starts[:-1])

    def spread(self, values: Array) -> Array:
        """What a block has, for each of its rows."""
        return np.repeat(values, np.diff(self.starts), axis=0)

    @property
    def stiffness(self) -> float:
        """The level that is as stiff as the loss in the direction in which the rows vary most."""
        centred, _ = self.centre(self.X, self.weight)
        largest = largest_eigenvalue(np.sqrt(self.weight)[:, None] * centred)
        return 0.5 * STIFFEST[self.loss] * largest

    def prepare(self) -> Ridge:
        return SquaredRidge(self) if self.loss == SQUARED else LogisticRidge(self)


def falling_ridges(stiffness: float) -> list[float]:
    """Levels from where next to nothing is left of the coefficients, each half the one before."""
    return [float(level) for level in (stiffness or 1.0) * 2.0**POWERS]


class SquaredRidge:
    """w = (A'A + level)^-1 A't, or A'(A A' + level)^-1 t where there are fewer rows: A and t are
    centred, and times the root of the weights.
    """

    def __init__(self, rows: Blocks) -> None:
        centred, self.means = rows.centre(rows.X, rows.weight)
        target, self.target_means = rows.centre(rows.y - rows.offset, rows.weight)
        root = np.sqrt(rows.weight)
        A, t = root[:, None] * centred, root * target
        is_wide = A.shape[0] < A.shape[1]
        values, Q = np.linalg.eigh(A @ A.T if is_wide else A.T @ A)
        rounding = values[-1] * values.size * np.finfo(np.float64).eps
        self.values = np.where(values > rounding, values, 0.0)
        self.pull = Q.T @ (t if is_wide else A.T @ t)
        self.back = A.T @ Q if is_wide else Q

    def fit(self, level: float, start: RidgeFit | None = None, tol: float = 0.0) -> RidgeFit:
        """Exact; without a penalty the shortest of all least-squares solutions."""
        stiffness = self.values + level
        shrunk = np.divide(self.pull, stiffness, out=np.zeros_like(self.pull), where=stiffness > 0)
        w = self.back @ shrunk
        return RidgeFit(w, self.target_means - self.means @ w)


class LogisticRidge:
    """Newton steps on the penalised loss; where there are fewer rows than features, on as many
    directions as there are rows.

    From one level to the next the curvature of the loss changes little, and one decomposition of
    it serves any level: it is made anew only when steps gain less than they should.
    """

    def __init__(self, rows: Blocks) -> None:
        self.rows, self.directions = rows, None
        if rows.X.shape[0] < rows.X.shape[1]:
            self.directions, lower = np.linalg.qr(rows.X.T)
            self.rows = replace(rows, X=lower.T)
        self.loss = Loss(rows.loss, rows.y, rows.weight)
        self.curvature: Curvature | None = None

    def fit(self, level: float, start: RidgeFit | None, tol: float) -> RidgeFit:
        """Until a step promises less than ``tol`` of the loss of predicting 0."""
        rows, Q = self.rows, self.directions
        w, b = np.zeros(rows.X.shape[1]), np.zeros(rows.starts.size - 1)
        if start is not None:
            w, b = start.w if Q is None else Q.T @ start.w, start.b
        f = rows.offset + rows.X @ w + rows.spread(b)
        value = total_loss(self.loss, f) + level * w @ w
        enough, before = tol * np.log(2.0) * rows.weight.sum(), np.inf
        e, h = np.empty_like(f), np.empty_like(f)
        for _ in range(MAX_STEPS):
            stop_if_asked()
            pull_and_stiffness(self.loss, f, e, h)
            is_new = self.curvature is None
            if self.curvature is None:
                self.curvature = Curvature(rows, h)
            dw, db, promise = self.curvature.step(e, w, level)
            moved = rows.X @ dw + rows.spread(db)
            size, after = 1.0, np.inf
            for _ in range(MAX_HALVINGS):
                reached = w + size * dw
                after = total_loss(self.loss, f + size * moved) + level * reached @ reached
                if after <= value:
                    break
                size *= 0.5
            if after <= value:
                w, b, f, value = reached, b + size * db, f + size * moved, after
                if promise <= enough:
                    break
            elif is_new:
                break
            if size < 1.0 or promise > SLOW * before:
                self.curvature = None
            before = promise
        return RidgeFit(w if Q is None else Q @ w, b)


class Curvature:
    """That of the loss where rows have the stiffness h, with intercepts always at their best:
    features then count as centred by h.
    """

    def __init__(self, rows: Blocks, h: Array) -> None:
        self.rows, self.stiffness = rows, rows.sums(h)
        centred, self.means = rows.centre(rows.X, h)
        values, self.Q = np.linalg.eigh(centred.T @ (h[:, None] * centred))
        self.values = np.maximum(values, JITTER * values.mean())

    def step(self, e: Array, w: Array, level: float) -> tuple[Array, Array, float]:
        """Of w and b under the pull e, and the fall that the quadratic model promises."""
        rows, pull = self.rows, self.rows.sums(e)
        slope = rows.X.T @ e - pull @ self.means - 2.0 * level * w
        turned, stiffness = self.Q.T @ slope, self.values + 2.0 * level
        stiffness[stiffness == 0.0] = 1.0  # nothing varies
        dw: Array = self.Q @ (turned / stiffness)
        promise = turned @ (turned / stiffness)
        if not rows.fit_intercept:
            return dw, np.zeros(pull.size), 0.5 * float(promise)
        lift = pull / self.stiffness
        return dw, lift - self.means @ dw, 0.5 * float(promise + pull @ lift)


def fit_tasks(
    ridges: Sequence[Ridge], levels: Array, starts: Sequence[RidgeFit | None], tol: float
) -> list[RidgeFit]:
    """Every task at its own level."""
    each = zip(ridges, levels, starts, strict=True)
    return [ridge.fit(float(level), start, tol) for ridge, level, start in each]
