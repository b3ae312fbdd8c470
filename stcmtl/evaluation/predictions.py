"""What a model predicts of rows, and how far off that is: by task, by cluster, by iteration.

An error is the RMSE, or for a classifier the share of wrong labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_classifier

from stcmtl.data.splits import take_rows
from stcmtl.data.taskset import Array, TaskSet
from stcmtl.data.weighted import take
from stcmtl.evaluation import metrics


def features_for(model: Any, data: TaskSet) -> Any:
    """Rows as the model was given them: with the names of features, or as a plain array."""
    return data.features() if hasattr(model, "feature_names_in_") else data.X


def with_names(model: Any, X: Array) -> Any:
    """Rows (N, D) whose columns are the model's features, under the names that it knows."""
    names = getattr(model, "feature_names_in_", None)
    return X if names is None else pd.DataFrame(X, columns=names)


def counting_rows(data: TaskSet) -> TaskSet:
    """Without rows of weight 0, whose tasks no fit may have seen."""
    if data.weight is None or data.weight.all():
        return data
    return take_rows(data, data.weight > 0.0)


def predict_rows(model: Any, data: TaskSet) -> NDArray[Any]:
    """What the model says of every row."""
    return np.asarray(model.predict(features_for(model, data), data.tasks))


def predict_by(model: Any, data: TaskSet, coef: Array, intercept: Array) -> NDArray[Any]:
    """What other coefficients (T, D) and intercepts (T,) of the model's tasks say of every row."""
    tasks = places_of_tasks(model, data)
    values = np.einsum("nd,nd->n", data.X, coef[tasks]) + intercept[tasks]
    return model.classes_[(values > 0).astype(int)] if is_classifier(model) else values


def predict_alone(model: Any, data: TaskSet) -> NDArray[Any]:
    """What every task's own l1 fit, which the algorithm starts from, says of its rows."""
    return predict_by(model, data, model.single_task_coef_, model.single_task_intercept_)


def places_of_tasks(model: Any, data: TaskSet) -> NDArray[np.intp]:
    """Of the task of every row, among those of the model."""
    return pd.Index(model.task_names_).get_indexer(pd.Index(data.tasks))


def measure_error(model: Any, actual: Any, predicted: Any, weight: Array | None = None) -> float:
    measure = metrics.error_rate if is_classifier(model) else metrics.rmse
    return measure(actual, predicted, sample_weight=weight)


def task_errors(
    model: Any, data: TaskSet, predicted: NDArray[Any] | None = None
) -> tuple[NDArray[np.int64], Array]:
    """Rows that count and error of every fitted task, NaN without such rows; by default of what
    the model says.
    """
    if predicted is not None and data.weight is not None:
        predicted = predicted[data.weight > 0.0]
    data = counting_rows(data)
    said = predict_rows(model, data) if predicted is None else predicted
    tasks = places_of_tasks(model, data)
    n_rows = np.bincount(tasks, minlength=len(model.task_names_))
    error = np.full(len(n_rows), np.nan)
    for i in np.flatnonzero(n_rows):
        own = tasks == i
        error[i] = measure_error(model, data.y[own], said[own], take(data.weight, own))
    return n_rows, error


def pool_errors(model: Any, n_rows: NDArray[np.int64], errors: Array) -> float:
    """The error over all rows of tasks, from their own; NaN if one is unknown, or without rows."""
    if not n_rows.any():
        return float("nan")
    power = 1.0 if is_classifier(model) else 2.0
    seen = n_rows > 0
    return float(np.average(errors[seen] ** power, weights=n_rows[seen]) ** (1.0 / power))


def overall_error(model: Any, data: TaskSet) -> float:
    """RMSE or error rate over all rows, each as much as it counts."""
    if data.weight is None:
        return pool_errors(model, *task_errors(model, data))
    data = counting_rows(data)
    return measure_error(model, data.y, predict_rows(model, data), data.weight)


def guessing_error(data: TaskSet, test: TaskSet) -> float:
    """The error on test rows of each task's training mean or commonest label; NaN if one is new."""
    guess = pd.Series(test.tasks).map(guess_tasks(data))
    if guess.isna().any():
        return float("nan")
    return metrics.prediction_error(test.y, guess.to_numpy(), data.task_type, test.weight)


def level_error(data: TaskSet, test: TaskSet) -> float:
    """The same of the best guess without features: of numbers a mean between the task's own, which
    few rows leave open, and that of all; else the better of both. A fit knows levels so well.
    """
    own = guessing_error(data, test)
    if data.task_type == "classification":
        labels, counts = np.unique(data.y, return_counts=True)
        common = np.full(len(test.y), labels[counts.argmax()])
        return min(own, metrics.error_rate(test.y, common, sample_weight=test.weight))
    data = counting_rows(data)
    rows = pd.DataFrame({"task": data.tasks, "y": data.y}).groupby("task")["y"]
    n, mean = rows.size(), guess_tasks(data)
    noise = float((rows.var(ddof=1) * (n - 1)).sum() / max(1, len(data.y) - len(n)))
    between = max(0.0, float(mean.var(ddof=1)) - noise * float((1.0 / n).mean()))
    trust = between / (between + noise / n) if between > 0.0 else 0.0 * n
    middle = float(np.average(mean, weights=n))
    guess = pd.Series(test.tasks).map(middle + trust * (mean - middle)).to_numpy()
    return min(own, metrics.rmse(test.y, guess, sample_weight=test.weight))


def guessing_left_out(data: TaskSet) -> float:
    """The error of guesses where every row is guessed from the others of its task: their mean; of
    labels the commonest of all.
    """
    data = counting_rows(data)
    guess = pd.Series(data.tasks).map(guess_tasks(data)).to_numpy()
    if data.task_type == "classification":
        return metrics.error_rate(data.y, guess, sample_weight=data.weight)
    weight = np.ones(len(data.y)) if data.weight is None else data.weight
    whole = pd.Series(weight).groupby(data.tasks).transform("sum").to_numpy()
    rest = np.where(whole > weight, whole - weight, whole)
    return metrics.rmse((data.y - guess) * whole / rest, np.zeros(len(guess)), sample_weight=weight)


def guess_tasks(data: TaskSet) -> pd.Series:
    """The mean or the commonest label of every task, of rows as much as they count."""
    weight = np.ones(len(data.y)) if data.weight is None else data.weight
    rows = pd.DataFrame({"task": data.tasks, "y": data.y, "weight": weight})[weight > 0.0]
    if data.task_type == "regression":
        return rows.groupby("task")[["y", "weight"]].apply(
            lambda own: np.average(own["y"], weights=own["weight"])
        )
    total = rows.groupby(["task", "y"])["weight"].sum()
    return total.groupby("task").agg(lambda own: own.idxmax()[1])


def errors_by_iteration(model: Any, test: TaskSet) -> Array:
    """On the test rows: of every task's own fit, then after each iteration.

    As clusters and memberships were then, without what comes on top at the very end (own parts,
    and intercepts that borrow strength).
    """
    states = [(np.where(s.outliers, s.W, s.U @ s.V).T, s.b) for s in model.history_]
    states.insert(0, (model.single_task_coef_, model.single_task_intercept_))
    said = [predict_by(model, test, *state) for state in states]
    return np.array([measure_error(model, test.y, values, test.weight) for values in said])
