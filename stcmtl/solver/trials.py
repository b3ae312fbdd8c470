"""How a candidate is tried: what it predicts for held-out rows, by fits to the other rows alone.

Everything is found again in each fold: single-task fits, loadings, U and the level of its penalty
(that is the one of the smallest held-out loss, for all candidates alike).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from joblib import delayed

from stcmtl.data.taskset import Array
from stcmtl.data.weighted import error_of, mean_of, median_of, medians_of_tasks, take
from stcmtl.solver.centers import L1, MCP, RIDGE, Penalty, penalty_scale
from stcmtl.solver.fold_paths import Fold
from stcmtl.solver.machine import Threads
from stcmtl.solver.memberships import SHAPES as SHAPE_CODES
from stcmtl.solver.own_choice import STRETCHES, pick_kind, validate_own
from stcmtl.solver.own_part import LASSO, OwnFits, OwnPenalty, dense_fits
from stcmtl.solver.own_part import RIDGE as OWN_RIDGE
from stcmtl.solver.penalty_choice import QUICK, ValidationCurve, open_folds, validation_curve
from stcmtl.solver.problem import SQUARED, Problem, Rows
from stcmtl.solver.records import Initial, Settings
from stcmtl.solver.refinement import choose_start, settle_loadings
from stcmtl.solver.single_task import LEVELS_APART, initialise
from stcmtl.solver.soup import soup
from stcmtl.solver.wild_rows import NORMAL

SHAPES = tuple(SHAPE_CODES)
NONE, DEVIATION, ALONE = OWNS = ("none", "deviation", "alone")
SURE = 2.0  # standard errors
# Behind by one in the first fold, the other four would have to tell the opposite, each by 0.8, for
# it to be chosen. Of 150 choices (benchmarks/regimes.py --first 900) two changed, for the better.
AT_FIRST_SIGHT = 1.0
# Of many rows a task, three folds tell the lambdas of a fold's start as well as five; of 30 rows,
# held-out errors over K are up to 4 % larger.
MANY_ROWS, FOLDS_WITHIN = 75, 3
NEGLIGIBLE = 0.003  # of the loss: no reason for a model that is less simple
MOST, FEWEST_ROWS = 6.0, 12  # of normal noise one in 10^9 is beyond
FEWEST_OTHERS, ALL_BUT = 5, 0.8  # tasks, and the share of what losses vary that is one's own


@dataclass(frozen=True, eq=False)
class Candidate:
    """``losses`` (T,) are held out, a mean for each task; ``row_losses`` (N,) those of rows.

    Where sizes of tasks differ, ``weighed`` are the rows' in units of what the tasks' own fits
    leave, and ``losses`` are the means of those. A task taken at random and a row taken at random
    are not the same then: thousands of rows of one task would not be heard beside ten tasks of
    three rows, nor those beside them. Both views count.
    """

    n_clusters: int
    shape: str
    own: str
    row_losses: Array
    losses: Array
    own_penalty: OwnPenalty | None = None
    ridge: float | None = None  # of the tasks' own fits, where patterns are dense
    curve: ValidationCurve | None = field(default=None, repr=False)
    penalty: Penalty | None = None  # of U, where an own part was found beside it
    weighed: Array | None = field(default=None, repr=False)
    row_weight: Array | None = field(default=None, repr=False)
    estimated: bool = False  # from the first fold, beside a rival: not to be taken

    @property
    def is_one_pattern(self) -> bool:
        return self.n_clusters == 1 and self.shape == SHAPES[0]

    @property
    def simplicity(self) -> tuple[bool, float, int]:
        """Smaller is simpler."""
        shape = SHAPES.index(self.shape)
        if self.n_clusters == 0 or self.is_one_pattern:
            return False, 0.5 if self.own == DEVIATION else 0.0, 1 - self.n_clusters
        return self.own == DEVIATION, 1.0 + shape, self.n_clusters

    def settle(self, settings: Settings) -> Settings:
        """For a fit of all rows."""
        penalty = None if self.penalty is None else (self.penalty.level, self.penalty.inverse_a)
        return replace(
            settings,
            n_clusters=self.n_clusters,
            shape=self.shape,
            ridge=self.ridge,
            penalty=penalty,
        )

    def is_worse_than(self, other: "Candidate", errors: float = 1.0, slack: float = 0.0) -> bool:
        """By more than so many standard errors of the paired difference, and noticeably.

        In either view: of tasks, or of rows. A ``slack``, as a share of the other's loss, makes
        that harder.
        """
        views: list[tuple[Array, Array, Array | None]] = [(self.losses, other.losses, None)]
        if self.weighed is not None and other.weighed is not None:
            views.append((self.weighed, other.weighed, self.row_weight))
        if any(is_larger(*view, errors, slack) for view in views):
            return True
        # a tiny task is rightly far from what others say
        return len(views) == 1 and is_larger_but_for_one(self.losses, other.losses, errors, slack)


class FoldFits(NamedTuple):
    """Loadings of each fold, and what they predict."""

    V: list[Array]
    curve: ValidationCurve


def mean_loss(candidate: Candidate) -> float:
    """Over tasks; of that and the mean over rows, where they differ, the geometric mean."""
    mean = float(candidate.losses.mean())
    rows = mean if candidate.weighed is None else mean_of(candidate.weighed, candidate.row_weight)
    if candidate.weighed is None or rows < 0.0:  # as an estimate may be, which says nothing then
        return mean
    return float(np.sqrt(mean * rows))


def is_larger(
    losses: Array, reference: Array, weight: Array | None, errors: float, slack: float
) -> bool:
    """By more than so many standard errors of the paired difference, and noticeably."""
    difference, usual = losses - reference, mean_of(reference, weight)
    error = standard_error(difference) if weight is None else error_of(difference, weight)
    enough = max(errors * error, NEGLIGIBLE * usual)
    return bool(mean_of(difference, weight) - slack * usual > enough)


def is_larger_but_for_one(losses: Array, reference: Array, errors: float, slack: float) -> bool:
    """Without a task that is nearly all that losses differ by.

    Its share of the mean is about a standard error, whatever the others say.
    """
    squares = (losses - reference - (losses - reference).mean()) ** 2
    others = squares <= ALL_BUT * squares.sum()
    if others.all() or squares.size < FEWEST_OTHERS:
        return False
    return is_larger(losses[others], reference[others], None, errors, slack)


def are_near(one: Candidate, other: Candidate) -> tuple[bool, bool]:
    """Whether each may be the better one."""
    return not one.is_worse_than(other, SURE), not other.is_worse_than(one, SURE)


def standard_error(values: Array) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else 0.0


class Trials:
    """The folds, and what all candidates share in them."""

    def __init__(
        self,
        rows: Rows,
        problem: Problem,
        settings: Settings,
        parallel: Threads,
        dense: bool = False,
    ) -> None:
        """``problem`` holds all rows; ``dense``: whether patterns may be."""
        self.settings, self.parallel, self.dense = settings, parallel, dense
        # of each fold, in the shape tried last, by K and the ridge of dense patterns
        self.loadings: dict[tuple[int, float | None], list[Array]] = {}
        self.tried: dict[tuple[int, str], Candidate] = {}
        self.tried_alone: dict[str, Candidate] = {}
        self.problem = problem
        self.fold = self.problem.folds(settings.n_folds, settings.seed)
        folds = range(int(self.fold.max()) + 1)
        parts = [rows.problem(rows.by_task[self.fold != c], settings.n_jobs) for c in folds]
        n_folds = settings.n_folds
        if np.median(problem.counts) >= MANY_ROWS:
            n_folds = min(n_folds, FOLDS_WITHIN)
        rest = n_folds, settings.seed, settings.n_jobs, LEVELS_APART
        self.parts = [(part, initialise(part, *rest)) for part in parts]

    @cached_property
    def own_fits(self) -> list[OwnFits]:
        folds = range(len(self.parts))
        return self.parallel(delayed(OwnFits)(self.problem, self.fold != c) for c in folds)

    def candidate(
        self, n_clusters: int, shape: str, own: str, row_losses: Array, **more: object
    ) -> Candidate:
        problem = self.problem
        weighed = problem.weigh_held_out(limit_wild(problem, row_losses))
        losses = problem.task_means(weighed)
        if problem.precision is not None:
            more |= {"weighed": weighed, "row_weight": problem.row_weight}
        return Candidate(n_clusters, shape, own, row_losses, losses, **more)  # type: ignore[arg-type]

    @property
    def alone(self) -> tuple[Candidate, Candidate]:
        """Every task on its own: by a lasso, and by a ridge."""
        return self.try_alone(LASSO), self.try_alone(OWN_RIDGE)

    def try_alone(self, kind: str) -> Candidate:
        """With one level for all tasks."""
        if kind not in self.tried_alone:
            self.tried_alone[kind] = self.fit_alone(kind, self.own_fits)
        return self.tried_alone[kind]

    def fit_alone(self, kind: str, fits: Sequence[OwnFits]) -> Candidate:
        problem, stretches = self.problem, STRETCHES[self.problem.loss]
        nothing = np.zeros((len(fits), problem.y.size))
        penalty, losses = validate_own(
            problem, fits, kind, nothing, self.fold, self.parallel, stretches
        )
        return self.candidate(0, self.settings.shape, ALONE, losses, own_penalty=penalty)

    @property
    def may_be(self) -> tuple[bool, bool]:
        """Whether patterns may be sparse, and dense: by a lasso and a ridge of every task alone.

        Often the first fold tells.
        """
        if not self.dense:
            return True, False
        if not self.tried_alone:
            look = self.own_fits[:1]
            found = are_near(self.fit_alone(LASSO, look), self.fit_alone(OWN_RIDGE, look))
            if not all(found):
                return found
        return are_near(*self.alone)

    @cached_property
    def families(self) -> list[tuple[float | None, list[tuple[Problem, Initial]]]]:
        """Starts for sparse patterns, for dense ones (with their ridge), or both."""
        found: list[tuple[float | None, list[tuple[Problem, Initial]]]] = []
        sparse, dense = self.may_be
        if sparse:
            found.append((None, self.parts))
        if dense:
            ridge = self.try_alone(OWN_RIDGE).own_penalty
            assert ridge is not None
            starts = self.parallel(delayed(dense_fits)(part, ridge.level) for part, _ in self.parts)
            parts = [(part, start) for (part, _), start in zip(self.parts, starts, strict=True)]
            found.append((ridge.level, parts))
        return found

    def try_clusters(
        self, n_clusters: int, shape: str, rival: Candidate | None = None
    ) -> Candidate:
        """Of sparse or of dense patterns, whichever predict better.

        What is far behind a ``rival`` in the first fold is not tried in the others.
        """
        if (n_clusters, shape) not in self.tried:
            found = [
                self.try_patterns(n_clusters, shape, *family, rival) for family in self.families
            ]
            best = self.tried[n_clusters, shape] = min(found, key=mean_loss)
            # Sparse patterns that are as good with so few clusters are not dense. (The other way
            # round says little: what is a mean of sparse ones is denser.)
            if found[-1].ridge is not None and found[-1].is_worse_than(best, SURE):
                self.families = self.families[:-1]
        return self.tried[n_clusters, shape]

    def try_patterns(
        self,
        n_clusters: int,
        shape: str,
        ridge: float | None,
        parts: Sequence[tuple[Problem, Initial]],
        rival: Candidate | None,
    ) -> Candidate:
        settings = replace(self.settings, n_clusters=n_clusters, shape=shape, ridge=ridge)
        known = self.loadings.get((n_clusters, ridge), [None] * len(parts))
        look = None
        if rival is not None:
            look = self.fit_folds(settings, parts[:1], known[:1])
            behind = self.estimate(n_clusters, shape, look.curve.lowest, rival, ridge)
            if is_larger(behind.losses, rival.losses, None, AT_FIRST_SIGHT, 0.0):
                return behind
        fits = self.fit_folds(settings, parts, known, look)
        self.loadings[n_clusters, ridge] = fits.V
        lowest = fits.curve.lowest
        return self.candidate(n_clusters, shape, NONE, lowest, curve=fits.curve, ridge=ridge)

    def fit_folds(
        self,
        settings: Settings,
        parts: Sequence[tuple[Problem, Initial]],
        known: Sequence[Array | None],
        look: FoldFits | None = None,
    ) -> FoldFits:
        """Loadings from each fold's own rows, U down the levels of its penalty.

        From a ``look`` at the first fold come its loadings, and the kind of the penalty.
        """
        found = [] if look is None else look.V
        left = list(zip(parts, known, strict=True))[len(found) :]
        V_of_fold = self.parallel(delayed(find_loadings)(*part, settings, V) for part, V in left)
        dense = settings.ridge is not None
        if settings.shape != SHAPES[-1]:
            V_of_fold = found + V_of_fold
            folds = self.open(V_of_fold)
            curve = look and self.descend(folds, look.curve.inverse_a)
            return FoldFits(V_of_fold, curve or self.validate(folds, dense))
        # free loadings turn further, under a penalty that suits the first fold
        inverse_a = RIDGE if dense else L1
        penalty = (
            look.curve if look else self.descend(self.open(V_of_fold[:1]), inverse_a)
        ).penalty
        V_of_fold = found + self.parallel(
            delayed(settle_loadings)(part, V, penalty, settings)
            for ((part, _), _), V in zip(left, V_of_fold, strict=True)
        )
        return FoldFits(V_of_fold, self.descend(self.open(V_of_fold), inverse_a))

    def estimate(
        self, n_clusters: int, shape: str, first: Array, rival: Candidate, ridge: float | None
    ) -> Candidate:
        """From losses in the first fold: as far behind the rival as there, task by task."""
        problem = self.problem
        counts = np.where(self.fold == 0, problem.row_counts, 0.0)
        sums = np.bincount(problem.task_of_row, counts * (first - rival.row_losses))
        seen = np.bincount(problem.task_of_row, counts)
        behind = sums / np.where(seen > 0.0, seen, 1.0)
        row_losses = rival.row_losses + behind[problem.task_of_row]
        return self.candidate(n_clusters, shape, NONE, row_losses, ridge=ridge, estimated=True)

    def open(self, V_of_fold: Sequence[Array]) -> list[Fold]:
        """Folds with these loadings."""
        return open_folds(self.problem, V_of_fold, self.fold, self.parallel)

    def descend(self, folds: Sequence[Fold], inverse_a: float) -> ValidationCurve:
        """Down the levels of one penalty."""
        scales = [penalty_scale(self.problem, fold.V, inverse_a) for fold in folds]
        return validation_curve(self.problem, folds, scales, inverse_a, self.parallel, QUICK)

    def validate(self, folds: Sequence[Fold], dense: bool) -> ValidationCurve:
        """Down the levels of the MCP, or of the l1 norm where that predicts the first fold better.

        For dense patterns it is a ridge.
        """
        if dense:
            return self.descend(folds, RIDGE)
        sparse, plain = self.descend(folds, MCP), self.descend(folds[:1], L1)
        first, weight = self.fold == 0, self.problem.held_out_weight
        parts = (mean_of(curve.lowest[first], take(weight, first)) for curve in (sparse, plain))
        if next(parts) <= next(parts):
            return sparse
        plain = self.descend(folds, L1)
        return min(sparse, plain, key=lambda curve: mean_of(curve.lowest, weight))

    def try_deviations(self, base: Candidate, kinds: Sequence[str]) -> Candidate:
        """The same with a part of each task's own, of the kind that predicts best."""
        assert base.curve is not None
        given = base.curve.predict(self.problem), self.fold, self.parallel
        found = [validate_own(self.problem, self.own_fits, kind, *given) for kind in kinds]
        penalty, losses = pick_kind(self.problem, found)
        return self.candidate(
            base.n_clusters,
            base.shape,
            DEVIATION,
            losses,
            own_penalty=penalty,
            ridge=base.ridge,
            penalty=base.curve.penalty,
        )


def find_loadings(
    problem: Problem, initial: Initial, settings: Settings, known: Array | None
) -> Array:
    """From those ``known`` of a simpler shape, if any, and from starts of its own."""
    V = known
    if V is None:
        V = soup(initial.W, settings.n_clusters, settings.theta, settings.epsilon, settings.seed).V
    return choose_start(problem, initial, V, settings, known is not None).V


def limit_wild(problem: Problem, losses: Array) -> Array:
    """Losses of rows, where no residual counts as more than ``MOST`` robust standard deviations.
    (Those of tasks of a few rows are rightly large.)

    One row whose features are wild is predicted so badly by all candidates that nothing else would
    be heard beside it, and no difference be more than a standard error.
    """
    if problem.loss != SQUARED:
        return losses
    overall = median_of(losses, problem.row_weight)
    usual = medians_of_tasks(losses, problem.task_of_row, problem.row_weight)
    limit = (NORMAL * MOST) ** 2 * np.maximum(usual, overall)
    limit = np.where((limit > 0.0) & (problem.counts >= FEWEST_ROWS), limit, np.inf)
    return np.minimum(losses, limit[problem.task_of_row])


def held_out_error(problem: Problem, losses: Array) -> tuple[float, float]:
    """RMSE or error rate over the held-out rows, and its standard error."""
    if problem.loss == SQUARED:
        rmse = np.sqrt(mean_of(losses, problem.row_weight))
        spread = error_of(losses, problem.row_weight)
        return float(rmse), float(spread / (2.0 * rmse)) if rmse > 0 else 0.0  # delta method
    wrong = losses > np.log(2.0)  # log(1 + exp(-y f)) where y f < 0
    return float(mean_of(wrong, problem.row_weight)), error_of(wrong, problem.row_weight)
