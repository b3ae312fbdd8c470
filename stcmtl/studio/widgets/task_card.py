"""The card of a task: opened from whatever picks it, or by its name."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from stcmtl import figures
from stcmtl.evaluation import task_cards
from stcmtl.evaluation.tables import shown_scale
from stcmtl.studio.widgets import charts
from stcmtl.studio.widgets.tables import show_numbers
from stcmtl.studio.words.parts import part_of_card
from stcmtl.studio.words.scripts import Sources, write_script
from stcmtl.studio.words.sentences import literal
from stcmtl.studio.work.fits import Fitted

MOST_ROWS = 200


def show_card(result: Fitted, task: int) -> None:
    """Open the card of a task, by its place among the fitted ones, over the page."""
    name = literal(result.model.task_names_[task])

    @st.dialog(name, width="large")
    def opened() -> None:
        fill(result, task)

    opened()


def fill(result: Fitted, task: int) -> None:
    """Who it is, its clusters, its fit beside its own alone, its rows."""
    card = task_cards.task_card(result.model, result.data.train, result.data.test, task)
    sources = [Sources(result.data, result, parts=[part_of_card(card, result.data)])]
    said = [
        task_cards.say_kind(card),
        task_cards.say_own_part(card),
        task_cards.say_errors(card),
        task_cards.say_alike_tasks(card),
    ]
    st.markdown("  \n".join(literal(sentence) for sentence in said if sentence))
    sure, rows = st.columns(2) if card.intervals is not None else (None, st.container())
    if sure is not None and card.intervals is not None:
        names = card.cluster_names
        with sure:
            draw(
                figures.share_intervals(card.shares, *card.intervals, cluster_names=names),
                "card-shares", sources,
            )  # fmt: skip
    with rows:
        draw(
            figures.task_rows_fit(
                card.rows["actual"], card.rows["predicted"], card.rows["test"],
                labels=card.labels or None,
            ),
            "card-rows", sources,
        )  # fmt: skip
    whose = "its clusters" if "by clusters" in card.coefficients else "this fit"
    scaled = shown_scale(result.model) is not None
    unit = ", per standard deviation of the feature" if scaled else ""
    st.markdown(f"**Coefficients** of {whose} beside those of a LASSO for this task alone{unit}")
    show_numbers(card.coefficients, "card.coefficients", height=220)
    if len(card.rows) > MOST_ROWS:
        st.markdown(f"**Rows**, the first {MOST_ROWS} of {len(card.rows):,}")
    else:
        st.markdown(f"**Rows**, all {len(card.rows):,}")
    show_numbers(card.rows[:MOST_ROWS], "card.rows", height=220)


def draw(figure: go.Figure, key: str, sources: Sequence[Sources]) -> None:
    st.plotly_chart(figure, alt=figures.describe(figure), config={"displayModeBar": False})
    with st.container(horizontal=True, horizontal_alignment="right"):
        charts.offer_script(write_script(figure, sources), key)


def search(result: Fitted, key: str) -> None:
    """A field in which a task is found by its name; the card opens when one is chosen."""
    names, count, wanted = [str(n) for n in result.model.task_names_], f"{key}.n", f"{key}.wanted"
    field = f"{key}.{st.session_state.get(count, 0)}"

    def take() -> None:
        st.session_state[wanted] = st.session_state[field]
        st.session_state[count] = st.session_state.get(count, 0) + 1  # empty again for the next

    st.selectbox(
        "Open the card of a task", range(len(names)), None, format_func=names.__getitem__,
        key=field, placeholder="Type its name", width=320, on_change=take,
    )  # fmt: skip
    if (task := st.session_state.pop(wanted, None)) is not None:
        show_card(result, task)
