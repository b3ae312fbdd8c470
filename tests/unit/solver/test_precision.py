"""How much rows count where tasks have different sizes."""

import numpy as np
import pytest

from stcmtl.data.simulation import simulate
from stcmtl.data.taskset import task_codes
from stcmtl.solver.centers import noise_scale, update_centers
from stcmtl.solver.kernels.losses import LOGISTIC, SQUARED
from stcmtl.solver.precision import find_precision, held_out_precision, shrunken_precisions
from stcmtl.solver.problem import Precision, Problem
from stcmtl.solver.records import Initial
from tests.unit.problems import random_problem


def weighed(problem: Problem, precision: np.ndarray) -> Problem:
    return Problem(**{**fields(problem), "precision": Precision(precision, precision)})


def fields(problem: Problem) -> dict:
    return {name: getattr(problem, name) for name in Problem.__dataclass_fields__}


def own_fits(problem: Problem, losses: float = 1.0) -> Initial:
    T = problem.n_tasks
    return Initial(np.zeros((problem.n_features, T)), np.zeros(T), np.ones(T), np.full(T, losses))


def test_tasks_of_one_size_count_as_in_the_paper() -> None:
    equal = random_problem(SQUARED, sizes=(30, 30, 30))
    assert find_precision(equal, own_fits(equal)) is None
    np.testing.assert_array_equal(equal.weight, 1.0 / 30.0)


def test_labels_have_no_noise_of_their_own() -> None:
    problem = random_problem(LOGISTIC)
    found = find_precision(problem, own_fits(problem))
    assert found is not None
    np.testing.assert_array_equal(found.fit, 1.0)


def test_weights_are_precisions_and_sum_to_the_number_of_tasks() -> None:
    problem = weighed(random_problem(SQUARED), np.array([1.0, 2.0, 0.5, 1.0, 4.0]))
    assert problem.weight.sum() == pytest.approx(5.0)
    first = problem.weight[problem.starts[:-1]]
    np.testing.assert_allclose(first / first[0], [1.0, 2.0, 0.5, 1.0, 4.0])
    held_out = np.arange(problem.y.size) % 3 == 0
    training = problem.training_weight(held_out)
    assert training[held_out].sum() == 0.0
    assert training.sum() == pytest.approx(5.0)
    kept = training[~held_out] / problem.weight[~held_out]
    np.testing.assert_allclose(kept, kept[0])


def test_one_cluster_without_penalty_is_least_squares_of_all_rows() -> None:
    """The paper's weights would give the average of tasks instead."""
    problem = weighed(random_problem(SQUARED, sizes=(6, 90, 40)), np.ones(3))
    V = np.ones((1, 3))
    start = np.zeros((12, 1)), np.zeros(3)
    U, _, _ = update_centers(problem, V, *start, np.zeros(1), tol=1e-14)
    expected = np.linalg.lstsq(problem.X, problem.y, rcond=None)[0]  # features are centred by task
    np.testing.assert_allclose(U[:, 0], expected, atol=1e-5)


def test_the_noise_of_a_slope_is_that_of_weighed_rows() -> None:
    """Against the variance of sum of weight * x * noise over simulated noise."""
    precision = np.array([1.0, 4.0, 0.25])
    problem = weighed(random_problem(SQUARED, sizes=(20, 60, 200)), precision)
    V = np.array([[1.0, 0.3, 0.0], [0.0, 0.7, 1.0]])
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(4000, problem.y.size)) / np.sqrt(precision)[problem.task_of_row]
    x = rng.normal(size=noise.shape)
    slopes = (noise * x * problem.weight) @ V[:, problem.task_of_row].T
    expected = slopes.std(axis=0) / np.sqrt((slopes**2).mean())
    np.testing.assert_allclose(noise_scale(problem, V), expected, rtol=0.04)


class TestShrunkenPrecisions:
    def test_chance_is_no_difference(self) -> None:
        rng = np.random.default_rng(0)
        spare = np.array([20, 50, 200, 30, 80, 400])
        for _ in range(20):
            np.testing.assert_array_equal(shrunken_precisions(rng.chisquare(spare), spare), 1.0)

    def test_noise_that_differs_is_found_and_shrunken_where_rows_are_few(self) -> None:
        rng = np.random.default_rng(1)
        variance = np.array([0.1, 0.1, 1.0, 1.0, 9.0, 9.0])
        spare = np.array([2000, 20, 2000, 20, 2000, 20])
        found = shrunken_precisions(variance * rng.chisquare(spare), spare)
        np.testing.assert_allclose(found[0] / found[2], 10.0, rtol=0.15)
        np.testing.assert_allclose(found[2] / found[4], 9.0, rtol=0.15)
        assert found[1] < found[0] or found[5] > found[4]

    def test_what_is_not_known_is_usual(self) -> None:
        spare = np.array([1000, 1000, 0])
        found = shrunken_precisions(np.array([1000.0, 50_000.0, 7.0]), spare)
        assert found[2] == 1.0
        assert found[0] / found[1] == pytest.approx(50.0, rel=0.01)


def test_a_task_that_is_hard_to_predict_does_not_drown_the_others() -> None:
    problem = random_problem(SQUARED, sizes=(3, 300, 300))
    initial = own_fits(problem)
    initial.losses[0] = 100.0
    weights = held_out_precision(problem, initial)
    usual = (300.0 + 600.0) / 603.0
    own = (5.0 * usual + 300.0) / 8.0
    np.testing.assert_allclose(weights[0], usual / own)
    assert weights[0] < 0.05 < 0.9 < weights[1]


def test_tiny_tasks_do_not_ruin_large_ones() -> None:
    """Beside the truth a large task is as near as least squares of its own rows are."""
    from stcmtl import STCMTLRegressor

    sim = simulate(
        n_tasks=8, n_features=10, n_clusters=1, n_train=[3] * 6 + [800, 800], n_test=1, n_mixed=0
    )
    X, y, tasks = sim.train.X, sim.train.y, sim.train.tasks
    with pytest.warns(UserWarning, match="Fewer rows"):
        model = STCMTLRegressor(1, shape="simplex", own="none", random_state=0).fit(X, y, tasks)
    codes = task_codes(tasks)[1]
    for i in (6, 7):
        own = np.linalg.lstsq(X[codes == i], y[codes == i], rcond=None)[0]
        W = sim.truth.W[:, i]
        assert np.linalg.norm(model.coef_[i] - W) < np.linalg.norm(own - W)
