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
from stcmtl.studio.widgets.controls import download, note_view, pick_one, recall_view
from stcmtl.studio.widgets.files import offer_files, offer_model, offer_pictures
from stcmtl.studio.words.scripts import Sources, is_drawn_from, write_script
from stcmtl.studio.work.trust import examined_last

Table = Callable[[], pd.DataFrame]
# What wheel and double click do as well; a shorter bar leaves a title of 40 letters alone.
SPARED = ["zoomIn2d", "zoomOut2d", "autoScale2d"]
FLAT, SOLID = SHAPES = ("Flat", "Solid")


def show(
    figure: go.Figure,
    key: str,
    *,
    maths: str,
    table: Table | None = None,
    pickable: bool = False,
    coloured_by: str = "",
    sources: Sequence[Sources] | None = None,
) -> None:
    """Draw a figure of tasks with its tools above it; the picked ones stand out.

    ``maths`` is what the info popover says; ``table`` makes what the downloads of numbers hold. In
    a pickable figure, points carry the number of their task as customdata, or its columns are
    tasks. ``coloured_by`` is a column of the tasks in hand, and ``sources``
    are what the figure is made of, where that is not the fit.
    """
    drawn_as = picks.key_of(key) if pickable else key
    tools(key, maths, table, figure, drawn_as, coloured_by, sources)
    if coloured_by:
        colour(figure, coloured_by)
    figures.highlight(figure, current().picked)
    if not pickable:
        draw(figure, key, key)
        return
    if columns := figures.tasks_across(figure):
        figures.click_columns(figure, columns)
    draw(
        figure, drawn_as, key, on_select=lambda: picks.from_points(key),
        selection_mode=("points", "box", "lasso"),
    )  # fmt: skip


def show_choice(
    figure: go.Figure, key: str, take: Callable[[Any], None], *, maths: str, table: Table
) -> None:
    """Draw a figure in which a click on a point takes the value it carries as customdata."""

    def take_value() -> None:
        for value in picks.customdata(st.session_state[key].selection.points)[:1]:
            take(value)

    tools(key, maths, table, figure)
    draw(figure, key, key, on_select=take_value, selection_mode="points")


def draw(figure: go.Figure, key: str, name: str, **options: Any) -> None:
    camera = {"format": "png", "filename": name, "scale": 2}
    config: dict[str, Any] = {
        "displaylogo": False,
        "showSendToCloud": False,
        "toImageButtonOptions": camera,
    }
    config |= {"displayModeBar": "hover", "modeBarButtonsToRemove": SPARED}
    st.plotly_chart(figure, key=key, alt=figures.describe(figure), config=config, **options)


def tools(
    key: str,
    maths: str,
    table: Table | None,
    figure: go.Figure | None = None,
    drawn_as: str | None = None,
    coloured_by: str = "",
    sources: Sequence[Sources] | None = None,
) -> None:
    """Popovers with the maths, downloads and the script of a figure that is drawn under a key."""
    with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        with st.popover("Maths", icon=":material/function:", type="tertiary"):
            st.markdown(maths)
        script = ""
        if figure is not None:
            script = write_script(figure, sources or sources_of(figure), coloured_by)
        offer_script(script, key)
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            offer_pictures(drawn_as or key, key)
            if table is not None:
                offer_files(table, key, "Numbers")
            if (fitted := current().fitted) is not None:
                offer_model(fitted.model, key)


def offer_script(script: str, key: str) -> None:
    """What draws a figure again, to read, copy or take along."""
    if script:
        with st.popover("Python", icon=":material/code:", type="tertiary"):
            st.code(script, language="python")
            download("Script", script.encode, f"{key}.py", f"{key}.py")


def colour(figure: go.Figure, column: str) -> None:
    data = current().data
    if data is not None and data.train.task_columns is not None:
        figures.colour_tasks(figure, data.train.task_columns[column])


def sources_of(figure: go.Figure) -> list[Sources]:
    """What a figure on this page may be made of: the fit in hand, or another one that is shown.

    Resamples of an earlier fit come first for their own figures alone: others may hold the same
    numbers after both fits, and are of the fit in hand.
    """
    session = current()
    if session.data is None:
        return []
    trust, fits = examined_last(session.fitted), (session.fitted, session.spoken)
    found = [Sources(session.data, fit, session.kept_fit, curve=session.curve) for fit in fits]
    if trust is None or not is_drawn_from(figure, vars(trust.found).values()):
        return found
    return [Sources(session.data, trust.result, trust=trust), *found]


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
