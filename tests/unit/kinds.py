"""Models of every kind on small tasks of that kind: no clusters, one, strengths, signs, own parts.

Each test that draws, tabulates or words a model runs over ``KINDS`` and both losses.
"""

from functools import cache
from typing import Any

import numpy as np

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet

T, D, K, N = 12, 15, 3, 40
KINDS: dict[str, dict[str, Any]] = {
    "alone": {"n_clusters": 0},
    "one": {"n_clusters": 1, "shape": "simplex", "own": "none"},
    "one strength": {"n_clusters": 1, "shape": "cone", "own": "none"},
    "simplex": {"n_clusters": K, "shape": "simplex", "own": "none"},
    "cone": {"n_clusters": K, "shape": "cone", "own": "none"},
    "span": {"n_clusters": K, "shape": "span", "own": "none"},
    "own": {"n_clusters": K, "shape": "simplex", "own": "deviation"},
    "one own": {"n_clusters": 1, "shape": "simplex", "own": "deviation"},
    "robust cone": {"n_clusters": K, "shape": "cone", "own": "none", "robust": True},
    "robust span": {"n_clusters": K, "shape": "span", "own": "deviation", "robust": True},
}
LOSSES = (STCMTLRegressor, STCMTLClassifier)


def draw_coefficients(kind: str, rng: np.random.Generator) -> np.ndarray:
    """W (D, T) of three patterns; the last two tasks of robust kinds follow none."""
    U = np.zeros((D, K))
    for k in range(K):
        U[5 * k : 5 * k + 5, k] = rng.uniform(0.5, 1.0, 5)
    V = np.eye(K)[:, np.arange(T) % K]
    V[:, 9:] = rng.dirichlet(np.ones(K), 3).T
    if "strength" in kind or "cone" in kind:
        V = V * np.geomspace(0.5, 2.0, T)
    if "span" in kind:
        V = rng.normal(size=(K, T))
    W = U @ V
    if kind.startswith("one"):
        W = U[:, :1] @ V.sum(axis=0, keepdims=True)
    if kind == "alone":
        W = rng.normal(size=(D, T))
    if "own" in kind:
        W = W + 0.4 * rng.normal(size=(D, T))
    if "robust" in kind:
        W[:, -2:] = rng.choice([-2.0, 2.0], (D, 2))
    return W


@cache
def tasks_of(kind: str, loss: type = STCMTLRegressor) -> TaskSet:
    rng = np.random.default_rng(7)
    W = draw_coefficients(kind, rng)
    task = np.repeat(np.arange(T), N)
    X = rng.normal(size=(T * N, D))
    f = np.einsum("nd,dn->n", X, W[:, task])
    names = np.array([f"t{i + 1:02}" for i in range(T)])[task]
    if loss is STCMTLRegressor:
        return TaskSet(X, f + 0.3 * rng.normal(size=f.size), names)
    labels = np.where(rng.uniform(size=f.size) < 1.0 / (1.0 + np.exp(-3.0 * f)), 1.0, -1.0)
    return TaskSet(X, labels, names, task_type="classification")


@cache
def model_of(kind: str, loss: Any = STCMTLRegressor) -> Any:
    """One fit serves many tests: none may change it."""
    data = tasks_of(kind, loss)
    return loss(cv=3, random_state=0, **KINDS[kind]).fit(data.X, data.y, data.tasks)
