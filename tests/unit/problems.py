"""Small problems that several tests share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.simulation import Simulation, simulate
from stcmtl.data.taskset import task_codes
from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.problem import Problem

Array = NDArray[np.float64]


def correlated_rows(n: int, D: int, seed: int, correlation: float = 0.6) -> Array:
    """Columns contiguous, as the kernels want them."""
    X = np.random.default_rng(seed).normal(size=(n, D))
    for d in range(1, D):
        X[:, d] = correlation * X[:, d - 1] + np.sqrt(1.0 - correlation**2) * X[:, d]
    return np.asfortranarray(X)


def targets(X: Array, loss: int, seed: int, offset: float = 0.7) -> Array:
    """A sparse signal with noise and an offset; labels -1 and 1 for the logistic loss."""
    rng = np.random.default_rng(seed)
    w = np.zeros(X.shape[1])
    w[: min(4, w.size)] = [1.5, -1.0, 0.5, 2.0][: w.size]
    signal = X @ w + offset
    if loss == SQUARED:
        return signal + rng.normal(size=len(X))
    return np.where(rng.uniform(size=len(X)) < 1.0 / (1.0 + np.exp(-signal)), 1.0, -1.0)


def random_problem(
    loss: int,
    fit_intercept: bool = True,
    sizes: tuple[int, ...] = (20, 35, 28, 24, 31),
    D: int = 12,
    seed: int = 0,
) -> Problem:
    """Tasks of unequal size with correlated features, each with an offset of its own."""
    X = correlated_rows(sum(sizes), D, seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    offset = np.linspace(-1.0, 1.0, len(sizes))[codes]
    return Problem.build(X, targets(X, loss, seed + 1, offset), codes, loss, fit_intercept)


def simulated(
    loss: int = SQUARED, fit_intercept: bool = True, **options: Any
) -> tuple[Simulation, Problem]:
    """The paper's tasks, small, and the problem the solver makes of them."""
    small = {"n_tasks": 18, "n_features": 30, "n_clusters": 3, "n_train": 50, "n_test": 1}
    task_type = "classification" if loss == LOGISTIC else "regression"
    sim = simulate(**{**small, "task_type": task_type, **options})
    codes = task_codes(sim.train.tasks)[1]
    return sim, Problem.build(sim.train.X, sim.train.y, codes, loss, fit_intercept)


def random_memberships(K: int, T: int, seed: int) -> Array:
    """Columns on the simplex, some of them on its faces."""
    V = np.random.default_rng(seed).dirichlet(np.full(K, 0.7), T).T
    V[V < 0.05] = 0.0
    return np.ascontiguousarray(V / V.sum(axis=0))
