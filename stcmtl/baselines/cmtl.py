"""Clustered multi-task learning: disjoint clusters, by the convex relaxation of k-means.

Tasks of a cluster have coefficients near their mean: with F the (T, K) matrix of normalised
cluster indicators, the penalty is rho1 tr(W (I - F F') W') + rho2 |W|_F^2. Where M stands for
F F', and may be any matrix in its convex hull, it becomes

    min over W, b, M of sum_i (1/n_i) L(y_i, X_i w_i + b_i)
                        + rho1 eta (1 + eta) tr(W (eta I + M)^-1 W'),
    eta = rho2 / rho1,  tr M = K,  0 <= M <= I

The best M has the right singular vectors of W (von Neumann's inequality), so that only its
eigenvalues m_j are left to find. With theta_j = rho2 + rho1 m_j the penalty is a function of
the singular values s_j of W alone,

    rho2 (rho1 + rho2) min over theta of sum_j s_j^2 / theta_j,
    rho2 <= theta_j <= rho1 + rho2,  sum_j theta_j = T rho2 + K rho1

and its proximal operator shrinks each s_j by the theta_j of a water-filling.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from stcmtl.baselines.base import Baseline, Options, Steps
from stcmtl.baselines.crossvalidation import Path
from stcmtl.baselines.kernels.gradients import fill_gradients
from stcmtl.baselines.kernels.ksupport import fill_shares
from stcmtl.baselines.near_best import fit_near_best
from stcmtl.baselines.trace import SpectralProblem
from stcmtl.data import checks as check
from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.kmeans import kmeans
from stcmtl.solver.problem import Rows
from stcmtl.solver.soup import partition

POWERS = np.arange(3.0, -15.5, -0.5)  # of two, times the curvature of the loss
ETAS = (0.01, 0.03, 0.1, 0.3, 1.0)  # from tight clusters on


@dataclass(frozen=True)
class ClusterPenalty:
    """The relaxed penalty as a function of the singular values."""

    rho1: float
    rho2: float
    n_clusters: int

    def shrink(self, s: Array, step: float) -> tuple[Array, float]:
        """With theta held, s becomes s theta / (theta + shift), where the objective of the
        proximal operator is (shift / 2) s^2 / (theta + shift): theta makes the sum smallest.
        """
        strength = self.rho2 * (self.rho1 + self.rho2)
        if strength == 0.0:
            return np.ones(s.size), 0.0
        shift = 2.0 * step * strength
        theta = self.thetas(s, shift)
        kept = theta / (theta + shift)
        return kept, float(strength * np.sum((kept * s) ** 2 / theta))

    def thetas(self, s: Array, shift: float) -> Array:
        """argmin over theta of sum_j s_j^2 / (theta_j + shift), within bounds and with their sum.

        Where it is not at a bound, theta_j + shift is in proportion to s_j; so the shares
        m_j = (theta_j - rho2) / rho1 are those of the k-support norm, with k = K.
        """
        m = np.ones(s.size)
        if self.rho1 > 0.0 and self.n_clusters < s.size:
            fill_shares(s, (self.rho2 + shift) / self.rho1, self.n_clusters, m)
        return self.rho2 + self.rho1 * m


@dataclass(eq=False, repr=False)
class CMTL(Baseline):
    """Convex clustered multi-task learning.

    Parameters
    ----------
    n_clusters : int
        K, from 1 to the number of tasks.
    rho1 : "cv" or float
        Level of the distance of tasks from their cluster.
    rho2 : "cv" or float
        Level of the squared norm of all coefficients; 0 leaves no penalty at all.

    Attributes
    ----------
    rho1_, rho2_ : float
        The levels of the fit.
    labels_ : (T,)
        Clusters by k-means on the K leading eigenvectors of M.

    The others are those of ``Baseline``.

    >>> other = baselines.CMTL(n_clusters=3, random_state=0).fit(train.X, train.y, train.tasks)
    >>> float(round(metrics.rmse(test.y, other.predict(test.X, test.tasks)), 2))
    0.6
    """

    _penalties = ("rho1", "rho2")
    _kernels = (fill_gradients, fill_shares, kmeans)

    n_clusters: int = 5
    rho1: str | float = "cv"
    rho2: str | float = "cv"

    def _check(self, n_tasks: int) -> None:
        check.check_n_clusters(self.n_clusters, n_tasks, or_else="")
        super()._check(n_tasks)

    def _solve(self, rows: Rows, options: Options) -> Steps:
        problem = rows.problem()
        spectral = SpectralProblem(problem, partial(ClusterPenalty, n_clusters=self.n_clusters))
        fit, chosen, points = yield from fit_near_best(
            problem, options, spectral.solve, self._paths(spectral)
        )
        eigenvectors = np.linalg.eigh(fit.W.T @ fit.W)[1][:, -self.n_clusters :]
        labels = partition(eigenvectors, self.n_clusters, options.seed)
        return fit.solution(problem, points, chosen, labels_=labels)

    def _paths(self, spectral: SpectralProblem) -> list[Path]:
        """Falling levels of rho2 for every eta; one level alone where the other is fixed."""
        rho1, rho2 = self._fixed()
        levels = [float(level) for level in spectral.curvature * 2.0**POWERS]
        if rho1 is not None and rho2 is not None:
            return [[{"rho1": rho1, "rho2": rho2}]]
        if rho1 is not None:
            return [[{"rho1": rho1, "rho2": level} for level in levels]]
        if rho2 is not None:
            return [[{"rho1": level, "rho2": rho2} for level in levels]]
        return [[{"rho1": level / eta, "rho2": level} for level in levels] for eta in ETAS]
