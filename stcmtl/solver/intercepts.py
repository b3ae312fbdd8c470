"""Intercepts that borrow strength (the refinement's last step; not in the paper).

A task's own intercept is as noisy as its few rows. If intercepts follow the clusters as the
coefficients do, b_i = sum_k v_ki beta_k + N(0, tau^2), the best guess lies between the task's
own estimate and its clusters': the classical random-effects shrinkage. ``tau`` is estimated
from the spread that noise does not explain (DerSimonian and Laird's moments), so intercepts
that truly differ are left as they are.
"""

from __future__ import annotations

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.solver.kernels.losses import Loss, pull_and_stiffness
from stcmtl.solver.problem import SQUARED, Problem

FEWEST_SPARE_TASKS = 4  # shrinkage beats the plain estimates from here on (James and Stein)


def pool_intercepts(b: Array, V: Array, information: Array) -> Array:
    """Shrink b (T,) towards the fit of b on memberships V (K, T); 1 / information = variance."""
    root = np.sqrt(information)
    design = (V * root).T
    beta, _, rank, _ = np.linalg.lstsq(design, b * root, rcond=1e-8)
    spare = b.size - int(rank)
    if spare < FEWEST_SPARE_TASKS:
        return b
    center = V.T @ beta
    excess = np.sum(information * (b - center) ** 2) - spare
    leverage = np.einsum("tk,kt->t", design, np.linalg.pinv(design, rcond=1e-8))
    tau2 = max(0.0, excess / np.sum(information * (1.0 - leverage)))
    return center + (b - center) * tau2 / (tau2 + 1.0 / information)


def intercept_information(problem: Problem, f: Array, noise: float) -> Array:
    """1 / variance of each task's own intercept, coefficients given."""
    e, h = np.empty(f.size), np.empty(f.size)
    pull_and_stiffness(Loss(problem.loss, problem.y, np.ones(f.size)), f, e, h)
    scale = 2.0 * noise if problem.loss == SQUARED else 1.0
    return np.bincount(problem.task_of_row, h).astype(np.float64) / scale
