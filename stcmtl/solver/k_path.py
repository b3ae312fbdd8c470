"""The path over K: held-out error for each number of clusters.

Every fold has initial fits of its own, made without its held-out rows and shared by all K.
For one K, memberships come from each fold's training rows alone; U then goes down the levels
of its penalty, and the level with the smallest held-out loss counts for this K.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from stcmtl.data.taskset import Array
from stcmtl.solver.centers import L1, MCP, noise_scale
from stcmtl.solver.outliers import check_enough, find_unlike_others
from stcmtl.solver.penalty_choice import ValidationCurve, validation_curve
from stcmtl.solver.problem import SQUARED, Problem, Rows
from stcmtl.solver.records import CHECKED, Initial, KPoint, KSelection, Settings
from stcmtl.solver.refinement import choose_start
from stcmtl.solver.single_task import initialise
from stcmtl.solver.soup import soup


def select_k(
    rows: Rows, initial: Initial, settings: Settings, ks: Sequence[int], robust: bool
) -> Generator[KPoint, None, KSelection]:
    """Yield the points as they come and return the selection.

    ``initial`` are the fits on all rows, whose singular values are looked at. If ``robust``,
    tasks that no mixture of the others serves take no part.
    """
    if robust and settings.outlier_rule == CHECKED:
        outliers = find_unlike_others(rows.problem(), initial, settings.outlier_factor)
        check_enough(outliers, min(ks))
        rows, initial = rows.keep(~outliers), initial.keep(~outliers)
    points = []
    for point in k_points(rows, settings, [k for k in ks if k <= initial.b.size]):
        points.append(point)
        yield point
    metric = "RMSE" if rows.loss == SQUARED else "error rate"
    return KSelection.of(points, singular_ratios(initial.W), metric)


def k_points(rows: Rows, settings: Settings, ks: Sequence[int]) -> Iterator[KPoint]:
    """One point per K, in the order given."""
    started = perf_counter()
    problem = rows.problem()
    fold = problem.folds(settings.n_folds, settings.seed)
    parts = []
    for c in range(int(fold.max()) + 1):
        part = rows.problem(rows.by_task[fold != c])
        parts.append((part, initialise(part, settings.n_folds, settings.seed, settings.n_jobs)))
    with Parallel(n_jobs=settings.n_jobs, prefer="threads") as parallel:
        for k in ks:
            V_of_fold = parallel(
                delayed(find_memberships)(*part, replace(settings, n_clusters=k)) for part in parts
            )
            curve = validate(problem, V_of_fold, fold, parallel)
            now = perf_counter()
            yield KPoint(
                k, *held_out_error(problem, curve), curve.objectives[curve.best], now - started
            )
            started = perf_counter()


def validate(
    problem: Problem, V_of_fold: Sequence[Array], fold: NDArray[np.int64], parallel: Parallel
) -> ValidationCurve:
    """Down the levels of the MCP, or of the l1 norm where that predicts the first fold better."""

    def curve(V: Sequence[Array], inverse_a: float) -> ValidationCurve:
        scales = [noise_scale(problem, part) for part in V]
        return validation_curve(problem, V, scales, fold, inverse_a, parallel)

    sparse, plain = curve(V_of_fold, MCP), curve(V_of_fold[:1], L1)
    first = fold == 0
    if sparse.lowest[first].mean() <= plain.lowest[first].mean():
        return sparse
    plain = curve(V_of_fold, L1)
    return min(sparse, plain, key=lambda curve: curve.lowest.mean())


def find_memberships(problem: Problem, initial: Initial, settings: Settings) -> Array:
    V = soup(initial.W, settings.n_clusters, settings.theta, settings.epsilon, settings.seed).V
    return choose_start(problem, initial, V, settings).V


def held_out_error(problem: Problem, curve: ValidationCurve) -> tuple[float, float]:
    """RMSE or error rate over the held-out rows, and its standard error."""
    losses = curve.lowest
    if problem.loss == SQUARED:
        rmse = np.sqrt(losses.mean())
        spread = losses.std() / np.sqrt(losses.size)
        return float(rmse), float(spread / (2.0 * rmse)) if rmse > 0 else 0.0  # delta method
    wrong = losses > np.log(2.0)  # log(1 + exp(-y f)) where y f < 0
    return float(wrong.mean()), float(wrong.std() / np.sqrt(wrong.size))


def singular_ratios(W: Array) -> Array:
    values = np.linalg.svd(W - W.mean(axis=1, keepdims=True), compute_uv=False)
    values = values[values > 1e-10 * max(values.max(initial=0.0), np.finfo(float).tiny)]
    return values[:-1] / values[1:]
