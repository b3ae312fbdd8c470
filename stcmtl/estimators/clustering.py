"""What both estimators share: a scikit-learn skin over ``algorithm1.solve``."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from stcmtl.data import checks as check
from stcmtl.data.taskset import Array
from stcmtl.errors import Setting
from stcmtl.estimators.alternatives import find_alternatives, other_fits
from stcmtl.estimators.base import LinearTaskModel, Table, UnsettledWarning, linear_values
from stcmtl.estimators.fitted import fitted_attributes, plain_attributes
from stcmtl.estimators.folds import resolve_folds
from stcmtl.estimators.new_tasks import Assignment, assign_tasks, check_assignment
from stcmtl.estimators.on_demand import coefficients_of, make_on_demand
from stcmtl.estimators.settings import AUTO, HUBER, list_wanted, read_settings
from stcmtl.estimators.starting import Start, start_fit, start_tame
from stcmtl.solver.algorithm1 import is_settled, solve
from stcmtl.solver.algorithm2 import solve_robust
from stcmtl.solver.k_path import choose_model
from stcmtl.solver.machine import (
    ONE_BLAS_THREAD,
    WITH_CLUSTERS,
    announce_compilation,
    with_one_blas_thread,
)
from stcmtl.solver.own_part import OwnPenalty, fit_alone
from stcmtl.solver.problem import SQUARED, Precision, Problem, Rows
from stcmtl.solver.records import Alternative, Initial, Iteration, KPoint, Settings
from stcmtl.solver.trials import Candidate
from stcmtl.solver.wild_rows import (
    distances,
    find_limits,
    find_wild,
    has_heavy_tails,
    linear_predictions,
    tame,
)

HUBER_ROUNDS = 3
Others = Callable[[], list[Alternative]]


# Fields make the constructor that scikit-learn reads.
@dataclass(eq=False, repr=False)
class SemisoftTaskClustering(LinearTaskModel):
    """What both estimators share: everything but the target.

    Minimises  sum_i (1/n_i) L(y_i, X_i (U v_i + d_i) + b_i) + penalty(U) + penalty(d)  over the
    cluster coefficients U, loadings v_i, intercepts b_i and own parts d_i of the tasks.

    Parameters
    ----------
    n_clusters : int or "auto"
        K, from 0 (every task on its own) and 1 (one pattern) to the number of tasks. "auto" finds
        it by cross-validation: from 0 upwards while the error falls, to half the number of tasks.
    shape : "simplex", "cone", "span" or "auto"
        Where loadings lie: shares that sum to one (the paper's mixtures); not negative (mixtures
        times a *strength* of the task's own); or anywhere (patterns can be subtracted). Off the
        simplex their scale is a convention: the loadings of each cluster have the same mean square
        over the tasks that use it, and a positive sum; strengths are one on average.
    own : "none", "deviation", "alone" or "auto"
        The part of each task that is its own: nothing; a deviation from its mixture, shrunk by
        one level for all tasks (squared or unsquared l2, l1, or as in a mixed model); or all of
        it, which is K = 0.

        With "auto", all candidates predict the same held-out rows, by fits in which everything is
        found again in each fold. The simplest within one standard error (paired, over tasks) of
        the best is taken. From simple to complex: one pattern, every task on its own, one pattern
        with deviations (which mixtures must beat by 1.282 standard errors, as they are the best of
        many); then simplex, cone and span without own parts, fewer clusters first; then the same
        with own parts. A shape that is a standard error behind in the first fold is not tried in
        the others. With ``shape="auto"``, patterns may also be dense (a ridge on U).
    refine : bool
        Follow the paper's Algorithm 1 with the refinement: memberships are fitted again to the
        data, so that pure tasks are exactly pure; U has a sparser penalty, whose level is
        cross-validated; and intercepts borrow strength. ``False`` is Algorithm 1 alone.
    robust : bool
        Set outlier tasks aside (the paper's Algorithm 2): they keep the coefficients of
        their own single-task fit and belong to no cluster.
    theta, epsilon : float
        In SOUP, the share of tasks declared pure, and the share that count as neighbours.
    gamma : "mean", "cv" or float
        Level of the l1 penalty on U in Algorithm 1: the mean of the lambdas (the paper's rule),
        cross-validated, or fixed. The refinement cross-validates the level and the kind of its
        penalty, unless gamma is a number.
    cv : int, splitter, (N,) labels or pairs
        The number of folds within every task; or a splitter of scikit-learn, which splits the rows
        of each task (``KFold(5)`` makes blocks of time); or the fold of every row; or pairs of
        training and held-out rows. Of a splitter, a saved model keeps the number of folds.
    max_iter, tol : int, float
        Algorithm 1 ends when the objective changes by less than ``tol``, relatively. If it goes
        up and down for four iterations without a new minimum, it ends at the lowest point.
    fit_intercept : bool
        One intercept per task, never penalised. At its end, the refinement moves each towards
        those of its clusters, as far as its noise warrants.
    standardize : "auto", True or False
        Scale features to unit standard deviation for the fit; coefficients are reported on
        the original scale. "auto" does so if the features seem to be in different units: their
        standard deviations differ by more than a factor of three, and their ranges differ too.
    loss : "auto", "squared" or "huber"
        The regressor's loss; the classifier's is logistic, and takes "auto" only. Under Huber's
        loss, rows beyond the usual residuals pull no further, and those far beyond hardly pull at
        all; its scale comes from the data. "auto" takes it, in the refined fit, if residuals
        show wild values or heavy tails, which normal noise practically never does.
    n_jobs : int or None
        Threads, as in joblib. Results do not depend on it.
    random_state : int, RandomState or None
        Seed of the folds and of k-means.
    outlier_factor : float
        With ``robust``, outliers exceed the upper quartile by more than this many interquartile
        ranges: of distances ("paper"), or of what tasks gain from their own fits ("checked").
    outlier_rule : "checked" or "paper"
        The paper's rule is a fence on the distances of coefficients. The checked rule (ours) uses
        held-out rows: the task's own fit must predict them better than any mixture, beyond that
        fence and beyond chance (a log likelihood ratio, with the noise of the task, above
        ``outlier_factor`` + log T). It looks for such tasks before the fit, among mixtures of
        the other tasks, so that no cluster can swallow them, and repeats the fit until the
        outliers stay the same.

    Attributes
    ----------
    coef_ : (T, D), intercept_ : (T,)
        One linear model per task, ``coef_ = loadings_ @ cluster_coef_ + own_coef_``.
    n_clusters_ : int, shape_, own_ : str
        What was taken. ``own_penalty_`` is the kind and level of the own part's penalty, and
        ``own_stretch_`` the factor on tasks fitted alone to labels.
    choices_ : list of Choice, selection_ : KSelection
        If anything was left to choose: every candidate with its held-out error, the best
        first, and why it was not taken; and the curve over K of the shape taken.
    alternatives_ : list of Alternative
        Other solutions that are as good but predict something else: what led to each (another
        start, another model), by how much its criterion is higher, how far its predictions
        differ, and for which tasks. Usually empty.
    cluster_coef_ : (K, D), loadings_ : (T, K)
        Cluster coefficients, and how each task is made of them (zeros for an outlier).
    cluster_names_ : (K,)
        Names of the clusters in tables, figures and reports; ``name_clusters`` sets them.
    cluster_coef_se_ : (K, D)
        Standard errors of the cluster coefficients, NaN for exact zeros. Own parts count as noise.
    memberships_ : (T, K), strength_ : (T,)
        Absolute loadings as shares, and their sum. On the simplex, memberships are the loadings
        and strengths are one.
    own_coef_ : (T, D), own_share_ : (T,)
        Each task's own part (all of it for an outlier), and its share of the fit's variance.
    single_task_coef_ : (T, D), single_task_intercept_ : (T,)
        Every task's own l1 fit, which the algorithm starts from.
    task_names_, labels_, pure_ : (T,)
        Tasks in sorted order, their main cluster (-1 for an outlier), and whether they belong to
        it alone.
    similarity_ : (T, T), purity_ : (T,)
        S = W'W, for features on one scale if ``standardized_``, and SOUP's purity scores from it.
    feature_scale_ : (D,), units_differ_ : bool, standardized_ : bool
        Standard deviations of the features (0 for a constant one), whether they seem to be in
        different units, and whether the fit was on one scale.
    lambdas_ : (T,), gamma_ : float
        Levels of the single-task penalties and of the penalty on U.
    history_ : list of Iteration, n_iter_ : int
        Every iteration and round; the number of iterations of Algorithm 1.
    distances_ : (T,), fence_ : float, outliers_ : (T,)
        How far each task's initial coefficients (of scaled features, if ``standardized_``) lie
        from the nearest mixture; the paper's fence for them, the upper quartile +
        ``outlier_factor`` x the interquartile range; and the outlier tasks by ``outlier_rule``,
        which only a ``robust`` fit looks for.
    loss_ : str, suspect_rows_ : (m,)
        "squared", "huber" or "logistic", as taken; and the rows of X whose target is ten robust
        standard deviations or more from its prediction. They were part of the fit.
    residual_limits_, precision_ : (T,) or None
        Largest residuals that count in full under Huber's loss; and how much a row of each task
        counts, if tasks have different numbers of rows (if None, every task counts the same).
    noise_ : float, losses_ : (T,), loss_spread_ : float, optimism_ : float
        What ``assign`` compares new tasks with: on the training data, the residual variance, each
        task's mean loss and the standard deviation of the rows' losses; and how much larger the
        clusters make the loss of a new task.
    """

    _loss: ClassVar[int]

    n_clusters: int | str = "auto"
    shape: str = "auto"
    own: str = "auto"
    refine: bool = True
    robust: bool = False
    theta: float = 0.5
    epsilon: float = 0.1
    gamma: str | float = "mean"
    cv: Any = 5
    max_iter: int = 50
    tol: float = 1e-3
    fit_intercept: bool = True
    standardize: bool | str = "auto"
    loss: str = "auto"
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    outlier_factor: float = 4.5
    outlier_rule: str = "checked"

    def fit_steps(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Iterator[KPoint | Iteration]:
        """Fit step by step: every K tried (with "auto") and every iteration, as they come."""
        self._forget()
        rows, settings = self._prepare(X, y, tasks, sample_weight)
        announce_compilation()
        if self.n_clusters != 0:
            announce_compilation(*WITH_CLUSTERS)
        yield from with_one_blas_thread(self._solve(rows, settings))
        if sample_weight is not None:  # rows that do not count took no part
            counting = np.flatnonzero(np.asarray(sample_weight))
            self._learn({"suspect_rows_": counting[vars(self)["suspect_rows_"]]})
        self._warn_if_unsettled()

    def _solve(self, rows: Rows, settings: Settings) -> Generator[KPoint | Iteration, None, None]:
        self._learn(plain_attributes(rows.loss))
        start = self._start(rows, settings)
        models: list[Candidate] = []
        if wanted := list_wanted(self, start.problem.n_tasks):
            given = start.rows, start.problem, start.initial
            found = yield from choose_model(*given, settings, wanted, self.robust)
            models, self.choices_, selection = found
            if selection is not None:
                self.selection_ = selection
        others = yield from self._fit(start, settings, models)
        if rows.loss == SQUARED:
            apart = distances(rows, self._predictions(rows))
            # residuals of clusters tell more of tails than those of the tasks' own fits
            heavy = start.rows.y is not rows.y or has_heavy_tails(rows, apart)
            if self._may_be_huber and (heavy or self.loss == HUBER):
                self.loss_ = HUBER
                others = yield from self._fit_tamed(rows, settings, models)
                apart = distances(rows, self._predictions(rows))
            self.suspect_rows_ = find_wild(apart)
        self.alternatives_ = others()

    def _fit_tamed(
        self, rows: Rows, settings: Settings, models: list[Candidate]
    ) -> Generator[Iteration, None, Others]:
        """Huber's loss, by fits in turn: each to the target that the one before has tamed."""
        for _ in range(HUBER_ROUNDS):
            f = self._predictions(rows)
            self.residual_limits_ = find_limits(rows, f)
            tamed = replace(rows, y=tame(rows, f, self.residual_limits_))
            others = yield from self._fit(start_fit(tamed, settings), settings, models)
        return others

    def _fit(
        self, start: Start, settings: Settings, models: list[Candidate]
    ) -> Generator[Iteration, None, Others]:
        """The first of the models, if any was chosen; returns how others as good are found."""

        def fit(
            settings: Settings, model: Candidate | None
        ) -> Generator[Iteration, None, dict[str, Any]]:
            settings = settings if model is None else model.settle(settings)
            own_penalty = None if model is None else model.own_penalty
            iterations = []
            for state in self._iterate(start.problem, start.initial, settings, own_penalty):
                iterations.append(start.order.restore(state))
                yield iterations[-1]
            initial = start.order.restore_initial(start.initial)
            given = start.as_given()
            return fitted_attributes(given, initial, iterations, settings, own_penalty)

        fitted = yield from fit(settings, models[0] if models else None)
        others = other_fits(fitted, models, settings, fit)
        self._learn(fitted)
        return partial(find_alternatives, start.as_given, self.task_names_, fitted, others)

    def _learn(self, attributes: dict[str, Any]) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)

    @property
    def _may_be_huber(self) -> bool:
        return self._loss == SQUARED and (self.loss == HUBER or (self.refine and self.loss == AUTO))

    def _start(self, rows: Rows, settings: Settings) -> Start:
        return (start_tame if self._may_be_huber else start_fit)(rows, settings)

    def _as_fitted(self, rows: Rows) -> Rows:
        """With targets as tame, and weights as they were at the end of the fit."""
        if self.residual_limits_ is not None:
            tamed = tame(rows, self._predictions(rows), self.residual_limits_)
            rows = replace(rows, y=tamed)
        if self.precision_ is not None:
            rows = replace(rows, precision=Precision(self.precision_, self.precision_))
        return rows

    def _predictions(self, rows: Rows) -> Array:
        return linear_predictions(rows, self.coef_, self.intercept_)

    def _iterate(
        self, problem: Problem, initial: Initial, settings: Settings, penalty: OwnPenalty | None
    ) -> Iterator[Iteration]:
        if settings.n_clusters == 0:
            assert penalty is not None
            return iter([fit_alone(problem, penalty)])
        return (solve_robust if self.robust else solve)(problem, initial, settings)

    def _prepare(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, weight: ArrayLike | None = None
    ) -> tuple[Rows, Settings]:
        """Rows and settings, checked; learns the names of tasks and features, and the labels."""
        table = self._weighted_table(X, y, tasks, weight)
        self.task_names_ = table.names
        n_folds, fold = resolve_folds(self.cv, table)
        settings = replace(read_settings(self, len(table.names)), n_folds=n_folds)
        check.check_task_sizes(table.names, table.n_rows, settings.n_folds)
        self._choose_scale(table)
        return replace(self._encoded(table), fold=fold), settings

    def _known_rows(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, weight: ArrayLike | None = None
    ) -> tuple[NDArray[Any], Rows]:
        """Names of tasks, and rows checked against the features and labels of the fit."""
        table = self._weighted_table(X, y, tasks, weight, reset=False)
        check.check_two_rows(table.names, table.n_rows)
        return table.names, self._encoded(table)

    def _encoded(self, table: Table) -> Rows:
        target = self._encode(table)
        # a model of an earlier release has not learnt what was chosen: it was told
        standardize = bool(getattr(self, "standardized_", self.standardize))
        given = table.X, target, table.codes, self._loss, self.fit_intercept, standardize
        return Rows(*given, row_weight=table.weight)

    @abstractmethod
    def _encode(self, table: Table) -> Array:
        """The target as the loss wants it; labels are learnt, or compared with those known."""

    def _warn_if_unsettled(self) -> None:
        """Algorithm 1 ends settled, or back at its lowest, unless it was cut short."""
        paper = [it for it in self.history_ if it.stage == "paper"]
        if not paper:  # no clusters
            return
        went_back = not paper[-1].seconds
        if self.max_iter > 1 and not went_back and not is_settled(paper[-2], paper[-1], self.tol):
            unsettled = UnsettledWarning(
                f"The objective had not settled after {self.max_iter} iterations",
                remedy=("increase ", Setting("max_iter"), " or ", Setting("tol")),
            )
            warnings.warn(unsettled, stacklevel=4)

    def name_clusters(self, names: Sequence[str]) -> Self:
        """Call the clusters by these names, one each, in every table, figure and report."""
        check_is_fitted(self)
        self.cluster_names_ = check.check_cluster_names(names, len(self.cluster_coef_))
        return self

    def assign(
        self, X: Any, y: ArrayLike, tasks: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Assignment:
        """Memberships of tasks that were not in the fit, from a handful of rows each.

        Returns an ``Assignment``: ``.memberships`` and ``.loadings`` (T, K), ``.coef``,
        ``.intercept``, ``.outliers`` (tasks that no mixture fits), and how sure the places are
        (``.places.low`` and ``.places.high``). Pass it to ``predict`` as ``memberships`` to
        predict for these tasks. Rows count by their ``sample_weight``, as in ``fit``.
        """
        check_is_fitted(self)
        names, rows = self._known_rows(X, y, tasks, sample_weight)
        with ONE_BLAS_THREAD:
            return assign_tasks(rows, names, self)

    def __sklearn_is_fitted__(self) -> bool:
        return not vars(self).keys().isdisjoint(("coef_", "loadings_"))

    def __getattr__(self, name: str) -> Any:
        """The similarity, and coefficients of very many tasks, when they are asked for."""
        return make_on_demand(self, name)

    def decision_values(
        self, X: Any, tasks: ArrayLike, memberships: Assignment | None = None
    ) -> Array:
        """x'w_i + b_i for every row."""
        check_is_fitted(self)
        matrix, labels = self._rows(X, tasks, reset=False)
        names, coef, intercept = coefficients_of(self, labels)
        if memberships is not None:
            check_assignment(memberships, self)
            names, coef, intercept = memberships.beside(names, coef, intercept)
        return linear_values(matrix, labels, names, coef, intercept)
