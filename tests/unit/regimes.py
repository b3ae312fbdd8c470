"""Small tasks of every kind that the choice of a model tells apart."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl import STCMTLRegressor

T, D, K = 12, 8, 2
Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


@cache
def draw(kind: str, model: Any = STCMTLRegressor, n: int = 0, seed: int = 0) -> Rows:
    """X, y and tasks of T tasks; as many rows of each as tell the kinds apart, unless given."""
    n = n or (20 if kind == "independent" else 40) * (1 if model is STCMTLRegressor else 2)
    rng = np.random.default_rng(seed)
    W = coefficients(kind, rng)
    tasks = np.repeat(np.arange(T), n)
    X = rng.normal(size=(T * n, D))
    signal = np.einsum("nd,nd->n", X, W[tasks]) + 0.3 * rng.normal(size=T)[tasks]
    if model is STCMTLRegressor:
        return X, signal + 0.5 * rng.normal(size=T * n), tasks
    return X, rng.uniform(size=T * n) < 1.0 / (1.0 + np.exp(-2.0 * signal)), tasks


def coefficients(kind: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """(T, D): "mixtures", "strengths", "signed", "independent", "identical", "dense own" or
    "sparse own".
    """
    U = np.zeros((K, D))
    U[0, :3], U[1, 3:6] = (1.5, -1.0, 1.0), (1.0, 1.2, -1.5)
    share = np.where(np.arange(T) < T // 2, np.arange(T) % 2, rng.uniform(size=T))
    V = np.column_stack([share, 1.0 - share])
    if kind == "strengths":
        return rng.uniform(0.3, 2.5, (T, 1)) * V @ U
    if kind == "signed":
        return rng.normal(size=(T, K)) @ U
    if kind == "independent":
        return np.where(rng.uniform(size=(T, D)) < 0.5, rng.normal(size=(T, D)), 0.0)
    if kind == "identical":
        return np.tile(U[0], (T, 1))
    if kind == "dense own":
        return V @ U + 0.25 * rng.normal(size=(T, D))
    if kind == "sparse own":
        return V @ U + np.where(rng.uniform(size=(T, D)) < 0.1, rng.normal(size=(T, D)), 0.0)
    return V @ U
