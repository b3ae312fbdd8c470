"""How sure a new task's place is: against closed forms, and by how often it holds the truth."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor, simulate
from stcmtl.estimators.places import hold_together, may_be_zero, outline_place, share_ends
from stcmtl.solver.alignment import match_clusters
from tests.unit.plain import plain_model

N_NEW = 60


@cache
def placed(model: Any, n_rows: int, seed: int = 0) -> tuple[Any, np.ndarray, Any]:
    """New tasks, half of them pure: where they were placed, where they are, and the model."""
    kind = "regression" if model is STCMTLRegressor else "classification"
    sim = simulate(18, 30, 3, 60, 1, task_type=kind, structure_seed=seed, random_state=seed)
    data, rng = sim.train, np.random.default_rng(seed)
    fitted = plain_model(model, n_clusters=3, random_state=0).fit(data.X, data.y, data.tasks)
    V = rng.dirichlet(np.full(3, 0.5), N_NEW)
    V[::2] = np.eye(3)[rng.integers(3, size=N_NEW // 2)]
    tasks = np.repeat(np.arange(N_NEW), n_rows)
    X = rng.normal(size=(tasks.size, 30))
    f = np.einsum("nd,nd->n", X, (V @ sim.truth.U.T)[tasks])
    y = f + 0.5 * rng.normal(size=f.size)
    if kind == "classification":
        y = np.where(rng.uniform(size=f.size) < 1.0 / (1.0 + np.exp(-f)), 1.0, -1.0)
    order = match_clusters(sim.truth.V, fitted.memberships_.T)
    return fitted.assign(X, y, tasks), V[:, order], fitted


@pytest.mark.parametrize(
    ("model", "n_rows"), [*((STCMTLRegressor, n) for n in (3, 10, 40)), (STCMTLClassifier, 60)]
)
def test_intervals_hold_the_truth_as_often_as_they_say(model: Any, n_rows: int) -> None:
    found, true, _ = placed(model, n_rows)
    low, high = found.places.low, found.places.high
    inside = (true >= low - 1e-9) & (true <= high + 1e-9)
    assert inside.mean() > 0.9  # 0.95 is meant: of 180, two standard errors less
    assert (low <= found.memberships + 1e-9).all()
    assert (high >= found.memberships - 1e-9).all()
    assert found.rows.tolist() == [n_rows] * N_NEW


def test_no_interval_excludes_another() -> None:
    low = np.array([[0.6, 0.4], [0.5, 0.1], [0.2, 0.3]])
    high = np.array([[1.0, 1.0], [0.7, 0.5], [0.6, 0.7]])
    low, high = hold_together(low, high)
    np.testing.assert_allclose(low, [[0.0, 0.0], [0.5, 0.3], [0.3, 0.4]])
    np.testing.assert_allclose(high, [[1.0, 1.0], [0.7, 0.5], [0.6, 0.7]])
    rng = np.random.default_rng(0)
    found = rng.dirichlet(np.ones(4), 200)
    ends = found * rng.uniform(size=found.shape), found + (1 - found) * rng.uniform(size=(200, 4))
    low, high = hold_together(*ends)
    assert (low <= found + 1e-9).all()
    assert (high + low.sum(axis=1, keepdims=True) - low <= 1.0 + 1e-9).all()


def test_a_strength_that_may_be_zero_leaves_all_shares_open() -> None:
    free, spread, signs = np.array([[0.02, 0.0], [2.0, 0.0]]), np.eye(2) * 0.01, np.ones((2, 2))
    covariance = np.stack([spread, spread])
    assert may_be_zero(free, covariance, signs).ravel().tolist() == [True, False]
    low, high = share_ends(free, covariance, free, False)
    assert low[0].tolist() == [0.0, 0.0]
    assert high[0].tolist() == [1.0, 1.0]
    assert low[1, 0] > 0.8


def test_more_rows_leave_less_open() -> None:
    widths = [np.median((p.high - p.low).max(axis=1)) for p in
              (placed(STCMTLRegressor, n)[0].places for n in (3, 10, 40))]  # fmt: skip
    assert widths[0] > 0.9
    assert widths[0] > widths[1] > widths[2]
    assert widths[2] < 0.4


def test_three_rows_of_two_clusters_by_hand() -> None:
    """y = z_2 + v (z_1 - z_2) without intercept: v by least squares of y - z_2 on z_1 - z_2."""
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(10), 50)
    X = rng.normal(size=(tasks.size, 2))
    y = np.where(tasks < 5, X[:, 0], 2.0 * X[:, 1]) + 0.1 * rng.normal(size=tasks.size)
    options = {"n_clusters": 2, "fit_intercept": False, "random_state": 0}
    model = plain_model(STCMTLRegressor, **options).fit(X, y, tasks)
    new, target = np.array([[1.0, 0.1], [0.2, 1.0], [0.5, 0.5]]), np.array([0.75, 0.7, 0.62])
    found = model.assign(new, target, ["a"] * 3)
    z1, z2 = (new @ u for u in model.cluster_coef_)
    d = z1 - z2
    free = d @ (target - z2) / (d @ d)
    spread = np.nan_to_num(model.cluster_coef_se_) ** 2
    inherited = ((d @ new) ** 2 / (d @ d) ** 2) @ (found.memberships[0] ** 2 @ spread)
    variance = model.noise_ / (d @ d) + inherited
    assert 0.1 < free < 0.9
    np.testing.assert_allclose(found.places.free[0], [free, 1.0 - free], atol=1e-6)
    np.testing.assert_allclose(found.places.covariance[0, 0, 0], variance, rtol=1e-6)
    assert found.places.high[0, 0] == pytest.approx(free + 1.96 * variance**0.5, abs=1e-4)


def test_beyond_a_corner_rows_do_not_speak_for_the_corner_alone() -> None:
    """Shares that are less likely than the corner by no more than chance: a deviance of 1.96^2."""
    covariance = 0.01 * np.array([[[1.0, -1.0], [-1.0, 1.0]]])
    found, free = np.array([[1.0, 0.0]]), np.array([[1.5, -0.5]])
    low, high = share_ends(free, covariance, found, on_simplex=True)
    deviance = ((1.5 - low[0, 0]) ** 2 - 0.5**2) / 0.01
    assert deviance == pytest.approx(1.96**2, rel=1e-3)
    assert (high[0, 0], low[0, 1]) == (1.0, 0.0)
    assert high[0, 1] == pytest.approx(1.0 - low[0, 0])
    region = outline_place(found[0], free[0], covariance[0])  # which is what pictures show
    assert region[0].min() == pytest.approx(low[0, 0], abs=1e-6)


def test_the_outline_holds_the_place_and_stays_on_the_simplex() -> None:
    found, true, _ = placed(STCMTLRegressor, 10)
    held = []
    for i in range(N_NEW):
        v, free, covariance = (a[i] for a in (found.memberships, *found.places[:2]))
        line = outline_place(v, free, covariance)
        np.testing.assert_allclose(line.sum(axis=0), 1.0, atol=1e-9)
        assert line.min() >= 0.0
        information = np.linalg.pinv(covariance)
        deviance = (true[i] - free) @ information @ (true[i] - free)
        least = (v - free) @ information @ (v - free)
        held.append(deviance - least <= 5.991)
        # inside of the simplex the line is where the deviance is 5.991 above the least
        inner = line[:, line.min(axis=0) > 1e-3] - free[:, None]
        rises = np.einsum("kp,kl,lp->p", inner, information, inner) - least
        np.testing.assert_allclose(rises, 5.991, rtol=1e-2)
    assert np.mean(held) > 0.9


def test_of_two_clusters_it_is_a_segment() -> None:
    line = outline_place(
        np.array([0.7, 0.3]), np.array([0.7, 0.3]), np.array([[1, -1], [-1, 1]]) / 100
    )
    assert line[0].min() == pytest.approx(0.7 - 0.196, abs=1e-3)
    assert line[0].max() == pytest.approx(0.7 + 0.196, abs=1e-3)
