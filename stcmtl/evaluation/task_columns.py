"""Which columns of the tasks (region, size ...) go with the clusters: a permutation test each.

How far a column and the memberships tell each other is ``|Q'P|^2 / min(rank Q, rank P)``: Q spans
the centred memberships, P the column centred, in ranks if it has an order, else one column of 0 and
1 per level. It is 1 where the one follows from the other. With tasks of one cluster each this is
the share of variance between clusters, as in the test of Kruskal and Wallis, for ranks, and the
square of Cramer's V, as in the chi-squared test, for levels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.phrases import cut, joined, listed

N_PERMUTATIONS = 4999
AT_ONCE = 500  # permutations whose values are in memory together
LEVEL = 0.05
LEAST = 3  # tasks with a value
RANK = 1e-9  # of the largest singular value: smaller ones are rounding
NAMES = "a name for every task"
TESTED = ("column", "kind", "tasks", "explained", "p", "corrected p")


def relate_columns(
    model: Any, task_columns: pd.DataFrame, *, n_permutations: int = N_PERMUTATIONS
) -> pd.DataFrame:
    """One row per column: how far it and the memberships tell each other, and whether chance could.

    ``task_columns`` has one row per task, in the order of ``model.task_names_`` or indexed by
    these names. Outliers and tasks without a value take no part. ``p`` is that of the permutation
    test, ``corrected p`` Holm's for the number of columns. A column that cannot be tested, such
    as a name of its own for every task, has none; nor has any where there is no second cluster.
    """
    columns = task_columns
    if not np.array_equal(columns.index, model.task_names_):
        columns = columns.loc[model.task_names_]
    V, inside = model.memberships_, ~model.outliers_
    tested = [
        examine_column(V, inside, values, n_permutations, np.random.default_rng(0))
        for _, values in columns.items()
    ]
    table = pd.DataFrame(tested, columns=list(TESTED[1:-1]))
    table.insert(0, "column", [str(name) for name in columns])
    table["corrected p"] = correct(table["p"].to_numpy(float))
    return table.sort_values("corrected p", kind="stable", ignore_index=True)


def examine_column(
    V: Array,
    inside: NDArray[np.bool_],
    values: pd.Series,
    n_permutations: int,
    rng: np.random.Generator,
) -> tuple[str, int, float, float]:
    """Kind, tasks with a value, explained share and p of one column."""
    known = inside & values.notna().to_numpy()
    kind, Y = describe_column(values[known])
    n_tasks, Q = int(known.sum()), span(V[known])
    if n_tasks < LEAST or not Y.any() or not Q.size or kind == NAMES:
        return kind, n_tasks, np.nan, np.nan
    P = span(Y)
    explained = float(np.sum((Q.T @ P) ** 2))
    as_large = 0
    for start in range(0, n_permutations, AT_ONCE):
        size = min(AT_ONCE, n_permutations - start)
        order = rng.permuted(np.tile(np.arange(n_tasks), (size, 1)), axis=1)
        drawn = np.einsum("tk,btm->bkm", Q, P[order], optimize=True)
        as_large += int(np.sum((drawn**2).sum(axis=(1, 2)) >= explained * (1.0 - 1e-9)))
    most = min(Q.shape[1], P.shape[1])
    return kind, n_tasks, explained / most, (1 + as_large) / (1 + n_permutations)


def describe_column(values: pd.Series) -> tuple[str, Array]:
    """Its kind, and its values, centred: ranks of what has an order, 0 and 1 for each level."""
    if has_order(values):
        ranks = values.rank().to_numpy(float)[:, None]
        return "numbers", ranks - ranks.mean()
    codes, levels = pd.factorize(values)
    if len(levels) == len(values):
        return NAMES, np.zeros((len(values), 0))
    Y = (codes[:, None] == np.arange(len(levels))).astype(float)
    return "levels", Y - Y.mean(axis=0)


def has_order(values: pd.Series) -> bool:
    """Numbers, dates and spans of time do; words and truth values do not."""
    dtype = values.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return False
    return bool(pd.api.types.is_numeric_dtype(dtype) or dtype.kind in "mM")


def span(V: Array) -> Array:
    """An orthonormal basis of memberships or of a column, centred."""
    U, sizes, _ = np.linalg.svd(V - V.mean(axis=0, keepdims=True), full_matrices=False)
    return U[:, sizes > RANK * max(1.0, sizes.max(initial=0.0))]


def correct(p: Array) -> Array:
    """Holm: the i-th smallest of m times m - i + 1, never below a smaller one's, at most 1."""
    corrected = np.full_like(p, np.nan)
    found = np.flatnonzero(~np.isnan(p))
    order = found[np.argsort(p[found], kind="stable")]
    stepped = p[order] * (len(order) - np.arange(len(order)))
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return corrected


def say_columns(table: pd.DataFrame) -> str:
    """In one sentence which columns go with the clusters; empty where none could be tested."""
    tested = table[table["corrected p"].notna()]
    if tested.empty:
        return ""
    goes = tested["corrected p"] <= LEVEL
    no = listed(tested["column"][~goes].tolist(), 4)
    if not goes.any():
        one = len(tested) == 1
        return f"{no} {'does' if one else 'do'} not go with the clusters beyond chance."
    rest = "" if goes.all() else f"; {no} {'does' if (~goes).sum() == 1 else 'do'} not"
    return f"{name_going(table)}{rest}."


def say_going(table: pd.DataFrame) -> str:
    """Those that go with the clusters alone; empty where none does."""
    said = name_going(table)
    several = int((table["corrected p"] <= LEVEL).sum()) > 1
    return f"Column{'s' if several else ''} of the tasks: {said}." if said else ""


def name_going(table: pd.DataFrame) -> str:
    yes = table[table["corrected p"] <= LEVEL]
    pairs = zip(yes["column"], yes["corrected p"], strict=True)
    said = [f"{cut(name)} ({say_p(p)})" for name, p in pairs]
    verb = "goes" if len(said) == 1 else "go"
    return f"{joined(said, 4)} {verb} with the clusters" if said else ""


def say_p(p: float) -> str:
    for bound in (0.001, 0.01):
        if p < bound:
            return f"p < {bound:g}"
    return f"p = {p:.2g}"
