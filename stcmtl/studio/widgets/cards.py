"""Cards: side by side on a page, and the one in the sidebar that tells what is in hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from stcmtl.studio.state.session import current
from stcmtl.studio.words.sentences import literal


@dataclass(frozen=True)
class Card:
    """What one finds behind a button."""

    title: str
    sentence: str
    note: str = ""


def gallery(
    cards: Mapping[str, Card],
    per_row: int,
    open_one: Callable[[str], None],
    key: str,
    **button: Any,
) -> None:
    """Rows of cards of one height, with their buttons at the bottom.

    The button of a card opens it by its name and has the key ``key.name``.
    """
    names = list(cards)
    for start in range(0, len(names), per_row):
        row = names[start : start + per_row]
        for column, name in zip(st.columns(per_row), row, strict=False):
            with column, st.container(border=True, height="stretch"):
                show(cards[name])
                st.button(
                    "Open", key=f"{key}.{name}", on_click=open_one, args=(name,),
                    width="stretch", **button,
                )  # fmt: skip


def show(card: Card) -> None:
    with st.container(height="stretch", gap="xsmall"):
        st.markdown(f"**{card.title}**")
        st.markdown(card.sentence)
        if card.note:
            st.caption(card.note)


def show_status() -> None:
    """What is loaded, what was fitted, and whether that still holds."""
    with st.container(border=True, key="status"):
        loaded = current().data
        if loaded is None:
            st.caption("No tasks yet. Simulate some, open an example or upload a file.")
            return
        choice = current().fit_choice
        T, D = len(loaded.train), len(loaded.train.feature_names)
        st.markdown(f"**{literal(loaded.name)}**  \n{T} tasks × {D} features")
        st.caption(f"K = {choice.k}, {choice.method}")
        st.markdown(condition())
        st.button(
            "Run",
            key="status.run",
            type="primary",
            icon=":material/play_arrow:",
            on_click=current().run_fit,
            disabled=current().job is not None,
            width="stretch",
        )


def condition() -> str:
    if current().job is not None:
        return ":blue-badge[:material/progress_activity: running]"
    if current().fitted is None:
        return ":gray-badge[not fitted]"
    if current().is_stale:
        return ":orange-badge[:material/history: settings changed since the run]"
    return ":green-badge[:material/check: fitted]"
