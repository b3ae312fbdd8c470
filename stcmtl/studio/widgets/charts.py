"""A figure on a page: linked picks, the maths behind it, downloads; how a simplex is drawn."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.evaluation.summary import called
from stcmtl.studio.state import picks
from stcmtl.studio.state.session import current, parse_places
from stcmtl.studio.widgets.controls import download, make_csv, note_view, pick_one, recall_view

Table = Callable[[], pd.DataFrame]
FLAT, SOLID = SHAPES = ("Flat", "Solid")


def show(
    figure: go.Figure, key: str, *, maths: str, table: Table | None = None, pickable: bool = False
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
        figure, picks.key_of(key), key, form, on_select=lambda: picks.from_points(key),
        selection_mode=("points", "box", "lasso"),
    )  # fmt: skip


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
    camera = {"format": form, "filename": name, "scale": 2}
    config = {"displaylogo": False, "toImageButtonOptions": camera}
    st.plotly_chart(figure, key=key, alt=figures.describe(figure), config=config, **options)


def tools(key: str, maths: str, table: Table | None) -> str:
    """Info and download popovers; returns the format of the figure's camera button."""
    with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        with st.popover("Maths", icon=":material/function:", type="tertiary"):
            st.markdown(maths)
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            form = pick_one(
                "Picture", ["png", "svg"], f"{key}.format",
                help="The camera at the top right of the figure saves it in this format.",
            )  # fmt: skip
            if table is not None:
                download(
                    "Numbers as CSV", lambda: make_csv(table()), f"{key}.csv", f"{key}.csv",
                    icon=None,
                )  # fmt: skip
    return form


def choose_simplex(names: Sequence[str]) -> tuple[list[int] | None, bool]:
    """Three clusters to look at alone, where there are more, and whether four lie flat."""
    n_clusters = len(names)
    if n_clusters <= 3:
        return None, False
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        shape = FLAT
        if n_clusters == 4:
            shape = pick_one("Shape", SHAPES, "memberships.shape")
        key = f"memberships.clusters.{n_clusters}"
        none: list[int] = []
        recall_view(key, none, lambda said: sorted(parse_places(said, n_clusters))[:3])
        chosen = st.multiselect(
            "Only three clusters", range(n_clusters), format_func=lambda k: called(k, names),
            max_selections=3, key=key, placeholder="All of them", persist_state="session",
            width=420,
        )  # fmt: skip
        note_view(key, ",".join(map(str, chosen)), "")
        if 0 < len(chosen) < 3:
            st.caption("Choose three clusters to see their triangle.")
    clusters = chosen if len(chosen) == 3 else None
    if clusters is None and shape == SOLID:
        st.caption("To pick tasks in this picture, choose Flat: a solid one can only be turned.")
    return clusters, shape == FLAT
