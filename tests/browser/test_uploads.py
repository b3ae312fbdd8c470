"""Files that people drop: one that is understood, one that is not."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from stcmtl import simulate
from stcmtl.io.write import write_tasks
from tests.browser.conftest import OUTPUT
from tests.browser.steps import (
    LONG,
    fitted,
    go_to,
    no_fault,
    violations,
    wait_for_chart,
    wait_until_ready,
)

ROW = 35  # pixels of a table's row, and of its header


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


def write_stores(path: Path, holes: bool = False) -> Path:
    """Thirty stores in two regions; with holes in a feature, if wanted."""
    rng = np.random.default_rng(0)
    store = np.repeat(np.arange(30), 20)
    frame = pd.DataFrame({"store": store, "region": np.where(store % 2, "north", "south")})
    frame["price"] = 1000 * rng.normal(size=600).round(3)
    frame["staff"] = rng.normal(size=600).round(3)
    frame["sales"] = (frame["staff"] + rng.normal(size=600)).round(3)
    if holes:
        frame.loc[3:9, "price"] = np.nan
    frame.to_csv(path, index=False)
    return path


def test_a_refusal_has_its_remedy_as_a_button(on_upload: Page, tmp_path: Path) -> None:
    page = on_upload
    drop(page, write_stores(tmp_path / "stores.csv", holes=True))
    expect(page.get_by_role("alert").filter(has_text="missing values")).to_be_visible(timeout=LONG)
    page.get_by_role("button", name="Fill with medians").click()
    expect(page.locator(".st-key-status")).to_contain_text("30 tasks × 2 features", timeout=LONG)
    expect(page.get_by_text("it could also be 'region' (2 tasks of 300 rows)")).to_be_visible()
    expect(page.get_by_text("Features will be put on one scale")).to_be_visible()
    no_fault(page)


def test_columns_are_taken_out_in_the_table(on_upload: Page, tmp_path: Path) -> None:
    page = on_upload
    drop(page, write_stores(tmp_path / "stores.csv"))
    card = page.locator(".st-key-status")
    expect(card).to_contain_text("30 tasks × 2 features", timeout=LONG)
    table = page.locator("[data-testid=stDataFrame]").first
    expect(table).to_be_visible(timeout=LONG)
    wait_for_chart(page)  # below the table
    for _ in range(3):  # on a busy machine the table may be drawn anew under the first click
        table.click(position={"x": 20, "y": 3.5 * ROW})  # price is in the third row
        page.keyboard.press("Enter")
        with suppress(AssertionError):
            expect(card).to_contain_text("× 1 feature")
            break
    expect(card).to_contain_text("30 tasks × 1 feature")
    page.get_by_role("button", name="As proposed").click()
    expect(card).to_contain_text("30 tasks × 2 features", timeout=LONG)
    no_fault(page)


def test_a_close_call_is_a_question(on_upload: Page, tmp_path: Path) -> None:
    page, rng = on_upload, np.random.default_rng(0)
    frame = pd.DataFrame({"u": np.tile(list("abcdef"), 40), "v": np.repeat(list("ghijkl"), 40)})
    frame = frame.sample(frac=1, random_state=0, ignore_index=True)
    frame.assign(x=rng.normal(size=240), y=rng.normal(size=240)).to_csv(
        tmp_path / "a.csv", index=False
    )
    drop(page, tmp_path / "a.csv")
    page.get_by_role("button", name="v: 6 tasks of 40 rows").click(timeout=LONG)
    expect(page.locator(".st-key-status")).to_contain_text("6 tasks", timeout=LONG)
    no_fault(page)


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1024), ("light", 1440)])
def test_everybody_can_use_it(
    chromium: Browser, dashboard: str, tmp_path: Path, scheme: Any, width: int
) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 1400}, color_scheme=scheme)
    page.goto(f"{dashboard}/data?tab=upload")
    drop(page, write_stores(tmp_path / "stores.csv", holes=True))
    remedy = page.get_by_role("button", name="Fill with medians")
    expect(remedy).to_be_visible(timeout=LONG)
    assert not violations(page)
    remedy.click()
    expect(page.get_by_text("Features will be put on one scale")).to_be_visible(timeout=LONG)
    wait_for_chart(page)
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=OUTPUT / f"upload-{scheme}-{width}.png", full_page=True)
    page.close()
