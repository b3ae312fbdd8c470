"""What asks too much is told in one sentence, and never begun; nobody sees what is another's."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from stcmtl.studio import limits
from stcmtl.studio.limits import Limits
from stcmtl.studio.state.session import KEY
from stcmtl.studio.work import comparing
from tests.app.states import APP, DATA, FITTED, Visit, sentences
from tests.app.test_uploads import schools

SECRET = "Zanzibar"
PAGES = ("home", "learn", "data", "choose_k", "fit", "overview", "coefficients", "memberships")


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may take any time."""
    monkeypatch.setattr(limits, "LIMITS", Limits(seconds=1e-9))


def follow(query: dict[str, str]) -> AppTest:
    """A link, in a browser of one's own."""
    app = AppTest(APP, default_timeout=60)
    app.query_params.update(query)
    return app.run()


def refused(app: AppTest) -> str:
    session = app.session_state[KEY]
    assert (session.job, session.trials) == (None, {})
    assert len(app.error) == 1
    said = sentences(app.error)
    assert "would take about" in said
    assert "is the limit here" in said
    return said


@pytest.mark.usefixtures("strict")
def test_a_link_that_asks_too_much_is_not_followed_by_a_fit() -> None:
    app = follow({"data": "simulated", "run": "1", "tasks": "40", "draw": "77"})
    assert refused(app).startswith("A fit of 40 tasks with 0.8 million cells would")
    assert app.session_state[KEY].data is not None


@pytest.mark.usefixtures("strict")
def test_forms_that_ask_too_much_begin_nothing_and_keep_the_last_result() -> None:
    app = Visit("fit", FITTED)
    shown = app.session.fitted
    app.number_input(key="FitChoice.seed").set_value(4321).run()
    app.button(key="fit.run").click().run()
    assert "command line" in refused(app)
    assert app.session.fitted is shown
    app.go("trust")
    app.button(key="trust.run").click().run()
    assert refused(app).startswith("50 resamples of 18 tasks")
    app.go("compare")
    app.session.error = None
    app.button(key="compare.run").click().run()
    assert "take fewer methods, repetitions or rows" in refused(app)


def test_what_the_data_spoke_for_is_part_of_the_key() -> None:
    app = Visit("compare", DATA)
    loaded = app.session.data
    assert loaded is not None
    settings = comparing.Settings("STCMTL refined", comparing.SPOKEN, 0, "auto")
    keys = {
        comparing.Request(settings, 1, loaded, app.session.store, spoken).key(0)
        for spoken in (None, 2, 3)
    }
    assert len(keys) == 3


def all_that_is_sent(app: AppTest) -> str:
    """Every element on the page and in the sidebar, as it goes to the browser."""
    found: list[str] = [str(app.query_params)]

    def look(node: Any) -> None:
        found.append(str(getattr(node, "proto", "")))
        for child in getattr(node, "children", {}).values():
            look(child)

    look(app._tree)
    return "\n".join(found)


def test_what_is_one_visitors_own_is_nowhere_on_the_pages_of_another() -> None:
    frame = schools().replace("north", SECRET).rename(columns={"hours": f"{SECRET} hours"})
    mine = Visit("data", tab="upload").upload("data.files", frame, f"{SECRET}.csv")
    assert SECRET in all_that_is_sent(mine)
    yours = Visit("data", FITTED)
    for page in PAGES:
        assert SECRET not in all_that_is_sent(yours.go(page))
    # nothing in the link refers to the upload but a token, and that opens it to nobody else
    assert set(mine.query_params) <= {"session", "tab"}
    assert SECRET not in str(mine.query_params)
    other = follow({key: "".join(value) for key, value in mine.query_params.items()})
    assert SECRET not in all_that_is_sent(other)
