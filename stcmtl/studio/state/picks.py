"""Tasks picked in one view are picked in all of them.

A chart or table remembers what was picked in it, says nothing when the same is picked again, and
sends it with every run. So views get a new key with each pick and begin afresh, with what is
picked by then; only a table whose rows were just picked keeps its own.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from stcmtl.studio.state.session import current

TASK_COLUMNS = "A click in a column picks its task, here and on every page."
CLUSTER_COLUMNS = "A click in a column picks the tasks of that cluster, here and on every page."


def key_of(view: str) -> str:
    """The key under which a view is drawn now."""
    return current().kept_view.get(view) or f"{view}.{current().picks}"


def pick(tasks: Iterable[int], keep: str = "") -> None:
    """Pick these tasks and no others; ``keep`` is a view that is not to begin afresh."""
    session = current()
    session.kept_view = {keep: key_of(keep)} if keep else {}
    session.picks += 1
    session.picked = frozenset(tasks)


def clear() -> None:
    pick(())


def from_points(view: str) -> None:
    """A click picks a task or lets go of it; what stands for several adds them all."""
    touched = set(map(int, customdata(st.session_state[key_of(view)].selection.points)))
    picked = current().picked
    pick(picked ^ touched if len(touched) == 1 else picked | touched)


def from_rows(view: str, tasks: Sequence[int]) -> None:
    """The picked rows of a table, in which each row is one of these tasks; others stay picked."""
    rows = st.session_state[key_of(view)].selection.rows
    pick((current().picked - {*tasks}) | {tasks[row] for row in rows}, keep=view)


def customdata(points: Iterable[Any]) -> list[Any]:
    """All that the picked points carry: a value, several, or none each."""
    carried = [p["customdata"] for p in points if p.get("customdata") is not None]
    return [v for some in carried for v in (some if isinstance(some, (list, tuple)) else [some])]
