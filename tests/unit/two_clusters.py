"""Six small tasks in two clusters, for tests of odd and bad input."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl import STCMTLClassifier, STCMTLRegressor
from tests.unit.plain import plain_model

MODELS = [STCMTLRegressor, STCMTLClassifier]
T, D, N = 6, 5, 20
TASKS = np.repeat(np.array(["north", "south", "east", "west", "up", "down"]), N)
Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def rows(model: Any = STCMTLRegressor, seed: int = 0, n: int = N, features: int = D) -> Rows:
    """Six tasks in two clusters: the first task is like the third and fifth, and so on."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((T * n, features))
    U = np.zeros((2, features))
    U[0, :2], U[1, -2:] = (1.5, -1.0), (1.0, 1.5)
    cluster = np.repeat(np.arange(T) % 2, n)
    y = np.einsum("nd,nd->n", X, U[cluster]) + 0.3 * rng.standard_normal(T * n)
    tasks = np.repeat(TASKS[::N], n)
    return X, (y if model is STCMTLRegressor else (y > 0).astype(int)), tasks


def fit(model: Any, X: Any, y: Any, tasks: Any, **options: Any) -> Any:
    return plain_model(model, **{"n_clusters": 2, "random_state": 0, **options}).fit(X, y, tasks)
