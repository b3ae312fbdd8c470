"""Convergence: objective, movement, time and the replay come from the history."""

import re
from base64 import b64decode
from copy import copy
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from stcmtl.studio.widgets import replay as widget
from stcmtl.studio.words import findings
from stcmtl.studio.work.fits import Fitted
from tests.app.states import CLASSIFIED, FITTED, Visit, fit_of, numbers, trace
from tests.unit.report.test_replay import film as film_of


def view(app: Visit, name: str) -> dict[str, Any]:
    """The page's figure once it shows another view."""
    app.segmented_control(key="convergence.view").set_value(name).run()
    (figure,) = app.figures
    return figure


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_every_figure_follows_the_history(state: str) -> None:
    app, history = Visit("convergence", state), fit_of(state).model.history_
    (objective,) = app.figures
    changes, seconds = (view(app, name) for name in ("What moved", "Seconds"))
    drawn = np.concatenate([numbers(t["y"]) for t in objective["data"]])
    np.testing.assert_allclose(drawn, [s.objective for s in history])
    moved = [np.abs(b.V - a.V).max() for a, b in pairwise(history)]
    drawn = [np.nan if y is None else y for y in trace(changes, "memberships V")["y"]]
    np.testing.assert_allclose(drawn, np.where(np.array(moved) > 0, moved, np.nan))
    spent = sum(numbers(t["y"]).sum() for t in seconds["data"]) / 1000
    assert spent == pytest.approx(sum(sum(s.seconds.values()) for s in history))


def film(app: Visit) -> dict[str, Any]:
    (frame,) = app.get("iframe")
    return film_of(frame.proto.srcdoc)


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_the_replay_goes_from_the_separate_fits_to_the_result(state: str) -> None:
    model = fit_of(state).model
    shown = film(Visit("convergence", state))
    labels = [frame["label"] for frame in shown["frames"]]
    assert labels[0] == "Iteration 0: every task fitted alone"
    iterations = [re.findall(r"\d+", label)[0] for label in labels[1:]]
    assert list(dict.fromkeys(iterations)) == [str(s.iteration) for s in model.history_]
    assert [name for _, _, name in shown["corners"]] == ["1", "2", "3"]
    for frame, W in (
        (shown["frames"][0], model.single_task_coef_),
        (shown["frames"][-1], model.coef_),
    ):
        cells = np.frombuffer(b64decode(frame["z"]), dtype=np.int8) * shown["limit"] / 127
        assert np.abs(cells).sum() == pytest.approx(np.abs(W).sum(), rel=0.05)


def test_its_file_is_the_same_film_in_the_colours_of_its_reader() -> None:
    app = Visit("convergence", FITTED)
    (frame,) = app.get("iframe")
    result = fit_of(FITTED)
    made = widget.save(widget.draw(result), result).decode()
    assert film_of(made) == film_of(frame.proto.srcdoc)
    assert "data-theme" in frame.proto.srcdoc
    assert "data-theme=" not in made.split(">")[1]
    assert len(made) < 100_000


def test_a_paper_fit_has_no_refinement_and_says_when_it_was_stopped() -> None:
    paper = fit_of(FITTED, method="paper")
    assert "refinement" not in findings.convergence(paper)
    assert findings.convergence(paper).startswith("Settled after")
    stopped = replace(paper, choice=paper.choice.with_values(iterations=paper.model.n_iter_))
    assert findings.convergence(stopped).startswith("Stopped at its limit")


def went_back() -> Fitted:
    """As a loop that rose after its second iteration, and went back to it."""
    paper = fit_of(FITTED, method="paper")
    model = copy(paper.model)
    first = model.history_[0]
    heights = [9.0, 8.0, 8.5, 8.4, 8.3, 8.2, 8.0]
    model.history_ = [
        replace(first, iteration=i, objective=height) for i, height in enumerate(heights, start=1)
    ]
    model.history_[-1] = replace(model.history_[-1], seconds={})
    model.n_iter_ = len(heights)
    return replace(paper, model=model)


def test_a_loop_that_went_back_has_not_settled() -> None:
    said = findings.convergence(went_back())
    assert said.startswith(
        "Did not settle: after iteration 2 the objective rose, and 4 iterations later the loop "
        "went back to it"
    )
    app = Visit("convergence", FITTED).show(went_back())
    assert app.headline == said
    assert trace(app.figures[0], "back to the lowest")["x"] == [2, 7, None]


def test_a_rise_on_the_way_is_told() -> None:
    result = went_back()
    result.model.history_ = result.model.history_[:4]
    result.model.n_iter_ = 4
    assert "though the objective rose after 1 of them" in findings.convergence(result)
    assert "rose" not in findings.convergence(fit_of(FITTED))


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_the_error_on_test_rows_is_one_curve_for_both_stages(state: str) -> None:
    result = fit_of(state)
    model, test = result.model, result.data.test
    figure = view(Visit("convergence", state), "Test error")
    drawn = np.concatenate([numbers(t["y"]) for t in figure["data"]])
    assert len(drawn) == len(model.history_)
    # the intercepts borrow strength at the very end, which changes little
    assert drawn[-1] == pytest.approx(result.error, abs=0.03)
    assert figure["layout"]["shapes"][0]["y0"] == pytest.approx(result.lasso_error)
    untested = replace(result, data=replace(result.data, test=None))
    options = Visit("convergence", state).show(untested).button_group[0].options
    assert test is not None
    assert "Test error" not in options


def test_one_iteration_is_enough_for_the_page() -> None:
    app = Visit("convergence", FITTED).show(fit_of(FITTED, method="paper", iterations=1))
    assert app.headline.startswith("Settled after 1 iteration")
    assert len(film(app)["frames"]) == 4  # the separate fits, V, U and W
    changes = view(app, "What moved")
    assert changes["layout"]["title"]["text"] == "One iteration: nothing to compare"
