"""Folds that are given: by a splitter within each task, or by a label for every row."""

import re
from io import BytesIO

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

from stcmtl import STCMTLRegressor, load, simulate
from stcmtl.errors import InputError
from stcmtl.estimators.base import Table
from stcmtl.estimators.folds import resolve_folds

DATA = simulate(n_tasks=6, n_features=20, n_clusters=2, n_train=20, n_test=1).train
FIRST = f"the 20 rows of task {DATA.task_names[0].item()!r}"
LABELS = "as cv, pass the fold of every row, or pairs"
ALONE = f"{FIRST} on their own: {LABELS}"


class Odd:
    """A splitter with an error of its own."""

    def get_n_splits(self) -> int:
        return 3

    def split(self, X: object, y: object) -> object:
        raise KeyError("rows")


def table() -> Table:
    """Tasks take turns, so that their rows are not side by side."""
    order = np.argsort(np.tile(np.arange(20), 6), kind="stable")
    names, codes = np.unique(DATA.tasks[order], return_inverse=True)
    return Table(DATA.X[order], DATA.y[order], DATA.tasks[order], names, codes)


def test_a_splitter_makes_blocks_within_every_task() -> None:
    rows = table()
    n_folds, fold = resolve_folds(KFold(4), rows)
    assert n_folds == 4
    assert fold is not None
    for i in range(6):
        np.testing.assert_array_equal(fold[rows.codes == i], np.repeat(np.arange(4), 5))


def test_labels_are_the_folds() -> None:
    rows = table()
    labels = np.where(np.arange(120) < 50, "early", "late")
    n_folds, fold = resolve_folds(labels, rows)
    assert n_folds == 2
    np.testing.assert_array_equal(fold, labels == "late")


def test_a_number_leaves_them_to_chance() -> None:
    assert resolve_folds(7, table()) == (7, None)


@pytest.mark.parametrize(
    ("cv", "said"),
    [
        (TimeSeriesSplit(3), "some rows are never held out"),
        (ShuffleSplit(3, random_state=0), "a row is held out twice"),
        (KFold(30), "cannot split the 20 rows of task"),
        (np.zeros(120), "has all rows of task"),
        (np.arange(119), "has 119 labels for 120 rows"),
        (np.full(120, np.nan), "has missing labels"),
        ("5", "number of 2 or more, a splitter such as KFold(5), the fold of every row, or a list"),
        (
            None,
            "number of 2 or more, a splitter such as KFold(5), the fold of every row, or a list",
        ),
        (KFold, "it must be a whole number"),
        (1, "cv is 1: it must be a whole number of 2 or more."),
        (PredefinedSplit(np.arange(120) % 3), f"is PredefinedSplit, which cannot split {ALONE}"),
        (GroupKFold(3), f"is GroupKFold, which cannot split {FIRST} without groups: {LABELS}"),
        (LeaveOneGroupOut(), f"is LeaveOneGroupOut, which cannot split {FIRST} without groups"),
        (StratifiedKFold(3), f"cannot split {FIRST} (Supported target types are"),
        (Odd(), f"is Odd, which cannot split {ALONE}"),
    ],
)
def test_what_is_no_partition_is_refused_in_one_sentence(cv: object, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        resolve_folds(cv, table())


def test_a_fit_uses_them() -> None:
    """Labels that are what chance gives lead to the same fit, others to other lambdas."""
    plain = {"n_clusters": 2, "shape": "simplex", "own": "none", "random_state": 0}
    by_chance = STCMTLRegressor(**plain, cv=3).fit(DATA.X, DATA.y, DATA.tasks)
    rows, settings = by_chance._prepare(DATA.X, DATA.y, DATA.tasks)
    same = np.empty(rows.y.size, dtype=int)
    same[rows.by_task] = rows.problem().folds(3, settings.seed)
    given = STCMTLRegressor(**plain, cv=same).fit(DATA.X, DATA.y, DATA.tasks)
    np.testing.assert_array_equal(given.coef_, by_chance.coef_)
    blocks = STCMTLRegressor(**plain, cv=KFold(3)).fit(DATA.X, DATA.y, DATA.tasks)
    assert (blocks.lambdas_ != by_chance.lambdas_).any()


def test_a_model_of_a_splitter_can_be_saved() -> None:
    model = STCMTLRegressor(1, shape="simplex", own="none", random_state=0, cv=KFold(3))
    model.fit(DATA.X, DATA.y, DATA.tasks).save(stream := BytesIO())
    stream.seek(0)
    again = load(stream)
    assert again.cv == 3
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_pairs_of_training_and_held_out_rows_are_their_labels() -> None:
    labels = np.arange(len(DATA.y)) % 3
    pairs = [(np.flatnonzero(labels != c), np.flatnonzero(labels == c)) for c in range(3)]
    given = {"n_clusters": 2, "shape": "simplex", "own": "none", "random_state": 0}
    found, wanted = (
        STCMTLRegressor(**given, cv=cv).fit(DATA.X, DATA.y, DATA.tasks) for cv in (pairs, labels)
    )
    np.testing.assert_array_equal(found.coef_, wanted.coef_)
    with pytest.raises(InputError, match=r"^cv holds row 2 out never: hold every row out once"):
        STCMTLRegressor(cv=pairs[:2]).fit(DATA.X, DATA.y, DATA.tasks)
