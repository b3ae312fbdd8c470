"""A fit beside the simple ways, on rows that none has seen: every task on its own, one for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from stcmtl.baselines.pooled import Pooled
from stcmtl.data.taskset import TaskSet
from stcmtl.errors import InputError
from stcmtl.evaluation import metrics
from stcmtl.evaluation.predictions import (
    counting_rows,
    level_error,
    predict_alone,
    predict_rows,
)
from stcmtl.evaluation.summary import ERROR_NAMES
from stcmtl.evaluation.tables import has_own_part, is_mixture
from stcmtl.evaluation.verdicts import say_no_help, say_no_signal, say_poor_fit

POOLED_FOLDS = 2  # with the rows of all tasks in each, more folds choose no better a level
NEAR = 0.85  # of the error of single-task l1 fits: below it no other separate fits come near
MOST_CELLS = 4_000_000  # beyond, those other fits would keep a visitor waiting
ALONE = {"n_clusters": 0, "shape": "simplex", "own": "auto", "refine": True, "robust": False}


@dataclass(frozen=True)
class Errors:
    """RMSE or error rate on test rows: of the fit, of the single-task l1 fits it starts from, of
    one model for all, and of separate fits with the penalty that suits them best, where it matters.
    """

    fit: float
    lasso: float
    pooled: float | None = None
    alone: float | None = None

    @property
    def separate(self) -> float:
        """Of every task fitted on its own, in the better way of those tried."""
        return self.lasso if self.alone is None else min(self.lasso, self.alone)


def is_one_for_all(model: Any) -> bool:
    """Whether a fit is itself one model for all tasks: beside another such one it would puzzle."""
    return len(model.cluster_coef_) == 1 and is_mixture(model) and not has_own_part(model)


def measure_errors(model: Any, train: TaskSet, test: TaskSet) -> Errors:
    """Of a model and the simple ways, fitted on the same rows with its scale and its seed."""
    train, test = counting_rows(train), counting_rows(test)
    fit, lasso = (
        metrics.prediction_error(test.y, predicted, test.task_type, test.weight)
        for predicted in (predict_rows(model, test), predict_alone(model, test))
    )
    settings = {"standardize": model.standardize, "random_state": model.random_state}
    pooled = Pooled(cv=POOLED_FOLDS, task_type=test.task_type, **settings)
    alone = None
    if len(model.cluster_coef_) and fit > NEAR * lasso and train.X.size < MOST_CELLS:
        alone = error_of(clone(model).set_params(**ALONE), train, test)
    return Errors(fit, lasso, error_of(pooled, train, test), alone)


def error_of(model: Any, train: TaskSet, test: TaskSet) -> float | None:
    """Of another model on the test rows; None where it refuses tasks that the fit did not."""
    try:
        predicted = model.fit(train.X, train.y, train.tasks, train.weight).predict(
            test.X, test.tasks
        )
    except InputError:
        return None
    return metrics.prediction_error(test.y, predicted, test.task_type, test.weight)


def say_doubt(model: Any, train: TaskSet, test: TaskSet, errors: Errors) -> str:
    """That features, this fit or its clusters do not help, and the figures; empty where they do."""
    if said := doubt_features(model, train, test, errors) or doubt_fit(train, test, errors):
        return said
    found = {"clusters": errors.fit, "LASSO": errors.separate, "Pooled": errors.pooled}
    return say_no_help(len(model.cluster_coef_), found, ERROR_NAMES[train.task_type], len(test.y))


def doubt_features(model: Any, train: TaskSet, test: TaskSet, errors: Errors) -> str:
    """That there is nothing to learn from the features, whether tasks cluster or not: not of a
    poor fit, where a simple way learns from them.
    """
    if doubt_fit(train, test, errors):
        return ""
    guessing, labels = level_error(train, test), train.task_type == "classification"
    unit = ERROR_NAMES[train.task_type]
    return say_no_signal(errors.fit, guessing, unit, len(test.y), labels=labels)


def doubt_fit(train: TaskSet, test: TaskSet, errors: Errors) -> str:
    """That this fit predicts no better than guessing, though a simple way does."""
    guessing, labels = level_error(train, test), train.task_type == "classification"
    others = {"separate fits do": errors.separate, "one fit for all does": errors.pooled}
    unit = ERROR_NAMES[train.task_type]
    return say_poor_fit(errors.fit, guessing, others, unit, len(test.y), labels=labels)
