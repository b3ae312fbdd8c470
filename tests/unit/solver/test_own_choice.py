"""The kind and level of an own part, by held-out rows: against scikit-learn, fold by fold."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from joblib import Parallel
from sklearn.linear_model import Ridge

from stcmtl.solver.own_choice import (
    RISE,
    STRETCHES,
    has_risen,
    kinds_of_deviations,
    pick_kind,
    pick_level,
    validate_own,
)
from stcmtl.solver.own_part import GROUP, LASSO, RIDGE, SLOPES, OwnFits, OwnPenalty, fit_own
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem
from tests.unit import twins
from tests.unit.problems import random_problem
from tests.unit.twins import Array

SIZES = (8, 35, 20)  # fewer rows than features, and more


def test_slopes_only_where_a_covariance_can_be_learnt() -> None:
    usual = (RIDGE, GROUP, LASSO)
    assert kinds_of_deviations(random_problem(SQUARED)) == (*usual, SLOPES)
    assert kinds_of_deviations(random_problem(LOGISTIC)) == usual
    assert kinds_of_deviations(random_problem(SQUARED, D=41)) == usual
    assert kinds_of_deviations(random_problem(SQUARED, sizes=(30, 30))) == usual


def between_levels(levels: Any, means: Any) -> float:
    """Where the parabola through the smallest mean and its neighbours, over log levels, ends."""
    best = int(np.argmin(means))
    if not 0 < best < levels.size - 1:
        return float(levels[best])
    near = slice(best - 1, best + 2)
    bend, slope, _ = np.polyfit(np.log(levels[near]), means[near], 2)
    return float(np.exp(-slope / (2.0 * bend)))


class TestValidation:
    def test_a_fold_is_judged_at_the_level_of_the_others(self) -> None:
        problem = random_problem(SQUARED, sizes=SIZES)
        fold = problem.folds(4, 0)
        rng = np.random.default_rng(7)
        f_of_fold = [0.3 * rng.normal(size=problem.y.size) for _ in range(4)]
        fits = [OwnFits(problem, fold != c) for c in range(4)]
        with Parallel(n_jobs=1) as parallel:
            penalty, found = validate_own(problem, fits, RIDGE, f_of_fold, fold, parallel)
        levels = fits[0].levels(RIDGE, f_of_fold[0])
        losses = np.zeros((levels.size, problem.y.size))
        for j, level in enumerate(levels):
            for c in range(4):
                for i in range(3):
                    of_task = problem.task_of_row == i
                    train, held = of_task & (fold != c), of_task & (fold == c)
                    residual = problem.y - f_of_fold[c]
                    twin = Ridge(level).fit(problem.X[train], residual[train])
                    losses[j, held] = (residual[held] - twin.predict(problem.X[held])) ** 2
        mean = [np.mean([row[problem.task_of_row == i].mean() for i in range(3)]) for row in losses]
        assert penalty.level == pytest.approx(between_levels(levels, mean), rel=1e-6)
        best = []
        for c in range(4):
            others = np.where(fold == c, 0.0, losses * problem.weight).sum(axis=1)
            best.append(int(np.argmin(others)))
            expected = losses[best[c]][fold == c]
            np.testing.assert_allclose(found[fold == c], expected, rtol=1e-6, atol=1e-9)
        assert len({*best}) > 1  # here it matters

    def test_labels_are_told_by_what_is_shrunken_and_stretched(self) -> None:
        """The best of all levels and factors of the held-out log-odds."""
        problem = random_problem(LOGISTIC, sizes=SIZES)
        fold, stretches = problem.folds(2, 0), np.array([1.0, 3.0])
        fits = [OwnFits(problem, fold != c) for c in range(2)]
        nothing = np.zeros((2, problem.y.size))
        with Parallel(n_jobs=1) as parallel:
            given = problem, fits, RIDGE, nothing, fold, parallel
            penalty, _ = validate_own(*given, stretches)
        levels = fits[0].levels(RIDGE, nothing[0])

        F = np.empty((levels.size, fold.size))
        for c, fit in enumerate(fits):
            path = fit.path(RIDGE, nothing[0], levels)
            F[:, fold == c] = fit.predict_others(nothing[0], path)
        means = [
            [twins.row_losses(LOGISTIC, problem.y, factor * f) @ problem.weight for f in F]
            for factor in stretches
        ]
        row, column = np.unravel_index(np.argmin(means), (2, levels.size))
        assert penalty.stretch == stretches[row]
        assert levels[column] == levels[np.argmin(means[row])]
        assert penalty.level == pytest.approx(between_levels(levels, means[row]), rel=1e-6)
        plain, _ = fit_own(problem, nothing[0], OwnPenalty(RIDGE, 2.0))
        W, _ = fit_own(problem, nothing[0], OwnPenalty(RIDGE, 2.0, stretch=3.0))
        np.testing.assert_array_equal(W, 3.0 * plain)

    @pytest.mark.parametrize("kind", [GROUP, LASSO])
    def test_noise_seems_to_be_nothing_of_a_task_s_own(self, kind: str) -> None:
        rng = np.random.default_rng(0)
        X, codes = rng.normal(size=(300, 10)), np.repeat(np.arange(6), 50)
        problem = Problem.build(X, rng.normal(size=300), codes, SQUARED, True)
        fold, nothing = problem.folds(5, 0), np.zeros((5, 300))
        fits = [OwnFits(problem, fold != c) for c in range(5)]
        with Parallel(n_jobs=1) as parallel:
            penalty, found = validate_own(problem, fits, kind, nothing, fold, parallel)
        assert found.mean() > 0.99 * (problem.y**2).mean()
        d, _ = fit_own(problem, nothing[0], penalty)
        assert np.abs(d).max() < 0.1

    @pytest.mark.parametrize("kind", [RIDGE, GROUP, LASSO])
    def test_levels_beyond_a_clear_rise_are_not_tried(
        self, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nothing is a task's own here: the highest levels say so, and the lowest cost most."""
        problem = random_problem(LOGISTIC, sizes=(60, 60, 60))
        problem = replace(problem, y=np.sign(np.random.default_rng(4).normal(size=180)))
        fold, nothing, tried = problem.folds(3, 0), np.zeros((3, 180)), []
        fits = [OwnFits(problem, fold != c) for c in range(3)]
        path = OwnFits.path

        def count(self: OwnFits, kind: str, f: Array, levels: Array, before: Any) -> Any:
            tried.append(levels.size)
            return path(self, kind, f, levels, before)

        monkeypatch.setattr(OwnFits, "path", count)
        with Parallel(n_jobs=1) as parallel:
            validate_own(problem, fits, kind, nothing, fold, parallel)
        assert sum(tried) / 3 <= 8  # of ten


def test_what_stays_the_same_has_not_risen() -> None:
    fall = np.array([[1.0, 0.9, 0.9, 0.9, 0.9 + 1e-9]])
    assert not has_risen(fall)
    assert not has_risen(np.array([[1.0, 1.1, 1.2]]))  # too few to tell
    assert not has_risen(np.array([[1.0, 1.1, 1.05, 1.2, 1.3]]))
    assert has_risen(np.array([[1.0, 0.9, 0.91, 0.92, 0.93]]))
    assert not has_risen(np.array([[1.0, 0.9, 0.91, 0.92, 0.93], [1.0, 0.9, 0.8, 0.7, 0.6]]))


@pytest.mark.parametrize(("times", "risen"), [(0.9, False), (1.1, True)])
def test_a_rise_is_by_a_share(times: float, risen: bool) -> None:
    assert RISE == 1e-5
    steps = 5.0 * (1.0 + times * RISE) ** np.arange(4)
    assert has_risen(steps[None]) is risen
    assert has_risen(np.r_[9.0, steps][None]) is risen


def test_labels_alone_are_stretched() -> None:
    assert STRETCHES[SQUARED].tolist() == [1.0]
    assert STRETCHES[LOGISTIC][[0, -1]].tolist() == pytest.approx([1.0, 8.0])


class TestKind:
    problem = random_problem(SQUARED, sizes=(20, 20, 20))
    wave = np.repeat([1.0, -1.0, 0.0], 20)  # its mean has a standard error of 1 / sqrt(3)

    def found(self, **excess: float) -> list[tuple[OwnPenalty, Array]]:
        """Penalties by kind: so many standard errors behind the first, in units of a tenth."""
        return [
            (OwnPenalty(kind, 1.0), 1.0 + 0.1 * (behind / np.sqrt(3.0) + self.wave * (behind > 0)))
            for kind, behind in excess.items()
        ]

    @pytest.mark.parametrize(("behind", "taken"), [(0.99, SLOPES), (1.01, LASSO)])
    def test_slopes_within_one_standard_error_over_tasks(self, behind: float, taken: str) -> None:
        penalty, losses = pick_kind(self.problem, self.found(**{LASSO: 0.0, SLOPES: behind}))
        assert penalty.kind == taken
        assert losses.mean() == pytest.approx(1.0 + (taken == SLOPES) * 0.1 * behind / np.sqrt(3.0))

    def test_of_others_the_best(self) -> None:
        found = self.found(**{RIDGE: 0.5, LASSO: 0.0, GROUP: 0.1})
        assert pick_kind(self.problem, found)[0].kind == LASSO

    def test_one_task_has_no_standard_error(self) -> None:
        problem = random_problem(SQUARED, sizes=(20,))
        found = [(OwnPenalty(k, 1.0), np.full(20, x)) for k, x in ((LASSO, 1.0), (SLOPES, 1.01))]
        assert pick_kind(problem, found)[0].kind == LASSO


@pytest.mark.parametrize(("gain", "level"), [(0.1, 0), (1.0, 1)])
def test_slopes_are_cautious_unless_held_out_rows_are_sure(gain: float, level: int) -> None:
    problem = random_problem(SQUARED)
    wave = np.where(problem.task_of_row % 2, 1.0, -1.0)
    losses = np.stack([np.full(problem.y.size, 3.0), 3.0 - gain + 0.9 * wave])
    lowest = int(np.argmin(losses @ problem.weight))
    assert pick_level(problem, losses, problem.weight, RIDGE) == lowest
    assert pick_level(problem, losses, problem.weight, SLOPES) == level
