"""The card in the sidebar: what is loaded, what was fitted, and whether that still holds."""

from __future__ import annotations

import streamlit as st

from stcmtl.studio.state import session
from stcmtl.studio.words.markdown import literal


def card() -> None:
    with st.container(border=True, key="status"):
        loaded = session.data()
        if loaded is None:
            st.caption("No tasks yet. Simulate some, open an example or upload a file.")
            return
        choice = session.fit_choice()
        T, D = len(loaded.train), len(loaded.train.feature_names)
        st.markdown(f"**{literal(loaded.name)}**  \n{T} tasks × {D} features")
        st.caption(f"K = {choice.k}, {choice.method}")
        st.markdown(condition())
        st.button(
            "Run",
            key="status.run",
            type="primary",
            icon=":material/play_arrow:",
            on_click=session.run_fit,
            disabled=session.job() is not None,
            width="stretch",
        )


def condition() -> str:
    if session.job() is not None:
        return ":blue-badge[:material/progress_activity: running]"
    if session.fitted() is None:
        return ":gray-badge[not fitted]"
    if session.is_stale():
        return ":orange-badge[:material/history: settings changed since the run]"
    return ":green-badge[:material/check: fitted]"
