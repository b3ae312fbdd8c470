"""Axe's rules on every page, light and dark: what is ours has no violation."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.steps import PAGES, WITH_CHARTS, go_to, open_preset, wait_for_chart

# Streamlit's and plotly's own parts: what axe says of them it says of an empty app as well.
FRAMEWORK = [
    "[data-testid=stHeader]",
    "[data-testid=stSidebarNav]",
    "[data-testid=stSidebarHeader]",
    "[data-testid=stDataFrame]",
    "[data-testid=stFileUploaderDropzone]",
    ".modebar",
]


def violations(page: Page) -> list[str]:
    context = {"exclude": [[part] for part in FRAMEWORK]}
    found = Axe().run(page, context=context).response["violations"]
    return [f"{v['id']}: {node['html'][:160]}" for v in found for node in v["nodes"]]


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
