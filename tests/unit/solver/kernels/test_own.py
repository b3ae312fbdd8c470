"""A task's own part in uncorrelated directions: against closed forms and scipy."""

import numpy as np
import pytest
from numpy.typing import NDArray

from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED, Loss, Tasks
from stcmtl.solver.kernels.own import own_path, shrink, sparse_paths
from stcmtl.solver.kernels.single import Task, l1_path
from stcmtl.stopping import NEVER
from tests.unit.cases import together
from tests.unit.twins import Array


class TestShrink:
    squares = np.array([4.0, 0.5, 2.0, 0.0])
    pull = np.array([3.0, -0.2, 1.0, 0.0])

    def value(self, z: Array, level: float) -> float:
        norm = float(np.linalg.norm(z))
        return float(0.5 * self.squares @ z**2 - self.pull @ z) + level * norm

    def test_squared(self) -> None:
        expected = self.pull / (self.squares + 0.7)
        np.testing.assert_allclose(shrink(self.pull, self.squares, 0.7, False), expected)

    @together("level", [1e-6, 0.1, 1.0, 3.0])
    def test_unsquared_is_stationary_and_smallest(self, level: float) -> None:
        z = shrink(self.pull, self.squares, level, True)
        slope = self.squares * z - self.pull + level * z / np.linalg.norm(z)
        np.testing.assert_allclose(slope, 0.0, atol=1e-9)
        smallest = self.value(z, level)
        rng = np.random.default_rng(0)
        for step in rng.normal(scale=0.01, size=(50, 4)):
            assert self.value(z + step, level) >= smallest - 1e-15

    def test_unsquared_is_exactly_zero_from_the_length_of_the_pull_on(self) -> None:
        edge = float(np.linalg.norm(self.pull))
        for level, nothing in ((edge * 1.001, True), (edge * 0.999, False)):
            assert (not shrink(self.pull, self.squares, level, True).any()) is nothing


def directions(n: int, r: int, seed: int) -> tuple[Array, Array]:
    """Centred columns that do not correlate, and their squares."""
    rng = np.random.default_rng(seed)
    raw = rng.normal(size=(n, r))
    Q = np.linalg.qr(raw - raw.mean(axis=0))[0]
    squares = np.geomspace(20.0, 2.0, r)
    return Q * np.sqrt(squares), squares


@pytest.mark.parametrize("unsquared", [True, False], ids=["group", "ridge"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_labels_lead_to_the_same_point_from_any_start(unsquared: bool, fit_intercept: bool) -> None:
    M, squares = directions(60, 4, 0)
    rng = np.random.default_rng(1)
    loss = Loss(LOGISTIC, np.sign(M @ rng.normal(size=4) + rng.normal(size=60)), np.ones(60))
    given = M, squares, loss, rng.normal(size=60), np.array([3.0]), unsquared, fit_intercept
    ends = []
    for z, b in ((np.zeros(4), 0.0), (rng.normal(size=4), 2.0 if fit_intercept else 0.0)):
        Z, B = own_path(*given, z, b, NEVER)
        ends.append(np.append(Z[0], B[0]))
    assert np.linalg.norm(ends[0][:4]) > 0.05
    np.testing.assert_allclose(*ends, atol=2e-3)


class TestSparse:
    """All tasks at once, against each of them alone."""

    T, D, n = 3, 4, 10
    levels = np.array([0.4, 0.2, 0.05])

    def tasks(self, kind: int) -> tuple[Tasks, NDArray[np.bool_], Array]:
        """Tasks whose rows count differently, which rows are kept, and an offset."""
        rng = np.random.default_rng(kind)
        N = self.T * self.n
        X, counts = np.asfortranarray(rng.normal(size=(N, self.D))), rng.uniform(0.5, 2.0, N)
        y = rng.normal(size=N) + X[:, 0]
        loss = Loss(kind, np.sign(y) if kind == LOGISTIC else y, counts)
        tasks = Tasks(X, np.arange(self.T + 1) * self.n, loss, True)
        return tasks, rng.uniform(size=N) < 0.8, 0.1 * rng.normal(size=N)

    @pytest.mark.parametrize("kind", [SQUARED, LOGISTIC])
    def test_paths(self, kind: int) -> None:
        tasks, kept, offset = self.tasks(kind)
        order = np.array([[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]])
        start = np.nan, np.zeros((self.D, self.T)), np.zeros(self.T)
        given = tasks, kept, offset, order
        W, b = sparse_paths(*given, self.levels, 2.0, 1e-12, *start)
        for i in range(self.T):
            rows = np.flatnonzero(kept[: self.n * (i + 1)])
            rows = rows[rows >= self.n * i]
            weight = tasks.loss.weight[rows]
            task = Task(
                np.ascontiguousarray(tasks.X[rows].T),
                Loss(kind, tasks.loss.y[rows], weight / weight.sum()),
                True,
                offset[rows],
            )
            alone, b_alone = l1_path(task, self.levels * 2.0 / np.sqrt(weight.sum()), 1e-12)
            np.testing.assert_allclose(W[:, :, i], alone, atol=1e-5)
            np.testing.assert_allclose(b[:, i], b_alone, atol=1e-5)
        later, b_later = sparse_paths(
            *given, self.levels[2:], 2.0, 1e-12, self.levels[1], W[1].copy(), b[1].copy()
        )
        np.testing.assert_allclose(later[0], W[2], atol=1e-5)
        np.testing.assert_allclose(b_later[0], b[2], atol=1e-5)
