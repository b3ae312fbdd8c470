"""Rows as given, and the problems made of them."""

from __future__ import annotations

import numpy as np
import pytest

from stcmtl.solver.problem import SQUARED
from stcmtl.solver.rows import Rows, feature_scale

CODES = np.array([2, 0, 1, 0, 2, 2, 1, 0])
X = np.random.default_rng(0).normal(size=(8, 3)) * [1.0, 10.0, 100.0]
Y = np.arange(8.0)


def rows(standardize: bool = False, fit_intercept: bool = False) -> Rows:
    return Rows(X, Y, CODES, SQUARED, fit_intercept, standardize)


def test_by_task_is_the_order_of_a_problem() -> None:
    np.testing.assert_array_equal(rows().problem().X, X[rows().by_task])
    np.testing.assert_array_equal(rows().by_task, [1, 3, 7, 2, 6, 0, 4, 5])


def test_keep_numbers_the_other_tasks_anew() -> None:
    kept = rows().keep(np.array([True, False, True]))
    np.testing.assert_array_equal(kept.y, [0, 1, 3, 4, 5, 7])
    np.testing.assert_array_equal(kept.codes, [1, 0, 0, 1, 1, 0])
    whole = rows().problem().keep(np.array([True, False, True]))
    np.testing.assert_array_equal(kept.problem().X, whole.X)
    np.testing.assert_array_equal(kept.problem().starts, whole.starts)


def test_a_problem_of_chosen_rows_repeats_what_was_drawn_twice() -> None:
    problem = rows().problem(np.array([0, 0, 2, 1]))
    np.testing.assert_array_equal(problem.y, [1, 2, 0, 0])
    assert problem.n_rows.tolist() == [1, 1, 2]


@pytest.mark.parametrize("chosen", [None, np.array([0, 1, 2, 3, 4])])
def test_scales_are_those_of_the_chosen_rows(chosen: np.ndarray | None) -> None:
    problem = rows(standardize=True).problem(chosen)
    part = X if chosen is None else X[chosen]
    np.testing.assert_allclose(problem.scale, part.std(axis=0))
    np.testing.assert_allclose(problem.X.std(axis=0), 1.0)
    A = np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_allclose(problem.scaled_coefficients(problem.original_coefficients(A)), A)
    np.testing.assert_allclose(
        problem.X @ problem.scaled_coefficients(A),
        part[np.argsort(CODES[: len(part)], kind="stable")] @ A,
    )


def test_a_constant_feature_keeps_its_scale() -> None:
    constant = np.column_stack([np.full(7, 0.1), np.arange(7.0)])
    np.testing.assert_allclose(feature_scale(constant), [1.0, 2.0])


def test_a_lone_feature_gets_its_companion_back() -> None:
    problem = Rows(X[:, :1], Y, CODES, SQUARED, True, False).problem()
    np.testing.assert_array_equal(problem.scaled_coefficients(np.ones((1, 2))), [[1, 1], [0, 0]])
