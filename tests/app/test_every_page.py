"""Every page in every state: it opens, and says what to do first."""

import pytest

from tests.app.states import APP, DATA, EMPTY, STATES, Visit

PAGES = sorted(path.stem for path in (APP.parent / "pages").glob("*.py"))
NEED_NOTHING = ["data", "home", "learn", "paper"]
NEED_DATA = ["choose_k", "compare", "fit"]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("page", PAGES)
def test_it_opens_or_invites(page: str, state: str) -> None:
    app = Visit(page, state)
    needs_data = page not in NEED_NOTHING
    needs_fit = needs_data and page not in NEED_DATA
    assert app.headline
    assert [info.value for info in app.info] == (
        ["There are no tasks yet."] if needs_data and state == EMPTY
        else ["These tasks have not been fitted yet."] if needs_fit and state == DATA
        else []
    )  # fmt: skip
    assert ("page.run" in [b.key for b in app.button]) == (needs_fit and state == DATA)
