"""Files that people drop: one that is understood, one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from stcmtl import simulate
from stcmtl.io.write import write_tasks
from tests.browser.steps import LONG, fitted, go_to, no_fault, wait_for_chart, wait_until_ready


@pytest.fixture
def on_upload(page: Page) -> Page:
    go_to(page, "data")
    page.get_by_role("tab", name="Upload").click()
    return page


def drop(page: Page, path: Path) -> None:
    page.locator(".st-key-data-files input[type=file]").set_input_files(path)
    wait_until_ready(page)


def test_a_csv_is_understood_fitted_and_stays_private(on_upload: Page, tmp_path: Path) -> None:
    page, path = on_upload, tmp_path / "schools.csv"
    write_tasks(simulate(n_tasks=12, n_features=20, n_clusters=2, n_train=40).train, path)
    drop(page, path)
    card = page.locator(".st-key-status")
    expect(card).to_contain_text("12 tasks × 20 features", timeout=LONG)
    expect(page.get_by_text("Read schools.csv as CSV")).to_be_visible()
    page.locator(".st-key-status-run button").click()
    fitted(page)
    go_to(page, "memberships")
    wait_for_chart(page)
    no_fault(page)
    assert "data=" not in page.url  # an upload cannot be linked to


def test_a_broken_file_is_one_sentence_beside_its_control(on_upload: Page, tmp_path: Path) -> None:
    page, path = on_upload, tmp_path / "broken.npz"
    path.write_bytes(b"PK\x03\x04 cut off")
    drop(page, path)
    expect(page.get_by_role("alert").filter(has_text="broken.npz")).to_be_visible(timeout=LONG)
    no_fault(page)
    expect(page.locator(".st-key-status")).to_contain_text("No tasks yet")
