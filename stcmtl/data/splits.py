"""The paper's protocols on real data: 75 / 25 within tasks, principal components, 100 + 100 rows.

Each takes its seed, and the same seed gives the same rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from stcmtl.data.taskset import Array, TaskSet, task_codes
from stcmtl.errors import InputError, Setting, bad_value

Seed = int | np.random.Generator


class Split(NamedTuple):
    """Rows to fit on and rows to judge by: ``train, test = split_rows(data)``.

    >>> datasets.split_rows(train).train.n_rows[:2].tolist()
    [30, 30]
    """

    train: TaskSet
    test: TaskSet


def split_rows(data: TaskSet, train_share: float = 0.75, random_state: Seed = 0) -> Split:
    """Every task's rows divided at random, a share of them for training.

    Every task keeps a row on either side; one with a single row is an error. Rows of weight 0 are
    divided by themselves, so that each side has rows that count.

    >>> part = datasets.split_rows(train, train_share=0.75, random_state=0)
    >>> part.train.n_rows[:2].tolist(), part.test.n_rows[:2].tolist()
    ([30, 30], [10, 10])
    """
    if not 0.0 < train_share < 1.0:
        raise bad_value("train_share", train_share, "it must lie between 0 and 1")
    rng = np.random.default_rng(random_state)
    codes = task_codes(data.tasks)[1]
    train = np.zeros(len(codes), dtype=bool)
    for i, n_rows in enumerate(data.n_rows):
        if n_rows < 2:
            where = f"Task {data.task_names[i]!s}"
            raise InputError("has one row, which cannot be split", where=where)
        rows = rng.permutation(np.flatnonzero(codes == i))
        counts = np.ones(n_rows, dtype=bool) if data.weight is None else data.weight[rows] > 0.0
        for some in (rows[counts], rows[~counts]):
            most = 1 if some.size == counts.sum() == 1 else some.size - 1
            train[some[: min(max(1, round(train_share * some.size)), most)]] = True
    return Split(take_rows(data, train), take_rows(data, ~train))


def take_rows(data: TaskSet, rows: NDArray[Any]) -> TaskSet:
    """Some rows of a TaskSet, all else alike."""
    numbers = np.arange(len(data.y)) if data.row_numbers is None else data.row_numbers
    return replace(
        data,
        X=data.X[rows],
        y=data.y[rows],
        tasks=data.tasks[rows],
        weight=None if data.weight is None else data.weight[rows],
        row_numbers=numbers[rows],
    )


def principal_components(X: Array, n_components: int, fit_on: NDArray[np.bool_]) -> Array:
    """Scores of all rows on components learnt from the rows ``fit_on``, so that no test row leaks.

    The paper keeps 64 components of MNIST and 87 of USPS.

    >>> import numpy as np
    >>> datasets.principal_components(train.X, 2, np.ones(len(train.X), dtype=bool)).shape
    (480, 2)
    """
    largest = min(int(fit_on.sum()), X.shape[1])
    if not 1 <= n_components <= largest:
        raise bad_value("n_components", n_components, f"it must be from 1 to {largest}")
    return PCA(n_components, random_state=0).fit(X[fit_on]).transform(X)


def one_against_rest(
    X: Array,
    labels: NDArray[Any],
    fit_on: NDArray[np.bool_],
    n_rows: int = 100,
    n_draws: int = 1,
    random_state: Seed = 0,
    feature_names: tuple[str, ...] = (),
    noun: str = "label",
) -> Split:
    """A binary task per label: ``n_rows`` of its rows (target 1) and as many of the others (0).

    The paper takes 100 + 100 rows of each digit. Several draws per label, each with new rows and
    named after its label and number, make tasks whose true groups are known: ``digit 3, draw 2``
    belongs with the other draws of 3. Training rows come from ``fit_on``, test rows from the
    rest.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, labels = rng.normal(size=(60, 2)), np.repeat([0, 1, 2], 20)
    >>> parts = datasets.one_against_rest(X, labels, np.arange(60) % 2 == 0, n_rows=5)
    >>> len(parts.train)
    3
    """
    if n_draws < 1 or n_rows < 1:
        what = f"is {n_draws} and ", Setting("n_rows"), f" {n_rows}"
        raise InputError(what, where=Setting("n_draws"), remedy="both must be at least 1")
    rng = np.random.default_rng(random_state)
    parts = []
    for part, side in ((fit_on, "training"), (~fit_on, "test")):
        rows, tasks = [], []
        for name in np.unique(labels):
            own, others = (np.flatnonzero(part & x) for x in (labels == name, labels != name))
            available = min(own.size, others.size)
            if available < n_rows:
                fewer = f"is {n_rows}, but {noun} {name} has {available} {side} rows"
                raise InputError(fewer, where=Setting("n_rows"), remedy="ask for fewer")
            for draw in range(n_draws):
                rows += [rng.choice(x, n_rows, replace=False) for x in (own, others)]
                tasks += [f"{noun} {name}, draw {draw + 1}"] * (2 * n_rows)
        row = np.concatenate(rows)
        is_own = np.tile(np.repeat([1, 0], n_rows), len(rows) // 2)
        parts.append(TaskSet(X[row], is_own, np.array(tasks), feature_names, "classification"))
    return Split(*parts)


def digit_tasks(
    X: Array,
    digit: NDArray[Any],
    seen: NDArray[np.bool_],
    n_components: int | None,
    n_rows: int,
    n_draws: int,
    random_state: Seed,
) -> Split:
    """Every digit against the rest, by pixels or by principal components of the rows ``seen``."""
    side = int(np.sqrt(X.shape[1]))
    names = tuple(f"pixel {d // side},{d % side}" for d in range(X.shape[1]))
    if n_components is not None:
        X = principal_components(X, n_components, seen)
        names = tuple(f"component {d + 1}" for d in range(n_components))
    return one_against_rest(X, digit, seen, n_rows, n_draws, random_state, names, noun="digit")
