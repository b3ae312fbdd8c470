"""Trust: resamples run as a job, are drawn and listed, and are stale after another fit."""

import numpy as np
import pytest

from stcmtl import stability
from tests.app.states import CLASSIFIED, FITTED, Visit, endless, fit_of, numbers, sentences, trace


def resampled(state: str, n_boot: int = 10) -> Visit:
    app = Visit("trust", state)
    app.number_input(key="trust.n_boot").set_value(n_boot).run()
    app.button(key="trust.run").click().run()
    return app


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_what_is_drawn_is_what_the_resamples_say(state: str, patient: None) -> None:
    app, result = resampled(state), fit_of(state)
    model, train = result.model, result.data.train
    found = stability(model, train.X, train.y, train.tasks, 10, level=0.9, random_state=0)
    kept, intervals, together, chosen = app.figures
    bars = trace(kept, "keeps its cluster")
    np.testing.assert_allclose(numbers(bars["y"]), found.kept[numbers(bars["customdata"])])
    pure = trace(kept, "is pure")
    np.testing.assert_allclose(numbers(pure["y"]), found.pure[numbers(pure["customdata"])])
    main = trace(intervals, "main cluster")
    tasks = numbers(main["customdata"])
    upper = numbers(main["y"]) + numbers(main["error_y"]["array"])
    np.testing.assert_allclose(upper, found.upper[tasks, model.labels_[tasks]])
    assert "Together" in together["layout"]["title"]["text"]
    assert "chosen" in chosen["layout"]["title"]["text"]
    table = app.dataframe[0].value.set_index("task")
    np.testing.assert_allclose(table.loc[model.task_names_, "pure in"], found.pure)
    assert "10 resamples, intervals of 90%" in sentences(app.caption)


def test_before_it_is_asked_there_is_an_invitation() -> None:
    app = Visit("trust", FITTED)
    assert app.headline == "How far can this fit be trusted?"
    assert not app.figures
    assert "It takes about a second" in sentences(app.caption)


def test_other_tasks_or_settings_leave_a_mark(patient: None) -> None:
    app = resampled(FITTED)
    headline = app.headline
    assert not app.warning
    app.show(fit_of(FITTED, k=2))
    assert "earlier fit" in sentences(app.warning)
    assert app.headline == headline  # still of what is drawn
    app.session.open_data(app.session.data_choice)
    assert app.session.trust is None


def test_the_same_again_comes_from_the_store(patient: None) -> None:
    app = resampled(FITTED)
    first = app.session.trust
    app.session.trust = None
    app.run()
    app.button(key="trust.run").click().run()
    assert app.session.trust is first


def test_it_can_be_cancelled(hasty: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcmtl.studio.work.trust.trust_steps", endless)
    app = Visit("trust", FITTED)
    app.number_input(key="trust.n_boot").set_value(490).run()
    app.button(key="trust.run").click().run()
    job = app.session.job
    assert job is not None
    app.button(key="cancel").click().run()
    assert app.session.job is None
    assert app.session.trust is None
    assert job.wait(60)


def test_without_clusters_there_is_nothing_to_ask() -> None:
    app = Visit("trust", FITTED).show(fit_of(FITTED, k=0))
    assert app.headline == "Without clusters there is nothing that could move"
    assert "trust.run" not in [button.key for button in app.button]


def test_one_cluster_has_features_alone(patient: None) -> None:
    app = Visit("trust", FITTED).show(fit_of(FITTED, k=1))
    app.button(key="trust.run").click().run()
    assert len(app.figures) == 1
