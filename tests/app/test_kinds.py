"""Explore pages and New tasks with a model of any kind: what they draw, and what they say."""

import numpy as np
import pytest

from stcmtl import STCMTLRegressor
from stcmtl.evaluation import summary
from stcmtl.studio.work.fits import Fitted
from tests.app.kinds import result_of, visit
from tests.app.states import DATA, THREE, Visit, data_of, numbers, sentences, trace
from tests.unit.kinds import KINDS, LOSSES, model_of

EXPLORE = ("coefficients", "similarity", "memberships", "convergence", "outliers", "new_tasks")
REGRESSION, TWO_LABELS = LOSSES
MODELS = [
    *((kind, REGRESSION) for kind in KINDS),
    *((kind, TWO_LABELS) for kind in ("alone", "cone", "own", "robust span")),
]


def titles(app: Visit) -> list[str]:
    return [figure["layout"]["title"]["text"] for figure in app.figures]


@pytest.mark.parametrize(("kind", "loss"), MODELS)
@pytest.mark.parametrize("page", EXPLORE)
def test_a_page_opens_with_the_verdict_of_the_model(page: str, kind: str, loss: type) -> None:
    app = visit(page, kind, loss)
    said = summary.verdict(model_of(kind, loss))
    assert [info.value for info in app.info] == ([said] if said else [])
    assert all(titles(app))
    if kind == "alone":
        words = app.headline + sentences(app.markdown)
        assert not any(claim in words for claim in ("blocks are", "1 cluster", "pure task"))


@pytest.mark.parametrize("loss", LOSSES)
def test_strengths_are_sizes_on_the_simplex(loss: type) -> None:
    app, model = visit("memberships", "cone", loss), model_of("cone", loss)
    simplex, bars = app.figures
    tasks = trace(simplex, "tasks")
    order = numbers(tasks["customdata"])
    np.testing.assert_allclose(
        numbers(tasks["marker"]["size"]), 8 * np.sqrt(model.strength_[order])
    )
    for k in range(3):
        drawn = trace(bars, f"pattern {k + 1}")
        expected = model.loadings_[numbers(drawn["customdata"]), k]
        np.testing.assert_allclose(numbers(drawn["y"]), expected)
    assert "strengths from" in app.headline
    table = app.dataframe[0].value.set_index("task")
    np.testing.assert_allclose(table.loc[model.task_names_, "strength"], model.strength_)


def test_signed_loadings_are_bars_around_zero_instead_of_a_simplex() -> None:
    app, model = visit("memberships", "span"), model_of("span")
    (bars,) = app.figures
    n_negative = int((model.loadings_ < 0).any(axis=1).sum())
    assert n_negative > 0
    assert app.headline == f"3 patterns: {n_negative} of 12 tasks subtract one"
    assert bars["layout"]["title"]["text"] == f"{n_negative} of 12 tasks subtract a pattern"
    drawn = np.concatenate([numbers(bar["y"]) for bar in bars["data"]])
    assert drawn.min() == model.loadings_.min() < 0


@pytest.mark.parametrize("kind", ["own", "one own"])
def test_own_shares_have_a_bar_each(kind: str) -> None:
    app, model = visit("memberships", kind), model_of(kind)
    bar = trace(app.figures[-1], "own share")
    np.testing.assert_allclose(numbers(bar["y"]), np.sort(model.own_share_)[::-1])
    assert "own share" in app.dataframe[0].value.columns


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if "own" not in kind and "span" not in kind]
)
def test_without_own_parts_there_is_no_such_bar(kind: str) -> None:
    assert not [t for t in titles(visit("memberships", kind)) if "own" in t]


def test_no_clusters_and_one_have_words_instead_of_empty_pictures() -> None:
    alone, one = visit("memberships", "alone"), visit("memberships", "one")
    assert alone.figures == one.figures == []
    assert "coefficients of its own" in sentences(alone.markdown)
    assert "12 tasks belong to it wholly" in sentences(one.markdown)
    assert alone.headline == "No clusters: 12 tasks, each on its own"
    assert one.headline == "One cluster of 12 tasks"
    strengths = visit("memberships", "one strength")
    assert len(strengths.figures) == 1
    assert titles(strengths)[0].startswith("Strengths from")


def test_without_clusters_pages_do_not_speak_of_them() -> None:
    assert visit("outliers", "alone").figures == []
    convergence = visit("convergence", "alone")
    assert convergence.figures == []
    assert convergence.headline.startswith("Every task was fitted on its own")
    similarity = visit("similarity", "alone")
    assert titles(similarity) == ["Similarity: no clusters, no blocks"]
    assert "Purity is not drawn" in sentences(similarity.markdown)
    coefficients = visit("coefficients", "alone")
    assert coefficients.button_group[0].options == ["Values", "Zeros"]
    assert coefficients.headline.endswith("are used by at least one task")
    assert len(coefficients.dataframe[0].value) == 15


@pytest.mark.parametrize("view", ["Objective", "Replay", "What moved", "Seconds"])
@pytest.mark.parametrize("kind", ["one", "cone", "span", "robust cone"])
def test_every_view_of_the_iterations_is_drawn(view: str, kind: str) -> None:
    app = visit("convergence", kind)
    app.segmented_control(key="convergence.view").set_value(view).run()
    (figure,) = app.figures
    assert figure["data"]


def test_coefficients_come_whole_and_in_parts() -> None:
    app, model = visit("coefficients", "own"), model_of("own")
    parts = {
        "Sum": model.coef_,
        "Shared": model.loadings_ @ model.cluster_coef_,
        "Own": model.own_coef_,
    }
    for part, W in parts.items():
        app.segmented_control(key="coefficients.part").set_value(part).run()
        (figure,) = app.figures
        drawn = trace(figure, "Estimated")["z"]
        total = np.abs(numbers(drawn)).sum()
        assert total == pytest.approx(np.abs(W).sum())
    assert "coefficients.part" not in visit("coefficients", "cone").session_state


def test_a_task_without_clusters_is_fitted_alone() -> None:
    app = visit("new_tasks", "alone")
    assert app.figures == []
    assert "fitted alone" in app.headline
    assert list(app.dataframe[0].value.columns) == ["task", "loss on these rows"]


def test_a_new_task_has_a_strength() -> None:
    app, model, data = visit("new_tasks", "cone"), model_of("cone"), result_of("cone").data
    own = data.train.tasks == "t01"
    found = model.assign(data.train.X[own], data.train.y[own], data.train.tasks[own])
    strength = np.abs(found.loadings).sum()
    assert f"at strength {strength:.3g}" in app.headline
    star = trace(app.figures[0], "new tasks")
    np.testing.assert_allclose(numbers(star["marker"]["size"]), [20 * np.sqrt(strength)])
    assert app.dataframe[0].value["strength"][0] == pytest.approx(strength)


def test_a_new_task_of_signed_patterns_is_a_bar() -> None:
    app, model, data = visit("new_tasks", "span"), model_of("span"), result_of("span").data
    own = data.train.tasks == "t01"
    found = model.assign(data.train.X[own], data.train.y[own], data.train.tasks[own])
    drawn = np.concatenate([numbers(bar["y"]) for bar in app.figures[0]["data"]])
    np.testing.assert_allclose(drawn, found.loadings[0])
    app.session.picked = frozenset({5})  # of the fitted tasks, of which none is drawn
    assert not [bar for bar in app.run().figures[0]["data"] if "opacity" in bar["marker"]]


@pytest.mark.parametrize("kind", ["alone", "one", "cone", "span", "own"])
def test_a_task_of_a_simulation_is_drawn_and_met(kind: str) -> None:
    data = data_of(DATA)
    options = {"cv": 3, "random_state": 0, **KINDS[kind]}
    model = STCMTLRegressor(**options).fit(data.train.X, data.train.y, data.train.tasks)
    app = Visit("new_tasks", DATA).show(Fitted(THREE, data, model, 1.0, None, None))
    assert "New task" in app.headline
    assert len(app.figures) == (kind not in ("alone", "one"))
    app.go("memberships")
    simplex = [f for f in app.figures if any(t["name"] == "true places" for t in f["data"])]
    assert len(simplex) == (kind in ("cone", "own"))


def test_a_new_task_with_a_part_of_its_own_says_so() -> None:
    app = visit("new_tasks", "own")
    assert app.headline.endswith("and a part of its own")
    assert "With a part of its own it has a loss" in sentences(app.markdown)
