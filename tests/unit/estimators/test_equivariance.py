"""What a change of units, origin or names does to a fit, and what it must not do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from stcmtl import STCMTLClassifier, STCMTLRegressor, metrics, simulate
from tests.unit.plain import plain_model
from tests.unit.small import D, K, N, T, small
from tests.unit.small import fit as fit_small

MODELS = pytest.mark.parametrize("model", [STCMTLRegressor, STCMTLClassifier])
BOTH = pytest.mark.parametrize("refine", [True, False])


def fit(model: Any, X: Any, y: Any, tasks: Any, **options: Any) -> Any:
    return plain_model(model, K, random_state=0, **options).fit(X, y, tasks)


def assert_close(found: NDArray[Any], wanted: NDArray[Any], tol: float = 1e-6) -> None:
    """Equal up to ``tol`` times the largest entry."""
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tol * np.abs(wanted).max())


def assert_same_memberships(found: Any, wanted: Any, tol: float = 1e-6) -> None:
    """Whatever the clusters are called."""
    assert metrics.membership_error(wanted.memberships_.T, found.memberships_.T) < tol


# Squared loss: the solver does the same steps in other units, so only rounding differs.


@BOTH
@pytest.mark.parametrize("options", [{}, {"standardize": True}, {"gamma": "cv"}], ids=str)
@pytest.mark.parametrize("shift", [1.0, -30.0, 1e4])
def test_a_shift_of_the_target_shifts_the_intercepts(
    refine: bool, options: dict[str, Any], shift: float
) -> None:
    given = small(STCMTLRegressor)
    before = fit_small(STCMTLRegressor, given, refine=refine, **options)
    after = fit(STCMTLRegressor, given.X, given.y + shift, given.tasks, refine=refine, **options)
    assert_close(after.coef_, before.coef_)
    assert_same_memberships(after, before)
    np.testing.assert_allclose(after.intercept_ - shift, before.intercept_, atol=1e-6)


@BOTH
@pytest.mark.parametrize("scale", [3.0, -1.0, 1e6, 1e-6])
def test_a_scale_of_the_target_scales_the_model(refine: bool, scale: float) -> None:
    given = small(STCMTLRegressor)
    before = fit_small(STCMTLRegressor, given, refine=refine)
    after = fit(STCMTLRegressor, given.X, given.y * scale, given.tasks, refine=refine)
    assert_close(after.coef_, before.coef_ * scale)
    assert_close(after.intercept_, before.intercept_ * scale)
    assert_same_memberships(after, before)
    assert_close(after.lambdas_, before.lambdas_ * abs(scale))


@BOTH
def test_constants_of_the_tasks_move_intercepts_alone(refine: bool) -> None:
    given = small(STCMTLRegressor)
    before = fit_small(STCMTLRegressor, given, refine=refine)
    constants = 5.0 * np.random.default_rng(0).standard_normal(T)
    codes = np.searchsorted(before.task_names_, given.tasks)
    after = fit(STCMTLRegressor, given.X, given.y + constants[codes], given.tasks, refine=refine)
    assert_close(after.coef_, before.coef_)
    moved = after.intercept_ - before.intercept_
    if refine:
        # Intercepts borrow strength, the less the more they differ: by a standard error or so.
        assert 1e-3 < np.abs(moved - constants).max() < 3 * 0.5 / np.sqrt(N)
    else:
        np.testing.assert_allclose(moved, constants, atol=1e-6)


# Both losses. Newton steps turn rounding into differences of the size of their tolerance.


@MODELS
@BOTH
def test_a_shift_of_the_features_changes_no_prediction(model: Any, refine: bool) -> None:
    given = small(model)
    before = fit_small(model, given, refine=refine)
    shift = np.linspace(-300.0, 1000.0, D)
    after = fit(model, given.X + shift, given.y, given.tasks, refine=refine)
    tol = 1e-6 if model is STCMTLRegressor else 1e-3
    assert_close(after.coef_, before.coef_, tol)
    assert_close(
        after.decision_values(given.X + shift, given.tasks),
        before.decision_values(given.X, given.tasks),
        tol,
    )
    np.testing.assert_allclose(
        after.intercept_ + after.coef_ @ shift, before.intercept_, atol=10 * tol
    )


@MODELS
@BOTH
@pytest.mark.parametrize("scale", [3.0, -1.0, 1e6])
def test_a_scale_of_the_features_scales_coefficients_back(
    model: Any, refine: bool, scale: float
) -> None:
    given = small(model)
    before = fit_small(model, given, refine=refine)
    after = fit(model, given.X * scale, given.y, given.tasks, refine=refine)
    tol = 1e-6 if model is STCMTLRegressor else 1e-3
    assert_close(after.coef_ * scale, before.coef_, tol)
    assert_close(after.intercept_, before.intercept_, tol)
    assert_same_memberships(after, before, tol)


@MODELS
@BOTH
def test_standardising_makes_the_units_of_a_feature_irrelevant(model: Any, refine: bool) -> None:
    options = {"refine": refine, "standardize": True}
    given = small(model)
    before = fit_small(model, given, **options)
    units = np.ones(D)
    units[[0, 5]] = 1000.0, 1e-4
    after = fit(model, given.X * units, given.y, given.tasks, **options)
    tol = 1e-6 if model is STCMTLRegressor else 1e-3
    assert_close(after.coef_ * units, before.coef_, tol)
    assert_close(
        after.decision_values(given.X * units, given.tasks),
        before.decision_values(given.X, given.tasks),
        tol,
    )
    # and without it they are not
    options["standardize"] = False
    plain = fit(model, given.X * units, given.y, given.tasks, **options)
    assert np.abs(plain.coef_ * units - before.coef_).max() > 0.05


@MODELS
@BOTH
def test_a_feature_without_information_changes_nothing(model: Any, refine: bool) -> None:
    given = small(model)
    before = fit_small(model, given, refine=refine)
    X = np.insert(given.X, [0, 7], 0.0, axis=1)
    after = fit(model, X, given.y, given.tasks, refine=refine)
    assert not after.coef_[:, [0, 8]].any()
    tol = 1e-3 if model is STCMTLRegressor else 1e-2  # sums are rounded in another order
    assert_close(np.delete(after.coef_, [0, 8], axis=1), before.coef_, tol)
    assert_close(after.intercept_, before.intercept_, tol)


# Names and order


@MODELS
@BOTH
def test_the_order_of_the_tasks_blocks_does_not_matter(model: Any, refine: bool) -> None:
    given = small(model)
    before = fit_small(model, given, refine=refine)
    order = np.argsort(given.tasks, kind="stable")[::-1].reshape(T, N)[:, ::-1].ravel()
    assert given.tasks[order[0]] == before.task_names_[-1]
    after = fit(model, given.X[order], given.y[order], given.tasks[order], refine=refine)
    np.testing.assert_array_equal(after.coef_, before.coef_)
    np.testing.assert_array_equal(after.intercept_, before.intercept_)


@MODELS
def test_new_names_in_the_same_order_change_nothing_else(model: Any) -> None:
    given = small(model)
    before = fit_small(model, given, refine=True)
    tasks = np.searchsorted(before.task_names_, given.tasks) * 10 + 3
    after = fit(model, given.X, given.y, tasks)
    assert after.task_names_.tolist() == list(range(3, 10 * T, 10))
    np.testing.assert_array_equal(after.coef_, before.coef_)
    np.testing.assert_array_equal(after.memberships_, before.memberships_)


@MODELS
@BOTH
def test_new_names_in_another_order_permute_the_tasks(model: Any, refine: bool) -> None:
    given = small(model)
    before = fit_small(model, given, refine=refine)
    place = np.random.default_rng(0).permutation(T)  # of each task among the new names
    tasks = place[np.searchsorted(before.task_names_, given.tasks)]
    after = fit(model, given.X, given.y, tasks, refine=refine)
    assert_close(after.lambdas_[place], before.lambdas_, 1e-9)  # each task alone is the same
    assert_close(after.coef_[place], before.coef_, 1e-9)
    assert_close(after.intercept_[place], before.intercept_, 1e-9)
    # the clusters are the same but for their numbers
    shared, V = before.memberships_ @ before.memberships_.T, after.memberships_[place]
    np.testing.assert_allclose(V @ V.T, shared, atol=1e-9)


@MODELS
@BOTH
def test_columns_in_another_order_permute_the_coefficients(model: Any, refine: bool) -> None:
    given = small(model)
    before = fit_small(model, given, refine=refine)
    order = np.random.default_rng(0).permutation(D)
    after = fit(model, given.X[:, order], given.y, given.tasks, refine=refine)
    assert_close(after.coef_, before.coef_[:, order], 1e-9)
    assert_close(after.cluster_coef_, before.cluster_coef_[:, order], 1e-9)
    assert_close(after.intercept_, before.intercept_, 1e-9)


@pytest.mark.parametrize("correlation", [0.9, 0.99])
@pytest.mark.parametrize("model", [STCMTLRegressor, STCMTLClassifier])
def test_columns_and_tasks_in_another_order_where_features_correlate(
    model: Any, correlation: float
) -> None:
    """Of the paper's algorithm, which has no refinement to bring it back."""
    given, rng = (
        simulate(T, D, K, n_train=N, correlation=correlation).train,
        np.random.default_rng(0),
    )
    y = given.y if model is STCMTLRegressor else given.y > 0
    before = fit(model, given.X, y, given.tasks, refine=False)
    order, other = rng.permutation(D), rng.permutation(given.task_names)
    codes = given.task_names.searchsorted(given.tasks)
    after = fit(model, given.X[:, order], y, other[codes], refine=False)
    place = after.task_names_.searchsorted(other)
    assert_close(after.coef_[place], before.coef_[:, order], 1e-9)
    assert_close(after.intercept_[place], before.intercept_, 1e-9)


@BOTH
def test_rounding_moves_nothing_where_features_correlate(refine: bool) -> None:
    given = simulate(T, D, K, n_train=N, correlation=0.99).train
    noise = 1e-12 * np.random.default_rng(0).normal(size=given.X.shape)
    fits = [
        fit(STCMTLRegressor, X, given.y, given.tasks, refine=refine)
        for X in (given.X, given.X + noise, given.X + 1e3)
    ]
    f = [
        m.predict(given.X + shift, given.tasks) for m, shift in zip(fits, (0, 0, 1e3), strict=True)
    ]
    for moved in f[1:]:
        np.testing.assert_allclose(moved, f[0], rtol=0, atol=1e-6 * given.y.std())
