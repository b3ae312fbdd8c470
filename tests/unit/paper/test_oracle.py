"""The oracle: exact without noise, and the best there is with it."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import metrics
from stcmtl.data.simulation import simulate
from stcmtl.paper.experiments import oracle_coefficients, oracle_error

SMALL = {"n_tasks": 12, "n_features": 20, "n_clusters": 2, "n_train": 30, "n_test": 20}


def test_without_noise_it_is_the_truth() -> None:
    sim = simulate(**SMALL, noise=0.0, n_outliers=2)
    W = oracle_coefficients(sim.train)
    np.testing.assert_allclose(W, sim.truth.W, atol=1e-10)
    assert oracle_error(sim, W) == pytest.approx(0.0, abs=1e-10)


def test_with_noise_no_direction_within_its_reach_is_better() -> None:
    """Residuals are orthogonal to every entry of U that may move."""
    sim = simulate(**SMALL, n_outliers=1)
    W = oracle_coefficients(sim.train)
    train, truth = sim.train, sim.truth
    task = np.array([int(name.removeprefix("task")) - 1 for name in train.tasks])
    rest = train.y - np.sum(train.X * W[:, task].T, axis=1)
    slopes = train.X.T @ (rest[:, None] * truth.V[:, task].T)  # of outliers V is zero
    assert np.abs(slopes[truth.U != 0]).max() < 1e-9
    own = task == np.flatnonzero(truth.outliers)[0]
    used = truth.W[:, truth.outliers.argmax()] != 0
    assert np.abs(train.X[own][:, used].T @ rest[own]).max() < 1e-9


def test_its_error_is_on_the_test_rows() -> None:
    sim = simulate(**SMALL)
    W = oracle_coefficients(sim.train)
    predicted = np.empty(len(sim.test.y))
    for i, name in enumerate(sim.test.task_names):
        rows = sim.test.tasks == name
        predicted[rows] = sim.test.X[rows] @ W[:, i]
    assert oracle_error(sim, W) == pytest.approx(metrics.rmse(sim.test.y, predicted))


def test_it_needs_the_truth() -> None:
    from dataclasses import replace

    with pytest.raises(ValueError, match="needs the truth"):
        oracle_coefficients(replace(simulate(**SMALL).train, truth=None))
