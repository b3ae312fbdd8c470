"""Back, refresh, two tabs, a link elsewhere, a session file on another server: the same picture.

And an analyst's file from upload to report, with no setting changed.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import OUTPUT, serve
from tests.browser.steps import (
    LONG,
    arrive,
    box_of,
    fitted,
    go_to,
    headline,
    no_fault,
    open_preset,
    wait_for_chart,
    wait_until_ready,
)
from tests.stores import DRIVERS, make_stores

MOST_CLICKS = 8


def picture(page: Page) -> list[object]:
    """All that the charts of a page have drawn, but for ids that are drawn by lot."""
    wait_for_chart(page)
    return read_charts(page)


def shows(page: Page, before: list[object]) -> bool:
    """Whether a page comes to show the same picture; it may be on its way there."""
    for _ in range(50):
        if picture(page) == before:
            return True
        page.wait_for_timeout(200)
    return False


def read_charts(page: Page) -> list[object]:
    drawn: list[object] = page.evaluate(
        """() => [...document.querySelectorAll(".js-plotly-plot")].map(plot =>
            plot.data.map(trace => [trace.name, trace.type,
              ...["x", "y", "z", "customdata"].map(key => JSON.stringify(trace[key]))]))"""
    )
    return drawn


def drop_stores(page: Page, tmp_path: Path, seed: int = 0) -> None:
    path = tmp_path / "stores.csv"
    path.write_bytes(make_stores(seed).csv())
    page.locator(".st-key-data-files input[type=file]").set_input_files(path)
    expect(page.locator(".st-key-status")).to_contain_text("30 tasks", timeout=LONG)
    wait_until_ready(page)


@contextmanager
def another_tab(context: BrowserContext, address: str) -> Iterator[Page]:
    tab = context.new_page()
    try:
        tab.goto(address)
        wait_until_ready(tab)
        yield tab
    finally:
        tab.close()


@contextmanager
def another_browser(chromium: Browser, address: str) -> Iterator[Page]:
    """Which has none of the cookies."""
    context = chromium.new_context(viewport={"width": 1280, "height": 1400})
    try:
        with another_tab(context, address) as tab:
            yield tab
    finally:
        context.close()


def test_back_goes_back_one_page_with_one_press(page: Page) -> None:
    open_preset(page, "tiny")
    first = page.url.partition("?")[0].rpartition("/")[2]
    go_to(page, "coefficients")
    wait_for_chart(page)
    page.get_by_role("radio", name="Zeros").click()
    page.wait_for_url(re.compile("=Zeros"))
    zeros = picture(page)
    go_to(page, "fit")
    page.locator(".st-key-FitChoice-method").get_by_text("paper", exact=True).click()
    expect(page.get_by_text(re.compile("changed since")).first).to_be_visible()
    go_to(page, "similarity")
    wait_for_chart(page)
    for name in ("fit", "coefficients"):
        page.go_back()
        arrive(page, name)
    assert shows(page, zeros)
    page.go_back()
    arrive(page, first)
    page.go_forward()
    arrive(page, "coefficients")
    no_fault(page)


def test_a_link_in_another_browser_shows_what_was_shown(page: Page, chromium: Browser) -> None:
    open_preset(page, "tiny")
    go_to(page, "fit")
    page.locator(".st-key-FitChoice-method").get_by_text("paper", exact=True).click()
    expect(page.get_by_text(re.compile("changed since")).first).to_be_visible()
    go_to(page, "coefficients")
    wait_for_chart(page)
    page.get_by_role("radio", name="Clusters").click()
    page.wait_for_url(re.compile("=Clusters"))
    plot = page.locator(".js-plotly-plot .nsewdrag").first
    plot.click(position={"x": 40, "y": 40})
    expect(page.get_by_text(re.compile("Picked:"))).to_be_visible()
    page.wait_for_url(re.compile("picked="))
    before, picked = picture(page), page.get_by_text(re.compile("Picked:")).inner_text()
    with another_browser(chromium, page.url) as other:
        assert shows(other, before)
        expect(other.get_by_text(re.compile("Picked:"))).to_have_text(picked)
        expect(other.get_by_text(re.compile("changed since"))).to_have_count(0)
        no_fault(other)


def test_an_upload_outlives_a_refresh_and_other_tabs_but_is_for_its_browser_only(
    dashboard: str, chromium: Browser, tmp_path: Path
) -> None:
    with another_browser(chromium, f"{dashboard}/data?tab=upload") as page:
        keep_an_upload(page, chromium, tmp_path)


def keep_an_upload(page: Page, chromium: Browser, tmp_path: Path) -> None:
    drop_stores(page, tmp_path)
    page.locator(".st-key-status-run button").click()
    fitted(page)
    go_to(page, "memberships")
    before, said = picture(page), headline(page).inner_text()
    page.wait_for_url(re.compile("session="))
    assert "data=" not in page.url
    address = page.url
    with another_tab(page.context, address) as tab:
        assert shows(tab, before)
        assert tab.url != address  # it goes its own way from here
    page.reload()
    wait_until_ready(page)
    assert shows(page, before)
    expect(headline(page)).to_have_text(said)
    for name in ("data", "new_tasks"):  # whose uploaders are empty after a refresh
        go_to(page, name)
        title = headline(page).inner_text()
        page.reload()
        arrive(page, name)
        fitted(page)  # the file is read as it was, and the fit stays
        expect(headline(page)).to_have_text(title)
        no_fault(page)
    with another_browser(chromium, address) as stranger:
        expect(stranger.get_by_role("alert").first).to_contain_text("is not kept any more")
        expect(stranger.locator(".st-key-status")).to_contain_text("No tasks yet")
    no_fault(page)


@pytest.mark.parametrize("kind", ["upload", "simulated"])
def test_a_session_file_shows_the_same_on_another_server(
    page: Page, dashboard: str, chromium: Browser, tmp_path: Path, kind: str
) -> None:
    if kind == "upload":
        page.goto(f"{dashboard}/data?tab=upload")
        drop_stores(page, tmp_path, seed=3)
        page.locator(".st-key-status-run button").click()
        fitted(page)
    else:
        open_preset(page, "tiny")
    go_to(page, "coefficients")
    wait_for_chart(page)
    page.get_by_role("radio", name="Zeros").click()
    # while a chart is drawn anew there is none
    page.wait_for_function(
        "document.querySelector('.js-plotly-plot')?.data?.[0].name === 'found'", timeout=LONG
    )
    wait_until_ready(page)
    before, said = picture(page), headline(page).inner_text()
    go_to(page, "report")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save this session").click()
    path = tmp_path / "session.zip"
    waiting.value.save_as(path)
    with serve(f"second-{kind}") as elsewhere:
        other = chromium.new_page(viewport={"width": 1280, "height": 1400})
        other.goto(f"{elsewhere}/data?tab=session")
        other.locator(".st-key-session-file input[type=file]").set_input_files(path)
        fitted(other)
        go_to(other, "coefficients")
        assert shows(other, before)
        expect(headline(other)).to_have_text(said)
        assert "Seconds" not in other.locator("body").inner_text()
        no_fault(other)
        other.close()


def test_status_and_run_are_in_sight_and_cover_no_page(chromium: Browser, dashboard: str) -> None:
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    page.goto(dashboard)
    open_preset(page, "tiny")
    last = page.get_by_test_id("stSidebarNavLink").last
    for width, height in ((1440, 900), (1024, 768), (1280, 720), (1440, 600)):
        page.set_viewport_size({"width": width, "height": height})
        wait_until_ready(page)
        last.scroll_into_view_if_needed()
        link, card = box_of(last), box_of(page.locator(".st-key-status"))
        run = box_of(page.locator(".st-key-status-run button"))
        assert link["y"] + link["height"] <= card["y"]
        assert run["y"] + run["height"] < height
    page.close()


def test_a_control_on_two_pages_stays_as_it_is(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/memberships?data=simulated&tasks=24&clusters=4&features=30&k=4&run=1")
    fitted(page)
    for name in ("new_tasks", "memberships"):
        go_to(page, name)
        expect(page.get_by_role("radio", name="Flat")).to_be_checked(timeout=LONG)


def test_an_analysts_file_from_upload_to_report(
    page: Page, chromium: Browser, dashboard: str, tmp_path: Path
) -> None:
    """Clicks are counted by the browser; no setting is changed."""
    stores = make_stores(7)
    page.context.add_init_script(
        "addEventListener('click', e => e.isTrusted && sessionStorage.setItem('clicks', "
        "1 + +(sessionStorage.getItem('clicks') || 0)), true)"
    )
    page.goto(dashboard)
    page.get_by_role("link", name="Upload a file").click()
    wait_until_ready(page)
    path = tmp_path / "stores.csv"
    path.write_bytes(stores.csv())
    with page.expect_file_chooser() as chooser:
        page.locator(".st-key-data-files [data-testid=stFileUploaderDropzone] button").click()
    chooser.value.set_files(path)
    expect(page.locator(".st-key-status")).to_contain_text("30 tasks", timeout=LONG)
    wait_until_ready(page)
    for name in ("how many clusters", "fit"):
        page.get_by_role("link", name=f"Next: {name}").click()
        wait_until_ready(page)
    page.get_by_role("button", name="Next: run the fit").click()
    page.wait_for_url("**/overview*", timeout=LONG)
    fitted(page)
    wait_for_chart(page)
    page.screenshot(path=OUTPUT / "analyst-overview.png", full_page=True)
    on_overview = page.locator("[data-testid=stMain]").inner_text()
    page.get_by_role("link", name="Next: take the report with you").click()
    wait_until_ready(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the report").click()
    clicks = int(page.evaluate("sessionStorage.getItem('clicks')"))
    assert clicks <= MOST_CLICKS
    report = tmp_path / "report.html"
    waiting.value.save_as(report)
    reader = chromium.new_page()
    reader.goto(report.as_uri())
    in_report = reader.locator("section", has_text="Who is alike, and why").first.inner_text()
    reader.close()
    for text in (on_overview, in_report):
        assert all(driver in text for drivers in DRIVERS.values() for driver in drivers)
    cards = [card for card in re.split(r"\n(?=Cluster \d\n)", in_report) if "Pure:" in card]
    for group, drivers in zip(stores.groups, DRIVERS.values(), strict=True):
        (card,) = (card for card in cards if group <= set(re.findall(r"S\d{3}", card)))
        driven = re.search(r"Driven by (.*)", card)
        assert driven
        assert all(driver in driven.group(1) for driver in drivers)
