"""Cross-validation that is close around the best penalties only, for solvers that go from step to
step: most steps are the last ones, and few levels are worth them.

The first path is followed roughly, until the held-out error has clearly passed its lowest. Then
levels are solved closely, until the lowest and its neighbours are. On other paths the search
begins at the level at which the one before was lowest, and goes on as far as the error falls. All
paths have the same rough fits to begin with, which solvers must leave as they are: a better start
would make a fit seem better.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from stcmtl.baselines.base import CVPoint, Options
from stcmtl.baselines.crossvalidation import (
    CV_TOLERANCE,
    PATIENCE,
    Folds,
    Path,
    Penalties,
    Search,
    Solver,
    State,
    fit_best,
)
from stcmtl.progress import Progress
from stcmtl.solver.problem import Problem

ROUGH_TOLERANCE = 1e-5

Points = dict[int, CVPoint]  # by the place in their path


def fit_near_best(
    problem: Problem, options: Options, solve: Solver[State], paths: Sequence[Path]
) -> Generator[Progress, None, tuple[State, Penalties, list[CVPoint]]]:
    """``fit_best``, by a search."""
    return fit_best(problem, options, solve, paths, search)


def search(
    problem: Problem, options: Options, solve: Solver[State], paths: Sequence[Path]
) -> Search:
    """Every point tried, and the path down to the best of them."""
    folds, total = Folds(problem, options, solve), sum(map(len, paths))
    points, rough = yield from go_down(folds, paths[0], total)
    found: list[CVPoint] = []
    at, lowest, chosen = find_lowest(points), np.inf, paths[0]
    for number, path in enumerate(paths):
        states, unsolved = rough, set(range(len(path)))
        while near := [i for i in (at, at + 1, at - 1) if i in unsolved]:
            states, points[near[0]] = folds.solve(path[near[0]], states, CV_TOLERANCE)
            unsolved.remove(near[0])
            at = find_lowest(points)
            yield Progress(number * len(path) + len(points), total, "cross-validation")
        found += [points[i] for i in sorted(points)]
        if points[at].loss >= lowest:
            break
        lowest, chosen, points = points[at].loss, path[: at + 1], {}
    return found, chosen


def go_down(
    folds: Folds[State], path: Path, total: int
) -> Generator[Progress, None, tuple[Points, list[State | None]]]:
    """Roughly, until ``PATIENCE`` levels have brought no improvement."""
    points: Points = {}
    states = folds.nothing
    for i, penalties in enumerate(path):
        states, points[i] = folds.solve(penalties, states, ROUGH_TOLERANCE)
        yield Progress(i + 1, total, "cross-validation")
        if i - find_lowest(points) >= PATIENCE:
            break
    return points, states


def find_lowest(points: Points) -> int:
    return min(points, key=lambda i: points[i].loss)
