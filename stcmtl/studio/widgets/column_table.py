"""What was understood of each column of an upload, and which of them are features."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from stcmtl.io.account import Column
from stcmtl.io.reading import Opened
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import Reading, Upload
from stcmtl.studio.words.sentences import literal

USE, NAME, BECOMES = "use", "column", "what becomes of it"
FIRST_ROWS = 8
WIDTHS = {USE: 60, "kind": 90, "example": 120, "missing": 70, BECOMES: 480}  # pixels, at least


def choose_features(upload: Upload, opened: Opened, reading: Reading, key: str) -> Reading:
    """The table, in which columns are taken in and out; the reading with those that are in."""
    table = describe_columns(upload, opened, reading)
    if upload.ticked is not None:
        table[USE] = table[NAME].isin(upload.ticked)
    st.markdown("**What was understood of each column**")
    wanted = search_and_tick(upload, table, key)
    shown = table[table[NAME].str.contains(wanted, case=False, regex=False)]
    edited = st.data_editor(
        shown, hide_index=True, key=f"{key}.columns.{upload.n_ticks}.{wanted}",
        disabled=[name for name in table.columns if name != USE],
        column_config={name: st.column_config.Column(width=w) for name, w in WIDTHS.items()},
    )  # fmt: skip
    first = opened.tables[0]
    with st.expander(f"The first rows of {literal(first.name)}"):
        st.dataframe(first.frame.head(FIRST_ROWS), hide_index=True, key=f"{key}.rows")
    changed = edited.loc[edited[USE] != shown[USE], NAME]
    if len(changed):
        upload.ticked = frozenset(table.loc[table[USE], NAME]) ^ frozenset(changed)
    if upload.ticked is None:
        return reading
    taken = {reading.task, *reading.targets}
    used = [name for name in table[NAME] if name in upload.ticked and name not in taken]
    return replace(reading, features=tuple(used))


def search_and_tick(upload: Upload, table: pd.DataFrame, key: str) -> str:
    """Tick all columns at once or none, and part of a name to look for."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        wanted = st.text_input(
            "Search", key=f"{key}.search", placeholder="Part of a name", width=220,
            label_visibility="collapsed",
        )  # fmt: skip
        choices = {"Use all": frozenset(table[NAME]), "Use none": frozenset(), "As proposed": None}
        for label, columns in choices.items():
            st.button(
                label, key=f"{key}.{label}", on_click=upload.tick, args=(columns,),
                disabled=columns == upload.ticked,
            )  # fmt: skip
    return wanted


def describe_columns(upload: Upload, opened: Opened, reading: Reading) -> pd.DataFrame:
    """One row per column: what became of it, or would as long as nothing could be read."""
    found = current().uploaded
    if found is not None and found.upload is upload:
        account = found.account
        columns, used = [*account.columns], {*account.features, *account.encoded}
    else:
        columns = [foresee(column, reading) for column in opened.columns.values()]
        used = {c.name for c in columns if not c.becomes.startswith(("left out", "the "))}
    return pd.DataFrame(
        {
            USE: [column.name in used for column in columns],
            NAME: [column.name for column in columns],
            "kind": [column.kind for column in columns],
            "example": [column.example for column in columns],
            "missing": [column.missing for column in columns],
            BECOMES: [column.becomes for column in columns],
        }
    )


def foresee(column: Column, reading: Reading) -> Column:
    if column.name == reading.task:
        return replace(column, becomes="the task")
    return replace(column, becomes="the target") if column.name in reading.targets else column
