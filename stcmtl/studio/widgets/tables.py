"""A table on a page: a search, the clusters to keep, rows that are picked tasks, and files of it.

A click on the head of a column sorts by it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from stcmtl.studio.state import picks
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets.files import offer_files
from stcmtl.studio.words.sentences import literal

MANY = 5  # clusters to pick from: they need lines of their own
MAIN = "main cluster"
DIGITS, MOST_DIGITS = 3, 15  # significant, and all before the decimal point; files have the rest
SHARE = st.column_config.ProgressColumn(format="%.2f", min_value=0, max_value=1)
SHARE_WIDTH = 130  # pixels of a share with its bar
NARROW = st.column_config.NumberColumn(format="%.2f", width=72)  # a share where there are many
ROOM = 620  # pixels for all columns in a window of 1024
LETTER, SIDES = 6.5, 20  # pixels of a letter, and of what is beside it in a cell
NOTHING = "–"  # in an empty cell
FEW = 8  # rows that nobody needs to search
MOST_SHOWN = 1_000  # rows that a browser gets: nobody scrolls further, and 100,000 are 10 MB


def show_table(
    frame: pd.DataFrame,
    view: str,
    *,
    tasks: Sequence[int] | NDArray[Any] | None = None,
    noun: str = "task",
    config: Mapping[str, Any] | None = None,
    spare: Sequence[Sequence[str]] = (),
    look: Callable[[pd.DataFrame], Any] = lambda part: part,
    numbers: Callable[[pd.DataFrame], pd.DataFrame] = lambda part: part,
) -> None:
    """One row per ``noun``; with the number of a task for each row, rows can be picked.

    Of a wide table ``spare`` columns wait in its menu, group by group; files have all. ``look``
    makes of the rows that are kept what is shown: a table, or one with a style and digits of its
    own; ``numbers`` makes what the files hold.
    """
    shown = choose_rows(frame, view)
    part = frame.iloc[shown]
    if part.empty:
        searched = st.session_state.get(f"{view}.search")
        st.caption(f"No {noun} has that in its name." if searched else "There are none.")
        return
    drawn = shown[:MOST_SHOWN]
    if drawn.size < shown.size:
        everybody = f"{drawn.size:,} of {shown.size:,} rows are shown"
        st.caption(f"The first {everybody}; a search finds the others, and files have all.")
    seen = look(frame.iloc[drawn])
    told = (round_numbers(frame) if isinstance(seen, pd.DataFrame) else {}) | {**(config or {})}
    told |= make_room(frame.iloc[drawn], told, spare)
    if None in told.values():
        st.caption("More columns are in the menu of the table, and in its files.")
    options: dict[str, Any] = {"hide_index": True, "column_config": told, "placeholder": NOTHING}
    if tasks is None:
        st.dataframe(seen, key=f"{view}.table", **options)
    else:
        own = name_part(f"{view}.table", drawn, len(frame))
        pick_rows(seen, own, np.asarray(tasks)[drawn], options)
    offer_files(lambda: numbers(part), f"{view}-table", "Table")


def make_room(
    frame: pd.DataFrame, told: Mapping[Any, Any], spare: Sequence[Sequence[str]]
) -> dict[Any, Any]:
    """What makes a wide table narrower: shares without bars, then fewer columns at first sight."""
    shares = [name for name in frame if told.get(name) is SHARE]
    widths = {
        name: (told.get(name) or {}).get("width") or find_width(name, values)
        for name, values in frame.items()
    }
    if sum((widths | dict.fromkeys(shares, SHARE_WIDTH)).values()) <= ROOM:
        return {}
    changed: dict[Any, Any] = dict.fromkeys(shares, NARROW)
    widths |= dict.fromkeys(shares, NARROW["width"])
    for together in spare:
        if sum(widths.values()) > ROOM:
            gone = [name for name in together if name in widths]
            widths, changed = widths | dict.fromkeys(gone, 0.0), changed | dict.fromkeys(gone)
    return changed


def find_width(name: Any, values: pd.Series) -> float:
    """About how many pixels a column takes, its head included."""
    few = values.head(FEW)
    longest = DIGITS + 2 if values.dtype.kind in "fib" else max(map(len, map(str, few)), default=0)
    return SIDES + LETTER * max(len(str(name)), longest)


def show_numbers(frame: pd.DataFrame, key: str, **options: Any) -> None:
    """A plain table, in few digits."""
    st.dataframe(
        frame, hide_index=True, key=key, column_config=round_numbers(frame), placeholder=NOTHING,
        **options,
    )  # fmt: skip


def round_numbers(frame: pd.DataFrame) -> dict[Any, Any]:
    """Few digits for what was measured, whatever its units."""
    measured = frame.select_dtypes("floating")
    return {
        name: st.column_config.NumberColumn(format=f"%.{max(DIGITS, whole)}g")
        for name, whole in zip(measured, count_whole_digits(measured), strict=True)
    }


def count_whole_digits(frame: pd.DataFrame) -> list[int]:
    """Before the decimal point, of the largest number of each column."""
    largest = frame.abs().replace(np.inf, np.nan).max().fillna(0.0)
    return [min(MOST_DIGITS, len(str(int(value)))) for value in largest]


def choose_rows(frame: pd.DataFrame, view: str) -> NDArray[np.intp]:
    """Places of the rows that have the text that is searched for, and a cluster that is kept."""
    keep = np.ones(len(frame), dtype=bool)
    if len(frame) <= FEW:
        return np.flatnonzero(keep)
    clusters = list(dict.fromkeys(frame[MAIN])) if MAIN in frame else []
    # beside a field pills do not break lines, below it they do
    with st.container(horizontal=len(clusters) < MANY, vertical_alignment="bottom", gap="medium"):
        wanted = st.text_input(
            "Search", key=f"{view}.search", placeholder="Part of a name", width=260
        )
        if wanted:
            keep &= has_text(frame, wanted)
        if len(clusters) > 1:
            key = f"{view}.clusters.{digest(clusters)}"
            some = st.pills(
                "Clusters", clusters, selection_mode="multi", key=key, format_func=literal
            )
            keep &= frame[MAIN].isin(some).to_numpy() if some else True
    return np.flatnonzero(keep)


def has_text(frame: pd.DataFrame, wanted: str) -> NDArray[np.bool_]:
    """Whether a row has a text in any column that is not of numbers."""
    texts = [c for _, c in frame.items() if not pd.api.types.is_numeric_dtype(c)]
    found = [c.astype(str).str.contains(wanted, case=False, regex=False) for c in texts]
    return np.logical_or.reduce(found)


def pick_rows(part: Any, view: str, tasks: NDArray[Any], options: dict[str, Any]) -> None:
    """Rows that are picked are picked tasks, here and on every page."""
    st.dataframe(
        part,
        key=picks.key_of(view),
        on_select=lambda: picks.from_rows(view, tasks.tolist()),
        selection_mode="multi-row",
        selection_default={
            "selection": {"rows": np.flatnonzero(np.isin(tasks, list(current().picked))).tolist()}
        },
        **options,
    )


def name_part(view: str, shown: NDArray[np.intp], n_rows: int) -> str:
    """Other rows are another view: what was picked in one is told by place."""
    return view if len(shown) == n_rows else f"{view}.{digest(shown.tolist())}"


def digest(values: Iterable[Any]) -> str:
    return sha256(repr(list(values)).encode()).hexdigest()[:12]
