"""Choose K: the curve as it grows, what it says, and the way from it to a fit."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from stcmtl.estimators.choose_k import KPoint, KSelection
from stcmtl.figures import describe
from stcmtl.progress import drain
from stcmtl.studio.widgets import progress
from stcmtl.studio.words import findings
from stcmtl.studio.work import fits
from tests.app.states import CLASSIFIED, DATA, THREE, Visit, data_of, numbers, sentences, trace


@cache
def curve_of(state: str) -> fits.Curve:
    return drain(fits.curve_steps(data_of(state), THREE.with_values(k=1)))


def with_curve(state: str) -> Visit:
    app = Visit("choose_k", state)
    app.session.curve = curve_of(state)
    app.run()
    return app


def path(error: list[float], se: float) -> KSelection:
    points = [KPoint(k, e, se, 1.0, 0.1) for k, e in enumerate(error, start=1)]
    return KSelection.of(points, np.array([1.0]), "RMSE")


def test_with_tasks_it_offers_the_curve() -> None:
    app = Visit("choose_k", DATA)
    assert app.headline == "How many clusters are there?"
    assert app.button(key="k.run").label == "Draw the curve"
    assert "from 1 to 9" in app.main.markdown[-1].value


@pytest.mark.parametrize("state", [DATA, CLASSIFIED])
def test_the_curve_and_the_gaps_are_drawn_as_computed(state: str) -> None:
    app = with_curve(state)
    found = curve_of(state).path
    curve, gaps = app.figures
    drawn = trace(curve, "error ± standard error")
    expected = found.error if state == CLASSIFIED else np.log(found.error)
    np.testing.assert_allclose(numbers(drawn["y"]), expected)
    assert list(numbers(drawn["customdata"])) == list(range(1, 10))
    np.testing.assert_allclose(numbers(gaps["data"][0]["y"]), found.singular_ratios[:12])
    assert app.select_slider[0].value == found.one_se
    assert str(found.one_se) in app.headline


@pytest.mark.usefixtures("patient")
def test_the_slider_takes_a_number_and_runs_the_fit() -> None:
    app = with_curve(DATA)
    app.select_slider[0].set_value(2).run()
    assert app.button(key="k.take").label == "Fit with K = 2"
    app.button(key="k.take").click().run()
    assert app.session.fit_choice.k == 2
    assert app.session.fitted.model.memberships_.shape == (18, 2)
    assert app.number_input[0].label == "Clusters K"  # the page of the fit


def test_a_curve_of_other_settings_is_marked() -> None:
    app = with_curve(DATA)
    assert not app.warning
    app.session.fit_choice = THREE.with_values(k=7)  # K is no setting of the curve
    assert not app.run().warning
    app.session.fit_choice = THREE.with_values(theta=0.8)
    assert "since this curve was drawn" in app.run().warning[0].value


@pytest.mark.parametrize(
    ("error", "se", "sentence"),
    [
        ([1.0, 0.9, 0.5, 0.51], 0.001, "Take 3 clusters: no other number predicts better"),
        ([1.0, 0.5, 0.49, 0.6], 0.02, "Take 2 clusters: 3 do better only by less than chance"),
        ([0.5, 0.5, 0.6], 0.1, "One cluster is enough"),
        ([3.0, 2.0, 1.0], 0.1, "Take 3 clusters or more: the error still falls"),
    ],
)
def test_the_sentence_follows_the_curve(error: list[float], se: float, sentence: str) -> None:
    assert findings.number_of_clusters(path(error, se)).startswith(sentence)


def test_a_curve_that_grows_leaves_room_for_what_is_to_come() -> None:
    points = [KPoint(1, 2.0, 0.1, 1.0, 0.1), KPoint(2, 1.0, 0.1, 1.0, 0.1)]
    figure = progress.curve_so_far(points, data_of(DATA))
    (drawn,) = figure.data  # no mark on a choice that is not made yet
    np.testing.assert_allclose(drawn.y, np.log([2.0, 1.0]))
    assert figure.layout.xaxis.range == (0.5, 9.5)
    assert figure.layout.title.text == "The error so far"
    assert "enough" not in describe(figure)


def test_a_robust_curve_says_that_it_leaves_out_outliers() -> None:
    assert "left out of it" not in sentences(with_curve(DATA).caption)
    app = Visit("choose_k", DATA)
    robust = THREE.with_values(k=1, method="robust")
    app.session.curve = replace(curve_of(DATA), choice=robust)
    assert "left out of it" in sentences(app.run().caption)
