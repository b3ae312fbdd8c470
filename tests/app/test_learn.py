"""Learn: a small world that is fitted as its sliders move, told in words that are true."""

import numpy as np
import pytest

from stcmtl.evaluation.summary import GLOSSARY
from stcmtl.studio.state.loading import load
from stcmtl.studio.words import learning
from stcmtl.studio.words.learning import Lesson
from tests.app.states import Visit, numbers, sentences, trace

USUAL = Lesson(0.5, 60, 3)


def corners(app: Visit, side: int) -> list[str]:
    return [a["text"].split("<")[0] for a in app.figures[side]["layout"]["annotations"]]


def test_truth_and_what_was_found_stand_side_by_side() -> None:
    app = Visit("learn")
    assert app.headline == "The idea in a minute"
    before, after = app.figures
    assert before["layout"]["title"]["text"] == "In truth: 14 pure tasks, 4 mixed"
    assert after["layout"]["title"]["text"] == "Found: 14 pure tasks, 4 mixed"
    assert "All 18 tasks are rightly called pure or mixed" in sentences(app.markdown)


def test_both_sides_have_one_order_of_clusters() -> None:
    app = Visit("learn")
    truth = load(USUAL.data).truth
    assert truth is not None
    true, found = (trace(side, "tasks") for side in app.figures)
    assert corners(app, 0) == corners(app, 1) == ["Cluster 1", "Cluster 2", "Cluster 3"]
    places = [np.column_stack([numbers(t["x"]), numbers(t["y"])]) for t in (true, found)]
    assert np.abs(places[0] - places[1]).max() < 0.5  # a side is 1.7 long
    pure = [symbol == "circle" for symbol in true["marker"]["symbol"]]
    np.testing.assert_array_equal(pure, truth.pure)


def test_the_sliders_fit_again() -> None:
    app = Visit("learn")
    app.select_slider(key="learn.k").set_value(4).run()
    assert len(corners(app, 0)) == 3
    assert len(corners(app, 1)) == 4
    assert "more corners than patterns" in sentences(app.markdown)
    app.select_slider(key="learn.k").set_value(2).run()
    assert "too few corners" in sentences(app.markdown)
    app.select_slider(key="learn.k").set_value(3)
    app.select_slider(key="learn.noise").set_value(4.0)
    app.select_slider(key="learn.rows").set_value(10).run()
    said = sentences(app.markdown)
    assert "More rows, or less noise" in said
    assert "of which 4 is noise" in said


def test_the_errors_told_are_those_of_the_fit() -> None:
    result = USUAL.result()
    assert result is not None
    test = result.data.test
    assert test is not None
    error = np.sqrt(np.mean((test.y - result.model.predict(test.X, test.tasks)) ** 2))
    assert f"the error is {error:.3g}" in learning.verdict(USUAL, result)


@pytest.mark.usefixtures("patient")
def test_its_tasks_can_be_explored() -> None:
    app = Visit("learn")
    app.select_slider(key="learn.rows").set_value(40).run()
    app.button(key="learn.explore").click().run()
    assert app.session.data_choice.rows == 40
    assert app.headline.startswith("3 clusters")


def test_pictures_lead_to_their_pages_and_words_are_told() -> None:
    app = Visit("learn")
    links = [link.proto.page for link in app.get("page_link")]
    assert links == ["memberships", "coefficients", "similarity", "choose_k"]
    words = "task cluster pure mixed K theta RMSE REE MCC SOUP".lower().split()
    assert sorted(map(str.lower, learning.WORDS)) == sorted(words)
    assert all(GLOSSARY[word] in sentences(app.markdown) for word in learning.WORDS)
