"""VSTG: its objective falls to where neither factor can lower it, and its limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stcmtl import simulate
from stcmtl.baselines import VSTG
from tests.unit.baselines.gradients import loss_gradients
from tests.unit.baselines.kernels.test_ksupport import by_sorting
from tests.unit.baselines.manners import KINDS, D, T, data, fitted
from tests.unit.cases import together
from tests.unit.twins import Array

BOTH = pytest.mark.parametrize("kind", KINDS)
FIXED: dict[str, Any] = {"gamma1": 0.05, "gamma2": 0.03, "k": 2, "mu": 0.04}


def penalty(U: Array, V: Array, gamma1: float, gamma2: float, k: int, mu: float) -> float:
    """U is (D, K), V is (K, T)."""
    rows = gamma1 * np.abs(U).sum() + gamma2 * np.abs(U).max(axis=1).sum()
    return float(rows + mu * sum(by_sorting(v, k) for v in V.T))


@BOTH
@pytest.mark.parametrize("n_clusters", [1, 3, T])
def test_the_objective_falls_to_what_the_fit_reaches(kind: str, n_clusters: int) -> None:
    options = FIXED | {"k": min(2, n_clusters)}
    model = fitted(VSTG, kind, n_clusters=n_clusters, **options)
    assert len(model.history_) > 3
    assert (np.diff(model.history_) <= 0.0).all()
    _, _, loss = loss_gradients(model, data(kind))
    U, V = model.latent_coef_.T, model.weights_.T
    assert model.history_[-1] == pytest.approx(loss + penalty(U, V, **options))
    np.testing.assert_allclose(model.coef_, model.weights_ @ model.latent_coef_, atol=1e-12)
    assert np.linalg.matrix_rank(model.coef_, tol=1e-8) <= n_clusters


@BOTH
def test_neither_factor_can_lower_the_objective(kind: str) -> None:
    """It is convex in each: nothing near is lower, to first order in the step."""
    model, rng, step = fitted(VSTG, kind, n_clusters=3, **FIXED), np.random.default_rng(0), 1e-4
    by_W, by_b, _ = loss_gradients(model, data(kind))
    np.testing.assert_allclose(by_b, 0.0, atol=1e-4)
    U, V = model.latent_coef_.T, model.weights_.T
    reached = penalty(U, V, **FIXED)
    for _ in range(300):
        dU = step * rng.normal(size=U.shape) * rng.integers(0, 2, (D, 1))
        dV = step * rng.normal(size=V.shape) * rng.integers(0, 2, (1, T))
        by_U = np.sum(by_W * (dU @ V)) + penalty(U + dU, V, **FIXED) - reached
        by_V = np.sum(by_W * (U @ dV)) + penalty(U, V + dV, **FIXED) - reached
        assert min(by_U, by_V) >= -1e-2 * step


def test_only_two_of_the_three_levels_matter() -> None:
    one = fitted(VSTG, "regression", n_clusters=3, **FIXED)
    c = 3.0
    scaled = {"gamma1": c * 0.05, "gamma2": c * 0.03, "k": 2, "mu": 0.04 / c**2}
    other = fitted(VSTG, "regression", n_clusters=3, **scaled)
    np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-3)
    np.testing.assert_allclose(other.history_[-1], one.history_[-1], rtol=1e-6)


def test_without_penalties_and_with_a_column_a_task_it_is_least_squares() -> None:
    options = {"n_clusters": T, "gamma1": 0.0, "gamma2": 0.0, "k": 1, "cv": 5}
    model = fitted(VSTG, "regression", **options)
    for i, (_, X, y) in enumerate(data("regression")):
        w = np.linalg.lstsq(np.column_stack([X, np.ones(len(y))]), y, rcond=None)[0]
        np.testing.assert_allclose(np.append(model.coef_[i], model.intercept_[i]), w, atol=0.02)


@BOTH
def test_huge_penalties_leave_the_null_model(kind: str) -> None:
    model = fitted(VSTG, kind, gamma1=1e4, gamma2=0.0, k=1)
    assert not model.coef_.any()
    share = np.array([(y > 0).mean() for _, _, y in data(kind)])
    means = np.array([y.mean() for _, _, y in data(kind)])
    null = means if kind == "regression" else np.log(share / (1.0 - share))
    np.testing.assert_allclose(model.intercept_, null, rtol=1e-3, atol=1e-8)


def test_one_column_gives_tasks_that_differ_by_a_factor() -> None:
    model = fitted(VSTG, "regression", n_clusters=1, k="cv")
    assert model.k_ == 1
    directions = model.coef_[model.weights_[:, 0] != 0.0]
    directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    assert len(directions) > 3
    np.testing.assert_allclose(np.abs(directions @ directions[0]), 1.0, rtol=1e-12)


@BOTH
def test_the_best_of_all_points_is_taken(kind: str) -> None:
    model = fitted(VSTG, kind, n_clusters=5, k="cv")
    best = min(model.cv_path_, key=lambda point: point.loss).penalties
    assert best == {
        "gamma1": model.gamma1_, "gamma2": model.gamma2_, "mu": model.mu_, "k": model.k_
    }  # fmt: skip
    assert model.mu_ == model.gamma1_
    tried = [point.penalties for point in model.cv_path_]
    assert {point["k"] for point in tried} == {1, 2, 3}
    assert {round(point["gamma2"] / point["gamma1"], 6) for point in tried} == {0.25, 1.0, 4.0}


@pytest.mark.parametrize("given", [{"gamma1": 0.1}, {"gamma2": 0.1}, {"k": 2}, {"mu": 0.5}])
def test_what_is_given_is_kept(given: dict[str, Any]) -> None:
    model = fitted(VSTG, "regression", n_clusters=2, **{"k": "cv", **given})
    for point in model.cv_path_:
        assert given.items() <= point.penalties.items()
    for name, value in given.items():
        assert getattr(model, f"{name}_") == value


@together(
    ("options", "sentence"),
    [
        ({"k": 0}, "^k is 0: it must be a whole number from 1 to n_clusters, 5.$"),
        ({"k": 1.5}, "^k is 1.5: it must be a whole number"),
        ({"k": 6}, "^k is 6: it must be a whole number from 1 to n_clusters, 5.$"),
        ({"mu": -1.0}, "^mu is -1.0: it must be a number of 0 or more.$"),
        ({"mu": "cv"}, "^mu is 'cv': it must be a number of 0 or more.$"),
        ({"n_clusters": 0}, "^n_clusters is 0: it must be a whole number from 1 to the number of"),
        ({"n_clusters": T + 1}, "whole number from 1 to the number of tasks, 7.$"),
        ({"n_clusters": "auto"}, "^n_clusters is 'auto': it must be a whole number"),
    ],
)
def test_bad_options_end_in_a_sentence(options: Any, sentence: str) -> None:
    train = data("regression")
    with pytest.raises(ValueError, match=sentence):
        VSTG(**options).fit(train.X, train.y, train.tasks)


def test_tasks_without_any_signal_have_no_coefficients() -> None:
    rng = np.random.default_rng(0)
    X, tasks = rng.normal(size=(60, 5)), np.repeat(np.arange(3), 20)
    model = VSTG(n_clusters=2, random_state=0).fit(X, np.zeros(60), tasks)
    assert not model.coef_.any()


def test_fewer_features_than_columns() -> None:
    rng = np.random.default_rng(0)
    X, tasks = rng.normal(size=(150, 2)), np.repeat(np.arange(5), 30)
    model = VSTG(n_clusters=4, random_state=0).fit(X, X[:, 0] + 0.1 * rng.normal(size=150), tasks)
    np.testing.assert_allclose(model.coef_, np.tile([1.0, 0.0], (5, 1)), atol=0.1)


def test_finds_the_clusters_of_pure_tasks() -> None:
    """With k = 1 a pure task takes one column, the same as its cluster's other pure tasks."""
    sim = simulate(n_tasks=18, n_features=30, n_clusters=3, n_train=100, n_test=50)
    model = VSTG(n_clusters=3, k=1, random_state=0)
    model.fit(sim.train.X, sim.train.y, sim.train.tasks)
    column = np.abs(model.weights_).argmax(axis=1)[sim.truth.pure]
    cluster = sim.truth.V.argmax(axis=0)[sim.truth.pure]
    assert {tuple(np.unique(column[cluster == c])) for c in range(3)} == {(0,), (1,), (2,)}
    error = np.mean((model.predict(sim.test.X, sim.test.tasks) - sim.test.y) ** 2)
    assert np.sqrt(error) < 0.56  # the noise alone is 0.5
