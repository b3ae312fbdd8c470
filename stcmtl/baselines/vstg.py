"""VSTG-MTL: variable selection and task grouping (Jeong and Jun, 2018).

    min over U, V, b of sum_i (1/n_i) L(y_i, X_i U v_i + b_i)
        + gamma1 |U|_1 + gamma2 |U|_1,inf + mu sum_i (|v_i|_k^sp)^2

W = U V: the columns of U are latent models, with few features in each (l1) and in all (l1,inf,
the sum over rows of their largest entry); v_i says how task i is made of them, with about k at
a time (the k-support norm). U and V take turns: U row by row with ADMM, V column by column
with an accelerated proximal gradient.

Multiplying U by c and dividing V by it leaves W alone, so that (gamma1, gamma2, mu) and
(c gamma1, c gamma2, mu / c^2) have the same W: mu = gamma1 loses nothing, and every round
begins with the c of the lowest penalty.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from stcmtl.baselines.base import Baseline, CVPoint, Options, Solution, Steps
from stcmtl.baselines.crossvalidation import Path, Penalties, Starts, choose, prepare_starts
from stcmtl.baselines.kernels.ksupport import fit_columns, squared_norms
from stcmtl.baselines.kernels.latent import RowNorms, fit_rows, open_latent, row_penalty
from stcmtl.data import checks as check
from stcmtl.data.taskset import Array
from stcmtl.errors import Setting, bad_value
from stcmtl.progress import Progress
from stcmtl.solver.kernels.clusters import Clusters
from stcmtl.solver.kernels.losses import total_loss
from stcmtl.solver.kernels.single import l1_cross_validation, l1_path
from stcmtl.solver.problem import Problem, Rows
from stcmtl.solver.records import Initial
from stcmtl.solver.refinement import varimax
from stcmtl.stopping import stop_if_asked

CV_TOLERANCE, FINAL_TOLERANCE = 1e-4, 1e-8
MAX_ROUNDS, ROUNDS_A_STEP = 1000, 10
MAX_SWEEPS = 5  # over the rows of U in a round
N_LEVELS, PATIENCE = 16, 2  # of gamma1, halved each time
RATIOS = (1.0, 0.25, 4.0)  # gamma2 / gamma1; the search begins with the first
LARGEST_K = 3


@dataclass(eq=False, repr=False)
class VSTG(Baseline):
    """W = U V with sparse latent models U, of which every task takes a few.

    Parameters
    ----------
    n_clusters : int
        Columns of U.
    gamma1, gamma2 : "cv" or float
        Levels of the l1 and the l1,inf norm of U.
    k : "cv" or int
        Of the k-support norm, from 1 (the squared l1 norm) to ``n_clusters`` (the squared l2
        norm).
    mu : "gamma1" or float
        Level of the k-support norms; see above why "gamma1" will do.

    Attributes
    ----------
    gamma1_, gamma2_, mu_ : float, k_ : int
        What was used.
    latent_coef_ : (K, D), weights_ : (T, K)
        U and V, transposed: ``coef_ = weights_ @ latent_coef_``.

    The others are those of ``Baseline``.

    >>> other = baselines.VSTG(n_clusters=3, random_state=0).fit(train.X, train.y, train.tasks)
    >>> float(round(metrics.rmse(test.y, other.predict(test.X, test.tasks)), 2))
    0.56
    """

    _penalties = ("gamma1", "gamma2", "k")
    _kernels = (l1_cross_validation, l1_path, open_latent, fit_rows, fit_columns)

    n_clusters: int = 5
    gamma1: str | float = "cv"
    gamma2: str | float = "cv"
    k: str | int = "cv"
    mu: str | float = "gamma1"

    def _check(self, n_tasks: int) -> None:
        check.check_n_clusters(self.n_clusters, n_tasks, or_else="")
        self._candidates()  # checks the penalties, too

    def _candidates(self) -> Candidates:
        gamma1, gamma2, k = self._fixed()
        ks = range(1, self.n_clusters + 1)
        if k is not None and k not in ks:
            remedy = ("it must be a whole number from 1 to ", Setting("n_clusters"), f", {len(ks)}")
            raise bad_value("k", self.k, remedy)
        mu = None
        if not isinstance(self.mu, str) or self.mu != "gamma1":
            mu = check.check_not_negative(self.mu, "mu")
        return Candidates(gamma1, gamma2, mu, ks[:LARGEST_K] if k is None else [int(k)])

    def _solve(self, rows: Rows, options: Options) -> Steps:
        problem, candidates = rows.problem(), self._candidates()
        start = partial(Factors.of, n_columns=self.n_clusters)
        starts = yield from prepare_starts(problem, options, start, candidates.are_many)
        solve = Alternation(problem, starts)
        points, penalties = yield from search_penalties(problem, options, solve, candidates)
        factors = yield from solve.in_steps(penalties)
        learnt = {
            "latent_coef_": np.ascontiguousarray(problem.original_coefficients(factors.U).T),
            "weights_": np.ascontiguousarray(factors.V.T),
        }
        settled = len(factors.history) <= MAX_ROUNDS
        return Solution(
            problem, factors.W, factors.b, factors.history, points, penalties, learnt, settled
        )


@dataclass(frozen=True)
class Candidates:
    """What is given of the penalties (None: to be found, or for mu: gamma1), and values of k."""

    gamma1: float | None
    gamma2: float | None
    mu: float | None
    ks: Sequence[int]

    @property
    def are_many(self) -> bool:
        return self.gamma1 is None or self.gamma2 is None or len(self.ks) > 1

    @property
    def ratios(self) -> Sequence[float]:
        return RATIOS if self.gamma2 is None else RATIOS[:1]

    def path(self, levels: Array, ratio: float, k: float) -> Path:
        """One per level; a single one if gamma1 is given."""
        chosen = levels if self.gamma1 is None else [self.gamma1]
        return [self.penalties(float(gamma1), ratio, k) for gamma1 in chosen]

    def penalties(self, gamma1: float, ratio: float, k: float) -> Penalties:
        gamma2 = ratio * gamma1 if self.gamma2 is None else self.gamma2
        mu = gamma1 if self.mu is None else self.mu
        return {"gamma1": gamma1, "gamma2": gamma2, "mu": mu, "k": k}


def search_penalties(
    problem: Problem, options: Options, solve: Alternation, candidates: Candidates
) -> Generator[Progress, None, tuple[list[CVPoint], Penalties]]:
    """One after the other: the level, then k, then the ratio, then the level more closely."""
    ratio, k = candidates.ratios[0], candidates.ks[0]
    points: list[CVPoint] = []

    def compare(paths: Sequence[Path]) -> Generator[Progress, None, Penalties]:
        """The best so far, with those on these paths."""
        if paths:
            more, _ = yield from choose(problem, options, solve, paths, patience=PATIENCE)
            points.extend(more)
        return min(points, key=lambda point: point.loss).penalties

    levels = solve.highest_level(candidates.mu) * 0.5 ** np.arange(N_LEVELS, dtype=np.float64)
    down = candidates.path(levels, ratio, k)
    if not candidates.are_many:
        return points, down[0]
    best = yield from compare([down])
    near = best["gamma1"] * np.array([2.0, 1.0, 0.5])
    best = yield from compare([candidates.path(near, ratio, k) for k in candidates.ks[1:]])
    near = best["gamma1"] * np.array([2.0, 1.0, 0.5])
    others = candidates.ratios[1:]
    best = yield from compare([candidates.path(near, ratio, best["k"]) for ratio in others])
    if candidates.gamma1 is None:
        near = best["gamma1"] * np.sqrt([[2.0], [0.5]])
        ratio = best["gamma2"] / best["gamma1"]
        best = yield from compare([candidates.path(level, ratio, best["k"]) for level in near])
    return points, best


@dataclass(frozen=True, eq=False)
class Factors:
    """U (D, K), V (K, T), intercepts (T,), and the objective on the way to them."""

    U: Array
    V: Array
    b: Array
    history: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, initial: Initial, n_columns: int) -> Factors:
        """The best of their rank for W, turned so that each task has weight on few columns.

        The singular vectors alone mix the groups of tasks, and it can take hundreds of rounds
        to part them.
        """
        left, values, right = np.linalg.svd(initial.W, full_matrices=False)
        K = min(n_columns, values.size)
        root = np.sqrt(values[:K])
        U, V = np.zeros((len(initial.W), n_columns)), np.zeros((n_columns, initial.b.size))
        turn = varimax(right[:K].T * root)
        U[:, :K] = left[:, :K] * root @ turn
        V[:K] = turn.T @ (right[:K] * root[:, None])
        return cls(U, V, initial.b)

    @property
    def W(self) -> Array:  # noqa: N802
        return self.U @ self.V


@dataclass(frozen=True)
class Alternation:
    """Rounds of a U step and a V step, always from the initial estimates.

    It would be quicker to begin where stronger penalties ended, but they leave columns of U
    at zero, which never come back. (See ``crossvalidation.Solver`` for how it is called.)
    """

    problem: Problem
    starts: Starts[Factors]

    def __call__(
        self, weight: Array, penalties: Penalties, start: Factors | None, tol: float
    ) -> Factors:
        *_, factors = self.rounds(weight, penalties, CV_TOLERANCE)
        return factors

    def in_steps(self, penalties: Penalties) -> Generator[Progress, None, Factors]:
        """The final fit."""
        rounds = self.rounds(self.problem.weight, penalties, FINAL_TOLERANCE)
        for done, reached in enumerate(rounds, start=1):
            factors = reached
            if done % ROUNDS_A_STEP == 0:
                yield Progress(done, MAX_ROUNDS, "final fit")
        yield Progress(MAX_ROUNDS, MAX_ROUNDS, "final fit")
        return factors

    def rounds(self, weight: Array, penalties: Penalties, tol: float) -> Iterator[Factors]:
        """Until a round gains less than ``tol`` of the objective."""
        problem, start = self.problem, self.starts.of(weight)
        norms = RowNorms(penalties["gamma1"], penalties["gamma2"])
        mu, k = penalties["mu"], int(penalties["k"])
        tasks = problem.as_tasks(weight)
        U, V, b = at = Clusters(start.U.copy(), start.V.copy(), start.b.copy())
        latent = open_latent(tasks, len(V))
        f = problem.predictions(U @ V, b)
        on_U, on_V = row_penalty(U, norms), mu * squared_norms(V, k)
        history = [total_loss(tasks.loss, f) + on_U + on_V]
        for _ in range(MAX_ROUNDS):
            stop_if_asked()
            scale = best_scale(on_U, on_V)
            U *= scale
            V /= scale
            stop = 0.1 * tol * history[-1]
            on_U = fit_rows(tasks, at, latent, f, norms, stop, MAX_SWEEPS)
            on_V = mu * fit_columns(tasks, latent.Z, V, b, f, mu, k)
            history.append(total_loss(tasks.loss, f) + on_U + on_V)
            yield Factors(U, V, b, history)
            if history[-2] - history[-1] <= tol * history[-2]:
                break

    def highest_level(self, mu: float | None) -> float:
        """Where the start is penalised by as much as the null model loses."""
        problem, start = self.problem, self.starts.of(self.problem.weight)
        on_U, on_V = row_penalty(start.U, RowNorms(1.0, RATIOS[0])), squared_norms(start.V, 1)
        if on_U == 0.0:  # no task has a coefficient to begin with
            return 1.0
        scale = best_scale(on_U, on_V)
        level = problem.total_loss(np.zeros(problem.y.size)) / (scale * on_U + on_V / scale**2)
        return level if not mu else level * float(np.sqrt(level / mu))


def best_scale(on_U: float, on_V: float) -> float:
    """The c with the lowest penalty of c U and V / c."""
    return float(np.cbrt(2.0 * on_V / on_U)) if on_U > 0 and on_V > 0 else 1.0
