"""Where tasks that were not in the fit belong: their memberships, given the clusters.

min over the simplex and b of (1/n) L(y, X U v + b)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.errors import InputError, Setting
from stcmtl.solver.kernels.simplex import MixedTask, fit_on_support
from stcmtl.solver.memberships import TOLERANCE
from stcmtl.solver.problem import Problem
from stcmtl.solver.thresholds import beyond_fence

BEYOND_CHANCE = 3.09  # standard errors: one ordinary task in a thousand
USUAL_FENCE = 1.5  # Tukey's factor


@dataclass(frozen=True, eq=False)
class Assignment:
    """Tasks by the clusters of a fitted model, in sorted order of their names.

    ``loss`` is the mean loss of the mixture on the task's rows, ``single_loss`` that of the
    best single cluster, ``single``. ``outliers`` are tasks that no mixture fits: their loss
    is beyond that of the model's own tasks, and beyond chance.
    """

    task_names: NDArray[Any]
    memberships: Array  # (T, K)
    coef: Array  # (T, D)
    intercept: Array  # (T,)
    loss: Array  # (T,)
    single: NDArray[np.int64]  # (T,)
    single_loss: Array  # (T,)
    outliers: NDArray[np.bool_]  # (T,)

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


def check_assignment(value: Any, n_features: int) -> None:
    if not isinstance(value, Assignment) or value.coef.shape[1] != n_features:
        raise InputError(
            "is not what assign of this model returned",
            where=Setting("memberships"),
            remedy="pass all of that result",
        )


def assign_tasks(
    problem: Problem, names: NDArray[Any], U: Array, known: Array, spread: float
) -> Assignment:
    """Fit every task of the problem to the clusters U (D, K).

    ``known`` are the losses of the model's own tasks, had they been new, and ``spread`` is
    the standard deviation of the loss of one of their rows.
    """
    K = U.shape[1]
    scaled = problem.scaled_coefficients(U)
    V, b, loss = fit_mixtures(problem, scaled, np.arange(K))
    alone = np.stack([fit_mixtures(problem, scaled, np.array([k]))[2] for k in range(K)])
    usual = known[~beyond_fence(known, USUAL_FENCE)].max()
    return Assignment(
        task_names=names,
        memberships=V.T,
        coef=(U @ V).T,
        intercept=problem.original_intercepts(scaled @ V, b),
        loss=loss,
        single=alone.argmin(axis=0),
        single_loss=alone.min(axis=0),
        outliers=loss > usual + BEYOND_CHANCE * spread / np.sqrt(problem.n_rows),
    )


def fit_mixtures(
    problem: Problem, U: Array, clusters: NDArray[np.int64]
) -> tuple[Array, Array, Array]:
    """V (K, T), intercepts and losses of all tasks as mixtures of the given clusters."""
    K, T = U.shape[1], problem.n_tasks
    Z = np.ascontiguousarray(problem.X @ U)
    V, b, losses = np.zeros((K, T)), np.zeros(T), np.zeros(T)
    for i in range(T):
        task = MixedTask(Z[problem.rows(i)], problem.loss_of_task(i), problem.fit_intercept)
        start = np.full(K, 1.0 / K)
        V[:, i], b[i], losses[i] = fit_on_support(task, start, 0.0, clusters, TOLERANCE)
    return V, b, losses
