"""A figure on a page: linked picks, the maths behind it, and downloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.studio.state import picks
from stcmtl.studio.state.session import current

Table = Callable[[], pd.DataFrame]


def show(
    figure: go.Figure,
    key: str,
    *,
    maths: str,
    table: Table | None = None,
    pickable: bool = False,
) -> None:
    """Draw a figure of tasks with its tools above it; the picked ones stand out.

    ``maths`` is what the info popover says; ``table`` makes what the CSV download holds. In a
    pickable figure, points carry the number of their task as customdata, or its columns are
    tasks.
    """
    figures.highlight(figure, current().picked)
    form = tools(key, maths, table)
    if not pickable:
        draw(figure, key, key, form)
        return
    if columns := figures.tasks_across(figure):
        figures.click_columns(figure, columns)
    draw(
        figure,
        picks.key_of(key),
        key,
        form,
        on_select=lambda: picks.from_points(key),
        selection_mode=("points", "box", "lasso"),
    )


def show_choice(
    figure: go.Figure, key: str, take: Callable[[Any], None], *, maths: str, table: Table
) -> None:
    """Draw a figure in which a click on a point takes the value it carries as customdata."""

    def take_value() -> None:
        for value in picks.customdata(st.session_state[key].selection.points)[:1]:
            take(value)

    form = tools(key, maths, table)
    draw(figure, key, key, form, on_select=take_value, selection_mode="points")


def draw(figure: go.Figure, key: str, name: str, form: str, **options: Any) -> None:
    st.plotly_chart(
        figure,
        key=key,
        alt=figures.describe(figure),
        config={
            "displaylogo": False,
            "toImageButtonOptions": {"format": form, "filename": name, "scale": 2},
        },
        **options,
    )


def tools(key: str, maths: str, table: Table | None) -> str:
    """Info and download popovers; returns the format of the figure's camera button."""
    with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        with st.popover("Maths", icon=":material/function:", type="tertiary"):
            st.markdown(maths)
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            form = st.segmented_control(
                "Picture",
                ["png", "svg"],
                default="png",
                required=True,
                key=f"{key}.format",
                help="The camera at the top right of the figure saves it in this format.",
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
