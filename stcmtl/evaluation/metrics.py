"""How good a fit is: prediction, estimation, feature selection and task clustering.

Coefficients ``W`` (D, T) and memberships ``V`` (K, T) are in the paper's orientation, as in
``simulate(...).truth``. A fitted model has tasks down, so pass ``model.coef_.T`` and
``model.memberships_.T``.
"""

from __future__ import annotations

from math import prod, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from stcmtl.data.labels import one_per_row
from stcmtl.data.taskset import Truth, row_weights
from stcmtl.data.weighted import mean_of
from stcmtl.errors import InputError, Setting, bad_value
from stcmtl.solver.alignment import align_clusters, membership_pair
from stcmtl.solver.records import Array

NEARLY = 0.1  # of a task: true shares that are as good as equal
TINY = np.finfo(np.float64).tiny

__all__ = [
    "SelectionCounts",
    "error_rate",
    "mcc",
    "membership_error",
    "placed_as",
    "prediction_error",
    "pure_accuracy",
    "ree",
    "rmse",
    "selection_counts",
]


def rmse(
    y: ArrayLike,
    predicted: ArrayLike,
    tasks: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Root mean squared error, ``sqrt(mean((y - predicted)^2))``, in the units of y.

    ``y`` and ``predicted`` are (N,), as is ``tasks``, a task label per row. Without it all rows
    are pooled, so that a large task weighs more; with it the result is the mean of the tasks'
    own RMSE, each task weighing the same. ``sample_weight`` says how much each row counts.

    >>> metrics.rmse([1.0, 2.0, 3.0], [1.0, 2.0, 5.0]).__round__(3)
    1.155
    >>> metrics.rmse([1.0, 2.0, 3.0], [1.0, 2.0, 5.0], tasks=["a", "a", "b"])
    1.0
    """
    y, predicted = _finite_pair(y=y, predicted=predicted)
    return float(np.sqrt(_mean_losses((y - predicted) ** 2, tasks, sample_weight)).mean())


def error_rate(
    y: ArrayLike,
    predicted: ArrayLike,
    tasks: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of wrong labels (the paper's ER), ``mean(y != predicted)``, from 0 (perfect) to 1.

    Labels may be of any kind. ``tasks`` is a task label per row: with it the result is the mean
    of the tasks' own error rates, each task weighing the same. ``sample_weight`` says how much each
    row counts.

    >>> metrics.error_rate(["yes", "no", "no"], ["yes", "yes", "no"]).__round__(2)
    0.33
    """
    y, predicted = _pair(y=_keep_holes(y, "y"), predicted=_keep_holes(predicted, "predicted"))
    for name, labels in (("y", y), ("predicted", predicted)):
        if pd.isna(labels).any():
            raise InputError("has missing labels", where=Setting(name))
    wrong = np.asarray(y != predicted, dtype=np.float64)
    return float(_mean_losses(wrong, tasks, sample_weight).mean())


def prediction_error(
    y: ArrayLike, predicted: ArrayLike, task_type: str, sample_weight: ArrayLike | None = None
) -> float:
    """``rmse`` of a regression, ``error_rate`` of a classification, over all rows.

    >>> metrics.prediction_error([1.0, 3.0], [1.0, 1.0], "regression").__round__(3)
    1.414
    """
    measure = rmse if task_type == "regression" else error_rate
    return measure(y, predicted, sample_weight=sample_weight)


def ree(W: ArrayLike, estimated: ArrayLike) -> float:
    """Root mean estimation error, ``|W - estimated|_F / sqrt(D * T)``; 0 is perfect.

    ``W`` and ``estimated`` (D, T) are true and estimated coefficients.

    Notes
    -----
    The paper prints ``/ sqrt(T)``, but its tables divide by ``sqrt(D * T)``: with
    uncorrelated features of unit variance and noise of standard deviation 0.5 they satisfy
    ``RMSE^2 - 0.25 = D * REE^2``. We follow the tables.

    >>> metrics.ree([[1.0, 0.0]], [[0.0, 0.0]]).__round__(3)
    0.707
    """
    W, estimated = _finite_pair(W=W, estimated=estimated)
    return float(np.linalg.norm(W - estimated) / sqrt(W.size))


class SelectionCounts(NamedTuple):
    """Coefficients by whether they are, and whether they were found to be, nonzero.

    >>> metrics.SelectionCounts(8, 2, 90, 0).precision
    0.8
    """

    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int

    @property
    def precision(self) -> float:
        """Share of the selected that are truly nonzero; 0 where none is selected."""
        return self.true_positives / max(1, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float:
        """Share of the truly nonzero that are selected; 0 where there is none."""
        return self.true_positives / max(1, self.true_positives + self.false_negatives)


def selection_counts(W: ArrayLike, estimated: ArrayLike, threshold: float = 0.0) -> SelectionCounts:
    """Count ``W != 0`` against ``|estimated| > threshold``: both (D, T), true and estimated.

    A ``threshold`` of 0 counts exact zeros only. It does not touch W, whose zeros are known.

    >>> metrics.selection_counts([1.0, 0.0], [0.5, 0.2])
    SelectionCounts(true_positives=1, false_positives=1, true_negatives=0, false_negatives=0)
    """
    if not threshold >= 0:
        raise bad_value("threshold", threshold, "it must be zero or positive")
    W, estimated = _finite_pair(W=W, estimated=estimated)
    nonzero, selected = W != 0, np.abs(estimated) > threshold
    found = nonzero & selected, ~nonzero & selected, ~nonzero & ~selected, nonzero & ~selected
    return SelectionCounts(*(int(cells.sum()) for cells in found))


def mcc(W: ArrayLike, estimated: ArrayLike, threshold: float = 0.0) -> float:
    """Matthews correlation of the true and the estimated pattern of nonzeros, both (D, T).

    ``(TP*TN - FP*FN) / sqrt((TP+FN) (TP+FP) (TN+FP) (TN+FN))``

    It is 1 for the right pattern, about 0 for a random one, -1 for its opposite; 0 where the
    formula is 0/0, because all or none are nonzero in W or in the estimate. Estimates of at most
    ``threshold`` count as zero; the authors' code uses 0.005.

    >>> metrics.mcc([[1.0, 0.0], [2.0, 0.0]], [[0.9, 0.0], [1.8, 0.0]])
    1.0
    """
    tp, fp, tn, fn = selection_counts(W, estimated, threshold)
    margins = prod((tp + fn, tp + fp, tn + fp, tn + fn))
    return (tp * tn - fp * fn) / sqrt(margins) if margins else 0.0


def membership_error(V: ArrayLike, estimated: ArrayLike) -> float:
    """Mean distance of memberships, ``mean_i |v_i - estimated_i|_1 / 2``, after alignment.

    The share of membership that sits in the wrong cluster, from 0 to 1. ``V`` (K, T) and
    ``estimated`` (K', T) have clusters down; those of the estimate are first brought into the
    order that makes the error smallest; where K and K' differ, empty clusters fill the gap.

    Notes
    -----
    An outlier's true membership is all zero, which no point of the simplex can match: it
    costs 1/2. Leave such tasks out with ``V[:, ~outliers]`` to judge the clustering alone.

    >>> metrics.membership_error([[1.0, 0.5], [0.0, 0.5]], [[0.0, 0.5], [1.0, 0.5]])
    0.0
    """
    V, estimated = membership_pair(V, estimated, "estimated")
    aligned, V = align_clusters(estimated, V)
    return float(np.abs(V - aligned).sum(axis=0).mean() / 2)


def pure_accuracy(pure: ArrayLike, estimated: ArrayLike) -> float:
    """Share of tasks rightly called pure or mixed, ``mean(pure == estimated)``.

    ``pure`` and ``estimated`` are flags of shape (T,), in truth and by the fit (``model.pure_``).

    >>> metrics.pure_accuracy([True, True, False, True], [True, True, False, False])
    0.75
    """
    pure, estimated = _finite_pair(pure=pure, estimated=estimated)
    for name, flags in (("pure", pure), ("estimated", estimated)):
        if not np.isin(flags, (0, 1)).all():
            raise InputError("must be true or false for every task", where=Setting(name))
    return float(np.mean(pure == estimated))


def placed_as(truth: Truth, model: Any) -> NDArray[np.bool_]:
    """Flags (T,) of the tasks that a fitted model places as they were simulated.

    Such a task has its kind (pure, mixed or outlier) and its main cluster, after the clusters
    found were matched to the true ones. Of a mixed task whose largest true shares differ by less
    than ``NEARLY``, either may be the main one.

    >>> bool(metrics.placed_as(truth, model).mean() > 0.8)
    True
    """
    true, found = truth.V, np.asarray(model.memberships_, dtype=np.float64).T
    kinds = np.where(truth.outliers, "out", np.where(truth.pure, "pure", "mixed"))
    is_pure = np.asarray(model.pure_, dtype=bool)
    found_kinds = np.where(model.outliers_, "out", np.where(is_pure, "pure", "mixed"))
    if not len(found):
        return np.zeros(true.shape[1], dtype=bool)
    matched, true = align_clusters(found, true)
    share = true[matched.argmax(axis=0), np.arange(true.shape[1])]
    right_corner = (share > 0) & (share >= true.max(axis=0) - NEARLY)
    return (kinds == found_kinds) & (right_corner | (kinds == "out"))


def _keep_holes(labels: ArrayLike, name: str) -> ArrayLike:
    """numpy would make texts of the holes in a list of texts, and forget a mask."""
    if isinstance(labels, (list, tuple)) or np.ma.isMaskedArray(labels):
        return one_per_row(labels, name)
    return labels


def _mean_losses(losses: Array, tasks: ArrayLike | None, weight: ArrayLike | None) -> Array:
    """Mean loss of each task that counts, or of all rows together where no tasks are given."""
    counts = None if weight is None else row_weights(weight, "sample_weight", losses.size)
    if tasks is None:
        return np.atleast_1d(mean_of(losses.ravel(), counts))
    labels = one_per_row(tasks, "tasks")
    if labels.shape != losses.shape:
        what = f"has shape {labels.shape} and y {losses.shape}"
        raise InputError(what, where=Setting("tasks"), remedy="give one task label per row")
    codes, _ = pd.factorize(labels.ravel())
    if codes.min() < 0:
        raise InputError(f"has no label for row {int(np.argmin(codes))}", where=Setting("tasks"))
    counts = np.ones(losses.size) if counts is None else counts
    total = np.bincount(codes, weights=counts)
    return (np.bincount(codes, weights=losses.ravel() * counts) / total.clip(TINY))[total > 0]


def _finite_pair(**named: ArrayLike) -> tuple[Array, Array]:
    pair = {name: np.asarray(values, dtype=np.float64) for name, values in named.items()}
    for name, values in pair.items():
        if not np.isfinite(values).all():
            raise InputError("has NaN or infinite values", where=Setting(name))
    return _pair(**pair)


def _pair(**named: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    # Without this check (N,) against (N, 1) would broadcast to (N, N) and give a number.
    (name, first), (other, second) = ((n, np.asarray(values)) for n, values in named.items())
    if first.shape != second.shape:
        what = f"has shape {first.shape} and {other} {second.shape}"
        raise InputError(what, where=Setting(name), remedy="they must be the same")
    if first.size == 0:
        raise InputError(f"and {other} are empty", where=Setting(name))
    return first, second
