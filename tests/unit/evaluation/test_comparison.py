"""The engine of comparisons, against direct fits and measures of others."""

from dataclasses import replace
from functools import cache
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import accuracy_score, matthews_corrcoef, root_mean_squared_error

from stcmtl import STCMTLClassifier, STCMTLRegressor
from stcmtl.baselines import METHODS
from stcmtl.baselines.registry import REGISTRY
from stcmtl.data.datasets import Split
from stcmtl.data.simulation import Simulation, simulate
from stcmtl.evaluation.comparison import (
    Outcome,
    build,
    compare,
    compare_steps,
    simulate_each,
    split_each,
    table,
)

TINY: dict[str, Any] = {"n_tasks": 9, "n_features": 20, "n_clusters": 3, "n_train": 40, "n_test": 9}
K = 3
KINDS = ("regression", "classification")
QUICK = ("STCMTL refined", "LASSO")


@cache
def sim(task_type: str = "regression", random_state: int = 0) -> Simulation:
    return simulate(**TINY, task_type=task_type, random_state=random_state)


@cache
def outcome(method: str, task_type: str = "regression") -> Outcome:
    (found,) = compare(method, lambda r: sim(task_type), 1, K)
    return found


def direct_fit(method: str, task_type: str) -> Any:
    """As somebody would write it who does not know the engine."""
    ours = STCMTLRegressor if task_type == "regression" else STCMTLClassifier
    model = {
        "STCMTL automatic": ours(random_state=0),
        "STCMTL refined": ours(K, shape="simplex", own="none", random_state=0),
        "STCMTL robust": ours(K, shape="simplex", own="none", robust=True, random_state=0),
        "STCMTL paper": ours(K, refine=False, random_state=0),
        "CMTL": METHODS["CMTL"](n_clusters=K, random_state=0),
    }.get(method) or METHODS[method](random_state=0)
    if method != "STCMTL automatic" and "n_clusters" in model.get_params():
        model.set_params(n_clusters=K)
    train = sim(task_type).train
    return model.fit(train.X, train.y, train.tasks)


@pytest.mark.parametrize("method", REGISTRY)
def test_an_outcome_is_that_of_a_direct_fit(method: str) -> None:
    found, model = outcome(method), direct_fit(method, "regression")
    data = sim()
    np.testing.assert_array_equal(found.coef, model.coef_.T)
    predicted = model.predict(data.test.X, data.test.tasks)
    assert found.error == pytest.approx(root_mean_squared_error(data.test.y, predicted))
    gaps = (found.coef - data.truth.W).ravel()
    assert found.ree == pytest.approx(np.sqrt((gaps @ gaps) / gaps.size))
    pattern = [(W != 0).ravel() for W in (data.truth.W, found.coef)]
    assert found.mcc == pytest.approx(matthews_corrcoef(*pattern))
    assert found.method == method
    assert found.seconds > 0
    assert found.n_clusters == (K if model.get_params().get("n_clusters") == K else None)


@pytest.mark.parametrize("method", QUICK)
def test_labels_are_judged_by_the_share_of_wrong_ones(method: str) -> None:
    found, model = outcome(method, "classification"), direct_fit(method, "classification")
    test = sim("classification").test
    right = accuracy_score(test.y, model.predict(test.X, test.tasks))
    assert found.error == pytest.approx(1.0 - right)


def test_without_the_truth_its_measures_are_unknown() -> None:
    data = simulate(**TINY).train
    bare = type(data)(data.X, data.y, data.tasks)
    (found,) = compare("LASSO", split_each(bare), 1, K)
    assert (found.ree, found.mcc) == (None, None)


def test_draws_are_new_rows_of_the_same_structure() -> None:
    redraw = simulate_each(random_state=4, **TINY)
    for r in range(2):
        np.testing.assert_array_equal(redraw(r).train.X, sim(random_state=4 + r).train.X)
    truths = [redraw(r).train.truth for r in range(2)]
    np.testing.assert_array_equal(truths[0].W, truths[1].W)


def test_splits_are_other_rows_of_the_same_data() -> None:
    data = sim().train
    redraw = split_each(data, 0.8, random_state=1)
    first, second = redraw(0), redraw(1)
    for split in (first, second):
        assert (split.train.n_rows.tolist(), split.test.n_rows.tolist()) == ([32] * 9, [8] * 9)
        both = np.concatenate([split.train.y, split.test.y])
        np.testing.assert_array_equal(np.sort(both), np.sort(data.y))
    assert not np.array_equal(np.sort(first.test.y), np.sort(second.test.y))


@pytest.mark.parametrize("method", QUICK)
def test_repetitions_are_the_single_fits(method: str) -> None:
    found = compare(method, simulate_each(**TINY), 2, K)
    alone = compare(method, lambda r: sim(random_state=1), 1, K)
    assert [o.error for o in found] == [outcome(method).error, alone[0].error]


@pytest.mark.parametrize("method", QUICK)
def test_progress_counts_repetitions_and_never_falls_back(method: str) -> None:
    steps = list(compare_steps(method, simulate_each(**TINY), 2, K))
    assert [s.repetition for s in steps] == sorted(s.repetition for s in steps)
    assert {s.repetition for s in steps} == {1, 2}
    shares = [s.share for s in steps]
    assert shares == sorted(shares)
    assert min(s.share for s in steps if s.repetition == 2) >= 0.5
    assert max(shares) <= 1.0


def test_what_is_known_is_not_computed_again() -> None:
    first = outcome("LASSO")
    kept: dict[int, Outcome] = {0: first}
    drawn: list[int] = []

    def redraw(r: int) -> Simulation:
        drawn.append(r)
        return sim(random_state=r)

    found = compare("LASSO", redraw, 2, K, recall=kept.get, keep=kept.__setitem__)
    assert found[0] is first
    assert drawn == [1]
    assert found == [kept[0], kept[1]]


def test_the_table_has_means_and_standard_deviations() -> None:
    errors = [0.5, 0.7, 0.9]
    several = [Outcome("A", e, 2 * e, None, 1.0, np.zeros((1, 1)), None) for e in errors]
    single = [Outcome("B", 0.6, None, 0.5, 3.0, np.zeros((1, 1)), 2)]
    found = table({"A": several, "B": single})
    assert found["repetitions"].to_dict() == {"A": 3, "B": 1}
    assert found.loc["A", "error"] == pytest.approx(mean(errors))
    assert found.loc["A", "error sd"] == pytest.approx(stdev(errors))
    assert found.loc["A", "ree sd"] == pytest.approx(2 * stdev(errors))
    assert found.loc["B", ["error", "mcc", "seconds"]].tolist() == [0.6, 0.5, 3.0]
    assert np.isnan(found.loc["A", "mcc"])
    assert found.loc["B", ["error sd", "ree", "seconds sd"]].isna().all()


@pytest.mark.parametrize("method", REGISTRY)
def test_every_method_says_what_it_can_do(method: str) -> None:
    finds = REGISTRY[method].finds
    assert ("features" in finds) == (outcome(method).coef == 0).any()
    assert "clusters" in finds or not {"overlapping", "pure"} & set(finds)


def test_features_on_one_scale_make_their_units_immaterial() -> None:
    stretch = np.geomspace(0.01, 100.0, TINY["n_features"])
    rows = sim()
    parts = [replace(part, X=part.X * stretch, truth=None) for part in (rows.train, rows.test)]
    wide = Split(*parts)
    (found,) = compare("Trace", lambda r: rows, 1, K, standardize=True)
    (stretched,) = compare("Trace", lambda r: wide, 1, K, standardize=True)
    assert stretched.error == pytest.approx(found.error, rel=1e-6)
    assert_allclose(stretched.coef * stretch[:, None], found.coef, atol=1e-6)


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(ValueError, match="no method 'Lasso': choose among STCMTL automatic"):
        compare("Lasso", simulate_each(**TINY), 1, K)


@pytest.mark.parametrize("method", ["LASSO", "STCMTL paper"])
def test_weights_of_the_rows_are_passed_on(method: str) -> None:
    rows = Split(sim().train, sim().test)
    weight = np.arange(len(rows.train.y)) % 3 + 1.0
    weighted = Split(replace(rows.train, weight=weight), rows.test)
    (found,) = compare(method, lambda r: weighted, 1, K)
    model = build(method, "regression", K, 0)
    model.fit(rows.train.X, rows.train.y, rows.train.tasks, weight)
    wanted = root_mean_squared_error(rows.test.y, model.predict(rows.test.X, rows.test.tasks))
    assert found.error == pytest.approx(wanted, rel=1e-9)
    assert found.error != outcome(method).error
