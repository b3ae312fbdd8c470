"""Axe's rules on every page, light and dark: what is ours has no violation."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.steps import PAGES, WITH_CHARTS, go_to, open_preset, wait_for_chart

# What Streamlit's and plotly's own parts are made of; found on an empty app as well.
FRAMEWORK = (
    "stHeader",
    "stToolbar",
    "stSidebarNav",
    "modebar",
    "stMainMenu",
    "stDataFrame",
    "stSidebarCollapseButton",
)


def ours(violation: dict[str, Any]) -> list[str]:
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for node in violation["nodes"]
        if not any(part in node["html"] + str(node["target"]) for part in FRAMEWORK)
    ]


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [line for violation in found for line in ours(violation)]


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
