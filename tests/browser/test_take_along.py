"""Files that a visitor takes along: pictures, tables and scripts; and the page on trust."""

import io
import re
from pathlib import Path

import pandas as pd
from playwright.sync_api import Download, Page, expect

from tests.browser.steps import (
    LONG,
    fitted,
    go_to,
    headline,
    no_fault,
    open_preset,
    rest_pointer,
    violations,
    wait_for_chart,
    wait_until_ready,
    wait_until_still,
)


def take(page: Page, menu: str, button: str) -> Download:
    """From a menu above the first figure; a download closes it."""
    page.get_by_role("button", name=menu).first.click()
    wanted = page.get_by_role("button", name=button, exact=True).first
    expect(wanted).to_be_visible()
    wait_until_still(page)
    with page.expect_download() as taken:
        wanted.click()
    page.keyboard.press("Escape")
    return taken.value


def test_the_figure_its_numbers_and_its_script(page: Page, tmp_path: Path) -> None:
    open_preset(page, "tiny")
    go_to(page, "memberships")
    wait_for_chart(page)
    picture = take(page, "Download", "Picture as PNG")
    assert picture.suggested_filename == "simplex.png"
    assert picture.path().read_bytes().startswith(b"\x89PNG")
    drawing = take(page, "Download", "Picture as SVG")
    assert drawing.suggested_filename == "simplex.svg"
    content = drawing.path().read_text(encoding="utf-8")
    assert content.startswith("<svg")
    assert "Cluster 1" in content
    table = take(page, "Download", "Numbers as CSV").path().read_bytes()
    assert table.startswith(b"\xef\xbb\xbf")
    assert len(pd.read_csv(io.BytesIO(table), encoding="utf-8-sig")) == 18
    assert len(pd.read_excel(take(page, "Download", "Numbers as Excel").path())) == 18
    script = take(page, "Python", "Script").path().read_text(encoding="utf-8")
    assert "figure = figures.memberships(" in script
    model = take(page, "Download", "Model file")
    assert model.suggested_filename == "model.stcmtl"
    assert model.path().stat().st_size > 1000


def test_resamples_are_drawn_and_accessible(page: Page) -> None:
    open_preset(page, "tiny")
    go_to(page, "trust")
    page.get_by_role("button", name="Resample").click()
    wait_for_chart(page)
    expect(headline(page)).to_have_text(re.compile("^Resamples agree: "), timeout=LONG)
    wait_until_ready(page)
    no_fault(page)
    rest_pointer(page)
    assert violations(page) == []


def test_a_kept_fit_is_compared_with_another(page: Page) -> None:
    open_preset(page, "tiny")
    go_to(page, "fit")
    page.get_by_role("button", name="Keep this fit to compare").click()
    page.locator(".st-key-FitChoice-method").get_by_text("paper", exact=True).click()
    expect(page.get_by_text(re.compile("changed since")).first).to_be_visible()
    page.locator(".st-key-fit-run button").click()
    fitted(page)
    go_to(page, "compare")
    page.get_by_role("radio", name="Two fits").click()
    expect(headline(page)).to_have_text(re.compile("tasks"))
    wait_for_chart(page)
    no_fault(page)
    rest_pointer(page)
    assert violations(page) == []
