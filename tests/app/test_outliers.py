"""Outliers: a fence that moves without a fit, and what happens to whom."""

from functools import cache

import numpy as np
import pytest

from stcmtl.progress import drain
from stcmtl.studio.state.choices import ROBUST
from stcmtl.studio.state.loading import load
from stcmtl.studio.work import fits
from stcmtl.studio.work.fits import Fitted
from tests.app.states import CLASSIFIED, FITTED, THREE, TINY, Visit, fit_of, numbers, sentences


@cache
def robust() -> Fitted:
    data = load(TINY.with_values(outliers=2))
    return drain(fits.fit_steps(data, THREE.with_values(method=ROBUST)))


def flagged(figure: dict) -> set[int]:
    points = figure["data"][0]
    crossed = numbers(points["marker"]["symbol"]) == "x"
    return set(numbers(points["customdata"])[crossed].tolist())


def beyond(distances: np.ndarray, factor: float) -> set[int]:
    low, high = np.quantile(distances, [0.25, 0.75])
    return set(np.flatnonzero(distances > high + factor * (high - low)).tolist())


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_distances_are_drawn_sorted_and_the_fence_moves(state: str) -> None:
    app, model = Visit("outliers", state), fit_of(state).model
    for factor in (4.5, 0.5):
        app.slider[0].set_value(factor).run()
        (figure,) = app.figures
        np.testing.assert_allclose(numbers(figure["data"][0]["y"]), np.sort(model.distances_))
        far = beyond(model.distances_, factor)
        assert flagged(figure) == far
        opening = f"{len(far)} of 18 tasks" if far else "None of 18 tasks"
        assert app.headline.startswith(opening)
    assert app.session.fitted is fit_of(state)
    assert "This fit kept all tasks in" in sentences(app.markdown)


def test_the_fence_can_be_taken_for_the_next_fit() -> None:
    app = Visit("outliers", FITTED)
    assert "outliers.use" not in [b.key for b in app.button]
    app.slider[0].set_value(2.0).run()
    app.button(key="outliers.use").click().run()
    assert (app.session.fit_choice.fence, app.session.fit_choice.method) == (2.0, ROBUST)
    assert "settings have changed" in app.warning[0].value


def test_a_robust_fit_names_whom_it_set_aside() -> None:
    app = Visit("outliers", FITTED).show(robust())
    assert robust().model.outliers_[18:].all()
    assert "set 2 tasks aside, at a factor of 4.5" in sentences(app.markdown)
    assert set(app.dataframe[0].value["task"]) == {"task19", "task20"}
    app.slider[0].set_value(20.0).run()  # they were set aside, whatever fence is drawn
    assert set(app.dataframe[0].value["task"]) == {"task19", "task20"}
    for name in ("fit", "coefficients", "similarity", "memberships", "convergence", "report"):
        app.go(name)
        assert not app.exception, name
