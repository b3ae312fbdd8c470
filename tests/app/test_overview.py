"""The Overview: every kind of fit on one page, names to be typed, cards of tasks."""

from dataclasses import replace

import numpy as np
import pytest

from stcmtl.progress import drain
from stcmtl.studio.state.choices import CHOSEN
from stcmtl.studio.state.session import FIRST_PICTURE, KEY
from stcmtl.studio.words import findings
from stcmtl.studio.work.trust import trust_steps
from tests.app.states import CLASSIFIED, DATA, FITTED, Visit, fit_of, sentences
from tests.stores import DRIVERS, make_stores

PAGE = "overview"
KINDS = [
    {"k": 0}, {"k": 1}, {"k": 1, "shape": "cone"}, {"shape": "span"}, {"shape": "cone"},
    {"own": "deviation"}, {"k": 4}, {"method": "robust"},
]  # fmt: skip


def test_a_preset_lands_here() -> None:
    assert f"pages/{PAGE}.py" == FIRST_PICTURE


def test_it_has_a_small_view_of_everything() -> None:
    visit = Visit(PAGE, FITTED)
    assert len(visit.figures) == 4
    errors = visit.figures[2]["data"][0]
    result = fit_of(FITTED)
    assert errors["y"] == ["clusters", "separate fits", "one fit for all"]
    assert result.pooled_error is not None
    assert result.error is not None
    assert result.pooled_error > result.error  # three planted clusters are no single one
    assert "Who is alike, and why" in sentences(visit.header)
    assert findings.prediction(result) in sentences(visit.caption)


def test_where_clusters_do_not_help_no_feature_is_a_clusters_own() -> None:
    result = fit_of(FITTED)
    assert result.error is not None
    worse = replace(result, pooled_error=0.9 * result.error)  # one fit for all does better
    visit = Visit(PAGE, DATA).show(result)
    assert "| Its own |" in sentences(visit.markdown)
    visit.show(worse)
    assert findings.no_help(worse) in sentences(visit.warning)
    assert "| Its own |" not in sentences(visit.markdown)
    assert findings.prediction(worse) not in sentences(visit.caption)


def test_doubts_tell_what_the_banner_and_resamples_say() -> None:
    result = fit_of(FITTED)
    assert result.error is not None
    visit = Visit(PAGE, FITTED)
    assert "On test rows" not in sentences(visit.markdown)
    examined = drain(trust_steps(result, 10, 0.8))
    kept = np.where(np.arange(len(examined.found.kept)) < 2, 0.5, 1.0)
    visit.session_state[KEY].trust = replace(examined, found=replace(examined.found, kept=kept))
    visit.run()
    assert "By resamples 2 of 18 tasks may belong elsewhere." in sentences(visit.markdown)
    visit.show(replace(result, pooled_error=0.9 * result.error))
    assert "On test rows the clusters do not help." in sentences(visit.markdown)
    assert "As these 3 clusters do not help, tasks" in sentences(visit.markdown)


@pytest.mark.parametrize(
    ("values", "title", "name"),
    [
        ({"k": 0}, "How alike tasks are on their own", "similarity"),
        ({"k": 1}, "How alike tasks are on their own", "similarity"),
        ({"k": 1, "own": "deviation"}, "What is their own", "own share"),
    ],
)
def test_where_there_is_nothing_to_place_tasks_are_told_apart(
    values: dict, title: str, name: str
) -> None:
    result = fit_of(FITTED, **values)
    visit = Visit(PAGE, DATA).show(result)
    assert visit.figures[0]["data"][0]["name"] == name
    assert (findings.no_places(result) in sentences(visit.caption)) == bool(values["k"])
    assert any(title in link.proto.label for link in visit.get("page_link"))


@pytest.mark.parametrize("values", KINDS, ids=str)
def test_every_kind_of_fit_reads_well(values: dict) -> None:
    result = fit_of(FITTED, **values)
    visit = Visit(PAGE, DATA).show(result)
    K = len(result.model.cluster_coef_)
    assert len(visit.text_input) == K  # a name for each
    assert (findings.who_is_alike(result) in sentences(visit.header)) == (K > 0)
    assert "nan" not in sentences(visit.markdown)
    for task in (0, 15):
        visit.selectbox[0].set_value(task).run()
        assert "**Rows**, all 80" in sentences(visit.markdown)
        assert ("of its clusters beside" in sentences(visit.markdown)) == (K > 0)


def test_tasks_with_labels_have_cards_too() -> None:
    visit = Visit(PAGE, CLASSIFIED)
    assert "Error rate" in sentences(visit.markdown)
    visit.selectbox[0].set_value(3).run()
    assert "On 20 rows the fit has not seen: error rate" in sentences(visit.markdown)


def test_a_name_that_is_typed_is_everywhere_at_once() -> None:
    visit = Visit(PAGE, FITTED)
    visit.text_input[1].set_value("coast").run()
    assert "coast: " in sentences(visit.markdown)
    assert visit.session.query()["names"] == ",coast,"
    assert any("coast" in str(figure) for figure in visit.go("memberships").figures)
    assert visit.go(PAGE).text_input[1].value == "coast"


def test_a_name_that_is_taken_is_refused_in_a_sentence() -> None:
    visit = Visit(PAGE, FITTED)
    visit.text_input[0].set_value("coast").run()
    visit.text_input[1].set_value("Coast").run()
    assert "give each cluster a name of its own" in sentences(visit.error)
    assert [field.value for field in visit.text_input] == ["coast", "", ""]
    visit.run()
    assert not visit.error


def test_a_cluster_card_picks_its_tasks() -> None:
    visit = Visit(PAGE, FITTED)
    visit.button(key="overview.pick.1").click().run()
    labels = fit_of(FITTED).model.labels_
    assert visit.session.picked == frozenset(np.flatnonzero(labels == 1).tolist())


@pytest.mark.parametrize("page", [PAGE, "memberships", "similarity", "coefficients", "outliers"])
def test_one_picked_task_can_be_opened_on_any_page(page: str) -> None:
    visit = Visit("home", FITTED)
    visit.session.picked = frozenset({4})
    visit.go(page)
    visit.button(key="page.card").click().run()
    assert "Most like it" in sentences(visit.markdown)
    visit.session.picked = frozenset({4, 5})
    visit.run()
    visit.button(key="page.card.5").click().run()
    assert "Most like it" in sentences(visit.markdown)
    visit.session.picked = frozenset(range(9))
    visit.run()
    assert not [button.key for button in visit.button if "page.card" in str(button.key)]


def test_an_analyst_finds_groups_and_drivers_without_changing_a_setting() -> None:
    visit, stores = Visit("data", tab="upload"), make_stores(5)
    visit.upload("data.files", stores.frame, "stores.csv")
    assert visit.session.fit_choice.model == CHOSEN
    visit.go("fit").button(key="fit.run").click().run()
    while visit.session.fitted is None:
        visit.session.collect()
    visit.go(PAGE)
    said = [line for line in sentences(visit.markdown).splitlines() if "Its own:" in line]
    for group, drivers in zip(stores.groups, DRIVERS.values(), strict=True):
        (line,) = (one for one in said if all(d in one.split("Its own:")[1] for d in drivers))
        named = {name for name in stores.shares if name in line.split("Driven by")[0]}
        assert len(named & group) >= 5
        assert not named & set.union(*stores.groups) - group
