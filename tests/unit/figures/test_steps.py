"""Steps of a fit: what was between the iterations, and where the loop began again."""

from dataclasses import replace

import numpy as np

from stcmtl.figures.pieces.steps import all_steps
from tests.unit.figures.histories import HISTORY, state

INITIAL = np.arange(9.0).reshape(3, 3)


def names(steps: list) -> list[str]:
    return [step.label.split(":")[0] for step in steps]


def test_without_the_separate_fits_it_begins_after_them() -> None:
    assert names(all_steps(HISTORY[:1], None)) == ["Iteration 1, U", "Iteration 1, W"]


def test_rounds_of_refinement_fit_patterns_then_memberships() -> None:
    later = state(4, [[2, 0], [0, 2], [0, 1]], [[1, 0, 0], [0, 1, 1]], stage="refine")
    *_, patterns, memberships = all_steps([*HISTORY, later], INITIAL)
    assert names([patterns, memberships]) == ["Iteration 4, U", "Iteration 4, V"]
    np.testing.assert_array_equal(patterns.V, HISTORY[-1].V)
    np.testing.assert_allclose(patterns.W, later.U @ HISTORY[-1].V)
    np.testing.assert_array_equal(memberships.V, later.V)
    np.testing.assert_array_equal(memberships.W, later.W)


def test_where_loadings_have_units_of_their_own_a_round_is_one_step() -> None:
    strong = replace(HISTORY[-1], V=2.0 * HISTORY[-1].V)
    steps = all_steps([strong, replace(strong, iteration=4)], None)
    assert names(steps) == ["Iteration 3, refinement", "Iteration 4, V"]


def test_going_back_is_one_step() -> None:
    back = replace(HISTORY[0], iteration=3, seconds={})
    last = all_steps([*HISTORY[:2], back], INITIAL)[-1]
    assert names([last]) == ["Iteration 3, back"]
    np.testing.assert_array_equal(last.V, HISTORY[0].V)


def test_with_other_outliers_the_loop_begins_again_at_the_separate_fits() -> None:
    again = replace(HISTORY[0], iteration=4)
    steps = all_steps([*HISTORY, again], INITIAL)
    assert names(steps)[-3:] == ["Iteration 4, V", "Iteration 4, U", "Iteration 4, W"]
    np.testing.assert_array_equal(steps[-3].W, INITIAL)


def test_an_outlier_keeps_coefficients_of_its_own() -> None:
    odd = np.array([False, True, False])
    W = np.where(odd, 7.0, HISTORY[0].W)
    robust = replace(HISTORY[0], outliers=odd, W=W, V=np.where(odd, 0.0, HISTORY[0].V))
    patterns = all_steps([robust], INITIAL)[2]
    np.testing.assert_array_equal(patterns.W[:, 1], 7.0)
    np.testing.assert_allclose(patterns.W[:, 0], robust.U @ robust.V[:, 0])
