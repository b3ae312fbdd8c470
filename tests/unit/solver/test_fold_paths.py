"""A fold's path on sums over rows is that on the rows themselves."""

import numpy as np
import pytest

from stcmtl.solver import fold_paths
from stcmtl.solver.centers import L1
from stcmtl.solver.fold_paths import Fold
from stcmtl.solver.kernels.clusters import Clusters
from stcmtl.solver.problem import LOGISTIC, SQUARED
from tests.unit.problems import random_memberships, random_problem


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sums_lead_where_rows_do(fit_intercept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, V = random_problem(SQUARED, fit_intercept, (30, 25, 40)), random_memberships(2, 3, 0)
    held_out = problem.folds(4, 0) == 1
    on_rows = Fold.open(problem, V, held_out)
    monkeypatch.setattr(fold_paths, "FAR_AWAY", 0)
    on_sums = Fold.open(problem, V, held_out)
    assert on_rows.sums is None
    assert on_sums.sums is not None
    start = Clusters(np.zeros((problem.n_features, 2)), V, np.zeros(3))
    levels = np.geomspace(4.0, 0.05, 10)[:, None] * np.ones(2)
    rows, sums = (fold.descend(problem, start, levels, L1, 1e-13) for fold in (on_rows, on_sums))
    for found, expected in zip(sums, rows, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-4)
    assert rows.losses.shape == (10, held_out.sum())


def test_sums_are_for_many_rows_of_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold_paths, "FAR_AWAY", 0)
    few, many = (10, 10), (40, 40)  # beside 12 features
    assert fold_paths.sums_pay(random_problem(SQUARED, sizes=many), 2)
    assert not fold_paths.sums_pay(random_problem(SQUARED, sizes=few), 2)
    assert not fold_paths.sums_pay(random_problem(LOGISTIC, sizes=many), 2)
    assert not fold_paths.sums_pay(random_problem(SQUARED, sizes=many), 3)  # more to move than rows
