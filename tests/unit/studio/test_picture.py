"""The drawing on the first page."""

from pathlib import Path
from xml.etree import ElementTree

from stcmtl.figures import cluster_colours
from stcmtl.studio import widgets

DRAWING = ElementTree.parse(Path(widgets.__file__).with_name("picture.svg")).getroot()
SVG = "{http://www.w3.org/2000/svg}"
PURE_EACH, N_FEATURES = 8, 7


def test_the_drawing_has_the_colours_of_the_clusters_and_stays_inside_its_frame() -> None:
    width, height = float(DRAWING.get("width", "")), float(DRAWING.get("height", ""))
    dots = DRAWING.findall(f"{SVG}circle")
    fills = [colour for colour in cluster_colours(3) for _ in range(PURE_EACH)]
    assert [dot.get("fill") for dot in dots] == fills
    for dot in dots:
        assert 6 <= float(dot.get("cx", "")) <= width - 6
        assert 6 <= float(dot.get("cy", "")) <= height - 6


def test_the_mixture_has_half_of_both_patterns() -> None:
    heights = [float(bar.get("height", "")) for bar in DRAWING.iter(f"{SVG}rect")]
    second, third, half = (heights[N_FEATURES * k : N_FEATURES * (k + 1)] for k in (1, 2, 3))
    apart = [a == 0 or b == 0 for a, b in zip(second, third, strict=True)]
    for alone, a, b, mixed in zip(apart, second, third, half, strict=True):
        if alone:
            assert mixed == (a + b) / 2
    assert any(apart)
