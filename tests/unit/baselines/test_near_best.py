"""Cross-validation that is close near the best only, with a solver whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from stcmtl.baselines.crossvalidation import CV_TOLERANCE, PATIENCE, Penalties, fit_best
from stcmtl.baselines.near_best import ROUGH_TOLERANCE, fit_near_best
from tests.unit.baselines.test_crossvalidation import (
    OPTIONS,
    PROBLEM,
    Shifted,
    drained,
    levels,
    solve,
)

LONG = np.linspace(9.0, 0.5, 18)


def rough_or_close(
    weight: NDArray[np.float64], penalties: Penalties, start: Shifted | None, tol: float
) -> Shifted:
    """Roughly, the best level is 2.5; closely, it is 3."""
    if tol == ROUGH_TOLERANCE:
        penalties = {**penalties, "level": penalties["level"] + 0.5}
    return solve(weight, penalties, start, tol)


def test_levels_around_the_best_are_solved_closely() -> None:
    close: set[float] = set()

    def note(
        weight: NDArray[np.float64], penalties: Penalties, start: Shifted | None, tol: float
    ) -> Shifted:
        if tol == CV_TOLERANCE:
            close.add(penalties["level"])
        return rough_or_close(weight, penalties, start, tol)

    _, (fit, chosen, points) = drained(fit_near_best(PROBLEM, OPTIONS, note, [levels(*LONG)]))
    assert (fit.level, chosen) == (3.0, {"level": 3.0})
    tried = [point.penalties["level"] for point in points]
    assert tried == list(LONG[: LONG.tolist().index(2.5) + 1 + PATIENCE])
    assert close == {2.5, 3.0, 3.5}


@pytest.mark.parametrize("others", [(1.0,), (0.1, 2.0), (0.1, 0.0, 0.5)])
def test_it_chooses_as_if_all_were_solved_closely(others: tuple[float, ...]) -> None:
    paths = [levels(*LONG, other=other) for other in (0.5, *others)]
    _, (_, expected, every) = drained(fit_best(PROBLEM, OPTIONS, solve, paths))
    progress, (fit, chosen, points) = drained(
        fit_near_best(PROBLEM, OPTIONS, rough_or_close, paths)
    )
    assert chosen == expected
    assert fit.level == expected["level"]
    assert min(points, key=lambda point: point.loss).penalties == chosen
    assert len(points) < len(every)
    done = [step.done for step in progress if step.what == "cross-validation"]
    assert done == sorted(done)
    assert done[-1] <= len(LONG) * len(paths)


def test_a_single_candidate_is_not_compared() -> None:
    _, (fit, chosen, points) = drained(fit_near_best(PROBLEM, OPTIONS, solve, [levels(7.0)]))
    assert (points, chosen, fit.start) == ([], {"level": 7.0}, None)


def test_the_best_may_be_at_an_end() -> None:
    for path in (levels(3.0, 2.0, 1.0), levels(6.0, 5.0, 4.0, 3.0)):
        _, (_, chosen, _) = drained(fit_near_best(PROBLEM, OPTIONS, rough_or_close, [path]))
        assert chosen == {"level": 3.0}
