"""Whatever the tasks: what else is asked of them is finite, or refused in one sentence.

    STCMTL_EXAMPLES=2000 python -m pytest tests/unit/estimators/test_any_calls.py

tries as many; without, a few that are the same every time. Fits are in ``test_any_tasks.py``.
"""

from __future__ import annotations

import faulthandler
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from stcmtl import assign_partitions, fit_partitions, select_n_clusters, stability
from stcmtl.baselines import METHODS
from stcmtl.errors import InputError
from tests.unit.estimators.test_any_tasks import COUNT, FEW, LONGEST_FIT, LONGEST_SENTENCE
from tests.unit.odd_tasks import Cooked, Recipe, cook, recipes

# Infinite where the data say nothing of a coefficient.
WITHOUT_BOUND = ("coef_se", "coef_lower", "coef_upper")
Named = Iterator[tuple[str, Any]]


def select(recipe: Recipe, rows: Cooked) -> Named:
    kept = {**recipe.options, "shape": "auto", "own": "none", "n_clusters": "auto"}
    model = replace(recipe, options=kept).model
    found = select_n_clusters(
        *rows[:3], ks=range(min(4, len(recipe.sizes)) + 1), estimator=model,
        sample_weight=rows.weight,
    )  # fmt: skip
    yield from ((name, getattr(found, name)) for name in ("error", "se", "one_se"))


def resample(recipe: Recipe, rows: Cooked) -> Named:
    model = recipe.model.fit(*rows[:3], sample_weight=rows.weight)
    found = stability(model, *rows[:3], n_boot=2, random_state=0, sample_weight=rows.weight)
    yield from ((name, part) for name, part in vars(found).items() if name not in WITHOUT_BOUND)
    for name in WITHOUT_BOUND:
        assert not np.isnan(getattr(found, name)).any(), name


def assign(recipe: Recipe, rows: Cooked) -> Named:
    """To clusters of other rows, of the usual size."""
    usual = cook(replace(recipe, sizes=[20] * 4, x_power=0, y_power=0, unit=0, columns=[],
                         target="noisy", repeated=False, weights="none"))  # fmt: skip
    options = {"shape": "simplex", "own": "none", "n_clusters": 2, "refine": True}
    model = replace(recipe, options=recipe.options | options).model.fit(*usual[:3])
    found = model.assign(*rows[:3], sample_weight=rows.weight)
    yield from ((name, part) for name, part in vars(found).items() if name != "places")
    yield from zip(found.places._fields, found.places, strict=True)
    kept = found.memberships.any(axis=1)
    np.testing.assert_allclose(found.memberships[kept].sum(axis=1), 1.0, atol=1e-8)


def in_parts(recipe: Recipe, rows: Cooked) -> Named:
    frame = pd.DataFrame(rows.X).add_prefix("x").assign(task=rows.tasks, y=rows.y)
    tables = [frame[frame["task"] % 2 == odd] for odd in (0, 1)]
    given = {name: recipe.options[name] for name in ("fit_intercept", "standardize", "cv")}
    columns: Any = {"task": "task", "target": "y"}
    model = fit_partitions(tables, **columns, n_clusters=min(2, len(recipe.sizes)), **given)
    yield from ((name, getattr(model, name)) for name in ("coef_", "intercept_", "purity_"))
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, atol=1e-8)
    for found in assign_partitions(model, tables, **columns):
        yield "assigned", found.coef


def by(method: Any) -> Callable[[Recipe, Cooked], Named]:
    def fit(recipe: Recipe, rows: Cooked) -> Named:
        own = {"n_clusters": min(2, len(recipe.sizes)), "k": 1}
        common = {name: recipe.options[name] for name in ("fit_intercept", "standardize", "cv")}
        known = {name: value for name, value in own.items() if hasattr(method, name)}
        kind = "classification" if recipe.labels else "regression"
        model = method(**known, **common, task_type=kind, random_state=0)
        model.fit(*rows[:3], sample_weight=rows.weight)
        yield from ((name, getattr(model, name)) for name in ("coef_", "intercept_", "history_"))
        known_rows = np.isin(rows.tasks, model.task_names_)
        predict = model.predict_proba if recipe.labels else model.predict
        yield "predicted", predict(rows.X[known_rows], rows.tasks[known_rows])

    return fit


CALLS = {"select": select, "stability": resample, "assign": assign, "partitions": in_parts}
CALLS |= {name: by(method) for name, method in METHODS.items()}


@pytest.mark.parametrize("call", CALLS)
@settings(
    max_examples=max(COUNT // len(CALLS), 3),
    derandomize=COUNT == FEW,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(recipe=recipes())
def test_it_is_finite_or_refused_in_one_sentence(call: str, recipe: Recipe) -> None:
    if call == "partitions":
        recipe = replace(recipe, labels=False)
    faulthandler.dump_traceback_later(LONGEST_FIT, exit=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            for name, value in CALLS[call](recipe, cook(recipe)):
                if np.asarray(value).dtype.kind == "f":
                    assert np.isfinite(value).all(), name
    except InputError as error:
        sentence = str(error)
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert len(sentence) <= LONGEST_SENTENCE
    finally:
        faulthandler.cancel_dump_traceback_later()
