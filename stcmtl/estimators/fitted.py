"""From the last iteration to the attributes of a fitted model, on the original scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stcmtl.data.checks import number_clusters
from stcmtl.data.taskset import Array
from stcmtl.data.weighted import std_of, take
from stcmtl.estimators.intervals import coefficient_errors
from stcmtl.solver.centers import predictions
from stcmtl.solver.memberships import inside_noise, nearest_mixtures
from stcmtl.solver.own_part import OwnPenalty, fit_own, learn_law
from stcmtl.solver.problem import SQUARED, Problem
from stcmtl.solver.records import Initial, Iteration, Settings
from stcmtl.solver.refinement import intercept_information, pool_intercepts
from stcmtl.solver.slopes import middle_of
from stcmtl.solver.soup import sampled_purity
from stcmtl.solver.thresholds import fence
from stcmtl.solver.trials import ALONE, DEVIATION, NONE

NO_CLUSTER = -1  # the label of an outlier
ROUNDING = 1e-9  # of a loading


def fitted_attributes(
    problem: Problem,
    initial: Initial,
    iterations: list[Iteration],
    settings: Settings,
    own_penalty: OwnPenalty | None,
) -> dict[str, Any]:
    last = iterations[-1]
    precision = problem.precision
    order = cluster_order(last.V)
    history = [unscale(problem, state, order) for state in iterations]
    final, inside = history[-1], ~last.outliers
    alone = last.stage == ALONE
    noise = inside_noise(problem, last)
    own, b = np.where(last.outliers | alone, last.W, 0.0), last.b
    if own_penalty is not None and not alone:
        own, b, own_penalty = add_own(problem, last, own, own_penalty)
    if own_penalty is None or own_penalty.law is None:
        b = final_intercepts(problem, last, own, b, noise)
    else:  # which has intercepts in it
        b = problem.original_intercepts(last.U @ last.V + own, b)
    W = final.U @ final.V + problem.original_coefficients(own)
    scaled = W * problem.scale[:, None]  # units make no tasks alike
    purity = np.zeros(inside.size)
    purity[inside] = sampled_purity(scaled[:, inside], settings.epsilon, settings.seed)
    V, nearest_b = (last.V, last.b) if alone else nearest_mixtures(problem, last, settings.shape)
    distances = np.linalg.norm(initial.W - last.U @ V, axis=0)
    f = predictions(problem, last.U, V, nearest_b)
    if alone or own_penalty is not None:
        f = problem.predictions(last.U @ V + own, centred(problem, W, b))
    row_losses = problem.row_losses(f)
    return {
        "n_clusters_": settings.n_clusters,
        "shape_": settings.shape,
        "own_": ALONE if alone else NONE if own_penalty is None else DEVIATION,
        "own_penalty_": None if own_penalty is None else (own_penalty.kind, own_penalty.level),
        "own_stretch_": 1.0 if own_penalty is None else own_penalty.stretch,
        "own_law_": None
        if own_penalty is None or own_penalty.law is None
        else tuple(own_penalty.law),
        "cluster_coef_": final.U.T,
        "cluster_names_": number_clusters(settings.n_clusters),
        "cluster_coef_se_": errors_of_clusters(problem, last, settings.shape)[:, order].T,
        "loadings_": final.V.T,
        "memberships_": as_shares(final.V, settings.shape).T,
        "strength_": strengths(final.V, settings.shape),
        "own_coef_": problem.original_coefficients(own).T,
        "own_share_": own_shares(problem, last.U @ last.V, own),
        "coef_": W.T,
        "intercept_": b,
        "single_task_coef_": problem.original_coefficients(initial.W).T,
        "single_task_intercept_": problem.original_intercepts(initial.W, initial.b),
        "labels_": main_clusters(final.V),
        "pure_": np.count_nonzero(final.V, axis=0) == 1,
        "purity_": purity,
        "lambdas_": initial.lambdas,
        "gamma_": last.gamma,
        "history_": history,
        "n_iter_": sum(state.stage == "paper" for state in iterations),
        "distances_": distances,
        "fence_": fence(distances, settings.outlier_factor),
        "outliers_": last.outliers,
        "precision_": None if precision is None else precision.fit,
        "noise_": noise,
        "losses_": problem.task_means(row_losses),
        "optimism_": optimism(problem, last, noise),
        "loss_spread_": spread_of_losses(problem, row_losses, inside),
    }


def simplex_attributes(model: Any) -> dict[str, Any]:
    """What a model of an earlier release has not learnt: all of them were mixtures."""
    return {
        "shape_": "simplex",
        "own_": "none",
        "own_penalty_": None,
        "own_stretch_": 1.0,
        "own_law_": None,
        "loadings_": model.memberships_,
        "strength_": np.where(model.outliers_, 0.0, 1.0),
        "own_coef_": np.where(model.outliers_[:, None], model.coef_, 0.0),
        "own_share_": model.outliers_.astype(np.float64),
    }


def plain_attributes(loss: int) -> dict[str, Any]:
    """What is so where no value is wild, and in models of an earlier release."""
    return {
        "loss_": "squared" if loss == SQUARED else "logistic",
        "suspect_rows_": np.zeros(0, dtype=np.int64),
        "residual_limits_": None,
        "precision_": None,
        "alternatives_": [],
    }


def add_own(
    problem: Problem, last: Iteration, own: Array, penalty: OwnPenalty
) -> tuple[Array, Array, OwnPenalty]:
    """Deviations of the tasks that are not outliers, beside what there is already."""
    inside = ~last.outliers
    part, kept = problem.keep(inside), last.keep(inside)
    f = predictions(part, kept.U, kept.V, kept.b)
    own, b = own.copy(), last.b.copy()
    penalty = learn_law(part, f, penalty)
    own[:, inside], shift = fit_own(part, f, penalty)
    b[inside] += shift
    return own, b, penalty


def errors_of_clusters(problem: Problem, last: Iteration, shape: str) -> Array:
    """Standard errors (D, K) of the clusters' coefficients, from tasks that are not outliers."""
    inside = ~last.outliers
    errors = coefficient_errors(problem.keep(inside), last.keep(inside), shape)
    return problem.original_coefficients(errors)


def centred(problem: Problem, W: Array, b: Array) -> Array:
    """Intercepts as the solver has them, of coefficients and intercepts on the original scale."""
    scaled = problem.scaled_coefficients(W)
    return b - problem.target_means + np.einsum("td,dt->t", problem.means, scaled)


def own_shares(problem: Problem, mixed: Array, own: Array) -> Array:
    """Variance of the own part's predictions, beside that of the mixture's."""
    shares = np.zeros(problem.n_tasks)
    for i in np.flatnonzero(own.any(axis=0)).tolist():
        X = problem.X[problem.rows(i)]
        parts, weight = (X @ own[:, i], X @ mixed[:, i]), problem.weight_of(i)
        variances = [part.var() if weight is None else std_of(part, weight) ** 2 for part in parts]
        shares[i] = variances[0] / max(sum(variances), np.finfo(float).tiny)
    return shares


def as_shares(V: Array, shape: str) -> Array:
    """Memberships: sizes of loadings in shares, which those on the simplex are already."""
    if shape == "simplex":
        return V
    strength = np.abs(V).sum(axis=0)
    return np.abs(V) / np.where(strength > 0, strength, 1.0)


def strengths(V: Array, shape: str) -> Array:
    """Sums of sizes of loadings; one on the simplex, whatever rounding says."""
    return np.where(V.any(axis=0), 1.0, 0.0) if shape == "simplex" else np.abs(V).sum(axis=0)


def main_clusters(V: Array) -> NDArray[np.int64]:
    """The cluster of the largest loading, of those that tie the first; or none."""
    if not len(V):
        return np.full(V.shape[1], NO_CLUSTER)
    size = np.abs(V)
    largest = size >= (1.0 - ROUNDING) * size.max(axis=0)
    return np.where(V.any(axis=0), largest.argmax(axis=0), NO_CLUSTER)


def cluster_order(V: Array) -> NDArray[np.int64]:
    """Clusters in the order in which tasks first belong mainly to them, empty ones last."""
    labels = main_clusters(V)
    first = [np.flatnonzero(labels == k).min(initial=labels.size) for k in range(len(V))]
    return np.argsort(first, kind="stable")


def unscale(problem: Problem, state: Iteration, order: NDArray[np.int64]) -> Iteration:
    """Undo centring and scaling, and drop what the solver added to a lone feature."""
    U, W = (problem.original_coefficients(A) for A in (state.U, state.W))
    b = problem.original_intercepts(model_coefficients(state), state.b)
    return replace(state, U=U[:, order], V=state.V[order], W=W, b=b)


def model_coefficients(state: Iteration) -> Array:
    """U V; an outlier's own, and everybody's where there are no clusters."""
    return np.where(state.outliers | (state.stage == ALONE), state.W, state.U @ state.V)


def final_intercepts(
    problem: Problem, last: Iteration, own: Array, b: Array, noise: float
) -> Array:
    """Intercepts on the original scale; after the refinement they borrow strength."""
    W = last.U @ last.V + own
    original = problem.original_intercepts(W, b)
    if last.stage == "refine" and problem.fit_intercept:
        inside = ~last.outliers
        part, V = problem.keep(inside), last.V[:, inside]
        f = predictions(part, last.U, V, b[inside])
        if own[:, inside].any():
            f += part.predictions(own[:, inside], np.zeros(part.n_tasks))
        information = intercept_information(part, f, noise)
        # of the mean row: at the origin own coefficients would spread them, the more the farther
        lever = middle_of(part) @ own[:, inside]
        original[inside] = pool_intercepts(original[inside] + lever, V, information) - lever
    return original


def spread_of_losses(problem: Problem, losses: Array, inside: NDArray[np.bool_]) -> float:
    rows = inside[problem.task_of_row]
    return float(std_of(losses[rows], take(problem.row_weight, rows)))


def optimism(problem: Problem, state: Iteration, noise: float) -> float:
    """How much smaller a row's loss is where U was fitted than elsewhere (Akaike's)."""
    n_rows = problem.counts[~state.outliers].sum()
    price = 2.0 * noise if problem.loss == SQUARED else 1.0
    return float(price * np.count_nonzero(state.U) / n_rows)
