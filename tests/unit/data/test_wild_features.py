"""Slips in columns of features are found; long tails, counts and indicators are left alone."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from stcmtl.data.wild_features import find_wild
from stcmtl.evaluation.summary import say_wild_features
from tests.unit.kinds import tasks_of

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
HARMLESS: dict[str, Draw] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "t of 3": lambda rng, size: rng.standard_t(3, size),
    "lognormal": lambda rng, size: rng.lognormal(10.0, 2.0, size),
    "power law": lambda rng, size: rng.pareto(1.5, size) + 1.0,
    "counts": lambda rng, size: rng.negative_binomial(0.3, 0.02, size).astype(float),
    "indicators": lambda rng, size: (rng.uniform(size=size) < 0.01).astype(float),
    "mostly zero": lambda rng, size: rng.normal(size=size) * (rng.uniform(size=size) < 0.1),
    "a task apart": lambda rng, size: (
        rng.normal(size=size) + 1e4 * (np.arange(size[0]) < 20)[:, None]
    ),
}


@pytest.mark.parametrize("kind", HARMLESS)
@pytest.mark.parametrize("n_rows", [30, 600])
def test_what_a_column_is_like_is_no_slip(kind: str, n_rows: int) -> None:
    X = HARMLESS[kind](np.random.default_rng(0), (n_rows, 60))
    assert len({one.feature for one in find_wild(X)}) <= 1  # of sixty


@pytest.mark.parametrize("n_wild", [1, 3])
def test_a_few_slips_are_found_with_the_ends_of_all_others(n_wild: int) -> None:
    X = np.random.default_rng(0).normal(50.0, 5.0, size=(200, 4))
    rows = [11, 50, 120][:n_wild]
    X[rows, 2] = 1e5 + np.arange(n_wild)
    others = np.delete(X[:, 2], rows)
    found = find_wild(X)
    assert [(one.row, one.feature, one.value) for one in found] == [
        (row, 2, 1e5 + i) for i, row in enumerate(rows)
    ]
    assert {(one.low, one.high) for one in found} == {(others.min(), others.max())}


def test_four_of_a_kind_are_what_the_column_is_like() -> None:
    X = np.random.default_rng(0).normal(size=(200, 1))
    X[:4] = 1e5
    assert find_wild(X) == []


def test_the_sentence_names_column_row_and_task() -> None:
    data = tasks_of("one")
    X = data.X.copy()
    X[7, 3] = -1e6
    said = say_wild_features(replace(data, X=X, row_numbers=np.arange(len(X)) + 100))
    assert said.startswith("A value of a feature is out of all proportion: x3 in row 108 (t01) is ")
    assert said.endswith("Is it right?")
    X[8, [4, 5, 6]] = 1e7
    assert "4 values of features are" in say_wild_features(replace(data, X=X))
    assert "; and 1 more. Are they right?" in say_wild_features(replace(data, X=X))
