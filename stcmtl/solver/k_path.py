"""The path over K: held-out error for each number of clusters, and the choice of a model.

Every fold has initial fits of its own, made without its held-out rows and shared by all K.
For one K, memberships come from each fold's training rows alone; U then goes down the levels
of its penalty, and the level with the smallest held-out loss counts for this K.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np

from stcmtl.data.taskset import Array
from stcmtl.solver.machine import Threads
from stcmtl.solver.model_choice import Wanted, at_the_edge, describe, try_candidates
from stcmtl.solver.order import Order
from stcmtl.solver.own_choice import kinds_of_deviations
from stcmtl.solver.problem import SQUARED, Problem, Rows
from stcmtl.solver.records import CHECKED, Choice, Initial, KPoint, KSelection, Settings
from stcmtl.solver.single_task import initialise
from stcmtl.solver.trials import DEVIATION, NONE, Candidate, Trials, held_out_error, mean_loss
from stcmtl.solver.unlike import like_no_other, own_losses


def select_k(
    rows: Rows,
    problem: Problem,
    initial: Initial,
    settings: Settings,
    ks: Sequence[int],
    robust: bool,
    own: str = NONE,
) -> Generator[KPoint, None, KSelection]:
    """Yield the points as they come and return the selection.

    ``problem`` holds all rows; ``initial`` are the fits on them, whose singular values are looked
    at. If ``robust``, tasks that no mixture of the others serves take no part. ``own`` is the part
    of a task that clusters leave to it.
    """
    given = rows, problem, initial, settings, min(ks), robust
    rows, problem, initial = without_unlike(*given)
    points, started = [], perf_counter()
    trials = Trials(rows, problem, settings, Threads(settings.n_jobs))
    for k in [k for k in ks if k <= initial.b.size]:
        points.append(as_point(trials, try_number(trials, k, own), started))
        started = perf_counter()
        yield points[-1]
    return curve_of(points, rows, initial)


def try_number(trials: Trials, n_clusters: int, own: str) -> Candidate:
    """So many clusters, or every task on its own."""
    if n_clusters == 0:
        return min(trials.alone, key=mean_loss)
    found = trials.try_clusters(n_clusters, trials.settings.shape)
    if own != DEVIATION:
        return found
    return trials.try_deviations(found, kinds_of_deviations(trials.problem))


def choose_model(
    rows: Rows,
    problem: Problem,
    initial: Initial,
    settings: Settings,
    wanted: Wanted,
    robust: bool,
) -> Generator[KPoint, None, tuple[list[Candidate], list[Choice], KSelection | None]]:
    """Yield a point for every number of clusters that is tried without an own part.

    Returns what is taken and what might be as well, a record of every candidate, and the curve of
    the shape taken.
    """
    given = rows, problem, initial, settings, min(wanted.ks), robust
    rows, problem, initial = without_unlike(*given)
    wanted = replace(wanted, ks=[k for k in wanted.ks if k <= initial.b.size])
    points: dict[str, list[KPoint]] = {}
    candidates, started = [], perf_counter()
    trials = Trials(rows, problem, settings, Threads(settings.n_jobs), wanted.dense)
    for candidate in try_candidates(trials, wanted):
        candidates.append(candidate)
        if candidate.curve is not None:
            point = as_point(trials, candidate, started)
            points.setdefault(candidate.shape, []).append(point)
            yield point
        started = perf_counter()
    taken, choices = describe(trials.problem, candidates, wanted)
    others = at_the_edge([c for c in candidates if c.own in wanted.owns])
    chosen = sorted(points.get(taken.shape, []), key=lambda point: point.k)
    return [taken, *others], choices, curve_of(chosen, rows, initial) if chosen else None


def without_unlike(
    rows: Rows,
    problem: Problem,
    initial: Initial,
    settings: Settings,
    fewest: int,
    robust: bool,
) -> tuple[Rows, Problem, Initial]:
    """Without tasks that no mixture of the others seems to serve, if the fit is robust."""
    if not robust or settings.outlier_rule != CHECKED:
        return rows, problem, initial
    own = own_losses(problem, settings.seed, settings.n_jobs)
    outliers = like_no_other(problem, initial.W, own, settings, fewest)
    if not outliers.any():
        return rows, problem, initial
    kept = rows.keep(~outliers)
    # those set aside have no say in the order either, on which fits hang a little
    kept = Order.of(kept.problem()).apply(kept)
    problem = kept.problem()
    how = settings.n_folds, settings.seed, settings.n_jobs, settings.levels_apart
    initial = initialise(problem, *how)
    return kept, problem, initial


def as_point(trials: Trials, candidate: Candidate, started: float) -> KPoint:
    curve = candidate.curve
    error, se = held_out_error(trials.problem, candidate.row_losses)
    reached = np.nan if curve is None else curve.objective(trials.problem, trials.fold)
    seconds = perf_counter() - started
    return KPoint(candidate.n_clusters, error, se, reached, seconds, candidate.shape)


def curve_of(points: Sequence[KPoint], rows: Rows, initial: Initial) -> KSelection:
    metric = "RMSE" if rows.loss == SQUARED else "error rate"
    return KSelection.of(points, singular_ratios(initial.W), metric)


def singular_ratios(W: Array) -> Array:
    values = np.linalg.svd(W - W.mean(axis=1, keepdims=True), compute_uv=False)
    values = values[values > 1e-10 * max(values.max(initial=0.0), np.finfo(float).tiny)]
    return values[:-1] / values[1:]
