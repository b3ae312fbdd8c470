"""FLARCC: the lasso it is in other parameters, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import Lasso

from stcmtl.baselines import FLARCC, CVPoint, SingleTaskLasso
from stcmtl.baselines.flarcc import SPARSITIES, take_sparsest
from tests.unit.baselines.gradients import loss_gradients
from tests.unit.baselines.manners import KINDS, D, T, data, expect_least_squares, fitted

Array = NDArray[np.float64]
BOTH = pytest.mark.parametrize("kind", KINDS)


class Parameters:
    """For every feature the tasks' order, the place nearest zero, and the weights, by hand."""

    def __init__(self, kind: str) -> None:
        W = fitted(SingleTaskLasso, kind).coef_.T  # the initial estimates
        X = np.concatenate([rows - rows.mean(axis=0) for _, rows, _ in data(kind)])
        unit = X.std(axis=0)
        half = 0.1 * (np.abs(W) * unit[:, None])[W != 0].mean() / unit
        self.order = [sorted(range(T), key=lambda i, w=w: w[i]) for w in W]
        ordered = [[w[i] for i in order] for w, order in zip(W, self.order, strict=True)]
        self.anchor = [int(np.argmin(np.abs(w))) for w in ordered]
        self.weights = np.empty((D, T))  # T - 1 differences, and the anchored coefficient
        for d, w in enumerate(ordered):
            gaps = np.append(np.diff(w), abs(w[self.anchor[d]]))
            self.weights[d] = half[d] / (half[d] + gaps)

    def of(self, W: Array) -> Array:
        """Differences along the order, and the anchored coefficient, of W (D, T)."""
        parts = []
        for w, order, r in zip(W, self.order, self.anchor, strict=True):
            parts.append(np.append(np.diff(w[order]), w[order[r]]))
        return np.array(parts)

    def penalty(self, W: Array, level: float, sparsity: float) -> float:
        levels = level * self.weights * np.append(np.ones(T - 1), sparsity)
        return float((levels * np.abs(self.of(W))).sum())

    def basis(self) -> Array:
        """W (D T) by parameters (D T): the inverse of ``of``."""
        columns = [self.of(unit.reshape(D, T)).ravel() for unit in np.eye(D * T)]
        return np.linalg.inv(np.array(columns).T)


@pytest.mark.parametrize(("penalty", "sparsity"), [(0.5, 1.0), (2.0, 0.3)])
def test_it_is_a_lasso_in_differences(penalty: float, sparsity: float) -> None:
    """Rows are centred by task, for the intercepts, and weigh 1 / n_i."""
    parameters = Parameters("regression")
    design, targets = [], []
    for i, (_, X, y) in enumerate(data("regression")):
        block = np.zeros((len(y), D, T))
        block[:, :, i] = X - X.mean(axis=0)
        design.append(block.reshape(len(y), -1) / np.sqrt(len(y)))
        targets.append((y - y.mean()) / np.sqrt(len(y)))
    levels = penalty * (parameters.weights * np.append(np.ones(T - 1), sparsity)).ravel()
    A, y = np.concatenate(design) @ parameters.basis() / levels, np.concatenate(targets)
    lasso = Lasso(alpha=0.5 / len(y), fit_intercept=False, tol=1e-12, max_iter=1_000_000)
    W = (parameters.basis() @ (lasso.fit(A, y).coef_ / levels)).reshape(D, T)
    model = fitted(FLARCC, "regression", penalty=penalty, sparsity=sparsity)
    np.testing.assert_allclose(model.coef_, W.T, atol=1e-5)
    assert 0 < np.count_nonzero(parameters.of(W)) < D * T


@BOTH
def test_the_fit_is_optimal(kind: str) -> None:
    """The slope of a parameter meets its level; below it the parameter is zero."""
    parameters, penalty = Parameters(kind), {"regression": 1.0, "classification": 0.4}[kind]
    model = fitted(FLARCC, kind, penalty=penalty, sparsity=0.5)
    by_W, by_b, _ = loss_gradients(model, data(kind))
    slopes = -(by_W.ravel() @ parameters.basis()).reshape(D, T)
    levels = penalty * parameters.weights * np.append(np.ones(T - 1), 0.5)
    theta = parameters.of(model.coef_.T)
    np.testing.assert_allclose(by_b, 0.0, atol=1e-5)
    assert (np.abs(slopes) <= levels * (1.0 + 1e-3)).all()
    used = theta != 0.0
    np.testing.assert_allclose(slopes[used], (np.sign(theta) * levels)[used], rtol=1e-2)
    assert 0 < used.sum() < used.size


@BOTH
def test_history_ends_at_the_objective_and_never_rises(kind: str) -> None:
    model = fitted(FLARCC, kind, penalty=0.4, sparsity=0.5)
    _, _, loss = loss_gradients(model, data(kind))
    penalty = Parameters(kind).penalty(model.coef_.T, 0.4, 0.5)
    assert model.history_[-1] == pytest.approx(loss + penalty)
    assert (np.diff(model.history_) <= 0.0).all()


def test_no_penalty_is_least_squares() -> None:
    expect_least_squares(fitted(FLARCC, "regression", penalty=0.0, sparsity=1.0))


@BOTH
def test_a_huge_penalty_leaves_the_null_model(kind: str) -> None:
    assert not fitted(FLARCC, kind, penalty=1e6, sparsity=1.0).coef_.any()


def test_without_sparsity_a_huge_penalty_leaves_one_model_for_all() -> None:
    """Each task weighs the same, and has its own intercept."""
    model = fitted(FLARCC, "regression", penalty=1e4, sparsity=0.0)
    parts = [(X - X.mean(axis=0), y - y.mean(), len(y)) for _, X, y in data("regression")]
    A = np.concatenate([X / np.sqrt(n) for X, _, n in parts])
    target = np.concatenate([y / np.sqrt(n) for _, y, n in parts])
    common = np.linalg.lstsq(A, target, rcond=None)[0]
    assert (model.coef_ == model.coef_[0]).all()
    np.testing.assert_allclose(model.coef_[0], common, atol=1e-4)


def test_one_task_is_a_lasso() -> None:
    _, X, y = next(iter(data("regression")))
    task = np.zeros(len(y))
    initial = SingleTaskLasso(random_state=0).fit(X, y, task).coef_[0]
    unit = X.std(axis=0)
    half = 0.1 * (np.abs(initial) * unit)[initial != 0].mean() / unit
    levels = 0.5 * half / (half + np.abs(initial))
    lasso = Lasso(alpha=0.5, tol=1e-12, max_iter=100_000).fit(X / levels, y)
    model = FLARCC(penalty=0.5, sparsity=1.0, random_state=0).fit(X, y, task)
    np.testing.assert_allclose(model.coef_[0], lasso.coef_ / levels, atol=1e-5)
    assert 0 < np.count_nonzero(model.coef_) < D


@BOTH
def test_the_path_begins_with_the_null_model_and_the_lowest_loss_is_taken(kind: str) -> None:
    model = fitted(FLARCC, kind, sparsity=0.5)
    best = min(model.cv_path_, key=lambda point: point.loss)
    assert best.penalties == {"penalty": model.penalty_, "sparsity": 0.5}
    top = model.cv_path_[0].penalties["penalty"]
    assert not fitted(FLARCC, kind, penalty=top, sparsity=0.5).coef_.any()
    assert fitted(FLARCC, kind, penalty=0.999 * top, sparsity=0.5).coef_.any()


def test_less_sparsity_must_predict_better_by_more_than_a_standard_error() -> None:
    def points(sparsity: float, *losses: float) -> list[CVPoint]:
        levels = [4.0, 2.0, 1.0]
        pairs = zip(levels, losses, strict=True)
        return [CVPoint({"penalty": a, "sparsity": sparsity}, x, 0.2) for a, x in pairs]

    first = points(1.0, 3.0, 2.0, 2.5)
    close = take_sparsest(first + points(0.25, 3.0, 2.5, 1.9))
    assert close == [{"penalty": 4.0, "sparsity": 1.0}, {"penalty": 2.0, "sparsity": 1.0}]
    apart = take_sparsest(first + points(0.25, 3.0, 2.5, 1.7))
    assert apart == [{"penalty": a, "sparsity": 0.25} for a in (4.0, 2.0, 1.0)]


def test_what_is_given_is_kept() -> None:
    model = fitted(FLARCC, "regression", penalty=0.5)
    assert {point.penalties["penalty"] for point in model.cv_path_} == {0.5}
    tried = [point.penalties["sparsity"] for point in model.cv_path_]
    assert tried == list(SPARSITIES[: len(tried)])
    assert len(tried) > 1
    model = fitted(FLARCC, "regression", sparsity=0.0)
    assert {point.penalties["sparsity"] for point in model.cv_path_} == {0.0}
    assert len(model.cv_path_) > 3


def test_coefficients_of_like_tasks_are_fused() -> None:
    """Ten tasks of two kinds: the feature that tells them apart has few values."""
    rng = np.random.default_rng(0)
    X, tasks = rng.normal(size=(1000, 4)), np.repeat(np.arange(10), 100)
    slope = np.where(tasks < 5, 1.0, -1.0)
    model = FLARCC(random_state=0).fit(X, slope * X[:, 0] + 0.3 * rng.normal(size=1000), tasks)
    assert np.unique(model.coef_[:, 0]).size <= 5
    np.testing.assert_allclose(model.coef_[:, 0], np.repeat([1.0, -1.0], 5), atol=0.1)
    assert (model.coef_[:, 1:] == 0.0).mean() > 0.8
