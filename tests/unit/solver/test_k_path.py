"""The path over K: honest, the same as a plain cross-validation, and read right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from joblib import Parallel
from numpy.typing import NDArray

from stcmtl.solver import trials
from stcmtl.solver.centers import L1, MCP, noise_scale, update_centers
from stcmtl.solver.fold_paths import Fold
from stcmtl.solver.k_path import select_k, singular_ratios
from stcmtl.solver.kernels.clusters import Clusters
from stcmtl.solver.penalty_choice import LEVEL_RATIO, QUICK, open_folds, validation_curve
from stcmtl.solver.problem import LOGISTIC, SQUARED, Problem, Rows
from stcmtl.solver.records import Initial, KPoint, KSelection, Settings
from stcmtl.solver.single_task import initialise
from stcmtl.solver.trials import LEVELS_APART, find_loadings, held_out_error
from tests.unit import twins
from tests.unit.problems import correlated_rows, random_memberships, random_problem, targets

SETTINGS = Settings(n_clusters=1, n_folds=3)
SIZES = (12, 9, 14, 10, 11)


def rows(loss: int = SQUARED, standardize: bool = False, seed: int = 0) -> Rows:
    """In a shuffled order, as users give them."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(len(SIZES)), SIZES))
    X = np.ascontiguousarray(correlated_rows(codes.size, 6, seed))
    return Rows(X, targets(X, loss, seed + 1), codes, loss, True, standardize)


def begin(data: Rows) -> tuple[Rows, Problem, Initial]:
    problem = data.problem()
    return data, problem, initialise(problem, 3, 0)


def k_points(data: Rows, settings: Settings, ks: list[int]) -> Iterator[KPoint]:
    return select_k(*begin(data), settings, ks, robust=False)


def held_out(data: Rows, c: int) -> NDArray[np.int64]:
    fold = data.problem().folds(SETTINGS.n_folds, SETTINGS.seed)
    return data.by_task[fold == c]


class TestHonesty:
    @pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
    @pytest.mark.parametrize("standardize", [False, True])
    def test_held_out_rows_touch_neither_initial_fits_nor_memberships(
        self, loss: int, standardize: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data, fold = rows(loss, standardize), 1
        rng = np.random.default_rng(3)
        X, y, changed = data.X.copy(), data.y.copy(), held_out(data, fold)
        X[changed] = 50.0 * rng.normal(size=(changed.size, 6))
        if loss == SQUARED:  # labels also say which rows are held out
            y[changed] = 100.0 * rng.normal(size=changed.size)
        before = spied(data, monkeypatch)
        after = spied(replace(data, X=X, y=y), monkeypatch)
        assert len(before) == len(after) == 3 + 2 * 3  # initial fits, then two K
        for call in (fold, 3 + fold, 6 + fold):
            np.testing.assert_array_equal(after[call], before[call])
        for call in (0, 2):
            assert (after[call] != before[call]).any()

    @pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
    def test_nor_the_centres_that_predict_them(self, loss: int) -> None:
        """At fixed levels, a held-out row changes no other held-out row's loss."""
        data = rows(loss)
        fold, V = data.problem().folds(3, 0), random_memberships(2, 5, 0)
        held = np.flatnonzero(fold == 1)
        X = data.X.copy()
        X[data.by_task[held[0]]] += 1.0
        levels = 0.3 * LEVEL_RATIO ** np.arange(6.0)[:, None] * np.ones(2)
        zero = Clusters(np.zeros((6, 2)), V, np.zeros(5))
        before, after = (
            Fold.open(d.problem(), V, fold == 1).descend(d.problem(), zero, levels, L1, 1e-5).losses
            for d in (data, replace(data, X=X))
        )
        np.testing.assert_allclose(after[:, 1:], before[:, 1:], rtol=0.01, atol=1e-4)
        assert after[-1, 0] != before[-1, 0]


class TestRival:
    """What is far behind a rival in the first fold is tried in no other."""

    @pytest.mark.parametrize("shape", ["cone", "span"])
    @pytest.mark.parametrize(("better", "n_fits"), [(0.0, 3), (20.0, 1)])
    def test_is_compared_in_the_first_fold(
        self, shape: str, better: float, n_fits: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen = []

        def memberships(*arguments: Any) -> Any:
            seen.append(arguments)
            return find_loadings(*arguments)

        with Parallel(n_jobs=1) as parallel:
            found = trials.Trials(rows(), rows().problem(), SETTINGS, parallel)
            rival = found.try_clusters(2, "simplex")
            problem = found.problem
            losses = rival.row_losses - better
            rival = found.candidate(2, "simplex", "none", losses)
            monkeypatch.setattr(trials, "find_loadings", memberships)
            candidate = found.try_clusters(2, shape, rival)
        assert len(seen) == n_fits
        assert candidate.estimated is (n_fits == 1)
        if candidate.estimated:  # as far behind as in that fold
            behind = candidate.row_losses - rival.row_losses
            for i in range(problem.n_tasks):
                own = behind[problem.rows(i)]
                np.testing.assert_allclose(own, own[0])
                assert 10.0 < own[0] < 40.0


def spied(data: Rows, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """W of every initial fit, then every fold's memberships for K = 1... in the order made."""
    seen: list[Any] = []
    with monkeypatch.context() as patch:

        def initial(*arguments: Any) -> Any:
            found = initialise(*arguments)
            seen.append(found.W)
            return found

        def memberships(*arguments: Any) -> Any:
            seen.append(find_loadings(*arguments))
            return seen[-1]

        patch.setattr(trials, "initialise", initial)
        patch.setattr(trials, "find_loadings", memberships)
        list(k_points(data, replace(SETTINGS, n_jobs=1), [2, 3]))
    return seen


class TestCurve:
    @pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
    @pytest.mark.parametrize("k", [1, 2])
    def test_is_a_plain_cross_validation(
        self, loss: int, k: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Fold by fold: rebuild the training problem, solve it level by level, predict."""
        closely = QUICK._replace(tol=1e-9)
        monkeypatch.setattr(trials, "QUICK", closely)
        data = rows(loss)
        (point,) = k_points(data, SETTINGS, [k])
        problem = data.problem()
        fold = problem.folds(3, 0)
        parts = [data.problem(data.by_task[fold != c]) for c in range(3)]
        starts = [initialise(part, 3, 0, None, LEVELS_APART) for part in parts]
        V = []
        for c, part in enumerate(parts):
            V.append(find_loadings(part, starts[c], replace(SETTINGS, n_clusters=k), None))
        found = {}
        for inverse_a in (MCP, L1):
            with Parallel(n_jobs=1) as parallel:
                scales = [noise_scale(problem, part) for part in V]
                folds = open_folds(problem, V, fold, parallel)
                curve = validation_curve(problem, folds, scales, inverse_a, parallel, closely)
            found[inverse_a] = plain_losses(data, V, fold, curve.levels, inverse_a)
        best, plain = (min(found[inverse_a], key=np.mean) for inverse_a in (MCP, L1))
        # the l1 norm is looked at only where it predicts the first fold better
        if best[fold == 0].mean() > found[L1][:, fold == 0].mean(axis=1).min():
            best = min(best, plain, key=np.mean)
        wrong = (best > np.log(2.0)).mean()
        expected = np.sqrt(best.mean()) if loss == SQUARED else wrong
        assert point.error == pytest.approx(expected, rel=5e-3)

    def test_points_come_one_by_one_in_the_order_asked_for(self) -> None:
        points = k_points(rows(), SETTINGS, [3, 1])
        assert [next(points).k, next(points).k] == [3, 1]
        with pytest.raises(StopIteration):
            next(points)

    def test_a_point_does_not_depend_on_the_others(self) -> None:
        alone = next(iter(k_points(rows(), SETTINGS, [2])))
        among = list(k_points(rows(), SETTINGS, [1, 2, 3]))[1]
        assert (alone.error, alone.se, alone.objective) == (among.error, among.se, among.objective)

    def test_threads_do_not_change_a_bit(self) -> None:
        one, two = (
            [(p.error, p.se, p.objective) for p in k_points(rows(), settings, [1, 2, 3])]
            for settings in (replace(SETTINGS, n_jobs=1), replace(SETTINGS, n_jobs=2))
        )
        assert one == two


def plain_losses(
    data: Rows, V: list[Any], fold: NDArray[np.int64], levels: Any, inverse_a: float
) -> Any:
    """Held-out losses (levels, rows), each fold from a training problem of its own."""
    losses = np.empty((levels.size, fold.size))
    for c in range(int(fold.max()) + 1):
        part, chosen = data.problem(data.by_task[fold != c]), data.by_task[fold == c]
        scale = noise_scale(data.problem(), V[c])
        U, b = np.zeros((part.n_features, len(V[c]))), np.zeros(part.n_tasks)
        for j, level in enumerate(levels):  # the MCP is not convex: the path matters
            U, b, _ = update_centers(part, V[c], U, b, level * scale, inverse_a)
            W, task = U @ V[c], data.codes[chosen]
            f = np.einsum("nd,dn->n", data.X[chosen], W[:, task])
            f += part.original_intercepts(W, b)[task]
            losses[j, fold == c] = twins.row_losses(data.loss, data.y[chosen], f)
    return losses


class TestError:
    def test_root_mean_square_and_the_delta_method(self) -> None:
        losses = np.random.default_rng(0).normal(size=400) ** 2
        found, se = held_out_error(random_problem(SQUARED), losses)
        assert found == pytest.approx(np.sqrt(losses.mean()))
        rng = np.random.default_rng(1)
        again = [np.sqrt(rng.choice(losses, 400).mean()) for _ in range(2000)]
        assert se == pytest.approx(np.std(again), rel=0.06)

    def test_a_perfect_fit_has_no_error_and_no_spread(self) -> None:
        assert held_out_error(random_problem(SQUARED), np.zeros(9)) == (0.0, 0.0)

    def test_error_rate_is_binomial(self) -> None:
        margins = np.array([2.0, -1.0, 0.5, 3.0, -0.1, 1.0, 1.0, 1.0])
        found, se = held_out_error(random_problem(LOGISTIC), np.logaddexp(0.0, -margins))
        assert found == 0.25
        assert se == pytest.approx(np.sqrt(0.25 * 0.75 / 8))


def selection(error: list[float], se: list[float], ks: list[int] | None = None) -> KSelection:
    ks = ks or list(range(1, len(error) + 1))
    points = [KPoint(k, e, s, 0.0, 0.0) for k, e, s in zip(ks, error, se, strict=True)]
    return KSelection.of(points, np.empty(0), "RMSE")


class TestChoice:
    @pytest.mark.parametrize(
        ("errors", "se", "best", "one_se"),
        [
            ([3.0, 2.0, 1.0, 0.9, 0.95], [0.5, 0.5, 0.5, 0.2, 0.2], 4, 3),
            ([3.0, 2.0, 1.0, 0.9, 0.95], [0.5, 0.5, 0.5, 0.05, 0.2], 4, 4),
            ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], 1, 1),
            ([2.0, 1.0, 2.0], [9.0, 0.1, 9.0], 2, 2),
            ([1.1, 5.0, 1.0], [0.0, 0.0, 0.1], 3, 1),
        ],
    )
    def test_by_hand(self, errors: list[float], se: list[float], best: int, one_se: int) -> None:
        found = selection(errors, se)
        assert (found.best, found.one_se) == (best, one_se)

    def test_ks_need_not_be_neighbours(self) -> None:
        found = selection([2.0, 1.0, 0.99], [0.1, 0.1, 0.1], ks=[2, 5, 9])
        assert (found.best, found.one_se) == (9, 5)
        assert found.ks.dtype == np.int64


class TestSingularRatios:
    def test_are_of_the_centred_coefficients(self) -> None:
        W = np.random.default_rng(0).normal(size=(7, 5))
        centred = W - W.mean(axis=1)[:, None]
        values = np.sqrt(np.linalg.eigvalsh(centred.T @ centred)[::-1][:4])
        np.testing.assert_allclose(singular_ratios(W), values[:-1] / values[1:], rtol=1e-6)

    def test_k_plus_one_clusters_span_k_directions(self) -> None:
        rng = np.random.default_rng(0)
        W = rng.normal(size=(20, 4))[:, np.arange(40) % 4] + 0.01 * rng.normal(size=(20, 40))
        assert singular_ratios(W).argmax() + 2 == 4

    @pytest.mark.parametrize("W", [np.zeros((4, 5)), np.ones((4, 5)), np.ones((4, 1))], ids=str)
    def test_nothing_to_compare(self, W: Any) -> None:
        assert singular_ratios(W).size == 0


class TestSelect:
    def test_returns_what_it_yielded(self) -> None:
        data, points = rows(), []
        steps = select_k(*begin(data), SETTINGS, [1, 2], robust=False)
        while True:
            try:
                points.append(next(steps))
            except StopIteration as end:
                found = end.value
                break
        for name in ("error", "se", "objective", "seconds"):
            np.testing.assert_array_equal(getattr(found, name), [getattr(p, name) for p in points])
        np.testing.assert_array_equal(found.ks, [1, 2])

    def test_no_task_is_set_aside_that_the_clusters_need(self) -> None:
        data, problem, initial = begin(rows())
        lone = replace(initial, W=initial.W * [1, 1, 1, 1, -9.0])
        steps = select_k(
            data, problem, lone, replace(SETTINGS, outlier_factor=0.1), [5], robust=True
        )
        assert next(steps).k == 5
