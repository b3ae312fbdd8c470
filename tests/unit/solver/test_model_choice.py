"""The choice of a model: the written order, one standard error, and where the search ends."""

from typing import Any

import numpy as np
import pytest

from stcmtl.solver.model_choice import (
    FAR,
    LATELY,
    USUAL_KS,
    WITHOUT_GAIN,
    Wanted,
    at_the_edge,
    describe,
    pick,
    try_candidates,
)
from stcmtl.solver.own_part import LASSO, RIDGE, OwnPenalty
from stcmtl.solver.problem import LOGISTIC, SQUARED
from stcmtl.solver.trials import (
    ALONE,
    DEVIATION,
    NEGLIGIBLE,
    NONE,
    OWNS,
    SHAPES,
    SURE,
    Candidate,
    Trials,
    limit_wild,
    mean_loss,
)
from tests.unit.problems import random_problem

T = 8
WAVE = np.array([1.0, -1.0] * (T // 2))  # its mean has a standard error of 1 / sqrt(7)
ERROR = 1.0 / np.sqrt(T - 1)


def candidate(
    n_clusters: int, shape: str, own: str, loss: float, wave: float = 0.0, **more: Any
) -> Candidate:
    losses = loss + wave * WAVE
    return Candidate(n_clusters, shape, own, losses, losses, **more)


def name(found: Candidate) -> tuple[int, str, str]:
    return found.n_clusters, found.shape, found.own


IN_ORDER = [
    (1, "simplex", NONE),
    (0, "simplex", ALONE),
    (1, "simplex", DEVIATION),
    (2, "simplex", NONE),
    (3, "simplex", NONE),
    (1, "cone", NONE),
    (4, "cone", NONE),
    (1, "span", NONE),
    (2, "span", NONE),
    (2, "simplex", DEVIATION),
    (1, "cone", DEVIATION),
    (1, "span", DEVIATION),
]


class TestPick:
    def test_the_written_order(self) -> None:
        """Of candidates that predict alike, the simplest."""
        for place in range(len(IN_ORDER)):
            left = [candidate(*one, loss=1.0) for one in reversed(IN_ORDER[place:])]
            assert name(pick(left)) == IN_ORDER[place]

    @pytest.mark.parametrize(("excess", "taken"), [(0.99, 2), (1.01, 4)])
    def test_the_simplest_within_one_standard_error(self, excess: float, taken: int) -> None:
        best = candidate(4, "simplex", NONE, 1.0)
        simpler = candidate(2, "simplex", NONE, 1.0 + 0.1 * excess * ERROR, wave=0.1)
        assert pick([best, simpler]).n_clusters == taken

    def test_differences_are_paired_over_tasks(self) -> None:
        """Tasks that are hard for both say nothing."""
        hard = 100.0 * np.arange(T)
        best, simpler = (
            Candidate(k, "simplex", NONE, hard, hard + loss) for k, loss in ((3, 0.0), (2, 2.0))
        )
        assert pick([best, simpler]) is best

    def test_a_simpler_one_that_predicts_better_dominates(self) -> None:
        """K = 3 is near the best because it varies; K = 2 is surely worse, and yet before K = 3."""
        best = candidate(1, "span", NONE, 1.0)
        near = candidate(3, "simplex", NONE, 1.3, wave=1.0)
        better = candidate(2, "simplex", NONE, 1.2, wave=0.1)
        assert not near.is_worse_than(best)
        assert better.is_worse_than(best)
        assert pick([best, near, better]) is better
        assert pick([best, near]) is near
        worse = candidate(2, "simplex", NONE, 1.4, wave=0.1)
        assert pick([best, near, worse]) is near
        near, same = candidate(3, "simplex", NONE, 1.25, 1.0), candidate(2, "simplex", NONE, 1.25)
        assert pick([best, near]) is near
        assert pick([best, near, same]) is same

    def test_rounding_decides_nothing(self) -> None:
        """An own part of zeros predicts the same but for the last bit."""
        plain = candidate(2, "simplex", NONE, 0.3)
        losses = plain.losses * (1.0 - 2.0 * np.finfo(float).eps)
        same = Candidate(2, "simplex", DEVIATION, losses, losses)
        assert pick([plain, same]) is plain

    @pytest.mark.parametrize(("gain", "taken"), [(0.9, 2), (1.1, 4)])
    def test_a_negligible_gain_is_none(self, gain: float, taken: int) -> None:
        """However sure: the same for every task."""
        simpler = candidate(2, "simplex", NONE, 5.0 * (1.0 + gain * NEGLIGIBLE))
        assert pick([candidate(4, "simplex", NONE, 5.0), simpler]).n_clusters == taken

    @pytest.mark.parametrize(("excess", "taken"), [(1.27, 1), (1.29, 3)])
    def test_the_best_of_many_mixtures_has_to_be_surely_better(
        self, excess: float, taken: int
    ) -> None:
        """Than one pattern with deviations."""
        best = candidate(3, "simplex", NONE, 1.0)
        one = candidate(1, "simplex", DEVIATION, 1.0 + 0.1 * excess * ERROR, wave=0.1)
        assert pick([best, one]).n_clusters == taken

    @pytest.mark.parametrize(("n_clusters", "own"), [(1, NONE), (2, DEVIATION)])
    def test_nobody_else_has_that_advantage(self, n_clusters: int, own: str) -> None:
        best = candidate(3, "simplex", own, 1.0)
        fewer = candidate(n_clusters, "simplex", own, 1.0 + 0.1 * 1.1 * ERROR, wave=0.1)
        assert pick([best, fewer]) is best

    @pytest.mark.parametrize(("gain", "taken"), [(0.9, ALONE), (1.1, DEVIATION)])
    def test_a_chance_mean_is_no_common_pattern(self, gain: float, taken: str) -> None:
        """However sure: T tasks of nothing in common have a mean of 1 / T of their squares."""
        alone = candidate(0, "simplex", ALONE, 5.0 * (1.0 + gain / T))
        assert pick([candidate(1, "simplex", DEVIATION, 5.0), alone]).own == taken

    @pytest.mark.parametrize(("slack", "taken"), [(0.0, 3), (0.02, 2)])
    def test_a_slack_favours_what_is_simpler(self, slack: float, taken: int) -> None:
        """By a share of the loss, in each of its comparisons."""
        best = candidate(3, "simplex", NONE, 1.0)
        simpler = candidate(2, "simplex", NONE, 1.01)
        assert pick([best, simpler], slack).n_clusters == taken

    @pytest.mark.parametrize(("slack", "taken"), [(0.0, 3), (0.05, 2), (-0.05, 3)])
    def test_a_slack_lets_a_simpler_one_dominate(self, slack: float, taken: int) -> None:
        best = candidate(1, "span", NONE, 1.0)
        near = candidate(3, "simplex", NONE, 1.3, wave=1.0)
        other = candidate(2, "simplex", NONE, 1.33, wave=0.1)
        assert pick([best, near, other], slack).n_clusters == taken

    @pytest.mark.parametrize(("slack", "taken"), [(0.0, DEVIATION), (0.02, ALONE)])
    def test_a_slack_beside_a_chance_mean(self, slack: float, taken: str) -> None:
        alone = candidate(0, "simplex", ALONE, 5.0 * (1.01 + 1.0 / T))
        assert pick([candidate(1, "simplex", DEVIATION, 5.0), alone], slack).own == taken

    def test_alone_does_not_dominate_deviations_that_are_near(self) -> None:
        """Tasks on their own are deviations without bounds: behind the best, they are behind."""
        best = candidate(3, "simplex", NONE, 1.0)
        near = candidate(2, "simplex", DEVIATION, 1.3, wave=1.0)
        alone = candidate(0, "simplex", ALONE, 1.2, wave=0.1)
        plain = candidate(1, "simplex", NONE, 1.2, wave=0.1)
        assert pick([near, alone, candidate(3, "span", DEVIATION, 1.0)]) is near
        assert pick([near, plain, candidate(3, "span", DEVIATION, 1.0)]) is plain
        assert pick([best, alone]) is best

    def test_where_sizes_differ_rows_have_a_say_too(self) -> None:
        """Worse for tasks or for rows is worse; only where both know of rows."""

        def seen(loss: float, rows: float | None) -> Candidate:
            weighed = None if rows is None else np.full(20, rows)
            weight = None if rows is None else np.ones(20)
            losses = np.full(T, loss)
            return Candidate(2, "simplex", NONE, losses, losses, weighed=weighed, row_weight=weight)

        assert seen(1.0, 2.0).is_worse_than(seen(1.0, 1.0))
        assert seen(2.0, 1.0).is_worse_than(seen(1.0, 1.0))
        assert not seen(1.0, 1.0).is_worse_than(seen(1.0, 1.0))
        assert not seen(1.0, 2.0).is_worse_than(seen(1.0, None))
        assert not seen(1.0, None).is_worse_than(seen(1.0, 1.0))
        assert mean_loss(seen(4.0, 9.0)) == 6.0
        assert mean_loss(seen(4.0, None)) == mean_loss(seen(4.0, -1.0)) == 4.0

    @pytest.mark.parametrize("of_one", [0.0, 100.0, -100.0])
    def test_one_task_does_not_silence_the_others(self, of_one: float) -> None:
        """Alone in a difference it would be one standard error."""
        best, other = candidate(2, "simplex", NONE, 1.0), candidate(1, "simplex", NONE, 1.2, 0.1)
        other.losses[3] = 1.2 + of_one
        assert other.is_worse_than(best, SURE)
        assert not best.is_worse_than(other, SURE)

    def test_one_task_does_not_speak_for_the_others(self) -> None:
        best, other = candidate(2, "simplex", NONE, 1.0), candidate(1, "simplex", NONE, 1.0, 0.1)
        other.losses[3] = 100.0
        assert not other.is_worse_than(best, SURE)

    def test_one_task_does_not_outvote_the_others(self) -> None:
        best, other = (candidate(k, "simplex", NONE, loss) for k, loss in ((2, 1.0), (1, 2.0)))
        other.losses[3] = -4.0
        assert other.is_worse_than(best, SURE)
        assert not best.is_worse_than(other, SURE)

    def test_one_task_has_no_standard_error(self) -> None:
        one, two = (
            Candidate(k, "simplex", NONE, np.array([loss]), np.array([loss]))
            for k, loss in ((1, 1.1), (2, 1.0))
        )
        assert pick([one, two]) is two


@pytest.mark.parametrize("least", [0.0, 1e-310])
def test_how_far_others_are_behind_a_loss_of_nothing_is_a_number(least: float) -> None:
    problem = random_problem(LOGISTIC)
    some, none = np.ones(problem.y.size), np.full(problem.y.size, least)
    candidates = [
        Candidate(1, "simplex", own, rows, rows[:T]) for own, rows in ((NONE, some), (ALONE, none))
    ]
    taken, (first, second) = describe(problem, candidates, Wanted(range(2), SHAPES, False, OWNS))
    assert taken.own == first.own == ALONE
    assert first.behind == 0.0
    assert 1e15 < second.behind < np.inf


@pytest.mark.parametrize(("excess", "sure"), [(1.99, False), (2.01, True)])
def test_sparse_and_dense_are_both_tried_until_two_standard_errors_tell(
    excess: float, sure: bool
) -> None:
    trials = Trials.__new__(Trials)
    trials.dense, trials.parts, trials.parallel = True, [], list
    best = candidate(0, "simplex", ALONE, 1.0, own_penalty=OwnPenalty(RIDGE, 3.0))
    behind = candidate(0, "simplex", ALONE, 1.0 + 0.1 * excess * ERROR, wave=0.1)
    trials.tried_alone = {LASSO: behind, RIDGE: best}
    assert [level for level, _ in trials.families] == ([3.0] if sure else [None, 3.0])


@pytest.mark.parametrize(("excess", "n_tried"), [(1.99, [1, 1, 5, 5]), (2.01, [1, 1])])
def test_the_first_fold_may_tell_sparse_from_dense(excess: float, n_tried: list[int]) -> None:
    trials, tried = Trials.__new__(Trials), []
    trials.dense, trials.tried_alone = True, {}
    vars(trials)["own_fits"] = list(range(5))

    def fit_alone(kind: str, fits: list[int]) -> Candidate:
        tried.append(len(fits))
        behind = kind == RIDGE
        loss = 1.0 + 0.1 * excess * ERROR * behind
        return candidate(0, "simplex", ALONE, loss, wave=0.1 * behind)

    trials.fit_alone = fit_alone  # type: ignore[method-assign,assignment]
    assert trials.may_be == (True, excess < 2.0)
    assert tried == n_tried


def test_a_wild_row_counts_as_one_that_is_six_deviations_away() -> None:
    problem = random_problem(SQUARED)
    losses = np.random.default_rng(0).normal(size=problem.y.size) ** 2
    assert limit_wild(problem, losses).tolist() == losses.tolist()
    wild = losses.copy()
    wild[3] = 1e6
    spread = 1.4826 * np.sqrt(max(np.median(wild), np.median(wild[problem.rows(0)])))
    found = limit_wild(problem, wild)
    assert found[3] == pytest.approx((6.0 * spread) ** 2)
    assert np.delete(found, 3).tolist() == np.delete(losses, 3).tolist()
    # where most rows are predicted without any loss, no other is wild beside them
    wild[:3], wild[4:] = 0.0, 0.0
    assert limit_wild(problem, wild)[3] == 1e6
    labels = random_problem(LOGISTIC)
    assert limit_wild(labels, wild[: labels.y.size])[3] == 1e6


class Scripted:
    """Trials whose results are written down; ``tried`` is what was asked for."""

    def __init__(self, losses: dict[tuple[int, str], float], **options: Any) -> None:
        self.losses, self.tried, self.rivals = losses, [], []
        self.own_gain = options.get("own_gain", 0.0)
        self.kind = options.get("kind", RIDGE)
        self.problem = random_problem(LOGISTIC)
        self.alone = [candidate(0, "simplex", ALONE, loss) for loss in options.get("alone", (9.0,))]

    def try_clusters(
        self, n_clusters: int, shape: str, rival: Candidate | None = None
    ) -> Candidate:
        self.tried.append((n_clusters, shape))
        self.rivals.append(rival)
        return candidate(n_clusters, shape, NONE, self.losses[n_clusters, shape])

    def try_deviations(self, base: Candidate, kinds: tuple[str, ...]) -> Candidate:
        self.tried.append((base.n_clusters, base.shape, kinds))
        loss = float(base.losses.mean()) - self.own_gain
        penalty = OwnPenalty(self.kind, 1.0)
        return candidate(base.n_clusters, base.shape, DEVIATION, loss, own_penalty=penalty)


def search(trials: Scripted, ks: Any, shapes: Any = SHAPES[:1], owns: Any = (NONE,)) -> list[Any]:
    return [name(found) for found in try_candidates(trials, Wanted(ks, shapes, True, owns))]


def curve(*losses: float, shape: str = "simplex") -> dict[tuple[int, str], float]:
    """From K = 1 on."""
    return {(k, shape): loss for k, loss in enumerate(losses, start=1)}


class TestSearchUpwards:
    def test_ends_when_more_clusters_have_not_helped(self) -> None:
        trials = Scripted(curve(5, 4, 2, 3, 2.5, 1, 1))
        search(trials, range(1, 8))
        assert [k for k, _ in trials.tried] == list(range(1, 3 + WITHOUT_GAIN + 1))

    def test_goes_on_beyond_the_usual_while_the_error_falls(self) -> None:
        trials = Scripted(curve(*np.linspace(5.0, 1.0, 13), 1.5, 1.5, 0.0))
        search(trials, range(1, 17))
        assert [k for k, _ in trials.tried] == list(range(1, 16))

    def test_a_gain_by_chance_counts_among_the_usual_alone(self) -> None:
        falling = 5.0 * (1.0 - 0.4 * NEGLIGIBLE) ** np.arange(16)
        trials = Scripted(curve(*falling))
        search(trials, range(1, 17))
        assert [k for k, _ in trials.tried] == list(range(1, USUAL_KS + WITHOUT_GAIN + 1))

    @pytest.mark.parametrize(
        ("alone", "last"),
        [(1.0, LATELY), (3.8, LATELY), (4.01, USUAL_KS), (4.5, 16)],
        ids=["far away", "out of reach at this pace", "within reach", "reached"],
    )
    def test_gives_up_where_tasks_are_better_off_alone(self, alone: float, last: int) -> None:
        trials = Scripted(curve(*np.linspace(5.0, 4.0, 16)), alone=(alone, 2.0 * alone))
        search(trials, range(17), owns=(NONE, ALONE))
        assert [k for k, _ in trials.tried] == list(range(1, last + 1))

    def test_no_more_clusters_than_are_wanted(self) -> None:
        trials = Scripted(curve(3, 2, 1))
        search(trials, range(1, 4))
        assert trials.tried == [(k, "simplex") for k in (1, 2, 3)]

    def test_the_best_way_of_being_alone_comes_first(self) -> None:
        found = list(
            try_candidates(
                Scripted(curve(3, 3, 3), alone=(4.0, 2.0, 3.0)), Wanted(range(4), SHAPES[:1])
            )
        )
        assert name(found[0]) == (0, "simplex", ALONE)
        assert found[0].losses.mean() == 2.0

    def test_alone_is_tried_only_where_it_is_wanted(self) -> None:
        assert search(Scripted({}), [0], owns=(ALONE,)) == [(0, "simplex", ALONE)]
        assert (0, "simplex", ALONE) not in search(Scripted(curve(1)), [1])


class TestSearchNear:
    simplex = curve(5.0, 4.0, 3.0, 3.0, 3.0)

    def trials(self, *cone: float) -> Scripted:
        return Scripted({**self.simplex, **curve(*cone, shape="cone")})

    def tried(self, *cone: float) -> list[int]:
        trials = self.trials(*cone)
        search(trials, range(1, 6), SHAPES[:2])
        return [k for k, shape in trials.tried if shape == "cone"]

    def test_one_look_where_it_is_no_better(self) -> None:
        assert self.tried(9.0, 9.0, 3.0, 0.0) == [3]

    def test_fewer_while_they_do_as_well(self) -> None:
        assert self.tried(9.0, 2.0, 2.0) == [3, 2, 1]

    def test_more_where_fewer_do_worse(self) -> None:
        assert self.tried(9.0, 9.0, 2.5, 2.0, 2.0) == [3, 2, 4, 5]

    def test_a_freer_shape_may_need_half_of_many(self) -> None:
        losses = {
            **curve(*np.linspace(5.0, 3.0, 9)),
            **curve(9, 9, 9, 2, 2, 2, 2, 2, 2, shape="cone"),
        }
        trials = Scripted(losses)
        search(trials, range(1, 10), SHAPES[:2])
        tried = [k for k, shape in trials.tried if shape == "cone"]
        assert 4 < FAR <= 9
        assert tried == [9, 4, 3, 5]

    def test_too_few_halve_what_is_left(self) -> None:
        losses = {
            **curve(*np.linspace(5.0, 3.0, 8)),
            **curve(9, 9, 9, 9, 9, 2, 2, 2, shape="cone"),
        }
        trials = Scripted(losses)
        search(trials, range(1, 9), SHAPES[:2])
        assert [k for k, shape in trials.tried if shape == "cone"] == [8, 4, 6, 5]

    def test_has_to_keep_up_with_the_best_so_far(self) -> None:
        """Which may have an own part."""
        losses = {(2, "simplex"): 5.0, (2, "cone"): 2.0, (2, "span"): 3.0}
        trials = Scripted(losses, own_gain=4.5)
        search(trials, [2], SHAPES, (NONE, DEVIATION))
        first, *freer = trials.rivals
        assert first is None
        assert [name(rival) for rival in freer] == [(2, "simplex", DEVIATION)] * 2

    def test_no_more_freedom_where_some_gained_nothing(self) -> None:
        losses = {(3, "simplex"): 3.0, (3, "cone"): 3.0 * (1.0 - 0.9 * NEGLIGIBLE)}
        assert search(Scripted(losses), [3], SHAPES) == [(3, "simplex", NONE), (3, "cone", NONE)]

    @pytest.mark.parametrize(("one_pattern", "tried"), [(5.0, []), (3.0, [1])])
    def test_signs_are_tried_where_clusters_do_not_help(
        self, one_pattern: float, tried: list[int]
    ) -> None:
        """What strengths do not gain then says nothing of patterns that are subtracted."""
        losses = curve(one_pattern, 3.0, 3.0, 3.0)
        losses |= {(k, shape): 3.0 for k in (1, 2, 3) for shape in SHAPES[1:]}
        trials = Scripted(losses)
        search(trials, range(1, 5), SHAPES)
        assert [k for k, shape in trials.tried if shape == "span"] == tried

    def test_the_span_starts_from_what_both_have_picked(self) -> None:
        losses = {**self.simplex, **curve(9.0, 2.0, 2.0, shape="cone"), (2, "span"): 2.0}
        trials = Scripted(losses)
        search(trials, range(1, 6), SHAPES)
        assert [k for k, shape in trials.tried if shape == "span"] == [2]

    def test_a_given_number_of_clusters_is_kept(self) -> None:
        trials = Scripted({(3, "simplex"): 3.0, (3, "cone"): 2.0, (3, "span"): 1.0})
        assert search(trials, [3], SHAPES) == [(3, shape, NONE) for shape in SHAPES]


class TestSearchDeviations:
    def test_beside_one_pattern_the_best_and_fewer_as_long_as_they_do_as_well(self) -> None:
        trials = Scripted(curve(5, 4, 3, 2, 3, 3), own_gain=0.5, kind=LASSO)
        found = search(trials, range(1, 7), owns=(NONE, DEVIATION))
        assert [k for k, _, own in found if own == DEVIATION] == [1, 4, 3]
        kinds = [asked[2] for asked in trials.tried if len(asked) == 3]
        assert {LASSO, RIDGE} <= set(kinds[0]) == set(kinds[1])
        assert list(kinds[2]) == [LASSO]  # the kind that was best

    @pytest.mark.parametrize(
        ("losses", "ks", "beside"),
        [((2, 3, 3), range(1, 4), [1]), ((5, 4, 2, 3, 3), range(2, 6), [3, 2])],
        ids=["one pattern is best", "one pattern is not wanted"],
    )
    def test_beside_one_pattern_once_at_most(self, losses: Any, ks: Any, beside: list[int]) -> None:
        trials = Scripted(curve(*losses), own_gain=0.5)
        found = search(trials, ks, owns=(NONE, DEVIATION))
        assert [k for k, _, own in found if own == DEVIATION] == beside

    def test_of_the_first_shape_and_of_the_one_picked(self) -> None:
        losses = {(2, "simplex"): 5.0, (2, "cone"): 2.0, (2, "span"): 3.0}
        found = search(Scripted(losses), [2], SHAPES, (NONE, DEVIATION))
        assert [shape for _, shape, own in found if own == DEVIATION] == ["simplex", "cone"]

    def test_none_where_none_is_wanted(self) -> None:
        found = search(Scripted(curve(3, 3, 3), own_gain=5.0), range(1, 4))
        assert {own for _, _, own in found} == {NONE}


class TestEdge:
    @pytest.mark.parametrize(("beyond", "taken"), [(-1e-9, 2), (1e-9, 3)])
    def test_who_would_be_picked_but_for_next_to_nothing(self, beyond: float, taken: int) -> None:
        """The simpler one is at one standard error from the best."""
        found = [
            candidate(2, "simplex", NONE, 1.0 + 0.5 * ERROR + beyond, wave=0.5),
            candidate(3, "simplex", NONE, 1.0),
        ]
        assert pick(found).n_clusters == taken
        assert [c.n_clusters for c in at_the_edge(found)] == [5 - taken]

    def test_nobody_where_the_difference_is_clear(self) -> None:
        found = [
            candidate(2, "simplex", NONE, 1.0 + 0.5 * ERROR + 1e-3, wave=0.5),
            candidate(3, "simplex", NONE, 1.0),
        ]
        assert at_the_edge(found) == []

    def test_nobody_for_being_best_where_something_simpler_is_within_chance(self) -> None:
        best = candidate(3, "simplex", DEVIATION, 1.0)
        taken = candidate(3, "simplex", NONE, 1.0 + 0.1 * 0.5 * ERROR, wave=0.1)
        assert pick([best, taken]) is taken
        assert at_the_edge([best, taken]) == []


class TestRecord:
    def found(self) -> list[Candidate]:
        return [
            candidate(2, "simplex", NONE, 2.0, wave=0.5),
            candidate(3, "simplex", NONE, 1.9),
            candidate(2, "cone", NONE, 1.95, wave=0.5),
            candidate(1, "simplex", NONE, 4.0, wave=0.5),
            candidate(2, "simplex", DEVIATION, 1.8),
        ]

    def test_ranks_and_reasons(self) -> None:
        problem = random_problem(SQUARED)
        taken, choices = describe(problem, self.found(), Wanted(range(9), owns=(NONE,)))
        assert name(taken) == (2, "simplex", NONE)
        assert [(c.rank, c.n_clusters, c.shape) for c in choices] == [
            (1, 3, "simplex"), (2, 2, "cone"), (3, 2, "simplex"), (4, 1, "simplex"),
        ]  # fmt: skip
        assert [c.taken for c in choices] == [False, False, True, False]
        assert [c.why.split(" ")[0:2] for c in choices] == [
            ["predicts", "as"], ["predicts", "as"], ["taken:", "the"], ["predicts", "worse"],
        ]  # fmt: skip

    def test_a_task_that_speaks_alone_is_said_to(self) -> None:
        """Seven are predicted worse, and the eighth so much better that the mean says less."""
        found = [candidate(3, "simplex", NONE, 9.0), candidate(2, "simplex", NONE, 10.0)]
        found[1].losses[3] = 9.0 - 6.0
        _, (_, worse) = describe(random_problem(SQUARED), found, Wanted(range(9)))
        assert worse.why == "predicts worse than the best, but for one task or those of few rows"
        found[1].losses[3] = 10.1
        _, (_, worse) = describe(random_problem(SQUARED), found, Wanted(range(9)))
        assert worse.why == "predicts worse than the best, by more than a standard error"

    def test_what_was_tried_in_one_fold_is_listed_and_not_taken(self) -> None:
        one = candidate(1, "simplex", NONE, 1.0, estimated=True)
        found = [one, candidate(2, "simplex", NONE, 2.0)]
        taken, choices = describe(random_problem(SQUARED), found, Wanted(range(9)))
        assert taken is found[1]
        assert "first fold" in choices[0].why
        assert at_the_edge(found) == []

    def test_how_far_behind_the_best(self) -> None:
        _, choices = describe(random_problem(SQUARED), self.found(), Wanted(range(9)))
        best, *_, last = choices
        assert (best.behind, best.behind_se, best.rank) == (0.0, 0.0, 1)
        assert last.behind == pytest.approx((4.0 - 1.8) / 1.8)
        assert last.behind_se == pytest.approx(0.5 * ERROR / 1.8)
        assert last.error == pytest.approx(2.0)  # a root mean square

    def test_only_what_is_wanted_is_taken(self) -> None:
        taken, choices = describe(
            random_problem(SQUARED), self.found(), Wanted(range(9), owns=(DEVIATION,))
        )
        assert name(taken) == (2, "simplex", DEVIATION)
        assert len(choices) == 1
        assert set(OWNS) == {NONE, DEVIATION, ALONE}
