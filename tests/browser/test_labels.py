"""Words in figures, as plotly lays them out: none covers another or a mark, none is cut."""

import json
from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go
import pytest
from playwright.sync_api import Browser, Page
from plotly.offline import get_plotlyjs

from stcmtl import figures

HEIGHT, PHONE, CARD = 330, 312, 450  # of a small view on the Overview, in pixels
LONG = "Southern seaside towns, marina"  # as many letters as a name may have
# Words that lie on others, on marks or beyond the edge, by more than letters need of their boxes.
COVERED = """() => {
  const plot = document.querySelector(".js-plotly-plot"), edge = plot.getBoundingClientRect();
  const parts = (what) => [...plot.querySelectorAll(what)]
    .filter(part => getComputedStyle(part).visibility !== "hidden")
    .map(part => [part.textContent, part.getBoundingClientRect()]);
  const words = parts(".main-svg text").filter(([text]) => text.trim());
  const marks = parts(".points path");
  const on = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const found = [];
  words.forEach(([text, box], i) => {
    if (box.left < edge.left - 1 || box.right > edge.right + 1
        || box.top < edge.top - 1 || box.bottom > edge.bottom + 1) found.push(`${text} is cut`);
    for (const [other, its] of words.slice(i + 1))
      if (on(box, its)) found.push(`${text} and ${other}`);
    if (marks.some(([, its]) => on(box, its))) found.push(`${text} and a mark`);
  });
  return found;
}"""


@pytest.fixture(scope="module")
def sheet(chromium: Browser) -> Iterator[Page]:
    """An empty page that knows plotly."""
    page = chromium.new_page(viewport={"width": 1000, "height": 800})
    page.set_content("<body style='margin: 0'><div id=here></div>")
    page.add_script_tag(content=get_plotlyjs())
    yield page
    page.close()


def covered(sheet: Page, figure: go.Figure) -> dict[int, list[str]]:
    """By the width of a small view."""
    figures.shrink(figure, HEIGHT)
    found = {}
    for width in (PHONE, CARD):
        figure.update_layout(width=width)
        drawn = "figure => Plotly.newPlot('here', figure).then(() => null)"
        sheet.evaluate(drawn, json.loads(figure.to_json()))
        found[width] = sheet.evaluate(COVERED)
    return {width: words for width, words in found.items() if words}


def names_of(n_clusters: int) -> list[str]:
    return [f"{LONG[:-2]}{k:2}" for k in range(n_clusters)]


@pytest.mark.parametrize("n_clusters", [2, 3, 4, 5, 6, 7, 9, 12, 20])
def test_names_at_the_corners(sheet: Page, n_clusters: int) -> None:
    corners = np.eye(n_clusters)  # ten tasks at each, and one on the way to the next
    V = np.hstack([np.repeat(corners, 10, axis=1), (corners + np.roll(corners, 1, 0)) / 2])
    for names in (None, names_of(n_clusters)):
        assert not covered(sheet, figures.memberships(V, cluster_names=names))


@pytest.mark.parametrize("n_clusters", [1, 3, 5, 7, 12])
def test_names_above_patterns(sheet: Page, n_clusters: int) -> None:
    for names in (None, names_of(n_clusters)):
        assert not covered(sheet, figures.cluster_patterns(np.eye(n_clusters), cluster_names=names))
