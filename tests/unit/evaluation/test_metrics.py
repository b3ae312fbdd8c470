"""Every metric against a hand-computed value, scikit-learn or brute force."""

from collections.abc import Callable
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import matthews_corrcoef, precision_score, recall_score

from stcmtl import metrics
from stcmtl.data.simulation import simulate
from stcmtl.data.taskset import Truth

# Two features, three tasks: one hit, one miss, one false alarm, three rightly left out.
W = np.array([[0.5, 0.0, -0.3], [0.0, 0.0, 0.0]])
ESTIMATED = np.array([[0.4, 0.0, 0.0], [0.0, 0.01, 0.0]])

OF_NUMBERS = [
    (metrics.rmse, ("y", "predicted")),
    (metrics.ree, ("W", "estimated")),
    (metrics.mcc, ("W", "estimated")),
    (metrics.selection_counts, ("W", "estimated")),
    (metrics.membership_error, ("V", "estimated")),
    (metrics.pure_accuracy, ("pure", "estimated")),
]


def sparse_pair(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(40, 9)) * (rng.uniform(size=(40, 9)) < 0.2)
    wrong = rng.uniform(size=(40, 9)) < 0.1
    return true, np.where(wrong, rng.normal(size=(40, 9)) * (true == 0), true)


def test_rmse_by_hand() -> None:
    assert metrics.rmse([1, 2, 3, 4], [1, 2, 3, 0]) == 2.0
    assert metrics.rmse([0.0, 0.0], [3.0, 4.0]) == pytest.approx(np.sqrt(12.5), rel=1e-15)
    small = np.array([[0], [20]], dtype=np.uint8)  # which must not wrap
    assert metrics.rmse(*small) == 20.0


def test_rmse_of_tasks_weighs_tasks_equally() -> None:
    y, predicted = [0, 0, 0, 0, 0], [1, 1, 1, 1, 6]
    tasks = ["b", "b", "b", "b", "a"]
    assert metrics.rmse(y, predicted, tasks) == (1 + 6) / 2
    assert metrics.rmse(y, predicted) == np.sqrt(8)
    assert metrics.rmse(y, predicted, tasks=[7] * 5) == np.sqrt(8)


def test_error_rate_by_hand() -> None:
    assert metrics.error_rate([-1, 1, 1, -1], [-1, 1, -1, -1]) == 0.25
    assert metrics.error_rate(["no", "yes"], ["yes", "yes"]) == 0.5
    assert metrics.error_rate(pd.Series(["a", "b"], index=[1, 0]), pd.Series(["a", "b"])) == 0.0


def test_error_rate_of_tasks_weighs_tasks_equally() -> None:
    y, predicted = [1, 1, 1, 1, 1], [1, 1, 1, -1, -1]
    tasks = [0, 0, 0, 0, 1]
    assert metrics.error_rate(y, predicted) == 0.4
    assert metrics.error_rate(y, predicted, tasks) == (0.25 + 1) / 2


def test_a_weight_is_a_number_of_rows_to_errors() -> None:
    y, said, tasks = [1.0, 2.0, 3.0, 9.0], [1.0, 0.0, 4.0, 0.0], ["a", "a", "b", "c"]
    weight, often = [1, 3, 2, 0], np.repeat(np.arange(4), [1, 3, 2, 0])
    for measure in (metrics.rmse, metrics.error_rate):
        for labels in (None, tasks):
            again = None if labels is None else np.array(labels)[often]
            repeated = measure(np.array(y)[often], np.array(said)[often], again)
            assert measure(y, said, labels, weight) == pytest.approx(repeated)
    assert metrics.rmse(y, said, tasks, weight) == pytest.approx((np.sqrt(3.0) + 1.0) / 2)
    with pytest.raises(ValueError, match="sample_weight has 3 values for 4 rows"):
        metrics.rmse(y, said, sample_weight=[1, 2, 3])


def test_ree_by_hand() -> None:
    # Squares 0.01 + 0.09 + 0.0001 over 2 x 3 coefficients.
    assert metrics.ree(W, ESTIMATED) == pytest.approx(np.sqrt(0.1001 / 6), rel=1e-14)
    assert metrics.ree(np.zeros((200, 60)), np.full((200, 60), 0.007)) == pytest.approx(0.007)


def test_rmse_and_ree_are_tied_as_in_the_papers_tables() -> None:
    sim = simulate(n_features=40, n_train=1, n_test=500)
    estimated = sim.truth.W + np.random.default_rng(5).normal(scale=0.1, size=sim.truth.W.shape)
    task = np.searchsorted(sim.test.task_names, sim.test.tasks)
    predicted = np.sum(sim.test.X * estimated[:, task].T, axis=1)
    excess = metrics.rmse(sim.test.y, predicted) ** 2 - 0.25
    # 30,000 squared residuals of mean 0.65 have a standard error of 0.65 * sqrt(2 / 30,000).
    assert excess == pytest.approx(40 * metrics.ree(sim.truth.W, estimated) ** 2, abs=0.02)


def test_selection_counts_by_hand() -> None:
    counts = metrics.selection_counts([[1, 1, 1, 1, 0, 0, 0]], [[1, 0, 0, 0, 1, 1, 0]])
    assert counts == (1, 2, 1, 3)
    assert (counts.precision, counts.recall) == (1 / 3, 1 / 4)


def test_a_threshold_turns_small_estimates_into_zeros() -> None:
    assert metrics.selection_counts(W, ESTIMATED, threshold=0.009) == (1, 1, 3, 1)
    assert metrics.selection_counts(W, ESTIMATED, threshold=0.01) == (1, 0, 4, 1)
    assert metrics.selection_counts(W, ESTIMATED, threshold=0.4) == (0, 0, 4, 2)
    assert metrics.selection_counts(-W, -ESTIMATED, threshold=0.01) == (1, 0, 4, 1)


def test_a_threshold_leaves_the_truth_alone() -> None:
    assert metrics.selection_counts([[0.001, 0.0]], [[0.5, 0.0]], threshold=0.01) == (1, 0, 1, 0)


def test_mcc_by_hand() -> None:
    assert metrics.mcc(W, ESTIMATED) == (1 * 3 - 1 * 1) / np.sqrt(2 * 2 * 4 * 4)
    thresholded = (1 * 4 - 0 * 1) / np.sqrt(2 * 1 * 4 * 5)
    assert metrics.mcc(W, ESTIMATED, threshold=0.01) == pytest.approx(thresholded)
    assert metrics.mcc(W, 7 * W) == 1.0
    assert metrics.mcc(W, W == 0) == -1.0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("threshold", [0.0, 0.3])
def test_selection_as_in_scikit_learn(seed: int, threshold: float) -> None:
    true, estimated = sparse_pair(seed)
    patterns = (true != 0).ravel(), (np.abs(estimated) > threshold).ravel()
    counts = metrics.selection_counts(true, estimated, threshold)
    assert metrics.mcc(true, estimated, threshold) == pytest.approx(matthews_corrcoef(*patterns))
    assert counts.precision == pytest.approx(precision_score(*patterns))
    assert counts.recall == pytest.approx(recall_score(*patterns))


@pytest.mark.parametrize(
    ("true", "estimated"),
    [
        (W, np.zeros_like(W)),
        (W, np.ones_like(W)),
        (np.zeros_like(W), W),
        (np.ones_like(W), W),
        (np.zeros_like(W), np.zeros_like(W)),
    ],
)
def test_mcc_is_zero_where_it_is_undefined(true: np.ndarray, estimated: np.ndarray) -> None:
    assert metrics.mcc(true, estimated) == 0.0


def test_precision_and_recall_are_zero_where_undefined() -> None:
    counts = metrics.selection_counts(np.zeros((2, 2)), np.zeros((2, 2)))
    assert (counts.precision, counts.recall) == (0.0, 0.0)


def test_mcc_of_a_large_matrix_does_not_overflow() -> None:
    # Margins of 5e5 each: their product is beyond 64-bit integers.
    true = np.tile([1.0, 0.0], 500_000)
    estimated = true.copy()
    estimated[:250_000] = np.tile([0.0, 1.0], 125_000)
    assert metrics.mcc(true, estimated) == 0.5


def test_membership_error_by_hand() -> None:
    V = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])
    estimated = np.array([[0.8, 0.0, 0.5], [0.2, 1.0, 0.5]])
    assert metrics.membership_error(V, estimated) == pytest.approx(0.2 / 3, rel=1e-14)
    assert metrics.membership_error(V, estimated[::-1]) == pytest.approx(0.2 / 3, rel=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_membership_error_is_the_least_over_all_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    V, estimated = rng.dirichlet(np.full(4, 0.4), (2, 12)).transpose(0, 2, 1)
    errors = [np.abs(V - estimated[list(p)]).sum(axis=0).mean() / 2 for p in permutations(range(4))]
    assert metrics.membership_error(V, estimated) == pytest.approx(min(errors), rel=1e-12)


def test_membership_error_of_another_number_of_clusters() -> None:
    V = np.repeat(np.eye(3), 4, axis=1)
    merged = np.vstack([V[2], V[0] + V[1]])
    # Four of twelve tasks sit in a cluster that is not theirs, whichever side is the truth.
    assert metrics.membership_error(V, merged) == pytest.approx(1 / 3, rel=1e-14)
    assert metrics.membership_error(merged, V) == pytest.approx(1 / 3, rel=1e-14)
    assert metrics.membership_error(V, np.vstack([np.zeros(12), V])) == 0.0


def test_an_outlier_costs_one_half() -> None:
    V = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    estimated = np.array([[1.0, 0.0, 0.3], [0.0, 1.0, 0.7]])
    assert metrics.membership_error(V, estimated) == pytest.approx(0.5 / 3, rel=1e-14)


def test_pure_accuracy_by_hand() -> None:
    assert metrics.pure_accuracy([True, True, False, False], [True, False, True, False]) == 0.5
    assert metrics.pure_accuracy(np.array([1, 1, 0, 1]), [True, True, False, False]) == 0.75


def test_results_are_plain_floats() -> None:
    results = [
        metrics.rmse([1.0], [2.0]),
        metrics.rmse([1.0], [2.0], ["a"]),
        metrics.error_rate([1], [2]),
        metrics.ree(W, ESTIMATED),
        metrics.mcc(W, ESTIMATED),
        metrics.membership_error(np.eye(2), np.eye(2)),
        metrics.pure_accuracy([True], [True]),
    ]
    assert {type(result) for result in results} == {float}


@pytest.mark.parametrize(
    ("metric", "names"), [*OF_NUMBERS, (metrics.error_rate, ("y", "predicted"))]
)
def test_different_shapes_are_both_named(
    metric: Callable[..., object], names: tuple[str, str]
) -> None:
    message = rf"^{names[0]} has shape \(3, 4\) and {names[1]} \(3, 5\): "
    with pytest.raises(ValueError, match=message):
        metric(np.ones((3, 4)), np.ones((3, 5)))


@pytest.mark.parametrize("metric", [metrics.rmse, metrics.error_rate])
def test_a_column_is_not_broadcast_against_a_row(metric: Callable[..., float]) -> None:
    with pytest.raises(ValueError, match=r"y has shape \(3,\) and predicted \(3, 1\)"):
        metric(np.ones(3), np.ones((3, 1)))


def test_memberships_of_a_fitted_model_need_transposing() -> None:
    with pytest.raises(
        ValueError, match=r"V has shape \(2, 6\) .* \(6, 2\).*memberships_ needs .T"
    ):
        metrics.membership_error(np.ones((2, 6)), np.ones((6, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("metric", "names"), OF_NUMBERS)
def test_nan_and_infinity_are_refused(
    metric: Callable[..., object], names: tuple[str, str], bad: float
) -> None:
    good, poor = np.eye(2), np.array([[1.0, 0.0], [bad, 1.0]])
    for name, pair in zip(names, [(poor, good), (good, poor)], strict=True):
        with pytest.raises(ValueError, match=f"^{name} has NaN or infinite"):
            metric(*pair)


def test_missing_labels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^y has missing labels"):
        metrics.error_rate([1.0, np.nan], [1, 1])
    with pytest.raises(ValueError, match=r"^predicted has missing labels"):
        metrics.error_rate(["a", "b"], np.array(["a", None], dtype=object))


@pytest.mark.parametrize("metric", [metrics.rmse, metrics.error_rate])
def test_task_labels_must_fit_the_rows(metric: Callable[..., float]) -> None:
    with pytest.raises(ValueError, match=r"tasks has shape \(2,\) and y \(3,\)"):
        metric([1, 2, 3], [1, 2, 3], [0, 1])
    with pytest.raises(ValueError, match="tasks has no label for row 1"):
        metric([1, 2, 3], [1, 2, 3], np.array(["a", None, "b"], dtype=object))


@pytest.mark.parametrize("metric", [metrics.rmse, metrics.error_rate, metrics.ree, metrics.mcc])
def test_empty_input_is_refused(metric: Callable[..., float]) -> None:
    with pytest.raises(ValueError, match="are empty"):
        metric([], [])


@pytest.mark.parametrize("threshold", [-0.1, np.nan])
@pytest.mark.parametrize("metric", [metrics.mcc, metrics.selection_counts])
def test_a_negative_threshold_is_refused(metric: Callable[..., object], threshold: float) -> None:
    with pytest.raises(ValueError, match=rf"threshold is {threshold}: it must be zero or positive"):
        metric(W, ESTIMATED, threshold)


def test_memberships_are_not_taken_for_pure_flags() -> None:
    with pytest.raises(ValueError, match=r"^estimated must be true or false"):
        metrics.pure_accuracy([True, False], [0.9, 0.5])
    with pytest.raises(ValueError, match=r"^pure must be true or false"):
        metrics.pure_accuracy([2, 0], [True, False])


def test_prediction_error_is_the_measure_of_the_task_type() -> None:
    y, predicted = [1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]
    assert metrics.prediction_error(y, predicted, "regression") == 0.5
    assert metrics.prediction_error(y, predicted, "classification") == 0.25


def truth_of(V: np.ndarray) -> Truth:
    out = ~V.any(axis=0)
    return Truth(np.eye(len(V)), V, V, V.max(axis=0) == 1.0, out)


def found(V: np.ndarray) -> SimpleNamespace:
    return SimpleNamespace(
        memberships_=V.T, pure_=V.max(axis=0, initial=0) == 1, outliers_=~V.any(axis=0)
    )


def test_tasks_are_placed_as_simulated_in_corner_and_kind() -> None:
    # two pure tasks each of two clusters, a mixed one, a nearly even one, an outlier
    true = np.array([[1, 1, 0, 0, 0.7, 0.52, 0.0], [0, 0, 1, 1, 0.3, 0.48, 0.0]])
    truth = truth_of(true)
    assert metrics.placed_as(truth, found(true[::-1])).all()  # in whatever order
    wrong = true.copy()
    wrong[:, 1] = 0, 1  # pure as it should be, in the other corner
    wrong[:, 3] = 0.1, 0.9  # mixed, and it is pure
    wrong[:, 4] = 0.4, 0.6  # mixed as it should be, mostly of the other cluster
    wrong[:, 5] = 0.4, 0.6  # as good as even
    wrong[:, 6] = 1, 0
    right = metrics.placed_as(truth, found(wrong))
    assert right.tolist() == [True, False, True, False, False, True, False]


def test_calling_every_task_pure_places_none_that_is_in_the_wrong_corner() -> None:
    true = np.eye(3)[:, np.arange(18) // 6]
    shuffled = true[:, np.random.default_rng(0).permutation(18)]
    in_corner = metrics.placed_as(truth_of(true), found(shuffled))
    best = max((true[list(order)] * shuffled).sum() for order in permutations(range(3)))
    assert in_corner.sum() == best < 18


@pytest.mark.parametrize("K", [0, 1, 2, 5])
def test_other_numbers_of_clusters_place_what_they_can(K: int) -> None:
    true = np.eye(3)[:, [0, 0, 0, 1, 1, 2]]
    V = np.zeros((K, 6))
    V[: min(K, 3)] = true[: min(K, 3)]
    if K:
        V[0, ~V.any(axis=0)] = 1.0
    assert metrics.placed_as(truth_of(true), found(V)).sum() == [0, 3, 5, 6, 6, 6][K]
