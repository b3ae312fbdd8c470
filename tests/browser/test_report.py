"""The report as a browser shows it: from a file, without a network."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from stcmtl import STCMTLRegressor, simulate
from stcmtl.report import write_report
from tests.unit.plain import GIVEN

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "<img src=x onerror=document.title='taken'>"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sim = simulate(n_tasks=16, n_features=30, n_clusters=4, n_train=40, n_test=20)
    tasks = [f"{HOSTILE}{name}" for name in sim.train.tasks]
    model = STCMTLRegressor(4, **GIVEN, random_state=0).fit(sim.train.X, sim.train.y, tasks)
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, model, title=HOSTILE)
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_draws_every_figure_and_asks_nobody(
    chromium: Browser, report: Path, scheme: str, width: int
) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    at_home = ("file:", "data:", "blob:")
    page.on("request", lambda r: r.url.startswith(at_home) or faults.append(f"asked {r.url}"))
    page.goto(report.as_uri())
    places = page.locator("figure > .plot")
    expect(page.locator("figure > .js-plotly-plot")).to_have_count(places.count())
    expect(page.get_by_role("heading", level=1)).to_contain_text("4 clusters")
    assert page.title() == HOSTILE
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    output = ROOT / "test-output"
    output.mkdir(exist_ok=True)
    page.locator("figure > .plot").first.hover()
    offered = page.locator(".modebar-btn").evaluate_all("own => own.map(b => b.dataset.title)")
    assert "Zoom" in offered
    assert not [title for title in offered if "hare" in title or "loud" in title]  # nothing leaves
    page.screenshot(path=output / f"report-{scheme}-{width}.png", full_page=True)
    page.close()
    assert not faults
