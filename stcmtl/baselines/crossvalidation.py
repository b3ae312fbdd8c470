"""Cross-validation along paths of penalties: all folds go down together, warm-started."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed

from stcmtl.baselines.base import CVPoint, Options, Progress
from stcmtl.problem import Problem
from stcmtl.tasks import Array

PATIENCE = 3  # levels without improvement before a path ends
CV_TOLERANCE, FINAL_TOLERANCE = 1e-5, 1e-8

Penalties = dict[str, float]
Path = Sequence[Penalties]  # from the strongest on


class Fitted(Protocol):
    """What a solver returns and starts from; it may hold more."""

    @property
    def W(self) -> Array: ...  # noqa: N802

    @property
    def b(self) -> Array: ...


State = TypeVar("State", bound=Fitted)


class Solver(Protocol[State]):
    """Minimise sum over rows of weight * L plus the penalty, from ``start`` or from nothing."""

    def __call__(
        self, weight: Array, penalties: Penalties, start: State | None, tol: float
    ) -> State: ...


@dataclass(frozen=True)
class Choice:
    """Every point tried, and the path down to the best of them."""

    points: list[CVPoint]
    path: Path


def choose(
    problem: Problem, options: Options, solve: Solver[State], paths: Sequence[Path]
) -> Generator[Progress, None, Choice]:
    """Try every path from its start until ``PATIENCE`` levels have brought no improvement."""
    fold = problem.folds(options.n_folds, options.seed)
    held_out = [fold == c for c in range(int(fold.max()) + 1)]
    weights = [problem.training_weight(held) for held in held_out]
    total = sum(map(len, paths))
    points, done, lowest, chosen = [], 0, np.inf, paths[0][:1]
    with Parallel(n_jobs=options.n_jobs, prefer="threads") as parallel:
        for path in paths:
            states: list[State | None] = [None] * len(held_out)
            best = (np.inf, 0)
            for step, penalties in enumerate(path):
                states = parallel(
                    delayed(solve)(weight, penalties, state, CV_TOLERANCE)
                    for weight, state in zip(weights, states, strict=True)
                )
                points.append(held_out_point(problem, penalties, states, held_out))
                best = min(best, (points[-1].loss, step))
                if points[-1].loss < lowest:
                    lowest, chosen = points[-1].loss, path[: step + 1]
                yield Progress(done + step + 1, total, "cross-validation")
                if step - best[1] >= PATIENCE:
                    break
            done += len(path)
    return Choice(points, chosen)


def held_out_point(
    problem: Problem,
    penalties: Penalties,
    states: Sequence[Fitted | None],
    held_out: Sequence[Array],
) -> CVPoint:
    """Mean loss of every row under the fit that has not seen it."""
    losses = np.empty(problem.y.size)
    for state, held in zip(states, held_out, strict=True):
        assert state is not None
        losses[held] = problem.row_losses(problem.predictions(state.W, state.b))[held]
    se = losses.std() / np.sqrt(losses.size)
    return CVPoint(penalties, float(losses.mean()), float(se))


def refit(problem: Problem, solve: Solver[State], path: Path) -> Generator[Progress, None, State]:
    """All rows, down the path to its end, which alone is solved to the last digits."""
    state = None
    for step, penalties in enumerate(path, start=1):
        tol = FINAL_TOLERANCE if step == len(path) else CV_TOLERANCE
        state = solve(problem.weight, penalties, state, tol)
        yield Progress(step, len(path), "final fit")
    assert state is not None
    return state
