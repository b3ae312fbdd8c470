"""Tables as HTML in which every text is escaped and every number has three digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from stcmtl.phrases import digits

MISSING = "–"


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
        f"<div class=scroll tabindex=0 role=region aria-label={quoted(caption)}><table>"
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


def quoted(text: str) -> str:
    return f'"{escape(text)}"'
