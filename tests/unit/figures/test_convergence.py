"""Iterations: the objective in one panel per stage, what moved, and where the time went."""

from dataclasses import dataclass, field

import pytest

from stcmtl import figures
from tests.unit.figures.histories import HISTORY


@dataclass
class Step:
    iteration: int
    objective: float
    stage: str
    seconds: dict[str, float] = field(default_factory=lambda: {"U": 0.01, "V": 0.02})
    outliers: tuple[int, ...] = ()


def test_convergence_draws_each_stage_with_its_values_in_a_panel_of_its_own() -> None:
    history = [Step(1, 9.0, "paper"), Step(2, 8.0, "paper"), Step(3, 17.5, "refine")]
    figure = figures.convergence(history)
    paper, refined = figure.data
    assert (list(paper.x), list(paper.y)) == ([1, 2], [9.0, 8.0])
    assert (list(refined.x), list(refined.y)) == ([3], [17.5])
    assert list(paper.customdata) == pytest.approx([30, 30])
    assert (paper.yaxis, refined.yaxis) == ("y", "y2")
    assert figure.layout.yaxis.range == pytest.approx((7.9, 9.1))
    assert (figure.layout.xaxis.tickvals, figure.layout.xaxis2.tickvals) == ((1, 2), (3,))


def test_convergence_of_one_stage_has_one_panel() -> None:
    figure = figures.convergence([Step(1, 9.0, "paper")])
    assert [note.text for note in figure.layout.annotations] == ["The paper's algorithm"]


def test_a_flat_curve_is_drawn_flat() -> None:
    low, high = figures.convergence(
        [Step(1, 10.001, "paper"), Step(2, 10.0, "paper")]
    ).layout.yaxis.range
    assert high - low > 0.1


def test_title_says_how_much_the_last_step_changed() -> None:
    steps = [Step(1, 9.0, "paper"), Step(2, 10.0, "refine"), Step(3, 9.9, "refine")]
    of_refinement = "Last change in the refinement"
    assert figures.convergence(steps).layout.title.text == f"{of_refinement}: −1%"
    assert figures.convergence(steps[1:]).layout.title.text == "Last change of the objective: −1%"
    steps[-1].objective = 10.1
    assert figures.convergence(steps).layout.title.text == f"{of_refinement}: +1%"
    steps[-1].objective = 10.0 * (1.0 - 8.6e-7)
    few = figures.convergence(steps).layout.title.text
    assert few == f"{of_refinement}: under 0.001%"
    # objectives of two stages cannot be compared
    assert figures.convergence(steps[:2]).layout.title.text == "The objective: 1 iteration, 1 round"
    assert figures.convergence([]).layout.title.text == "No iteration yet"


WENT_BACK = [
    Step(1, 9.0, "paper"),
    Step(2, 8.0, "paper"),
    *(Step(i, 8.0 + 0.1 * i, "paper") for i in range(3, 7)),
    Step(7, 8.0, "paper", {}),
]


def test_the_way_back_to_the_lowest_is_marked_and_said() -> None:
    figure = figures.convergence(WENT_BACK)
    _, back = figure.data
    assert (list(back.x), list(back.y)) == ([2, 7, None], [8.0, 8.0, None])
    assert figure.layout.title.text == "Back to iteration 2, the lowest objective"
    assert "iteration 7 goes back to iteration 2" in figures.describe(figure)
    followed = figures.convergence([*WENT_BACK, Step(8, 3.0, "refine")])
    assert [trace.name for trace in followed.data][1] == "back to the lowest"
    assert "cannot be compared" in figures.describe(followed)


def test_where_the_loop_did_not_go_back_nothing_is_marked() -> None:
    same = [Step(1, 9.0, "paper"), Step(2, 8.0, "paper"), Step(3, 8.0, "paper")]
    for history in (same, WENT_BACK[:-1]):
        assert len(figures.convergence(history).data) == 1
        assert "back" not in figures.describe(figures.convergence(history))


def test_rises_are_marked_and_said_however_small_and_in_no_other_stage() -> None:
    steps = [Step(1, 9.0, "paper"), Step(2, 8.0, "paper"), Step(3, 8.002, "paper")]
    figure = figures.convergence([*steps, Step(4, 17.5, "refine"), Step(5, 17.6, "refine")])
    paper, refined = figure.data
    assert list(paper.marker.symbol) == ["circle", "circle", "triangle-up"]
    assert list(refined.marker.symbol) == ["diamond", "triangle-up"]
    assert "Triangle: the objective rose." in figures.describe(figure)
    fallen = figures.convergence(steps[:2])
    assert set(fallen.data[0].marker.symbol) == {"circle"}
    assert "rose" not in figures.describe(fallen)
    others = Step(4, 9.0, "paper", outliers=(1,))  # objectives of other tasks
    assert set(figures.convergence([*steps[:2], others]).data[0].marker.symbol) == {"circle"}


def test_one_measure_for_both_stages() -> None:
    steps = [Step(1, 9.0, "paper"), Step(2, 8.0, "paper"), Step(3, 17.5, "refine")]
    figure = figures.held_out_errors(steps, [1.0, 0.9, 0.8, 0.75], "RMSE")
    paper, refined = figure.data
    assert (list(paper.y), list(refined.y)) == ([0.9, 0.8], [0.75])
    assert (list(paper.x), list(refined.x)) == ([1, 2], [3])
    assert figure.layout.shapes[0].y0 == 1.0
    assert figure.layout.title.text == "RMSE 0.75 after iterating, 1 before"
    rates = figures.held_out_errors(steps, [0.1, 0.1, 0.1, 0.125], "error rate")
    told = "Error rate 12.5% after iterating, 10.0% before"
    assert rates.layout.title.text == told


def test_a_stage_that_comes_again_has_a_line_of_its_own() -> None:
    """A robust fit begins anew without its outliers: objectives of other tasks."""
    stages = ["paper", "refine", "paper", "paper"]
    history = [Step(i, 10.0 - i, stage) for i, stage in enumerate(stages, start=1)]
    paper, refined = figures.convergence(history).data
    assert list(paper.x) == [1, None, 3, 4]
    assert list(paper.y) == [9.0, None, 7.0, 6.0]
    assert list(refined.x) == [2]


def test_changes_are_the_largest_of_any_entry_and_nothing_has_no_point() -> None:
    figure = figures.changes(HISTORY)
    of_V, of_U = figure.data
    assert list(of_V.x) == [2, 3]
    assert list(of_V.y) == [0.5, None]
    assert list(of_U.y) == [2.0, None]
    assert figure.layout.yaxis.type == "log"
    assert "changed nothing" in figures.describe(figure)


def test_one_iteration_has_nothing_to_compare() -> None:
    assert figures.changes(HISTORY[:1]).layout.title.text.startswith("One iteration")


def test_seconds_stack_the_steps_of_each_iteration() -> None:
    figure = figures.step_seconds(HISTORY)
    drawn = {bar.name: list(bar.y) for bar in figure.data}
    assert drawn["memberships"] == pytest.approx([1.0, 4.0, 1.0])
    assert drawn["clusters' coefficients"] == pytest.approx([3.0, 0.0, 3.0])
    assert figure.layout.barmode == "stack"
    assert figure.layout.title.text == "50% of the time: memberships"
