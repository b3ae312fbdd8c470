"""One task as a mixture of clusters, drawn at random."""

import numpy as np

from stcmtl.solver.kernels.losses import SQUARED, Loss
from stcmtl.solver.kernels.simplex import SIMPLEX, MixedTask
from tests.unit.twins import Array


def task(loss: int, K: int, seed: int, n: int = 60, v: Array | None = None) -> tuple[Array, Array]:
    """Cluster predictions Z and targets of one task; its memberships are drawn unless given."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, K))
    v = rng.dirichlet(np.full(K, 0.5)) if v is None else v
    signal = 0.5 + Z @ v
    if loss == SQUARED:
        return Z, signal + 0.5 * rng.normal(size=n)
    return 3.0 * Z, np.where(rng.uniform(size=n) < 1 / (1 + np.exp(-3.0 * signal)), 1.0, -1.0)


def mixed(
    Z: Array,
    y: Array,
    loss: int = SQUARED,
    fit_intercept: bool = True,
    weight: Array | None = None,
    shape: int = SIMPLEX,
    ridge: Array | None = None,
) -> MixedTask:
    ridge = np.zeros(Z.shape[1]) if ridge is None else ridge
    weight = np.full(len(y), 1.0 / len(y)) if weight is None else weight
    return MixedTask(Z, Loss(loss, y, weight), fit_intercept, shape, ridge)
