"""Real data: known numbers of the bundled sets, and the protocols' promises."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits as sklearn_digits

from stcmtl import TaskSet, datasets
from stcmtl.data.splits import principal_components
from tests.unit.cases import together

needs_data = pytest.mark.skipif(
    "STCMTL_DATA" not in os.environ, reason="STCMTL_DATA does not name a folder of real data"
)


def same(left: TaskSet, right: TaskSet) -> bool:
    pairs = [(left.X, right.X), (left.y, right.y), (left.tasks, right.tasks)]
    return all(np.array_equal(a, b) for a, b in pairs)


# Gapminder


def test_gapminder_is_the_known_table() -> None:
    data = datasets.load_gapminder()
    assert len(data) == 142
    assert set(data.n_rows) == {12}
    assert data.y.mean() == pytest.approx(59.474439366197174, abs=1e-12)
    assert data.task_type == "regression"
    X = dict(zip(data.feature_names, data.X.T, strict=True))
    row = np.flatnonzero((data.tasks == "Norway") & (X["decades"] == 2.7))  # 2007
    assert data.y[row] == pytest.approx(80.196)
    assert 10 ** (X["log GDP"][row] + 3.5) == pytest.approx(49357.19017)
    assert 10 ** (X["log population"][row] + 7) == pytest.approx(4627926)


def test_gapminder_features_are_what_their_names_say() -> None:
    data = datasets.load_gapminder()
    X = dict(zip(data.feature_names, data.X.T, strict=True))
    assert np.allclose(X["decades squared"], X["decades"] ** 2)
    assert np.allclose(X["log GDP squared"], X["log GDP"] ** 2)
    assert np.allclose(X["log GDP x decades"], X["log GDP"] * X["decades"])
    assert sorted(set(X["decades"])) == pytest.approx(np.arange(-2.8, 2.8, 0.5))
    # six features of twelve rows are told apart in every country
    assert min(np.linalg.matrix_rank(rows) for _, rows, _ in data) == 6


@together(
    ("continent", "countries"),
    [("Africa", 52), ("Americas", 25), ("Asia", 33), ("Europe", 30), ("Oceania", 2)],
)
def test_gapminder_by_continent(continent: str, countries: int) -> None:
    assert len(datasets.load_gapminder(continent)) == countries


def test_an_unknown_continent_is_named() -> None:
    with pytest.raises(ValueError, match="'Atlantis': use one of Africa, Americas"):
        datasets.load_gapminder("Atlantis")


def test_neither_the_package_nor_gapminder_loads_plotly_or_streamlit() -> None:
    """Finding the file that plotly ships is not importing plotly."""
    code = (
        "import sys, stcmtl; lazy = 'stcmtl.data.datasets' not in sys.modules; "
        "stcmtl.datasets.load_gapminder(); "
        "print(lazy, [m for m in ('plotly', 'streamlit', 'openpyxl') if m in sys.modules])"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.strip() == "True []"


# Digits


def test_digits_are_scikit_learns() -> None:
    train, test = datasets.load_digits(n_draws=2, n_rows=50)
    assert len(train) == len(test) == 20
    assert set(train.n_rows) == set(test.n_rows) == {100}
    assert train.task_names[3] == "digit 1, draw 2"
    images = {image.tobytes(): digit for image, digit in zip(*known_images(), strict=True)}
    for part in (train, test):
        digit = np.array([images[row.tobytes()] for row in part.X])
        asked = np.array([int(name.split()[1].rstrip(",")) for name in part.tasks])
        assert (part.y == (digit == asked)).all()


def known_images() -> tuple[Any, Any]:
    images = sklearn_digits()
    return images.data / 16, images.target


def test_no_image_is_in_training_and_test() -> None:
    train, test = datasets.load_digits()
    assert not {row.tobytes() for row in train.X} & {row.tobytes() for row in test.X}


def test_draws_differ_and_seeds_repeat() -> None:
    one, again, other = (datasets.load_digits(random_state=seed) for seed in (1, 1, 2))
    assert same(one.train, again.train)
    assert same(one.test, again.test)
    assert not same(one.train, other.train)
    first, second = (one.train.X[one.train.tasks == f"digit 0, draw {i}"] for i in (1, 2))
    assert not np.array_equal(first, second)


def test_digits_by_components() -> None:
    split = datasets.load_digits(n_components=12)
    assert split.train.X.shape == (40 * 160, 12)
    assert split.train.feature_names[0] == "component 1"
    with pytest.raises(ValueError, match="n_components is 65: it must be from 1 to 64"):
        datasets.load_digits(n_components=65)


def test_too_many_rows_name_the_digit() -> None:
    assert len(datasets.load_digits(n_rows=87).test) == 40
    with pytest.raises(ValueError, match="digit 8 has 87 training rows"):
        datasets.load_digits(n_rows=88)


# Protocols


def tasks_of(*sizes: int) -> TaskSet:
    n = sum(sizes)
    return TaskSet(
        np.arange(2.0 * n).reshape(n, 2),
        np.arange(n),
        np.repeat([f"t{i}" for i in range(len(sizes))], sizes),
        feature_names=("a", "b"),
        task_type="classification",
    )


def test_three_quarters_of_every_task_are_for_training() -> None:
    data = tasks_of(4, 100, 2, 7)
    train, test = datasets.split_rows(data, random_state=5)
    assert train.n_rows.tolist() == [3, 75, 1, 5]
    assert test.n_rows.tolist() == [1, 25, 1, 2]
    assert sorted([*train.y, *test.y]) == list(range(113))
    assert (data.X[train.y] == train.X).all()
    assert (data.tasks[test.y] == test.tasks).all()
    assert train.feature_names == ("a", "b")
    assert train.task_type == "classification"


def test_splits_follow_their_seed() -> None:
    data = tasks_of(40, 40)
    one, again, other = (datasets.split_rows(data, random_state=s).train for s in (0, 0, 1))
    assert same(one, again)
    assert not same(one, other)


def test_a_split_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="Task t1 has one row"):
        datasets.split_rows(tasks_of(4, 1))
    with pytest.raises(ValueError, match="between 0 and 1"):
        datasets.split_rows(tasks_of(4, 4), train_share=1.0)


def test_components_are_learnt_without_the_test_rows() -> None:
    rng = np.random.default_rng(0)
    X, seen = rng.normal(size=(60, 5)), np.arange(60) < 40
    changed = X.copy()
    changed[~seen] *= 100
    assert np.array_equal(
        principal_components(X, 3, seen)[seen], principal_components(changed, 3, seen)[seen]
    )
    _, _, axes = np.linalg.svd(X[seen] - X[seen].mean(axis=0))
    scores = np.abs((X - X[seen].mean(axis=0)) @ axes[:3].T)
    assert np.allclose(np.abs(principal_components(X, 3, seen)), scores)


# The public collections, where they are


@needs_data
def test_school_as_published() -> None:
    data = datasets.load_school()
    assert len(data) == 139
    assert data.X.shape == (15362, 28)
    assert (data.n_rows.min(), data.n_rows.max()) == (22, 251)
    assert (data.y.min(), data.y.max()) == (1, 70)
    assert np.linalg.matrix_rank(data.X) == 23
    constant = data.X[:, data.feature_names.index("constant")]
    assert (constant == 1).all()
    train, test = datasets.split_rows(data)
    assert len(train.y) / len(data.y) == pytest.approx(0.75, abs=0.001)
    assert test.y.std() == pytest.approx(12.7, abs=0.3)  # README of the data: 12.73


@needs_data
def test_isolet_as_published() -> None:
    data = datasets.load_isolet()
    assert data.n_rows.tolist() == [1560, 1560, 1560, 1558, 1559]
    assert data.X.shape[1] == 617
    assert np.abs(data.X).max() == 1
    counts = np.unique(data.y * 26, return_counts=True)
    assert np.allclose(counts[0], range(1, 27))
    assert dict(zip("FM", counts[1][[5, 12]], strict=True)) == {"F": 298, "M": 299}


@needs_data
@pytest.mark.parametrize(("load", "n_components"), [("usps", 87), ("mnist", 64)])
def test_digit_collections_follow_the_paper(load: str, n_components: int) -> None:
    train, test = getattr(datasets, f"load_{load}")(n_draws=1)
    assert len(train) == len(test) == 10
    assert train.X.shape == test.X.shape == (2000, n_components)
    assert train.y.reshape(10, 200).sum(axis=1).tolist() == [100] * 10
    variance = train.X.var(axis=0)
    assert variance[0] == variance.max()


def test_each_side_of_a_split_has_rows_that_count() -> None:
    data = tasks_of(12, 12)
    weight = np.zeros(24)
    weight[[0, 5, 13, 14, 20, 23]] = 1.0
    for seed in range(20):
        part = datasets.split_rows(replace(data, weight=weight), random_state=seed)
        for side in part:
            counting = side.tasks[side.weight > 0]
            assert set(counting) == set(data.task_names)
    one, same = datasets.split_rows(data), datasets.split_rows(replace(data, weight=weight + 1.0))
    np.testing.assert_array_equal(one.train.row_numbers, same.train.row_numbers)
