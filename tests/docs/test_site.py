"""The site: no warning, no broken link, nothing that a reader's browser asks of other machines."""

import logging
import shutil
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import sync_playwright

from stcmtl.paper.table import kinds_of_tasks

ROOT = Path(__file__).resolve().parents[2]
LARGEST, ALL_PICTURES = 600_000, 1_500_000  # bytes


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built strictly: a warning, a link or an anchor that leads nowhere ends it."""
    folder = tmp_path_factory.mktemp("site")
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True)
    logging.getLogger("mkdocs").setLevel(logging.WARNING)
    build(config)
    return folder


def test_pages_are_there_and_made(site: Path) -> None:
    pages = {page.stem: page.read_text(encoding="utf-8") for page in site.glob("*.html")}
    assert {"index", "data", "idea", "method", "results", "questions", "contributing"} <= set(pages)
    assert not [name for name, text in pages.items() if "{{ " in text or "arithmatex" in text]
    assert pages["method"].count("<math") > 20
    assert [
        kind for kind in kinds_of_tasks()["cell"] if f"<td>{kind}</td>" not in pages["results"]
    ] == []
    assert "STCMTLRegressor(" in pages["python"]
    assert "usage: stcmtl predict" in pages["commands"]


def test_nothing_is_fetched_from_other_machines(site: Path) -> None:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium on this machine: the addresses in the pages were checked")
    asked: list[str] = []
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        for name in sorted(site.glob("*.html")):
            page.goto(name.as_uri())
            missing = "Array.from(document.images).filter(i => !i.naturalWidth).map(i => i.src)"
            page.wait_for_load_state("load")
            assert page.evaluate(missing) == [], name.name
        browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_pictures_stay_small() -> None:
    sizes = [path.stat().st_size for path in (ROOT / "docs" / "pictures").glob("*.png")]
    assert max(sizes) < LARGEST
    assert sum(sizes) < ALL_PICTURES
