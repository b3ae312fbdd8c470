"""Bad input ends here, in one sentence that names the culprit and the remedy."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.labels import check_labels, count_rows
from stcmtl.data.taskset import Array, numeric_vector, row_weights
from stcmtl.errors import InputError, Setting, bad_value
from stcmtl.phrases import LONGEST_NAME as AMONG_OTHERS
from stcmtl.phrases import LONGEST_QUOTE, shorten

ONE_AGAINST_REST = "make one task a label against the rest"
LONGEST_NAME = 30  # letters of a cluster's name: it stands in a corner of a figure
# What other columns beside those of clusters are called, in one table or another.
HEADINGS = frozenset((
    "task", "tasks", "feature", "features", "kind", "strength", "cluster", "pure", "purity",
    "outlier", "outlier distance", "rows", "error", "loss", "loss alone", "best alone", "fits",
    "intercept", "own share", "largest own",
))  # fmt: skip
HEADED = ("loading ", "s.e. ", "share ")  # and how some begin
# As pandas infers them.
TIME_TYPES = ("datetime64", "datetime", "date", "timedelta64", "timedelta", "time", "period")
LARGEST = 1e75  # whose fourth power, a squared loss squared, is still a number


def check_finite(X: Array, tasks: NDArray[Any], feature_names: Sequence[Any] | None) -> None:
    if X.min() >= -LARGEST and X.max() <= LARGEST:  # which NaN is not
        return
    row, column = np.argwhere(~(np.abs(X) <= LARGEST))[0]
    name = column if feature_names is None else shorten(repr(feature_names[column]))
    what = f"has {value_name(X[row, column])} in column {name}"
    raise bad_task(tasks[row], what, "fill or drop missing and infinite values first")


def check_weights(weight: Any, n_rows: int) -> Array | None:
    """How much each row counts; None where all count alike.

    Whole numbers say how often a row is there. Others only say how much rows count beside one
    another: their mean is made one.
    """
    if weight is None:
        return None
    if is_real(weight):
        if 0.0 < weight < np.inf:
            return None
        raise bad_value("sample_weight", weight, "give one number above 0, or one per row")
    values = row_weights(weight, "sample_weight", n_rows)
    counted = values[values > 0.0]
    if (counted == counted[0]).all():
        return None if counted.size == n_rows else (values > 0.0).astype(np.float64)
    return values if (values == np.round(values)).all() else values / counted.mean()


def are_labels(y: NDArray[Any]) -> bool:
    """Text, or two values."""
    return numeric_vector(y) is None or pd.Series(y).nunique() == 2


def numeric_target(
    y: NDArray[Any], tasks: NDArray[Any], classifier: str | Setting = "STCMTLClassifier"
) -> Array:
    """y as float64; the task of a value that is no finite number is named."""
    target = numeric_vector(y)
    if target is None and are_dates(y):
        raise dates_fault()
    if target is None:
        raise InputError("The target y is not numeric", remedy=("use ", classifier, " for labels"))
    check_target_present(target, tasks)
    return target


def are_dates(y: NDArray[Any]) -> bool:
    """Dates, times or spans of time, of numpy, pandas or the standard library."""
    return pd.api.types.infer_dtype(pd.Series(y), skipna=True) in TIME_TYPES


def dates_fault() -> InputError:
    what = "The target y has dates or times, which are no numbers"
    return InputError(what, remedy="turn them into numbers first, such as days")


def check_target_present(y: NDArray[Any], tasks: NDArray[Any]) -> None:
    bad = ~(np.abs(y.astype(float)) <= LARGEST) if y.dtype.kind == "f" else np.asarray(pd.isna(y))
    if bad.any():
        row = bad.argmax()
        what = f"has {value_name(y[row])} in the target y"
        raise bad_task(tasks[row], what, f"drop such rows first ({count_rows(bad)})")


def value_name(value: Any) -> str:
    """What is wrong with a value."""
    if pd.isna(value):
        return "NaN"
    return "infinity" if np.isinf(value) else f"{value:.3g}"


def check_task_sizes(names: NDArray[Any], n_rows: NDArray[np.int64], n_folds: int) -> None:
    """Fewer rows than folds means fewer folds there, and a warning."""
    check_two_rows(names, n_rows)
    small = names[n_rows < n_folds]
    if small.size:
        warnings.warn(
            f"Fewer rows than the {n_folds} folds: cross-validation uses as many folds as rows "
            f"in {'task' if small.size == 1 else 'tasks'} {list_labels(small)}.",
            UserWarning,
            stacklevel=5,
        )


def check_two_rows(names: NDArray[Any], n_rows: NDArray[np.int64]) -> None:
    if n_rows.min() < 2:
        remedy = "give it at least two, or leave the task out"
        raise bad_task(names[n_rows.argmin()], "has one row", remedy)


def check_known_labels(y: NDArray[Any], known: NDArray[Any]) -> None:
    for value in pd.unique(y):
        if value not in known:
            where, remedy = f"The label {label(value)}", " and ".join(map(label, known))
            raise InputError("was not seen in fit", where=where, remedy=f"use {remedy}")


def check_classes(
    y: NDArray[Any],
    names: NDArray[Any],
    codes: NDArray[np.int64],
    classifier: str = "STCMTLClassifier",
) -> NDArray[Any]:
    """The two labels, sorted; every task must show both."""
    check_labels(y, "y")
    try:
        classes = np.unique(y)
    except TypeError:
        raise InputError(
            "The target mixes text and numbers", remedy="give labels of one kind"
        ) from None
    if classes.size > 2 and are_dates(y):
        raise dates_fault()
    if classes.size > 2:
        continuous = classes.dtype.kind == "f" and (classes != np.round(classes)).any()
        other = "a continuous target needs a regressor" if continuous else ONE_AGAINST_REST
        what = f"The target has {classes.size} labels"
        remedy = f"{classifier} takes two; {other}. Only binary classification is supported"
        raise InputError(what, remedy=remedy)
    for i, name in enumerate(names):
        present = np.unique(y[codes == i])
        if present.size < 2:
            what = f"has only the label {label(present[0])}"
            raise bad_task(name, what, "give it rows of both classes, or leave the task out")
    return classes


def check_n_clusters(
    n_clusters: Any, n_tasks: int, or_else: str = ", or 'auto'", fewest: int = 1
) -> int:
    if not is_whole(n_clusters) or not fewest <= n_clusters <= n_tasks:
        range_ = f"from {fewest} to the number of tasks, {n_tasks}"
        wanted = f"it must be a whole number {range_}{or_else}"
        raise bad_value("n_clusters", n_clusters, wanted)
    return int(n_clusters)


def check_ks(ks: Iterable[int], n_tasks: int) -> list[int]:
    """Numbers of clusters to try; the default range bends to the number of tasks."""
    if isinstance(ks, range) and ks == range(1, 10):
        return list(range(1, min(9, n_tasks) + 1))
    wanted = list(ks) if isinstance(ks, Iterable) else [ks]
    if not wanted:
        remedy = "give at least one number of clusters to try"
        raise InputError("is empty", where=Setting("ks"), remedy=remedy)
    for k in wanted:
        if not is_whole(k) or not 0 <= k <= n_tasks:
            remedy = "every number of clusters must be a whole number from 0 to the number of tasks"
            raise InputError(
                f"holds {label(k)}", where=Setting("ks"), remedy=f"{remedy}, {n_tasks}"
            )
    return sorted({int(k) for k in wanted})


def check_flag(value: Any, name: str) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise bad_value(name, value, "it must be True or False")


def check_standardize(value: Any) -> None:
    if not is_auto(value) and not isinstance(value, (bool, np.bool_)):
        raise bad_value("standardize", value, "it must be True, False or 'auto'")


def is_whole(value: Any) -> bool:
    """A truth value is no number here, though it is one to Python."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_real(value: Any) -> bool:
    return is_whole(value) or isinstance(value, (float, np.floating))


def is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def check_jobs(value: Any) -> int | None:
    wanted = "a whole number other than 0, such as 2, or -1 for all cores"
    if is_whole(value) and value == 0:
        raise bad_value("n_jobs", value, f"it must be {wanted}")
    if value is not None and not is_whole(value):
        raise bad_value("n_jobs", value, f"it must be None or {wanted}")
    return None if value is None else int(value)


def check_integer(value: Any, name: str, lowest: int) -> int:
    if not is_whole(value) or value < lowest:
        raise bad_value(name, value, f"it must be a whole number of {lowest} or more")
    return int(value)


def check_share(value: Any, name: str) -> float:
    if not is_real(value) or not 0.0 < value <= 1.0:
        raise bad_value(name, value, "it must be above 0 and at most 1")
    return float(value)


def check_not_negative(value: Any, name: str) -> float:
    if not is_real(value) or not 0.0 <= value < np.inf:
        raise bad_value(name, value, "it must be a number of 0 or more")
    return float(value)


def check_choice(value: Any, name: str, choices: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise bad_value(name, value, f"it must be {' or '.join(map(repr, choices))}")
    return value


def check_gamma(gamma: Any) -> str | float:
    if isinstance(gamma, str) and gamma in ("mean", "cv"):
        return gamma
    if is_real(gamma) and 0.0 <= gamma < np.inf:
        return float(gamma)
    raise bad_value("gamma", gamma, "use 'mean', 'cv' or a number of 0 or more")


def check_penalty(value: Any, name: str) -> float | None:
    """A number, or None where it is to be found by cross-validation."""
    if isinstance(value, str) and value == "cv":
        return None
    if is_real(value) and 0.0 <= value < np.inf:
        return float(value)
    raise bad_value(name, value, "use 'cv' or a number of 0 or more")


def find_tasks(tasks: NDArray[Any], names: NDArray[Any] | pd.Index) -> NDArray[np.int64]:
    """The position of every row's task among the fitted ones."""
    codes = pd.Index(names).get_indexer(pd.Index(tasks))
    if (codes < 0).any():
        listed = "the model's tasks are listed in task_names_"
        remedy = f"{listed}; fit with its rows too, or, with STCMTL, assign it first"
        raise bad_task(tasks[(codes < 0).argmax()], "was not seen in fit", remedy)
    return codes.astype(np.int64)


def match_tasks(names: NDArray[Any], known: NDArray[Any]) -> NDArray[np.int64]:
    """The position of every task among the fitted ones, none of which may be missing."""
    places = find_tasks(names, known)
    missing = np.setdiff1d(np.arange(len(known)), places)
    if missing.size:
        remedy = "give the rows that the model was fitted on"
        raise bad_task(known[missing[0]], "has no rows", remedy)
    return places


def bad_task(name: Any, what: str, remedy: str) -> InputError:
    """``Task 'north' has one row: give it at least two.``, to be raised."""
    return InputError(what, where=f"Task {label(name)}", remedy=remedy)


def label(name: Any, longest: int = LONGEST_QUOTE) -> str:
    """A task or class label as a person wrote it: 'north' or 3, not np.int64(3)."""
    if isinstance(name, np.datetime64):
        return str(name)
    plain = name.item() if isinstance(name, np.generic) else name
    return repr(shorten(plain, longest)) if isinstance(plain, str) else shorten(repr(plain))


def list_labels(names: NDArray[Any], most: int = 5) -> str:
    """The first of them, each at the length of one among others."""
    named = ", ".join(label(name, AMONG_OTHERS) for name in names[:most])
    return named + (" ..." if len(names) > most else "")


def number_clusters(n_clusters: int) -> NDArray[Any]:
    """What clusters are called that nobody has named."""
    return np.array([f"cluster {k + 1}" for k in range(n_clusters)], dtype=object)


def check_cluster_names(names: Any, n_clusters: int) -> NDArray[Any]:
    """One short name for each cluster, all different, and none that heads another column."""
    given = [names] if isinstance(names, str) else list(names)
    if len(given) != n_clusters:
        what = f"has {len(given)} names for {n_clusters} clusters"
        raise InputError(what, where=Setting("cluster_names"), remedy="give each cluster one")
    found = [" ".join(name.split()) if isinstance(name, str) else "" for name in given]
    for k, name in enumerate(found):
        where = f"The name of cluster {k + 1}"
        if not name:
            raise InputError("is empty or no text", where=where, remedy="give it a few letters")
        if len(name) > LONGEST_NAME:
            what = f"has {len(name)} letters"
            raise InputError(what, where=where, remedy=f"at most {LONGEST_NAME} find room")
        if not name.isprintable():
            raise InputError("has signs that cannot be shown", where=where, remedy="leave them out")
        if name.casefold() in HEADINGS or name.casefold().startswith(HEADED):
            what = f"is {name!r}, as another column of the tables is called"
            raise InputError(what, where=where, remedy="call it otherwise")
        if name.casefold() in (other.casefold() for other in found[:k]):
            what = f"is {name!r}, which another one has too"
            raise InputError(what, where=where, remedy="give each cluster a name of its own")
    return np.array(found, dtype=object)
