"""A figure on a page: linked picks, the maths behind it, and downloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.studio import session

Table = Callable[[], pd.DataFrame]


def show(
    figure: go.Figure,
    key: str,
    *,
    maths: str,
    table: Table | None = None,
    pickable: bool = False,
) -> None:
    """Draw a figure with its tools above it.

    ``maths`` is what the info popover says; ``table`` makes what the CSV download holds. In a
    pickable figure, points carry the number of their task as customdata.
    """
    form = tools(figure, key, maths, table)
    options: dict[str, Any] = {}
    if pickable:
        options = {
            "on_select": lambda: take_picks(key),
            "selection_mode": ("points", "box", "lasso"),
        }
        figures.highlight(figure, session.picked())
    st.plotly_chart(
        figure,
        key=key,
        alt=figures.describe(figure),
        config={
            "displaylogo": False,
            "toImageButtonOptions": {"format": form, "filename": key, "scale": 2},
        },
        **options,
    )


def tools(figure: go.Figure, key: str, maths: str, table: Table | None) -> str:
    """Info and download popovers; returns the format of the figure's camera button."""
    with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        if session.picked():
            st.button(
                f"Clear {len(session.picked())} picked",
                key=f"{key}.clear",
                icon=":material/close:",
                on_click=session.pick,
                args=((),),
                type="tertiary",
            )
        with st.popover("Maths", icon=":material/function:", type="tertiary"):
            st.markdown(maths)
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            form = st.segmented_control(
                "Picture",
                ["png", "svg"],
                default="png",
                required=True,
                key=f"{key}.format",
                help="The camera above the figure saves it in this format.",
            )
            if table is not None:
                st.download_button(
                    "Numbers as CSV",
                    data=lambda: table().to_csv(index=False),
                    file_name=f"{key}.csv",
                    mime="text/csv",
                    on_click="ignore",
                    key=f"{key}.csv",
                )
    return str(form)


def take_picks(key: str) -> None:
    """What was picked in this figure is picked in all of them."""
    points = st.session_state[key].selection.points
    numbers = (point.get("customdata") for point in points)
    flat = (n[0] if isinstance(n, (list, tuple)) else n for n in numbers if n is not None)
    session.pick(int(n) for n in flat)
