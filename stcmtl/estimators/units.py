"""What a loading of one is off the simplex, and how sure that is.

The convention (``fix_scale``) speaks of the tasks that use a cluster. How many do is uncertain, and
an error of one makes all coefficients of the cluster wrong together. So tasks are counted by their
chances, and the variance of the count goes into that of the units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from stcmtl.data.taskset import Array
from stcmtl.estimators.whitened import TINY, White

EM_STEPS = 20
SMALLEST = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Loadings:
    """V (K, T) after the step and how its errors arise, by task: ``own`` (T, K, K) is the
    covariance of a_i noise_i, ``both`` (T, K, A) that with dU, ``slope`` (T, K, A) is B_i.
    """

    V: Array
    own: Array
    both: Array
    slope: Array

    def covariance(self, C: Array) -> Array:
        """Of every task's loadings (T, K, K)."""
        crossed = self.both @ self.slope.transpose(0, 2, 1)
        inherited = self.slope @ C @ self.slope.transpose(0, 2, 1)
        return self.own - crossed - crossed.transpose(0, 2, 1) + inherited


def user_chances(V: Array, variance: Array, found: NDArray[np.bool_], signed: bool) -> Array:
    """Chance (K, T) that a task uses a cluster, by what loadings are in a semisoft clustering:

        none: 0,   a part: uniform from 0 to m_k,   all of the task: N(m_k, t_k^2),

    each seen with errors of a known variance. The m_k are usual sizes (means by squares), the
    shares of the three kinds, alike for all clusters, and t_k come from EM. If ``signed``, parts
    reach from -m_k on.
    """
    variance = np.maximum(variance, SMALLEST)
    error, size = np.sqrt(variance), np.abs(V) if signed else V
    squares, cubes = (np.sum(np.abs(V) ** p, axis=1, keepdims=True, where=found) for p in (2, 3))
    usual = np.maximum(cubes / np.maximum(squares, SMALLEST), TINY)
    least = -usual if signed else np.zeros_like(usual)
    with np.errstate(over="ignore"):  # infinitely many errors from nothing are as good as many
        none = normal_density(V, variance)
        part = (ndtr((size - least) / error) - ndtr((size - usual) / error)) / (usual - least)
    side = usual / (usual - least)  # of the loadings that are all of a task, one in two is -m_k
    share, spread = np.full(3, 1.0 / 3.0), (usual / 2.0) ** 2
    for _ in range(EM_STEPS):
        whole = side * normal_density(size - usual, spread + variance)
        chance = share[:, None, None] * np.stack([none, part, whole])
        chance /= np.maximum(chance.sum(axis=0), SMALLEST)
        share = (chance.sum(axis=(1, 2)) + 1.0) / (V.size + 3.0)
        kept = spread / (spread + variance)
        squares = (kept * (size - usual)) ** 2 + kept * variance
        spread = np.sum(chance[2] * squares, axis=1, keepdims=True)
        spread /= np.maximum(chance[2].sum(axis=1, keepdims=True), TINY)
        spread = np.maximum(spread, (0.01 * usual) ** 2)
    return np.asarray(1.0 - chance[0])


def normal_density(x: Array, variance: Array) -> Array:
    return np.asarray(np.exp(-0.5 * x**2 / variance) / np.sqrt(2.0 * np.pi * variance))


class Units(NamedTuple):
    """``size`` (K,): a loading of one by the convention is so many of U's as it is. Errors of its
    logarithm: their covariance (K, K), with dU (A, K), and with the loadings (T, K, K).
    """

    size: Array
    covariance: Array
    with_centers: Array
    with_loadings: Array


def find_units(white: White, loadings: Loadings, C: Array) -> Units:
    """``fix_scale`` of the loadings, linearised.

    scale_k^2 = sum_i v_ki^2 / users_k,    size_k = scale_k mean_i sum_k |v_ki| / scale_k
    d log size = sum_i J_i dv_i - G d log users / 2
    """
    V, own, both, slope = loadings.V, loadings.own, loadings.both, loadings.slope
    signs, found = white.signs, white.V != 0.0
    variance = np.einsum("tkk->kt", loadings.covariance(C))
    chance = user_chances(V, variance, found, white.signed)
    users = np.maximum(chance.sum(axis=1), 1.0)
    squares = np.maximum((chance * V**2).sum(axis=1), TINY)
    scale = np.sqrt(squares / users)
    follow = found.any(axis=0)  # others have no say in what is usual
    parts = signs * follow / (max(follow.sum(), 1) * scale[:, None])
    usual = max(float(np.sum(parts * V)), TINY)
    G = np.eye(len(V)) - np.sum(parts * V, axis=1) / usual
    J = G * (chance * V / squares[:, None]).T[:, None] + parts.T[:, None] / usual
    JB = np.einsum("tlk,tka->la", J, slope)
    with_centers = np.einsum("tka,tlk->al", both, J) - C @ JB.T
    with_loadings = own @ J.transpose(0, 2, 1) - both @ JB.T - slope @ with_centers
    crossed = np.einsum("tlk,tka->la", J, both) @ JB.T
    counted = np.sum(chance * (1.0 - chance), axis=1) / (2.0 * users) ** 2
    covariance = np.sum(J @ own @ J.transpose(0, 2, 1), axis=0) - crossed - crossed.T
    covariance += JB @ C @ JB.T + (G * counted) @ G.T
    return Units(scale * usual, covariance, with_centers, with_loadings)
