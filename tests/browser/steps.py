"""What a person does on the dashboard, and what they wait for."""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FloatRect, Locator, Page, expect

SECONDS = 1000
LONG = 120 * SECONDS  # kernels may have to be compiled first
READY = (
    "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
)
# Every chart is drawn, and has been the same one with the same data for a while: one that is drawn
# anew is missing for a moment, and a click on it would be lost.
STILL = """ready => {
  const plots = [...document.querySelectorAll(".js-plotly-plot")];
  const last = window.chartsSeen || { plots: [], data: [] }, now = performance.now();
  const drawn = document.querySelector(ready)
    && plots.every(plot => plot._fullLayout && plot.querySelector(".main-svg"));
  const same = plots.length === last.plots.length
    && plots.every((plot, i) => plot === last.plots[i] && plot.data === last.data[i]);
  if (!drawn || !same || !window.chartsSeen) {
    window.chartsSeen = { plots, data: plots.map(plot => plot.data), since: now };
    return false;
  }
  return now - last.since > 400;
}"""
NOTHING_FADES = "!document.getAnimations().some(a => a instanceof CSSTransition)"
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
    wait_until_still(page)


def wait_until_still(page: Page) -> None:
    """No run of the page is under way, and no chart is being drawn."""
    page.wait_for_function(STILL, arg=READY, timeout=LONG, polling=100)


def rest_pointer(page: Page) -> None:
    """Away from all buttons, which have other colours when they are hovered."""
    page.mouse.move(2, 2)
    page.wait_for_function(NOTHING_FADES)


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
    arrive(page, name)


def arrive(page: Page, name: str) -> None:
    """The address and what is on the page are both of that name."""
    page.wait_for_url(f"**/{name}*")
    link = page.locator(f"[data-testid=stSidebarNav] a[href$='/{name}'][aria-current=page]")
    expect(link).to_be_attached(timeout=LONG)
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
