"""A report as HTML: one file, no network, light or dark as the reader prefers.

In tables every text is escaped and every number has three digits.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from stcmtl.figures import describe
from stcmtl.phrases import digits, in_order

MISSING = "–"
LONGEST_LINE = 30  # characters of a text that a table has on one line
STYLE, SCRIPT = (
    files("stcmtl.report").joinpath(f"page.{kind}").read_text(encoding="utf-8")
    for kind in ("css", "js")
)


def figure(drawn: go.Figure) -> str:
    """A figure's place, and its data."""
    height = drawn.layout.height
    return (
        f"<figure role=img aria-label={quote(describe(drawn))}>"
        f'<div class=plot style="height:{height}px"></div>'
        f"{data_block(drawn.to_json())}</figure>"
    )


def data_block(data: str, name: str = "") -> str:
    """JSON as a block that nothing in it can close."""
    for sign in "<>&\u2028\u2029":
        data = data.replace(sign, f"\\u{ord(sign):04x}")
    return f"<script type=application/json{f' id={name}' if name else ''}>{data}</script>"


def section(title: str, body: str) -> str:
    return f"<section id={anchor(title)}><h2>{escape(title)}</h2>{body}</section>"


def contents(titles: Iterable[str]) -> str:
    """Links to the sections."""
    items = "".join(f'<li><a href="#{anchor(title)}">{escape(title)}</a></li>' for title in titles)
    return f"<nav aria-label=Contents><ol>{items}</ol></nav>"


def anchor(title: str) -> str:
    return "-".join(re.findall("[a-z]+", title.lower()))


def card_box(name: str, colour: str, *parts: str) -> str:
    """What belongs together under one name, with the colour that stands for it."""
    dot = f'<span class=dot style="background:{colour}"></span>'
    return f"<article><h3>{dot}{escape(in_order(name))}</h3>{''.join(parts)}</article>"


def cell(value: Any) -> str:
    """A value as the reader sees it, escaped."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return MISSING if np.isnan(value) else digits(float(value))
    return escape(str(value))


def kind_of(column: pd.Series) -> str:
    """How its cells are set: numbers to the right, sentences on several lines."""
    if column.dtype.kind in "iuf":
        return " class=number"
    return " class=long" if max(map(len, map(str, column)), default=0) > LONGEST_LINE else ""


def data_table(frame: pd.DataFrame, caption: str, colours: Sequence[str] = ()) -> str:
    """A frame as a table that scrolls; `colours` put a dot before the first cell of each row."""
    kinds = [kind_of(column) for _, column in frame.items()]
    head = "".join(
        f"<th scope=col{kind}>{escape(str(name))}</th>"
        for kind, name in zip(kinds, frame.columns, strict=True)
    )
    dots = [f'<span class=dot style="background:{c}"></span>' for c in colours] or [""] * len(frame)
    rows = []
    for dot, row in zip(dots, frame.itertuples(index=False), strict=True):
        first, *others = row
        cells = "".join(
            f"<td{kind}>{cell(value)}</td>" for kind, value in zip(kinds[1:], others, strict=True)
        )
        rows.append(f"<tr><th scope=row>{dot}{cell(first)}</th>{cells}</tr>")
    return (
        f"<div class=scroll tabindex=0 role=region aria-label={quote(caption)}><table>"
        f"<caption>{escape(in_order(caption))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def pair_list(pairs: Mapping[str, Any]) -> str:
    """Names and what they stand for."""
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{cell(value)}</dd></div>" for name, value in pairs.items()
    )
    return f"<dl>{items}</dl>"


def paragraph(*sentences: str) -> str:
    told = escape(in_order(" ".join(sentences)))
    return f"<p>{told}</p>" if told else ""


def quote(text: str) -> str:
    return f'"{escape(text)}"'


def page(title: str, opening: Sequence[str], sections: Mapping[str, str]) -> str:
    """The whole report: an opening, what is inside, and that."""
    told = "".join(section(name, body) for name, body in sections.items())
    body = f"{''.join(opening)}{contents(sections)}{told}"
    return document(title, STYLE, body, get_plotlyjs(), SCRIPT)


def document(title: str, style: str, body: str, *scripts: str, theme: str = "") -> str:
    """A document in which only the given scripts may run, and nothing is fetched.

    Without a theme, "light" or "dark", it follows the reader's.
    """
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return (
        f"<!doctype html><html lang=en{f' data-theme={theme}' if theme else ''}>"
        '<head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body><main>{body}</main>"
        f"{''.join(f'<script>{script}</script>' for script in scripts)}</body></html>"
    )


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()
