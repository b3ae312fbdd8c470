"""The loop: what it yields, when it ends, and what the refinement makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

import numpy as np
import pytest

from stcmtl import algorithm
from stcmtl.algorithm import (
    MAX_ROUNDS,
    PATIENCE,
    Iteration,
    Settings,
    Stopwatch,
    alternate,
    best_start,
    direction_clusters,
    paper_iterations,
    refinement_rounds,
    residual_variance,
    resolve_gamma,
    short_refinement,
    solve,
)
from stcmtl.alignment import match_clusters
from stcmtl.centers import choose_gamma, choose_penalty, noise_scale
from stcmtl.initial import Initial, initialise, update_coefficients
from stcmtl.memberships import support_penalty, support_shares
from stcmtl.problem import LOGISTIC, SQUARED, Problem
from stcmtl.simulate import Simulation
from stcmtl.soup import Soup, soup
from tests.unit import twins
from tests.unit.problems import simulated
from tests.unit.twins import LOSSES, Array

PLAIN = Settings(n_clusters=3, refine=False)
REFINED = Settings(n_clusters=3)
Setup = tuple[Simulation, Problem, Initial]


def set_up(loss: int, **options: object) -> Setup:
    sim, problem = simulated(loss, **options)
    return sim, problem, initialise(problem, 5, 0)


@pytest.fixture(scope="module")
def regression() -> Setup:
    return set_up(SQUARED)


@pytest.fixture(scope="module")
def classification() -> Setup:
    return set_up(LOGISTIC, n_train=80)


@pytest.fixture(params=["regression", "classification"])
def either(request: pytest.FixtureRequest) -> Setup:
    return request.getfixturevalue(request.param)


def equation_2(problem: Problem, state: Iteration, gamma: float) -> float:
    """sum_i (1/n_i) L(y_i, X_i U v_i + b_i) + gamma |U|_1, one task after the other."""
    total = gamma * float(np.abs(state.U).sum())
    for i in range(problem.n_tasks):
        rows = problem.rows(i)
        f = problem.X[rows] @ (state.U @ state.V[:, i]) + state.b[i]
        total += float(twins.row_losses(problem.loss, problem.y[rows], f).mean())
    return total


def assert_same(a: Iteration, b: Iteration) -> None:
    for field in fields(Iteration):
        if field.name != "seconds":
            np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name))


class TestPaper:
    def test_objective_is_equation_2(self, either: Setup) -> None:
        _, problem, initial = either
        for state in solve(problem, initial, PLAIN):
            assert state.objective == pytest.approx(
                equation_2(problem, state, state.gamma), rel=1e-9
            )
            assert state.loss == pytest.approx(equation_2(problem, state, 0.0), rel=1e-9)

    def test_every_step_is_the_paper_s(self, either: Setup) -> None:
        """V by SOUP from the last W, U at its optimum given V, W a few sweeps from U V."""
        _, problem, initial = either
        W, V = initial.W, None
        for state in solve(problem, initial, PLAIN):
            found = soup(W, 3, PLAIN.theta, PLAIN.epsilon, PLAIN.seed)
            V = found.V if V is None else found.V[match_clusters(found.V, V)]
            np.testing.assert_array_equal(state.V, V)
            np.testing.assert_array_equal(np.flatnonzero(state.pure), found.pure)
            f = twins.predict_clusters(problem.X, state.U, V, state.b, problem.starts)
            e, _ = twins.pull_and_stiffness(problem.loss, problem.y, f, problem.weight)
            slopes = twins.cluster_slopes(problem.X, e, V, problem.starts)
            assert twins.optimality_gap(slopes, state.U, np.full(3, state.gamma)) < 0.1
            W, _ = update_coefficients(problem, state.U @ V, state.b, initial.lambdas)
            np.testing.assert_array_equal(state.W, W)

    def test_iterations_are_numbered_and_timed(self, regression: Setup) -> None:
        _, problem, initial = regression
        states = list(solve(problem, initial, PLAIN))
        assert [s.iteration for s in states] == list(range(1, len(states) + 1))
        assert {s.stage for s in states} == {"paper"}
        assert set(states[0].seconds) == {"V", "gamma", "U", "W"}
        assert set(states[1].seconds) == {"V", "U", "W"}
        assert all(second >= 0.0 for s in states for second in s.seconds.values())

    def test_stepping_is_draining(self, either: Setup) -> None:
        _, problem, initial = either
        drained = list(solve(problem, initial, REFINED))
        steps = solve(problem, initial, REFINED)
        for expected in drained:
            assert_same(next(steps), expected)
        with pytest.raises(StopIteration):
            next(steps)

    def test_nothing_is_computed_before_it_is_asked_for(
        self, regression: Setup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls: list[int] = []

        def counted(*arguments: object) -> Soup:
            calls.append(1)
            return soup(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(algorithm, "soup", counted)
        steps = solve(regression[1], regression[2], replace(PLAIN, tol=0.0))
        assert len(calls) == 0
        for expected in (1, 2):
            assert isinstance(next(steps), Iteration)
            assert len(calls) == expected

    @pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-5])
    def test_ends_when_the_objective_settles(self, regression: Setup, tol: float) -> None:
        _, problem, initial = regression
        objective = [s.objective for s in solve(problem, initial, replace(PLAIN, tol=tol))]
        changes = np.abs(np.diff(objective)) / np.abs(objective[1:])
        assert changes[-1] <= tol
        assert (changes[:-1] > tol).all()

    def test_never_more_than_max_iter(self, regression: Setup) -> None:
        _, problem, initial = regression
        settings = replace(PLAIN, max_iter=2, tol=0.0)
        assert len(list(solve(problem, initial, settings))) == 2

    def test_labels_do_not_swap_between_iterations(
        self, regression: Setup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Even if SOUP deals them out anew every time."""
        _, problem, initial = regression
        expected = list(solve(problem, initial, replace(PLAIN, tol=1e-4)))
        rng = np.random.default_rng(0)

        def shuffled(*arguments: object) -> Soup:
            found = soup(*arguments)  # type: ignore[arg-type]
            return replace(found, V=found.V[rng.permutation(3)])

        monkeypatch.setattr(algorithm, "soup", shuffled)
        states = list(solve(problem, initial, replace(PLAIN, tol=1e-4)))
        order = match_clusters(expected[0].V, states[0].V)
        for state, other in zip(states, expected, strict=True):
            np.testing.assert_allclose(state.V, other.V[order], atol=1e-6)
            np.testing.assert_allclose(state.U, other.U[:, order], atol=1e-2)

    def test_beats_the_single_tasks(self, regression: Setup) -> None:
        sim, problem, initial = regression
        *_, last = solve(problem, initial, PLAIN)
        error, alone = (
            np.sqrt(np.mean((W - sim.truth.W) ** 2)) for W in (last.U @ last.V, initial.W)
        )
        assert error < 0.8 * alone


class TestStalling:
    """The rule alone: ``alternate`` is replaced by objectives written down here."""

    @pytest.fixture
    def script(
        self, regression: Setup, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[..., list[Iteration]]:
        _, problem, initial = regression
        state = next(alternate(problem, initial, PLAIN))

        def run(objectives: list[float], tol: float = 1e-3) -> list[Iteration]:
            def scripted(*_: object) -> Iterator[Iteration]:
                for i, value in enumerate(objectives, start=1):
                    yield replace(state, iteration=i, objective=value, U=np.full((30, 3), value))

            monkeypatch.setattr(algorithm, "alternate", scripted)
            return list(paper_iterations(problem, initial, replace(PLAIN, tol=tol)))

        return run

    def test_goes_back_to_the_lowest(self, script: Callable[..., list[Iteration]]) -> None:
        objectives = [9.0, 5.0, 8.0, 6.0, 8.0, 6.0, 8.0, 6.0]
        states = script(objectives)
        visited = objectives[: 2 + PATIENCE]
        assert [s.objective for s in states] == [*visited, 5.0]
        last = states[-1]
        assert last.iteration == len(visited) + 1
        assert last.seconds == {}
        np.testing.assert_array_equal(last.U, 5.0)

    def test_a_new_low_renews_the_patience(self, script: Callable[..., list[Iteration]]) -> None:
        objectives = [9.0, 5.0, 8.0, 6.0, 8.0, 4.0, 8.0, 6.0, 8.0, 6.0, 8.0]
        assert [s.objective for s in script(objectives)] == [*objectives[:10], 4.0]

    def test_ends_at_the_first_change_within_tol(
        self, script: Callable[..., list[Iteration]]
    ) -> None:
        objectives = [9.0, 5.0, 4.996, 4.9, 4.8]
        assert [s.objective for s in script(objectives)] == objectives[:3]
        assert [s.objective for s in script(objectives, tol=1e-4)] == objectives

    def test_an_objective_of_zero_settles(self, script: Callable[..., list[Iteration]]) -> None:
        assert len(script([0.0, 0.0, 0.0], tol=0.0)) == 2

    def test_one_iteration(self, script: Callable[..., list[Iteration]]) -> None:
        assert len(script([3.0])) == 1


class TestGamma:
    def test_mean_of_the_lambdas(self, regression: Setup) -> None:
        _, problem, initial = regression
        state = next(solve(problem, initial, PLAIN))
        assert state.gamma == pytest.approx(initial.lambdas.mean())

    def test_cross_validation(self, either: Setup) -> None:
        _, problem, initial = either
        state = next(solve(problem, initial, replace(PLAIN, gamma="cv")))
        expected = choose_gamma(problem, state.V, problem.folds(5, 0))
        assert state.gamma == expected

    def test_a_number(self, regression: Setup) -> None:
        _, problem, initial = regression
        states = list(solve(problem, initial, replace(PLAIN, gamma=0.123)))
        assert {s.gamma for s in states} == {0.123}
        assert resolve_gamma(problem, initial, states[0].V, replace(PLAIN, gamma=2)) == 2.0

    def test_stays_the_same_from_the_first_iteration_on(self, regression: Setup) -> None:
        _, problem, initial = regression
        states = list(solve(problem, initial, replace(PLAIN, gamma="cv", tol=1e-5)))
        assert len(states) > 2
        assert len({s.gamma for s in states}) == 1

    def test_a_huge_one_leaves_nothing(self, regression: Setup) -> None:
        _, problem, initial = regression
        for state in solve(problem, initial, replace(PLAIN, gamma=1e6)):
            np.testing.assert_array_equal(state.U, 0.0)


class TestRefinement:
    def test_follows_the_paper_s_iterations(self, either: Setup) -> None:
        _, problem, initial = either
        plain, refined = (list(solve(problem, initial, s)) for s in (PLAIN, REFINED))
        for state, expected in zip(refined, plain, strict=False):
            assert_same(state, expected)
        rounds = refined[len(plain) :]
        assert 1 <= len(rounds) <= MAX_ROUNDS
        assert {s.stage for s in rounds} == {"refine"}
        assert [s.iteration for s in refined] == list(range(1, len(refined) + 1))
        assert set(rounds[0].seconds) == {"V", "gamma", "U"}

    def test_pure_tasks_are_exactly_on_their_vertices(self) -> None:
        sim, problem, initial = set_up(SQUARED, noise=0.2, n_tasks=24, n_train=80)
        *_, last = solve(problem, initial, REFINED)
        V = last.V[match_clusters(last.V, sim.truth.V)]
        pure = sim.truth.pure
        np.testing.assert_array_equal(V[:, pure], sim.truth.V[:, pure])
        np.testing.assert_array_equal(last.pure, pure)
        np.testing.assert_allclose(V[:, ~pure], sim.truth.V[:, ~pure], atol=0.1)
        assert (last.U == 0.0).mean() > 0.5

    def test_is_closer_to_the_truth(self, regression: Setup) -> None:
        sim, problem, initial = regression
        (*_, plain), (*_, refined) = (solve(problem, initial, s) for s in (PLAIN, REFINED))
        errors = [np.linalg.norm(s.U @ s.V - sim.truth.W) for s in (plain, refined)]
        assert errors[1] < 0.75 * errors[0]

    def test_states_are_consistent(self, either: Setup) -> None:
        _, problem, initial = either
        for state in solve(problem, initial, REFINED):
            assert state.V.min() >= 0.0
            np.testing.assert_allclose(state.V.sum(axis=0), 1.0)
            if state.stage == "refine":
                np.testing.assert_array_equal(state.W, state.U @ state.V)
                np.testing.assert_array_equal(state.pure, state.V.max(axis=0) == 1.0)
                np.testing.assert_array_equal(state.pure, np.count_nonzero(state.V, axis=0) == 1)

    def test_ends_when_memberships_stay(self, regression: Setup) -> None:
        _, problem, initial = regression
        rounds = [s for s in solve(problem, initial, REFINED) if s.stage == "refine"]
        assert len(rounds) < MAX_ROUNDS
        assert np.abs(rounds[-1].V - rounds[-2].V).max() < 1e-3

    def test_level_is_chosen_once_by_cross_validation(self, regression: Setup) -> None:
        _, problem, initial = regression
        *_, start = solve(problem, initial, PLAIN)
        _, V, _, _ = best_start(problem, initial, start, REFINED)
        chosen = choose_penalty(problem, V, problem.folds(5, 0))
        gammas = {s.gamma for s in refinement_rounds(problem, initial, start, REFINED)}
        assert gammas == {chosen.level}

    def test_a_fixed_gamma_holds(self, regression: Setup) -> None:
        _, problem, initial = regression
        states = list(solve(problem, initial, replace(REFINED, gamma=0.4)))
        assert {s.gamma for s in states} == {0.4}
        low, high = (
            np.count_nonzero(list(solve(problem, initial, replace(REFINED, gamma=g)))[-1].U)
            for g in (0.1, 1.0)
        )
        assert high < low

    @pytest.mark.parametrize("loss", LOSSES)
    @pytest.mark.parametrize("refine", [True, False])
    @pytest.mark.parametrize("K", [1, 6])
    def test_one_cluster_and_as_many_as_tasks(self, loss: int, refine: bool, K: int) -> None:
        _, problem, initial = set_up(loss, n_tasks=6, n_train=40, n_mixed=0)
        *_, last = solve(problem, initial, Settings(K, refine=refine))
        if K == 1:
            np.testing.assert_allclose(last.V, 1.0, rtol=1e-15)
            assert last.pure.all()
        null = problem.total_loss(np.zeros(problem.y.size))
        assert 0.0 < last.loss < null
        assert np.isfinite(last.objective)

    def test_as_many_clusters_as_tasks_can_keep_them_apart(self) -> None:
        """Without noise and almost without penalty every task is its own model."""
        sim, problem, initial = set_up(SQUARED, n_tasks=3, n_train=60, n_mixed=0, noise=0.0)
        *_, last = solve(problem, initial, Settings(3, gamma=1e-4))
        np.testing.assert_allclose(last.U @ last.V, sim.truth.W, atol=0.01)

    def test_seeds_and_threads(self, regression: Setup) -> None:
        _, problem, initial = regression
        one = list(solve(problem, initial, replace(REFINED, n_jobs=1)))
        two = list(solve(problem, initial, replace(REFINED, n_jobs=2)))
        assert len(one) == len(two)
        for a, b in zip(one, two, strict=True):
            assert_same(a, b)


class TestStart:
    def test_the_smaller_criterion_wins(
        self, regression: Setup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, problem, initial = regression
        *_, start = solve(problem, initial, PLAIN)
        directions = direction_clusters(initial.W, 3, 0)
        for soups, others in ((1.0, 2.0), (2.0, 1.0)):

            def scripted(
                problem: Problem, initial: Initial, V: Array, a: float = soups, b: float = others
            ) -> tuple[float, tuple[Array, ...]]:
                return (a if np.array_equal(V, start.V) else b), (V, V, V, V)

            monkeypatch.setattr(algorithm, "short_refinement", scripted)
            won = best_start(problem, initial, start, PLAIN)[1]
            expected = start.V if soups < others else directions
            order = match_clusters(won, expected)
            np.testing.assert_array_equal(won[order], expected)

    def test_directions_and_not_lengths_make_groups(self) -> None:
        rng = np.random.default_rng(1)
        centers = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]])
        W = (centers[np.arange(18) % 3] + 0.05 * rng.normal(size=(18, 3))).T
        W *= rng.uniform(0.01, 100.0, 18)
        V = direction_clusters(W, 3, seed=0)
        assert set(map(tuple, V.T)) == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}
        for i in range(18):
            np.testing.assert_array_equal(V[:, i], V[:, i % 3])

    def test_directions_of_tasks_without_coefficients(self) -> None:
        W = np.zeros((4, 9))
        W[0, :3] = 1.0
        V = direction_clusters(W, 2, seed=0)
        np.testing.assert_array_equal(V.sum(axis=0), 1.0)
        assert (V[:, :3] != V[:, 3:6]).all()

    def test_criterion_by_hand(self, either: Setup) -> None:
        """Minus twice the likelihood, prices of the supports, log N for a coefficient."""
        sim, problem, initial = either
        criterion, (U, V, b, shares) = short_refinement(problem, initial, sim.truth.V)
        np.testing.assert_allclose(shares, support_shares(V))
        N, n = problem.y.size, problem.n_rows[0]
        f = twins.predict_clusters(problem.X, U, V, b, problem.starts)
        losses = twins.row_losses(problem.loss, problem.y, f)
        deviance = 2.0 * losses.sum()
        if problem.loss == SQUARED:
            n_parameters = np.count_nonzero(U) + np.count_nonzero(V)
            noise = losses.sum() / (N - n_parameters)
            deviance = losses.sum() / noise + N * np.log(noise)
        prices = support_penalty(n, shares)[np.count_nonzero(V, axis=0)].sum()
        expected = deviance + prices + np.log(N) * np.count_nonzero(U)
        assert criterion == pytest.approx(expected, rel=1e-9)

    def test_the_truth_beats_wrong_memberships(self, either: Setup) -> None:
        sim, problem, initial = either
        wrong = np.roll(sim.truth.V, 3, axis=1)
        right, other = (short_refinement(problem, initial, V)[0] for V in (sim.truth.V, wrong))
        assert right < other

    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_residual_variance_counts_free_parameters(self, fit_intercept: bool) -> None:
        _, problem = simulated(fit_intercept=fit_intercept)
        U, V = np.zeros((30, 3)), np.eye(3)[:, np.arange(18) % 3]
        U[:4, 1] = 0.5
        V[:, 0] = [0.2, 0.3, 0.5]  # two free memberships
        f = twins.predict_clusters(problem.X, U, V, np.zeros(18), problem.starts)
        squares = float(((problem.y - f) ** 2).sum())
        n_parameters = 4 + 2 + 18 * fit_intercept
        expected = squares / (problem.y.size - n_parameters)
        assert residual_variance(problem, U, V, np.zeros(18)) == pytest.approx(expected)


def test_levels_follow_the_noise_of_each_cluster() -> None:
    """The last U of the refinement is stationary at level x noise scale."""
    rows = [120] * 5 + [50] * 5 + [25] * 5 + [50] * 3  # the third cluster is the noisiest
    _, problem, initial = set_up(SQUARED, n_train=rows)
    states = list(solve(problem, initial, REFINED))
    before, last = states[-2], states[-1]
    levels = last.gamma * noise_scale(problem, before.V)
    assert levels.max() > 1.5 * levels.min()
    # U was fitted to the memberships of the round before, with intercepts at their optimum
    residual = problem.y - twins.predict_clusters(
        problem.X, last.U, before.V, np.zeros(18), problem.starts
    )
    means = np.bincount(problem.task_of_row, residual) / problem.n_rows
    e = 2.0 * problem.weight * (residual - means[problem.task_of_row])
    slopes = twins.cluster_slopes(problem.X, e, before.V, problem.starts)
    curvature = twins.block_curvature(problem.X, 2.0 * problem.weight, before.V, problem.starts)
    concavity = 0.5 * np.einsum("dkk->dk", curvature)
    assert twins.optimality_gap(slopes, last.U, levels, concavity) < 0.05


def test_stopwatch_books_every_lap(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([10.0, 11.0, 14.0, 14.5])
    monkeypatch.setattr(algorithm, "perf_counter", lambda: next(times))
    watch = Stopwatch()
    for step in ("U", "V", "U"):
        watch.lap(step)
    assert watch.seconds == {"U": 1.5, "V": 3.0}
