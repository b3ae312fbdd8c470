"""A short history of a fit, for the tests of its figures."""

from dataclasses import replace

import numpy as np

from stcmtl.solver.records import Iteration


def state(iteration: int, U: object, V: object, **changes: object) -> Iteration:
    U, V = np.array(U, dtype=float), np.array(V, dtype=float)
    T = V.shape[1]
    first = Iteration(
        iteration, "paper", 1.0, 1.0, "l1", 0.1, U, V, U @ V, np.zeros(T), V.max(axis=0) == 1.0,
        np.ones(T), np.zeros(T, dtype=bool), {"V": 0.001, "U": 0.003},
    )  # fmt: skip
    return replace(first, **changes)


HISTORY = [
    state(1, [[1, 0], [0, 0], [0, 0]], [[0.5, 0.5, 0.2], [0.5, 0.5, 0.8]]),
    state(2, [[1, 0], [0, 2], [0, 0]], [[1, 0.6, 0], [0, 0.4, 1]], seconds={"V": 0.004}),
    state(3, [[1, 0], [0, 2], [0, 0]], [[1, 0.6, 0], [0, 0.4, 1]], stage="refine"),
]
