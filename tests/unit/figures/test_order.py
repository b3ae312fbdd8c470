"""Orders of tasks and features."""

import numpy as np

from stcmtl.figures.pieces import order

#               pure 2   mixed 1  pure 1  outlier pure 1  mixed 2
V = np.array([[0.0, 0.6, 1.0, 0.0, 1.0, 0.3], [1.0, 0.4, 0.0, 0.0, 0.0, 0.7]])


def test_tasks_by_cluster_then_pure_then_purity_then_outliers() -> None:
    purity = [0.9, 0.99, 0.7, 1.0, 0.8, 0.1]
    assert order.tasks_by_cluster(V, purity=purity).tolist() == [4, 2, 1, 0, 5, 3]


def test_given_flags_decide_who_is_pure() -> None:
    pure = [True, True, False, False, True, False]
    assert order.tasks_by_cluster(V, pure).tolist() == [4, 1, 2, 0, 5, 3]


def test_features_by_the_cluster_in_which_they_weigh_most() -> None:
    U = np.array([[0.0, 0.1], [0.0, 0.0], [-3.0, 2.0], [4.0, 0.0], [0.0, 0.5]])
    assert order.features_by_cluster(U).tolist() == [3, 2, 4, 0, 1]


def test_features_by_the_number_of_tasks_that_use_them() -> None:
    W = np.array([[0.0, 9.0, 0.0], [0.1, 0.1, 0.1], [0.0, 0.0, 0.0], [0.0, -10.0, 0.0]])
    assert order.features_by_selection(W).tolist() == [1, 3, 0, 2]


def test_evenly_keeps_the_ends_the_order_and_the_shares() -> None:
    chosen = order.pick_evenly(np.arange(1000)[::-1], 100)
    assert (len(set(chosen)), chosen[0], chosen[-1]) == (100, 999, 0)
    assert (np.diff(chosen) < 0).all()
    assert (chosen < 500).sum() == 50
    assert order.pick_evenly([3, 1, 2], 5).tolist() == [3, 1, 2]


def test_runs() -> None:
    assert order.find_runs([2, 2, 0, 1, 1]) == [(2, 0, 2), (0, 2, 3), (1, 3, 5)]
    assert order.find_runs([-1]) == [(-1, 0, 1)]
