"""Choose K: what the data speak for, the curve as it grows, and the way from it to a fit."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from stcmtl.estimators.choose_k import KPoint, KSelection
from stcmtl.evaluation import choices
from stcmtl.figures import describe
from stcmtl.progress import drain
from stcmtl.solver.records import Choice
from stcmtl.studio.state.choices import CHOSEN
from stcmtl.studio.widgets import progress
from stcmtl.studio.words import findings
from stcmtl.studio.work import fits
from tests.app.states import (
    CLASSIFIED,
    DATA,
    THREE,
    Visit,
    data_of,
    endless,
    numbers,
    sentences,
    trace,
)
from tests.unit.studio.test_rules import guessed


@cache
def curve_of(state: str) -> fits.Curve:
    return drain(fits.curve_steps(data_of(state), THREE.with_values(k=1)))


@cache
def spoken_of(state: str) -> fits.Fitted:
    """A fit for which everything was chosen."""
    return drain(fits.fit_steps(data_of(state), THREE.with_values(model=CHOSEN)))


def with_curve(state: str) -> Visit:
    app = Visit("choose_k", state)
    app.session_state["k.look"] = "K alone"
    app.session.curve = curve_of(state)
    app.run()
    return app


def with_choices(state: str, **other: Any) -> Visit:
    """The page after the choice, of which some attributes may be others."""
    app, found = Visit("choose_k", state), spoken_of(state)
    if other:
        model = found.model.__class__(**found.model.get_params())
        vars(model).update(vars(found.model) | other)
        found = replace(found, model=model)
    app.session.spoken = found
    app.run()
    return app


def take_instead(found: list[Choice], **kind: Any) -> list[Choice]:
    """As if another candidate had been taken, the first of this kind."""
    (taken, *_) = (
        c for c in found if all(getattr(c, name) == value for name, value in kind.items())
    )
    return [replace(c, taken=c is taken) for c in found]


def path(error: list[float], se: float) -> KSelection:
    points = [KPoint(k, e, se, 1.0, 0.1) for k, e in enumerate(error, start=1)]
    return KSelection.of(points, np.array([1.0]), "RMSE")


# Everything


def test_with_tasks_it_offers_to_choose_everything() -> None:
    app = Visit("choose_k", DATA)
    assert app.headline == "What do the data speak for?"
    assert app.button(key="k.run").label == "Ask the data"
    assert "the simplest is taken" in app.main.markdown[-1].value
    assert "It takes about" in sentences(app.caption)


@pytest.mark.parametrize("state", [DATA, CLASSIFIED])
def test_the_choice_is_told_drawn_and_listed(state: str) -> None:
    app, model = with_choices(state), spoken_of(state).model
    assert app.headline == choices.say_taken(model.choices_)
    assert str(model.n_clusters_) in app.headline
    metric = "error rate" if state == CLASSIFIED else "RMSE"
    assert choices.say_comparisons(model.choices_, metric) in sentences(app.main.markdown)
    (curve,) = app.figures
    line = trace(curve, "clusters ± standard error")
    np.testing.assert_allclose(numbers(line["y"]), model.selection_.error)
    assert list(numbers(line["customdata"])) == list(model.selection_.ks)
    (alone,) = (c for c in model.choices_ if c.n_clusters == 0)
    level = trace(curve, "every task on its own")
    assert list(numbers(level["y"])) == [alone.error, alone.error]
    mark = trace(curve, f"taken: K = {model.n_clusters_}")
    (taken,) = (c for c in model.choices_ if c.taken)
    assert (numbers(mark["x"])[0], numbers(mark["y"])[0]) == (model.n_clusters_, taken.error)
    table = app.table[0].value
    names = ["✓ " * c.taken + choices.name_choice(c) for c in model.choices_]
    assert table["Everything that was tried, the best first"].tolist() == names
    assert table["why"].tolist() == [c.why for c in model.choices_]
    errors = [f"{c.error:.4g} ± {c.se:.2g}" for c in model.choices_]
    assert table[f"held-out {metric}"].tolist() == errors


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ({"n_clusters": 0}, "These tasks do not cluster: what sharing gains may be chance"),
        ({"n_clusters": 1}, "One pattern, as the simplest: the rows are too few or too noisy"),
    ],
)
def test_tasks_that_do_not_cluster_are_said_not_to(kind: dict[str, int], sentence: str) -> None:
    found = take_instead(
        spoken_of(DATA).model.choices_, own="none" if kind["n_clusters"] else "alone", **kind
    )
    app = with_choices(DATA, choices_=found)
    assert app.headline.startswith(sentence)
    assert app.select_slider[0].value == kind["n_clusters"]


def test_tasks_on_their_own_have_no_curve_and_a_page_still() -> None:
    alone = take_instead(spoken_of(DATA).model.choices_, n_clusters=0)
    app = with_choices(DATA, choices_=[c for c in alone if c.taken], selection_=None)
    (curve,) = app.figures
    assert [t["name"] for t in curve["data"]] == ["every task on its own", "taken: K = 0"]
    assert not app.select_slider


@pytest.mark.usefixtures("patient")
def test_one_click_chooses_and_another_takes_the_fit_that_is_there() -> None:
    app = Visit("choose_k", DATA)
    app.button(key="k.run").click().run()
    spoken = app.session.spoken
    assert spoken.model.choices_ == spoken_of(DATA).model.choices_
    assert app.session.fitted is None
    app.button(key="k.take").click().run()
    assert app.session.fitted is spoken
    chosen = app.session.fit_choice
    model = spoken.model
    assert (chosen.model, chosen.k, chosen.shape) == (CHOSEN, model.n_clusters_, model.shape_)
    assert not app.session.is_stale
    assert app.headline.startswith("3 clusters, ")  # the page of its first picture


@pytest.mark.usefixtures("patient")
def test_another_number_is_fitted_in_the_shape_that_was_taken() -> None:
    found = take_instead(spoken_of(DATA).model.choices_, shape="cone")
    app = with_choices(DATA, choices_=found)
    app.select_slider[0].set_value(2).run()
    assert app.button(key="k.take").label == "Fit with K = 2"
    app.button(key="k.take").click().run()
    model = app.session.fitted.model
    assert (model.n_clusters_, model.shape_, model.own_) == (2, "cone", "none")


@pytest.mark.usefixtures("hasty")
def test_a_cancelled_choice_leaves_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    app = with_choices(DATA)
    monkeypatch.setattr("stcmtl.studio.work.fits.fit_steps", endless)
    last = app.session.spoken
    app.session.fit_choice = THREE.with_values(seed=1)
    app.run()
    app.button(key="k.run").click().run()
    job = app.session.job
    assert job is not None
    app.button(key="cancel").click().run()
    assert app.session.job is None
    assert job.wait(60)
    assert app.session.spoken is last
    assert app.headline == choices.say_taken(last.model.choices_)


def test_a_choice_of_other_settings_is_marked() -> None:
    app = with_choices(DATA)
    assert not app.warning
    app.session.fit_choice = THREE.with_values(k=7, shape="cone")  # which the data choose
    assert not app.run().warning
    app.session.fit_choice = THREE.with_values(folds=3)
    assert "since this was found" in app.run().warning[0].value


# K alone


def test_the_curve_over_k_alone_can_be_asked_for() -> None:
    app = Visit("choose_k", DATA)
    app.button_group(key="k.look").set_value("K alone").run()
    assert app.headline == "How many clusters are there?"
    assert app.button(key="k.run").label == "Draw the curve"
    assert "from 1 to 9" in app.main.markdown[-1].value


@pytest.mark.parametrize("state", [DATA, CLASSIFIED])
def test_the_curve_and_the_gaps_are_drawn_as_computed(state: str) -> None:
    app = with_curve(state)
    found = curve_of(state).path
    curve, gaps = app.figures
    drawn = trace(curve, "error ± standard error")
    np.testing.assert_allclose(numbers(drawn["y"]), found.error)
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
    assert app.headline.startswith("2 clusters that do not help, ")  # the page of its first picture


def test_a_curve_of_other_settings_is_marked() -> None:
    app = with_curve(DATA)
    assert not app.warning
    app.session.fit_choice = THREE.with_values(k=7)  # K is no setting of the curve
    assert not app.run().warning
    app.session.fit_choice = THREE.with_values(theta=0.8)
    assert "since this was found" in app.run().warning[0].value


@pytest.mark.parametrize(
    ("error", "se", "sentence"),
    [
        ([1.0, 0.9, 0.5, 0.51], 0.001, "Take 3 clusters: no other number predicts better"),
        ([1.0, 0.5, 0.49, 0.6], 0.02, "Take 2 clusters, if not more: 3 do better only"),
        ([0.5, 0.5, 0.6], 0.1, "One cluster is enough"),
        ([3.0, 2.0, 1.0], 0.1, "Take 3 clusters or more, or none: the error still falls"),
    ],
)
def test_the_sentence_follows_the_curve(error: list[float], se: float, sentence: str) -> None:
    assert findings.number_of_clusters(path(error, se), guessed(9.0)).startswith(sentence)


def test_a_curve_that_grows_leaves_room_for_what_is_to_come() -> None:
    points = [KPoint(1, 2.0, 0.1, 1.0, 0.1), KPoint(2, 1.0, 0.1, 1.0, 0.1)]
    figure = progress.curve_so_far(points, data_of(DATA))
    (drawn,) = figure.data  # no mark on a choice that is not made yet
    np.testing.assert_allclose(drawn.y, [2.0, 1.0])
    assert figure.layout.xaxis.range == (0.5, 9.5)
    assert figure.layout.title.text == "The error so far"
    assert "enough" not in describe(figure)


def test_a_choice_that_grows_has_a_line_for_each_shape() -> None:
    points = [KPoint(k, 1.0 / k, 0.1, 1.0, 0.1) for k in range(1, 12)]
    points += [KPoint(k, 0.5 / k, 0.1, 1.0, 0.1, "cone") for k in (4, 3)]
    figure = progress.curve_so_far(points, data_of(DATA))
    mixtures, strengths = figure.data
    assert (mixtures.name, strengths.name) == ("Mixtures", "Mixtures with strengths")
    assert (list(strengths.x), list(strengths.y)) == ([3, 4], [0.5 / 3, 0.125])
    assert figure.layout.xaxis.range == (0.5, 11.5)


def test_a_robust_curve_says_that_it_leaves_out_outliers() -> None:
    assert "left out of it" not in sentences(with_curve(DATA).caption)
    app = Visit("choose_k", DATA)
    app.session_state["k.look"] = "K alone"
    robust = THREE.with_values(k=1, method="robust")
    app.session.curve = replace(curve_of(DATA), choice=robust)
    assert "left out of it" in sentences(app.run().caption)
