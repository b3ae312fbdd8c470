"""Fits by partition are fits: the answer is that of one in memory, whatever the source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from stcmtl import (
    STCMTLRegressor,
    assign_partitions,
    fit_partitions,
    load,
    predict_partitions,
    simulate,
)
from stcmtl.errors import InputError
from stcmtl.solver import soup
from tests.unit.plain import plain_model

K, D = 3, 20
FEATURES = [f"x{d}" for d in range(D)]
COLUMNS: dict[str, Any] = {"task": "school", "target": "score"}
SETTINGS: dict[str, Any] = {"n_clusters": K, "random_state": 0}


def table(unequal: bool = False, units: bool = False, n_tasks: int = 24) -> pd.DataFrame:
    """Rows of schools with levels of their own; in ``units`` that differ, if asked for."""
    given = {"n_tasks": n_tasks, "n_features": D, "n_clusters": K, "n_train": 24, "n_test": 1}
    train = simulate(**given, noise=0.5, random_state=1).train
    frame = pd.DataFrame(
        train.X * (np.geomspace(1, 30, D)[7 * np.arange(D) % D] if units else 1), columns=FEATURES
    )
    number = np.unique(train.tasks, return_inverse=True)[1]
    frame["school"] = np.array([f"school {(7 * i) % n_tasks}" for i in range(n_tasks)])[number]
    frame["score"] = train.y + number % 5
    if not unequal:
        return frame
    return frame[frame.groupby("school").cumcount() < 8 + 4 * (number % 5)]


def split(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Three partitions, whose tasks are in no order."""
    part = frame["school"].str.len() + frame["school"].str[-1].astype(int)
    return [rows for _, rows in frame.groupby(part % 3)]


def fit_in_memory(frame: pd.DataFrame, **settings: Any) -> STCMTLRegressor:
    model = plain_model(STCMTLRegressor, **{"loss": "squared", **SETTINGS, **settings})
    fitted: STCMTLRegressor = model.fit(frame[FEATURES], frame["score"], frame["school"])
    return fitted


def fit_in_parts(source: Any, **settings: Any) -> STCMTLRegressor:
    return fit_partitions(source, **COLUMNS, **{**SETTINGS, **settings})


@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize(
    "settings",
    [{}, {"fit_intercept": False}, {"standardize": True}, {"gamma": "cv"}, {"refine": False}],
    ids=str,
)
def test_the_answer_is_that_of_a_fit_in_memory(unequal: bool, settings: dict[str, Any]) -> None:
    frame = table(unequal)
    whole, parts = fit_in_memory(frame, **settings), fit_in_parts(split(frame), **settings)
    for name, value in vars(whole).items():
        if isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind in "fib":
            np.testing.assert_allclose(getattr(parts, name), value, atol=1e-8, err_msg=name)
    assert [*parts.task_names_] == [*whole.task_names_]
    assert len(parts.history_) == len(whole.history_)
    for state, expected in zip(parts.history_, whole.history_, strict=True):
        np.testing.assert_allclose(state.V, expected.V, atol=1e-8)
        np.testing.assert_allclose(state.b, expected.b, atol=1e-8)
    assert vars(whole).keys() - vars(parts).keys() <= {"coef_", "own_coef_", "similarity_"}


@pytest.mark.parametrize("standardize", [True, False])
def test_one_feature_is_enough(standardize: bool) -> None:
    frame = table()[["x3", "school", "score"]]
    parts = fit_in_parts(split(frame), n_clusters=2, standardize=standardize)
    model = plain_model(STCMTLRegressor, n_clusters=2, random_state=0, standardize=standardize)
    whole = model.fit(frame[["x3"]], frame["score"], frame["school"])
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-8)
    assert whole.coef_.shape == (24, 1)
    assert np.ptp(whole.coef_) > 0.1


def test_units_are_told_apart_as_in_memory() -> None:
    frame = table(units=True)
    parts = fit_in_parts(split(frame))
    assert parts.standardized_
    np.testing.assert_allclose(parts.coef_, fit_in_memory(frame).coef_, atol=1e-8)


def test_beyond_what_a_matrix_of_tasks_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample is clustered and everybody else follows: the same sample, in memory and in parts."""
    frame = table(n_tasks=40)
    everybody = fit_in_memory(frame)
    monkeypatch.setattr(soup, "MOST_TASKS", 20)
    whole, parts = fit_in_memory(frame), fit_in_parts(split(frame))
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-8)
    assert not np.isnan(parts.history_[0].purity).any()
    assert parts.history_[0].V.shape == (K, 20)
    # clusters of a sample are those of all: their order may differ
    np.testing.assert_allclose(parts.coef_, everybody.coef_, atol=0.02)


def test_any_source_will_do(tmp_path: Path) -> None:
    frame = table()
    for i, part in enumerate(split(frame)):
        part.to_parquet(tmp_path / f"{i}.parquet")
    expected = fit_in_parts(split(frame))

    def tables() -> Iterator[pd.DataFrame]:
        yield from split(frame)

    for source in (tmp_path, str(tmp_path), tables, [lambda: frame]):
        found = fit_in_parts(source)
        np.testing.assert_allclose(found.memberships_, expected.memberships_, atol=1e-8)
        np.testing.assert_allclose(found.cluster_coef_, expected.cluster_coef_, atol=1e-8)


def test_predictions_and_new_tasks_by_partition() -> None:
    frame = table()
    old = frame[~frame["school"].str.endswith(("3", "7"))]
    new, model = frame.drop(old.index), fit_in_parts(split(old))
    parts, whole = split(old), fit_in_memory(old)
    for part, found in zip(parts, predict_partitions(model, parts, task="school"), strict=True):
        expected = whole.predict(part[FEATURES], part["school"])
        np.testing.assert_allclose(found, expected, atol=1e-8)
    both = whole.assign(new[FEATURES], new["score"], new["school"])
    assigned = [*assign_partitions(model, split(new), **COLUMNS)]
    for found in assigned:
        place = np.searchsorted(both.task_names, found.task_names)
        np.testing.assert_allclose(found.memberships, both.memberships[place], atol=1e-8)
        np.testing.assert_array_equal(found.outliers, both.outliers[place])
        rows = new[new["school"].isin(found.task_names)]
        np.testing.assert_allclose(
            model.predict(rows[FEATURES], rows["school"], found),
            whole.predict(rows[FEATURES], rows["school"], both),
            atol=1e-8,
        )
    assert sum(len(found.task_names) for found in assigned) == new["school"].nunique()


def test_a_saved_model_keeps_loadings_and_patterns(tmp_path: Path) -> None:
    frame = table()
    model = fit_in_parts(split(frame))
    assert "coef_" not in vars(model)
    np.testing.assert_array_equal(model.coef_, model.loadings_ @ model.cluster_coef_)
    model.save(tmp_path / "model.stcmtl")
    again = load(tmp_path / "model.stcmtl")
    assert "coef_" not in vars(again)
    rows = frame[FEATURES], frame["school"]
    np.testing.assert_array_equal(again.predict(*rows), model.predict(*rows))
    assert again.score(rows[0], frame["score"], rows[1]) > 0.9


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"shape": "cone"}, "shape is 'cone': fits by partition take 'simplex' alone"),
        ({"robust": True}, "robust is True: fits by partition take False alone"),
        ({"n_clusters": "auto"}, "n_clusters is 'auto': choose it on some of the tasks first"),
        ({"cv": [0, 1]}, "cv is given row by row"),
        ({"features": ["x0", "weight"]}, "A partition has no column 'weight'"),
    ],
)
def test_what_cannot_be_done_is_said(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        fit_in_parts(split(table()), **settings)


def test_sources_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    frame = table()
    torn = [frame.iloc[:100], frame.iloc[100:]]
    with pytest.raises(InputError, match=r"Task 'school \d+' is in more than one partition"):
        fit_in_parts(torn)
    with pytest.raises(InputError, match="source is a generator, and is read more than once"):
        fit_in_parts(part for part in torn)
    with pytest.raises(InputError, match="has no Parquet files in it"):
        fit_in_parts(tmp_path)
    with pytest.raises(InputError, match="A partition is a list: give data frames"):
        fit_in_parts([[1, 2]])
