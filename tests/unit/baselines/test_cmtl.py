"""CMTL: the relaxed penalty, its proximal operator, optimality, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from stcmtl import simulate
from stcmtl.baselines import CMTL, TraceNorm
from stcmtl.baselines.cmtl import ClusterPenalty
from tests.unit.baselines.gradients import loss_gradients
from tests.unit.baselines.manners import (
    KINDS,
    T,
    data,
    expect_least_squares,
    expect_null_intercepts,
    expect_ridge,
    fitted,
)
from tests.unit.cases import together

Array = NDArray[np.float64]
BOTH = pytest.mark.parametrize("kind", KINDS)


def best_shares(s: Array, eta: float, K: int) -> Array:
    """argmin over m of sum_j s_j^2 / (eta + m_j), 0 <= m <= 1, sum m = K, by a generic solver."""
    found = minimize(
        lambda m: np.sum(s**2 / (eta + m)),
        np.full(s.size, K / s.size),
        jac=lambda m: -(s**2) / (eta + m) ** 2,
        bounds=[(0.0, 1.0)] * s.size,
        constraints={"type": "eq", "fun": lambda m: m.sum() - K, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return np.clip(found.x, 0.0, 1.0)


def relaxed(W: Array, M: Array, rho1: float, rho2: float) -> float:
    """rho1 eta (1 + eta) tr(W (eta I + M)^-1 W'), as Zhou, Chen and Ye write it."""
    eta = rho2 / rho1
    inverse = np.linalg.inv(eta * np.eye(len(M)) + M)
    return float(rho1 * eta * (1.0 + eta) * np.trace(W @ inverse @ W.T))


def random_relation(rng: np.random.Generator, size: int, K: int) -> Array:
    """A symmetric matrix of trace K with eigenvalues from 0 to 1."""
    while True:
        m = K * rng.dirichlet(np.ones(size))
        if m.max() <= 1.0:
            Q = np.linalg.qr(rng.normal(size=(size, size)))[0]
            return (Q * m) @ Q.T


@pytest.mark.parametrize("K", [1, 2, 4])
@pytest.mark.parametrize(("rho1", "rho2"), [(1.0, 0.1), (0.3, 2.0), (5.0, 0.01)])
def test_the_penalty_is_the_smallest_over_all_relations(K: int, rho1: float, rho2: float) -> None:
    rng = np.random.default_rng(K)
    W = rng.normal(size=(6, 5)) * np.geomspace(1.0, 0.1, 5)
    _, s, Q = np.linalg.svd(W)
    value = ClusterPenalty(rho1, rho2, K).shrink(s, 0.0)[1]
    m = best_shares(s, rho2 / rho1, K)
    assert value == pytest.approx(relaxed(W, (Q.T * m) @ Q, rho1, rho2), rel=1e-5)
    for _ in range(30):  # whatever its eigenvectors
        assert value <= relaxed(W, random_relation(rng, 5, K), rho1, rho2) * (1.0 + 1e-12)


def test_the_relaxation_is_below_every_clustering() -> None:
    rng, rho1, rho2 = np.random.default_rng(0), 0.8, 0.3
    W = rng.normal(size=(4, 6))
    _, value = ClusterPenalty(rho1, rho2, 2).shrink(np.linalg.svd(W, compute_uv=False), 0.0)
    for labels in rng.integers(0, 2, size=(20, 6)):
        centers = np.zeros_like(W)
        for k in np.unique(labels):
            centers[:, labels == k] = W[:, labels == k].mean(axis=1, keepdims=True)
        exact = rho1 * np.sum((W - centers) ** 2) + rho2 * np.sum(W**2)
        assert value <= exact * (1.0 + 1e-12)


@pytest.mark.parametrize("K", [1, 2, 3])
@pytest.mark.parametrize(("rho1", "rho2"), [(1.0, 0.1), (0.3, 2.0), (20.0, 0.01)])
def test_singular_values_are_shrunk_to_the_minimum(K: int, rho1: float, rho2: float) -> None:
    penalty, step = ClusterPenalty(rho1, rho2, K), 0.4
    s = np.array([0.2, 0.9, 1.0, 3.0])
    found = minimize(
        lambda x: 0.5 * np.sum((x - s) ** 2) + step * penalty.shrink(np.abs(x), 0.0)[1],
        0.5 * s,
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-14, "maxiter": 5000, "maxfev": 5000},
    )
    kept, value = penalty.shrink(s, step)
    np.testing.assert_allclose(kept * s, found.x, atol=1e-5)
    assert value == pytest.approx(penalty.shrink(kept * s, 0.0)[1], rel=1e-12)


@BOTH
@together("K", [1, 2, 6])
@pytest.mark.parametrize(("rho1", "rho2"), [(1.0, 0.05), (0.1, 0.1)])
def test_the_fit_is_optimal(kind: str, K: int, rho1: float, rho2: float) -> None:
    """Loss and penalty pull equally, with M the best for W by a generic solver."""
    scale = {"regression": 1.0, "classification": 0.1}[kind]
    rho1, rho2 = scale * rho1, scale * rho2
    model = fitted(CMTL, kind, n_clusters=K, rho1=rho1, rho2=rho2)
    by_W, by_b, _ = loss_gradients(model, data(kind))
    W, eta = model.coef_.T, rho2 / rho1
    _, s, Q = np.linalg.svd(W, full_matrices=False)
    m = best_shares(s, eta, K)
    pull = 2.0 * rho1 * eta * (1.0 + eta) * W @ (Q.T / (eta + m)) @ Q
    np.testing.assert_allclose(pull, -by_W, atol=2e-3 * np.abs(by_W).max())
    np.testing.assert_allclose(by_b, 0.0, atol=1e-5)


@BOTH
def test_history_ends_at_the_objective(kind: str) -> None:
    model = fitted(CMTL, kind, n_clusters=2, rho1=0.5, rho2=0.1)
    _, _, loss = loss_gradients(model, data(kind))
    _, s, Q = np.linalg.svd(model.coef_.T, full_matrices=False)
    M = (Q.T * best_shares(s, 0.2, 2)) @ Q
    assert model.history_[-1] == pytest.approx(loss + relaxed(model.coef_.T, M, 0.5, 0.1), rel=1e-6)


@pytest.mark.parametrize("options", [{"n_clusters": T, "rho1": 7.0}, {"rho1": 0.0}])
def test_as_many_clusters_as_tasks_is_ridge_regression(options: dict[str, float]) -> None:
    """As is no penalty on the distance from clusters."""
    model = fitted(CMTL, "regression", rho2=0.3, **options)
    expect_ridge(model, 0.3)


def test_without_rho2_there_is_no_penalty() -> None:
    """M may then be as small as it likes in every direction."""
    model = fitted(CMTL, "regression", rho1=3.0, rho2=0.0)
    expect_least_squares(model)


@BOTH
def test_huge_penalties_leave_the_null_model(kind: str) -> None:
    model = fitted(CMTL, kind, rho1=1e7, rho2=1e7)
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-5)
    expect_null_intercepts(model, kind)


@BOTH
def test_one_tight_cluster_is_the_trace_norm_squared(kind: str) -> None:
    """For rho1 -> infinity and K = 1 the best theta_j are rho1 s_j / sum(s)."""
    model = fitted(CMTL, kind, n_clusters=1, rho1=1e6, rho2=0.01)
    norm = np.linalg.norm(model.coef_, "nuc")
    other = fitted(TraceNorm, kind, penalty=2.0 * 0.01 * norm, ridge=0.0)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-3)
    assert not model.labels_.any()


def test_labels_are_the_true_clusters() -> None:
    sim = simulate(
        n_tasks=12, n_features=20, n_clusters=3, n_mixed=0, n_train=60, n_test=1, noise=0.1
    )
    model = CMTL(3, random_state=0).fit(sim.train.X, sim.train.y, sim.train.tasks)
    assert adjusted_rand_score(sim.truth.V.argmax(axis=0), model.labels_) == 1.0
    alone = fitted(CMTL, "regression", n_clusters=T)
    assert sorted(alone.labels_) == list(range(T))


@pytest.mark.parametrize("fixed", ["rho1", "rho2"])
def test_one_penalty_may_be_fixed(fixed: str) -> None:
    model = fitted(CMTL, "regression", **{fixed: 0.5})
    assert {point.penalties[fixed] for point in model.cv_path_} == {0.5}
    best = min(model.cv_path_, key=lambda point: point.loss)
    assert {"rho1": model.rho1_, "rho2": model.rho2_} == best.penalties


@pytest.mark.parametrize("K", [0, T + 1, 2.5])
def test_a_bad_number_of_clusters_ends_in_a_sentence(K: float) -> None:
    train = data("regression")
    with pytest.raises(ValueError, match=rf"^n_clusters is {K}: it must be .* tasks, {T}\.$"):
        CMTL(K).fit(train.X, train.y, train.tasks)
