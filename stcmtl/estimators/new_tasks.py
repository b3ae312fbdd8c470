"""Where tasks that were not in the fit belong: their loadings, given the clusters.

min over the model's shape and b of (1/n) L(y, X U v + b)

and then, if the model's tasks have parts of their own, the new task's under the same penalty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.errors import InputError, Setting
from stcmtl.estimators.fitted import as_shares
from stcmtl.estimators.places import Places, find_places
from stcmtl.solver.kernels.simplex import SIMPLEX, MixedTask, fit_on_support
from stcmtl.solver.memberships import SHAPES, TOLERANCE, usual_squares
from stcmtl.solver.own_part import OwnPenalty, fit_own
from stcmtl.solver.problem import SQUARED, Problem, Rows
from stcmtl.solver.slopes import SlopeLaw
from stcmtl.solver.thresholds import beyond_fence

BEYOND_CHANCE = 3.09  # standard errors: one ordinary task in a thousand
USUAL_FENCE = 1.5  # Tukey's factor


@dataclass(frozen=True, eq=False)
class Assignment:
    """Tasks by the clusters of a fitted model, in sorted order of their names.

    ``loss`` is the mean loss of the mixture on the task's rows, ``single_loss`` that of the
    best single cluster, ``single``. ``outliers`` are tasks that no mixture fits: their loss
    is beyond that of the model's own tasks, and beyond chance. As in a model, ``coef`` is
    ``loadings @ cluster_coef_ + own_coef``. Without clusters ``single`` is -1. ``places`` says how
    sure the memberships are, from so many ``rows``, where one of weight 2 is two. ``model`` tells
    whose clusters they are, and stays the same when the model is saved and loaded.
    """

    task_names: NDArray[Any]
    memberships: Array  # (T, K)
    loadings: Array  # (T, K)
    own_coef: Array  # (T, D)
    coef: Array  # (T, D)
    intercept: Array  # (T,)
    loss: Array  # (T,)
    single: NDArray[np.int64]  # (T,)
    single_loss: Array  # (T,)
    outliers: NDArray[np.bool_]  # (T,)
    rows: NDArray[np.int64]  # (T,)
    places: Places
    model: str

    def beside(
        self, names: pd.Index, coef: Array, intercept: Array
    ) -> tuple[pd.Index, Array, Array]:
        """These tasks, and those of the fit that are not among them."""
        new = pd.Index(self.task_names)
        other = ~names.isin(new)
        return (
            new.append(names[other]),
            np.concatenate([self.coef, coef[other]]),
            np.concatenate([self.intercept, intercept[other]]),
        )


def fingerprint(model: Any) -> str:
    """The same for the same coefficients, to the last bit."""
    digest = sha256()
    coef = vars(model).get("coef_", model.loadings_)  # which of very many tasks is not kept
    for array in (model.cluster_coef_, coef, model.intercept_):
        digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def check_assignment(value: Any, model: Any) -> None:
    if not isinstance(value, Assignment) or value.model != fingerprint(model):
        raise InputError(
            "is not what assign of this model returned",
            where=Setting("memberships"),
            remedy="pass all of that result",
        )


def assign_tasks(rows: Rows, names: NDArray[Any], model: Any) -> Assignment:
    """Fit every task of the rows to the clusters of the model."""
    U = model.cluster_coef_.T
    K = U.shape[1]
    own_penalty = None
    if model.own_penalty_ is not None:
        law = None if model.own_law_ is None else SlopeLaw(*model.own_law_)
        kind, level = model.own_penalty_
        own_penalty = OwnPenalty(kind, level, law, model.own_stretch_)
    problem = replace(rows, standardize=False).problem()
    if own_penalty is not None and model.standardized_:  # whose level is that of scaled features
        spread = np.where(model.feature_scale_ > 0, model.feature_scale_, 1.0)
        scaled_rows = rows.X, rows.y, rows.codes, rows.loss, rows.fit_intercept, spread
        problem = Problem.build(*scaled_rows, rows.row_weight)
    scaled = problem.scaled_coefficients(U)
    shape = SHAPES[model.shape_]
    usual = usual_squares(model.loadings_.T)
    V, b, loss = fit_mixtures(problem, scaled, np.arange(K), shape, usual, model.noise_)
    single, single_loss = np.full(problem.n_tasks, -1), loss
    if K:
        alone = np.stack(
            [
                fit_mixtures(problem, scaled, np.array([k]), shape, usual, model.noise_)[2]
                for k in range(K)
            ]
        )
        single, single_loss = alone.argmin(axis=0), alone.min(axis=0)
    places = find_places(problem, model, scaled, V, b)
    own = np.zeros((scaled.shape[0], problem.n_tasks))
    if own_penalty is not None:
        own, shift = fit_own(problem, problem.predictions(scaled @ V, b), own_penalty)
        b = b + shift
    if own_penalty is not None or shape != SIMPLEX:  # where the loss has a ridge in it
        f = problem.predictions(scaled @ V + own, b)
        loss = problem.task_means(problem.row_losses(f))
    known = model.losses_[~model.outliers_] + model.optimism_
    largest = known[~beyond_fence(known, USUAL_FENCE)].max()
    own_coef = problem.original_coefficients(own)
    return Assignment(
        task_names=names,
        memberships=as_shares(V, model.shape_).T,
        loadings=V.T,
        own_coef=own_coef.T,
        coef=(U @ V + own_coef).T,
        intercept=problem.original_intercepts(scaled @ V + own, b),
        loss=loss,
        single=single,
        single_loss=single_loss,
        outliers=loss > largest + BEYOND_CHANCE * model.loss_spread_ / np.sqrt(problem.counts),
        rows=count_rows(rows),
        places=places,
        model=fingerprint(model),
    )


def count_rows(rows: Rows) -> NDArray[np.int64]:
    """Of each task: as often as they count, unless their weights only compare them."""
    if (rows.row_counts % 1.0).any():
        return np.bincount(rows.codes)
    return np.rint(rows.counts).astype(np.int64)


def fit_mixtures(
    problem: Problem,
    U: Array,
    clusters: NDArray[np.int64],
    shape: int,
    usual: Array,
    noise: float,
) -> tuple[Array, Array, Array]:
    """V (K, T), intercepts and losses of all tasks as mixtures of the given clusters.

    ``usual`` are the squares that loadings have as a rule; they hold those of a few rows back.
    """
    K, T = U.shape[1], problem.n_tasks
    if not K:
        return np.zeros((0, T)), *null_models(problem)
    Z = np.ascontiguousarray(problem.X @ U)
    V, b, losses = np.zeros((K, T)), np.zeros(T), np.zeros(T)
    scale = 1.0 / noise if problem.loss == SQUARED else 2.0
    ridge = np.zeros(K) if shape == SIMPLEX else 2.0 / (scale * usual)
    for i in range(T):
        rows, loss = problem.rows(i), problem.loss_of_task(i)
        task = MixedTask(Z[rows], loss, problem.fit_intercept, shape, ridge / problem.counts[i])
        start = np.full(K, 1.0 / K)
        V[:, i], b[i], losses[i] = fit_on_support(task, start, 0.0, clusters, TOLERANCE)
    return V, b, losses


def null_models(problem: Problem) -> tuple[Array, Array]:
    """Intercepts alone, and their losses; the targets of the squared loss are centred."""
    b = np.zeros(problem.n_tasks)
    if problem.fit_intercept and problem.loss != SQUARED:
        share = problem.task_means(problem.y > 0)
        both = (share > 0) & (share < 1)
        b[both] = np.log(share[both] / (1.0 - share[both]))
    return b, problem.task_means(problem.row_losses(b[problem.task_of_row]))
