"""Semisoft clustering in one drawing: pure tasks at the corners, mixed ones between."""

from __future__ import annotations

from functools import cache

import numpy as np

from stcmtl.figures.pieces.colours import task_colours
from stcmtl.figures.pieces.geometry import fan_out
from stcmtl.figures.pieces.style import INK

WIDTH, HEIGHT = 440, 330
CORNERS = np.array([[220.0, 78.0], [74.0, 238.0], [366.0, 238.0]])
PATTERNS = np.array([[9, 0, -6, 0, 4, 0, 0], [0, 8, 0, -7, 0, 0, 5], [0, 0, 7, 0, 0, 9, -5]])
HALF_AND_HALF = (0.0, 0.5, 0.5)
PURE_EACH, MIXED = 8, [HALF_AND_HALF, (0.7, 0.3, 0.0), (0.35, 0.0, 0.65), (0.4, 0.35, 0.25)]
# Where the pattern of a mixture is drawn, its caption with it.
BESIDE = {
    (1.0, 0.0, 0.0): (318, 66, "a pattern"),
    (0.0, 1.0, 0.0): (74, 296, "another"),
    (0.0, 0.0, 1.0): (366, 296, "a third"),
    HALF_AND_HALF: (220, 296, "half and half"),
}
RIM = f'stroke="{INK}"'
ALT = (
    "Three clusters at the corners of a triangle, each with pure tasks around it and a pattern "
    "of coefficients beside it. Mixed tasks lie between the corners; one halfway between two "
    "corners has a pattern that is half of each."
)


@cache
def drawing() -> str:
    """The drawing as an SVG in the colours of the clusters, for light pages and dark ones."""
    shares = np.array([*np.repeat(np.eye(3), PURE_EACH, axis=0), *MIXED])
    at = shares @ CORNERS
    at += fan_out(at, step=9.0, reach=32.0)
    colours = task_colours(shares.T)
    parts = [edges()]
    for (x, y), colour, share in zip(at, colours, shares, strict=True):
        parts.append(dot(x, y, colour) if share.max() == 1.0 else diamond(x, y, colour))
    for mixture, (x, y, caption) in BESIDE.items():
        parts.append(pattern(np.array(mixture) @ PATTERNS, x, y, of_mixture(mixture), caption))
    parts += [word(220, 26, "pure tasks", 17), word(220, 214, "mixed tasks", 17)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">' + "".join(parts) + "</svg>"
    )


def of_mixture(mixture: tuple[float, ...]) -> str:
    return task_colours(np.array([mixture]).T)[0]


def edges() -> str:
    points = " ".join(f"{x:g},{y:g}" for x, y in CORNERS)
    return f'<polygon points="{points}" fill="none" stroke="{INK}" stroke-opacity="0.6"/>'


def dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{colour}" {RIM}/>'


def diamond(x: float, y: float, colour: str) -> str:
    path = f"M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9 -9z"
    return f'<path d="{path}" fill="{colour}" {RIM}/>'


def pattern(values: np.ndarray, x: float, y: float, colour: str, caption: str) -> str:
    """Coefficients as bars above and below zero, with a word under them."""
    left = x - 6.0 * len(values)
    bars = "".join(
        f'<rect x="{left + 12 * d + 1.5:.1f}" y="{y - max(v, 0) * 2:.1f}" width="9" '
        f'height="{abs(v) * 2:.1f}" fill="{colour}"/>'
        for d, v in enumerate(values)
    )
    zero = f'<path d="M{left:.1f} {y}h{12 * len(values)}" stroke="{INK}"/>'
    return bars + zero + word(x, y + 32, caption, 15)


def word(x: float, y: float, text: str, size: int) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="middle" font-size="{size}" '
        f'fill="{INK}">{text}</text>'
    )
