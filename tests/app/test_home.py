"""Home: what it says, and a preset from click to result."""

from __future__ import annotations

import pytest

from stcmtl.studio.state.presets import PRESETS
from stcmtl.studio.widgets import progress
from tests.app.states import STATES, figures, numbers, opened, session_of, title, trace


@pytest.mark.parametrize("state", STATES)
def test_three_ways_in_whatever_is_in_hand(state: str) -> None:
    app = opened("home", state)
    assert title(app) == "See how your prediction tasks cluster"
    assert [b.key for b in app.button if b.key.startswith("preset.")] == [
        f"preset.{name}" for name in PRESETS
    ]
    links = {link.proto.label: link.proto.query_string for link in app.get("page_link")}
    assert links == {"Upload a file": "tab=upload", "Simulate tasks": "tab=simulate"}


def test_the_drawing_is_there_and_described() -> None:
    (picture,) = opened("home").get("image")
    assert "Mixed tasks lie between the corners" in picture.proto.imgs[0].alt


def test_a_preset_is_one_click_to_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SOON", 60.0)
    app = opened("home")
    app.button(key="preset.tiny").click().run()
    assert not app.exception
    assert session_of(app).data_choice == PRESETS["tiny"].data
    model = session_of(app).fitted.model
    assert model.memberships_.shape == (18, 3)
    assert title(app).startswith("3 clusters, 14 pure tasks, 4 mixed: all 18 as simulated")
    assert sorted(numbers(trace(figures(app)[0], "tasks")["customdata"])) == list(range(18))
