"""What was understood of each column of an upload, and which of them are features."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from stcmtl.io.account import Account
from stcmtl.io.reading import Opened
from stcmtl.studio.state.session import current
from stcmtl.studio.state.uploads import Reading, Upload
from stcmtl.studio.words.sentences import literal

USE = "use"
FIRST_ROWS = 8
WIDTHS = {USE: 70, "kind": 90, "example": 140, "missing": 80}  # pixels; the rest goes to the others


def choose_features(upload: Upload, opened: Opened, reading: Reading, key: str) -> Reading:
    """The table, in which columns are taken in and out; the reading with those that are in."""
    account = account_of(upload)
    table = describe_columns(opened, account, upload.ticked)
    st.markdown("**What was understood of each column**")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.text_input(
            "Search", key=f"{key}.search", placeholder="Part of a name", width=220,
            label_visibility="collapsed",
        )  # fmt: skip
        everything = frozenset(table["column"])
        st.button("Use all", key=f"{key}.all", on_click=upload.tick, args=(everything,))
        st.button("Use none", key=f"{key}.none", on_click=upload.tick, args=(frozenset(),))
        st.button(
            "As proposed", key=f"{key}.proposed", on_click=upload.tick, args=(None,),
            disabled=upload.ticked is None,
        )  # fmt: skip
    shown = table[table["column"].str.contains(wanted, case=False, regex=False)]
    edited = st.data_editor(
        shown, hide_index=True, key=f"{key}.columns.{upload.n_ticks}.{wanted}",
        disabled=[name for name in table.columns if name != USE],
        column_config={name: st.column_config.Column(width=w) for name, w in WIDTHS.items()},
    )  # fmt: skip
    first = opened.tables[0]
    with st.expander(f"The first rows of {literal(first.name)}"):
        st.dataframe(first.frame.head(FIRST_ROWS), hide_index=True, key=f"{key}.rows")
    changed = edited.loc[edited[USE] != shown[USE], "column"]
    if len(changed):
        upload.ticked = frozenset(table.loc[table[USE], "column"]) ^ frozenset(changed)
    if upload.ticked is None:
        return reading
    taken = {reading.task, *reading.targets}
    used = [name for name in table["column"] if name in upload.ticked and name not in taken]
    return replace(reading, features=tuple(used))


def account_of(upload: Upload) -> Account | None:
    found = current().uploaded
    return found.account if found is not None and found.upload is upload else None


def describe_columns(
    opened: Opened, account: Account | None, ticked: frozenset[str] | None
) -> pd.DataFrame:
    frame = opened.tables[0].frame
    used = set() if account is None else {*account.features, *account.encoded}
    return pd.DataFrame(
        {
            USE: [name in (used if ticked is None else ticked) for name in frame.columns],
            "column": list(frame.columns),
            "kind": [str(frame[name].dtype) for name in frame.columns],
            "example": [str(frame[name].dropna().iloc[:1].squeeze()) for name in frame.columns],
            "missing": [int(frame[name].isna().sum()) for name in frame.columns],
        }
    )
