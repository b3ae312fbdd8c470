"""Cross-validation along paths, with a solver whose answers are known."""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from stcmtl.baselines.base import Options
from stcmtl.baselines.crossvalidation import (
    PATIENCE,
    Penalties,
    Starts,
    choose,
    fit_best,
    prepare_starts,
)
from stcmtl.progress import Progress, drain, map_steps
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Initial
from stcmtl.solver.single_task import initialise
from tests.unit.problems import random_problem
from tests.unit.twins import LOSSES

Array = NDArray[np.float64]
Result = TypeVar("Result")
PROBLEM = random_problem(SQUARED, fit_intercept=False)
OPTIONS = Options(n_folds=5, seed=0, n_jobs=None)


class Shifted(NamedTuple):
    """Each task's weighted mean, moved by the penalty's distance from 3."""

    W: Array
    b: Array
    level: float
    start: float | None


def solve(weight: Array, penalties: Penalties, start: Shifted | None, tol: float) -> Shifted:
    level = penalties["level"]
    means = np.bincount(PROBLEM.task_of_row, weight * PROBLEM.y)
    shift = abs(level - 3.0) + penalties.get("other", 0.0)
    W = np.zeros((PROBLEM.n_features, PROBLEM.n_tasks))
    return Shifted(W, means + shift, level, None if start is None else start.level)


def drained(steps: Generator[Progress, None, Result]) -> tuple[list[Progress], Result]:
    progress: list[Progress] = []
    result = drain(map_steps(steps, progress.append))
    return progress, result


def levels(*values: float, **others: float) -> list[Penalties]:
    return [{"level": value, **others} for value in values]


def test_the_best_level_is_reached_down_its_path() -> None:
    path = levels(9.0, 7.0, 5.0, 3.0, 2.0, 1.0)
    _, (fit, chosen, points) = drained(fit_best(PROBLEM, OPTIONS, solve, [path]))
    assert chosen == {"level": 3.0}
    assert (fit.level, fit.start) == (3.0, 5.0)
    assert [point.penalties for point in points] == path
    means = np.bincount(PROBLEM.task_of_row, PROBLEM.y) / PROBLEM.n_rows
    np.testing.assert_allclose(fit.b, means)  # all rows take part in the end


def test_rows_are_judged_by_the_fit_that_has_not_seen_them() -> None:
    _, (_, _, points) = drained(fit_best(PROBLEM, OPTIONS, solve, [levels(3.5, 3.0)]))
    fold, losses = PROBLEM.folds(5, 0), np.empty(PROBLEM.y.size)
    for r, y in enumerate(PROBLEM.y):
        task = PROBLEM.task_of_row[r]
        seen = (PROBLEM.task_of_row == task) & (fold != fold[r])
        losses[r] = (y - PROBLEM.y[seen].mean()) ** 2
    assert points[1].loss == pytest.approx(losses.mean())
    assert points[1].se == pytest.approx(losses.std() / np.sqrt(losses.size))


def test_a_path_is_left_when_it_does_not_improve() -> None:
    long = levels(4.0, 3.0, *np.linspace(2.9, 0.0, 20))
    _, (_, chosen, points) = drained(fit_best(PROBLEM, OPTIONS, solve, [long]))
    assert chosen == {"level": 3.0}
    assert len(points) == 2 + PATIENCE


def test_paths_are_tried_until_one_is_no_better() -> None:
    paths = [levels(5.0, 4.0, other=1.0), levels(5.0, 4.0, 3.5, other=0.1), levels(4.0, other=2.0)]
    paths.append(levels(3.0, other=0.0))
    _, (_, path) = drained(choose(PROBLEM, OPTIONS, solve, paths))
    assert path == paths[-1]
    progress, (fit, chosen, points) = drained(fit_best(PROBLEM, OPTIONS, solve, paths))
    assert chosen == {"level": 3.5, "other": 0.1}
    assert fit.start == 4.0
    assert len(points) == 6
    assert [step.done for step in progress if step.what == "cross-validation"] == list(range(1, 7))
    assert {step.total for step in progress if step.what == "cross-validation"} == {7}


def test_a_single_candidate_is_not_compared() -> None:
    _, (fit, chosen, points) = drained(fit_best(PROBLEM, OPTIONS, solve, [levels(7.0)]))
    assert points == []
    assert chosen == {"level": 7.0}
    assert (fit.level, fit.start) == (7.0, None)


# Initial estimates know only the rows that may be seen


def prepare(problem: Problem, with_folds: bool = True) -> tuple[list[Progress], Starts[Initial]]:
    return drained(prepare_starts(problem, OPTIONS, lambda fit: fit, with_folds))


@pytest.mark.parametrize("loss", LOSSES)
def test_all_rows_give_the_initial_fits(loss: int) -> None:
    problem = random_problem(loss)
    progress, starts = prepare(problem, with_folds=False)
    expected = initialise(problem, OPTIONS.n_folds, OPTIONS.seed, step=1)
    np.testing.assert_allclose(starts.of(problem.weight).W, expected.W, atol=1e-9)
    assert progress == [Progress(1, 1, "initial estimates")]


@pytest.mark.parametrize("loss", LOSSES)
def test_held_out_rows_have_no_say(loss: int) -> None:
    problem = random_problem(loss)
    held_out = problem.folds(OPTIONS.n_folds, OPTIONS.seed) == 2
    weight = problem.training_weight(held_out)
    progress, before = prepare(problem)
    assert len(progress) == 6
    problem.X[held_out] *= -1.0
    _, after = prepare(problem)
    np.testing.assert_array_equal(after.of(weight).W, before.of(weight).W)
    assert (after.of(problem.weight).W != before.of(problem.weight).W).any()
