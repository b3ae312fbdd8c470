"""The replay for slides: it opens at the start, and keys move it wherever the focus is."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from stcmtl import figures
from stcmtl.report import replay_html
from tests.unit.figures.histories import HISTORY


def test_keys_move_the_film_without_a_click(chromium: Browser, tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    initial = HISTORY[0].W
    figure = figures.replay(HISTORY, initial, feature_names=["price", "promo", "rain"])
    path.write_text(replay_html(figure), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1024, "height": 700})
    page.goto(path.as_uri())
    words = page.get_by_role("status")
    expect(words).to_have_text("Iteration 0: every task fitted alone")
    for key, frame in (("End", -1), ("Home", 0), ("ArrowRight", 1), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        expect(words).to_have_text(figure.frames[frame].name)
    expect(page.locator("#most")).to_have_text("2")
    expect(page.locator("#least")).to_have_text("−2")
    cells = page.locator("#cells").bounding_box()
    assert cells is not None
    page.keyboard.press("End")
    page.mouse.move(cells["x"] + cells["width"] - 30, cells["y"] + 10)
    expect(page.locator("#tip")).to_contain_text("feature price")
    page.close()
