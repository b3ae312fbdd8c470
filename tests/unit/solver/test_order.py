"""The solver's own order of tasks and features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stcmtl.solver.algorithm1 import solve
from stcmtl.solver.order import Order, strongest_first
from stcmtl.solver.problem import SQUARED, Precision, Rows
from stcmtl.solver.records import Settings
from stcmtl.solver.single_task import initialise

RNG = np.random.default_rng(0)
T, D, N = 6, 5, 8
CODES = np.repeat(np.arange(T), N)
X = RNG.normal(size=(T * N, D))
ROWS = Rows(X, X[:, 2] * (1 + CODES) + RNG.normal(size=T * N), CODES, SQUARED, True, False)


def test_the_solver_sees_the_same_whatever_the_order() -> None:
    place, columns = RNG.permutation(T), RNG.permutation(D)
    other = replace(ROWS, X=X[:, columns], codes=place[CODES])
    found = [Order.of(rows.problem()).apply(rows).problem() for rows in (ROWS, other)]
    np.testing.assert_array_equal(found[0].X, found[1].X)
    np.testing.assert_array_equal(found[0].y, found[1].y)


def test_a_problem_in_another_order_is_that_of_rows_in_that_order() -> None:
    """And back again, to the bit: with scales, weights, folds and tasks of different sizes."""
    given = replace(
        ROWS,
        codes=np.sort(RNG.integers(0, T, T * N)),
        standardize=True,
        fold=RNG.integers(0, 3, T * N),
        row_weight=RNG.uniform(0.5, 2.0, T * N),
        precision=Precision(RNG.uniform(size=T), RNG.uniform(size=T)),
    )
    problem, order = given.problem(), Order.of(given.problem())
    found = problem.in_order(order.features, order.tasks)
    back = found.in_order(np.argsort(order.features), np.argsort(order.tasks))
    for one, other in ((found, order.apply(given).problem()), (back, problem)):
        assert one.X.flags.f_contiguous
        for name in ("X", "y", "starts", "means", "target_means", "scale", "given_folds"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
        np.testing.assert_array_equal(one.row_weight, other.row_weight)
        np.testing.assert_array_equal(one.precision, other.precision)


def test_the_strongest_are_first() -> None:
    order = Order.of(ROWS.problem())
    slopes = np.zeros((T, D))
    for i in range(T):
        rows, y = X[i == CODES], ROWS.y[i == CODES]
        slopes[i] = (rows - rows.mean(axis=0)).T @ (y - y.mean()) / N
    centred = X - np.stack([X[i == CODES].mean(axis=0) for i in range(T)])[CODES]
    squares = slopes**2 / centred.var(axis=0)
    assert order.features.tolist() == np.argsort(-squares.sum(axis=0)).tolist()
    assert order.tasks.tolist() == np.argsort(-squares.sum(axis=1)).tolist()
    assert order.features[0] == 2


def test_ties_up_to_rounding_keep_their_order() -> None:
    assert strongest_first(np.array([1.0, 1.0 + 1e-15, 2.0, 1.0 - 1e-15])).tolist() == [2, 0, 1, 3]


def test_states_come_back_in_the_order_of_the_rows() -> None:
    """What is undone fits the rows as they came: f is the same, row by row."""
    order, given = Order.of(ROWS.problem()), ROWS.problem()
    problem = order.apply(ROWS).problem()
    initial = initialise(problem, 4, 0)
    *_, state = solve(problem, initial, Settings(n_clusters=2, n_folds=4))
    back, own = order.restore(state), order.restore_initial(initial)
    for solver, rows in (
        ((state.W, state.b), (back.W, back.b)),
        ((initial.W, initial.b), (own.W, own.b)),
    ):
        f = problem.predictions(*solver)
        of_task = [f[problem.rows(i)] for i in np.argsort(order.tasks)]
        np.testing.assert_allclose(given.predictions(*rows), np.concatenate(of_task), atol=1e-12)
    np.testing.assert_allclose(back.U @ back.V, back.W, atol=1e-12)


def test_a_lone_feature_stays_before_its_companion() -> None:
    lone = replace(ROWS, X=X[:, 2:3])
    order = Order.of(lone.problem())
    assert order.features.tolist() == [0, 1]
    assert order.apply(lone).X.shape == (T * N, 1)
