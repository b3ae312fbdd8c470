"""A report as HTML: one file, no network, light or dark as the reader prefers.

In tables every text is escaped and every number has three digits.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from stcmtl.figures import describe
from stcmtl.phrases import digits

MISSING = "–"

STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --panel: #f3f5f7; --ink: #1d2733;
  --quiet: #55616e; --line: #dde2e7; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #12161b; --panel: #1d242c; --ink: #e4e9ee; --quiet: #a3aeb9; --line: #323b45; }
}
@media print { :root { color-scheme: light; } @page { margin: 14mm; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 "Source Sans 3", "Source Sans Pro", system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: .2rem 0 .8rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; padding-top: .8rem;
  border-top: 1px solid var(--line); }
p { margin: .4rem 0; max-width: 46rem; overflow-wrap: anywhere; }
.kicker, .quiet, caption { color: var(--quiet); overflow-wrap: anywhere; }
.doubt { border-left: 4px solid #c38700; padding: .2rem .8rem; background: var(--panel); }
figure { margin: 1.4rem 0; }
.scroll { overflow: auto; max-height: 32rem; border: 1px solid var(--line); margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .5rem .6rem; }
th, td { padding: .25rem .6rem; text-align: left; border-bottom: 1px solid var(--line);
  font-weight: 400; }
td { white-space: nowrap; }
tbody th { min-width: 9rem; max-width: 22rem; overflow-wrap: anywhere; }
thead th { position: sticky; top: 0; background: var(--panel); font-weight: 600;
  white-space: nowrap; }
.number { text-align: right; }
.dot { display: inline-block; width: .75em; height: .75em; border-radius: 50%;
  margin-right: .5em; box-shadow: 0 0 0 1px #737f8c; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
  gap: .5rem 1.5rem; margin: .8rem 0; }
dt { color: var(--quiet); font-size: .85rem; }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.words dl { grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); }
.words dt { color: var(--ink); font-weight: 600; font-size: 1rem; }
.js-plotly-plot .main-svg text:not(.hoverlayer text) { fill: var(--ink) !important; }
@media print {
  body { font-size: 11pt; }
  main { max-width: none; padding: 0; }
  table { font-size: 7.5pt; }
  figure, tr, .words div { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll { max-height: none; overflow: visible; }
  thead th { position: static; }
  .modebar { display: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""

# Figures are data blocks beside their places: the script draws them when the page is there.
SCRIPT = """
const places = [...document.querySelectorAll("figure > .plot")];
for (const place of places) {
  const drawn = JSON.parse(place.nextElementSibling.textContent);
  Plotly.newPlot(place, drawn.data, drawn.layout,
    { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d"] });
}
const paper = 680;
addEventListener("beforeprint", () => places.forEach(p => Plotly.relayout(p, { width: paper })));
addEventListener("afterprint", () => places.forEach(p => Plotly.relayout(p, { width: null })));
"""


def figure(drawn: go.Figure) -> str:
    """A figure's place, and its data as a block that nothing in it can close."""
    data = drawn.to_json()
    for sign in "<>&\u2028\u2029":
        data = data.replace(sign, f"\\u{ord(sign):04x}")
    height = drawn.layout.height
    return (
        f"<figure role=img aria-label={quote(describe(drawn))}>"
        f'<div class=plot style="height:{height}px"></div>'
        f"<script type=application/json>{data}</script></figure>"
    )


def section(title: str, *parts: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def cell(value: Any) -> str:
    """A value as the reader sees it, escaped."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return MISSING if np.isnan(value) else digits(float(value))
    return escape(str(value))


def data_table(frame: pd.DataFrame, caption: str, colours: Sequence[str] = ()) -> str:
    """A frame as a table that scrolls; `colours` put a dot before the first cell of each row."""
    numeric = [dtype.kind in "iuf" for dtype in frame.dtypes]
    kinds = [" class=number" if number else "" for number in numeric]
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
        f"<caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def pair_list(pairs: Mapping[str, Any]) -> str:
    """Names and what they stand for."""
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{cell(value)}</dd></div>" for name, value in pairs.items()
    )
    return f"<dl>{items}</dl>"


def paragraph(*sentences: str) -> str:
    return f"<p>{escape(' '.join(sentences))}</p>" if sentences else ""


def quote(text: str) -> str:
    return f'"{escape(text)}"'


def page(title: str, parts: Sequence[str]) -> str:
    """The whole document: only the two scripts of this module may run, and nothing is fetched."""
    library = get_plotlyjs()
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in (library, SCRIPT))
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html><html lang=en><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><main>{''.join(parts)}</main>"
        f"<script>{library}</script><script>{SCRIPT}</script></body></html>"
    )


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()
