"""Columns of tasks, such as their region: to colour by, to pick by, and against the clusters."""

import pandas as pd
import streamlit as st

from stcmtl.evaluation.task_columns import has_order, relate_columns, say_columns, say_going
from stcmtl.phrases import counted
from stcmtl.studio.state import picks
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import current
from stcmtl.studio.widgets.controls import note_view, recall_view
from stcmtl.studio.widgets.tables import show_table
from stcmtl.studio.words.sentences import literal
from stcmtl.studio.work.fits import Fitted
from stcmtl.studio.work.trust import name_fit

CLUSTERS = "clusters"
SMALL = 10_000  # bytes of a table of tests
P_HELP = "Of a permutation test; corrected for the number of columns after Holm."


def choose_colour(data: Loaded) -> str:
    """The column to colour tasks by, empty for their clusters; beside it the way to pick by one.

    Without columns there is nothing to choose.
    """
    columns = data.train.task_columns
    if columns is None:
        return ""
    names = list(map(str, columns))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        key = f"colour.{'.'.join(names)}"
        recall_view(key, CLUSTERS, lambda said: said if said in names else None)
        chosen = st.selectbox(
            "Colour by", [CLUSTERS, *names], key=key, width=240, persist_state="session",
            help="A column that says the same in all rows of a task.",
        )  # fmt: skip
        note_view(key, str(chosen), CLUSTERS)
        with st.popover("Pick tasks by a column", icon=":material/filter_alt:"):
            pick_by(columns)
    return "" if chosen == CLUSTERS else str(chosen)


def pick_by(columns: pd.DataFrame) -> None:
    """Tasks with some values of a column, picked here and on every page."""
    name = st.selectbox("Column", list(columns), key="columns.name")
    values = columns[name]
    if has_order(values) and values.nunique() > 2 and values.dtype.kind in "iuf":
        low, high = float(values.min()), float(values.max())
        least, most = st.slider("From, to", low, high, (low, high), key=f"columns.range.{name}")
        flags = (values >= least) & (values <= most)
    else:
        levels = sorted(values.dropna().astype(str).unique())
        some = st.multiselect("Values", levels, key=f"columns.values.{name}")
        flags = values.astype(str).isin(some)
    tasks = [i for i, keep in enumerate(flags) if keep]
    st.button(
        f"Pick {counted(len(tasks), 'task')}", key="columns.pick", disabled=not tasks,
        on_click=picks.pick, args=(tasks,), icon=":material/ads_click:",
    )  # fmt: skip


def show_relations(result: Fitted) -> None:
    """Which columns go with the clusters: a sentence, and the tests behind it."""
    columns = result.data.train.task_columns
    if columns is None or len(result.model.cluster_coef_) < 2:
        return
    table = relate(result)
    if not (said := say_columns(table)):
        return
    st.header("Which column goes with the clusters?", anchor=False)
    st.markdown(literal(said))
    p = st.column_config.NumberColumn(format="%.2g", help=P_HELP)
    share = st.column_config.ProgressColumn(
        format="percent", min_value=0, max_value=1,
        help="How far the column, in ranks if it has an order, and the memberships tell each "
        "other: 100% if one follows from the other.",
    )  # fmt: skip
    config = {"p": p, "corrected p": p, "explained": share}
    show_table(table, "columns", noun="column", config=config)


def say_beside_cards(result: Fitted) -> str:
    """Which columns go with the clusters, for the Overview; may be empty."""
    columns = result.data.train.task_columns
    if columns is None or len(result.model.cluster_coef_) < 2:
        return ""
    return say_going(relate(result))


def relate(result: Fitted) -> pd.DataFrame:
    """From the store where it was done before: thousands of permutations take a moment."""
    store, key = current().store, (*name_fit(result), "columns")
    if (known := store.get(key)) is not None:
        return known
    columns = result.data.train.task_columns
    assert columns is not None
    found = relate_columns(result.model, columns)
    store.put(key, found, SMALL)
    return found
