"""Names as they are, and the drawing on the first page."""

from __future__ import annotations

from xml.etree import ElementTree

from stcmtl.figures.pieces.colours import cluster_colours
from stcmtl.studio.widgets import picture
from stcmtl.studio.words.markdown import literal


def test_names_are_shown_letter_by_letter() -> None:
    assert literal("**a** [b](c) $x$ :red[d]") == (
        r"\*\*a\*\* \[b\]\(c\) \$x\$ \:red\[d\]"
    )  # fmt: skip
    assert literal("School 3") == "School 3"


def test_the_drawing_is_well_formed_and_inside_its_frame() -> None:
    root = ElementTree.fromstring(picture.drawing())
    tag = "{http://www.w3.org/2000/svg}"
    dots = root.findall(f"{tag}circle")
    assert len(dots) == 3 * picture.PURE_EACH
    assert {dot.get("fill") for dot in dots} == set(cluster_colours(3))
    for dot in dots:
        assert 6 <= float(dot.get("cx", "")) <= picture.WIDTH - 6
        assert 6 <= float(dot.get("cy", "")) <= picture.HEIGHT - 6


def test_the_mixture_has_half_of_both_patterns() -> None:
    root = ElementTree.fromstring(picture.drawing())
    bars = root.iter("{http://www.w3.org/2000/svg}rect")
    n_features = picture.PATTERNS.shape[1]
    heights = [float(bar.get("height", "")) for bar in bars]
    second, third, half = (heights[n_features * k : n_features * (k + 1)] for k in (1, 2, 3))
    apart = [a == 0 or b == 0 for a, b in zip(second, third, strict=True)]
    for alone, a, b, mixed in zip(apart, second, third, half, strict=True):
        if alone:
            assert mixed == (a + b) / 2
    assert any(apart)
