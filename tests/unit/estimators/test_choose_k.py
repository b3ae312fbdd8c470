"""``select_n_clusters`` and ``n_clusters="auto"``."""

from __future__ import annotations

import io
from copy import copy
from functools import cache
from typing import Any

import numpy as np
import pytest

from stcmtl import STCMTLClassifier, STCMTLRegressor, TaskSet, load, select_n_clusters, simulate
from stcmtl.data.checks import are_labels, check_ks
from stcmtl.estimators.choose_k import KSelection, selection_steps
from tests.unit.io.test_model_file import assert_identical
from tests.unit.plain import plain_model
from tests.unit.small import MODELS, K, fit, small
from tests.unit.two_clusters import T, rows


def selected(data: TaskSet, **options: Any) -> KSelection:
    return select_n_clusters(data.X, data.y, data.tasks, random_state=0, **options)


@cache
def curve(model: Any) -> KSelection:
    return selected(small(model))


class TestSelection:
    @pytest.mark.parametrize(("n_clusters", "mixing"), [(2, "sparse"), (3, "dense")])
    def test_finds_the_clusters_of_simulated_tasks(self, n_clusters: int, mixing: str) -> None:
        data = simulate(
            n_tasks=16, n_features=30, n_clusters=n_clusters, n_train=50, mixing=mixing
        ).train
        found = selected(data, ks=range(1, 6))
        assert found.one_se == n_clusters
        assert found.singular_ratios.argmax() + 2 == n_clusters
        assert found.metric == "RMSE"
        assert (found.error[n_clusters - 1 :] < 0.75).all()
        assert found.error[0] > 1.2 * found.error[n_clusters - 1]

    def test_labels_are_told_from_numbers(self) -> None:
        assert curve(STCMTLClassifier).metric == "error rate"
        assert ((curve(STCMTLClassifier).error >= 0) & (curve(STCMTLClassifier).error <= 1)).all()

    @pytest.mark.parametrize(
        ("y", "labels"),
        [
            (np.array([0, 1, 1, 0]), True),
            (np.array([-1.0, 1.0]), True),
            (np.array(["a", "b", "a"]), True),
            (np.array(["a", "b", "c"]), True),
            (np.array([True, False]), True),
            (np.array([1.0, 2.0, np.nan]), True),
            (np.array([0.5, 1.0, 2.0]), False),
            (np.array([1, 2, 3]), False),
            (np.ones(4), False),
        ],
        ids=str,
    )
    def test_are_labels(self, y: Any, labels: bool) -> None:
        assert are_labels(y) is labels

    def test_text_labels_are_numbers_in_disguise(self) -> None:
        data = small(STCMTLClassifier)
        text = np.where(data.y == np.unique(data.y)[1], "yes", "no")
        found = select_n_clusters(data.X, text, data.tasks, [1, 3], random_state=0)
        np.testing.assert_array_equal(found.error, curve(STCMTLClassifier).error[[0, 2]])

    def test_sorted_and_without_repetition(self) -> None:
        data = small(STCMTLRegressor)
        found = selected(data, ks=(k for k in [3, 1, 3]))
        assert found.ks.tolist() == [1, 3]
        np.testing.assert_array_equal(found.error, curve(STCMTLRegressor).error[[0, 2]])
        assert check_ks(np.array([2, 1]), T) == [1, 2]
        assert check_ks(2, T) == [2]

    def test_the_default_bends_to_the_tasks(self) -> None:
        X, y, tasks = rows()
        assert select_n_clusters(X, y, tasks, random_state=0).ks.tolist() == list(range(1, T + 1))

    @pytest.mark.parametrize("model", MODELS)
    def test_threads_do_not_change_a_bit(self, model: Any) -> None:
        found = selected(small(model), n_jobs=2, ks=[2, 4])
        for name in ("error", "se", "objective"):
            wanted = getattr(curve(model), name)[[1, 3]]
            np.testing.assert_array_equal(getattr(found, name), wanted)

    def test_settings_of_an_estimator_count(self) -> None:
        data = small(STCMTLRegressor)
        scaled = data.X * np.geomspace(1, 1000, data.X.shape[1])
        model = STCMTLRegressor(standardize=True)
        found = select_n_clusters(
            scaled, data.y, data.tasks, [1, 3], estimator=model, random_state=0
        )
        plain = select_n_clusters(
            data.X, data.y, data.tasks, [1, 3], estimator=model, random_state=0
        )
        np.testing.assert_allclose(found.error, plain.error, rtol=1e-6)
        assert model.n_clusters == "auto"  # what was given stays as it was

    def test_an_estimators_seed_folds_and_jobs_count_unless_given(self) -> None:
        data = small(STCMTLRegressor)
        arrays = data.X, data.y, data.tasks, [1, 3]

        def errors(estimator: Any = None, **options: Any) -> Any:
            return select_n_clusters(*arrays, estimator=estimator, **options).error.tolist()

        model = STCMTLRegressor(random_state=3, cv=4, n_jobs=1)
        wanted = errors(cv=4, random_state=3)
        assert wanted != errors(cv=5, random_state=3)
        assert wanted != errors(cv=4, random_state=0)
        assert errors(model) == wanted
        assert errors(model, cv=5, random_state=0) == errors(cv=5, random_state=0)
        with pytest.raises(ValueError, match=r"^n_jobs is 0"):
            errors(STCMTLRegressor(n_jobs=0))
        assert errors(STCMTLRegressor(n_jobs=0, random_state=3, cv=4), n_jobs=1) == wanted

    def test_robust_leaves_outliers_out(self) -> None:
        data = simulate(
            n_tasks=16, n_features=25, n_clusters=2, n_train=60, n_outliers=2, structure_seed=1
        )
        train = data.train
        inside = ~np.isin(train.tasks, train.task_names[data.truth.outliers])
        robust = selected(train, ks=[1, 2, 3], estimator=STCMTLRegressor(robust=True))
        without = select_n_clusters(
            train.X[inside], train.y[inside], train.tasks[inside], [1, 2, 3], random_state=0
        )
        np.testing.assert_array_equal(robust.error, without.error)
        np.testing.assert_allclose(robust.singular_ratios, without.singular_ratios)
        assert robust.one_se == 2

    def test_point_by_point(self) -> None:
        data = small(STCMTLRegressor)
        steps = selection_steps(STCMTLRegressor(random_state=0), data.X, data.y, data.tasks, [1, 3])
        errors = [point.error for point in steps]
        np.testing.assert_array_equal(errors, curve(STCMTLRegressor).error[[0, 2]])

    @pytest.mark.parametrize("model", MODELS)
    def test_no_clusters_and_own_parts(self, model: Any) -> None:
        data, given = small(model), {"shape": "simplex", "own": "deviation"}
        found = selected(data, ks=[0, K], estimator=model(**given))
        alone = fit(model, data, n_clusters=0, own="alone")
        beside = fit(model, data, n_clusters=K, **given)
        errors = [choice.error for fitted in (alone, beside) for choice in fitted.choices_]
        np.testing.assert_array_equal(found.error, errors)
        assert np.isnan(found.objective).all()


class TestAuto:
    @pytest.mark.parametrize("model", MODELS)
    def test_is_select_then_fit(self, model: Any) -> None:
        data = small(model)
        auto = fit(model, data, n_clusters="auto")
        tried = len(auto.selection_.ks)
        for name in ("ks", "error", "se", "objective"):
            wanted = getattr(curve(model), name)[:tried]
            np.testing.assert_array_equal(getattr(auto.selection_, name), wanted)
        (taken,) = [choice for choice in auto.choices_ if choice.taken]
        assert auto.n_clusters_ == taken.n_clusters
        chosen = fit(model, data, n_clusters=auto.n_clusters_)
        for name in ("coef_", "intercept_", "memberships_", "gamma_", "distances_"):
            np.testing.assert_array_equal(getattr(auto, name), getattr(chosen, name))

    def test_a_saved_model_keeps_the_curve(self) -> None:
        auto, stream = fit(STCMTLRegressor, small(STCMTLRegressor), n_clusters="auto"), io.BytesIO()
        auto.save(stream)
        stream.seek(0)
        assert_identical(vars(load(stream)), vars(auto))

    def test_a_later_fit_forgets_the_curve(self) -> None:
        data = small(STCMTLRegressor)
        model = copy(fit(STCMTLRegressor, data, n_clusters="auto"))
        assert hasattr(model, "selection_")
        model.set_params(n_clusters=K).fit(data.X, data.y, data.tasks)
        assert not hasattr(model, "selection_")


class TestBadInput:
    @pytest.mark.parametrize(
        ("ks", "sentence"),
        [
            ([], "ks is empty: give at least one number"),
            (range(3, 3), "ks is empty: give at least one number"),
            ([-1, 1], "ks holds -1: every number of clusters must be a whole number from 0 to"),
            ([1, 7], "ks holds 7: every number .* number of tasks, 6"),
            (np.arange(1, 10), "ks holds 7: every number .* number of tasks, 6"),
            ([2.0], "ks holds 2.0: every number"),
            ("23", "ks holds '2': every number"),
            (None, "ks holds None: every number"),
        ],
        ids=str,
    )
    def test_ks(self, ks: Any, sentence: str) -> None:
        with pytest.raises(ValueError, match=f"^{sentence}"):
            select_n_clusters(*rows(), ks)

    def test_the_target(self) -> None:
        X, y, tasks = rows()
        text = np.array(["a", "b", "c"])[np.arange(y.size) % 3]
        missing = y.copy()
        missing[3] = np.nan
        for target, sentence in [
            (missing, "Task 'north' has NaN in the target y"),
            (text, "The target has 3 labels"),
            (np.c_[y, y], r"y has shape \(120, 2\)"),
            (y[1:], "X has 120 rows, y 119"),
        ]:
            with pytest.raises(ValueError, match=f"^{sentence}"):
                select_n_clusters(X, target, tasks)

    @pytest.mark.parametrize("n_clusters", ["many", np.array([2, 3]), None], ids=str)
    def test_n_clusters(self, n_clusters: Any) -> None:
        with pytest.raises(ValueError, match=r"^n_clusters is .*, or 'auto'\.$"):
            plain_model(STCMTLRegressor, n_clusters).fit(*rows())

    def test_cv(self) -> None:
        with pytest.raises(
            ValueError, match=r"^cv is 1: it must be a whole number of 2 or more\.$"
        ):
            select_n_clusters(*rows(), cv=1)


@pytest.mark.filterwarnings("ignore:Fewer rows than the 5 folds")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("sizes", [(2,) * 5, (3,) * 5, (2, 3, 20, 20)], ids=str)
def test_tasks_of_hardly_any_rows(model: Any, sizes: tuple[int, ...]) -> None:
    """A label may be seen once, and not at all in a fold."""
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(tasks.size, 5))
    y = 2 * X[np.arange(tasks.size), tasks % 2] + 0.3 * rng.normal(size=tasks.size)
    if model is STCMTLClassifier:
        y = np.isin(np.arange(tasks.size), np.cumsum(sizes) - 1).astype(int)
    found = select_n_clusters(X, y, tasks, ks=[1, 2, 3], random_state=0)
    for values in (found.error, found.se, found.objective, found.singular_ratios):
        assert np.isfinite(values).all()
    assert found.one_se in (1, 2, 3)
