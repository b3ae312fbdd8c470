"""Whatever the tasks and settings: a fit that is finite and keeps its promises, or one sentence.

    STCMTL_EXAMPLES=2000 python -m pytest tests/unit/estimators/test_any_tasks.py

tries as many; without, a few that are the same every time.
"""

from __future__ import annotations

import faulthandler
import os
import warnings
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings

from stcmtl import STCMTLRegressor
from stcmtl.errors import InputError
from tests.unit.odd_tasks import Recipe, cook, recipes

FEW = 15
COUNT = int(os.environ.get("STCMTL_EXAMPLES", FEW))
LONGEST_FIT = 600  # seconds, after which the process ends and says where it was
LONGEST_SENTENCE = 300
# NaN where a coefficient is an exact zero; infinite where no other start leads elsewhere
MAY_BE_MISSING = ("cluster_coef_se_", "next_start")


def fit(recipe: Recipe) -> Any:
    """The fitted model; nobody sees a warning of numpy."""
    rows = cook(recipe)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        model = recipe.model.fit(*rows[:3], sample_weight=rows.weight)
        known = np.isin(rows.tasks, model.task_names_)  # some row of the task counts
        predict = model.predict_proba if recipe.labels else model.predict
        assert np.isfinite(predict(rows.X[known], rows.tasks[known])).all()
    return model


def find_numbers(value: Any) -> Any:
    """All of them within an attribute, one array after the other."""
    if isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind == "f":
        yield np.asarray(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from find_numbers(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.name not in MAY_BE_MISSING:
                yield from find_numbers(getattr(value, field.name))


def assert_sound(model: Any) -> None:
    learnt = [name for name in vars(model) if name.endswith("_") and name not in MAY_BE_MISSING]
    for name in (*learnt, "similarity_"):
        assert all(np.isfinite(part).all() for part in find_numbers(getattr(model, name))), name
    V, U, own = model.loadings_, model.cluster_coef_, model.own_coef_
    size = np.abs(V) @ np.abs(U) + np.abs(own)
    assert (np.abs(V @ U + own - model.coef_) <= 1e-8 * size).all()
    if model.shape_ != "span":
        assert V.min(initial=0.0) >= 0.0
    sums = model.memberships_.sum(axis=1)
    mixed = V.any(axis=1)
    np.testing.assert_allclose(sums[mixed], 1.0, atol=1e-8)
    if model.shape_ == "simplex":
        np.testing.assert_allclose(V.sum(axis=1)[mixed], 1.0, atol=1e-8)
        assert (mixed | model.outliers_ | (model.n_clusters_ == 0)).all()


@settings(
    max_examples=COUNT,
    derandomize=COUNT == FEW,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(recipe=recipes())
def test_a_fit_is_sound_or_refused_in_one_sentence(recipe: Recipe) -> None:
    faulthandler.dump_traceback_later(LONGEST_FIT, exit=True)
    try:
        model = fit(recipe)
    except InputError as error:
        sentence = str(error)
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert len(sentence) <= LONGEST_SENTENCE
    else:
        assert_sound(model)
    finally:
        faulthandler.cancel_dump_traceback_later()


def test_an_estimate_below_nothing_is_no_loss() -> None:
    """Rows that count 1e20 times as much as others, in the first fold alone."""
    options = {"n_clusters": "auto", "shape": "auto", "own": "none", "refine": True}
    options |= {"robust": False, "fit_intercept": False, "standardize": "auto", "gamma": "mean"}
    sizes = [3, 29, 2, 31, 4, 27, 23]
    recipe = Recipe(42, sizes, 4, 0, 0, -12, [], "noisy", False, "huge and tiny", True,
                    options | {"cv": 2})  # fmt: skip
    assert_sound(fit(recipe))


def test_loadings_without_any_error() -> None:
    """Of a task whose rows count so much that its noise is less than a number can say."""
    options = {"n_clusters": "auto", "shape": "span", "own": "deviation", "refine": True}
    options |= {"robust": False, "fit_intercept": True, "standardize": "auto", "gamma": "mean"}
    recipe = Recipe(0, [2, 2, 30, 32], 1, 0, 0, 0, [], "noisy", False, "huge and tiny", False,
                    options | {"cv": 2})  # fmt: skip
    assert_sound(fit(recipe))


def test_two_rows_beside_ten_thousand() -> None:
    """They spoil nothing of the large tasks', and say something about the small ones."""
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(4), [10_000, 10_000, 2, 2])
    X = rng.normal(size=(tasks.size, 3))
    slopes = np.array([[1.0, 2.0, 0.0], [-2.0, 0.0, 1.0]])
    y = np.einsum("nd,nd->n", X, slopes[tasks % 2]) + 0.1 * rng.normal(size=tasks.size)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Fewer rows than the 5 folds")
        model = STCMTLRegressor(random_state=0).fit(X, y, tasks)
    assert_sound(model)
    np.testing.assert_allclose(model.coef_[:2], slopes, atol=0.005)
    assert (np.linalg.norm(model.coef_[2:] - slopes, axis=1) < np.sqrt(5.0)).all()
