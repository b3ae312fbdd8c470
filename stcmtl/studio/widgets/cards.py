"""Cards side by side: of one height, with their buttons at the bottom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st


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
    """Rows of cards; the button of a card opens it by its name and has the key ``key.name``."""
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
