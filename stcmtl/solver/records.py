"""What goes into the algorithm and what comes out of it, step by step: plain records of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CHECKED, PAPER = RULES = ("checked", "paper")  # for outliers: ours, and the paper's

NEXT_TO_NONE = 1e-5  # share of the objective: a smaller change is not told


@dataclass(frozen=True)
class Settings:
    """What the estimators are asked for, checked and with its seed drawn."""

    n_clusters: int
    shape: str = "simplex"
    ridge: float | None = None  # of the tasks' own fits, where patterns are dense
    penalty: tuple[float, float] | None = None  # of U, level and bend, where both are known
    refine: bool = True
    theta: float = 0.5
    epsilon: float = 0.1
    gamma: str | float = "mean"
    n_folds: int = 5
    max_iter: int = 50
    tol: float = 1e-3
    outlier_factor: float = 4.5
    outlier_rule: str = CHECKED
    seed: int = 0
    n_jobs: int | None = None
    levels_apart: int | None = None  # for the tasks' own fits; None: as their loss asks
    next_start: bool = False  # of the refinement: the next best, where that is another solution


@dataclass(frozen=True)
class Initial:
    """Coefficients ``W`` (D, T), intercepts ``b`` (T,), the chosen ``lambdas`` (T,) and the
    held-out ``losses`` (T,) they were chosen by.
    """

    W: Array
    b: Array
    lambdas: Array
    losses: Array

    def keep(self, tasks: NDArray[np.bool_ | np.intp]) -> Initial:
        """Without the other tasks; numbers of tasks also put them in order."""
        return Initial(self.W[:, tasks], self.b[tasks], self.lambdas[tasks], self.losses[tasks])


@dataclass(frozen=True)
class Iteration:
    """The state after one iteration.

    In the paper's stage ``W`` is what the W step made of U V, ``pure`` is SOUP's pure set and
    ``purity`` the scores it was taken by; in the refinement ``W`` is U V and a pure task is
    one with a single cluster. Outliers have no memberships, and coefficients of their own.
    ``next_start`` is by how much the criterion of the refinement's next best start is higher,
    where it leads elsewhere.
    """

    iteration: int
    stage: str  # "paper" or "refine"
    objective: float
    loss: float
    penalty: str  # on U: "l1" or "mcp"
    gamma: float
    U: Array
    V: Array
    W: Array
    b: Array
    pure: NDArray[np.bool_]
    purity: Array
    outliers: NDArray[np.bool_]
    seconds: dict[str, float]
    next_start: float = np.inf

    def keep(self, tasks: NDArray[np.bool_ | np.intp]) -> Iteration:
        """Without the other tasks; numbers of tasks also put them in order."""
        return replace(
            self,
            V=self.V[:, tasks],
            W=self.W[:, tasks],
            b=self.b[tasks],
            pure=self.pure[tasks],
            purity=self.purity[tasks],
            outliers=self.outliers[tasks],
        )

    def beside_outliers(self, outliers: NDArray[np.bool_], initial: Initial) -> Iteration:
        """The state of all tasks, where this one is of those that are not outliers."""
        K, T = len(self.V), outliers.size
        V, W, b = np.zeros((K, T)), initial.W.copy(), initial.b.copy()
        pure, purity = np.zeros(T, dtype=bool), np.zeros(T)
        V[:, ~outliers], W[:, ~outliers], b[~outliers] = self.V, self.W, self.b
        pure[~outliers], purity[~outliers] = self.pure, self.purity
        return replace(self, V=V, W=W, b=b, pure=pure, purity=purity, outliers=outliers)


def largest_changes(history: Sequence[Iteration]) -> tuple[list[float], list[float]]:
    """The largest change of an entry of U and of one of V, from each iteration to the next.

    >>> by_U, by_V = figures.largest_changes(model.history_)
    >>> len(by_U) == len(model.history_) - 1
    True
    """
    pairs = list(pairwise(history))
    return (
        [float(np.abs(after.U - before.U).max()) for before, after in pairs],
        [float(np.abs(after.V - before.V).max()) for before, after in pairs],
    )


def find_returns(history: Sequence[Iteration]) -> list[tuple[Iteration, Iteration]]:
    """Where Algorithm 1 went back to its lowest objective: that state, and the one that repeats it.

    The latter took no time, as nothing was computed.
    """
    found: list[tuple[Iteration, Iteration]] = []
    stretch: list[Iteration] = []
    for state in history:
        if state.stage != "paper":
            stretch = []
            continue
        same = [before for before in stretch[:-1] if before.objective == state.objective]
        if same and not state.seconds:
            found.append((same[0], state))
        stretch.append(state)
    return found


def find_rises(history: Sequence[Iteration]) -> list[Iteration]:
    """Iterations after which the objective of the same stage and tasks was higher than before."""
    return [
        after
        for before, after in pairwise(history)
        if before.stage == after.stage
        and np.array_equal(before.outliers, after.outliers)
        and after.objective - before.objective > NEXT_TO_NONE * abs(before.objective)
    ]


@dataclass(frozen=True)
class CVPoint:
    """Penalties by name, the mean held-out loss they reach, and its standard error.

    >>> baselines.CVPoint({"penalty": 0.1}, loss=0.3, se=0.02).penalties["penalty"]
    0.1
    """

    penalties: dict[str, float]
    loss: float
    se: float


@dataclass(frozen=True)
class KPoint:
    """Held-out error of K clusters, its standard error, and what the training rows reached."""

    k: int
    error: float
    se: float
    objective: float
    seconds: float
    shape: str = "simplex"


@dataclass(frozen=True, eq=False)
class KSelection:
    """The curve over K, and what it says.

    ``objective`` is the loss and penalty on the training rows, a mean over the folds.
    ``singular_ratios[k - 1]`` is the ratio of the k-th to the next singular value of the
    centred initial coefficients: where it is large, k + 1 clusters span them.
    """

    ks: NDArray[np.int64]
    error: Array
    se: Array
    objective: Array
    seconds: Array
    singular_ratios: Array
    metric: str  # "RMSE" or "error rate"

    @classmethod
    def of(cls, points: Sequence[KPoint], singular_ratios: Array, metric: str) -> KSelection:
        ks, error, se, objective, seconds, _ = map(
            np.array, zip(*map(astuple, points), strict=True)
        )
        return cls(ks, error, se, objective, seconds, singular_ratios, metric)

    @property
    def best(self) -> int:
        """K of the smallest error."""
        return int(self.ks[self.error.argmin()])

    @property
    def one_se(self) -> int:
        """The smallest K within one standard error of the smallest error."""
        lowest = self.error.argmin()
        return int(self.ks[self.error <= self.error[lowest] + self.se[lowest]].min())


@dataclass(frozen=True)
class Choice:
    """One candidate of the choice: what it is, and what came of it.

    ``error`` is held out, with its standard error ``se``; ``behind`` is by which share its loss is
    above the smallest, a mean over tasks, and ``behind_se`` the standard error of that.
    """

    n_clusters: int
    shape: str
    own: str
    error: float
    se: float
    behind: float
    behind_se: float
    rank: int
    taken: bool
    why: str


@dataclass(frozen=True)
class Alternative:
    """Another solution that is as good as the one taken, and predicts something else.

    ``what`` led to it; its criterion is higher by ``behind`` (a deviance for another start, a
    share of the held-out loss for another model); predictions for the training rows ``differ`` by
    up to so many standard deviations of the target, and noticeably so for ``tasks``.
    """

    what: str
    behind: float
    differ: float
    tasks: list[Any]


class Stopwatch:
    """Seconds per step: ``lap(name)`` books the time since the last lap."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, step: str) -> None:
        now = perf_counter()
        self.seconds[step] = self.seconds.get(step, 0.0) + now - self._last
        self._last = now
