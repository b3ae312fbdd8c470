"""Axe's rules on every page, light and dark: what is ours has no violation."""

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.steps import PAGES, WITH_CHARTS, go_to, open_preset, violations, wait_for_chart


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_violation_of_ours(chromium: Browser, dashboard: str, scheme: Any) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page.goto(dashboard)
    page.locator(".st-key-preset-tiny button").wait_for()
    found = {"home": violations(page)}
    open_preset(page, "tiny")
    for name in PAGES:
        go_to(page, name)
        if name in WITH_CHARTS:
            wait_for_chart(page)
        found[name] = violations(page)
    page.close()
    assert not {name: lines for name, lines in found.items() if lines}
