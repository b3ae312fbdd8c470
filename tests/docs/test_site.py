"""The site: no warning, no broken link, nothing that a reader's browser asks of other machines."""

import logging
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import Page, expect, sync_playwright

import stcmtl
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


def test_the_reference_has_every_public_name(site: Path) -> None:
    """Examples and sentences after a list of parameters are no parameters."""
    page = (site / "python.html").read_text(encoding="utf-8")
    homes = {"": stcmtl} | {f"{name}.": getattr(stcmtl, name) for name in stcmtl.MODULES}
    names = [
        f"{home}{name}"
        for home, module in homes.items()
        for name in module.__all__
        if callable(getattr(module, name))
    ]
    assert [name for name in names if f"<code>{name}</code><a" not in page] == []
    outside_code = re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)
    assert "&gt;&gt;&gt;" not in outside_code
    assert "``" not in outside_code


@pytest.fixture
def page() -> Iterator[Page]:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium on this machine: the addresses in the pages were checked")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser.new_page()
        browser.close()


def test_nothing_is_fetched_from_other_machines(site: Path, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for name in sorted(site.glob("*.html")):
        page.goto(name.as_uri())
        missing = "Array.from(document.images).filter(i => !i.naturalWidth).map(i => i.src)"
        page.wait_for_load_state("load")
        assert page.evaluate(missing) == [], name.name
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("why K = 1", "Why K = 1?"),
        ("no clusters", 'Why does it say "no clusters"?'),
        ("how many rows", "How many rows do I need?"),
        ("mixed model", "Mixed model or this?"),
    ],
)
def test_the_search_finds_answers_from_a_folder(
    site: Path, page: Page, words: str, answer: str
) -> None:
    page.goto((site / "index.html").as_uri())
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially(words)
    first = page.locator(".md-search-result__item").first
    expect(first).to_contain_text(answer)


def test_pictures_stay_small() -> None:
    sizes = [path.stat().st_size for path in (ROOT / "docs" / "pictures").glob("*.png")]
    assert max(sizes) < LARGEST
    assert sum(sizes) < ALL_PICTURES
