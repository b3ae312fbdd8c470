"""What resampling says of a fit."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from stcmtl import STCMTLClassifier, STCMTLRegressor, load, simulate, stability
from stcmtl.estimators.resampling import Stability, resample, stability_steps
from stcmtl.solver.problem import LOGISTIC, SQUARED, Rows
from tests.unit.plain import plain_model
from tests.unit.small import MODELS, D, K, T, fit, small
from tests.unit.two_clusters import rows as two_clusters

N_BOOT = 12


def of(model: Any, fitted: Any, **options: Any) -> Stability:
    data = small(model)
    options = {"n_boot": N_BOOT, "random_state": 0, **options}
    return stability(fitted, data.X, data.y, data.tasks, **options)


@cache
def usual(model: Any, **options: Any) -> tuple[Any, Stability]:
    fitted = fit(model, small(model), **options)
    return fitted, of(model, fitted)


def assert_same(one: Stability, other: Stability) -> None:
    for name in set(Stability.__dataclass_fields__) - {"task_names"}:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "options",
    [{}, {"refine": False}, {"standardize": True}, {"robust": True}, {"n_clusters": "auto"}],
    ids=str,
)
def test_every_kind_of_model(model: Any, options: dict[str, Any]) -> None:
    fitted, found = usual(model, **options)
    k = fitted.n_clusters_
    assert found.memberships.shape == (N_BOOT, T, k)
    assert found.lower.shape == found.upper.shape == (T, k)
    assert found.selected.shape == (k, D)
    np.testing.assert_array_equal(found.task_names, fitted.task_names_)
    sums = found.memberships.sum(axis=2)
    np.testing.assert_allclose(sums[:, ~fitted.outliers_], 1.0)
    np.testing.assert_array_equal(sums[:, fitted.outliers_], 0.0)
    assert ((found.lower >= 0) & (found.lower <= fitted.memberships_)).all()
    assert ((fitted.memberships_ <= found.upper) & (found.upper <= 1)).all()
    assert found.strength_lower.shape == found.strength_upper.shape == (T,)
    assert found.coef_se.shape == (k, D)
    assert (found.coef_lower <= fitted.cluster_coef_).all()
    assert (fitted.cluster_coef_ <= found.coef_upper).all()
    assert ((found.pure >= 0) & (found.pure <= 1)).all()
    assert ((found.selected >= 0) & (found.selected <= 1)).all()
    np.testing.assert_array_equal(found.co_clustering, found.co_clustering.T)
    np.testing.assert_array_equal(np.diag(found.co_clustering), 1.0)


class TestSummary:
    def test_is_what_the_resamples_say(self) -> None:
        _, found = usual(STCMTLRegressor)
        V = found.memberships
        np.testing.assert_allclose(found.pure, (V.max(axis=2) == 1.0).mean(axis=0))
        main = V.argmax(axis=2)
        for i in range(T):
            for j in range(T):
                together = np.mean(main[:, i] == main[:, j])
                assert found.co_clustering[i, j] == pytest.approx(together)

    def test_a_task_keeps_its_cluster_as_often_as_it_has_it(self) -> None:
        fitted, found = usual(STCMTLRegressor, robust=True)
        same = found.memberships.argmax(axis=2) == fitted.labels_
        inside = ~fitted.outliers_
        np.testing.assert_allclose(found.kept[inside], same.mean(axis=0)[inside])
        assert not found.kept[~inside].any()

    def test_steps_tell_how_many_are_done(self) -> None:
        data = small(STCMTLRegressor)
        fitted, _ = usual(STCMTLRegressor)
        steps = stability_steps(fitted, data.X, data.y, data.tasks, 3, n_jobs=2, random_state=0)
        assert [(step.done, step.total) for step in steps] == [(2, 3), (3, 3)]

    def test_clear_clusters_are_stable_and_matched(self) -> None:
        X, y, tasks = two_clusters()
        model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y, tasks)
        found = stability(model, X, y, tasks, N_BOOT, random_state=0)
        same = model.labels_[:, None] == model.labels_
        np.testing.assert_allclose(found.co_clustering, same, atol=0.1)
        np.testing.assert_allclose(found.memberships.mean(axis=0), model.memberships_, atol=0.1)
        used = model.cluster_coef_ != 0
        assert found.selected[np.abs(model.cluster_coef_) > 0.5].min() == 1.0
        assert found.selected[~used].mean() < 0.4

    def test_a_higher_level_is_a_wider_interval(self) -> None:
        fitted, wide = usual(STCMTLRegressor)
        narrow = of(STCMTLRegressor, fitted, level=0.5)
        np.testing.assert_array_equal(narrow.memberships, wide.memberships)
        assert (narrow.lower >= wide.lower).all()
        assert (narrow.upper <= wide.upper).all()
        whole = of(STCMTLRegressor, fitted, level=1.0)
        assert not whole.lower.any()
        np.testing.assert_array_equal(whole.upper, 1.0)

    def test_outliers_have_no_intervals(self) -> None:
        sim = simulate(
            n_tasks=16, n_features=25, n_clusters=2, n_train=60, n_outliers=2, structure_seed=1
        )
        data, out = sim.train, sim.truth.outliers
        model = plain_model(STCMTLRegressor, 2, robust=True, random_state=0)
        model.fit(data.X, data.y, data.tasks)
        found = stability(model, data.X, data.y, data.tasks, 5, random_state=0)
        np.testing.assert_array_equal(model.outliers_, out)
        assert not found.upper[out].any()
        assert not found.pure[out].any()
        np.testing.assert_array_equal(found.co_clustering[out], np.eye(18)[out])


class TestBits:
    @pytest.mark.parametrize("model", MODELS)
    def test_threads_do_not_change_any(self, model: Any) -> None:
        fitted, found = usual(model)
        assert_same(of(model, fitted, n_jobs=2), found)

    def test_nor_does_saving_the_model(self) -> None:
        fitted, found = usual(STCMTLRegressor)
        stream = io.BytesIO()
        fitted.save(stream)
        stream.seek(0)
        assert_same(of(STCMTLRegressor, load(stream)), found)

    def test_nor_the_order_of_the_tasks_rows(self) -> None:
        """Names that cannot be sorted come in the order of the rows."""
        X, y, tasks = two_clusters()
        names = dict(zip(np.unique(tasks), ["a", 1, "b", 2, "c", 3], strict=True))
        mixed = np.array([names[task] for task in tasks], dtype=object)
        model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y, mixed)
        found = stability(model, X, y, mixed, 3, random_state=0)
        back = np.argsort(np.repeat(np.arange(6)[::-1], 20), kind="stable")
        again = stability(model, X[back], y[back], mixed[back], 3, random_state=0)
        np.testing.assert_array_equal(again.memberships, found.memberships)

    def test_the_seed_does(self) -> None:
        fitted, found = usual(STCMTLRegressor)
        other = of(STCMTLRegressor, fitted, random_state=1)
        assert (other.memberships != found.memberships).any()

    def test_a_random_state_in_the_model_is_left_alone(self) -> None:
        X, y, tasks = two_clusters()
        state = np.random.RandomState(0)
        model = plain_model(STCMTLRegressor, 2, random_state=state).fit(X, y, tasks)
        before = state.get_state()[1].copy()
        stability(model, X, y, tasks, 2, random_state=0)
        np.testing.assert_array_equal(state.get_state()[1], before)


class TestResample:
    @pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
    def test_as_many_rows_of_every_task_and_label(self, loss: int) -> None:
        rng = np.random.default_rng(0)
        codes = rng.permutation(np.repeat([0, 1, 2], [5, 9, 30]))
        y = rng.normal(size=44) if loss == SQUARED else rng.choice([-1.0, 1.0], 44, p=[0.2, 0.8])
        X = np.arange(44.0)[:, None] + np.zeros(2)
        drawn = resample(Rows(X, y, codes, loss, False, False), 0)
        assert drawn.n_rows.tolist() == [5, 9, 30]
        rows = drawn.X[:, 0].astype(int)
        np.testing.assert_array_equal(drawn.y, y[rows])
        np.testing.assert_array_equal(drawn.task_of_row, codes[rows])
        if loss == LOGISTIC:
            for i in range(3):
                assert drawn.y[drawn.rows(i)].sum() == y[codes == i].sum()
        assert np.unique(rows).size < 44


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"n_boot": 1}, "n_boot is 1: it must be a whole number of 2 or more."),
            ({"n_boot": 2.5}, "n_boot is 2.5: it must be a whole number of 2 or more."),
            ({"level": 0}, "level is 0: it must be above 0 and at most 1."),
            ({"level": 2}, "level is 2: it must be above 0 and at most 1."),
        ],
        ids=str,
    )
    def test_options(self, options: dict[str, Any], sentence: str) -> None:
        with pytest.raises(ValueError, match=f"^{sentence}$"):
            of(STCMTLRegressor, fit(STCMTLRegressor, small(STCMTLRegressor)), **options)

    def test_other_rows_than_the_model_s(self) -> None:
        X, y, tasks = two_clusters()
        model = plain_model(STCMTLRegressor, 2, random_state=0).fit(X, y, tasks)
        for given, sentence in [
            ((X, y, np.where(tasks == "up", "left", tasks)), "Task 'left' was not seen in fit"),
            ((X[:100], y[:100], tasks[:100]), "Task 'down' has no rows: give the rows that the"),
            ((X[:, :3], y, tasks), "X has 3 features, but STCMTLRegressor is expecting 5"),
            ((X, y[1:], tasks), "X has 120 rows, y 119"),
        ]:
            with pytest.raises(ValueError, match=f"^{sentence}"):
                stability(model, *given, 2)

    def test_other_labels_than_the_model_s(self) -> None:
        X, y, tasks = two_clusters(STCMTLClassifier)
        model = plain_model(STCMTLClassifier, 2, random_state=0).fit(X, y, tasks)
        with pytest.raises(ValueError, match=r"^The label 2 was not seen in fit: use 0 and 1"):
            stability(model, X, y + 1, tasks, 2)

    def test_a_model_that_is_not_fitted(self) -> None:
        with pytest.raises(NotFittedError):
            stability(plain_model(STCMTLRegressor, K), *two_clusters())
