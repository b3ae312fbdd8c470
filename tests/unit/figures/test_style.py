"""One look: cluster colours that stay apart for every eye, on paper and on a dark page; words."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from stcmtl.figures.pieces import style
from stcmtl.figures.pieces.style import CLUSTERS, NO_CLUSTER, cluster_colours, task_colours

WHITE, DARK = "#ffffff", "#12161b"  # the dashboard's two pages

# Colour blindness as matrices on linear light, at full severity (Machado et al., 2009).
EYES = {
    "normal": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def light(colour: str) -> NDArray[np.float64]:
    srgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def oklab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return to_lab @ np.cbrt(to_cones @ rgb)


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(float(light(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("eye", EYES)
def test_every_eye_tells_any_two_clusters_apart(eye: str) -> None:
    seen = [oklab(np.clip(EYES[eye] @ light(colour), 0, 1)) for colour in CLUSTERS]
    # the well-known seven of Okabe and Ito come to 0.076
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 0.115


@pytest.mark.parametrize("colour", [*CLUSTERS, NO_CLUSTER])
def test_colours_stand_out_from_both_pages(colour: str) -> None:
    assert contrast(colour, WHITE) > 1.6
    assert contrast(colour, DARK) > 3


def test_nine_clusters_have_the_nine_colours_and_more_have_others() -> None:
    assert cluster_colours(9) == list(CLUSTERS)
    many = cluster_colours(27)
    assert many[:9] == list(CLUSTERS)
    assert len(set(many)) == 27


def test_a_pure_task_has_its_clusters_colour_and_an_outlier_none() -> None:
    V = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert task_colours(V) == [CLUSTERS[0], CLUSTERS[1], NO_CLUSTER]


def test_a_mixed_task_lies_between_and_nearer_to_its_larger_share() -> None:
    (mixed,) = task_colours([[0.75], [0.25]])
    to_first, to_second = (np.linalg.norm(light(mixed) - light(c)) for c in CLUSTERS[:2])
    whole = np.linalg.norm(light(CLUSTERS[0]) - light(CLUSTERS[1]))
    assert to_first / whole == pytest.approx(0.25, abs=0.02)
    assert to_second / whole == pytest.approx(0.75, abs=0.02)


def test_a_long_name_is_not_cut_inside_an_escaped_sign() -> None:
    label = style.make_labels("names", ["<" * 30], 1)[0]
    assert style.shorten([label]) == {label: "&lt;" * (style.LONGEST_TICK - 1) + "…"}


def test_long_names_that_begin_alike_keep_their_ends() -> None:
    names = [f"feature_with_a_long_name_{i}" for i in range(12)]
    cut = style.shorten([*names, "short"])
    assert list(cut) == names
    assert cut[names[3]] == "feature_…ng_name_3"
    assert len(set(cut.values())) == 12
    assert {len(text) for text in cut.values()} == {style.LONGEST_TICK}
    assert style.shorten(["a name that goes on", "an other that does"]) == {
        "a name that goes on": "a name that goes …"
    }


def test_no_line_is_longer_than_a_phone_is_wide() -> None:
    broken = style.break_lines(["word " * 40, "x" * 120])
    assert max(map(len, broken)) <= style.LINE
    assert "".join(broken).replace(" ", "") == "word" * 40 + "x" * 120


def test_a_long_name_is_broken_into_lines_that_stay_plain() -> None:
    assert style.break_name("Weather &amp; price &lt;shops&gt;", 14) == (
        "Weather &amp;<br>price &lt;shops&gt;"
    )
    assert style.break_name("Cluster 1", 9) == "Cluster 1"
    assert style.break_name("a" * 60, 14).count("<br>") == 2
