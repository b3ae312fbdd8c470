"""The replay of a fit as a small page of its own: no library, no network, for slides and pages."""

import json
from base64 import b64encode
from html import escape, unescape
from importlib.resources import files
from typing import Any

import numpy as np
import plotly.graph_objects as go

from stcmtl.figures import describe
from stcmtl.figures.pieces import Array
from stcmtl.figures.pieces.style import BLUE, ORANGE
from stcmtl.report.page import data_block, document, paragraph, quote

STYLE, SCRIPT = (
    files("stcmtl.report").joinpath(f"replay.{kind}").read_text(encoding="utf-8")
    for kind in ("css", "js")
)
COLOURS = (
    "<span class=key><span id=least></span><span id=colours></span><span id=most></span></span> "
    "blank: exactly zero."
)
SHADES = 127  # of each sign: a coefficient takes one byte
PLACE_DIGITS = 3
KEYS = "Arrow keys take a step, Home and End go to the first and the last one."


def replay_html(figure: go.Figure, title: str = "", *, theme: str = "") -> str:
    """A page that plays `figures.replay(...)`: one slider, play, steps, arrow keys.

    Parameters
    ----------
    figure : what `stcmtl.figures.replay` has drawn; where nothing moved, the page says so.
    title : above the film; by default there is none.
    theme : "light" or "dark"; by default that of the reader.

    >>> from stcmtl.report import replay_html
    >>> replay_html(figures.replay(model.history_))[:15]
    '<!doctype html>'
    """
    said = [part for part in (figure.layout.title.subtitle.text or "").split("<br>") if part]
    heading = f"<h1>{escape(title)}</h1>" if title else ""
    name = title or "Replay"
    if not figure.frames:
        words = " ".join([unescape(figure.layout.title.text) + ".", *map(unescape, said)])
        return document(name, STYLE, f"{heading}{paragraph(words)}", theme=theme)
    start = figure.layout.sliders[0].active
    body = (
        f"{heading}<p id=words role=status></p>"
        "<nav aria-label=Replay><button id=play aria-label=Play>▶</button>"
        "<button id=back aria-label='One step back'>‹</button>"
        f"<input id=slider type=range min=0 value={start} data-start={start} aria-label=Step>"
        "<button id=next aria-label='One step on'>›</button></nav>"
        f"<div class=pictures role=img aria-label={quote(describe(figure))}>"
        "<figure><canvas id=places></canvas><figcaption>Tasks on the simplex: pure ones are "
        "round.</figcaption></figure>"
        "<figure><canvas id=cells></canvas><figcaption>Tasks across, features down. "
        f"{COLOURS}</figcaption></figure></div>"
        f"<p>{' '.join([*said, KEYS])}</p><div id=tip hidden></div>"
        f"{data_block(json.dumps(film(figure), separators=(',', ':')), 'film')}"
    )
    return document(name, STYLE, body, SCRIPT, theme=theme)


def film(figure: go.Figure) -> dict[str, Any]:
    """What the page needs of the figure: lines, corners, names, and every frame."""
    tasks, cells = (figure.data[i] for i in figure.frames[0].traces)
    limit = float(figure.layout.coloraxis.cmax)
    edges = next(trace for trace in figure.data if trace.name == "edges")
    return {
        "lines": lines(edges.x, edges.y),
        "corners": corners(edges.x, edges.y, figure.layout.annotations),
        "tasks": [unescape(text.split("<br>")[0]) for text in tasks.hovertext],
        "columns": list(map(unescape, cells.x)),
        "features": list(map(unescape, cells.y)),
        "limit": limit,
        "blue": BLUE,
        "orange": ORANGE,
        "frames": [
            {
                "label": frame.name,
                "x": numbers(frame.data[0].x),
                "y": numbers(frame.data[0].y),
                "c": list(frame.data[0].marker.color),
                "s": [int(symbol == "circle") for symbol in frame.data[0].marker.symbol],
                "z": shades(np.asarray(frame.data[1].z, dtype=float), limit),
            }
            for frame in figure.frames
        ],
    }


def lines(x: Array, y: Array) -> list[list[float]]:
    """Segments, which plotly has as one line with gaps."""
    ends = np.column_stack([x, y]).reshape(-1, 3, 2)[:, :2].reshape(-1, 4)
    return ends.round(PLACE_DIGITS).tolist()


def corners(x: Array, y: Array, names: Any) -> list[list[Any]]:
    """Places and names of the corners; a single one lies in the middle."""
    ends = np.column_stack([x, y])
    ends = ends[~np.isnan(ends[:, 0])] if len(ends) else np.zeros((1, 2))
    found = []
    for name in names:
        nearest = np.abs(ends - [name.x, name.y]).sum(axis=1).argmin()
        place = ends[nearest].round(PLACE_DIGITS).tolist()
        found.append([*place, unescape(name.text.replace("<br>", " "))])
    return found


def numbers(values: Any) -> list[float | None]:
    """Rounded, for JSON, which knows no NaN."""
    rounded = np.asarray(values, dtype=float).round(PLACE_DIGITS).tolist()
    return [None if value != value else value for value in rounded]


def shades(W: Array, limit: float) -> str:
    """A byte for every coefficient; only an exact zero is zero."""
    size = np.clip(np.rint(SHADES * np.abs(W) / limit), 1, SHADES) * (W != 0)
    return b64encode((np.sign(W) * size).astype(np.int8).tobytes()).decode()
