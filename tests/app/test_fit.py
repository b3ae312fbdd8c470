"""Fit: controls that hold, a result in words, and a mark on what is out of date."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stcmtl.studio.state.choices import FitChoice
from stcmtl.studio.state.loading import load
from stcmtl.studio.widgets import progress
from stcmtl.studio.words import findings
from tests.app.states import (
    CLASSIFIED,
    DATA,
    EMPTY,
    FITTED,
    THREE,
    TINY,
    figures,
    fit_of,
    numbers,
    opened,
    session_of,
    title,
)  # fmt: skip


def test_without_tasks_it_invites() -> None:
    assert opened("fit", EMPTY).info[0].value == "There are no tasks yet."


def test_before_a_fit_there_are_controls_and_no_result() -> None:
    app = opened("fit", DATA)
    assert title(app) == "Fit the tasks"
    assert not figures(app)
    labels = [box.label for box in app.number_input]
    expected = ["Clusters K", "theta", "epsilon", "Folds", "Iterations", "Seed", "Fence factor"]
    assert labels == expected


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_the_result_is_told_in_words_and_numbers(state: str) -> None:
    app, result = opened("fit", state), fit_of(state)
    n_pure = int(result.model.pure_.sum())
    assert title(app).startswith(f"3 clusters, {n_pure} pure tasks, {18 - n_pure} mixed")
    assert ("as simulated" in title(app)) == (state == FITTED)
    assert app.metric[0].value == f"{result.error:.3g}"
    assert app.metric[0].label == ("Test RMSE" if state == FITTED else "Test error rate")
    (figure,) = figures(app)
    drawn = np.concatenate([numbers(t["y"]) for t in figure["data"]])
    np.testing.assert_allclose(drawn, [s.objective for s in result.model.history_])


def test_run_fits_what_the_controls_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SOON", 60.0)
    app = opened("fit", DATA)
    app.button_group[0].set_value("paper")
    app.number_input[0].set_value(2)
    app.button(key="fit.run").click().run()
    assert not app.exception
    model = session_of(app).fitted.model
    assert (model.n_clusters_, model.refine) == (2, False)


def test_on_one_scale_units_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SOON", 60.0)
    loaded, units = load(TINY), 10.0 ** np.arange(-15, 15)
    train = replace(loaded.train, X=loaded.train.X * units)
    shares = []
    for data in (loaded, replace(loaded, key="in other units", train=train, test=None)):
        app = opened("fit", DATA)
        session_of(app).data = data
        (scale,) = (group for group in app.button_group if group.label == "Features")
        scale.set_value("one scale")
        app.button(key="fit.run").click().run()
        assert not app.exception
        assert "features on one scale" in app.caption[0].value
        assert session_of(app).fitted.choice.query()["scale"] == "one scale"
        shares.append(session_of(app).fitted.model.memberships_)
    np.testing.assert_allclose(shares[1], shares[0], atol=1e-6)


def test_a_link_tells_the_scale() -> None:
    chosen = THREE.with_values(scale="one scale")
    assert FitChoice.from_query(chosen.query()) == chosen
    assert FitChoice.from_query({"scale": "metres"}).scale == "as they are"


def test_a_changed_control_marks_the_result_at_once_and_on_every_page() -> None:
    app = opened("fit", FITTED)
    assert not app.warning
    app.number_input[0].set_value(4).run()
    assert "settings have changed since this run" in app.warning[0].value
    assert session_of(app).fitted.choice == THREE
    app.switch_page("pages/memberships.py").run()
    assert "settings have changed since this run" in app.warning[0].value
    app.switch_page("pages/fit.py").run()
    assert app.number_input[0].value == 4
    app.number_input[0].set_value(3).run()
    assert not app.warning


def test_there_are_never_more_clusters_than_tasks() -> None:
    app = opened("fit", DATA)
    session_of(app).data = load(TINY.with_values(tasks=3, clusters=1, mixed=0))
    session_of(app).fit_choice = THREE.with_values(k=5)
    app.run()
    assert not app.exception
    assert (app.number_input[0].value, app.number_input[0].max) == (3, 3)


def test_a_doubtful_cluster_is_pointed_out() -> None:
    app = opened("fit", FITTED)
    result = fit_of(FITTED)
    model = result.model.__class__(**result.model.get_params())
    vars(model).update(vars(result.model) | {"pure_": np.zeros(18, dtype=bool)})
    session_of(app).fitted = replace(result, model=model)
    app.run()
    assert "Cluster 1 has no pure task" in app.warning[0].value


@pytest.mark.parametrize(
    ("error", "alone", "words"),
    [(0.5, 1.0, "50% less than"), (1.1, 1.0, "10% more than"), (1.0, 1.0, "fitted alone has 1")],
)
def test_the_error_is_compared_with_tasks_fitted_alone(
    error: float, alone: float, words: str
) -> None:
    result = replace(fit_of(FITTED), error=error, lasso_error=alone)
    assert words in findings.prediction(result)
    assert findings.prediction(replace(result, error=None)) == ""
