"""The Simulate page as a person meets it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

SECONDS = 1000
READY = (
    "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
)


def wait_for_charts(page: Page) -> None:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=120 * SECONDS)
    expect(page.locator(READY)).to_be_attached(timeout=120 * SECONDS)


def headline(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def choose(page: Page, key: str, option: str) -> None:
    page.locator(f".st-key-{key} input").click()
    page.get_by_role("option", name=option, exact=True).click()


def test_opens_with_a_result_and_two_panels(page: Page) -> None:
    wait_for_charts(page)
    expect(headline(page)).to_have_text(
        re.compile(r"5 clusters, \d+ pure tasks, \d+ mixed: .+ as simulated")
    )
    figure = page.locator(".st-key-coefficients")
    expect(figure).to_contain_text("of zeros and non-zeros match")
    expect(figure.locator(".heatmaplayer image")).to_have_count(2)


def test_a_changed_control_changes_the_result(page: Page) -> None:
    wait_for_charts(page)
    choose(page, "n_features", "100")
    page.locator(".st-key-n_clusters input").fill("3")
    page.get_by_role("button", name="Run").click()
    expect(headline(page)).to_have_text(re.compile(r"^3 "), timeout=120 * SECONDS)
    expect(page.get_by_text(re.compile(r"60 simulated tasks × 100 features"))).to_be_visible()


def test_a_mistake_is_one_sentence_above_the_last_good_result(page: Page) -> None:
    wait_for_charts(page)
    before = headline(page).inner_text()
    choose(page, "n_features", "50")
    page.locator(".st-key-n_clusters input").fill("10")
    page.get_by_role("button", name="Run").click()
    alert = page.get_by_role("alert")
    expect(alert).to_have_text(re.compile("10 clusters need at least 55 features, not 50."))
    expect(headline(page)).to_have_text(before)
    assert "Traceback" not in page.locator("body").inner_text()


@pytest.mark.parametrize(
    "page",
    [
        pytest.param({"color_scheme": "dark"}, id="dark"),
        pytest.param({"color_scheme": "light"}, id="light"),
    ],
    indirect=True,
)
def test_text_stands_out_from_the_page(page: Page) -> None:
    wait_for_charts(page)
    colours = page.evaluate(
        """() => {
            const style = element => getComputedStyle(document.querySelector(element));
            return [style("[data-testid=stApp]").backgroundColor, style("h1").color,
                    style("[data-testid=stPlotlyChart] .xtick text").fill];
        }"""
    )
    background, heading, tick = (lightness(colour) for colour in colours)
    assert contrast(heading, background) > 7
    assert contrast(tick, background) > 3  # Streamlit's own grey for axes


def test_a_narrow_screen_needs_no_sideways_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_charts(page)
    expect(headline(page)).to_be_in_viewport()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


def lightness(colour: str) -> float:
    """Relative luminance of an `rgb(...)` colour, as the accessibility guidelines define it."""
    channels = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: float, other: float) -> float:
    darker, lighter = sorted([one, other])
    return (lighter + 0.05) / (darker + 0.05)
