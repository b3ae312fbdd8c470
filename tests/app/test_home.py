"""Home: what it says, and a preset from click to result."""

import pytest

from stcmtl.studio.state.choices import PRESETS
from tests.app.states import Visit, numbers, trace


def test_three_ways_in() -> None:
    app = Visit("home")
    assert app.headline == "See how your prediction tasks cluster"
    assert [b.key for b in app.button if b.key.startswith("preset.")] == [
        f"preset.{name}" for name in PRESETS
    ]
    links = {link.proto.label: link.proto.query_string for link in app.get("page_link")}
    assert links == {
        "Upload a file": "tab=upload",
        "Simulate tasks": "tab=simulate",
        "Reopen a session": "tab=session",
    }


def test_the_drawing_is_there_and_described() -> None:
    (picture,) = Visit("home").get("image")
    assert "Mixed tasks lie between the corners" in picture.proto.imgs[0].alt


@pytest.mark.usefixtures("patient")
def test_a_preset_is_one_click_to_its_picture() -> None:
    app = Visit("home")
    app.button(key="preset.tiny").click().run()
    assert app.session.data_choice == PRESETS["tiny"].data
    model = app.session.fitted.model
    assert model.memberships_.shape == (18, 3)
    assert app.headline.startswith("3 clusters, 14 pure tasks, 4 mixed: all 18 placed as simulated")
    assert sorted(numbers(trace(app.figures[0], "tasks")["customdata"])) == list(range(18))
