"""Learn: six scenes of a small world that is fitted as one moves it, in words that are true."""

import re
from itertools import permutations

import numpy as np
import pytest

from stcmtl.evaluation.metrics import NEARLY
from stcmtl.evaluation.summary import GLOSSARY
from stcmtl.studio.words import learning
from stcmtl.studio.words.learning import SCENES, SLIDERS, Lesson
from stcmtl.studio.work.fits import Fitted
from tests.app.states import Visit, numbers, sentences, trace

USUAL = Lesson()
# Both ends of every slider, and some of them together.
ENDS = [(name, end) for name, (_, values, _) in SLIDERS.items() for end in (values[0], values[-1])]
LESSONS = [
    *(Lesson(**{name: value}) for name, value in ENDS),
    Lesson(noise=4.0, rows=10, mixed=12, overlap=0.9),
    Lesson(noise=4.0, rows=10, outliers=3, robust=True),
    Lesson(noise=0.2, rows=200, outliers=2, robust=True),
    Lesson(noise=2.0, rows=20, overlap=0.6, place=(0.1, 0.2, 0.7)),
    Lesson(place=(0.0, 1.0, 0.0)),
]


def fit(lesson: Lesson) -> Fitted:
    result = lesson.result()
    assert result is not None
    return result


def words(app: Visit) -> list[str]:
    return str(app.markdown[0].value).split("\n\n")


@pytest.mark.parametrize("number", range(1, 7))
def test_a_link_opens_a_scene_of_three_sentences_and_one_picture(number: int) -> None:
    app = Visit("learn", scene=str(number))
    scene = list(SCENES.values())[number - 1]
    assert app.headline == scene.title
    assert len(words(app)) == 3
    assert len(app.figures) == (2 if scene.moves == "place" else 1)
    assert app.session.query()["scene"] == str(number)
    assert len(app.toggle) == scene.hides
    assert not any(toggle.value for toggle in app.toggle)  # the truth is hidden


def test_back_and_next_lead_through_all_scenes() -> None:
    app = Visit("learn")
    assert app.button(key="learn.back").disabled
    for scene in list(SCENES.values())[1:]:
        app.button(key="learn.next").click().run()
        assert app.headline == scene.title
    assert app.button(key="learn.next").disabled
    app.button(key="learn.back").click().run()
    assert app.headline == "Sparse patterns"
    assert app.go("home").go("learn").headline == "Sparse patterns"  # where one was


@pytest.mark.parametrize("scene", ["0", "7", "two", ""])
def test_a_link_to_no_scene_opens_the_first(scene: str) -> None:
    assert Visit("learn", scene=scene).headline == "Each task alone"


def test_the_truth_comes_when_asked_for() -> None:
    app = Visit("learn", scene="4")
    assert "true places" not in [t.get("name") for t in app.figures[0]["data"]]
    assert "right" not in words(app)[1]
    app.toggle[0].set_value(True).run()
    true = trace(app.figures[0], "true places")
    V = learning.truth_of(fit(USUAL).data).V
    triangle = np.array([[0, 1], [np.sqrt(0.75), -0.5], [-np.sqrt(0.75), -0.5]])
    places = np.column_stack([numbers(true["x"]), numbers(true["y"])])
    assert np.abs(places - V.T @ triangle).max() < 0.25  # but for the fanning out
    app.button(key="learn.next").click().run()
    app.button(key="learn.back").click().run()
    assert not app.toggle[0].value


def test_lines_to_the_truth_cross_no_names_of_outliers() -> None:
    def named(app: Visit) -> list[str]:
        notes = [note["text"] for note in app.figures[0]["layout"]["annotations"]]
        return [text for text in notes if text.startswith("outlier")]

    app = Visit("learn", scene="6")
    assert named(app)
    app.toggle[0].set_value(True).run()
    assert not named(app)
    assert app.figures[0]["layout"]["title"]["text"] == "Stars: outliers. Hollow: true places"


def test_yours_moves_by_its_sliders_and_is_found() -> None:
    app = Visit("learn", scene="2")
    assert "60% pattern 1 and 40% pattern 2, a **mixed** task" in words(app)[1]
    app.slider(key="learn.second").set_value(70).run()
    assert app.slider(key="learn.first").value == 30  # shares sum to one
    assert "70% pattern 2 and 30% pattern 1" in words(app)[1]
    app.slider(key="learn.second").set_value(100).run()
    assert words(app)[1] == "Yours (☆) is all pattern 2, a **pure** task."
    placed = trace(app.figures[0], "true places of new tasks")
    np.testing.assert_allclose(numbers(placed["x"]), np.sqrt(0.75))  # the corner at the right
    np.testing.assert_allclose(numbers(placed["y"]), -0.5)


def test_the_sliders_fit_again_and_keep_their_values() -> None:
    app = Visit("learn", scene="1")
    before = words(app)[1]
    app.select_slider(key="learn.rows").set_value(10).run()
    assert words(app)[1] != before
    assert "its 10 rows" in words(app)[1]
    app.button(key="learn.next").click().run()
    assert "From 10 noisy rows" in words(app)[2]
    assert app.select_slider(key="learn.rows").value == 10


def test_k_is_moved_where_places_are_found() -> None:
    app = Visit("learn", scene="4")
    for k, said in ((2, "too few"), (5, "more corners than patterns")):
        app.select_slider(key="learn.k").set_value(k).run()
        assert said in words(app)[0]
        app.toggle[0].set_value(True).run()
        corners = app.figures[0]["layout"]["annotations"]
        assert len([a for a in corners if a["text"].startswith("Cluster")]) == k


@pytest.mark.parametrize("lesson", LESSONS, ids=str)
def test_every_number_told_is_true(lesson: Lesson) -> None:
    result = fit(lesson)
    truth, model, test = learning.truth_of(result.data), result.model, result.data.test
    assert test is not None
    said = {
        name: scene.say(lesson, result, True)
        for name, scene in SCENES.items()
        if not (name == "Mixtures" and not lesson.place)
        and not (name == "Sparse" and lesson.k != 3)
    }
    assert all(len(told) == 3 for told in said.values())
    wrong = (test.y - model.predict(test.X, test.tasks)) ** 2
    alone, together = map(float, re.findall(r"\*\*([\d.,]+)\*\*", " ".join(said["Alone"][1:])))
    assert together == pytest.approx(np.sqrt(wrong.mean()), rel=0.01)
    order = {"less": together <= alone, "more": together >= alone, "no less": together == alone}
    assert order[said["Alone"][2].split("which is ")[1].rstrip(".")]
    ordinary = np.isin(test.tasks, test.task_names[~truth.outliers])
    told = float(said["Outliers"][2].split("**")[1])
    assert told == pytest.approx(np.sqrt(wrong[ordinary].mean()), rel=0.01)
    share = re.match(r"\*\*(All|\d+)( of)? (\d+)", said["Places"][2])
    assert share is not None
    right = int(share[3]) if share[1] == "All" else int(share[1])
    assert right == count_right(result)
    if "Sparse" in said and not lesson.outliers:
        kept = list(map(int, re.findall(r"\d+", said["Sparse"][1])))
        assert sorted(kept[:-1]) == sorted((model.cluster_coef_ != 0).sum(axis=1))
    if lesson.robust:
        aside = (model.outliers_ & truth.outliers).sum()
        assert f"sets aside {aside} of {lesson.outliers} outlier" in said["Outliers"][1]
    if lesson.place:
        shares = list(map(int, re.findall(r"(\d+)%", said["Mixtures"][2]))) or [100]
        assert sum(shares) == 100
        found = np.sort(model.memberships_[-1])[::-1][: len(shares)]
        np.testing.assert_allclose(shares, 100 * found, atol=1)


def count_right(result: Fitted) -> int:
    """By trying every order of the clusters, and taking the one nearest to the truth."""
    truth, V = learning.truth_of(result.data), result.model.memberships_.T
    K = max(len(V), len(truth.V))
    V, true = (np.pad(A, ((0, K - len(A)), (0, 0))) for A in (V, truth.V))
    V = min((V[list(p)] for p in permutations(range(K))), key=lambda A: np.abs(A - true).sum())
    right = 0
    for i in range(V.shape[1]):
        if truth.outliers[i]:
            right += bool(result.model.outliers_[i])
        elif V[:, i].any():
            share, most = true[V[:, i].argmax(), i], true[:, i].max()
            is_there = share > 0 and share >= most - NEARLY
            right += bool(is_there and result.model.pure_[i] == truth.pure[i])
    return right


@pytest.mark.usefixtures("patient")
def test_its_tasks_can_be_explored() -> None:
    app = Visit("learn", scene="3")
    app.select_slider(key="learn.overlap").set_value(0.3).run()
    app.button(key="learn.explore").click().run()
    assert app.session.data_choice.overlap == 0.3
    assert app.session.fitted is not None
    assert app.session.go == ""


def test_pages_are_linked_and_words_are_told() -> None:
    app = Visit("learn")
    links = [link.proto.page for link in app.get("page_link")]
    assert links == ["memberships", "coefficients", "similarity", "choose_k"]
    told = "task cluster pure mixed K theta RMSE REE MCC SOUP".lower().split()
    assert sorted(map(str.lower, learning.WORDS)) == sorted(told)
    assert all(GLOSSARY[word] in sentences(app.markdown) for word in learning.WORDS)


def test_the_link_of_a_scene_says_what_was_moved() -> None:
    app = Visit("learn")
    app.select_slider(key="learn.noise").set_value(2.0).run()
    app.select_slider(key="learn.rows").set_value(60).run()
    assert app.session.query()["learn.noise"] == "2.0"
    other = Visit("home")
    other.session.open_link(app.session.query())
    other.go("learn")
    moved = {key: other.select_slider(key=key).value for key in ("learn.noise", "learn.rows")}
    assert moved == {"learn.noise": 2.0, "learn.rows": 60}
    senseless = Visit("home")
    senseless.session.open_link({"learn.noise": "loud", "learn.rows": "61"})
    noise = senseless.go("learn").select_slider(key="learn.noise")
    assert noise.value == Lesson().noise
