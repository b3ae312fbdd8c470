"""The issue's bars on simulated data, in a form short enough for every run."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.accuracy import scores
from benchmarks.baselines import linear_values
from stcmtl import STCMTLClassifier, STCMTLRegressor, metrics, simulate
from stcmtl.data.taskset import TaskSet, task_codes
from stcmtl.paper.experiments import oracle_coefficients
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from stcmtl.solver.single_task import initialise
from tests.unit.plain import GIVEN


def per_task_values(train: TaskSet, test: TaskSet, loss: int) -> np.ndarray:
    """Test predictions of the single-task l1 fits that the algorithm starts from."""
    y = train.y if loss == SQUARED else np.where(train.y == 1, 1.0, -1.0)
    problem = Problem.build(train.X, y, task_codes(train.tasks)[1], loss, fit_intercept=True)
    initial = initialise(problem, n_folds=5, seed=0, n_jobs=2)
    return linear_values(test, initial.W, problem.original_intercepts(initial.W, initial.b))


def compare(mixing: str, n_features: int) -> pd.Series:
    """Mean scores: ours over the oracle's, and Algorithm 1 over LASSO."""
    rows = []
    for seed in (100, 101) if n_features == 200 else (100,):
        sim = simulate(n_features=n_features, mixing=mixing, structure_seed=seed, random_state=seed)
        train, test = sim.train, sim.test
        model = STCMTLRegressor(5, **GIVEN, n_jobs=2, random_state=0).fit(
            train.X, train.y, train.tasks
        )
        ours = scores(sim, model.coef_.T, model.predict(test.X, test.tasks))
        W = oracle_coefficients(sim.train)
        best = scores(sim, W, linear_values(test, W))
        paper = STCMTLRegressor(5, **GIVEN, refine=False, n_jobs=2, random_state=0)
        paper.fit(train.X, train.y, train.tasks)
        alone = metrics.rmse(test.y, per_task_values(train, test, SQUARED))
        rows.append(
            {
                "RMSE": ours["RMSE"] / best["RMSE"],
                "REE": ours["REE"] / best["REE"],
                "MCC": ours["MCC"],
                "pure": metrics.pure_accuracy(sim.truth.pure, model.pure_),
                "paper": metrics.rmse(test.y, paper.predict(test.X, test.tasks)) / alone,
                "iterations": paper.n_iter_,
            }
        )
    return pd.DataFrame(rows).mean()


@pytest.mark.parametrize(
    ("mixing", "n_features", "rmse", "ree", "mcc"),
    [
        ("sparse", 200, 1.005, 1.5, 0.93),
        ("dense", 200, 1.009, 1.85, 0.91),
        ("sparse", 600, 1.01, 1.9, 0.82),
        ("dense", 600, 1.01, 1.9, 0.82),
    ],
)
def test_refinement_is_close_to_the_oracle(
    mixing: str, n_features: int, rmse: float, ree: float, mcc: float
) -> None:
    found = compare(mixing, n_features)
    assert found["RMSE"] <= rmse
    assert found["REE"] <= ree
    assert found["MCC"] >= mcc
    assert found["pure"] >= 0.95
    assert found["paper"] < 1.0
    assert found["iterations"] <= 20


def test_logistic_tasks_gain_a_fifth_over_single_tasks() -> None:
    sim = simulate(n_features=100, task_type="classification", structure_seed=9, random_state=9)
    train, test = sim.train, sim.test
    model = STCMTLClassifier(5, n_jobs=2, random_state=0).fit(train.X, train.y, train.tasks)
    ours = metrics.error_rate(test.y, model.predict(test.X, test.tasks))
    alone = np.where(per_task_values(train, test, LOGISTIC) > 0, 1.0, -1.0)
    assert ours <= 0.8 * metrics.error_rate(test.y, alone)
