"""A fit that is told to stop does: nothing runs for long without looking."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stcmtl import simulate
from stcmtl.solver.kernels.kmeans import kmeans
from stcmtl.solver.outliers import robust_factorisation
from stcmtl.solver.problem import Problem
from stcmtl.solver.slopes import find_law, middle_of, mixture_levels, sum_slopes
from stcmtl.stopping import Stopped, new_halt, stopped_by
from tests.unit.problems import random_problem

FEW = 3.0  # passes over the data
ROOT = Path(__file__).resolve().parents[3]


def test_kernels_look_after_every_few_passes_over_the_data() -> None:
    command = [sys.executable, "-m", "tests.unit.solver.looks"]
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True, check=True)
    passes = json.loads(done.stdout)
    assert len(passes) == 4
    assert max(passes.values()) < FEW, passes


def test_steps_in_python_look_before_they_begin_and_at_every_turn() -> None:
    problem = random_problem(0)
    data = simulate(4, 15, 2, 10, n_test=1).train
    codes = np.unique(data.tasks, return_inverse=True)[1]
    middle, f = middle_of(problem), np.zeros(problem.y.size)
    sums = sum_slopes(problem, problem.y, middle, np.ones(problem.y.size, dtype=bool))
    W = np.random.default_rng(0).normal(size=(6, 8))
    steps = [
        lambda: Problem.build(data.X, data.y, codes, 0, True),
        lambda: robust_factorisation(W, 2, 0),
        lambda: mixture_levels(problem, f, middle),
        lambda: sum_slopes(problem, f, middle, f == 0.0),
        lambda: find_law(sums, middle),
    ]
    for step in steps:
        step()
        with stopped_by(byte := new_halt()):
            byte[0] = 1
            with pytest.raises(Stopped):
                step()


def test_kmeans_that_is_stopped_labels_nothing() -> None:
    points, draws = np.random.default_rng(1).uniform(size=(2, 20, 3))
    byte = new_halt()
    assert kmeans(points, 3, draws, byte).any()
    byte[0] = 1
    assert not kmeans(points, 3, draws, byte).any()
