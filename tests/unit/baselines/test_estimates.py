"""Initial estimates know only the rows that may be seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from stcmtl.baselines.base import Options, Progress
from stcmtl.baselines.estimates import Starts, prepare_starts
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Initial
from stcmtl.solver.single_task import initialise
from tests.unit.problems import random_problem
from tests.unit.twins import LOSSES

OPTIONS = Options(n_folds=5, seed=3, n_jobs=None)


def prepared(problem: Problem, with_folds: bool = True) -> tuple[list[Progress], Starts[Initial]]:
    found: list[Starts[Initial]] = []

    def steps() -> Iterator[Progress]:
        found.append((yield from prepare_starts(problem, OPTIONS, lambda fit: fit, with_folds)))

    return list(steps()), found[0]


@pytest.mark.parametrize("loss", LOSSES)
def test_all_rows_give_the_initial_fits(loss: int) -> None:
    problem = random_problem(loss)
    progress, starts = prepared(problem, with_folds=False)
    expected = initialise(problem, OPTIONS.n_folds, OPTIONS.seed)
    np.testing.assert_allclose(starts.of(problem.weight).W, expected.W, atol=1e-9)
    assert progress == [Progress(1, 1, "initial estimates")]


@pytest.mark.parametrize("loss", LOSSES)
def test_held_out_rows_have_no_say(loss: int) -> None:
    problem = random_problem(loss)
    held_out = problem.folds(OPTIONS.n_folds, OPTIONS.seed) == 2
    weight = problem.training_weight(held_out)
    progress, before = prepared(problem)
    assert len(progress) == 6
    problem.X[held_out] *= -1.0
    _, after = prepared(problem)
    np.testing.assert_array_equal(after.of(weight).W, before.of(weight).W)
    assert (after.of(problem.weight).W != before.of(problem.weight).W).any()
