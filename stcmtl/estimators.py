"""STCMTLRegressor and STCMTLClassifier: a scikit-learn skin over ``algorithm.solve``."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from stcmtl import validation as check
from stcmtl.algorithm import Iteration, Settings, residual_variance, settled, solve
from stcmtl.centers import predictions
from stcmtl.compilation import announce_compilation
from stcmtl.initial import Initial, initialise
from stcmtl.intercepts import intercept_information, pool_intercepts
from stcmtl.persistence import Target, loadable, save
from stcmtl.problem import LOGISTIC, SQUARED, Problem
from stcmtl.soup import purity_scores
from stcmtl.tasks import Array, check_rows, numeric_matrix, task_codes


class SemisoftTaskClustering(BaseEstimator, ABC):
    """What both estimators share: everything but the target.

    Minimises  sum_i (1/n_i) L(y_i, X_i U v_i + b_i) + penalty(U)  over cluster
    coefficients U, memberships v_i on the simplex and intercepts b_i.

    Parameters
    ----------
    n_clusters : int
        K, from 1 (one pooled model) to the number of tasks.
    refine : bool
        Follow the paper's Algorithm 1 by the refinement: memberships refitted on the data,
        so that pure tasks are exactly pure, a sparser penalty on U with its level chosen by
        cross-validation, and intercepts that borrow strength. ``False`` is Algorithm 1 alone.
    robust : bool
        Set outlier tasks aside (the paper's Algorithm 2). Not available in this version.
    theta, epsilon : float
        SOUP's share of tasks declared pure, and share of tasks that count as neighbours.
    gamma : "mean", "cv" or float
        Level of the l1 penalty on U: the mean of the lambdas (the paper's rule), by
        cross-validation, or fixed. It rules Algorithm 1; the refinement cross-validates its
        own level, and the shape of its penalty, unless the level is fixed.
    cv : int
        Folds, within every task.
    max_iter, tol : int, float
        Algorithm 1 ends when the objective changes by less than ``tol``, relatively; or, if
        it goes up and down without a new low for four iterations, at the lowest.
    fit_intercept : bool
        One intercept a task, never penalised in the fit. At its end the refinement moves
        each towards those of its clusters, as far as the noise in it warrants.
    standardize : bool
        Scale features to unit standard deviation for the fit; coefficients are reported on
        the original scale.
    n_jobs : int or None
        Threads, as in joblib. Results do not depend on it.
    random_state : int, RandomState or None
        Seed of the folds and of k-means.

    Attributes
    ----------
    coef_ : (T, D), intercept_ : (T,)
        One linear model a task, ``coef_ = memberships_ @ cluster_coef_``.
    cluster_coef_ : (K, D), memberships_ : (T, K)
        Cluster coefficients, and every task's shares in the clusters.
    task_names_, labels_, pure_ : (T,)
        Tasks in sorted order, their main cluster, and whether they belong to it alone
        (with ``refine=False``: whether SOUP counts them among its share theta of pure tasks).
    similarity_ : (T, T), purity_ : (T,)
        S = W'W and SOUP's purity scores from it.
    lambdas_ : (T,), gamma_ : float
        Levels of the single-task penalties and of the penalty on U.
    history_ : list of Iteration, n_iter_ : int
        Every iteration and round; the number of iterations of Algorithm 1.
    distances_ : (T,), outliers_ : (T,)
        How far each task's own initial coefficients lie from the model's; no task is
        called an outlier unless ``robust``.
    """

    _loss: int

    def __init__(
        self,
        n_clusters: int = 5,
        refine: bool = True,
        robust: bool = False,
        theta: float = 0.5,
        epsilon: float = 0.1,
        gamma: str | float = "mean",
        cv: int = 5,
        max_iter: int = 50,
        tol: float = 1e-3,
        fit_intercept: bool = True,
        standardize: bool = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.refine = refine
        self.robust = robust
        self.theta = theta
        self.epsilon = epsilon
        self.gamma = gamma
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, tasks: ArrayLike) -> Self:
        """Fit on stacked rows, with a target and a task label for each."""
        matrix, labels = self._rows(X, tasks, reset=True)
        target = check.vector(y)
        check_rows(matrix, y=target, tasks=labels)
        check.check_finite(matrix, labels, getattr(self, "feature_names_in_", None))
        self.task_names_, codes = task_codes(labels)
        settings = self._settings(len(self.task_names_))
        check.check_task_sizes(self.task_names_, np.bincount(codes), settings.n_folds)
        encoded = self._encode(target, labels, codes)
        announce_compilation()
        scale = feature_scale(matrix) if self.standardize else np.ones(matrix.shape[1])
        problem = Problem.build(matrix, encoded, codes, self._loss, self.fit_intercept, scale)
        initial = initialise(problem, settings.n_folds, settings.seed, settings.n_jobs)
        iterations = list(solve(problem, initial, settings))
        self._store(problem, initial, iterations, scale)
        self._warn_if_unsettled()
        return self

    def _settings(self, n_tasks: int) -> Settings:
        for name in ("refine", "robust", "fit_intercept", "standardize"):
            check.check_flag(getattr(self, name), name)
        if self.robust:
            raise ValueError("robust=True is not available in this version: use robust=False.")
        return Settings(
            n_clusters=check.check_n_clusters(self.n_clusters, n_tasks),
            refine=self.refine,
            theta=check.check_share(self.theta, "theta"),
            epsilon=check.check_share(self.epsilon, "epsilon"),
            gamma=check.check_gamma(self.gamma),
            n_folds=check.check_integer(self.cv, "cv", 2),
            max_iter=check.check_integer(self.max_iter, "max_iter", 1),
            tol=check.check_not_negative(self.tol, "tol"),
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            n_jobs=self.n_jobs,
        )

    def _rows(self, X: Any, tasks: ArrayLike, reset: bool) -> tuple[Array, NDArray[Any]]:
        """X as numbers and task labels; feature names and count are learnt or compared."""
        matrix, labels = numeric_matrix(X), check.vector(tasks)
        check_rows(matrix, tasks=labels)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return matrix, labels

    @abstractmethod
    def _encode(self, y: NDArray[Any], tasks: NDArray[Any], codes: NDArray[np.int64]) -> Array:
        """The target as the loss wants it."""

    def _store(
        self, problem: Problem, initial: Initial, iterations: list[Iteration], scale: Array
    ) -> None:
        last = iterations[-1]
        order = cluster_order(last.V)
        self.history_ = [on_original_scale(problem, it, order, scale) for it in iterations]
        self.n_iter_ = sum(it.stage == "paper" for it in iterations)
        U, V = self.history_[-1].U, self.history_[-1].V
        W = U @ V
        self.cluster_coef_, self.memberships_, self.coef_ = U.T, V.T, W.T
        self.intercept_ = final_intercepts(problem, last)
        self.pure_ = last.pure
        self.labels_ = V.argmax(axis=0)
        self.similarity_ = W.T @ W
        self.purity_ = purity_scores(self.similarity_, self.epsilon)
        self.lambdas_, self.gamma_ = initial.lambdas, last.gamma
        own = initial.W[: scale.size] / scale[:, None]
        self.distances_ = np.linalg.norm(own - W, axis=0)
        self.outliers_ = np.zeros(V.shape[1], dtype=bool)

    def _warn_if_unsettled(self) -> None:
        """Algorithm 1 ends before ``max_iter`` unless it was cut short."""
        paper = [it for it in self.history_ if it.stage == "paper"]
        if len(paper) == self.max_iter > 1 and not settled(paper[-2], paper[-1], self.tol):
            warnings.warn(
                f"The objective had not settled after {self.max_iter} iterations: "
                "increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def decision_values(self, X: Any, tasks: ArrayLike) -> Array:
        """x'w_i + b_i for every row."""
        check_is_fitted(self)
        matrix, labels = self._rows(X, tasks, reset=False)
        codes = check.task_rows(labels, self.task_names_)
        check.check_finite(matrix, labels, getattr(self, "feature_names_in_", None))
        values = np.empty(len(matrix))
        for i in np.unique(codes):
            rows = codes == i
            values[rows] = matrix[rows] @ self.coef_[i] + self.intercept_[i]
        return values

    def save(self, path: Target) -> None:
        """Write the fitted model to one portable file; ``stcmtl.load`` reads it."""
        save(self, path)


@loadable
class STCMTLRegressor(RegressorMixin, SemisoftTaskClustering):
    """Semisoft task clustering for regression (squared loss).

    Parameters and attributes are those of ``SemisoftTaskClustering``.
    """

    _loss = SQUARED

    def _encode(self, y: NDArray[Any], tasks: NDArray[Any], codes: NDArray[np.int64]) -> Array:
        return check.numeric_target(y, tasks)

    def predict(self, X: Any, tasks: ArrayLike) -> Array:
        """Predicted targets for rows of tasks seen in ``fit``."""
        return self.decision_values(X, tasks)

    def score(self, X: Any, y: ArrayLike, tasks: ArrayLike) -> float:
        """R^2 over all rows."""
        return float(r2_score(y, self.predict(X, tasks)))


@loadable
class STCMTLClassifier(ClassifierMixin, SemisoftTaskClustering):
    """Semisoft task clustering for two labels (logistic loss).

    Parameters and attributes are those of ``SemisoftTaskClustering``, and ``classes_``.
    """

    _loss = LOGISTIC

    def _encode(self, y: NDArray[Any], tasks: NDArray[Any], codes: NDArray[np.int64]) -> Array:
        check.check_target_present(y, tasks)
        self.classes_ = check.check_classes(y, self.task_names_, codes)
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def decision_function(self, X: Any, tasks: ArrayLike) -> Array:
        """Log-odds of the second class."""
        return self.decision_values(X, tasks)

    def predict_proba(self, X: Any, tasks: ArrayLike) -> Array:
        """Probabilities of the two classes, in the order of ``classes_``."""
        probability = expit(self.decision_values(X, tasks))
        return np.column_stack([1.0 - probability, probability])

    def predict(self, X: Any, tasks: ArrayLike) -> NDArray[Any]:
        """The likelier class of every row."""
        positive = self.decision_values(X, tasks) > 0
        return self.classes_[positive.astype(int)]

    def score(self, X: Any, y: ArrayLike, tasks: ArrayLike) -> float:
        """Accuracy over all rows."""
        return float(accuracy_score(y, self.predict(X, tasks)))


def feature_scale(X: Array) -> Array:
    """Standard deviations over all rows; 1 for a constant feature."""
    # a constant 0.1 has a standard deviation of 1e-17, by rounding
    return np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)


def cluster_order(V: Array) -> NDArray[np.int64]:
    """Clusters in the order in which tasks first belong mainly to them, empty ones last."""
    labels = V.argmax(axis=0)
    first = [np.flatnonzero(labels == k).min(initial=labels.size) for k in range(len(V))]
    return np.argsort(first, kind="stable")


def on_original_scale(
    problem: Problem, it: Iteration, order: NDArray[np.int64], scale: Array
) -> Iteration:
    """Undo centring and scaling, and drop what the solver added to a lone feature."""
    U, W = (A[: scale.size] / scale[:, None] for A in (it.U, it.W))
    b = problem.original_intercepts(it.U @ it.V, it.b)
    return replace(it, U=U[:, order], V=it.V[order], W=W, b=b)


def final_intercepts(problem: Problem, last: Iteration) -> Array:
    """Intercepts on the original scale; after the refinement they borrow strength."""
    b = problem.original_intercepts(last.U @ last.V, last.b)
    if last.stage == "paper" or not problem.fit_intercept:
        return b
    f = predictions(problem, last.U, last.V, last.b)
    noise = residual_variance(problem, last.U, last.V, last.b)
    return pool_intercepts(b, last.V, intercept_information(problem, f, noise))
