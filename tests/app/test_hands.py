"""The path, links and session files: what one did is what one finds again."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from stcmtl.progress import drain
from stcmtl.studio.state import loading, saved
from stcmtl.studio.state.choices import CHOSEN, UPLOAD, DataChoice
from stcmtl.studio.state.keeping import can_be_given
from stcmtl.studio.state.loading import load
from stcmtl.studio.state.session import FIRST_PICTURE, KEY, Session, parse_places
from stcmtl.studio.state.uploads import LIMITS
from stcmtl.studio.work import comparing, fits, trust
from tests.app.states import (
    APP,
    CLASSIFIED,
    DATA,
    FITTED,
    LABELS,
    THREE,
    TINY,
    Visit,
    data_of,
    fit_of,
    sentences,
)
from tests.stores import make_stores


def next_of(app: Visit) -> str:
    return str(
        next(link.proto.label for link in app.get("page_link") if "Next" in link.proto.label)
    )


def test_every_page_of_the_path_ends_in_the_next() -> None:
    app = Visit("data", FITTED)
    assert next_of(app) == "**Next: how many clusters**"
    assert next_of(app.go("choose_k")) == "**Next: fit**"
    assert next_of(app.go("fit")) == "**Next: read the result**"
    app.switch_page(FIRST_PICTURE).run()
    assert next_of(app) == "**Next: take the report with you**"


@pytest.mark.usefixtures("patient")
def test_without_a_result_next_runs_the_fit_and_leads_to_its_picture() -> None:
    app = Visit("fit", DATA)
    app.button(key="next.run").click().run()
    assert app.session.fitted is not None
    assert next_of(app) == "**Next: take the report with you**"


def test_a_fresh_upload_is_fitted_as_the_data_speak_for() -> None:
    app = Visit("data")
    app.session_state["data.tab"] = "Upload"
    app.run().upload("data.files", make_stores(1).frame, "stores.csv")
    assert app.session.fit_choice.model == CHOSEN
    assert len(app.session.data.train) == 30


def every_control(given: dict[str, object]) -> None:
    """A page with controls and all that are not, at what one recalls."""
    import streamlit as st

    st.session_state.update(given)
    st.file_uploader("Files", accept_multiple_files=True, key="files")
    st.file_uploader("File", key="file")
    st.button("Run", key="run")
    st.download_button("Table", "a", key="table")
    st.data_editor({"a": [1]}, key="cells")
    st.text_input("Name", "none", key="name")
    st.number_input("K", 0, 9, 3, key="k")
    st.multiselect("Columns", ["a", "b"], ["b"], key="columns")


def test_after_a_refresh_controls_say_what_they_said_and_nothing_else_is_recalled() -> None:
    app = AppTest.from_function(every_control, kwargs={"given": {}}).run()
    app.text_input[0].set_value("North")
    app.multiselect[0].set_value(["a"])
    app.number_input[0].set_value(4).run()
    said = {key: app.session_state[key] for key in ("files", "file", "run", "table", "cells")}
    controls = {key: app.session_state[key] for key in ("name", "k", "columns")}
    assert said["files"] == []
    given = {key: value for key, value in (said | controls).items() if can_be_given(value)}
    assert given == {"name": "North", "k": 4, "columns": ["a"]}
    after = AppTest.from_function(every_control, kwargs={"given": given}).run()
    assert not after.exception
    assert after.text_input[0].value == "North"
    assert AppTest.from_function(every_control, kwargs={"given": {"files": []}}).run().exception


def test_the_link_tells_what_is_shown_and_not_what_was_changed_since() -> None:
    app = Visit("fit", FITTED)
    app.number_input[0].set_value(7).run()
    assert app.session.is_stale
    assert app.session.query()["k"] == "3"


def test_the_link_tells_picks_and_views_and_leads_to_them() -> None:
    app = Visit("coefficients", FITTED)
    app.session.picked = frozenset({2, 11})
    app.button_group[0].set_value("Zeros").run()
    (switch,) = (toggle for toggle in app.toggle if toggle.label == "Only features in use")
    switch.set_value(False).run()
    query = app.session.query()
    assert query["picked"] == "2,11"
    assert query["coefficients.only"] == "False"
    session = Session()
    session.follow_link(query)
    assert session.job is None or session.job.wait(60)
    session.collect()
    assert session.query() == query
    other = Visit("coefficients")
    other.session_state[KEY] = session
    other.run()
    assert other.button_group[0].value == "Zeros"
    assert not next(one for one in other.toggle if one.label == "Only features in use").value
    assert "task03 and task12" in sentences(other.markdown)


@pytest.mark.parametrize("text", ["", "x", "-1", "99", "1e3", "²", "1" * 5000])
def test_picks_that_make_no_sense_are_none(text: str) -> None:
    assert parse_places(text, 18) == frozenset()


def test_a_view_that_makes_no_sense_is_the_first() -> None:
    app = Visit("coefficients", FITTED)
    app.session.views = {"coefficients.tasks": "nonsense", "coefficients.only": "?"}
    app.go("similarity").go("coefficients")
    assert "nonsense" not in app.session.query().values()


def test_an_address_whose_upload_is_gone_says_so() -> None:
    app = AppTest(APP, default_timeout=60)
    app.query_params["session"] = "gone"
    app.run()
    assert "is not kept any more" in app.error[0].value
    assert "open a session" in app.error[0].value


def full_session(state: str) -> Session:
    session = Session(
        data=data_of(state),
        data_choice=TINY if state == FITTED else LABELS.with_values(source=UPLOAD),
        fit_choice=THREE.with_values(k=4),
        fitted=fit_of(state),
        curve=drain(fits.curve_steps(data_of(state), THREE.with_values(k=1))),
        picked=frozenset({1, 5}),
        views={"coefficients.tasks": "original"},
    )
    session.name_clusters(["North", "", "South"])
    return session


@pytest.mark.parametrize("state", [FITTED, CLASSIFIED])
def test_a_reopened_session_shows_the_same_without_a_fit(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = full_session(state)
    data = saved.pack_session(session)
    monkeypatch.setattr(fits, "fit_steps", None)
    found = saved.unpack_session("kept.zip", data)
    assert found.query() == session.query()
    assert (found.fit_choice, found.shown) == (session.fit_choice, session.shown)
    assert (found.picked, found.views) == (session.picked, session.views)
    assert found.fitted is not None
    assert session.fitted is not None
    assert list(found.fitted.model.cluster_names_) == ["North", "cluster 2", "South"]
    np.testing.assert_array_equal(found.fitted.model.coef_, session.fitted.model.coef_)
    assert saved.numbers_of(found.fitted) == saved.numbers_of(session.fitted)
    assert found.curve is not None
    assert session.curve is not None
    np.testing.assert_array_equal(found.curve.path.error, session.curve.path.error)
    pages = []
    for one in (session, found):
        app = Visit("memberships")
        app.session_state[KEY] = one
        one.has_followed_link = True
        pages.append(app.run().figures)
    assert pages[0] == pages[1]


def test_a_reopened_upload_reads_further_files_as_the_first() -> None:
    """Dates and texts of new rows become the features that they became in the fit."""
    table = make_stores(3).frame
    app = Visit("data", tab="upload").upload("data.files", table, "stores.csv")
    app.show(drain(fits.fit_steps(app.session.data, THREE)))
    data = saved.pack_session(app.session)
    app.session_state[KEY] = saved.unpack_session("kept.zip", data)
    app.go("new_tasks")
    app.get("button_group")[0].set_value("Upload tasks").run()
    some = table[table["store"] == table["store"].iloc[0]].assign(store="Neustadt").head(9)
    app.upload("new.tasks", some, "new.csv")
    assert not app.error
    assert app.headline.startswith("Neustadt")


def test_what_was_compared_is_in_the_file() -> None:
    session = full_session(FITTED)
    loaded = data_of(FITTED)
    outcomes = drain(
        comparing.compare_steps("Pooled", comparing.repeats(loaded), 2, 3, 0, standardize="auto")
    )
    settings = comparing.Settings("Pooled", None, 0, "auto")
    session.compared = {"Pooled": (settings, outcomes)}
    found = saved.unpack_session("kept.zip", saved.pack_session(session))
    assert found.compared["Pooled"][0] == settings
    assert [o.error for o in found.compared["Pooled"][1]] == [o.error for o in outcomes]


@pytest.mark.parametrize(
    ("state", "other"), [(FITTED, TINY.with_values(draw=7)), (CLASSIFIED, None)]
)
def test_resamples_and_the_kept_fit_are_in_the_file(state: str, other: DataChoice | None) -> None:
    """Also where they are of an earlier fit, or of other rows of the same tasks."""
    session = full_session(state)
    earlier = fit_of(state, k=2)
    session.kept_fit = earlier if other is None else drain(fits.fit_steps(load(other), THREE))
    examined = earlier if other is None else fit_of(state)
    session.trust = drain(trust.trust_steps(examined, 10, 0.8))
    session.views["compare.look"] = "Two fits"
    found = saved.unpack_session("kept.zip", saved.pack_session(session))
    assert found.trust is not None
    assert found.fitted is not None
    assert found.trust.is_of(found.fitted) == (other is not None)
    assert found.kept_fit is not None
    assert (found.kept_fit.data is found.data) == (other is None)
    seen = []
    for one in (session, found):
        one.has_followed_link = True
        app = Visit("trust")
        app.session_state[KEY] = one
        seen.append([(app.run().headline, app.figures), (app.go("compare").headline, app.figures)])
    assert seen[0] == seen[1]
    assert seen[0][0][1]
    assert seen[0][1][1]


def test_a_model_of_other_tasks_is_refused() -> None:
    session = full_session(FITTED)
    session.data_choice = TINY.with_values(tasks=17)
    with pytest.raises(ValueError, match="not of its tasks"):
        saved.unpack_session("kept.zip", saved.pack_session(session))


def test_a_file_never_reaches_what_others_see() -> None:
    """Tasks that claim to be an example, and are others, stay in the session."""
    session = full_session(CLASSIFIED)
    session.data_choice = TINY.with_values(source="example", example="digits")
    found = saved.unpack_session("kept.zip", saved.pack_session(session))
    assert found.data is not None
    assert found.data.private
    assert found.data_choice.source == UPLOAD
    assert found.store is found.private_store


def test_the_session_tab_saves_and_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Visit("data")
    app.session_state["data.tab"] = "Session"
    app.run()
    content = saved.pack_session(full_session(FITTED))
    app.file_uploader(key="session.file").set_value(("kept.zip", content, "application/zip")).run()
    assert app.session.fitted.model.memberships_.shape == (18, 3)
    assert app.headline.startswith("3 clusters, ")
    app.go("data")
    app.session_state["data.tab"] = "Session"
    app.run()
    bad = ("bad.zip", content[:999], "application/zip")
    app.file_uploader(key="session.file").set_value(bad).run()
    assert "bad.zip is damaged or is not a session" in app.error[0].value
    assert app.session.fitted is not None


def test_cards_say_what_is_not_here_before_they_are_clicked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("STCMTL_DATA", str(tmp_path))
    app = Visit("data")
    app.session_state["data.tab"] = "Examples"
    app.run()
    said = sentences(app.markdown)
    assert "Not here: put school.mat in the folder that STCMTL_DATA names." in said
    assert said.count("Not here: OpenML will be asked") == 3
    assert loading.find_absence(TINY) == ""
    assert "Not here" not in sentences(Visit("home").markdown)


def test_limits_of_the_server_hold_for_sessions_too() -> None:
    assert LIMITS.bytes_unpacked >= saved.MAX_BYTES


def test_a_report_is_handed_what_the_page_has_read() -> None:
    """Downloads are made in a thread that has no session."""
    app = Visit("report", FITTED)
    app.session.curve = full_session(FITTED).curve
    loaded = data_of(FITTED)
    outcomes = [
        drain(comparing.compare_steps(m, comparing.repeats(loaded), 2, 3, 0, standardize="auto"))
        for m in ("Pooled", "LASSO")
    ]
    app.session.compared = {
        m: (comparing.Settings(m, None, 0, "auto"), some)
        for m, some in zip(("Pooled", "LASSO"), outcomes, strict=True)
    }
    app.run()
    inside = sentences(app.markdown)
    assert "How many clusters" in inside
    assert "Compared with other methods" in inside
