"""Targets of tasks in different units: told from a hundredfold on, and nowhere else."""

import numpy as np
import pytest

from stcmtl import STCMTLRegressor, TaskSet
from stcmtl.evaluation.target_sizes import say_target_sizes

ROWS = np.linspace(-1.0, 1.0, 21)  # the middle half is as wide as one


def tasks_of(*sizes: float, wild: float = 0.0, level: float = 0.0) -> TaskSet:
    """Of these widths, "a" the first; with a wild value in it, if wanted."""
    y = level + np.concatenate([size * ROWS for size in sizes])
    y[0] += wild
    names = np.repeat(list("abcd"[: len(sizes)]), ROWS.size)
    return TaskSet(np.ones((y.size, 1)), y, names)


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        (tasks_of(1.0, 2e4, 3.0), "The target of task 'b' varies 20,000 times as much as"),
        (
            tasks_of(1.0, 101.0),
            "The target of task 'b' varies 100 times as much as that of task 'a'",
        ),
        (tasks_of(1.0, 99.0), ""),
        (tasks_of(1.0, 2.0, wild=1e9), ""),
        (tasks_of(0.0, 1e4, 1e4), ""),  # a constant target has no unit
        (tasks_of(0.0, 0.0), ""),
        (tasks_of(1e-17, 1.0, level=0.1), ""),  # nor has rounding
        (tasks_of(1.0, 1e4, level=1e6), "The target of task 'b' varies 10,000 times as much as"),
    ],
)
def test_what_is_said(tasks: TaskSet, said: str) -> None:
    assert say_target_sizes(tasks).startswith(said)
    assert bool(say_target_sizes(tasks)) == bool(said)


def test_labels_have_no_unit() -> None:
    y = np.where(ROWS > 0.8, 1.0, -1.0)
    names = np.repeat(["a", "b"], ROWS.size)
    labels = TaskSet(np.ones((42, 1)), np.tile(y, 2), names, task_type="classification")
    assert say_target_sizes(labels) == ""


def test_small_targets_are_indeed_lost_and_the_remedy_finds_them() -> None:
    rng = np.random.default_rng(1)
    tasks, X = np.repeat(np.arange(12), 40), rng.normal(size=(480, 6))
    W = rng.normal(size=(2, 6))[np.arange(12) % 2]
    y = np.einsum("nd,nd->n", X, W[tasks]) + 0.3 * rng.normal(size=480)
    unit = np.where(np.arange(12) % 4 == 0, 1e4, 1.0)
    assert say_target_sizes(TaskSet(X, y * unit[tasks], tasks))
    assert not say_target_sizes(TaskSet(X, y, tasks))
    size = np.linalg.norm(W, axis=1)
    model = STCMTLRegressor(2, shape="simplex", own="none", random_state=0)
    mixed = model.fit(X, y * unit[tasks], tasks).coef_ / unit[:, None]
    assert (np.linalg.norm(mixed - W, axis=1) / size)[unit == 1.0].min() > 0.8
    one_unit = model.fit(X, y, tasks).coef_
    assert (np.linalg.norm(one_unit - W, axis=1) / size).max() < 0.15
