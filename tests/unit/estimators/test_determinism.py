"""The same seed gives the same bits, whatever the number of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor
from tests.unit.plain import plain_model
from tests.unit.small import K, small
from tests.unit.small import fit as reference

ATTRIBUTES = (
    "coef_", "intercept_", "cluster_coef_", "memberships_", "pure_", "labels_", "purity_",
    "similarity_", "lambdas_", "gamma_", "n_iter_", "distances_", "outliers_",
)  # fmt: skip
MODELS = pytest.mark.parametrize("model", [STCMTLRegressor, STCMTLClassifier])


def fit(model: Any, **options: Any) -> Any:
    given = small(model)
    return plain_model(model, **{"n_clusters": K, "random_state": 0, **options}).fit(
        given.X, given.y, given.tasks
    )


def assert_same_bits(found: Any, wanted: Any) -> None:
    for name in ATTRIBUTES:
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    assert len(found.history_) == len(wanted.history_)
    for one, other in zip(found.history_, wanted.history_, strict=True):
        assert (one.stage, one.objective, one.loss) == (other.stage, other.objective, other.loss)
        np.testing.assert_array_equal(one.W, other.W)


@MODELS
@pytest.mark.parametrize("options", [{}, {"refine": False}, {"gamma": "cv"}], ids=str)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_do_not_change_a_bit(model: Any, options: dict[str, Any], n_jobs: int) -> None:
    wanted = reference(model, small(model), **options)
    assert_same_bits(fit(model, n_jobs=n_jobs, **options), wanted)


@MODELS
def test_nor_does_what_joblib_is_told(model: Any) -> None:
    wanted = reference(model, small(model))
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert_same_bits(fit(model), wanted)


@MODELS
def test_nor_do_fits_at_the_same_time(model: Any) -> None:
    wanted = reference(model, small(model))
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda _: fit(model), range(2)):
            assert_same_bits(found, wanted)


@MODELS
def test_a_second_fit_of_the_same_object_is_the_same(model: Any) -> None:
    given, estimator = small(model), plain_model(model, K, random_state=0)
    first = estimator.fit(given.X, given.y, given.tasks).coef_
    np.testing.assert_array_equal(estimator.fit(given.X, given.y, given.tasks).coef_, first)


def test_a_random_state_object_is_a_seed_that_moves_on() -> None:
    wanted = fit(STCMTLRegressor, random_state=7)
    state = np.random.RandomState(7)
    assert_same_bits(fit(STCMTLRegressor, random_state=state), wanted)
    later = fit(STCMTLRegressor, random_state=state)
    assert (later.lambdas_ != wanted.lambdas_).any()  # other folds


def test_other_seeds_make_other_folds_and_none_is_allowed() -> None:
    wanted = fit(STCMTLRegressor)
    assert (fit(STCMTLRegressor, random_state=1).lambdas_ != wanted.lambdas_).any()
    free = fit(STCMTLRegressor, random_state=None)
    np.testing.assert_allclose(free.coef_, wanted.coef_, atol=0.5)


def test_a_seeded_fit_neither_reads_nor_moves_the_global_seed() -> None:
    np.random.seed(0)  # noqa: NPY002
    first, before = fit(STCMTLRegressor), np.random.get_state()[1].copy()  # noqa: NPY002
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    assert_same_bits(fit(STCMTLRegressor), first)
