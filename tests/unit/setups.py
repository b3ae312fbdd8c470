"""Small problems with their initial fits, for tests of the loop and of the refinement."""

from dataclasses import fields

import numpy as np

from stcmtl.data.simulation import Simulation
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Initial, Iteration, Settings
from stcmtl.solver.single_task import initialise
from tests.unit import twins
from tests.unit.problems import simulated

PLAIN = Settings(n_clusters=3, refine=False)
REFINED = Settings(n_clusters=3)
Setup = tuple[Simulation, Problem, Initial]


def set_up(loss: int, **options: object) -> Setup:
    sim, problem = simulated(loss, **options)
    return sim, problem, initialise(problem, 5, 0)


def equation_2(problem: Problem, state: Iteration, gamma: float) -> float:
    """sum_i (1/n_i) L(y_i, X_i U v_i + b_i) + gamma |U|_1, one task after the other."""
    total = gamma * float(np.abs(state.U).sum())
    for i in range(problem.n_tasks):
        rows = problem.rows(i)
        f = problem.X[rows] @ (state.U @ state.V[:, i]) + state.b[i]
        total += float(twins.row_losses(problem.loss, problem.y[rows], f).mean())
    return total


def assert_same(a: Iteration, b: Iteration) -> None:
    for field in fields(Iteration):
        if field.name != "seconds":
            np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name))
