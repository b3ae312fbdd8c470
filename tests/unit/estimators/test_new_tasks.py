"""New tasks by the clusters of a fitted model."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from stcmtl import STCMTLClassifier, STCMTLRegressor, load
from stcmtl.data.simulation import Simulation
from stcmtl.solver.problem import LOGISTIC, SQUARED
from tests.unit import twins
from tests.unit.plain import plain_model
from tests.unit.problems import simulated
from tests.unit.small import MODELS, fit, small
from tests.unit.two_clusters import rows as two_clusters

Array = NDArray[np.float64]


def new_tasks(model: Any, n_tasks: int, n: int, seed: int = 0) -> tuple[Simulation, Any, Array]:
    """A simulation, rows of new tasks of its clusters (X, y, tasks), and their memberships."""
    loss = SQUARED if model is STCMTLRegressor else LOGISTIC
    sim, _ = simulated(loss, structure_seed=seed, random_state=seed, n_train=60)
    rng = np.random.default_rng(seed)
    V = rng.dirichlet(np.full(3, 0.5), n_tasks)
    V[::2] = np.eye(3)[rng.integers(3, size=len(V[::2]))]
    tasks = np.repeat(np.arange(n_tasks), n)
    X = rng.normal(size=(tasks.size, 30))
    f = np.einsum("nd,nd->n", X, (V @ sim.truth.U.T)[tasks])
    if loss == SQUARED:
        return sim, (X, f + 0.5 * rng.normal(size=f.size), tasks), V
    chance = rng.uniform(size=f.size) < 1.0 / (1.0 + np.exp(-f))
    return sim, (X, np.where(chance, *np.unique(sim.train.y)[::-1]), tasks), V


class TestFit:
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("standardize", [True, False])
    def test_is_the_least_loss_over_the_simplex(
        self, model: Any, fit_intercept: bool, standardize: bool
    ) -> None:
        data = small(model)
        fitted = fit(model, data, fit_intercept=fit_intercept, standardize=standardize)
        _, (X, y, tasks), _ = new_tasks(model, 3, 25)
        X = X[:, :20]
        found = fitted.assign(X, y, tasks)
        signs = y if model is STCMTLRegressor else np.where(y == fitted.classes_[1], 1.0, -1.0)
        for i in range(3):
            own = tasks == i
            Z, weight = X[own] @ fitted.cluster_coef_.T, np.full(25, 1 / 25)
            given = (Z, signs[own], weight, fitted._loss, fit_intercept)
            v, b, value = twins.fit_memberships(*given)
            assert found.loss[i] == pytest.approx(value, rel=1e-5)
            np.testing.assert_allclose(found.memberships[i], v, atol=1e-3)
            np.testing.assert_allclose(found.coef[i], v @ fitted.cluster_coef_, atol=5e-3)
            assert found.intercept[i] == pytest.approx(b, abs=5e-3)
            alone = [twins.fit_memberships(Z[:, [k]], *given[1:])[2] for k in range(Z.shape[1])]
            assert found.single[i] == np.argmin(alone)
            assert found.single_loss[i] == pytest.approx(min(alone), rel=1e-5)
        assert (found.loss <= found.single_loss * (1 + 1e-9)).all()

    def test_one_feature(self) -> None:
        X, y, tasks = two_clusters()
        model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X[:, :1], y, tasks)
        found = model.assign(X[:20, :1], y[:20], np.zeros(20))
        assert found.coef.shape == (1, 1)
        f = X[:20, 0] * found.coef[0, 0] + found.intercept[0]
        assert ((y[:20] - f) ** 2).mean() == pytest.approx(found.loss[0])

    @pytest.mark.parametrize("model", MODELS)
    def test_tasks_of_the_fit_come_back_where_they_were(self, model: Any) -> None:
        data = small(model)
        fitted = fit(model, data)
        found = fitted.assign(data.X, data.y, data.tasks)
        np.testing.assert_array_equal(found.task_names, fitted.task_names_)
        pure = fitted.pure_ & (found.memberships.max(axis=1) > 0.5)
        assert pure.sum() >= 0.8 * fitted.pure_.sum()
        np.testing.assert_array_equal(found.memberships[pure].argmax(axis=1), fitted.labels_[pure])
        assert np.abs(found.memberships - fitted.memberships_).mean() < 0.15
        assert not found.outliers.any()

    def test_finds_the_memberships_of_simulated_tasks(self) -> None:
        sim, given, V = new_tasks(STCMTLRegressor, 20, 30)
        model = plain_model(STCMTLRegressor, 3, random_state=0)
        model.fit(sim.train.X, sim.train.y, sim.train.tasks)
        found = model.assign(*given)
        order = [np.abs(model.cluster_coef_ - u).sum(axis=1).argmin() for u in sim.truth.U.T]
        assert np.abs(found.memberships[:, order] - V).mean() < 0.08


class TestOutliers:
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("n", [10, 20, 50])
    def test_ordinary_tasks_are_none_and_foreign_ones_are(self, model: Any, n: int) -> None:
        sim, (X, y, tasks), _ = new_tasks(model, 100, n)
        fitted = plain_model(model, 3, random_state=0)
        fitted.fit(sim.train.X, sim.train.y, sim.train.tasks)
        if model is STCMTLClassifier:  # a few rows may show one label only
            both = [i for i in range(100) if np.unique(y[tasks == i]).size == 2]
            kept = np.isin(tasks, both)
            X, y, tasks = X[kept], y[kept], tasks[kept]
        assert fitted.assign(X, y, tasks).outliers.mean() <= 0.01
        if n == 50:  # other clusters' targets: the features in another order
            flipped = X[:, ::-1] if model is STCMTLRegressor else -X
            assert fitted.assign(flipped, y, tasks).outliers.mean() > 0.7

    def test_a_new_task_is_held_against_tasks_that_were_no_outliers(self) -> None:
        sim, _ = simulated(n_tasks=20, n_outliers=2, structure_seed=1)
        data = sim.train
        model = plain_model(STCMTLRegressor, 3, robust=True, random_state=0)
        model.fit(data.X, data.y, data.tasks)
        assert model.outliers_.any()
        np.testing.assert_array_equal(
            model.assign(data.X, data.y, data.tasks).outliers, model.outliers_
        )


class TestPredict:
    @pytest.mark.parametrize("model", MODELS)
    def test_old_and_new_tasks_together(self, model: Any) -> None:
        data = small(model)
        fitted = fit(model, data)
        new = fitted.assign(data.X[:30], data.y[:30], np.repeat("new", 30))
        tasks = np.where(np.arange(60) % 2, "new", data.task_names[3])
        X = data.X[:60]
        odd = tasks == "new"
        values = np.where(
            odd,
            X @ new.coef[0] + new.intercept[0],
            X @ fitted.coef_[3] + fitted.intercept_[3],
        )
        if model is STCMTLRegressor:
            np.testing.assert_allclose(fitted.predict(X, tasks, new), values)
        else:
            np.testing.assert_allclose(fitted.decision_function(X, tasks, new), values)
            np.testing.assert_allclose(
                fitted.predict_proba(X, tasks, memberships=new)[:, 1], 1 / (1 + np.exp(-values))
            )
            expected = fitted.classes_[(values > 0).astype(int)]
            np.testing.assert_array_equal(fitted.predict(X, tasks, new), expected)

    def test_of_two_tasks_of_one_name_the_given_one_counts(self) -> None:
        data = small(STCMTLRegressor)
        fitted, name = fit(STCMTLRegressor, data), data.task_names[2]
        new = fitted.assign(data.X[:30], data.y[:30], np.repeat(name, 30))
        found = fitted.predict(data.X[:5], np.repeat(name, 5), new)
        np.testing.assert_allclose(found, data.X[:5] @ new.coef[0] + new.intercept[0])
        other = fitted.predict(data.X[:5], np.repeat(data.task_names[1], 5), new)
        np.testing.assert_allclose(other, data.X[:5] @ fitted.coef_[1] + fitted.intercept_[1])

    @pytest.mark.parametrize(("old", "name"), [(int, "1"), (str, 1)])
    def test_a_number_is_not_its_text(self, old: type, name: Any) -> None:
        X, y, tasks = two_clusters()
        numbers = np.unique(tasks, return_inverse=True)[1].astype(old)
        model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y, numbers)
        new = model.assign(X[:20], y[:20] + 5.0, np.repeat(name, 20))
        of_new = X[:4] @ new.coef[0] + new.intercept[0]
        of_old = X[:4] @ model.coef_[1] + model.intercept_[1]
        np.testing.assert_allclose(model.predict(X[:4], np.repeat(name, 4), new), of_new)
        np.testing.assert_allclose(model.predict(X[:4], np.repeat(old(1), 4), new), of_old)
        both = np.array([name, old(1)] * 2, dtype=object)
        mixed = np.where([True, False] * 2, of_new, of_old)
        np.testing.assert_allclose(model.predict(X[:4], both, new), mixed)

    def test_names_that_are_dates(self) -> None:
        X, y, tasks = two_clusters()
        days = np.datetime64("2024-01-01", "ns") + np.unique(tasks, return_inverse=True)[1]
        model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y, days)
        new = model.assign(X[:20], y[:20], np.repeat("new", 20))
        np.testing.assert_array_equal(model.predict(X, days, new), model.predict(X, days))


class TestBadInput:
    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            (lambda X, y, t: (X[:0], y[:0], t[:0]), "There are no rows: X is empty."),
            (lambda X, y, t: (X[:1], y[:1], t[:1]), "Task 'new' has one row: give it at least"),
            (lambda X, y, t: (X[:, :2], y, t), "X has 2 features, but STCMTLRegressor is expect"),
            (lambda X, y, t: (X * np.nan, y, t), "Task 'new' has NaN in column 0: fill or drop"),
            (lambda X, y, t: (X, y * np.inf, t), "Task 'new' has infinity in the target y: drop"),
            (lambda X, y, t: (X, y[1:], t), "X has 10 rows, y 9 and tasks 10: give every row"),
            (lambda X, y, t: (X, t, t), "The target y is not numeric"),
        ],
    )
    def test_rows(self, change: Any, sentence: str) -> None:
        X, y, tasks = two_clusters()
        model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y, tasks)
        with pytest.raises(ValueError, match=f"^{sentence}"):
            model.assign(*change(X[:10], y[:10], np.repeat("new", 10)))

    @pytest.mark.parametrize(
        ("labels", "sentence"),
        [
            (["a", "c"] * 5, "The label 'c' was not seen in fit: use 'a' and 'b'"),
            ([0, 1] * 5, "The label 0 was not seen in fit: use 'a' and 'b'"),
            (["a"] * 10, "Task 'new' has only the label 'a': give it rows of both"),
            (["a", "b", "c", "a", "b"] * 2, "The target has 3 labels"),
        ],
        ids=str,
    )
    def test_labels(self, labels: Any, sentence: str) -> None:
        X, y, tasks = two_clusters()
        model = plain_model(STCMTLClassifier, 2, random_state=0)
        model.fit(X, np.where(y > 0, "a", "b"), tasks)
        with pytest.raises(ValueError, match=f"^{sentence}"):
            model.assign(X[:10], labels, np.repeat("new", 10))

    def test_memberships_of_something_else(self) -> None:
        X, y, tasks = two_clusters()
        model, other = (
            plain_model(STCMTLRegressor, 2, random_state=0).fit(X[:, :d], y, tasks) for d in (5, 3)
        )
        new = other.assign(X[:9, :3], y[:9], np.repeat("new", 9))
        moved = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y + 1.0, tasks)
        of_moved = moved.assign(X[:9], y[:9], np.repeat("new", 9))
        for wrong in (new, of_moved, new.memberships, "new"):
            with pytest.raises(ValueError, match=r"^memberships is not what assign of this model"):
                model.predict(X, tasks, wrong)

    def test_a_model_that_was_loaded_knows_its_own(self) -> None:
        X, y, tasks = two_clusters()
        model, stream = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y, tasks), BytesIO()
        new = model.assign(X[:9], y[:9], np.repeat("new", 9))
        model.save(stream)
        stream.seek(0)
        found = load(stream).predict(X[:9], np.repeat("new", 9), new)
        np.testing.assert_array_equal(found, model.predict(X[:9], np.repeat("new", 9), new))

    def test_a_fit_that_was_cut_short_is_none(self) -> None:
        X, y, tasks = two_clusters()
        model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y, tasks)
        next(model.fit_steps(X, y, tasks))
        with pytest.raises(ValueError, match=r"^This STCMTLRegressor instance is not fitted yet"):
            model.assign(X, y, tasks)
