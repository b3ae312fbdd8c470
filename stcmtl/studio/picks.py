"""Tasks picked in one view are picked in all of them.

A chart or table remembers what was picked in it, says nothing when the same is picked again, and
sends it with every run. So views get a new key with each pick and begin afresh, with what is
picked by then; only a table whose rows were just picked keeps its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from stcmtl.studio import session


def key_of(view: str) -> str:
    """The key under which a view is drawn now."""
    kept = session.get("kept_view", {})
    return kept.get(view) or f"{view}.{session.get('picks', 0)}"


def pick(tasks: Iterable[int], keep: str = "") -> None:
    """Pick these tasks and no others; ``keep`` is a view that is not to begin afresh."""
    session.put("kept_view", {keep: key_of(keep)} if keep else {})
    session.put("picks", session.get("picks", 0) + 1)
    session.pick(tasks)


def clear() -> None:
    pick(())


def from_points(view: str) -> None:
    """A click picks a task or lets go of it; a box or lasso adds all that is in it."""
    touched = set(map(int, customdata(st.session_state[key_of(view)].selection.points)))
    picked = session.picked()
    pick(picked ^ touched if len(touched) == 1 else picked | touched)


def from_rows(view: str) -> None:
    """The picked rows of a table with a row a task."""
    pick(st.session_state[key_of(view)].selection.rows, keep=view)


def customdata(points: Iterable[Any]) -> list[Any]:
    """The first value that each picked point carries, of those that carry any."""
    values = (point.get("customdata") for point in points)
    return [v[0] if isinstance(v, (list, tuple)) else v for v in values if v is not None]


def clear_button(key: str) -> None:
    st.button(
        f"Clear {len(session.picked())} picked",
        key=key,
        icon=":material/close:",
        on_click=clear,
        type="tertiary",
    )
