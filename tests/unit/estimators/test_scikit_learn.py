"""scikit-learn's own checks, one by one; pipelines, searches and clones with routed metadata.

Its checks call ``fit(X, y)`` and ``predict(X)``: subclasses put all rows into one task for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from stcmtl import STCMTLClassifier, STCMTLRegressor
from stcmtl.baselines import SingleTaskRidge
from tests.unit.two_clusters import MODELS, rows


class OneTask:
    """Fit and predict without naming a task."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        return super().fit(X, y, one_task(X), sample_weight)  # type: ignore[misc]

    def predict(self, X: Any, tasks: Any = None) -> Any:
        return super().predict(X, one_task(X))  # type: ignore[misc]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        return super().score(X, y, one_task(X), sample_weight)  # type: ignore[misc]


class OneTaskWithLabels(OneTask):
    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X, one_task(X))  # type: ignore[misc]

    def decision_function(self, X: Any) -> Any:
        return super().decision_function(X, one_task(X))  # type: ignore[misc]


def one_task(X: Any) -> NDArray[np.int64]:
    return np.zeros(X.shape[0] if hasattr(X, "shape") else len(np.asarray(X)), dtype=int)


class OneTaskRegressor(OneTask, STCMTLRegressor):
    pass


class OneTaskClassifier(OneTaskWithLabels, STCMTLClassifier):
    pass


class OneTaskRidge(OneTask, SingleTaskRidge):
    pass


ONE = {"n_clusters": 1, "shape": "simplex", "own": "none", "cv": 2, "random_state": 0}
CHECKED = [
    OneTaskRegressor(**ONE),
    OneTaskClassifier(**ONE),
    OneTaskRidge(cv=2, random_state=0, task_type="regression"),
]
NOT_APPLYING = {
    "check_dtype_object": "a column that is not numeric is a ValueError of ours, which names it",
    "check_fit2d_1sample": "the sentence names the task that has one row",
    "check_supervised_y_2d": "a target that is a column is taken as it is, without a warning",
}
OF_CLUSTERS = {"check_methods_sample_order_invariance": "it asks for two clusters of one task"}
OF_BASELINES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "its folds are a number, never a list"
    for kind in ("dense", "sparse")
}


def expected(estimator: Any) -> dict[str, str]:
    return NOT_APPLYING | (OF_CLUSTERS if hasattr(estimator, "n_clusters") else OF_BASELINES)


@parametrize_with_checks(CHECKED, expected_failed_checks=expected, xfail_strict=True)
def test_check(estimator: Any, check: Any) -> None:
    check(estimator)


# Metadata


@pytest.fixture
def _routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


FOLDS = KFold(2, shuffle=True, random_state=0)
ROUTED = {"tasks": True, "sample_weight": True}
QUICK = {"n_clusters": 2, "shape": "simplex", "own": "none", "cv": 2, "random_state": 0}


def routed(model: Any, **settings: Any) -> Any:
    estimator = model(**settings).set_fit_request(**ROUTED).set_score_request(**ROUTED)
    return estimator.set_predict_request(tasks=True)


def ones_and_twos(n: int) -> NDArray[np.int64]:
    return np.random.default_rng(0).integers(1, 3, n)


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_search_over_a_pipeline(form: Any, weighted: bool) -> None:
    """Its scores are those of the fits by hand."""
    X, y, tasks = rows()
    weight = ones_and_twos(len(y)) if weighted else None
    steps = [("scale", StandardScaler(with_mean=False)), ("fit", routed(STCMTLRegressor, **QUICK))]
    if weighted:
        steps[0][1].set_fit_request(sample_weight=True)
    search = GridSearchCV(Pipeline(steps), {"fit__n_clusters": [1, 2]}, cv=FOLDS)
    search.fit(form(X), y, tasks=tasks, **({"sample_weight": weight} if weighted else {}))
    for j, n_clusters in enumerate((1, 2)):
        for c, (train, test) in enumerate(FOLDS.split(X)):
            w, held = (None, None) if weight is None else (weight[train], weight[test])
            scale = StandardScaler(with_mean=False).fit(X[train], sample_weight=w)
            model = STCMTLRegressor(**{**QUICK, "n_clusters": n_clusters})
            model.fit(scale.transform(X[train]), y[train], tasks[train], w)
            wanted = model.score(scale.transform(X[test]), y[test], tasks[test], held)
            found = search.cv_results_[f"split{c}_test_score"][j]
            assert found == pytest.approx(wanted, rel=1e-9)
    assert search.best_params_ == {"fit__n_clusters": 2}
    predicted = search.best_estimator_.predict(form(X), tasks=tasks)
    assert np.corrcoef(predicted, y)[0, 1] > 0.9


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("model", [*MODELS, SingleTaskRidge])
def test_cross_validation(model: Any) -> None:
    X, y, tasks = rows(model if model in MODELS else STCMTLRegressor)
    settings = QUICK if model in MODELS else {"cv": 2, "random_state": 0}
    found = cross_validate(
        routed(model, **settings), X, y, cv=FOLDS, params={"tasks": tasks}, error_score="raise"
    )
    for score, (train, test) in zip(found["test_score"], FOLDS.split(X), strict=True):
        by_hand = model(**settings).fit(X[train], y[train], tasks[train])
        assert score == by_hand.score(X[test], y[test], tasks[test])


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("model", [*MODELS, SingleTaskRidge])
def test_a_clone_asks_for_the_same(model: Any) -> None:
    estimator = routed(model, cv=3)
    twin = clone(estimator)
    assert twin.get_params() == estimator.get_params()
    asked = twin.get_metadata_routing()
    assert asked.fit.requests == asked.score.requests == ROUTED
    assert asked.predict.requests["tasks"] is True
