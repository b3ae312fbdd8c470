"""Losses and gradients of all tasks at once, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.baselines.kernels.gradients import fill_gradients
from tests.unit import twins
from tests.unit.problems import random_problem


@pytest.mark.parametrize("loss", twins.LOSSES)
def test_loss_and_gradient(loss: int) -> None:
    problem, rng = random_problem(loss), np.random.default_rng(1)
    W = rng.normal(size=(problem.n_tasks, problem.n_features))
    weight = problem.weight * (rng.uniform(size=problem.y.size) < 0.8)  # some rows held out
    weight[problem.rows(1)] = 0.0  # and a task
    X = np.ascontiguousarray(problem.X)
    gradient = np.full(W.shape, np.nan)
    reached = fill_gradients(problem.as_tasks(weight)._replace(X=X), W, gradient)
    f = problem.predictions(W.T, np.zeros(problem.n_tasks))
    assert reached == pytest.approx(twins.total_loss(loss, problem.y, f, weight), rel=1e-12)
    pull, _ = twins.pull_and_stiffness(loss, problem.y, f, weight)
    for i in range(problem.n_tasks):
        rows = problem.rows(i)
        np.testing.assert_allclose(gradient[i], -X[rows].T @ pull[rows], rtol=1e-10, atol=1e-12)
