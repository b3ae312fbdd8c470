"""Charts on a page: what plotly lays over them covers no words."""

import pytest
from playwright.sync_api import Page

from tests.browser.steps import arrive, box_of, go_to, open_preset, rest_pointer, wait_for_chart

COVERED = """plot => {
  const box = part => part.getBoundingClientRect();
  const buttons = [...plot.querySelectorAll(".modebar-group")].map(box);
  return [...plot.querySelectorAll(".gtitle, .gtitle-subtitle")].filter(text => {
    const own = box(text);
    return buttons.some(b => b.width && b.left < own.right && own.left < b.right
      && b.top < own.bottom && own.top < b.bottom);
  }).map(text => text.textContent);
}"""
# Words that stand out from the page by less than 4.5 to 1.
FAINT = """() => {
  const light = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const app = document.querySelector("[data-testid=stApp]");
  const page = light(getComputedStyle(app).backgroundColor);
  return [...document.querySelectorAll(".main-svg text")].filter(text => {
    const own = light(getComputedStyle(text).fill);
    return text.textContent.trim() && Math.max(own, page) / Math.min(own, page) < 4.5;
  }).map(text => text.textContent);
}"""
SEEN = 'plot => +getComputedStyle(plot.querySelector(".modebar-group")).opacity'


@pytest.mark.parametrize("name", ["similarity", "data", "memberships"])
def test_the_bar_of_a_chart_covers_no_words_and_goes_with_the_pointer(
    page: Page, name: str
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    open_preset(page, "tiny")
    go_to(page, name)
    arrive(page, name)
    wait_for_chart(page)
    plots = page.locator(".js-plotly-plot")
    for i in range(plots.count()):
        rest_pointer(page)
        page.wait_for_function("() => !document.querySelector('.js-plotly-plot:hover')")
        plot = plots.nth(i)
        plot.scroll_into_view_if_needed()
        box_of(plot)
        page.wait_for_timeout(400)  # the bar fades
        assert plot.evaluate(SEEN) == 0
        plot.hover()
        page.wait_for_timeout(400)
        assert plot.evaluate(SEEN) == 1
        assert plot.evaluate(COVERED) == []


@pytest.mark.parametrize(
    "page", [{"color_scheme": name} for name in ("light", "dark")], indirect=True
)
def test_words_in_charts_stand_out(page: Page) -> None:
    open_preset(page, "tiny")
    for name in ("overview", "memberships", "outliers"):
        go_to(page, name)
        arrive(page, name)
        wait_for_chart(page)
        assert page.evaluate(FAINT) == []
