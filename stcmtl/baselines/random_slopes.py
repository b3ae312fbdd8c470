"""Random slopes: the mixed model, in which every task's line is a draw around a common one.

    y_i = a_i + X_i w_i + noise,   (a_i, w_i) ~ N((a, w), Sigma)

Variances maximise the restricted likelihood (REML), and what is predicted with are the best linear
unbiased predictions (BLUPs) of a_i and w_i: each task is drawn towards the common line, more in
directions in which tasks differ little, and more where it has few rows. Two labels are fitted
by penalised quasi-likelihood (Breslow and Clayton, 1993): rounds of the same model, on the
response and the weights of a logistic regression where the round before has ended.

How much caution "low rank" needs, and the price of its columns, were chosen by test error on a few
simulated sets of 15 to 60 tasks, which favours this method there.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from stcmtl.baselines.base import Baseline, Options, Solution, Steps
from stcmtl.baselines.mixed import Effects, Layout, MixedModel, Task, Variances
from stcmtl.data import checks as check
from stcmtl.data.taskset import Array
from stcmtl.data.weighted import mean_of, take
from stcmtl.progress import Progress
from stcmtl.solver.problem import LOGISTIC, Problem, Rows

AUTO, FULL, LOW_RANK = COVARIANCES = ("auto", "full", "low rank")
MOST_FULL = 10  # features, up to which "auto" means "full"
# Of L-BFGS in a turn, between which progress is told. Every turn begins without what the one before
# has learnt of the criterion: with short ones, covariances of low rank do not settle in 300 steps.
STEPS, MAX_TURNS = 50, 30
COLUMNS, MOST_COLUMNS = 2, 6  # at a time, and in all
MAX_ROUNDS, STEPS_A_ROUND = 40, 30  # of the quasi-likelihood
STILL = 1e-3  # no probability moves by more in the last round
LEAST_STIFFNESS = 1e-3  # p (1 - p) of a row that is all but certain


@dataclass(eq=False, repr=False)
class RandomSlopes(Baseline):
    """A mixed model with random intercepts and slopes.

    Parameters
    ----------
    covariance : "auto", "full" or "low rank"
        Of intercept and slopes over tasks. "full" is any covariance, as in the textbooks;
        "low rank" a variance for each and common directions, up to six, as long as Schwarz's
        criterion asks for more. There the common slopes have a normal prior of their own, whose
        variance is estimated too: they may outnumber the rows. "auto" is "full" up to ten
        features, if tasks have more rows than coefficients on average.

    Attributes
    ----------
    common_coef_ : (D,), common_intercept_ : float
        The line that tasks are drawn around.
    covariance_ : (D + 1, D + 1), or (D, D) without intercepts
        Sigma, the intercept first.
    noise_ : float
        Standard deviation of the noise; 1 for two labels, where it has no meaning.
    history_ : list of float
        Minus twice the restricted log-likelihood, up to a constant.

    The others are those of ``Baseline``. Intercepts are drawn towards the common one, too.
    Nothing is cross-validated: ``cv`` and ``cv_path_`` are there for company.

    >>> other = baselines.RandomSlopes(random_state=0).fit(train.X, train.y, train.tasks)
    >>> float(round(metrics.rmse(test.y, other.predict(test.X, test.tasks)), 2))
    0.56
    """

    _penalties = ()

    covariance: str = AUTO

    def _check(self, n_tasks: int) -> None:
        check.check_choice(self.covariance, "covariance", COVARIANCES)

    def _solve(self, rows: Rows, options: Options) -> Steps:
        problem = rows.problem()
        is_full = self.covariance == FULL
        if self.covariance == AUTO:
            D = rows.X.shape[1]
            is_full = D <= MOST_FULL and problem.counts.sum() > (D + 2) * problem.n_tasks
        search = Search(Design.of(problem), is_full)
        yield from search.for_labels() if problem.loss == LOGISTIC else search.for_numbers()
        return search.solution(problem)


@dataclass(frozen=True, eq=False)
class Design:
    """Rows as the mixed model wants them: ``Z`` (N, q) has a column of ones, if there are
    intercepts, and the features that vary, over all rows centred and of spread 1; so is ``y``.
    """

    Z: Array
    y: Array
    starts: NDArray[np.int64]
    kept: NDArray[np.bool_]
    middle: Array
    spread: Array
    target_middle: float
    target_spread: float
    fit_intercept: bool
    row_weight: Array | None

    @classmethod
    def of(cls, problem: Problem) -> Design:
        task, share = problem.task_of_row, problem.counts / problem.counts.sum()
        middle, target_middle = share @ problem.means, float(share @ problem.target_means)
        X = problem.X + (problem.means - middle)[task]
        y = problem.y + (problem.target_means - target_middle)[task]
        weight = problem.row_weight
        spread = np.sqrt(mean_of(X**2, weight, axis=0))
        kept = spread > 1e-12 * np.abs(middle)
        kept[0] |= not kept.any()  # a column of zeros does no harm
        spread = np.where(spread > 0.0, spread, 1.0)
        target_spread = float(np.sqrt(mean_of(y**2, weight))) or 1.0
        if problem.loss == LOGISTIC:
            target_spread = 1.0
        Z = X[:, kept] / spread[kept]
        if problem.fit_intercept:
            Z = np.column_stack([np.ones(len(Z)), Z])
        return cls(
            Z, y / target_spread, problem.starts, kept, middle, spread, target_middle,
            target_spread, problem.fit_intercept, weight,
        )  # fmt: skip

    @property
    def is_slope(self) -> NDArray[np.bool_]:
        return np.arange(self.Z.shape[1]) >= int(self.fit_intercept)

    def model(self) -> MixedModel:
        return MixedModel(self.compress(self.Z, self.y), self.is_slope)

    def working_model(self, f: Array) -> MixedModel:
        """The quadratic model of the log-likelihood of labels at the log-odds f."""
        p = expit(f)
        stiffness = np.maximum(p * (1.0 - p), LEAST_STIFFNESS)
        root = np.sqrt(stiffness)
        response = f + ((self.y > 0.0) - p) / stiffness
        tasks = self.compress(root[:, None] * self.Z, root * response)
        return MixedModel(tasks, self.is_slope, noise=1.0)

    def compress(self, Z: Array, y: Array) -> list[Task]:
        ends = zip(self.starts[:-1], self.starts[1:], strict=True)
        tasks = [slice(start, end) for start, end in ends]
        return [Task.compress(Z[own], y[own], take(self.row_weight, own)) for own in tasks]

    def predictions(self, effects: Effects) -> Array:
        lines = np.repeat(effects.common + effects.own, np.diff(self.starts), axis=0)
        return np.einsum("nq,nq->n", self.Z, lines)

    def lines(self, effects: Array) -> tuple[Array, Array]:
        """Intercepts (T,) and slopes (T, D) of rows that are neither centred nor scaled."""
        slopes = np.zeros((len(effects), self.kept.size))
        slopes[:, self.kept] = effects[:, self.is_slope] / self.spread[self.kept]
        intercepts = effects[:, 0] if self.fit_intercept else np.zeros(len(effects))
        return intercepts - slopes @ self.middle, slopes


@dataclass(eq=False)
class Search:
    """The way to the best variances."""

    design: Design
    is_full: bool
    history: list[float] = field(default_factory=list)
    settled: bool = False

    def __post_init__(self) -> None:
        q = self.design.Z.shape[1]
        first = np.full(q, 1.0 / np.sqrt(q))  # tasks differ by as much as the noise
        self.layout, self.at = Layout.low_rank(q, 0), Variances(first, np.empty((q, 0)), 0.0)
        if self.is_full:
            self.layout, self.at = Layout.full(q), Variances(np.zeros(q), np.diag(first), None)

    def for_numbers(self) -> Generator[Progress, None, None]:
        self.model = self.design.model()
        yield from self.descend()
        if not self.is_full:
            yield from self.add_columns()
        self.effects = self.model.evaluate(self.at)

    def for_labels(self) -> Generator[Progress, None, None]:
        """Rounds until probabilities stand still, then with columns, until they do again."""
        f, is_grown = np.zeros(self.design.y.size), self.is_full
        for done in range(1, MAX_ROUNDS + 1):
            self.model = self.design.working_model(f)
            self.at, _ = self.model.descend(self.at, self.layout, STEPS_A_ROUND)
            self.effects = self.model.evaluate(self.at)
            self.history.append(self.effects.value)
            before, f = f, self.design.predictions(self.effects)
            yield Progress(done, MAX_ROUNDS, "rounds")
            if np.abs(expit(f) - expit(before)).max() > STILL:
                continue
            if is_grown:
                self.settled = True
                return
            is_grown = True
            yield from self.add_columns()
        self.settled = False

    def descend(self) -> Generator[Progress, None, None]:
        for done in range(1, MAX_TURNS + 1):
            self.at, self.settled = self.model.descend(self.at, self.layout, STEPS)
            self.history.append(self.model.evaluate(self.at).value)
            yield Progress(done, MAX_TURNS, "variances")
            if self.settled:
                break

    def add_columns(self) -> Generator[Progress, None, None]:
        """Where the criterion falls most, as long as each entry lowers it by log T as in Schwarz's
        criterion, and by 2 as in Akaike's.
        """
        q = len(self.at.diagonal)
        price = q * COLUMNS * max(np.log(self.design.starts.size - 1), 2.0)
        for k in range(COLUMNS, min(MOST_COLUMNS, q) + 1, COLUMNS):
            at, layout, settled = self.at, self.layout, self.settled
            before = self.model.evaluate(at, np.eye(q))
            falls, directions = np.linalg.eigh(0.5 * (before.along_probe + before.along_probe.T))
            if falls[0] >= 0.0:
                break
            size = np.sqrt((at.diagonal**2).mean())
            columns = size * directions[:, :COLUMNS]
            self.at = Variances(at.diagonal, np.hstack([at.factor, columns]), at.log_tau)
            self.layout = Layout.low_rank(q, k)
            n_values = len(self.history)
            yield from self.descend()
            if before.value - self.history[-1] < price:
                self.at, self.layout, self.settled = at, layout, settled
                del self.history[n_values:]
                break

    def solution(self, problem: Problem) -> Solution:
        design, effects = self.design, self.effects
        size = design.target_spread
        own, slopes = design.lines(size * (effects.common + effects.own))
        own += design.target_middle
        W = slopes.T
        b = own - problem.target_means + np.einsum("td,dt->t", problem.means, W)
        (common,), (line,) = design.lines(size * effects.common[None])
        lines = design.lines(size * np.eye(effects.common.size))
        turn = np.column_stack([lines[0], lines[1][:, : problem.scale.size] / problem.scale])
        turn = turn if design.fit_intercept else turn[:, 1:]
        learnt = {
            "common_coef_": problem.original_coefficients(line[:, None])[:, 0],
            "common_intercept_": float(common + design.target_middle),
            "covariance_": turn.T @ (effects.noise * self.at.psi) @ turn,
            "noise_": float(np.sqrt(effects.noise)) * size,
        }
        return Solution(problem, W, b, self.history, [], {}, learnt, self.settled)
