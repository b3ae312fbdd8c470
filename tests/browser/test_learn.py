"""Learn and the replay by hand: a click places a task, arrow keys step, the link leads back."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from stcmtl.studio.widgets.replay import HEIGHT
from tests.browser.steps import (
    box_of,
    go_to,
    headline,
    no_fault,
    open_preset,
    violations,
    wait_for_chart,
    wait_until_ready,
)

# Where on the screen the place of pattern 1 alone is.
FIRST_CORNER = """() => {
  const plot = document.querySelector(".js-plotly-plot"), { x, y } = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  return [x + xaxis._offset + xaxis.c2p(0), y + yaxis._offset + yaxis.c2p(1)];
}"""


def test_six_scenes_by_their_links_and_a_click_that_places_a_task(page: Page) -> None:
    go_to(page, "learn")
    wait_for_chart(page)
    titles = []
    for number in range(1, 7):
        page.wait_for_url(re.compile(f"scene={number}"))
        wait_for_chart(page)
        titles.append(headline(page).inner_text())
        no_fault(page)
        assert not violations(page)
        if number < 6:
            page.get_by_role("button", name="Next").click()
    assert len(set(titles)) == 6
    page.goto(page.url.replace("scene=6", "scene=2"))
    wait_for_chart(page)
    expect(headline(page)).to_have_text(titles[1])
    words = page.locator(".st-key-learn-words")
    expect(words).to_contain_text("60% pattern 1 and 40% pattern 2, a mixed task")
    box = box_of(page.locator(".js-plotly-plot .nsewdrag").first)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(words).to_contain_text(re.compile("% pattern 1, .* pattern 2 and .* pattern 3, a mixed"))
    wait_for_chart(page)  # which is drawn anew
    page.mouse.click(*page.evaluate(FIRST_CORNER))  # among the pure tasks
    expect(words).to_contain_text("all pattern 1, a pure task")
    go_to(page, "data")
    wait_until_ready(page)
    assert "scene" not in page.url


def test_the_replay_steps_by_arrow_keys_plays_and_is_a_file(
    page: Page, chromium: Browser, tmp_path: Path
) -> None:
    open_preset(page, "tiny")
    go_to(page, "convergence")
    wait_for_chart(page)
    assert not violations(page)
    film = page.frame_locator("iframe[title^=Replay]")
    words, slider = film.locator("#words"), film.get_by_role("slider")
    slider.press("Home")
    expect(words).to_have_text("Iteration 0: every task fitted alone")
    slider.press("ArrowRight")
    expect(words).to_have_text("Iteration 1, V: memberships from similarity")
    film.get_by_role("button", name="One step on").press("ArrowRight")  # keys work anywhere in it
    expect(words).to_have_text(re.compile("^Iteration 1, U:"))
    film.get_by_role("button", name="One step back").click()
    expect(words).to_have_text(re.compile("^Iteration 1, V:"))
    film.get_by_role("button", name="Play").click()
    expect(words).to_have_text(re.compile("^Iteration 1, W:"))
    with page.expect_download() as saved:
        page.get_by_role("button", name="For slides").click()
    file = tmp_path / "replay.html"
    saved.value.save_as(file)
    slide = chromium.new_page(color_scheme="dark")
    slide.goto(file.as_uri())
    expect(headline(slide)).to_have_text("How Simulated tasks were fitted")
    expect(slide.locator("#words")).to_have_text("Iteration 0: every task fitted alone")
    slide.keyboard.press("End")
    slide.keyboard.press("ArrowLeft")
    expect(slide.locator("#words")).to_have_text(re.compile("U: patterns again"))
    assert not violations(slide)
    # nothing is cut in the frame on its page, whatever its width
    for width in (1024, 390):
        slide.set_viewport_size({"width": width, "height": HEIGHT})
        assert slide.evaluate("document.documentElement.scrollHeight") <= HEIGHT
    slide.close()
