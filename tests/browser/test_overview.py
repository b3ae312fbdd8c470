"""The Overview in a browser: a name is typed and travels, a point opens the card of its task."""

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import (
    go_to,
    headline,
    no_fault,
    open_preset,
    violations,
    wait_for_chart,
    wait_until_ready,
)


def test_a_name_travels_to_other_pages_and_over_a_refit(page: Page) -> None:
    open_preset(page, "tiny")
    expect(headline(page)).to_have_text(re.compile("^3 clusters"))
    field = page.get_by_role("textbox", name="Name of cluster 1")
    field.fill("Coast <i>")
    field.press("Enter")
    expect(page.locator(".js-plotly-plot").first).to_contain_text("Coast <i>")
    page.wait_for_url(re.compile("names=Coast"))
    address = page.url
    page.locator(".st-key-status-run button").click()
    go_to(page, "memberships")
    wait_for_chart(page)
    expect(page.locator(".js-plotly-plot").first).to_contain_text("Coast <i>")
    page.goto("about:blank")
    page.goto(address)
    wait_for_chart(page)
    expect(page.locator(".js-plotly-plot").first).to_contain_text("Coast <i>")
    no_fault(page)


def test_a_point_opens_the_card_of_its_task(page: Page) -> None:
    open_preset(page, "tiny")
    wait_until_ready(page)
    places = page.locator(".js-plotly-plot").first.locator(".points path")
    places.nth(4).click(force=True)
    picked = page.get_by_text(re.compile("Picked: "))
    expect(picked).to_be_visible()
    name = picked.inner_text().split()[-1]
    page.get_by_role("button", name="Task card").click()
    card = page.get_by_role("dialog")
    expect(card).to_contain_text(name)
    expect(card).to_contain_text("Most like it")
    expect(card.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert not violations(page)
