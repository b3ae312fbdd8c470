"""The tasks in hand at a glance: rows, targets, test rows, a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from stcmtl import figures
from stcmtl.studio.state.choices import SIMULATED, UPLOAD
from stcmtl.studio.state.loading import Loaded
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import divide_again
from stcmtl.studio.widgets import charts, page
from stcmtl.studio.widgets.controls import controls
from stcmtl.studio.words import help
from stcmtl.studio.words.sentences import literal

DIVIDED_HERE = ("gapminder", "school", "isolet")  # the other examples come in two parts


def show(loaded: Loaded) -> None:
    result = current().fitted
    V = None if result is None else result.model.memberships_.T
    split_control(loaded)
    page.show_picked(loaded.train.task_names)
    left, right = st.columns([2, 3])
    with left:
        charts.show(
            figures.task_rows(loaded.train, loaded.test, V), "rows",
            maths=help.ROWS, table=lambda: tasks_table(loaded), pickable=True,
        )  # fmt: skip
    with right:
        charts.show(
            figures.task_targets(loaded.train, V), "targets",
            maths=help.TARGETS, table=lambda: tasks_table(loaded), pickable=True,
        )  # fmt: skip
    st.header("Tasks", anchor=False)
    st.dataframe(
        tasks_table(loaded), hide_index=True, key="data.tasks", on_select=pick_rows,
        selection_mode="multi-row",
    )  # fmt: skip


def split_control(loaded: Loaded) -> None:
    """How many rows are kept for testing, and which."""
    choice = current().data_choice
    if choice.source == SIMULATED:
        st.caption(f"Test rows: {choice.test_rows} more were drawn for every task.")
        return
    if choice.source != UPLOAD and choice.example not in DIVIDED_HERE:
        st.caption("Test rows: this data set comes in two parts, one to fit and one to test.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        changed = controls(choice, "held_out", "split", width=130)
    if changed != choice:
        divide_again(changed)
        st.rerun()
    if loaded.test is None and loaded.account and choice.held_out:
        st.warning(literal(loaded.account[-1]), icon=":material/warning:")


def tasks_table(loaded: Loaded) -> pd.DataFrame:
    """A row a task: its rows, and its target in numbers."""
    train, test = loaded.train, loaded.test
    own = pd.Series(train.y).groupby(train.tasks)
    table = pd.DataFrame({"task": train.task_names, "rows to fit": train.n_rows})
    if test is not None:
        kept = pd.Series(test.tasks).value_counts()
        table["rows to test"] = table["task"].map(kept).fillna(0).astype(int)
    if loaded.classification:
        positive = sorted(set(train.y.tolist()))[-1]
        share = own.agg(lambda y: (y == positive).mean())
        return table.assign(**{f"share of {positive}": table["task"].map(share).round(3)})
    for name, values in (("mean target", own.mean()), ("sd of target", own.std(ddof=0))):
        table[name] = table["task"].map(values).map(lambda x: float(f"{x:.4g}"))
    return table


def pick_rows() -> None:
    current().picked = frozenset(st.session_state["data.tasks"].selection.rows)
