"""Simulated tasks have the structure of the paper's section 4.1, to the entry."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from stcmtl.data.simulation import Simulation, simulate
from stcmtl.data.taskset import TaskSet
from tests.unit.cases import together

# Where only the structure is looked at.
SMALL: dict[str, Any] = {"n_features": 30, "n_train": 3, "n_test": 2}


def codes(data: TaskSet) -> NDArray[np.intp]:
    return np.searchsorted(data.task_names, data.tasks)


def signal(data: TaskSet, W: NDArray[np.float64]) -> NDArray[np.float64]:
    """x'w of every row, with the coefficients of the row's own task."""
    return np.concatenate([data.X[[n]] @ W[:, i] for n, i in enumerate(codes(data))])


@pytest.fixture(scope="module")
def paper() -> Simulation:
    return simulate()


def test_sizes_of_the_paper(paper: Simulation) -> None:
    assert len(paper.train) == len(paper.test) == 60
    assert paper.train.X.shape == (6000, 200)
    assert paper.train.n_rows.tolist() == paper.test.n_rows.tolist() == [100] * 60
    assert paper.train.truth is paper.test.truth is paper.truth


def test_cluster_k_uses_rows_5k_minus_4_to_5k_plus_5(paper: Simulation) -> None:
    for k in range(1, 6):
        nonzero = np.flatnonzero(paper.truth.U[:, k - 1]) + 1
        assert nonzero.tolist() == list(range(5 * (k - 1) + 1, 5 * (k + 1) + 1))


def test_coefficients_lie_in_the_two_intervals() -> None:
    U = np.hstack([simulate(structure_seed=seed, **SMALL).truth.U for seed in range(40)])
    values = U[U != 0]
    assert values.size == 2000
    assert 0.1 <= np.abs(values).min() < 0.101
    assert 0.499 < np.abs(values).max() <= 0.5
    # Means of 2,000 signs and of 2,000 draws from U[0.1, 0.5], within four standard errors.
    assert abs(np.sign(values).mean()) < 4 / np.sqrt(2000)
    assert abs(np.abs(values).mean() - 0.3) < 4 * 0.4 / np.sqrt(12 * 2000)


@pytest.mark.parametrize("mixing", ["sparse", "dense"])
def test_fifty_pure_tasks_come_first_ten_a_cluster(mixing: str) -> None:
    truth = simulate(mixing=mixing, **SMALL).truth
    np.testing.assert_array_equal(truth.V[:, :50], np.repeat(np.eye(5), 10, axis=1))
    assert truth.pure.tolist() == [True] * 50 + [False] * 10
    assert not truth.outliers.any()


@pytest.mark.parametrize(("mixing", "clusters"), [("sparse", 2), ("dense", 5)])
def test_mixed_tasks_have_two_clusters_or_all(mixing: str, clusters: int) -> None:
    V = np.hstack([simulate(mixing=mixing, structure_seed=s, **SMALL).truth.V for s in range(20)])
    mixed = V[:, V.max(axis=0) < 1]
    assert mixed.shape == (5, 200)
    assert np.count_nonzero(mixed, axis=0).tolist() == [clusters] * 200
    assert mixed.min() >= 0
    np.testing.assert_allclose(V.sum(axis=0), 1, rtol=0, atol=1e-15)
    # Every cluster is drawn about as often: a binomial count, within four standard deviations.
    share = clusters / 5
    spread = 4 * np.sqrt(200 * share * (1 - share))
    assert np.all(np.abs(np.count_nonzero(mixed, axis=1) - 200 * share) <= spread)


def test_coefficients_of_tasks_are_u_times_v(paper: Simulation) -> None:
    truth = paper.truth
    np.testing.assert_allclose(truth.W, truth.U @ truth.V, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(truth.W[:, 23], truth.U[:, 2])


def test_tasks_are_named_in_the_order_of_the_truth(paper: Simulation) -> None:
    assert paper.train.task_names[[0, 8, 9, 59]].tolist() == [
        "task01",
        "task09",
        "task10",
        "task60",
    ]
    assert simulate(n_tasks=100, **SMALL).train.task_names[99] == "task100"


def test_noise_has_standard_deviation_one_half(paper: Simulation) -> None:
    residual = paper.train.y - signal(paper.train, paper.truth.W)
    # 6,000 draws know a standard deviation to 0.5 / sqrt(12,000), a mean to 0.5 / sqrt(6,000).
    assert abs(residual.std() - 0.5) < 4 * 0.5 / np.sqrt(12_000)
    assert abs(residual.mean()) < 4 * 0.5 / np.sqrt(6000)


def test_noise_can_be_set_and_left_out() -> None:
    loud = simulate(n_features=30, noise=2.0)
    residual = loud.train.y - signal(loud.train, loud.truth.W)
    assert abs(residual.std() - 2.0) < 4 * 2.0 / np.sqrt(12_000)
    exact = simulate(n_features=30, n_train=5, noise=0.0)
    np.testing.assert_allclose(
        exact.train.y, signal(exact.train, exact.truth.W), rtol=0, atol=1e-14
    )


def test_features_are_independent_and_standard(paper: Simulation) -> None:
    covariance = paper.train.X.T @ paper.train.X / 6000
    # 200 variances with standard error sqrt(2 / 6000), 19,900 covariances with sqrt(1 / 6000).
    assert np.abs(np.diag(covariance) - 1).max() < 5 * np.sqrt(2 / 6000)
    assert np.abs(covariance - np.diag(np.diag(covariance))).max() < 5.5 * np.sqrt(1 / 6000)


@pytest.mark.parametrize("correlation", [0.7, -0.4])
def test_correlation_falls_with_the_distance_of_features(correlation: float) -> None:
    X = simulate(n_features=30, n_train=200, n_test=1, correlation=correlation).train.X
    estimated = np.corrcoef(X.T)
    lags = np.abs(np.subtract.outer(np.arange(30), np.arange(30)))
    np.testing.assert_allclose(estimated, correlation**lags, rtol=0, atol=5 / np.sqrt(12_000))
    np.testing.assert_allclose(X.var(axis=0), 1, rtol=0, atol=5 * np.sqrt(2 / 12_000))


def test_structure_seed_fixes_u_and_v_and_random_state_the_rows() -> None:
    base = simulate(structure_seed=3, random_state=4, **SMALL)
    other_rows = simulate(structure_seed=3, random_state=5, **SMALL)
    other_structure = simulate(structure_seed=2, random_state=4, **SMALL)
    np.testing.assert_array_equal(base.truth.U, other_rows.truth.U)
    np.testing.assert_array_equal(base.truth.V, other_rows.truth.V)
    assert not np.any(base.train.X == other_rows.train.X)
    assert not np.any(base.train.y == other_rows.train.y)
    np.testing.assert_array_equal(base.train.X, other_structure.train.X)
    assert not np.any(base.truth.U[:10, 0] == other_structure.truth.U[:10, 0])
    mixed, other_mixed = base.truth.V[:, 50:], other_structure.truth.V[:, 50:]
    assert not np.any((mixed == other_mixed) & (mixed > 0))


@pytest.mark.parametrize("task_type", ["regression", "classification"])
def test_same_seeds_same_bits(task_type: str) -> None:
    settings: dict[str, Any] = {
        **SMALL,
        "task_type": task_type,
        "n_outliers": 2,
        "n_train": (2, 9),
        "correlation": 0.3,
    }
    one, two = simulate(**settings), simulate(**settings)
    for first, second in ((one.train, two.train), (one.test, two.test)):
        assert first.X.tobytes() == second.X.tobytes()
        assert first.y.tobytes() == second.y.tobytes()
        assert first.tasks.tolist() == second.tasks.tolist()
    assert one.truth.W.tobytes() == two.truth.W.tobytes()


def test_test_rows_are_not_the_training_rows(paper: Simulation) -> None:
    assert not np.any(paper.train.X == paper.test.X)


def test_five_outliers_of_ten_large_coefficients() -> None:
    truth = simulate(n_outliers=5, n_features=100, n_train=1, n_test=1).truth
    assert truth.W.shape == (100, 65)
    assert np.flatnonzero(truth.outliers).tolist() == [60, 61, 62, 63, 64]
    assert truth.pure.sum() == 50
    np.testing.assert_array_equal(truth.V[:, 60:], 0)
    strange = truth.W[:, 60:]
    assert np.count_nonzero(strange, axis=0).tolist() == [10] * 5
    assert strange[strange != 0].min() >= 0.5
    assert strange.max() <= 1.0
    assert len({tuple(np.flatnonzero(column)) for column in strange.T}) == 5


def test_outliers_leave_the_other_tasks_as_they_were() -> None:
    with_outliers, without = simulate(n_outliers=5, **SMALL).truth, simulate(**SMALL).truth
    np.testing.assert_array_equal(with_outliers.U, without.U)
    np.testing.assert_array_equal(with_outliers.W[:, :60], without.W)


def test_rows_of_outliers_follow_their_own_coefficients() -> None:
    sim = simulate(n_outliers=5, n_features=30, n_train=4, noise=0.0)
    assert len(sim.train) == 65
    np.testing.assert_allclose(sim.train.y, signal(sim.train, sim.truth.W), rtol=0, atol=1e-14)


def test_a_tuple_is_a_range_of_rows() -> None:
    sim = simulate(n_tasks=600, n_features=30, n_train=(3, 6), n_test=(2, 2))
    assert np.unique(sim.train.n_rows).tolist() == [3, 4, 5, 6]
    assert sim.test.n_rows.tolist() == [2] * 600
    # Each of the four is drawn 150 times, give or take four standard deviations of 10.6.
    assert np.all(np.abs(np.bincount(sim.train.n_rows)[3:] - 150) < 43)


@pytest.mark.parametrize("kind", [list, np.array])
def test_a_list_is_the_rows_of_each_task(kind: Any) -> None:
    rows = [3, 1, 4, 1, 5, 9, 2]
    sim = simulate(n_tasks=7, n_clusters=2, n_features=15, n_train=kind(rows), n_test=1)
    assert sim.train.n_rows.tolist() == rows
    assert sim.train.X.shape == (25, 15)


def test_labels_follow_the_logistic_model() -> None:
    sim = simulate(task_type="classification", n_features=30, n_train=200, n_test=1)
    assert set(np.unique(sim.train.y)) == {-1.0, 1.0}
    assert sim.train.task_type == sim.test.task_type == "classification"
    score = signal(sim.train, sim.truth.W)
    probability = expit(score)
    surprise = (sim.train.y == 1) - probability
    variance = probability * (1 - probability)
    for low in np.arange(0, 1, 0.1):
        bin_ = (probability >= low) & (probability < low + 0.1)
        assert bin_.sum() > 300
        assert abs(surprise[bin_].sum()) < 4 * np.sqrt(variance[bin_].sum())
    # The slope of the score, which a wrong scale of the coefficients would change.
    assert abs(surprise @ score) < 4 * np.sqrt(variance @ score**2)


def test_certain_labels_raise_no_overflow() -> None:
    with np.errstate(all="raise"):
        sim = simulate(task_type="classification", scale=1e4, **SMALL)
    np.testing.assert_array_equal(sim.train.y, np.sign(signal(sim.train, sim.truth.W)))


def test_scale_multiplies_the_papers_coefficients() -> None:
    regression = simulate(n_outliers=1, **SMALL).truth
    classification = simulate(n_outliers=1, task_type="classification", **SMALL).truth
    np.testing.assert_array_equal(classification.U, 3 * regression.U)
    np.testing.assert_array_equal(classification.W, 3 * regression.W)
    np.testing.assert_array_equal(classification.V, regression.V)
    half = simulate(scale=0.5, n_outliers=1, **SMALL).truth
    np.testing.assert_array_equal(half.W, 0.5 * regression.W)


def test_pure_tasks_are_shared_out_as_evenly_as_possible() -> None:
    truth = simulate(n_tasks=13, n_clusters=4, n_mixed=2, **SMALL).truth
    assert truth.V[:, :11].sum(axis=1).tolist() == [3, 3, 3, 2]
    assert np.flatnonzero(~truth.pure).tolist() == [11, 12]


@pytest.mark.parametrize(("n_tasks", "n_clusters"), [(5, 5), (12, 12), (12, 11)])
def test_by_default_every_cluster_keeps_a_pure_task(n_tasks: int, n_clusters: int) -> None:
    truth = simulate(n_tasks, 65, n_clusters, 1, 1).truth
    assert truth.pure.sum() == n_clusters
    np.testing.assert_array_equal(truth.V[:, truth.pure], np.eye(n_clusters))


def test_one_cluster_has_only_pure_tasks() -> None:
    truth = simulate(n_clusters=1, **SMALL).truth
    np.testing.assert_array_equal(truth.V, np.ones((1, 60)))
    assert truth.pure.all()


@together(
    ("settings", "message"),
    [
        ({"task_type": "ranking"}, "task_type is 'ranking': use 'regression' or 'classif"),
        ({"mixing": "soft"}, "mixing is 'soft': use 'sparse' or 'dense'"),
        ({"correlation": 1.0}, "correlation is 1.0: it must lie between -1 and 1"),
        ({"correlation": np.nan}, "correlation is nan: it must lie between -1 and 1"),
        ({"noise": -0.5}, "noise is -0.5: a standard deviation is finite and cannot be neg"),
        ({"noise": np.nan}, "noise is nan: a standard deviation"),
        ({"n_clusters": 0}, "n_clusters is 0: there must be at least one"),
        ({"n_mixed": -1}, "n_mixed is -1: it cannot be negative"),
        ({"n_outliers": -1}, "n_outliers is -1: it cannot be negative"),
        ({"n_mixed": 56}, "60 tasks cannot hold 56 mixed ones and a pure one for each of 5 cl"),
        ({"n_tasks": 4}, "4 tasks cannot hold 0 mixed ones and a pure one for each of 5 cl"),
        ({"n_features": 29}, "5 clusters need at least 30 features, not 29"),
        ({"n_train": 0}, "Every task needs a whole number of rows, at least one: not 0"),
        ({"n_test": 2.5}, "Every task needs a whole number of rows, at least one: not 2.5"),
        ({"n_train": (0, 5)}, r"Every task needs a whole number .* at least one: not \(0, 5\)"),
        ({"n_train": [1] * 59 + [0]}, "Every task needs a whole number of rows, at least one"),
        ({"n_train": (9, 3)}, r"A range of rows is two numbers, the smaller first: not \(9, 3\)"),
        ({"n_train": (1, 2, 3)}, r"A range of rows is two numbers, .* not \(1, 2, 3\)"),
        ({"n_train": [5, 6]}, "2 numbers of rows for 60 tasks: give one number per task"),
    ],
)
def test_settings_that_do_not_fit_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        simulate(**{**SMALL, **settings})


def test_overlap_makes_patterns_alike_and_leaves_their_lengths() -> None:
    plain, alike = (simulate(18, n_clusters=3, overlap=o, **SMALL).truth.U for o in (0.0, 0.8))
    lengths = np.linalg.norm(plain, axis=0)
    np.testing.assert_allclose(np.linalg.norm(alike, axis=0), lengths)
    # by hand: a fifth of its own and four fifths of the mean of all three
    first = 0.2 * plain[:, 0] + 0.8 * (plain[:, 0] + plain[:, 1] + plain[:, 2]) / 3.0
    np.testing.assert_allclose(alike[:, 0], first * lengths[0] / np.sqrt(first @ first))
    cosines = [np.corrcoef(U.T)[np.triu_indices(3, 1)].min() for U in (plain, alike)]
    assert cosines[0] < 0.3 < 0.8 < cosines[1]


def test_overlap_leaves_everything_else_as_it_was() -> None:
    plain, alike = (simulate(18, n_clusters=3, overlap=o, **SMALL) for o in (0.0, 0.5))
    np.testing.assert_array_equal(plain.truth.V, alike.truth.V)
    np.testing.assert_array_equal(plain.train.X, alike.train.X)
    with pytest.raises(ValueError, match="overlap"):
        simulate(overlap=1.0, **SMALL)
