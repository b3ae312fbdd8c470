"""All pictures of the docs: screens of the running dashboard, and figures, in Chromium.

    python docs/making/screenshots.py            # or: make screenshots
    python docs/making/screenshots.py idea       # only those of VISITS that are named

The data are examples/stores.csv and simulations with a fixed seed, so the same code makes the same
pictures, but for how letters are drawn.
"""

import io
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # so that it runs as a script
from tests.browser.steps import LONG, fitted, go_to, wait_for_chart, wait_until_ready
from tests.docs.servers import running, wait_until_well

PICTURES = ROOT / "docs" / "pictures"
STORES = ROOT / "examples" / "stores.csv"
WIDTH, HEIGHT = 1280, 860
COLOURS = 200  # of a picture: pages have few, and files are a third as large


def save(shot: bytes, name: str) -> None:
    image = Image.open(io.BytesIO(shot)).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)
    print(f"{name}.png: {(PICTURES / f'{name}.png').stat().st_size // 1000} kB", flush=True)


@contextmanager
def window(browser: Browser, address: str, scheme: str = "light") -> Iterator[Page]:
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    page.goto(address)
    wait_until_ready(page)
    yield page
    page.close()


def drop_stores(page: Page) -> None:
    go_to(page, "data")
    page.get_by_role("tab", name="Upload").click()
    page.locator(".st-key-data-files input[type=file]").set_input_files(STORES)
    page.locator(".st-key-status").get_by_text("30 tasks").wait_for(timeout=LONG)
    wait_until_ready(page)


def shoot(page: Page, name: str) -> None:
    """When the last chart has been drawn, and nothing is hovered."""
    wait_until_ready(page)
    page.mouse.move(2, 2)
    page.wait_for_timeout(1500)
    save(page.screenshot(), name)


def visit_stores(browser: Browser, address: str) -> None:
    """A file from upload to report, as `docs/data.md` tells it."""
    with window(browser, address) as page:
        drop_stores(page)
        shoot(page, "upload")
        page.locator(".st-key-status-run button").click()
        fitted(page)
        go_to(page, "overview")
        wait_for_chart(page)
        shoot(page, "overview-light")
        go_to(page, "choose_k")
        wait_for_chart(page)
        shoot(page, "choose-k")
        go_to(page, "trust")
        page.get_by_role("button", name="Resample").click()
        wait_for_chart(page)
        shoot(page, "trust")
        go_to(page, "report")
        shoot(page, "report")


def open_report(browser: Browser, address: str) -> None:
    """The file that the example writes."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "stores.html"
        script = str(ROOT / "examples" / "stores.py")
        subprocess.run([sys.executable, script, str(written)], check=True, capture_output=True)
        page = browser.new_page(viewport={"width": 1000, "height": 900})
        page.goto(written.as_uri())
        page.wait_for_timeout(2000)
        save(page.screenshot(), "report-file")
        page.close()


def visit_in_the_dark(browser: Browser, address: str) -> None:
    with window(browser, address, "dark") as page:
        drop_stores(page)
        page.locator(".st-key-status-run button").click()
        fitted(page)
        go_to(page, "overview")
        wait_for_chart(page)
        shoot(page, "overview-dark")


def draw_figures(browser: Browser, address: str) -> None:
    """Figures of `docs/idea.md`, by the browser that draws them for pages."""
    import figures_of_the_idea
    from plotly.offline import get_plotlyjs

    page = browser.new_page(device_scale_factor=2)
    page.set_content("<div id=here></div>")
    page.add_script_tag(content=get_plotlyjs())
    for name, figure in figures_of_the_idea.make():
        size = {"width": 720, "height": min(figure.layout.height or 380, 480)}
        figure.update_layout(paper_bgcolor="white", plot_bgcolor="white", font_color="#1d2733")
        drawn = page.evaluate(
            "([figure, size]) => Plotly.toImage(figure, {format: 'png', scale: 1.6, ...size})"
            ".then(url => fetch(url)).then(r => r.arrayBuffer())"
            ".then(b => Array.from(new Uint8Array(b)))",
            [json.loads(figure.to_json()), size],
        )
        save(bytes(drawn), f"idea-{name}")
    page.close()


VISITS: dict[str, Callable[[Browser, str], None]] = {
    "stores": visit_stores,
    "dark": visit_in_the_dark,
    "report": open_report,
    "idea": draw_figures,
}


def main() -> None:
    wanted = sys.argv[1:] or list(VISITS)
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        sys.exit("No Chromium on this machine: install your system's chromium package.")
    PICTURES.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "stcmtl", "studio", "--no-browser"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        log = Path(folder) / "server.log"
        with running(command, log) as address:
            wait_until_well(address, log)
            for name in wanted:
                VISITS[name](browser, address)
        browser.close()


if __name__ == "__main__":
    main()
