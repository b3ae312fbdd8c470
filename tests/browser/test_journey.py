"""From a preset through the curve over K and a fit to every page."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import OUTPUT
from tests.browser.steps import (
    LONG,
    PAGES,
    WITH_CHARTS,
    fitted,
    go_to,
    headline,
    no_fault,
    open_preset,
    wait_for_chart,
    wait_until_ready,
)


def test_preset_choice_fit_and_every_page(page: Page) -> None:
    open_preset(page, "tiny")
    expect(headline(page)).to_have_text(re.compile(r"^3 clusters, \d+ pure tasks, \d+ mixed"))
    go_to(page, "choose_k")
    page.get_by_role("button", name="Ask the data").click()
    expect(headline(page)).to_have_text(re.compile("^The data speak for 3"), timeout=LONG)
    page.get_by_role("button", name="Fit with this").click()
    fitted(page)
    for name in PAGES:
        go_to(page, name)
        if name in WITH_CHARTS:
            wait_for_chart(page)
        no_fault(page)
        page.screenshot(path=OUTPUT / f"journey-{name}.png", full_page=True)


def test_a_changed_setting_marks_the_result_as_stale(page: Page) -> None:
    open_preset(page, "tiny")
    go_to(page, "fit")
    before = headline(page).inner_text()
    page.locator(".st-key-FitChoice-method").get_by_text("paper", exact=True).click()
    expect(page.get_by_text(re.compile("changed since")).first).to_be_visible()
    expect(headline(page)).to_have_text(before)
    page.locator(".st-key-status-run button").click()
    fitted(page)


def test_cancel_leaves_the_last_good_result(page: Page) -> None:
    open_preset(page, "sparse")  # large enough to be seen at work
    before = headline(page).inner_text()
    go_to(page, "choose_k")
    asked = headline(page).inner_text()
    page.get_by_role("button", name="Ask the data").click()
    cancel = page.get_by_role("button", name="Cancel")
    cancel.click(timeout=LONG)
    expect(cancel).to_have_count(0)
    expect(headline(page)).to_have_text(asked)
    go_to(page, "memberships")
    wait_for_chart(page)
    expect(headline(page)).to_have_text(before)
    no_fault(page)


def test_a_link_leads_to_the_same_view(page: Page) -> None:
    open_preset(page, "tiny")
    go_to(page, "similarity")
    wait_for_chart(page)
    before = headline(page).inner_text()
    page.wait_for_url(re.compile("run=1"))
    address = page.url
    assert "tasks=18" in address
    page.goto("about:blank")
    page.goto(address)  # a new session: nothing but the link
    wait_for_chart(page)
    expect(headline(page)).to_have_text(before)
    expect(page.locator(".st-key-status")).to_contain_text("18 tasks × 30 features")


def test_two_sessions_keep_apart(page: Page, dashboard: str) -> None:
    other = page.context.browser.new_page()  # type: ignore[union-attr]
    try:
        other.goto(dashboard)
        wait_until_ready(other)
        open_preset(page, "tiny")
        open_preset(other, "outliers")
        expect(headline(other)).to_have_text(re.compile("5 outliers"))
        go_to(page, "coefficients")
        wait_for_chart(page)
        expect(page.locator(".st-key-status")).to_contain_text("18 tasks")
        expect(other.locator(".st-key-status")).to_contain_text("65 tasks")
    finally:
        other.close()


def test_a_link_to_an_example_needs_only_its_name(page: Page, dashboard: str) -> None:
    page.goto(f"{dashboard}/data?data=example&example=gapminder")
    expect(page.locator(".st-key-status")).to_contain_text("142 tasks", timeout=LONG)
    no_fault(page)
