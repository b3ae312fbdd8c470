"""How far a fit can be trusted: ``stability`` repeats it on resampled rows, and adds intervals.

Which tasks and features stay where they are is what resamples say. Their percentiles are no
intervals, though: each repeats the bias of the fit's choices and of its penalty, and 90 % of them
held 85 % of the true memberships. Intervals are Fisher's (``intervals.py``).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from stcmtl.data import checks as check
from stcmtl.data.taskset import Array
from stcmtl.estimators.clustering import SemisoftTaskClustering
from stcmtl.estimators.fitted import as_shares, centred
from stcmtl.estimators.intervals import Estimate, Precision, find_precision
from stcmtl.estimators.places import hold_together
from stcmtl.estimators.settings import read_settings
from stcmtl.progress import Progress, drain
from stcmtl.solver.algorithm1 import iterate, stop_when_settled
from stcmtl.solver.alignment import match_clusters
from stcmtl.solver.centers import PENALTIES, Penalty
from stcmtl.solver.machine import ONE_BLAS_THREAD, Threads, announce_compilation
from stcmtl.solver.memberships import support_shares
from stcmtl.solver.problem import LOGISTIC, Problem, Rows
from stcmtl.solver.records import Initial, Iteration, Settings, Stopwatch
from stcmtl.solver.refinement import Mixture, run_rounds
from stcmtl.solver.trials import NONE

MAX_ITERATIONS = 5  # of Algorithm 1, from where the model's fit ended


@dataclass(frozen=True, eq=False)
class Stability:
    """What is known of a model; tasks, clusters and features are in the model's order.

    Attributes
    ----------
    memberships : (n_boot, T, K)
        Of every resample, with clusters matched to the model's. Outliers have none.
    lower, upper : (T, K)
        Ends of the intervals of the memberships, within [0, 1]; 0 for outliers.
    pure : (T,)
        Share of resamples in which the task is pure.
    co_clustering : (T, T)
        Share of resamples in which two tasks have the same main cluster.
    selected : (K, D)
        Share of resamples in which the cluster uses the feature.
    kept : (T,)
        Share of resamples in which the task has the main cluster of the model; 0 for outliers.
    strength_lower, strength_upper : (T,)
        Ends of the intervals of the strengths, which are one on the simplex; 0 for outliers.
    coef_se, coef_lower, coef_upper : (K, D)
        Standard errors and intervals of the clusters' coefficients. Those of an exact zero say how
        large it could be; without bound if the data say nothing of it.
    """

    task_names: NDArray[Any]
    memberships: Array
    lower: Array
    upper: Array
    pure: Array
    co_clustering: Array
    selected: Array
    strength_lower: Array
    strength_upper: Array
    coef_se: Array
    coef_lower: Array
    coef_upper: Array
    kept: Array


def stability(
    model: SemisoftTaskClustering,
    X: Any,
    y: ArrayLike,
    tasks: ArrayLike,
    n_boot: int = 50,
    *,
    level: float = 0.9,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
    sample_weight: ArrayLike | None = None,
) -> Stability:
    """How far to trust a fit: intervals, and how often tasks and features stay where they are.

    Rows are resampled within tasks (and within labels). Each time the fit is repeated from where
    the model's ended, and its clusters are matched to the model's. K, the shape, the penalties and
    the outliers are taken from the model; outliers are left out.

    If the model has the right K and shape, a share ``level`` of the intervals contain the truth,
    even if the fit chose wrong zeros in U or wrong clusters for a task. They always contain the
    model's own estimate. Deviations of tasks (``own_ = "deviation"``) are not fitted again and
    count as noise. With ``n_clusters_ = 0`` there is nothing to resample.

    Parameters
    ----------
    model : a fitted estimator, and X, y, tasks the rows it was fitted on.
    n_boot : number of resamples.
    level : share of the intervals that are to contain the truth.
    n_jobs, random_state : as for the estimators.
    sample_weight : as in the fit, if it had any; a row of weight 2 is drawn like two rows.

    Returns
    -------
    Stability
        ``.lower`` and ``.upper`` (T, K), the ends of the intervals of memberships; ``.kept`` (T,),
        how often each task keeps its main cluster; ``.pure`` (T,), ``.co_clustering`` (T, T) and
        ``.selected`` (K, D), how often a task is pure, two tasks share a cluster, and a cluster
        uses a feature; and intervals of strengths and coefficients.

    >>> from stcmtl import stability
    >>> sure = stability(model, train.X, train.y, train.tasks, n_boot=5, random_state=0)
    >>> sure.kept.round(1).tolist()[:4], bool((sure.lower <= sure.upper).all())
    ([1.0, 1.0, 1.0, 1.0], True)
    """
    return drain(
        stability_steps(
            model, X, y, tasks, n_boot, level=level, n_jobs=n_jobs, random_state=random_state,
            sample_weight=sample_weight,
        )
    )  # fmt: skip


def stability_steps(
    model: SemisoftTaskClustering,
    X: Any,
    y: ArrayLike,
    tasks: ArrayLike,
    n_boot: int = 50,
    *,
    level: float = 0.9,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
    sample_weight: ArrayLike | None = None,
) -> Generator[Progress, None, Stability]:
    """As ``stability``, told after every few resamples how many are done."""
    check_is_fitted(model)
    check.check_integer(n_boot, "n_boot", 2)
    check.check_share(level, "level")
    check.check_jobs(n_jobs)
    rows = fitted_rows(model, X, y, tasks, sample_weight)
    if model.n_clusters_ == 0:
        return without_clusters(model, n_boot)
    fit = {"n_clusters": model.n_clusters_, "shape": model.shape_, "own": NONE}
    asked = clone(model).set_params(**fit, random_state=0)
    settings = read_settings(asked, len(model.task_names_))
    announce_compilation()
    inside = ~model.outliers_
    start, kept = model.history_[-1].keep(inside), rows.keep(inside)
    lambdas = model.lambdas_[inside]
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_boot)
    states: list[Iteration] = []
    at_once = effective_n_jobs(n_jobs)
    for first in range(0, n_boot, at_once):
        with ONE_BLAS_THREAD:
            states += Threads(n_jobs)(
                delayed(refit)(resample(kept, seed), start, lambdas, settings)
                for seed in seeds[first : first + at_once]
            )
        yield Progress(len(states), n_boot, f"{len(states)} of {n_boot} resamples fitted")
    with ONE_BLAS_THREAD:
        problem = kept.problem()
        found = find_precision(problem, on_problem(problem, start), model.shape_)
    return Stability(
        model.task_names_,
        **summarise(model, states),
        **task_intervals(model, found, level),
        **coefficient_intervals(model, problem, found.coef, level),
    )


def fitted_rows(
    model: SemisoftTaskClustering,
    X: Any,
    y: ArrayLike,
    tasks: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> Rows:
    """The rows of the fit as it saw them at its end, its tasks in their order."""
    names, rows = model._known_rows(X, y, tasks, sample_weight)
    rows = replace(rows, codes=check.match_tasks(names, model.task_names_)[rows.codes])
    return model._as_fitted(rows)


def membership_intervals(
    model: SemisoftTaskClustering,
    X: Any,
    y: ArrayLike,
    tasks: ArrayLike,
    level: float = 0.9,
    sample_weight: ArrayLike | None = None,
) -> dict[str, Array]:
    """The intervals of `stability` for memberships and strengths, which need no resamples.

    ``lower`` and ``upper`` (T, K), ``strength_lower`` and ``strength_upper`` (T,).
    """
    inside = ~model.outliers_
    with ONE_BLAS_THREAD:
        problem = fitted_rows(model, X, y, tasks, sample_weight).keep(inside).problem()
        state = on_problem(problem, model.history_[-1].keep(inside))
        return task_intervals(model, find_precision(problem, state, model.shape_), level)


def without_clusters(model: SemisoftTaskClustering, n_boot: int) -> Stability:
    """There is nothing that could move."""
    T, D = model.coef_.shape
    nothing, none = np.zeros((T, 0)), np.zeros((0, D))
    alone = np.zeros((n_boot, T, 0)), nothing, nothing, np.zeros(T), np.eye(T), none
    zero = np.zeros(T)
    return Stability(model.task_names_, *alone, zero, zero, none, none, none, zero)


def resample(rows: Rows, seed: int) -> Problem:
    """As many rows of every task, and of every label, drawn with replacement."""
    rng = np.random.default_rng(seed)
    stratum = rows.codes * 2 + (rows.y > 0) if rows.loss == LOGISTIC else rows.codes
    order = np.argsort(stratum, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(stratum[order])) + 1)
    if rows.row_weight is not None:
        drawn = np.zeros(stratum.size)
        for part in parts:
            drawn[part] = draw_counts(rows.row_weight[part], rng)
        return replace(rows, row_weight=drawn).problem(np.flatnonzero(drawn))
    return rows.problem(np.concatenate([rng.choice(part, part.size) for part in parts]))


def draw_counts(weight: Array, rng: np.random.Generator) -> Array:
    """How often each row is drawn, of as many draws as rows count, by their weights."""
    total = float(weight.sum())
    draws = max(round(total), 1)
    return np.asarray(rng.multinomial(draws, weight / total) * (total / draws))


def refit(problem: Problem, start: Iteration, lambdas: Array, settings: Settings) -> Iteration:
    """The model's fit repeated from its end ``start``; clusters in the model's order."""
    U, W = (problem.scaled_coefficients(A) for A in (start.U, start.W))
    b = np.zeros(problem.n_tasks)  # of centred rows
    if start.stage == "refine":
        mixture = Mixture(U, start.V, b, support_shares(start.V))
        penalty = Penalty(start.gamma, PENALTIES[start.penalty])
        states = run_rounds(problem, mixture, penalty, 0, settings, Stopwatch())
    else:
        scaled = replace(start, U=U, W=W, b=b)
        states = stop_when_settled(continue_from(problem, scaled, lambdas, settings), settings.tol)
    *_, last = states
    order = match_clusters(last.V, start.V)
    return replace(last, U=problem.original_coefficients(last.U)[:, order], V=last.V[order])


def continue_from(
    problem: Problem, state: Iteration, lambdas: Array, settings: Settings
) -> Iterator[Iteration]:
    """Algorithm 1 from a state, with the single-task penalties it had."""
    initial = Initial(state.W, state.b, lambdas, np.zeros_like(lambdas))
    for _ in range(MAX_ITERATIONS):
        state = iterate(problem, initial, state, settings)
        yield state


def on_problem(problem: Problem, state: Iteration) -> Iteration:
    """A state on the original scale as the solver has it."""
    b = centred(problem, state.U @ state.V, state.b)
    U, W = (problem.scaled_coefficients(A) for A in (state.U, state.W))
    return replace(state, U=U, W=W, b=b)


def summarise(model: SemisoftTaskClustering, states: list[Iteration]) -> dict[str, Array]:
    """What the resamples say."""
    inside = np.flatnonzero(~model.outliers_)
    T, K = model.memberships_.shape
    V = np.zeros((len(states), T, K))
    V[:, inside] = [as_shares(state.V, model.shape_).T for state in states]
    pure = np.zeros(T)
    pure[inside] = np.mean([state.pure for state in states], axis=0)
    main = V[:, inside].argmax(axis=2)
    together = np.eye(T)
    together[np.ix_(inside, inside)] = np.mean([m[:, None] == m for m in main], axis=0)
    selected = np.mean([state.U.T != 0.0 for state in states], axis=0)
    kept = np.zeros(T)
    follows = np.where(V[:, inside].any(axis=2), main, -1)  # as labels_ are
    kept[inside] = np.mean(follows == model.labels_[inside], axis=0)
    named = {"co_clustering": together, "selected": selected, "kept": kept}
    return {"memberships": V, "pure": pure, **named}


def task_intervals(
    model: SemisoftTaskClustering, found: Precision, level: float
) -> dict[str, Array]:
    """Of memberships and strengths, which are not negative; none of outliers."""
    inside, ends = ~model.outliers_, {}
    shares, strength = model.memberships_[inside].T, model.strength_[inside]
    low, high = found.memberships.interval(level, shares)
    if model.shape_ == "span":  # a loading that may have either sign has a size from zero on
        low, high = np.where(low > 0, low, 0.0), np.maximum(high, -low)
    least, most = found.strength.interval(level, strength)
    low, high = hold_together(low.clip(0, 1).T, high.clip(0, 1).T)
    named = {"lower": low, "upper": high}
    named |= {"strength_lower": least.clip(0), "strength_upper": most.clip(0)}
    for name, values in named.items():
        ends[name] = np.zeros((inside.size, *values.shape[1:]))
        ends[name][inside] = values
    return ends


def coefficient_intervals(
    model: SemisoftTaskClustering, problem: Problem, coef: Estimate, level: float
) -> dict[str, Array]:
    value, se = (problem.original_coefficients(A).T for A in (coef.value, coef.se))
    lower, upper = Estimate(value, se, coef.freedom).interval(level, model.cluster_coef_)
    return {"coef_se": se, "coef_lower": lower, "coef_upper": upper}
