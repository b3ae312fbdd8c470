"""Newton steps of one task of labels: few for a level, and none that goes up."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.kernels.label_task import solve_labels, step_labels
from stcmtl.solver.kernels.losses import LOGISTIC
from stcmtl.solver.kernels.single import start_task
from tests.unit import twins
from tests.unit.problems import correlated_rows, targets
from tests.unit.solver.kernels.one_task import objective, one_task


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_level_of_a_path_takes_few_steps(fit_intercept: bool) -> None:
    X = correlated_rows(80, 40, seed=3)
    task = one_task(X, targets(X, LOGISTIC, seed=4), LOGISTIC, fit_intercept)
    at, null = start_task(task)
    previous, counts = np.abs(at.slope).max(), []
    for level in previous * 0.75 ** np.arange(1, 13):
        counts.append(solve_labels(task, at, level, previous, 1e-6 * null))
        e, _ = twins.pull_and_stiffness(LOGISTIC, task.loss.y, at.f, task.loss.weight)
        np.testing.assert_allclose(at.f, X @ at.w + at.b[0], atol=1e-10)
        np.testing.assert_allclose(at.slope, X.T @ e, atol=1e-10)
        assert twins.optimality_gap(at.slope, at.w, np.float64(level)) < 0.02
        previous = level
    assert np.mean(counts) <= 5.0
    assert max(counts) <= 8


def test_no_step_goes_up_however_far_it_begins() -> None:
    X, level = correlated_rows(60, 10, seed=5), 0.01
    y = targets(X, LOGISTIC, seed=6)
    task = one_task(X, y, LOGISTIC, True)
    at, _ = start_task(task)
    at.w[:] = 30.0 * np.random.default_rng(7).normal(size=10)
    at.f[:] = X @ at.w + at.b[0]
    e, h = twins.pull_and_stiffness(LOGISTIC, y, at.f, task.loss.weight)
    at.e[:], at.h[:] = e, h
    reached = objective(LOGISTIC, X, y, at.w, at.b[0], level)
    for _ in range(30):
        after = step_labels(task, at, level, np.arange(10), reached, 1e-9)
        assert after <= reached
        assert after == pytest.approx(objective(LOGISTIC, X, y, at.w, at.b[0], level), abs=1e-9)
        reached = after
    assert reached < 0.7
