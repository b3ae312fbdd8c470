"""Fit: controls that hold, a result in words, and a mark on what is out of date."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stcmtl.estimators.settings import read_settings
from stcmtl.evaluation import choices
from stcmtl.evaluation.summary import error_name
from stcmtl.phrases import say_error
from stcmtl.progress import drain
from stcmtl.studio.state.choices import FitChoice
from stcmtl.studio.state.loading import load
from stcmtl.studio.words import findings
from stcmtl.studio.work import fits
from tests.app.states import (
    CLASSIFIED,
    DATA,
    FITTED,
    THREE,
    TINY,
    Visit,
    fit_of,
    numbers,
    sentences,
)


def test_before_a_fit_there_are_controls_and_no_result() -> None:
    app = Visit("fit", DATA)
    assert app.headline == "Fit the tasks"
    assert not app.figures
    labels = [box.label for box in app.number_input]
    expected = ["Clusters K", "theta", "epsilon", "Folds", "Iterations", "Seed", "Fence factor"]
    assert labels == expected


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_the_result_is_told_in_words_and_numbers(state: str) -> None:
    app, result = Visit("fit", state), fit_of(state)
    n_pure = int(result.model.pure_.sum())
    assert app.headline.startswith(f"3 clusters, {n_pure} pure tasks, {18 - n_pure} mixed")
    assert ("as simulated" in app.headline) == (state == FITTED)
    assert app.metric[0].value == say_error(result.error, error_name(result.model))
    assert app.metric[0].label == ("Test RMSE" if state == FITTED else "Test error rate")
    (figure,) = app.figures
    drawn = np.concatenate([numbers(t["y"]) for t in figure["data"]])
    np.testing.assert_allclose(drawn, [s.objective for s in result.model.history_])


@pytest.mark.usefixtures("patient")
def test_run_fits_what_the_controls_say() -> None:
    app = Visit("fit", DATA)
    (method,) = (group for group in app.button_group if group.label == "Method")
    method.set_value("paper")
    app.number_input[0].set_value(2)
    app.button(key="fit.run").click().run()
    model = app.session.fitted.model
    assert (model.n_clusters_, model.refine) == (2, False)


@pytest.mark.usefixtures("patient")
def test_on_one_scale_units_do_not_matter() -> None:
    loaded, units = load(TINY), 10.0 ** np.arange(-15, 15)
    train = replace(loaded.train, X=loaded.train.X * units)
    shares = []
    for data in (loaded, replace(loaded, key="in other units", train=train, test=None)):
        app = Visit("fit", DATA)
        app.session.data = data
        (scale,) = (group for group in app.button_group if group.label == "Features")
        scale.set_value("one scale")
        app.button(key="fit.run").click().run()
        assert "features on one scale" in app.caption[0].value
        assert app.session.fitted.choice.query()["scale"] == "one scale"
        shares.append(app.session.fitted.model.memberships_)
    np.testing.assert_allclose(shares[1], shares[0], atol=1e-6)


def test_wild_values_are_told_and_shown_by_their_rows_in_the_file() -> None:
    loaded = load(TINY)
    y = loaded.train.y.copy()
    y[[5, 100]] += 50.0 * y.std()
    train = replace(loaded.train, y=y, row_numbers=2 * np.arange(len(y)))
    spoilt = drain(fits.fit_steps(replace(loaded, key="spoilt", train=train), THREE))
    app = Visit("fit", DATA).show(spoilt)
    assert "2 values of the target are out of all proportion" in app.warning[0].value
    app.go("data")
    (table,) = (frame.value for frame in app.dataframe if "expected" in frame.value)
    assert table["row"].tolist() == [11, 201]
    np.testing.assert_array_equal(table["value"], y[[5, 100]])
    app.go("report")
    assert "**Wild values**" in sentences(app.markdown)


@pytest.mark.usefixtures("patient")
def test_shape_and_own_part_reach_the_fit() -> None:
    app = Visit("fit", DATA)
    shape, own = app.selectbox
    assert (shape.label, own.label) == ("Tasks are", "A task's own")
    assert shape.options[:2] == ["Mixtures", "Mixtures with strengths"]
    assert own.options == ["Nothing", "A deviation", "Decide by cross-validation"]
    shape.set_value("cone")
    own.set_value("auto")
    app.button(key="fit.run").click().run()
    model = app.session.fitted.model
    assert (model.shape, model.own, model.n_clusters) == ("cone", "auto", 3)
    account = "K = 3, refined, mixtures with strengths, own part automatic"
    assert app.session.fit_choice.account == account
    assert " a part of each task's own " in sentences(app.main.markdown)


@pytest.mark.usefixtures("patient")
def test_everything_automatic_leaves_nothing_to_say_and_is_kept_for_the_page_of_choices() -> None:
    app = Visit("fit", DATA)
    app.button_group[0].set_value("automatic").run()
    assert not app.selectbox
    assert "Clusters K" not in [box.label for box in app.number_input]
    app.button(key="fit.run").click().run()
    model = app.session.fitted.model
    assert (model.n_clusters, model.shape, model.own) == ("auto", "auto", "auto")
    assert choices.say_taken(model.choices_) in sentences(app.main.markdown)
    assert app.session.spoken is app.session.fitted
    app.session.fit_choice = app.session.fit_choice.with_values(k=9)
    app.button_group[0].set_value("given").run()
    (k,) = (box for box in app.number_input if box.label == "Clusters K")
    assert k.value == len(model.cluster_coef_)  # given K begins at what the data chose


@pytest.mark.usefixtures("patient")
def test_without_clusters_every_task_is_on_its_own() -> None:
    app = Visit("fit", DATA)
    app.number_input[0].set_value(0).run()
    assert not app.selectbox
    assert "there is nothing to mix" in sentences(app.caption)
    app.button(key="fit.run").click().run()
    model = app.session.fitted.model
    assert (model.n_clusters_, model.own_) == (0, "alone")
    assert app.headline.startswith("No clusters")
    assert "a LASSO for each task" in sentences(app.main.markdown)
    used = int(model.coef_.any(axis=0).sum())
    assert f"{used} of 30" in [metric.value for metric in app.metric]


def test_the_papers_algorithm_has_one_shape() -> None:
    app = Visit("fit", DATA)
    (method,) = (group for group in app.button_group if group.label == "Method")
    method.set_value("paper").run()
    assert not app.selectbox
    assert "plain mixtures only" in sentences(app.caption)


def test_settings_that_make_no_difference_make_no_result_stale() -> None:
    app = Visit("fit", FITTED)
    automatic = THREE.with_values(model="automatic")
    app.session.fitted = replace(fit_of(FITTED), choice=automatic)
    app.session.fit_choice = automatic.with_values(k=9, shape="span", own="deviation")
    assert not app.run().warning
    app.session.fit_choice = THREE.with_values(k=9)
    assert app.run().warning


@pytest.mark.parametrize(
    ("chosen", "asked"),
    [
        ({"model": "automatic"}, ("auto", "auto", "auto")),
        ({"k": 0, "shape": "span", "own": "deviation"}, (0, "simplex", "auto")),
        ({"method": "paper", "shape": "cone", "own": "auto"}, (3, "simplex", "none")),
        ({"shape": "span", "own": "deviation"}, (3, "span", "deviation")),
    ],
)
def test_no_two_settings_contradict_each_other(chosen: dict[str, Any], asked: tuple[Any]) -> None:
    choice = THREE.with_values(**chosen)
    assert tuple(choice.asked.values()) == asked
    model = fits.estimator(load(TINY), choice)
    read_settings(model, 18)  # which refuses what contradicts
    assert FitChoice.from_query(choice.query()) == choice


def test_links_from_before_there_were_shapes_mean_what_they_meant() -> None:
    old = FitChoice.from_query({"k": "4", "method": "robust"})
    assert old.asked == {"n_clusters": 4, "shape": "simplex", "own": "none"}
    assert FitChoice.from_query({"shape": "cube", "own": "alone", "model": "?"}) == FitChoice()


def test_a_link_tells_the_scale() -> None:
    chosen = THREE.with_values(scale="one scale")
    assert FitChoice.from_query(chosen.query()) == chosen
    assert FitChoice.from_query({"scale": "metres"}).scale == "automatic"


def test_a_changed_control_marks_the_result_at_once_and_on_every_page() -> None:
    app = Visit("fit", FITTED)
    assert not app.warning
    app.number_input[0].set_value(4).run()
    assert "settings have changed since this run" in app.warning[0].value
    assert app.session.fitted.choice == THREE
    app.go("memberships")
    assert "settings have changed since this run" in app.warning[0].value
    app.go("fit")
    assert app.number_input[0].value == 4
    app.number_input[0].set_value(3).run()
    assert not app.warning


def test_there_are_never_more_clusters_than_tasks() -> None:
    app = Visit("fit", DATA)
    app.session.data = load(TINY.with_values(tasks=3, clusters=1, mixed=0))
    app.session.fit_choice = THREE.with_values(k=5)
    app.run()
    assert (app.number_input[0].value, app.number_input[0].max) == (3, 3)


def test_a_doubtful_cluster_is_pointed_out() -> None:
    app = Visit("fit", FITTED)
    result = fit_of(FITTED)
    model = result.model.__class__(**result.model.get_params())
    vars(model).update(vars(result.model) | {"pure_": np.zeros(18, dtype=bool)})
    app.session.fitted = replace(result, model=model)
    app.run()
    assert "Cluster 1 has no pure task" in app.warning[0].value


@pytest.mark.parametrize(
    ("error", "alone", "words"),
    [(0.5, 1.0, "50% less than"), (1.1, 1.0, "10% more than"), (1.0, 1.0, "1, as with")],
)
def test_the_error_is_compared_with_tasks_fitted_alone(
    error: float, alone: float, words: str
) -> None:
    result = replace(fit_of(FITTED), error=error, lasso_error=alone)
    assert words in findings.prediction(result)
    assert findings.prediction(replace(result, error=None)) == ""
