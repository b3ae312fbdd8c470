"""Losses and gradients of all tasks at once, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.baselines.kernels.gradients import extrapolated_gradients
from tests.unit import twins
from tests.unit.problems import random_problem


@pytest.mark.parametrize("loss", twins.LOSSES)
def test_loss_here_and_gradient_ahead(loss: int) -> None:
    problem, rng = random_problem(loss), np.random.default_rng(1)
    shape = problem.n_tasks, problem.n_features
    old, new = rng.normal(size=shape), rng.normal(size=shape)
    weight = problem.weight * (rng.uniform(size=problem.y.size) < 0.8)  # some rows held out
    X = np.ascontiguousarray(problem.X)
    f, gradient = np.zeros(problem.y.size), np.full(shape, np.nan)
    tasks = problem.as_tasks(weight)._replace(X=X)
    extrapolated_gradients(tasks, old, 0.0, f, gradient)
    reached = extrapolated_gradients(tasks, new, 0.7, f, gradient)
    nothing = np.zeros(problem.n_tasks)
    here = problem.predictions(new.T, nothing)
    ahead = problem.predictions((new + 0.7 * (new - old)).T, nothing)
    assert reached == pytest.approx(twins.total_loss(loss, problem.y, here, weight), rel=1e-12)
    np.testing.assert_allclose(f[weight > 0], here[weight > 0], rtol=1e-12, atol=1e-12)
    pull, _ = twins.pull_and_stiffness(loss, problem.y, ahead, weight)
    for i in range(problem.n_tasks):
        rows = problem.rows(i)
        np.testing.assert_allclose(gradient[i], -X[rows].T @ pull[rows], rtol=1e-10, atol=1e-12)
