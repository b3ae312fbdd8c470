"""What every baseline shares: the estimators' manners, both losses, progress and fitted names."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.utils import ClassifierTags, RegressorTags, Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from stcmtl.data import checks as check
from stcmtl.data.taskset import TASK_TYPES, Array
from stcmtl.errors import Setting
from stcmtl.estimators.base import (
    LinearTaskModel,
    Table,
    UnsettledWarning,
    counting_rows,
    linear_values,
)
from stcmtl.progress import Progress
from stcmtl.solver.machine import announce_compilation, with_one_blas_thread
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem, Rows
from stcmtl.solver.records import CVPoint

__all__ = ["Baseline", "CVPoint", "Options", "Solution", "Steps"]

LOSSES = {"regression": SQUARED, "classification": LOGISTIC}


@dataclass(frozen=True)
class Options:
    """What cross-validation needs to know."""

    n_folds: int
    seed: int
    n_jobs: int | None


@dataclass(frozen=True, eq=False)
class Solution:
    """What a method found. ``W`` (D, T) and ``b`` (T,) are those of ``problem``.

    ``penalties`` are those it was fitted with, ``learnt`` further fitted attributes by name:
    labels, factors. ``settled`` is False where the final fit was cut short.
    """

    problem: Problem
    W: Array
    b: Array
    history: Sequence[float]
    cv_path: Sequence[CVPoint]
    penalties: Mapping[str, Any]
    learnt: dict[str, Any] = field(default_factory=dict)
    settled: bool = True


Steps = Generator[Progress, None, Solution]


def may_classify(model: Baseline) -> bool:
    return known_type(model) != "regression"


def known_type(model: Baseline) -> str:
    """What was fitted, or else what is to be."""
    return getattr(model, "task_type_", model.task_type)


# Fields make the constructors that scikit-learn reads: a method puts its own before these.
@dataclass(eq=False, repr=False, kw_only=True)
class Baseline(LinearTaskModel):
    """One linear model per task, for regression (squared loss) and two labels (logistic loss).

    A method says how to ``_solve``; its class names the objective, sum_i (1/n_i) L_i plus a
    penalty, and its own penalties, each a number or "cv". The other parameters are

    cv : int
        Folds, within every task.
    fit_intercept : bool
        Intercepts, never penalised.
    standardize : bool or "auto"
        Scale features to unit standard deviation for the fit; coefficients are reported on
        the original scale. "auto" does so where spreads tell of different units.
    n_jobs : int or None
        Threads, as in joblib. Results do not depend on it.
    random_state : int, RandomState or None
        Seed of the folds.
    task_type : "auto", "regression" or "classification"
        "auto" takes text and two distinct values for labels, all else for numbers.

    Attributes
    ----------
    coef_ : (T, D), intercept_ : (T,), task_names_ : (T,)
        One linear model per task, tasks in sorted order.
    task_type_ : str, classes_ : (2,)
        What was fitted, and for classification its two labels.
    history_ : list of float
        Values of the objective in the final fit; the last is the one reached.
    cv_path_ : list of CVPoint
        Penalties tried by cross-validation; empty where none had to be chosen.

    >>> issubclass(baselines.CMTL, baselines.Baseline)
    True
    """

    _penalties: ClassVar[tuple[str, ...]] = ("penalty",)  # each a number or "cv"
    _kernels: ClassVar[tuple[Any, ...]] = ()  # that a fit calls, unless they are the estimators'

    cv: int = 5
    fit_intercept: bool = True
    standardize: bool | str = False
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    task_type: str = "auto"

    def __sklearn_tags__(self) -> Tags:
        """A regressor, until labels are named or seen."""
        tags = super().__sklearn_tags__()
        if known_type(self) == "classification":
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags(multi_class=False)
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    def fit_steps(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Iterator[Progress]:
        """Fit step by step, none of which takes long: show progress, or stop between two."""
        self._forget()
        rows, options = self._prepare(X, y, tasks, sample_weight)
        announce_compilation(*self._kernels)
        solution = yield from with_one_blas_thread(self._solve(rows, options))
        problem, W, b = solution.problem, solution.W, solution.b
        for name, level in solution.penalties.items():
            setattr(self, f"{name}_", level)
        for name, value in solution.learnt.items():
            setattr(self, name, value)
        self.history_ = [float(value) for value in solution.history]
        self.cv_path_ = list(solution.cv_path)
        self.intercept_ = problem.original_intercepts(W, b)
        self.coef_ = np.ascontiguousarray(problem.original_coefficients(W).T)
        if not solution.settled:
            unsettled = UnsettledWarning(
                f"The objective had not settled after {len(self.history_)} steps",
                remedy=(Setting("standardize", True), " helps where features differ in scale"),
            )
            warnings.warn(unsettled, stacklevel=3)

    @abstractmethod
    def _solve(self, rows: Rows, options: Options) -> Steps:
        """The method: yields progress, returns what it found."""

    def _check(self, n_tasks: int) -> None:
        """Check the method's own parameters that need no data but the number of tasks."""
        self._fixed()

    def _fixed(self) -> list[float | None]:
        """The penalties as given, None where cross-validation is to find one."""
        return [check.check_penalty(getattr(self, name), name) for name in self._penalties]

    def _prepare(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, weight: ArrayLike | None
    ) -> tuple[Rows, Options]:
        """Rows and options, checked; learns the names of tasks and features, and the labels."""
        table = self._weighted_table(X, y, tasks, weight)
        self.task_names_ = table.names
        self._check(len(table.names))
        check.check_flag(self.fit_intercept, "fit_intercept")
        check.check_standardize(self.standardize)
        options = Options(
            check.check_integer(self.cv, "cv", 2), self._seed(), check.check_jobs(self.n_jobs)
        )
        check.check_task_sizes(table.names, table.n_rows, options.n_folds)
        kind = check.check_choice(self.task_type, "task_type", ("auto", *TASK_TYPES))
        if kind == "auto":
            kind = "classification" if check.are_labels(table.y) else "regression"
        self.task_type_ = kind
        target = self._encode(table)
        self._choose_scale(table)
        given = table.X, target, table.codes, LOSSES[kind], self.fit_intercept, self.standardized_
        return Rows(*given, row_weight=table.weight), options

    def _encode(self, table: Table) -> Array:
        """The target as the loss wants it; labels are learnt."""
        if self.task_type_ == "regression":
            labels = Setting("task_type", "classification")
            return check.numeric_target(table.y, table.tasks, labels)
        check.check_target_present(table.y, table.tasks)
        name = type(self).__name__
        self.classes_ = check.check_classes(table.y, table.names, table.codes, name)
        return np.where(table.y == self.classes_[1], 1.0, -1.0)

    def decision_values(self, X: Any, tasks: ArrayLike) -> Array:
        """x'w_i + b_i for every row."""
        check_is_fitted(self)
        matrix, labels = self._rows(X, tasks, reset=False)
        return linear_values(matrix, labels, self.task_names_, self.coef_, self.intercept_)

    def predict(self, X: Any, tasks: ArrayLike) -> NDArray[Any]:
        """Predicted targets, or the likelier class, for rows of tasks seen in ``fit``."""
        values = self.decision_values(X, tasks)
        if self.task_type_ == "regression":
            return values
        return self.classes_[(values > 0).astype(int)]

    def score(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """R^2, or accuracy for two labels, over all rows."""
        X, y, tasks, weight = counting_rows(X, y, tasks, sample_weight)
        predicted = self.predict(X, tasks)
        if self.task_type_ == "regression":
            return self._explained(X, y, tasks, weight, predicted)
        return self._accuracy(X, y, tasks, weight, predicted, self.classes_)

    @available_if(may_classify)
    def decision_function(self, X: Any, tasks: ArrayLike) -> Array:
        """Log-odds of the second class."""
        return self.decision_values(X, tasks)

    @available_if(may_classify)
    def predict_proba(self, X: Any, tasks: ArrayLike) -> Array:
        """Probabilities of the two classes, in the order of ``classes_``."""
        probability = expit(self.decision_values(X, tasks))
        return np.column_stack([1.0 - probability, probability])
