"""A click in a heatmap picks a task, and hovering goes on to tell the cell."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import box_of, go_to, open_preset, wait_for_chart


def at(plot: Locator, across: float, down: float) -> dict[str, float]:
    box = box_of(plot)
    return {"x": across * box["width"], "y": down * box["height"]}


@pytest.mark.parametrize("down", [0.07, 0.93])
def test_a_column_of_the_coefficients_picks_its_task(page: Page, down: float) -> None:
    open_preset(page, "tiny")
    go_to(page, "coefficients")
    wait_for_chart(page)
    plot = page.locator(".js-plotly-plot .nsewdrag").first
    plot.hover(position=at(plot, 0.4, down))
    told = page.locator(".js-plotly-plot .hoverlayer")
    expect(told).to_contain_text(re.compile(r"task\d\d"))
    task = re.search(r"task\d\d", told.text_content() or "")
    assert task
    plot.click(position=at(plot, 0.4, down))
    expect(page.get_by_text(re.compile("Picked:"))).to_contain_text(task.group())
    go_to(page, "memberships")
    expect(page.get_by_text(re.compile("Picked:"))).to_contain_text(task.group())


def test_a_blank_cell_and_a_cluster_are_picked_too(page: Page) -> None:
    open_preset(page, "tiny")
    go_to(page, "coefficients")
    wait_for_chart(page)
    page.get_by_role("radio", name="Zeros").click()
    wait_for_chart(page)
    plot = page.locator(".js-plotly-plot .nsewdrag").first
    told = page.locator(".js-plotly-plot .hoverlayer")
    for down in range(5, 100, 5):
        plot.hover(position=at(plot, 0.3, down / 100))
        if "zero" in (told.text_content() or ""):
            break
    plot.click(position=at(plot, 0.3, down / 100))
    expect(page.get_by_role("button", name="Clear 1 picked").first).to_be_visible()
    page.get_by_role("radio", name="Clusters").click()
    wait_for_chart(page)
    plot.click(position=at(plot, 0.5, 0.5))
    several = re.compile(r"Clear ([2-9]|\d\d) picked")
    expect(page.get_by_role("button", name=several).first).to_be_visible()


def test_a_similarity_has_boxes_as_well(page: Page) -> None:
    open_preset(page, "tiny")
    go_to(page, "similarity")
    wait_for_chart(page)
    chart = page.locator(".js-plotly-plot").first
    chart.hover()
    chart.locator(".modebar-btn[data-title='Box Select']").click(force=True)
    box = box_of(chart.locator(".nsewdrag"))
    page.mouse.move(box["x"] + 0.06 * box["width"], box["y"] + 0.1 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.49 * box["width"], box["y"] + 0.2 * box["height"], steps=5)
    page.mouse.up()
    expect(page.get_by_role("button", name="Clear 8 picked").first).to_be_visible()
