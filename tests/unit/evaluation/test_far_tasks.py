"""Tasks far from all clusters: what new rows say of them."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from stcmtl.data.taskset import TaskSet
from stcmtl.evaluation.far_tasks import gains_alone, is_better, say_new_rows

ROWS = 80
RNG = np.random.default_rng(0)
X = RNG.normal(size=(3 * ROWS, 1))
TASKS = np.repeat(["a", "b", "c"], ROWS)
NOISE = 0.1 * RNG.normal(size=3 * ROWS)


class Off(RegressorMixin, BaseEstimator):
    """A fit that is wrong about the slopes of three tasks; their own fits are wrong by 0.1."""

    task_names_ = np.array(["a", "b", "c"])
    single_task_coef_ = np.full((3, 1), 1.1)
    single_task_intercept_ = np.zeros(3)

    def __init__(self, wrong: list[float]) -> None:
        self.wrong = wrong

    def predict(self, X: Any, tasks: Any) -> np.ndarray:
        return X[:, 0] * (1.0 + np.array(self.wrong)[np.searchsorted(self.task_names_, tasks)])


def far(wrong: list[float], flagged: int = 2) -> tuple[Any, TaskSet, np.ndarray]:
    """Three tasks y = x + noise; the fit is wrong about the first two by so much."""
    return Off([*wrong, 0.0]), TaskSet(X, X[:, 0] + NOISE, TASKS), np.arange(3) < flagged


def test_gains_are_those_of_the_flagged_tasks_row_by_row() -> None:
    model, test, flags = far([1.0, 0.0])
    first, second = gains_alone(model, test, flags)
    x, noise = X[:ROWS, 0], NOISE[:ROWS]
    np.testing.assert_allclose(first, (x - noise) ** 2 - (0.1 * x - noise) ** 2)
    x, noise = X[ROWS : 2 * ROWS, 0], NOISE[ROWS : 2 * ROWS]
    np.testing.assert_allclose(second, noise**2 - (0.1 * x - noise) ** 2)


@pytest.mark.parametrize(
    ("wrong", "flagged", "said"),
    [
        ([1.0, 1.0], 2, ", on new rows too: try a robust fit"),
        ([1.0, 0.0], 2, ", 1 of them on new rows too: try a robust fit"),
        ([0.0, 0.0], 2, ", yet their new rows are predicted no worse than by their own fits"),
        ([0.0, 0.0], 1, ", yet its new rows are predicted no worse than by its own fit"),
        ([-0.11, -0.11], 2, ""),  # own fits are better, but it may be chance
    ],
)
def test_what_new_rows_say(wrong: list[float], flagged: int, said: str) -> None:
    assert say_new_rows(*far(wrong, flagged)) == said


def test_a_task_without_new_rows_is_not_told() -> None:
    model, test, flags = far([1.0, 1.0])
    kept = test.tasks == "c"
    assert say_new_rows(model, TaskSet(X[kept], test.y[kept], test.tasks[kept]), flags) == ""


def test_one_row_is_never_beyond_chance() -> None:
    assert not is_better(np.array([5.0]), 0.05)
    assert is_better(np.array([5.0, 5.1, 4.9]), 0.05)
    assert not is_better(-np.array([5.0, 5.1, 4.9]), 0.05)
