"""From the last iteration to a fitted model's attributes."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor
from stcmtl.estimators.fitted import cluster_order, fitted_attributes
from stcmtl.solver.algorithm2 import solve_robust
from stcmtl.solver.centers import predictions
from stcmtl.solver.records import Settings
from tests.unit import twins
from tests.unit.setups import Setup
from tests.unit.small import MODELS, fit, small

PAPER = Settings(n_clusters=3, outlier_rule="paper", outlier_factor=0.5)


@pytest.mark.parametrize(
    ("V", "order"),
    [
        ([[0, 0, 1], [1, 0, 0], [0, 1, 0]], [1, 2, 0]),
        ([[0, 0, 0], [1, 0.4, 0], [0, 0.6, 0]], [1, 2, 0]),  # the last task is an outlier
        ([[0, 0.4, 0], [0, 0.6, 1]], [1, 0]),
        ([[1, 1, 1]], [0]),
    ],
)
def test_clusters_in_the_order_of_their_first_tasks(V: list[list[float]], order: list[int]) -> None:
    assert cluster_order(np.array(V, dtype=float)).tolist() == order


def test_attributes_of_a_fit_with_outliers(either: Setup) -> None:
    _, problem, initial = either
    states = list(solve_robust(problem, initial, PAPER))
    last, out = states[-1], states[-1].outliers
    assert out.any()
    found = fitted_attributes(problem, initial, states, PAPER, None)
    W = np.where(out, initial.W, last.U @ last.V)
    np.testing.assert_allclose(found["coef_"], W.T, atol=1e-12)
    np.testing.assert_allclose(
        found["memberships_"] @ found["cluster_coef_"], (last.U @ last.V).T, atol=1e-12
    )
    np.testing.assert_array_equal(found["purity_"][out], 0.0)
    np.testing.assert_array_equal(found["labels_"] == -1, out)
    assert found["n_iter_"] == sum(state.stage == "paper" for state in states)
    assert len(found["history_"]) == len(states)


@pytest.mark.parametrize("model", MODELS)
def test_losses_and_what_goes_with_them(model: type) -> None:
    """On the rows, task after task, with the intercepts of the fit."""
    data = small(model)
    fitted = fit(model, data, refine=False)
    y = data.y
    if model is STCMTLClassifier:
        y = np.where(y == fitted.classes_[1], 1.0, -1.0)
    f = fitted.decision_values(data.X, data.tasks)
    rows = twins.row_losses(fitted._loss, y, f)
    expected = [rows[data.tasks == name].mean() for name in fitted.task_names_]
    np.testing.assert_allclose(fitted.losses_, expected, rtol=1e-6)
    assert fitted.loss_spread_ == pytest.approx(rows.std(), rel=1e-6)
    price = 2.0 * fitted.noise_ if model is STCMTLRegressor else 1.0
    n_used = np.count_nonzero(fitted.cluster_coef_)
    assert fitted.optimism_ == pytest.approx(price * n_used / len(data.X))


def test_noise_is_that_of_the_tasks_inside(regression: Setup) -> None:
    _, problem, initial = regression
    states = list(solve_robust(problem, initial, PAPER))
    last, inside = states[-1], ~states[-1].outliers
    f = predictions(problem, last.U, last.V, last.b)
    rows = inside[problem.task_of_row]
    squares = ((problem.y - f)[rows] ** 2).sum()
    used = np.count_nonzero(last.U) + np.count_nonzero(last.V)  # memberships sum to one,
    expected = squares / max(rows.sum() - used, rows.sum() / 2)  # and a task has an intercept
    found = fitted_attributes(problem, initial, states, PAPER, None)
    assert found["noise_"] == pytest.approx(expected)


def test_distances_are_there_without_robust() -> None:
    fitted = fit(STCMTLRegressor, small(STCMTLRegressor))
    q1, q3 = np.percentile(fitted.distances_, [25, 75])
    assert fitted.fence_ == pytest.approx(q3 + 4.5 * (q3 - q1))
    assert not fitted.outliers_.any()
