"""Cross-validation along paths of penalties: all folds go down together, warm-started."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from stcmtl.baselines.base import CVPoint, Options
from stcmtl.data.taskset import Array
from stcmtl.data.weighted import error_of, mean_of, take
from stcmtl.progress import Progress
from stcmtl.solver.machine import Threads
from stcmtl.solver.problem import Problem
from stcmtl.solver.records import Initial
from stcmtl.solver.single_task import initialise

PATIENCE = 4  # levels without improvement before a path ends
CV_TOLERANCE, FINAL_TOLERANCE = 1e-7, 1e-13
WAY_TOLERANCE = 1e-5  # of fits that are but a start for the next

Penalties = dict[str, float]
Path = Sequence[Penalties]  # from the strongest on
Search = Generator[Progress, None, tuple[list[CVPoint], Path]]


class Fitted(Protocol):
    """What a solver returns and starts from; it may hold more."""

    @property
    def W(self) -> Array: ...  # noqa: N802

    @property
    def b(self) -> Array: ...


State = TypeVar("State", bound=Fitted)
Start = TypeVar("Start")


class Solver(Protocol[State]):
    """Minimise sum over rows of weight * L plus the penalty, from ``start`` or from nothing."""

    def __call__(
        self, weight: Array, penalties: Penalties, start: State | None, tol: float
    ) -> State: ...


def fit_best(
    problem: Problem,
    options: Options,
    solve: Solver[State],
    paths: Sequence[Path],
    find: Callable[..., Search] | None = None,
) -> Generator[Progress, None, tuple[State, Penalties, list[CVPoint]]]:
    """The fit at the best penalties of all paths, and the points it was chosen by.

    Paths are in an order along which the best of each falls and then rises: none is tried
    after one that is no better. A single candidate is taken as it is, and there are no points.
    """
    points: list[CVPoint] = []
    chosen = paths[0]
    if sum(map(len, paths)) > 1:
        find = find or partial(choose, path_patience=1)
        points, chosen = yield from find(problem, options, solve, paths)
    state = yield from refit(problem, solve, chosen)
    return state, chosen[-1], points


def choose(
    problem: Problem,
    options: Options,
    solve: Solver[State],
    paths: Sequence[Path],
    path_patience: float = np.inf,
    patience: int = PATIENCE,
    tol: float = CV_TOLERANCE,
) -> Search:
    """Every point tried, and the path down to the best of them.

    A path is left once ``patience`` levels have brought no improvement on it; the others are
    left out once ``path_patience`` paths in a row have brought none.
    """
    folds = Folds(problem, options, solve)
    total = sum(map(len, paths))
    points: list[CVPoint] = []
    done, lowest, chosen, in_vain = 0, np.inf, paths[0], 0
    for path in paths:
        states = folds.nothing
        losses: list[float] = []
        for penalties in path:
            states, point = folds.solve(penalties, states, tol)
            points.append(point)
            losses.append(point.loss)
            if losses[-1] < lowest:
                lowest, chosen = losses[-1], path[: len(losses)]
            yield Progress(done + len(losses), total, "cross-validation")
            if len(losses) - int(np.argmin(losses)) > patience:
                break
        done += len(path)
        in_vain = 0 if min(losses) == lowest else in_vain + 1
        if in_vain >= path_patience:
            break
    return points, chosen


class Folds(Generic[State]):
    """Fits side by side, each of which leaves one fold out."""

    def __init__(self, problem: Problem, options: Options, solve: Solver[State]) -> None:
        fold = problem.folds(options.n_folds, options.seed)
        self.problem, self.fit = problem, solve
        self.held_out = [fold == c for c in range(int(fold.max()) + 1)]
        self.weights = [problem.training_weight(held) for held in self.held_out]
        self.nothing: list[State | None] = [None] * len(self.weights)
        self.parallel = Threads(options.n_jobs)

    def solve(
        self, penalties: Penalties, states: list[State | None], tol: float
    ) -> tuple[list[State | None], CVPoint]:
        """Go on from ``states``, and predict what each has left out."""
        states = self.parallel(
            delayed(self.fit)(weight, penalties, state, tol)
            for weight, state in zip(self.weights, states, strict=True)
        )
        return states, held_out_point(self.problem, penalties, states, self.held_out)


def held_out_point(
    problem: Problem,
    penalties: Penalties,
    states: Sequence[Fitted | None],
    held_out: Sequence[NDArray[np.bool_]],
) -> CVPoint:
    """Mean loss of every row under the fit that has not seen it."""
    fits = [state for state in states if state is not None]
    coefficients = np.stack([fit.W for fit in fits], axis=-1)  # (D, T, folds)
    predicted = np.concatenate(
        [problem.X[problem.rows(i)] @ coefficients[:, i] for i in range(problem.n_tasks)]
    )
    predicted += np.stack([fit.b for fit in fits], axis=-1)[problem.task_of_row]
    losses = problem.row_losses(predicted[np.stack(held_out, axis=-1)])
    weight = problem.row_weight
    return CVPoint(penalties, float(mean_of(losses, weight)), error_of(losses, weight))


def refit(problem: Problem, solve: Solver[State], path: Path) -> Generator[Progress, None, State]:
    """All rows, down the path to its end, which alone is solved to the last digits."""
    state = None
    for penalties in path[:-1]:
        state = solve(problem.weight, penalties, state, WAY_TOLERANCE)
        yield Progress(1, 2, "final fit")
    fit = solve(problem.weight, path[-1], state, FINAL_TOLERANCE)
    yield Progress(2, 2, "final fit")
    return fit


# Methods that begin with every task's own l1 fit must not let the held-out rows into it


class Starts(dict[bytes, Start]):
    """What a method begins with, by the rows it may see: those with a weight."""

    def of(self, weight: Array) -> Start:
        return self[np.packbits(weight > 0).tobytes()]


def prepare_starts(
    problem: Problem,
    options: Options,
    make: Callable[[Initial], Start],
    with_folds: bool,
    levels_apart: int = 1,
) -> Generator[Progress, None, Starts[Start]]:
    """``make`` of the estimates from all rows, and from the training rows of every fold, for which
    one of ``levels_apart`` levels is tried.
    """
    seen = [np.ones(problem.y.size, dtype=bool)]
    if with_folds:
        fold = problem.folds(options.n_folds, options.seed)
        seen += [fold != c for c in range(int(fold.max()) + 1)]
    starts = Starts[Start]()
    for step, rows in enumerate(seen, start=1):
        part = Problem.build(
            problem.X[rows], problem.y[rows], problem.task_of_row[rows], problem.loss,
            problem.fit_intercept, row_weight=take(problem.row_weight, rows),
        )  # fmt: skip
        apart = 1 if rows.all() else levels_apart
        initial = initialise(part, options.n_folds, options.seed, options.n_jobs, apart)
        starts[np.packbits(rows).tobytes()] = make(initial)
        yield Progress(step, len(seen), "initial estimates")
    return starts
