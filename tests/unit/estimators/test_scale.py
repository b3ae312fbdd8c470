"""Features on one scale where their units differ: ``standardize="auto"`` and what it tells."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from stcmtl import STCMTLRegressor, load, metrics, select_n_clusters, simulate, stability
from tests.unit.io.test_model_file import assert_identical
from tests.unit.plain import plain_model
from tests.unit.small import MODELS, D, K, fit, small

UNITS = 10.0 ** np.random.default_rng(0).uniform(-3.0, 3.0, D)
OLD = Path(__file__).parents[1] / "io" / "version_1.stcmtl"


@cache
def in_units(model: Any, standardize: Any = "auto", **options: Any) -> Any:
    return plain_model(model, K, standardize=standardize, random_state=0, **options).fit(
        *rows(model)
    )


def rows(model: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    data = small(model)
    return data.X * UNITS, data.y, data.tasks


def assert_same(one: Any, other: Any) -> None:
    for name in ("coef_", "intercept_", "memberships_", "similarity_", "purity_", "gamma_"):
        assert_identical(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("model", MODELS)
def test_simulated_tasks_are_left_as_they_are_to_the_bit(model: Any) -> None:
    auto, plain = fit(model, small(model)), fit(model, small(model), standardize=False)
    assert (auto.standardize, auto.standardized_, auto.units_differ_) == ("auto", False, False)
    assert_same(auto, plain)


@pytest.mark.parametrize("model", MODELS)
def test_different_units_are_put_on_one_scale(model: Any) -> None:
    auto = in_units(model)
    assert auto.standardized_
    assert auto.units_differ_
    assert_same(auto, in_units(model, True))
    told = in_units(model, False)
    assert (told.standardized_, told.units_differ_) == (False, True)
    np.testing.assert_array_equal(auto.feature_scale_, rows(model)[0].std(axis=0))


def test_raw_units_cost_nothing_any_more() -> None:
    """A common penalty on raw units has an RMSE of 0.74 here, on one scale 0.52."""
    drawn = simulate(32, 80, 4, 50)
    units = 10.0 ** np.random.default_rng(0).uniform(-3.0, 3.0, 80)
    train, test = drawn.train, drawn.test
    errors = {}
    for way in ("auto", False):
        model = plain_model(STCMTLRegressor, 4, standardize=way, random_state=0)
        model.fit(train.X * units, train.y, train.tasks)
        errors[way] = metrics.rmse(test.y, model.predict(test.X * units, test.tasks))
    assert errors["auto"] < 0.53
    assert errors[False] > 1.4 * errors["auto"]


def test_units_make_no_tasks_alike() -> None:
    """S and purity are those of one scale, not of the columns with the smallest units."""
    auto, plain = in_units(STCMTLRegressor), fit(STCMTLRegressor, small(STCMTLRegressor))
    scaled = auto.coef_ * auto.feature_scale_
    np.testing.assert_allclose(auto.similarity_, scaled @ scaled.T, rtol=1e-9, atol=1e-12)
    assert np.corrcoef(auto.similarity_.ravel(), plain.similarity_.ravel())[0, 1] > 0.95
    np.testing.assert_allclose(auto.purity_, plain.purity_, atol=0.2)


@pytest.mark.parametrize("model", MODELS)
def test_the_curve_over_k_is_on_the_same_scale(model: Any) -> None:
    found = select_n_clusters(*rows(model), [1, K], random_state=0)
    wanted = select_n_clusters(
        *rows(model), [1, K], estimator=model(standardize=True), random_state=0
    )
    np.testing.assert_array_equal(found.error, wanted.error)


def test_resamples_keep_the_scale_of_the_fit() -> None:
    found, wanted = (
        stability(in_units(STCMTLRegressor, way), *rows(STCMTLRegressor), 3, random_state=0)
        for way in ("auto", True)
    )
    np.testing.assert_array_equal(found.memberships, wanted.memberships)


def test_a_saved_model_keeps_scale_and_choice() -> None:
    model, stream = in_units(STCMTLRegressor), io.BytesIO()
    model.save(stream)
    stream.seek(0)
    assert_identical(vars(load(stream)), vars(model))


def test_a_model_of_an_earlier_release_does_what_it_was_told() -> None:
    old = load(OLD)
    assert not hasattr(old, "standardized_")
    rng = np.random.default_rng(0)
    tasks = np.repeat(old.task_names_, 6)
    X = rng.normal(size=(len(tasks), old.n_features_in_)) * np.geomspace(1, 1e4, old.n_features_in_)
    _, given = old._known_rows(X, np.resize(old.classes_, len(tasks)), tasks)
    assert given.standardize is bool(old.standardize)


def test_only_true_false_and_auto_will_do() -> None:
    for wrong in ("no", None, 1, "Auto"):
        with pytest.raises(
            ValueError, match=r"^standardize is .*: it must be True, False or 'auto'"
        ):
            plain_model(STCMTLRegressor, K, standardize=wrong).fit(*rows(STCMTLRegressor))
