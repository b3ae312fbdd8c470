"""From the last iteration to the attributes of a fitted model, on the original scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.centers import predictions
from stcmtl.solver.memberships import inside_noise, nearest_mixtures
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Initial, Iteration, Settings
from stcmtl.solver.refinement import intercept_information, pool_intercepts
from stcmtl.solver.thresholds import fence, purity_scores

NO_CLUSTER = -1  # the label of an outlier


def fitted_attributes(
    problem: Problem, initial: Initial, iterations: list[Iteration], settings: Settings
) -> dict[str, Any]:
    last = iterations[-1]
    order = cluster_order(last.V)
    history = [unscale(problem, state, order) for state in iterations]
    final, inside = history[-1], ~last.outliers
    W = np.where(inside, final.U @ final.V, final.W)
    scaled = W * problem.scale[:, None]  # units make no tasks alike
    S = scaled.T @ scaled
    purity = np.zeros(inside.size)
    purity[inside] = purity_scores(S[np.ix_(inside, inside)], settings.epsilon)
    noise = inside_noise(problem, last)
    V, b = nearest_mixtures(problem, last)
    distances = np.linalg.norm(initial.W - last.U @ V, axis=0)
    row_losses = problem.row_losses(predictions(problem, last.U, V, b))
    return {
        "n_clusters_": settings.n_clusters,
        "cluster_coef_": final.U.T,
        "memberships_": final.V.T,
        "coef_": W.T,
        "intercept_": final_intercepts(problem, last, noise),
        "single_task_coef_": problem.original_coefficients(initial.W).T,
        "single_task_intercept_": problem.original_intercepts(initial.W, initial.b),
        "labels_": np.where(inside, final.V.argmax(axis=0), NO_CLUSTER),
        "pure_": last.pure,
        "similarity_": S,
        "purity_": purity,
        "lambdas_": initial.lambdas,
        "gamma_": last.gamma,
        "history_": history,
        "n_iter_": sum(state.stage == "paper" for state in iterations),
        "distances_": distances,
        "fence_": fence(distances, settings.outlier_factor),
        "outliers_": last.outliers,
        "noise_": noise,
        "losses_": np.bincount(problem.task_of_row, row_losses) / problem.n_rows,
        "optimism_": optimism(problem, last, noise),
        "loss_spread_": float(row_losses[inside[problem.task_of_row]].std()),
    }


def cluster_order(V: Array) -> NDArray[np.int64]:
    """Clusters in the order in which tasks first belong mainly to them, empty ones last."""
    labels = np.where(V.any(axis=0), V.argmax(axis=0), NO_CLUSTER)
    first = [np.flatnonzero(labels == k).min(initial=labels.size) for k in range(len(V))]
    return np.argsort(first, kind="stable")


def unscale(problem: Problem, state: Iteration, order: NDArray[np.int64]) -> Iteration:
    """Undo centring and scaling, and drop what the solver added to a lone feature."""
    U, W = (problem.original_coefficients(A) for A in (state.U, state.W))
    b = problem.original_intercepts(model_coefficients(state), state.b)
    return replace(state, U=U[:, order], V=state.V[order], W=W, b=b)


def model_coefficients(state: Iteration) -> Array:
    """U V, and an outlier's own."""
    return np.where(state.outliers, state.W, state.U @ state.V)


def final_intercepts(problem: Problem, last: Iteration, noise: float) -> Array:
    """Intercepts on the original scale; after the refinement they borrow strength."""
    b = problem.original_intercepts(model_coefficients(last), last.b)
    if last.stage == "refine" and problem.fit_intercept:
        inside = ~last.outliers
        part, state = problem.keep(inside), last.keep(inside)
        f = predictions(part, state.U, state.V, state.b)
        information = intercept_information(part, f, noise)
        b[inside] = pool_intercepts(b[inside], state.V, information)
    return b


def optimism(problem: Problem, state: Iteration, noise: float) -> float:
    """How much smaller a row's loss is where U was fitted than elsewhere (Akaike's)."""
    n_rows = problem.n_rows[~state.outliers].sum()
    price = 2.0 * noise if problem.loss == SQUARED else 1.0
    return float(price * np.count_nonzero(state.U) / n_rows)
