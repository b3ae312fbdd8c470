"""What a person does on the dashboard, and what they wait for."""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FloatRect, Locator, Page, expect

SECONDS = 1000
LONG = 120 * SECONDS  # kernels may have to be compiled first
READY = (
    "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
)
WITH_CHARTS = [
    "learn",
    "fit",
    "coefficients",
    "similarity",
    "overview",
    "memberships",
    "convergence",
    "outliers",
]
PAGES = [*WITH_CHARTS, "trust", "data", "choose_k", "new_tasks", "compare", "paper", "report"]


# Streamlit's and plotly's own parts: what axe says of them it says of an empty app as well.
FRAMEWORK = [
    "[data-testid=stHeader]",
    "[data-testid=stSidebarNav]",
    "[data-testid=stSidebarHeader]",
    "[data-testid=stDataFrame]",
    "[data-testid=stFileUploaderDropzone]",
    ".modebar",
]


def headline(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def wait_until_ready(page: Page) -> None:
    expect(page.locator(READY)).to_be_attached(timeout=LONG)


def wait_for_chart(page: Page) -> None:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=LONG)
    wait_until_ready(page)


def box_of(plot: Locator) -> FloatRect:
    """Where a plot is on the screen; while it is being drawn anew it is nowhere."""
    for _ in range(100):
        expect(plot).to_be_visible()
        if box := plot.bounding_box():
            return box
    raise AssertionError("The plot does not stay on the page.")


def open_preset(page: Page, name: str) -> None:
    page.locator(f".st-key-preset-{name} button").click(timeout=LONG)
    wait_for_chart(page)


def go_to(page: Page, name: str) -> None:
    page.locator(f"[data-testid=stSidebarNav] a[href$='/{name}']").click()
    page.wait_for_url(f"**/{name}*")
    wait_until_ready(page)


def no_fault(page: Page) -> None:
    """No stack trace, and no page that failed."""
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert "Traceback" not in page.locator("body").inner_text()


def fitted(page: Page) -> None:
    """The card in the sidebar says that the result on the pages is the one asked for."""
    card = page.locator(".st-key-status")
    expect(card).to_contain_text(re.compile(r"(?<!not )fitted"), timeout=LONG)
    wait_until_ready(page)


def violations(page: Page) -> list[str]:
    context = {"exclude": [[part] for part in FRAMEWORK]}
    found = Axe().run(page, context=context).response["violations"]
    return [f"{v['id']}: {node['html'][:160]}" for v in found for node in v["nodes"]]
