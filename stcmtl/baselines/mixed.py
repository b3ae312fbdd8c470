"""The mixed linear model behind ``RandomSlopes``: its restricted likelihood, slopes and variances.

    y_i = Z_i (beta + u_i) + noise,   u_i ~ N(0, s^2 Psi),   noise ~ N(0, s^2 I)

beta is flat, or where there are many features its slopes are N(0, s^2 tau). With
H_i = I + Z_i Psi Z_i' and S = sum_i Z_i' H_i^-1 Z_i + P, where P has 1 / tau on its diagonal,

    beta = S^-1 sum_i Z_i' H_i^-1 y_i,   u_i = Psi Z_i' H_i^-1 (y_i - Z_i beta)

and the criterion, minus twice the logarithm of the restricted likelihood, is

    sum_i log|H_i| + log|S| - log|P| + (N - F) log s^2,
    s^2 = (sum_i r_i' H_i^-1 r_i + beta' P beta) / (N - F)

where r_i = y_i - Z_i beta and F counts the flat effects. Its slope along Psi is

    sum_i Z_i' H_i^-1 (H_i - Z_i S^-1 Z_i' - r_i r_i' / s^2) H_i^-1 Z_i

Psi = diag(a)^2 + L L' with few columns L; or, for few features, L L' with a triangular L. The
first has more entries than some data can tell from noise: with fewer rows in a task than features,
the criterion alone may be lowest where nothing is noise. So it is raised by q log(1 + tr Psi),
which prefers a larger share of noise as q observations of it would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular
from scipy.optimize import minimize

from stcmtl.data.taskset import Array
from stcmtl.data.weighted import count_of
from stcmtl.stopping import stop_if_asked

NEARLY_FLAT = 1e8  # tau of flat effects: one part in 1e8 is lost, and S stays regular
LEAST_NOISE = 1e-10  # s^2, where the target has a spread of 1
TOLERANCE, FEW_TOLERANCE = 1e-4, 1e-10  # of the criterion, with many features and with few
ROUND_TOLERANCE = 1e-7  # where a round begins with what the one before left, it must not be far off
WIDEST = 1e4  # standard deviation of an effect, in those of the noise
OUT_OF_STEPS = 1  # SciPy's status


class Task(NamedTuple):
    """Rows of a task, at most one more than columns: an orthogonal rotation leaves of all others
    only the square of what no coefficient can explain, ``rest``, and their number, ``spare``.
    """

    Z: Array
    y: Array
    rest: float
    spare: float

    @classmethod
    def compress(cls, Z: Array, y: Array, weight: Array | None = None) -> Task:
        """A row that counts twice is as one of twice the square, and a spare one of nothing."""
        count, q = count_of(y, weight), Z.shape[1]
        if weight is not None:
            Z, y = np.sqrt(weight)[:, None] * Z, np.sqrt(weight) * y
        if len(Z) <= q + 1:
            return cls(Z, y, 0.0, count - len(Z))
        R = np.asarray(np.linalg.qr(np.column_stack([Z, y]), mode="r"))
        return cls(R[:q, :q], R[:q, q], float(R[q, q] ** 2), count - q)


@dataclass(frozen=True, eq=False)
class Variances:
    """``diagonal`` a (q,) and ``factor`` L (q, k) of Psi; log tau, None where beta is flat."""

    diagonal: Array
    factor: Array
    log_tau: float | None

    @property
    def psi(self) -> Array:
        return np.diag(self.diagonal**2) + self.factor @ self.factor.T


@dataclass(frozen=True, eq=False)
class Layout:
    """What of the variances is free: the diagonal or nothing of it, a mask of the factor, tau."""

    has_diagonal: bool
    mask: NDArray[np.bool_]
    has_tau: bool

    @classmethod
    def full(cls, q: int) -> Layout:
        """A triangular factor alone."""
        return cls(False, np.tri(q, dtype=bool), False)

    @classmethod
    def low_rank(cls, q: int, k: int) -> Layout:
        """The diagonal and k columns."""
        return cls(True, np.ones((q, k), dtype=bool), True)

    def pack(self, at: Variances) -> Array:
        diagonal = at.diagonal if self.has_diagonal else np.empty(0)
        tau = np.full(int(self.has_tau), at.log_tau or 0.0)
        return np.concatenate([diagonal, at.factor[self.mask], tau])

    def unpack(self, theta: Array) -> Variances:
        q, n_free = len(self.mask), int(self.mask.sum())
        first = q * self.has_diagonal
        diagonal, factor = np.zeros(q), np.zeros(self.mask.shape)
        if self.has_diagonal:
            diagonal = theta[:q]
        factor[self.mask] = theta[first : first + n_free]
        return Variances(diagonal, factor, float(theta[-1]) if self.has_tau else None)


@dataclass(frozen=True, eq=False)
class Effects:
    """At some variances: the criterion, beta (q,), u (T, q) and s^2; the criterion's slope along
    Psi, as its diagonal (q,) and times the probe (q, k), and along log tau.
    """

    value: float
    common: Array
    own: Array
    noise: float
    along_diagonal: Array
    along_probe: Array
    along_tau: float


@dataclass(frozen=True, eq=False)
class MixedModel:
    """Rows of all tasks. ``is_slope`` (q,) marks effects that are N(0, s^2 tau) where tau is
    estimated; ``noise`` is s^2 where it is known.
    """

    tasks: Sequence[Task]
    is_slope: NDArray[np.bool_]
    noise: float | None = None

    def evaluate(self, at: Variances, probe: Array | None = None) -> Effects:
        """Costs some 4 n^2 D + 2 n D^2 operations per task of n rows."""
        q, L = self.is_slope.size, at.factor if probe is None else probe
        free_tau = self.is_slope & (at.log_tau is not None)
        precision = np.where(free_tau, np.exp(-(at.log_tau or 0.0)), 1.0 / NEARLY_FLAT)
        total = 1.0 + float((at.diagonal**2).sum() + (at.factor**2).sum())
        caution = 0.0 if at.log_tau is None else float(q)

        parts = [whiten(task, at) for task in self.tasks]
        S = np.diag(precision) + sum(part.gram for part in parts)
        K: Array = np.linalg.cholesky(S).astype(np.float64, copy=False)
        common = cho_solve((K, True), sum(part.F.T @ part.t for part in parts))
        residuals = [part.t - part.F @ common for part in parts]

        n_rows = sum(task.y.size + task.spare for task in self.tasks)
        count = max(n_rows - int((~free_tau).sum()), 1)
        squares = float(common @ (precision * common)) + sum(task.rest for task in self.tasks)
        squares += sum(float(r @ r) for r in residuals)
        noise = max(squares / count, LEAST_NOISE) if self.noise is None else self.noise
        value = sum(part.log_det for part in parts) + 2.0 * float(np.log(np.diag(K)).sum())
        value += count * float(np.log(noise)) if self.noise is None else squares / noise
        value += caution * float(np.log(total)) - float(np.log(precision[free_tau]).sum())

        pulls = np.array([part.F.T @ r for part, r in zip(parts, residuals, strict=True)])
        slopes = [slope_of_task(part.F, K, L) for part in parts]
        along_diagonal = sum(slope for slope, _ in slopes) - (pulls**2).sum(axis=0) / noise
        along_probe = sum(slope for _, slope in slopes) - pulls.T @ (pulls @ L) / noise
        spread = (solve_triangular(K, np.eye(q), lower=True) ** 2).sum(axis=0)
        explained = precision * (spread + common**2 / noise)
        return Effects(
            value=value,
            common=common,
            own=pulls * at.diagonal**2 + pulls @ at.factor @ at.factor.T,
            noise=noise,
            along_diagonal=along_diagonal + caution / total,
            along_probe=along_probe + caution / total * L,
            along_tau=float((1.0 - explained)[free_tau].sum()),
        )

    def descend(self, at: Variances, layout: Layout, n_steps: int) -> tuple[Variances, bool]:
        """A few steps of L-BFGS down the criterion, and whether it has settled."""

        def value_and_slope(theta: Array) -> tuple[float, Array]:
            stop_if_asked()
            there = layout.unpack(theta)
            found = self.evaluate(there)
            slopes = [2.0 * found.along_probe[layout.mask]]
            if layout.has_diagonal:
                slopes.insert(0, 2.0 * there.diagonal * found.along_diagonal)
            return found.value, np.concatenate([*slopes, [found.along_tau] * layout.has_tau])

        theta = layout.pack(at)
        limits = [(-WIDEST, WIDEST)] * (theta.size - layout.has_tau)
        limits += [(-np.log(NEARLY_FLAT), np.log(NEARLY_FLAT))] * layout.has_tau
        many = TOLERANCE if self.noise is None else ROUND_TOLERANCE
        tol = many if layout.has_tau else FEW_TOLERANCE
        found = minimize(
            value_and_slope, theta, jac=True, method="L-BFGS-B", bounds=limits,
            options={"maxiter": n_steps, "ftol": tol, "gtol": 1e-5, "maxcor": 20},
        )  # fmt: skip
        return layout.unpack(found.x), found.status != OUT_OF_STEPS


class Whitened(NamedTuple):
    """C^-1 Z and C^-1 y of a task, where C C' = H; Z' H^-1 Z and log|H|."""

    F: Array
    t: Array
    gram: Array
    log_det: float


def whiten(task: Task, at: Variances) -> Whitened:
    B = np.hstack([task.Z * at.diagonal, task.Z @ at.factor])
    C = np.linalg.cholesky(B @ B.T + np.eye(task.y.size))
    both = solve_triangular(C, np.column_stack([task.Z, task.y]), lower=True, check_finite=False)
    F = both[:, :-1]
    return Whitened(F, both[:, -1], F.T @ F, 2.0 * float(np.log(np.diag(C)).sum()))


def slope_of_task(F: Array, K: Array, probe: Array) -> tuple[Array, Array]:
    """F' (I - F S^-1 F') F, where K K' = S: its diagonal, and itself times the probe."""
    E = solve_triangular(K, F.T, lower=True, check_finite=False)
    inner = np.eye(len(F)) - E.T @ E
    return (F * (inner @ F)).sum(axis=0), F.T @ (inner @ (F @ probe))
