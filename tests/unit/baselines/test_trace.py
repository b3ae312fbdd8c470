"""TraceNorm: optimality, its proximal operator, and its limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

from stcmtl.baselines import TraceNorm, trace
from stcmtl.baselines.trace import TracePenalty, null_level, shrink_values
from stcmtl.data.taskset import task_codes
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from tests.unit.baselines.gradients import loss_gradients
from tests.unit.baselines.manners import (
    KINDS,
    data,
    expect_least_squares,
    expect_null_intercepts,
    expect_ridge,
    fitted,
)
from tests.unit.cases import together

BOTH = pytest.mark.parametrize("kind", KINDS)


@BOTH
@pytest.mark.parametrize("fit_intercept", [True, False])
@together(("share", "ridge"), [(0.3, 0.0), (0.3, 0.05), (0.03, 0.0)])
def test_the_fit_is_optimal(kind: str, fit_intercept: bool, share: float, ridge: float) -> None:
    """The pull is penalty P Q' on the singular vectors P, Q of W, and no longer elsewhere."""
    penalty = share * {"regression": 4.0, "classification": 0.8}[kind]
    options = {"penalty": penalty, "ridge": ridge, "fit_intercept": fit_intercept}
    model = fitted(TraceNorm, kind, **options)
    by_W, by_b, _ = loss_gradients(model, data(kind))
    W = model.coef_.T
    P, s, Q = np.linalg.svd(W, full_matrices=False)
    P, Q = P[:, : model.rank_], Q[: model.rank_]
    assert 0 < model.rank_ == np.sum(s > 1e-6)
    rest = -by_W - 2.0 * ridge * W - penalty * P @ Q
    np.testing.assert_allclose(P.T @ rest, 0.0, atol=1e-4 * penalty)
    np.testing.assert_allclose(rest @ Q.T, 0.0, atol=1e-4 * penalty)
    assert np.linalg.norm(rest, 2) <= penalty * (1.0 + 1e-4)
    if fit_intercept:
        np.testing.assert_allclose(by_b, 0.0, atol=1e-5)
    else:
        assert not model.intercept_.any()


@BOTH
def test_history_ends_at_the_objective(kind: str) -> None:
    model = fitted(TraceNorm, kind, penalty=0.2, ridge=0.05)
    _, _, loss = loss_gradients(model, data(kind))
    W = model.coef_
    penalty = 0.2 * np.linalg.norm(W, "nuc") + 0.05 * np.sum(W**2)
    assert model.history_[-1] == pytest.approx(loss + penalty, rel=1e-10)
    assert model.history_[-1] == pytest.approx(min(model.history_), rel=1e-9)


@pytest.mark.parametrize("ridge", [0.0, 0.4])
def test_singular_values_are_shrunk_to_the_minimum(ridge: float) -> None:
    penalty, step = TracePenalty(0.7, ridge), 0.5
    s = np.array([0.0, 0.1, 0.34, 0.36, 2.0])
    kept, value = penalty.shrink(s, step)
    shrunk = kept * s
    assert value == pytest.approx(0.7 * shrunk.sum() + ridge * np.sum(shrunk**2))
    for before, after in zip(s, shrunk, strict=True):
        best = minimize_scalar(
            lambda x, s=before: 0.5 * (x - s) ** 2 + step * (0.7 * abs(x) + ridge * x**2),
            bounds=(-1.0, 3.0),
            options={"xatol": 1e-9},
        )
        assert after == pytest.approx(best.x, abs=1e-5)


def test_without_a_trace_norm_it_is_ridge_regression() -> None:
    model = fitted(TraceNorm, "regression", penalty=0.0, ridge=0.3)
    expect_ridge(model, 0.3)


def test_without_any_penalty_it_is_least_squares() -> None:
    model = fitted(TraceNorm, "regression", penalty=0.0, ridge=0.0)
    expect_least_squares(model)


@BOTH
def test_the_path_begins_where_the_first_coefficients_appear(kind: str) -> None:
    train = data(kind)
    loss = SQUARED if kind == "regression" else LOGISTIC
    highest = null_level(Problem.build(train.X, train.y, task_codes(train.tasks)[1], loss, True))
    above = fitted(TraceNorm, kind, penalty=1.001 * highest, ridge=0.0)
    assert above.rank_ == 0
    assert not above.coef_.any()
    expect_null_intercepts(above, kind)
    assert fitted(TraceNorm, kind, penalty=0.99 * highest, ridge=0.0).rank_ == 1
    tried = fitted(TraceNorm, kind).cv_path_
    assert tried[0].penalties["penalty"] == pytest.approx(highest)


def test_one_penalty_may_be_fixed() -> None:
    model = fitted(TraceNorm, "regression", ridge=0.02)
    assert {point.penalties["ridge"] for point in model.cv_path_} == {0.02}
    assert model.ridge_ == 0.02
    best = min(model.cv_path_, key=lambda point: point.loss)
    assert model.penalty_ == best.penalties["penalty"]


@BOTH
def test_few_steps_lead_down_the_path(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With momentum, and from where the level before ended, it took 18 and 26 steps a fit."""
    taken: list[None] = []

    def count(*args: Any) -> Any:
        taken.append(None)
        return shrink_values(*args)

    monkeypatch.setattr(trace, "shrink_values", count)
    train = data(kind)
    model = TraceNorm(ridge=0.0, random_state=0).fit(train.X, train.y, train.tasks)
    assert len(taken) < 17 * 5 * len(model.cv_path_)


def test_a_fit_that_is_cut_short_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "MAX_STEPS", 3)
    train = data("regression")
    with pytest.warns(ConvergenceWarning, match=r"^The objective had not settled after 3 steps: "):
        TraceNorm(penalty=0.1, ridge=0.0).fit(train.X, train.y, train.tasks)
