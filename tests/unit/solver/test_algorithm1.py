"""The loop: what it yields, when it ends, and what the refinement makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from stcmtl.solver import algorithm1 as algorithm
from stcmtl.solver.algorithm1 import (
    PATIENCE,
    Iteration,
    alternate,
    resolve_gamma,
    solve,
)
from stcmtl.solver.alignment import match_clusters
from stcmtl.solver.penalty_choice import choose_gamma
from stcmtl.solver.single_task import update_coefficients
from stcmtl.solver.soup import Soup, soup
from tests.unit import twins
from tests.unit.setups import PLAIN, REFINED, Setup, assert_same, equation_2


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
            return found._replace(V=found.V[rng.permutation(3)])

        monkeypatch.setattr(algorithm, "soup", shuffled)
        states = list(solve(problem, initial, replace(PLAIN, tol=1e-4)))
        order = match_clusters(expected[0].V, states[0].V)
        for state, other in zip(states, expected, strict=True):
            np.testing.assert_allclose(state.V, other.V[order], atol=1e-6)
            np.testing.assert_allclose(state.U, other.U[:, order], atol=1e-2)


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
            return list(solve(problem, initial, replace(PLAIN, tol=tol)))

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

    def test_a_huge_one_leaves_nothing(self, regression: Setup) -> None:
        _, problem, initial = regression
        for state in solve(problem, initial, replace(PLAIN, gamma=1e6)):
            np.testing.assert_array_equal(state.U, 0.0)
